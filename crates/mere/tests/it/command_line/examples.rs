//! The examples in the help of every command are run, as a shell runs them. None is wrong usage, and
//! none ends in an internal error; what they name need not be there.

use std::path::Path;
use std::process::Command;

use super::outcomes::leaves;
use crate::support::harness::Stage;

/// Commands that go on until somebody stops them, wait for the network, or take long on purpose.
const NOT_RUN: [&str; 9] = [
    "mere up",
    "mere ui",
    "mere mcp",
    "mere registry serve",
    "mere witness serve",
    "mere torture",
    "mere model fetch",
    "mere import-mcp",
    "mere watch",
];
/// How a command line ends that is not one of the program's.
const WRONG_USAGE: &str = "For more information, try '--help'.";
/// The exit statuses of a shell that finds no program.
const NO_PROGRAM: [i32; 2] = [126, 127];
/// What stands for something that nobody can make up.
const PLACEHOLDERS: [&str; 4] = ["https://", "…", " SHA256", "man -l"];

/// The lines of the examples in a help text, without the remarks beside them.
fn examples(help: &str) -> Vec<String> {
    let text = help.split_once("\nExamples:\n").or(help.split_once("\nExample:\n"));
    let Some((_, text)) = text else { return Vec::new() };
    let text = text.split("\n\n").next().unwrap_or_default();
    let mut lines = Vec::<String>::new();
    for line in text.lines() {
        // A line that the help wraps goes on with the same indentation, and begins no command.
        let begins = ["  mere ", "  source ", "  git "].iter().any(|start| line.starts_with(start));
        let line = line.trim();
        match lines.last_mut().filter(|_| !begins) {
            Some(before) => before.extend([" ", line]),
            None => lines.push(line.to_owned()),
        }
    }
    lines.iter().map(|line| without_remark(line)).collect()
}

/// Cuts a line where two spaces stand outside quotes: a remark follows.
fn without_remark(line: &str) -> String {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match quote {
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            None if line[at..].starts_with("  ") => return line[..at].to_owned(),
            Some(open) if letter == open => quote = None,
            _ => {}
        }
    }
    line.to_owned()
}

fn is_run(line: &str) -> bool {
    let waits = NOT_RUN.iter().any(|start| {
        line.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    // A token of `mere mcp` is made at once.
    let is_token = line.starts_with("mere mcp token");
    (!waits || is_token) && !PLACEHOLDERS.iter().any(|part| line.contains(part))
}

#[test]
fn every_example_runs() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init"]).status.success());
    let programs = Path::new(env!("CARGO_BIN_EXE_mere")).parent().expect("a folder");
    let (mut count, mut wrong) = (0, Vec::new());
    for leaf in leaves(&stage) {
        let words = leaf.iter().map(String::as_str).chain(["--help"]).collect::<Vec<_>>();
        let help = String::from_utf8(stage.person(&words).stdout).expect("UTF-8");
        let lines = examples(&help);
        if lines.is_empty() {
            wrong.push(format!("{leaf:?} has no example"));
        }
        for line in lines.iter().filter(|line| is_run(line)) {
            let mut shell = Command::new("bash");
            shell.args(["--norc", "-c", line]).env_clear().current_dir(stage.path("project"));
            shell.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
            shell.env("HOME", stage.path("home")).stdin(std::process::Stdio::null());
            let output = shell.output().expect("a shell runs");
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            let status = output.status.code().unwrap_or(127);
            let faults = [WRONG_USAGE, "internal error", "panicked"];
            if NO_PROGRAM.contains(&status) || faults.iter().any(|fault| words.contains(fault)) {
                wrong.push(format!("{line}: {status}: {words}"));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 150, "{count}");
}
