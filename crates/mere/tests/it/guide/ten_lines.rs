//! The ten lines of the README lead to a signed tool that a client calls. Those that fetch and build
//! the program are not run; everything after them is typed at a terminal as it stands.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::tidy::workspace;

/// The lines of the block below the heading.
fn lines() -> Vec<String> {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("the README");
    let (_, section) = readme.split_once("\n## Ten lines").expect("the section");
    let (_, block) = section.split_once("```sh\n").expect("a block");
    let block = block.split("\n```").next().unwrap_or_default();
    let lines = block.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(lines.len() <= 10, "{lines:?}");
    lines
}

/// Types a line at a terminal: how it ends, and what is shown.
fn type_line(stage: &Stage, line: &str) -> (Option<i32>, String) {
    let programs = Path::new(env!("CARGO_BIN_EXE_mere")).parent().expect("a folder");
    let mut script = Command::new("script");
    script.args(["-qec", line, "/dev/null"]).current_dir(stage.path("project")).env_clear();
    script.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    script.env("HOME", stage.path("home")).env("SHELL", "/bin/sh");
    let output = script.stdin(std::process::Stdio::null()).output().expect("script runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn ten_lines_lead_to_a_signed_tool_that_a_client_calls() {
    let stage = Stage::new();
    let lines = lines();
    let own = lines.iter().position(|line| line.starts_with("mere init")).expect("a space");
    let agent = lines.iter().position(|line| line.starts_with("claude ")).expect("an agent");
    assert!(lines[..own].iter().any(|line| line.contains("cargo install --locked --path")));
    for line in &lines[own..agent] {
        let (status, shown) = type_line(&stage, line);
        assert_eq!(status, Some(0), "{line}: {shown}");
        if line.starts_with("mere run") {
            assert!(shown.contains("Hello, Ada!"), "{shown}");
        }
    }
    // The client starts what was written into its settings, in the project.
    let settings = std::fs::read_to_string(stage.path("home/.claude.json")).expect("settings");
    let settings: Value = serde_json::from_str(&settings).expect("JSON");
    let servers = settings["mcpServers"].as_object().expect("servers");
    let server = servers.values().next().expect("a server");
    let programs = Path::new(env!("CARGO_BIN_EXE_mere")).parent().expect("a folder");
    let mut command = Command::new(programs.join(server["command"].as_str().expect("a command")));
    let arguments = server["args"].as_array().expect("arguments").iter();
    command.args(arguments.map(|word| word.as_str().expect("a word")));
    command.env_clear().env("HOME", stage.path("home")).current_dir(stage.path("project"));
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    let call = json!({ "item_type": "tool", "item_id": "greet", "parameters": { "name": "Ben" } });
    let reply = mcp.tool("execute", &call)["structuredContent"].clone();
    assert_eq!(reply["reply_type"], "S", "{reply}");
    assert!(reply["data"]["stdout"].as_str().is_some_and(|out| out.contains("Hello, Ben!")));
}
