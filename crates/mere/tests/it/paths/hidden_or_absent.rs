//! A file that is hidden and one that does not exist are one to an agent: the answer is the same,
//! and so is the work that leads to it, so that the time an answer takes tells nothing.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage, timeless};

const SENSITIVE: [&str; 4] =
    [".env", "src/server.pem", ".ssh/id_ed25519", ".ai/workspaces/default/.env"];

/// A stage with these sensitive files.
fn stage(sensitive: &[&str]) -> Stage {
    let stage = Stage::new();
    stage.file("project/src/a.rs", "fn main() {}\n");
    stage.folder("project/.ai/knowledge");
    stage.file("project/.ai/workspaces/default/plain.txt", "x\n");
    for path in sensitive {
        stage.file(&format!("project/{path}"), "TOKEN=hush\n");
    }
    stage
}

/// Every system call of `mere` that touches a file, without what differs from run to run: numbers
/// of processes and handles, addresses in memory, random names, results.
fn file_calls(stage: &Stage, tool: &str, arguments: &Value) -> (Value, Vec<String>) {
    let log = stage.path("strace.log");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-qq", "-e", "trace=%file,read,getdents64", "-o"]).arg(&log);
    command.arg(env!("CARGO_BIN_EXE_mere")).args(["call", tool, &arguments.to_string()]);
    command.env_clear().env("HOME", stage.path("home")).current_dir(stage.path("project"));
    let reply = timeless(&stage.answer(&mut command).reply);
    let base = stage.path("").display().to_string().trim_end_matches('/').to_owned();
    let log = std::fs::read_to_string(&log).expect("a log").replace(&base, "/stage");
    let plain = |line: &str| {
        let line = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
        let call = line.split(" = ").next().unwrap_or_default();
        let name = call.split('(').next().unwrap_or_default();
        let paths = call.split(['"', '<', '>']).filter(|part| part.contains('/'));
        let paths = paths.filter(|path| !path.contains("/proc/")).map(mask_numbers);
        format!("{name} {}", paths.collect::<Vec<_>>().join(" "))
    };
    let mut calls = log.lines().map(plain).collect::<Vec<_>>();
    // Several threads may touch files in any order.
    calls.sort();
    (reply, calls)
}

/// Replaces what is random in a name.
fn mask_numbers(path: &str) -> String {
    path.chars().map(|c| if c.is_ascii_hexdigit() { '0' } else { c }).collect()
}

#[test]
fn the_same_system_calls_answer_for_a_hidden_and_for_an_absent_file() {
    let strace = Command::new("strace").arg("-V").output();
    assert!(strace.is_ok_and(|output| output.status.success()), "the test command installs strace");
    let (hidden, absent) = (stage(&SENSITIVE), stage(&[]));
    for path in [".env", "src/server.pem", ".ssh/id_ed25519", "ROOT_WORKSPACE:/.env"] {
        for (tool, arguments) in [
            ("read", json!({ "path": path })),
            ("dir", json!({ "command": "list", "path": path })),
            ("dir", json!({ "command": "tree", "path": path })),
            ("glob", json!({ "path": path, "pattern": "*" })),
            ("grep", json!({ "path": path, "pattern": "TOKEN" })),
            ("write", json!({ "path": path, "content": "x" })),
            ("edit", json!({ "path": path, "old": "a", "new": "b" })),
            ("delete", json!({ "path": path })),
            ("mkdir", json!({ "path": path })),
            ("move", json!({ "from": path, "to": "ROOT_WORKSPACE:/moved" })),
            ("move", json!({ "from": "ROOT_WORKSPACE:/plain.txt", "to": path })),
        ] {
            let (hidden_reply, hidden_calls) = file_calls(&hidden, tool, &arguments);
            let (absent_reply, absent_calls) = file_calls(&absent, tool, &arguments);
            assert_eq!(hidden_reply, absent_reply, "{tool} {arguments}");
            let only = |one: &[String], other: &[String]| {
                let count = |calls: &[String], call| calls.iter().filter(|c| *c == call).count();
                let more = one.iter().filter(|call| count(one, *call) > count(other, *call));
                more.cloned().collect::<Vec<_>>()
            };
            let differences =
                [only(&hidden_calls, &absent_calls), only(&absent_calls, &hidden_calls)];
            assert!(differences.iter().all(Vec::is_empty), "{tool} {arguments}: {differences:#?}");
        }
    }
}

#[test]
fn a_client_with_a_person_is_asked_whether_or_not_the_file_exists() {
    for sensitive in [&SENSITIVE[..], &[]] {
        let stage = stage(sensitive);
        let mut mcp = Mcp::start(&stage, &["--agent", "coder"]);
        mcp.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
                "clientInfo": { "name": "t", "version": "1" }
            }),
        );
        mcp.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        let missing = mcp.tool("read", &json!({ "path": "missing" }))["structuredContent"].clone();
        let read = json!({ "name": "read", "arguments": { "path": ".env" } });
        let call = json!({ "jsonrpc": "2.0", "id": "r", "method": "tools/call", "params": read });
        mcp.send(call.to_string().as_bytes());
        let question = mcp.receive();
        assert_eq!(question["method"], "elicitation/create", "{sensitive:?}: {question}");
        let decline = json!({ "action": "decline" });
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": decline });
        mcp.send(answer.to_string().as_bytes());
        let reply = mcp.receive()["result"]["structuredContent"].clone();
        assert_eq!(timeless(&reply), timeless(&missing), "{sensitive:?}");
    }
}
