//! `mere trust project`: shows what a project's config would widen, and records a person's yes.

use std::process::ExitCode;

use mere_engine::trust::{Examined, TrustError, examine};
use serde_json::Value;

use crate::arguments::{SessionArguments, Trust, TrustArguments};
use crate::render;

/// Runs the command.
pub(crate) fn run(session: &SessionArguments, trust: &TrustArguments) -> ExitCode {
    let Trust::Project { yes, revoke } = trust.what;
    let examined = match examine(session.project(), session.directory()) {
        Ok(examined) => examined,
        Err(error) => return failure(&error),
    };
    let done = if revoke { forget(&examined) } else { record(&examined, yes) };
    done.unwrap_or_else(|error| failure(&error))
}

fn forget(examined: &Examined) -> Result<ExitCode, TrustError> {
    examined.forget()?;
    render::line("Nothing that this project's config widens counts any more.");
    Ok(ExitCode::SUCCESS)
}

fn record(examined: &Examined, yes: bool) -> Result<ExitCode, TrustError> {
    if examined.widening().is_empty() {
        render::line("This project's config widens nothing: there is nothing to trust.");
        return Ok(ExitCode::SUCCESS);
    }
    render::line("With these keys of .ai/config.yaml agents see more than the project:\n");
    for (key, value) in examined.widening() {
        render::line(&format!("  {key}:"));
        for entry in entries(value) {
            render::line(&format!("    {entry}"));
        }
    }
    render::line("");
    if examined.is_trusted() {
        render::line("They are trusted already.");
        return Ok(ExitCode::SUCCESS);
    }
    if !yes && render::ask("Trust exactly these?") == Some(false) {
        render::line("Nothing was recorded.");
        return Ok(ExitCode::from(1));
    }
    examined.record()?;
    render::line("Trusted. A changed key asks again; `mere trust project --revoke` takes it back.");
    Ok(ExitCode::SUCCESS)
}

fn entries(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(|item| format!("- {item}")).collect(),
        other => vec![other.to_string()],
    }
}

fn failure(error: &TrustError) -> ExitCode {
    let code = match error {
        TrustError::Project(_) => render::USAGE,
        _ => render::BROKEN,
    };
    render::failure(&error.to_string(), code)
}
