//! `mere connect`: writes this program into the settings of clients.
//!
//! It prints host paths, so it is for the operator and never for an agent.

use std::io;
use std::process::ExitCode;

use clap::ValueEnum;
use mere_core::reply::codes;
use mere_engine::{
    AgentClient, ClientConnections, ConnectError, SettingsOutcome, SettingsPlan, SettingsReport,
};
use serde_json::json;

use crate::arguments::{ClientArgument, ConnectOptions, LocationArguments};
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

/// Runs the command.
pub(crate) fn run(
    location: &LocationArguments,
    client: ClientArgument,
    options: &ConnectOptions,
) -> io::Result<ExitCode> {
    let found = ClientConnections::find(location.project(), location.directory());
    let done = found.and_then(|connections| {
        let plans = plan(&connections, client, options)?;
        if options.print {
            return Ok((Done::Plans(plans), Vec::new()));
        }
        let (reports, errors) = change(&connections, client, options)?;
        Ok((Done::Reports(reports), errors))
    });
    let (done, errors) = match done {
        Ok(done) => done,
        Err(error) => return report_error(&error, options),
    };
    // What a reply says about one file that failed is more urgent than that others were changed.
    if errors.is_empty() || !options.json {
        done.print(options)?;
    }
    let mut ended = ExitCode::SUCCESS;
    for error in &errors {
        ended = report_error(error, options)?;
    }
    Ok(ended)
}

/// Asks at a terminal which clients to connect, after a space was made.
pub(crate) fn offer(location: &LocationArguments) -> io::Result<()> {
    const QUESTION: &str =
        "Connect a client? (claude, codex, gemini, cursor, vscode, all; Enter for none)";
    loop {
        let answer = terminal::ask_line(QUESTION)?.unwrap_or_default();
        let names = answer.split([',', ' ']).filter(|name| !name.is_empty());
        let clients = names.map(|name| ClientArgument::from_str(name, true));
        if let Ok(clients) = clients.collect::<Result<Vec<_>, _>>() {
            for client in clients {
                run(location, client, &ConnectOptions::plain())?;
            }
            return Ok(());
        }
        terminal::print_note("one of those is not the name of a client; nothing was changed");
    }
}

/// What was done, or would be.
enum Done {
    Plans(Vec<SettingsPlan>),
    Reports(Vec<SettingsReport>),
}

fn plan(
    connections: &ClientConnections,
    chosen: ClientArgument,
    options: &ConnectOptions,
) -> Result<Vec<SettingsPlan>, ConnectError> {
    let mut plans = Vec::new();
    for client in chosen.clients() {
        for setting in options.settings(client, chosen) {
            plans.push(connections.plan(setting)?);
        }
    }
    Ok(plans)
}

/// Changes the settings of each client. One that fails does not keep the others from theirs.
fn change(
    connections: &ClientConnections,
    chosen: ClientArgument,
    options: &ConnectOptions,
) -> Result<(Vec<SettingsReport>, Vec<ConnectError>), ConnectError> {
    let clients = chosen.clients();
    if !options.remove {
        for client in &clients {
            connections.check_server(*client, options.scope())?;
        }
    }
    let (mut reports, mut errors) = (Vec::new(), Vec::new());
    for client in clients {
        for setting in options.settings(client, chosen) {
            let changed = if options.remove {
                connections.disconnect(setting)
            } else {
                connections.connect(setting)
            };
            match changed {
                Ok(report) => reports.push(report),
                Err(error) => errors.push(error),
            }
        }
    }
    Ok((reports, errors))
}

impl Done {
    fn print(&self, options: &ConnectOptions) -> io::Result<()> {
        if options.json {
            return terminal::print_line(&format!("{:#}", self.reply(options)));
        }
        match self {
            Self::Plans(plans) => {
                for plan in plans {
                    terminal::print_line(&format!("{} ({})", plan.file, plan.client))?;
                    terminal::print_line(&plan.snippet)?;
                }
            }
            Self::Reports(reports) => {
                // A hook that was never there is nothing to speak of.
                let shown = |report: &&SettingsReport| {
                    reports.len() == 1 || report.outcome != SettingsOutcome::Absent
                };
                for report in reports.iter().filter(shown) {
                    terminal::print_line(&sentence(report))?;
                }
                if reports.iter().all(|report| report.outcome == SettingsOutcome::Absent)
                    && reports.len() > 1
                {
                    terminal::print_line("There was no entry to remove.")?;
                }
            }
        }
        Ok(())
    }

    fn reply(&self, options: &ConnectOptions) -> serde_json::Value {
        match self {
            Self::Plans(plans) => {
                let files = plans.iter().map(|plan| {
                    json!({ "client": client_name(plan.client), "file": plan.file, "text": plan.snippet })
                });
                let data = json!({ "files": files.collect::<Vec<_>>() });
                operator_reply(codes::CONNECT_PLAN, "connect", "This would be written.", &data)
            }
            Self::Reports(reports) => {
                let files = reports.iter().map(|report| {
                    json!({
                        "client": client_name(report.client), "file": report.file,
                        "outcome": outcome_name(report.outcome), "backup": report.backup
                    })
                });
                let data = json!({ "files": files.collect::<Vec<_>>() });
                let sentences = reports.iter().map(sentence).collect::<Vec<_>>().join(" ");
                if options.remove {
                    operator_reply(codes::CONNECT_REMOVED, "connect", &sentences, &data)
                } else {
                    operator_reply(codes::CONNECTED, "connect", &sentences, &data)
                }
            }
        }
    }
}

fn report_error(error: &ConnectError, options: &ConnectOptions) -> io::Result<ExitCode> {
    let (status, reply) = match error {
        ConnectError::Open(_) => {
            return Ok(terminal::print_failure(&error.to_string(), terminal::USAGE));
        }
        ConnectError::Refused { file, reason, snippet } => {
            let data = json!({ "file": file, "reason": reason, "text": snippet });
            let words = error.to_string();
            (terminal::INVALID, operator_reply(codes::CONNECT_REFUSED, "connect", &words, &data))
        }
        ConnectError::NoHook(_) => {
            let words = error.to_string();
            (
                terminal::INVALID,
                operator_reply(codes::CONNECT_REFUSED, "connect", &words, &json!({})),
            )
        }
        _ => {
            let words = error.to_string();
            (terminal::BROKEN, operator_reply(codes::CONNECT_FAILED, "connect", &words, &json!({})))
        }
    };
    if options.json {
        terminal::print_line(&format!("{reply:#}"))?;
        return Ok(ExitCode::from(status));
    }
    Ok(terminal::print_failure(&error.to_string(), status))
}

fn sentence(report: &SettingsReport) -> String {
    let SettingsReport { client, file, outcome, backup } = report;
    let backup = backup.as_ref().map(|old| format!(" The old file is kept in {old}."));
    match outcome {
        SettingsOutcome::Written => {
            let trust = match client {
                AgentClient::Gemini => " It starts servers only in folders that you trust there.",
                _ => "",
            };
            format!("{client} now has `mere` in {file}.{trust}{}", backup.unwrap_or_default())
        }
        SettingsOutcome::Unchanged => format!("{client} has `mere` in {file} already."),
        SettingsOutcome::Restored => format!("{file} is what it was before."),
        SettingsOutcome::Removed => {
            format!("{file} was changed since, so only the entry for `mere` was removed.")
        }
        SettingsOutcome::Absent => format!("There was no entry to remove in {file}."),
    }
}

fn client_name(client: AgentClient) -> &'static str {
    match client {
        AgentClient::Claude => "claude",
        AgentClient::Codex => "codex",
        AgentClient::Gemini => "gemini",
        AgentClient::Cursor => "cursor",
        AgentClient::VsCode => "vscode",
    }
}

fn outcome_name(outcome: SettingsOutcome) -> &'static str {
    match outcome {
        SettingsOutcome::Written => "written",
        SettingsOutcome::Unchanged => "unchanged",
        SettingsOutcome::Restored => "restored",
        SettingsOutcome::Removed => "removed",
        SettingsOutcome::Absent => "absent",
    }
}
