//! `mere torture`: kills servers while they write, and counts what is lost.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use mere_core::reply::codes;
use mere_engine::{TortureReport, torture};
use serde_json::{Value, json};

use crate::arguments::TortureArguments;
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

/// Runs the command.
pub(crate) fn run(arguments: &TortureArguments) -> io::Result<ExitCode> {
    let report = match torture(Duration::from_secs(arguments.seconds.get())) {
        Ok(report) => report,
        Err(error) => {
            let message = format!("no server could be started for the torture: {error}");
            return Ok(terminal::print_failure(&message, terminal::BROKEN));
        }
    };
    if arguments.json {
        terminal::print_line(&format!("{:#}", reply(&report)))?;
    } else {
        for line in lines(&report) {
            terminal::print_line(&line)?;
        }
    }
    Ok(if report.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(terminal::BROKEN) })
}

fn summary(report: &TortureReport) -> String {
    format!(
        "{} kills: {} losses, {} torn reads, {} other failures.",
        report.kills,
        report.losses.len(),
        report.torn.len(),
        report.failures.len()
    )
}

fn lines(report: &TortureReport) -> Vec<String> {
    let mut lines = vec![
        summary(report),
        format!(
            "{} writes and {} moves were acknowledged, {} reads were whole.",
            report.writes, report.moves, report.reads
        ),
    ];
    let findings = [("lost", &report.losses), ("torn", &report.torn), ("failed", &report.failures)];
    for (what, found) in findings {
        lines.extend(found.iter().map(|one| format!("{what}: {one}")));
    }
    lines
}

fn reply(report: &TortureReport) -> Value {
    let data = json!({
        "kills": report.kills, "writes": report.writes, "moves": report.moves,
        "reads": report.reads, "losses": report.losses, "torn": report.torn,
        "failures": report.failures
    });
    let message = summary(report);
    if report.is_clean() {
        operator_reply(codes::TORTURE_HELD, "torture", &message, &data)
    } else {
        operator_reply(codes::TORTURE_FAILED, "torture", &message, &data)
    }
}
