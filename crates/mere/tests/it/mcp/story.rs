//! The official TypeScript and Python clients do an agent's first minutes, from discovery to the
//! signature of a skill, in each era, over stdio and HTTP.

use std::process::Command;

use serde_json::{Value, json};

use super::offered::{space, succeed};
use crate::support::harness::{Http, Stage};
use crate::support::tools;

fn play(stage: &Stage, mut client: Command, mode: &str, target: &[&str]) {
    let key = succeed(stage, &["keys", "export"]);
    let edited = stage.path("project/.ai/knowledge/api/jwt.md");
    let note = std::fs::read(&edited).expect("a note");
    client.arg(mode).arg(key.trim()).arg(&edited).args(target);
    let output = client.current_dir(stage.path("project")).output().expect("the client runs");
    std::fs::write(&edited, note).expect("the note as it was");
    let noise = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{mode} {target:?}: {noise}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    stage.check(&text);
    let seen = serde_json::from_str::<Value>(&text).expect("JSON");
    let version = if mode == "legacy" { "2025-11-25" } else { "2026-07-28" };
    let expected = json!({
        "version": version,
        "instructions": "Before you start work, search here: call `search` with what the task is \
            about, then `load` what fits",
        "skills_extension": { "directoryRead": true },
        "found": "api/jwt",
        "title": "Signing keys",
        "values": ["stable", "staging"],
        "prompt": "Follow the directive `ops/release` with these inputs: {\"channel\":\"stable\"}.",
        "resources": [
            "skill://ops/deploy/SKILL.md",
            "mere://knowledge/api/jwt",
            "mere://knowledge/examples/how-items-work",
            "mere://memory/welcome"
        ],
        "templates": 4,
        "before": false,
        "updated": "mere://knowledge/api/jwt",
        "after": true,
        "skill": "skill://ops/deploy/SKILL.md",
        "signature": true,
        "files": 4
    });
    assert_eq!(seen, expected, "{mode} {target:?}");
}

/// A signed note would not be served after an edit, so that this one is not signed.
fn stage() -> Stage {
    let stage = space();
    std::fs::remove_file(stage.path("project/.ai/knowledge/api/jwt.md.sig")).expect("a sidecar");
    stage
}

/// The eras in which a client discovers the server. The Python client does not if it is told the
/// revision, so that it sees no instructions then.
const MODES: [&str; 2] = ["legacy", "auto"];

fn over_stdio(client: impl Fn(&Stage) -> Command) {
    let stage = stage();
    for mode in MODES {
        let mere = env!("CARGO_BIN_EXE_mere");
        play(&stage, client(&stage), mode, &[mere, "mcp"]);
    }
}

fn over_http(client: impl Fn(&Stage) -> Command) {
    let stage = stage();
    let http = Http::start(&stage, &[]);
    for mode in MODES {
        play(&stage, client(&stage), mode, &[&http.url()]);
    }
}

fn typescript(stage: &Stage) -> Command {
    let mut command = tools::node(stage);
    command.arg(tools::script("story.mjs"));
    command
}

fn python(stage: &Stage) -> Command {
    let mut command = tools::python(stage);
    command.arg(tools::script("story.py"));
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
