//! The real MCP server over standard input and output.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage, timeless};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/src/main.rs", "");
    stage
}

#[test]
fn a_client_shakes_hands_lists_and_calls() {
    let stage = stage();
    let mut mcp = Mcp::start(&stage, &[]);
    let server = mcp.greet();
    assert_eq!(server["protocolVersion"], "2025-11-25");
    assert_eq!(server["serverInfo"]["name"], "merestone");
    let tools = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
    let dir = tools.as_array().expect("tools").iter().find(|tool| tool["name"] == "dir");
    let dir = dir.expect("dir is listed");
    assert_eq!(dir["annotations"]["readOnlyHint"], true);
    assert_eq!(dir["outputSchema"]["type"], "object");
    let result = mcp.tool("dir", &json!({ "command": "list" }));
    assert_eq!(result["isError"], false);
    assert_eq!(result["structuredContent"]["reply_type"], "S");
    let text = result["content"][0]["text"].as_str().expect("a text mirror");
    assert!(text.starts_with("WA-DIR-S-003 2 entries in ROOT_PROJECT:/."), "{text}");
    assert!(text.contains("\nentries:\n.git/\nsrc/\n"), "{text}");
    let (status, rest) = mcp.finish();
    assert_eq!((status, rest.as_str()), (0, ""));
}

#[test]
fn keyboard_and_mcp_answer_alike() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for arguments in [
        json!({}),
        json!({ "command": "list" }),
        json!({ "command": "tree", "depth": 1 }),
        json!({ "command": "list", "path": "src/main.rs" }),
        json!({ "command": "list", "path": "/etc/passwd" }),
        json!({ "command": "list", "path": "a\0b" }),
        json!({ "command": "list", "home": "ROOT_USER" }),
        json!({ "depth": "three" }),
        json!({ "unknown": 1 }),
    ] {
        let keyboard = stage.call(&arguments).timeless();
        assert_eq!(timeless(&mcp.dir(&arguments)), keyboard, "{arguments}");
    }
    for (tool, arguments) in [
        ("read", json!({ "path": "src/main.rs" })),
        ("read", json!({ "path": "nowhere" })),
        ("read", json!({ "offset": 0 })),
        ("glob", json!({ "pattern": "*.rs", "limit": 1 })),
        ("glob", json!({ "pattern": "/*" })),
        ("grep", json!({ "pattern": "m", "context": 1 })),
        ("grep", json!({ "pattern": "[" })),
        ("write", json!({ "path": "x", "content": "" })),
        ("edit", json!({ "path": "ROOT_WORKSPACE:/x", "old": "a", "new": "b" })),
        ("patch_section", json!({ "path": "ROOT_WORKSPACE:/x", "content": "" })),
        ("patch_section", json!({ "path": "x", "heading": "A", "content": "" })),
    ] {
        let keyboard = stage.call_text(tool, &arguments.to_string()).timeless();
        let over_mcp = mcp.tool(tool, &arguments)["structuredContent"].clone();
        assert_eq!(timeless(&over_mcp), keyboard, "{tool} {arguments}");
    }
    let unknown = mcp.tool("nope", &json!({}))["structuredContent"].clone();
    assert_eq!(timeless(&unknown), stage.call_text("nope", "{}").timeless());
}

#[test]
fn invalid_calls_are_errors_of_the_tool() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let result = mcp.tool("dir", &json!({ "command": "list", "path": "../x" }));
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().expect("a text mirror");
    assert!(text.starts_with("WA-PATH-I-001 No such path in the visible world.\n"), "{text}");
}

#[test]
fn a_session_remembers_its_home() {
    let stage = stage();
    stage.file("home/.ai/knowledge/n.md", "");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let session = mcp.dir(&json!({}))["trace"]["session_id"].clone();
    assert!(session.is_string());
    mcp.dir(&json!({ "command": "cd", "path": "ROOT_USER" }));
    let reply = mcp.dir(&json!({ "command": "list" }));
    assert_eq!(reply["data"]["entries"][0]["path"], "ROOT_USER:/knowledge/");
    assert_eq!(reply["trace"]["session_id"], session);
    let once = mcp.dir(&json!({ "home": "ROOT_PROJECT" }));
    assert_eq!(once["data"]["home"], "ROOT_PROJECT:/");
    assert_eq!(mcp.dir(&json!({}))["data"]["home"], "ROOT_USER:/");
}

#[test]
fn the_client_names_the_agent_unless_the_operator_did() {
    let stage = stage();
    stage.file("project/.ai/workspaces/Test-Client/a.txt", "");
    stage.file("project/.ai/workspaces/fixed/b.txt", "");
    let list = json!({ "command": "list", "path": "ROOT_WORKSPACE:/" });
    let reply = Mcp::greeted(&stage, &[]).dir(&list);
    assert_eq!(reply["data"]["entries"][0]["path"], "ROOT_WORKSPACE:/a.txt");
    let reply = Mcp::greeted(&stage, &["--agent", "fixed"]).dir(&list);
    assert_eq!(reply["data"]["entries"][0]["path"], "ROOT_WORKSPACE:/b.txt");
}

#[test]
fn nonsense_is_answered_and_the_next_good_request_works() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut check = |line: &[u8], code: i64, id: Value| {
        mcp.send(line);
        let answer = mcp.receive();
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
        assert_eq!(answer["error"]["code"], code, "{shown}");
        assert_eq!(answer["id"], id, "{shown}");
        assert!(!answer.to_string().contains("evil"), "{shown}");
    };
    check(b"evil", -32700, json!(null));
    check(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32700, json!(null));
    check(b"\xff\xfe", -32700, json!(null));
    check("[".repeat(50_000).as_bytes(), -32700, json!(null));
    check(b"[]", -32600, json!(null));
    check(b"5", -32600, json!(null));
    check(b"{}", -32600, json!(null));
    check(br#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, -32600, json!(7));
    check(br#"{"id":7,"method":"ping"}"#, -32600, json!(7));
    check(br#"{"jsonrpc":2.0,"id":"a","method":"ping"}"#, -32600, json!("a"));
    check(br#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#, -32600, json!(null));
    check(br#"{"jsonrpc":"2.0","id":8,"method":"evil/method"}"#, -32601, json!(8));
    check(br#"{"jsonrpc":"2.0","id":9,"method":"/etc/evil"}"#, -32601, json!(9));
    check(
        br#"{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":5}}"#,
        -32602,
        json!(10),
    );
    check(&vec![b'x'; 9 * 1024 * 1024], -32600, json!(null));
    assert_eq!(mcp.dir(&json!({ "command": "list" }))["reply_type"], "S");
}

#[test]
fn a_conversation_that_begins_badly_can_still_begin() {
    let stage = stage();
    let mut mcp = Mcp::start(&stage, &[]);
    mcp.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    mcp.send(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    mcp.send(br#"{"jsonrpc":"2.0","id":"early","method":"tools/list"}"#);
    assert_eq!(mcp.receive()["id"], "early");
    mcp.greet();
    assert_eq!(mcp.dir(&json!({}))["reply_type"], "S");
}

#[test]
fn a_stateless_client_needs_no_handshake() {
    let stage = stage();
    let mut mcp = Mcp::start(&stage, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let found = mcp.request("server/discover", &json!({ "_meta": meta }));
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let params = json!({ "_meta": meta, "name": "dir", "arguments": { "command": "list" } });
    let result = mcp.request("tools/call", &params)["result"].clone();
    assert_eq!(result["structuredContent"]["reply_type"], "S");
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn pipelined_calls_are_all_answered_before_the_end() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for id in 100..300 {
        let params = json!({ "name": "dir", "arguments": { "command": "list" } });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        mcp.send(call.to_string().as_bytes());
    }
    let (status, rest) = mcp.finish();
    let mut ids = rest
        .lines()
        .map(|line| {
            let answer: Value = serde_json::from_str(line).expect("nothing but JSON-RPC");
            assert_eq!(answer["result"]["isError"], false);
            answer["id"].as_u64().expect("an id")
        })
        .collect::<Vec<_>>();
    ids.sort_unstable();
    assert_eq!((status, ids), (0, (100..300).collect()));
}

#[test]
fn calls_around_a_cd_are_applied_in_the_order_they_were_sent() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let homes = ["ROOT_USER", "ROOT_WORKSPACE", "ROOT_REGISTRY", "ROOT_PROJECT"];
    for (round, home) in homes.iter().cycle().take(40).enumerate() {
        for (step, arguments) in
            [json!({ "command": "cd", "path": home }), json!({}), json!({ "command": "list" })]
                .iter()
                .enumerate()
        {
            let params = json!({ "name": "dir", "arguments": arguments });
            let id = round * 10 + step;
            let call =
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
            mcp.send(call.to_string().as_bytes());
        }
    }
    let (_, rest) = mcp.finish();
    for line in rest.lines() {
        let answer: Value = serde_json::from_str(line).expect("JSON");
        let id = usize::try_from(answer["id"].as_u64().expect("an id")).expect("small");
        let data = &answer["result"]["structuredContent"]["data"];
        let at = data.get("home").or(data.get("target")).expect("a place");
        assert_eq!(*at, format!("{}:/", homes[(id / 10) % 4]), "{id}");
    }
    assert_eq!(rest.lines().count(), 120);
}

fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

#[test]
fn a_handshake_after_stateless_requests_begins_anew() {
    let stage = stage();
    let mut mcp = Mcp::start(&stage, &[]);
    for _ in 0..2 {
        let params = json!({ "_meta": meta(), "name": "dir" });
        assert_eq!(mcp.request("tools/call", &params)["result"]["isError"], false);
        mcp.greet();
        assert_eq!(mcp.dir(&json!({}))["reply_type"], "S");
    }
}

#[test]
fn a_revoked_trust_reaches_a_running_server() {
    let stage = stage();
    stage.file("beside/guide.md", "");
    stage.file("project/.ai/config.yaml", "mods: [{id: d, name: docs, path: ../../beside}]\n");
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    let mut mcp = Mcp::greeted(&stage, &[]);
    let list = json!({ "command": "list", "path": "mod:docs:/" });
    assert_eq!(mcp.dir(&list)["reply_type"], "S");
    assert!(stage.person(&["trust", "project", "--revoke"]).status.success());
    assert_eq!(mcp.dir(&list)["code"], "WA-PATH-I-001");
}

#[test]
fn a_client_that_floods_and_never_reads_fills_no_memory() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let call = json!({
        "jsonrpc": "2.0", "id": 0, "method": "tools/call",
        "params": { "name": "dir", "arguments": { "path": "x".repeat(4000) } }
    });
    let line = call.to_string();
    let written = mcp.flood(|id| line.replacen("\"id\":0", &format!("\"id\":{id}"), 1));
    assert!(written < 64 * 1024 * 1024, "{written} bytes were taken");
    assert!(mcp.peak_memory() < 120 * 1024, "{} KiB", mcp.peak_memory());
}

#[test]
fn a_cancelled_listing_frees_its_place() {
    let stage = stage();
    let bomb = "a/../".repeat(300) + "a";
    stage.folder("project/links/a");
    for number in 0..3000 {
        stage.link(&bomb, &format!("project/links/l{number}"));
    }
    let mut mcp = Mcp::greeted(&stage, &[]);
    for id in 100..110 {
        let params = json!({ "name": "dir", "arguments": { "command": "list", "path": "links" } });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        mcp.send(call.to_string().as_bytes());
        let params = json!({ "requestId": id });
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        mcp.send(cancel.to_string().as_bytes());
    }
    assert_eq!(mcp.dir(&json!({ "command": "list" }))["reply_type"], "S");
}

/// A request as a line.
fn request(id: &Value, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

#[test]
fn subscriptions_and_questions_never_lock_a_client_out() {
    let stage = stage();
    let mut mcp = Mcp::start(&stage, &["--conformance-fixtures"]);
    let listen = json!({ "_meta": meta(), "notifications": { "toolsListChanged": true } });
    let mut lines = (0..200)
        .map(|number| request(&json!(format!("/listen/{number}")), "subscriptions/listen", &listen))
        .collect::<Vec<_>>();
    lines.push(request(&json!("the end"), "tools/list", &json!({ "_meta": meta() })));
    let answers = mcp.exchange(&lines, "the end");
    let refused = answers.iter().filter(|answer| answer["error"]["code"] == -32000).count();
    assert_eq!(refused, 200 - 16, "beyond what can be served they are refused");
    let acknowledged = answers
        .iter()
        .filter(|answer| answer["method"] == "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged.count(), 16, "an id that looks like a path is an id");
}

#[test]
fn an_id_in_use_is_refused() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &["--conformance-fixtures"]);
    let slow = json!({ "name": "door_slow", "arguments": { "seconds": 0.5 } });
    let lines = [
        request(&json!("the end"), "tools/call", &slow),
        request(&json!(5), "tools/call", &slow),
        request(&json!(5), "tools/call", &slow),
    ];
    let answers = mcp.exchange(&lines, "the end");
    let refused = answers.iter().find(|answer| answer["error"]["code"] == -32600);
    assert_eq!(refused.expect("the second is refused")["id"], 5);
}

#[test]
fn a_log_that_nobody_reads_stops_nothing() {
    let stage = stage();
    let mut command = stage.command("project");
    command.arg("mcp").stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("its input");
    let output = std::io::BufReader::new(child.stdout.take().expect("its output"));
    let mut lines = std::io::BufRead::lines(output);
    let params = json!({ "_meta": meta(), "name": "dir", "arguments": {} });
    for id in 0..2000 {
        let line = request(&json!(id), "tools/call", &params) + "\n";
        std::io::Write::write_all(&mut input, line.as_bytes()).expect("it reads");
        let answer = lines.next().expect("an answer").expect("UTF-8");
        assert!(answer.contains("WA-DIR-S-001"), "{answer}");
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn told_to_stop_it_answers_what_it_began() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &["--conformance-fixtures"]);
    let slow = json!({ "name": "door_slow", "arguments": { "seconds": 1 } });
    mcp.send(request(&json!(9), "tools/call", &slow).as_bytes());
    std::thread::sleep(std::time::Duration::from_millis(300));
    mcp.terminate();
    let answer = mcp.receive();
    assert_eq!(answer["result"]["structuredContent"]["data"]["said"], "finished", "{answer}");
    assert_eq!(mcp.finish().0, 0);
}

#[test]
fn a_change_of_config_is_told_after_a_handshake() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(mcp.dir(&json!({}))["reply_type"], "S");
    for config in ["mods: []\n", "mods: []\n# again\n"] {
        stage.file("home/.ai/config.yaml", config);
        let mut told = Vec::new();
        while told.len() < 3 {
            told.push(mcp.receive()["method"].as_str().expect("a notification").to_owned());
        }
        told.sort();
        let lists = ["prompts", "resources", "tools"];
        assert_eq!(told, lists.map(|list| format!("notifications/{list}/list_changed")));
    }
}
