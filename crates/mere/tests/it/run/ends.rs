//! What an MCP client hears of a tool that runs, and how it ends it: by a word, or by going.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::run::escape_limits::{alive, assert_gone, server, unique};
use crate::support::harness::Mcp;
use crate::support::workshop::{EVERYBODY, Who, Workshop};

/// Starts others that do not listen, and stays.
const STAYS: &str = "import os, signal, time\n\
    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
    for _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        break\n\
    while True:\n    time.sleep(100)\n";

/// Sends a call without waiting for its answer.
fn send(mcp: &mut Mcp<'_>, id: u64, tool: &str, meta: &Value, parameters: &Value) {
    let arguments = json!({ "item_type": "tool", "item_id": tool, "parameters": parameters });
    let params = json!({ "name": "execute", "arguments": arguments, "_meta": meta });
    let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
    mcp.send(call.to_string().as_bytes());
}

/// A tool that runs on a server, all of it.
fn running(workshop: &Workshop) -> (Mcp<'_>, String) {
    let id = unique("stays");
    workshop.tool(&id, "python_runtime", STAYS);
    let mut mcp = server(workshop);
    send(&mut mcp, 900, &id, &json!({}), &json!({}));
    let began = Instant::now();
    while alive(&id) < 4 {
        assert!(began.elapsed() < Duration::from_secs(20), "it does not run");
        std::thread::sleep(Duration::from_millis(20));
    }
    (mcp, id)
}

#[test]
fn a_run_that_is_cancelled_is_gone() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let (mut mcp, id) = running(&workshop);
        let params = json!({ "requestId": 900, "reason": "no more" });
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        mcp.send(cancel.to_string().as_bytes());
        assert_gone(&id, Duration::from_secs(2));
        assert_eq!(mcp.dir(&json!({ "command": "list" }))["reply_type"], "S", "{who:?}");
    }
}

#[test]
fn a_server_that_is_killed_takes_its_tools_with_it() {
    // Who is told to stop has a few seconds to answer what was asked.
    for (who, signal, seconds) in
        [(Who::Tester, "-KILL", 3), (Who::Ordinary, "-KILL", 3), (Who::Ordinary, "-TERM", 10)]
    {
        let workshop = Workshop::new(who);
        let (mcp, id) = running(&workshop);
        let process = mcp.process().to_string();
        let killed = Command::new("kill").args([signal, &process]).status();
        assert!(killed.expect("kill").success());
        assert_gone(&id, Duration::from_secs(seconds));
    }
}

#[test]
fn a_client_that_hangs_up_takes_its_tools_with_it() {
    let workshop = Workshop::new(Who::Ordinary);
    let (mcp, id) = running(&workshop);
    let began = Instant::now();
    let (_, rest) = mcp.finish();
    assert!(began.elapsed() < Duration::from_secs(10), "it took {:?}", began.elapsed());
    assert!(!rest.contains("EX-RUN-S"), "{rest}");
    assert_gone(&id, Duration::from_secs(2));
}

#[test]
fn a_client_hears_what_a_tool_says_meanwhile_through_the_gate() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = unique("speaks");
        let script = "import json, sys, time\ngiven = json.load(sys.stdin)\n\
                      for word in given['words']:\n    print('now ' + word, flush=True)\n    time.sleep(0.5)\n";
        workshop.tool(&id, "python_runtime", script);
        let project = workshop.stage.path("project").canonicalize().expect("a path");
        let token = crate::support::samples::token('q');
        let words = json!([format!("{}/src", project.display()), token, "done"]);
        let mut mcp = server(&workshop);
        let meta = json!({ "progressToken": "mine" });
        send(&mut mcp, 901, &id, &meta, &json!({ "words": words }));
        let mut notifications = Vec::new();
        let answer = loop {
            // Each line is checked for host paths.
            let message = mcp.receive();
            if message["id"] == 901 {
                break message;
            }
            // The tool is new to the server.
            if message["method"].as_str().is_some_and(|method| method.ends_with("/list_changed")) {
                continue;
            }
            assert_eq!(message["method"], "notifications/progress", "{message}");
            assert_eq!(message["params"]["progressToken"], "mine", "{message}");
            notifications.push(message["params"].clone());
        };
        let reply = &answer["result"]["structuredContent"];
        assert_eq!(reply["data"]["success"], true, "{who:?} {reply:#}");
        let messages =
            notifications.iter().filter_map(|note| note["message"].as_str()).collect::<Vec<_>>();
        for expected in ["now ROOT_PROJECT:/src", "now [masked]", "now done"] {
            assert!(
                messages.iter().any(|message| message.contains(expected)),
                "{who:?} {expected} {messages:?}"
            );
        }
        assert!(!messages.iter().any(|message| message.contains(&token)), "{messages:?}");
        let times =
            notifications.iter().filter_map(|note| note["progress"].as_f64()).collect::<Vec<_>>();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
    }
}
