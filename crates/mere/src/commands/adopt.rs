//! `mere adopt`: reports on what other programs keep, and takes it over.
//!
//! It prints host paths, so it is for the operator and never for an agent.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::process::ExitCode;

use mere_core::reply::codes;
use mere_engine::{AdoptError, AdoptSurvey, Adoptable, AdoptionPlan, SharedName};
use serde_json::{Value, json};

use crate::arguments::{AdoptArguments, LocationArguments};
use crate::commands::person_session::report_refusal;
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

/// Runs the command.
pub(crate) fn run(
    location: &LocationArguments,
    arguments: &AdoptArguments,
) -> io::Result<ExitCode> {
    let folder = arguments.folder.as_ref();
    let survey = match AdoptSurvey::take(location.project(), location.directory(), folder) {
        Ok(survey) => survey,
        Err(error) => return Ok(report_error(&error)),
    };
    let done = match arguments {
        AdoptArguments { undo: true, .. } => undo(&survey, arguments),
        AdoptArguments { dry_run: true, .. } => return report(&survey, arguments),
        _ => adopt(&survey, arguments),
    };
    done?.or_else(|error| Ok(report_error(&error)))
}

fn report(survey: &AdoptSurvey, arguments: &AdoptArguments) -> io::Result<ExitCode> {
    let (found, shared) = (survey.found(), survey.shared_names());
    if arguments.json {
        let data = json!({
            "items": found.iter().map(item_value).collect::<Vec<_>>(),
            "shared_names": shared.iter().map(shared_value).collect::<Vec<_>>()
        });
        let reply = operator_reply(codes::ADOPT_REPORT, "adopt", &summary(&found), &data);
        terminal::print_line(&format!("{reply:#}"))?;
        return Ok(ExitCode::SUCCESS);
    }
    for line in report_lines(&found, &shared) {
        terminal::print_line(&line)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn report_lines(found: &[Adoptable], shared: &[SharedName]) -> Vec<String> {
    let mut lines = Vec::new();
    for item in found {
        let place = item.place.describe();
        let kind = item.kind.describe();
        let mut line = format!("{place:8} {kind:24} {}", clean(&item.shown_path()));
        if !item.findings.is_empty() {
            let _ = write!(line, "  has {}", item.findings.join(", "));
        }
        lines.push(line);
    }
    for name in shared {
        let state = if name.has_drifted { "copies that differ" } else { "the same copy twice" };
        lines.push(format!("\n{}: {state}: {}", clean(&name.name), clean(&name.paths.join(", "))));
        let used =
            name.used.iter().map(|(client, path)| format!("  {client} uses {}", clean(path)));
        lines.extend(used);
    }
    lines.push(summary(found));
    lines
}

/// Counts what was found, by kind.
fn summary(found: &[Adoptable]) -> String {
    let mut counts = BTreeMap::new();
    for item in found {
        *counts.entry(item.kind).or_insert(0_usize) += 1;
    }
    let counts = counts.iter().map(|(kind, count)| format!("{count} × {}", kind.describe()));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let suspicious = found.iter().filter(|item| !item.findings.is_empty()).count();
    match found.len() {
        0 => "Nothing was found that could be adopted.".to_owned(),
        _ if suspicious == 0 => format!("Found: {counts}."),
        _ => format!("Found: {counts}. Look at {suspicious} of them before you share them."),
    }
}

fn adopt(
    survey: &AdoptSurvey,
    arguments: &AdoptArguments,
) -> io::Result<Result<ExitCode, AdoptError>> {
    let plan = match survey.plan() {
        Ok(plan) => plan,
        Err(error) => return Ok(Err(error)),
    };
    if !arguments.json {
        for line in plan_lines(&plan) {
            terminal::print_line(&line)?;
        }
    }
    if !plan.is_empty() {
        // Nobody is asked about what cannot be done.
        if let Err(error) = survey.check_space() {
            return Ok(Err(error));
        }
        let is_wanted =
            arguments.yes || terminal::can_ask() && terminal::ask_yes_or_no("Do this?")?;
        if !is_wanted {
            return Ok(Ok(report_refusal("nothing was changed", "`--yes` does it")));
        }
        if let Err(error) = survey.adopt(&plan) {
            return Ok(Err(error));
        }
    }
    let words = if plan.is_empty() {
        "There is nothing to adopt."
    } else {
        "Adopted. `mere sign` shows and signs what is new; `mere adopt --undo` takes it back."
    };
    if arguments.json {
        let reply = operator_reply(codes::ADOPTED, "adopt", words, &plan_value(&plan));
        terminal::print_line(&format!("{reply:#}"))?;
    } else {
        terminal::print_line(words)?;
    }
    Ok(Ok(ExitCode::SUCCESS))
}

fn plan_lines(plan: &AdoptionPlan) -> Vec<String> {
    let used = plan.in_place.iter().map(|folder| format!("use in place  {}", clean(folder)));
    let written = plan.paths().map(|path| format!("write         {}", clean(path)));
    let left = plan.left.iter();
    let left = left.map(|(path, why)| format!("leave         {}: {}", clean(path), clean(why)));
    let kept = plan.attributes.iter().map(|line| format!("add           {line} to .gitattributes"));
    let look = plan.suspicious.iter();
    let look =
        look.map(|(path, what)| format!("look at       {} has {}", clean(path), clean(what)));
    used.chain(written).chain(kept).chain(left).chain(look).collect()
}

fn undo(
    survey: &AdoptSurvey,
    arguments: &AdoptArguments,
) -> io::Result<Result<ExitCode, AdoptError>> {
    let report = match survey.undo() {
        Ok(report) => report,
        Err(error) => return Ok(Err(error)),
    };
    let words = match (report.restored.len(), report.left.len()) {
        (0, 0) => "Nothing was adopted here, so there is nothing to undo.".to_owned(),
        (restored, left) => {
            let restored = match restored {
                1 => "1 file is what it was before".to_owned(),
                _ => format!("{restored} files are what they were before"),
            };
            match left {
                0 => format!("{restored}."),
                1 => format!("{restored}; 1 was changed since and stays."),
                _ => format!("{restored}; {left} were changed since and stay."),
            }
        }
    };
    if arguments.json {
        let data = json!({ "restored": report.restored, "left": report.left });
        let reply = operator_reply(codes::ADOPT_UNDONE, "adopt", &words, &data);
        terminal::print_line(&format!("{reply:#}"))?;
    } else {
        for path in &report.left {
            terminal::print_line(&format!("leave         {}", clean(path)))?;
        }
        terminal::print_line(&words)?;
    }
    Ok(Ok(ExitCode::SUCCESS))
}

fn item_value(item: &Adoptable) -> Value {
    json!({
        "kind": item.kind.describe(), "name": item.name, "place": item.place.describe(),
        "path": item.shown_path(), "sha256": item.digest.to_string(), "findings": item.findings
    })
}

fn shared_value(shared: &SharedName) -> Value {
    let used = shared.used.iter().map(|(client, path)| json!({ "client": client, "path": path }));
    json!({
        "name": shared.name, "paths": shared.paths, "differ": shared.has_drifted,
        "used": used.collect::<Vec<_>>()
    })
}

fn plan_value(plan: &AdoptionPlan) -> Value {
    let left = plan.left.iter().map(|(path, why)| json!({ "path": path, "why": why }));
    let suspicious = plan.suspicious.iter();
    let suspicious = suspicious.map(|(path, what)| json!({ "path": path, "findings": what }));
    json!({
        "in_place": plan.in_place, "written": plan.paths().collect::<Vec<_>>(),
        "left": left.collect::<Vec<_>>(), "suspicious": suspicious.collect::<Vec<_>>(),
        "git_attributes": plan.attributes
    })
}

/// Escapes what could control the terminal: names of files are not ours.
fn clean(text: &str) -> String {
    let escape =
        |c: char| if c.is_control() { c.escape_unicode().to_string() } else { c.to_string() };
    text.chars().map(escape).collect()
}

fn report_error(error: &AdoptError) -> ExitCode {
    let status = match error {
        AdoptError::Open(_) | AdoptError::Unreadable(..) => terminal::USAGE,
        AdoptError::NoSpace | AdoptError::Config(..) => terminal::INVALID,
        _ => terminal::BROKEN,
    };
    terminal::print_failure(&error.to_string(), status)
}
