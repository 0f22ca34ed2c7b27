//! The official TypeScript and Python clients, each era, over stdio and HTTP.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Http, Stage};
use crate::support::tools;

fn check(stage: &Stage, mut client: Command, mode: &str, target: &[&str]) {
    client.arg(mode).args(target).current_dir(stage.path("project"));
    let output = client.output().expect("the client runs");
    let noise = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{mode} {target:?}: {noise}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    stage.check(&text);
    let seen: Value = serde_json::from_str(&text).expect("JSON");
    let version = if mode == "legacy" { "2025-11-25" } else { "2026-07-28" };
    assert_eq!(seen["version"], version, "{seen}");
    assert!(seen["tools"].as_u64().is_some_and(|count| count > 30), "{seen}");
    assert_eq!(seen["text"], "This is a simple text response for testing.");
    let steps = seen["progress"].as_array().expect("progress");
    assert!(steps.len() >= 3, "{seen}");
    assert_eq!(steps[0][2], "step 1 of 5", "{seen}");
    assert_eq!(seen["slow"], "finished");
    assert_eq!(seen["cancelled"], true);
    assert_eq!(seen["questions"], json!(["Shall it be done?"]));
    assert_eq!(seen["answer"], "yes");
    assert_eq!((&seen["panicked"], &seen["alive"]), (&json!(true), &json!(true)), "{seen}");
}

fn over_stdio(client: impl Fn(&Stage) -> Command) {
    let stage = Stage::new();
    for mode in ["legacy", "auto", "2026-07-28"] {
        let mere = env!("CARGO_BIN_EXE_mere");
        check(&stage, client(&stage), mode, &[mere, "mcp", "--conformance-fixtures"]);
    }
}

fn over_http(client: impl Fn(&Stage) -> Command) {
    let stage = Stage::new();
    let http = Http::start(&stage, &["--conformance-fixtures"]);
    for mode in ["legacy", "auto", "2026-07-28"] {
        check(&stage, client(&stage), mode, &[&http.url()]);
    }
}

fn typescript(stage: &Stage) -> Command {
    let mut command = tools::node(stage);
    command.arg(tools::script("client.mjs"));
    command
}

fn python(stage: &Stage) -> Command {
    let mut command = tools::python(stage);
    command.arg(tools::script("client.py"));
    command
}

#[test]
fn typescript_over_stdio() {
    over_stdio(typescript);
}

#[test]
fn typescript_over_http() {
    over_http(typescript);
}

#[test]
fn python_over_stdio() {
    over_stdio(python);
}

#[test]
fn python_over_http() {
    over_http(python);
}
