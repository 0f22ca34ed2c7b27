//! The real clients, from their registries, see the server through what `mere connect` wrote.
//!
//! Cursor and VS Code are no command-line programs; what is written for them is tested in
//! `connect.rs` by its format.

use std::process::Command;

use crate::support::harness::Stage;
use crate::support::tools;

/// A client on a stage, with the pinned Node.
fn client(stage: &Stage, name: &str) -> Command {
    let mut command = Command::new(tools::folder().join("node_modules/.bin").join(name));
    let node = tools::folder().join("node_modules/node/bin");
    let path = format!("{}:/usr/bin:/bin", node.to_str().expect("UTF-8"));
    command.env_clear().env("HOME", stage.path("home")).env("PATH", path);
    // Gemini CLI starts servers only in folders that are trusted.
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    command.current_dir(stage.path("project"));
    command
}

/// What `CLIENT mcp list` prints.
fn list_servers(stage: &Stage, name: &str) -> String {
    let output = client(stage, name).args(["mcp", "list"]).output().expect("the client runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{name}: {text}");
    text
}

fn check(name: &str, connected: &str) {
    let stage = Stage::new();
    let done = stage.person(&["connect", name]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let listed = list_servers(&stage, name);
    let line = listed.lines().find(|line| line.contains(env!("CARGO_BIN_EXE_mere")));
    let line = line.unwrap_or_else(|| panic!("{name} does not list the server: {listed}"));
    assert!(line.contains(connected), "{name}: {listed}");
    let removed = stage.person(&["connect", name, "--remove"]);
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    let listed = list_servers(&stage, name);
    assert!(!listed.contains(env!("CARGO_BIN_EXE_mere")), "{name} still lists it: {listed}");
}

#[test]
fn claude_code_connects_through_what_was_written() {
    check("claude", "Connected");
}

#[test]
fn codex_lists_what_was_written() {
    check("codex", "enabled");
}

#[test]
fn gemini_cli_connects_through_what_was_written() {
    check("gemini", "Connected");
}
