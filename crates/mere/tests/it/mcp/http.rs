//! MCP over HTTP: who comes in, what they see, how it stops.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Http, MODERN, Stage, modern_meta, timeless};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/src/main.rs", "");
    stage
}

fn token(stage: &Stage, agent: &str) -> String {
    let output = stage.person(&["mcp", "token", "create", "--agent", agent]);
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

/// Shakes hands as a 2025-11-25 client and returns the session's id.
fn greet(http: &Http<'_>, headers: &[(&str, &str)]) -> String {
    let message = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" }
        }
    });
    let answer = http.post(headers, &message.to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("mcp-session-id").expect("a session").to_owned()
}

#[test]
fn both_eras_answer_as_the_keyboard_does_and_remember_nothing() {
    let stage = stage();
    let http = Http::start(&stage, &[]);
    let list = json!({ "command": "list" });
    let keyboard = stage.call(&list).timeless();
    let modern = http.call(&list, None).reply();
    assert_eq!(modern["trace"]["session_id"], json!(null));
    assert_eq!(timeless(&modern), keyboard);

    let session = greet(&http, &[]);
    let headers = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    let call = |arguments: &Value| {
        let params = json!({ "name": "dir", "arguments": arguments });
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        http.post(&headers, &message.to_string()).reply()
    };
    assert_eq!(timeless(&call(&list)), keyboard);
    assert_eq!(call(&json!({}))["trace"]["session_id"], json!(null));
    let there = call(&json!({ "command": "cd", "path": "ROOT_USER" }));
    assert_eq!(there["data"]["home"], "ROOT_USER:/");
    assert_eq!(call(&json!({}))["data"]["home"], "ROOT_PROJECT:/", "nothing is kept");
    assert_eq!(call(&json!({ "home": "ROOT_USER" }))["data"]["home"], "ROOT_USER:/");
}

#[test]
fn a_token_names_the_agent_and_nothing_else_does() {
    let stage = stage();
    stage.file("project/.ai/workspaces/default/anyone.txt", "");
    stage.file("project/.ai/workspaces/reviewer/mine.txt", "");
    stage.file("project/.ai/workspaces/t/client.txt", "");
    let token = token(&stage, "reviewer");
    let http = Http::start(&stage, &[]);
    let list = json!({ "command": "list", "path": "ROOT_WORKSPACE:/" });
    let seen = |token: Option<&str>| http.call(&list, token).reply()["data"]["entries"].clone();
    assert_eq!(seen(Some(&token))[0]["name"], "mine.txt");
    assert_eq!(seen(None)[0]["name"], "anyone.txt", "not the name the client claims");
    for wrong in ["mere_wrong", "", "../reviewer"] {
        assert_eq!(http.call(&list, Some(wrong)).status, 401, "{wrong}");
    }
    let listed = stage.person(&["mcp", "token", "list"]);
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let (id, agent) = listed.trim().split_once("  ").expect("id and agent");
    assert_eq!(agent, "reviewer");
    assert!(stage.person(&["mcp", "token", "revoke", id]).status.success());
    assert_eq!(http.call(&list, Some(&token)).status, 401, "revoked at once");
}

#[test]
fn tokens_are_kept_hashed_and_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let stage = stage();
    let token = token(&stage, "reviewer");
    let kept = stage.path("home/.config/merestone/mcp-tokens.json");
    let text = std::fs::read_to_string(&kept).expect("kept");
    assert!(!text.contains(&token) && !text.contains(token.trim_start_matches("mere_")));
    let mode = std::fs::metadata(&kept).expect("kept").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[test]
fn beyond_loopback_everyone_needs_a_token() {
    let stage = stage();
    let token = token(&stage, "reviewer");
    let http = Http::start_at(&stage, "0.0.0.0:0", &["--allow-host", "example.test"]);
    let port = http.address().rsplit(':').next().expect("a port").to_owned();
    let params = json!({ "_meta": modern_meta(), "name": "dir", "arguments": {} });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let bearer = format!("Bearer {token}");
    let status = |host: &str, bearer: Option<&str>| {
        let host = format!("{host}:{port}");
        let mut headers = MODERN.to_vec();
        headers.push(("Host", &host));
        headers.extend(bearer.map(|bearer| ("Authorization", bearer)));
        http.post(&headers, &message.to_string()).status
    };
    assert_eq!(status("example.test", None), 401);
    assert_eq!(status("example.test", Some(&bearer)), 200);
    assert_eq!(status("evil.test", Some(&bearer)), 403, "a name nobody allowed");
}

#[test]
fn a_session_belongs_to_the_agent_that_opened_it() {
    let stage = stage();
    let (mine, theirs) = (token(&stage, "mine"), token(&stage, "theirs"));
    let http = Http::start(&stage, &[]);
    let (mine, theirs) = (format!("Bearer {mine}"), format!("Bearer {theirs}"));
    let session = greet(&http, &[("Authorization", &mine)]);
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let session = ("Mcp-Session-Id", session.as_str());
    let version = ("MCP-Protocol-Version", "2025-11-25");
    let status = |headers: &[(&str, &str)]| http.post(headers, &ping).status;
    assert_eq!(status(&[session, version, ("Authorization", &mine)]), 200);
    assert_eq!(status(&[session, version, ("Authorization", &theirs)]), 404);
    assert_eq!(status(&[session, version]), 404);
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let stage = stage();
    let http = Http::start(&stage, &[]);
    let own = http.address().to_owned();
    let origin = format!("http://{own}");
    let params = json!({ "_meta": modern_meta(), "name": "dir", "arguments": {} });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let status = |extra: &[(&str, &str)]| {
        let headers = [&MODERN[..], extra].concat();
        http.post(&headers, &message.to_string()).status
    };
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("Origin", &origin)]), 200);
    for host in ["evil.test", "127.0.0.1.evil.test", "localhost.evil.test", "[::2]:1", "1.2.3.4"] {
        assert_eq!(status(&[("Host", host)]), 403, "{host}");
    }
    for origin in
        ["http://evil.test", "null", "https://127.0.0.1.evil.test", "file://", "http://[::2]"]
    {
        assert_eq!(status(&[("Origin", origin)]), 403, "{origin}");
    }
}

#[test]
fn a_trace_context_is_honoured_and_logged() {
    let stage = stage();
    let http = Http::start(&stage, &[]);
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let mut meta = modern_meta();
    meta["traceparent"] = json!(format!("00-{trace}-b7ad6b7169203331-01"));
    let params = json!({ "_meta": meta, "name": "dir", "arguments": { "command": "list" } });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let reply = http.post(&MODERN, &message.to_string()).reply();
    assert_eq!(reply["trace"]["trace_id"], trace);
    assert_eq!(http.stop(), 0);
    let log = std::fs::read_to_string(stage.path("mcp.log")).expect("a log");
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON lines"));
    let logged = lines.into_iter().find(|line| line["span"]["trace_id"] == trace);
    let logged = logged.unwrap_or_else(|| panic!("the call is in the log: {log}"));
    assert_eq!((&logged["code"], &logged["span"]["tool"]), (&json!("WA-DIR-S-003"), &json!("dir")));
}

#[test]
fn a_change_of_config_is_told_to_who_listens() {
    let stage = stage();
    let http = Http::start(&stage, &[]);
    let params = json!({ "_meta": modern_meta(), "notifications": { "toolsListChanged": true } });
    let request = http.request("subscriptions/listen", None, &params);
    let mut stream = TcpStream::connect(http.address()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = |method: &str| {
        lines.find(|line| line.contains(method)).unwrap_or_else(|| panic!("no {method}"))
    };
    next("notifications/subscriptions/acknowledged");
    stage.file("home/.ai/config.yaml", "mods: []\n");
    let notification = next("notifications/tools/list_changed");
    assert!(notification.contains("subscriptionId"), "{notification}");
}

#[test]
fn closing_the_stream_cancels_the_call() {
    let stage = stage();
    let http = Http::start(&stage, &["--conformance-fixtures"]);
    let params =
        json!({ "_meta": modern_meta(), "name": "door_slow", "arguments": { "seconds": 50 } });
    let request = http.request("tools/call", Some("door_slow"), &params);
    // More than run at once: if closing did not cancel, the next call would wait for them.
    for _ in 0..12 {
        let mut stream = TcpStream::connect(http.address()).expect("it listens");
        stream.write_all(request.as_bytes()).expect("sent");
        std::thread::sleep(Duration::from_millis(30));
    }
    let began = Instant::now();
    let params =
        json!({ "_meta": modern_meta(), "name": "door_slow", "arguments": { "seconds": 0 } });
    let message = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "door_slow"),
    ];
    let answer = http.post(&headers, &message.to_string());
    assert_eq!(answer.reply()["data"]["said"], "finished");
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_question_without_its_state_or_with_a_changed_one_is_refused() {
    let stage = stage();
    let http = Http::start(&stage, &["--conformance-fixtures"]);
    let mut meta = modern_meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": {} });
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "door_question"),
    ];
    let call = |extra: &Value| {
        let mut params = json!({ "_meta": meta, "name": "door_question", "arguments": {} });
        for (key, value) in extra.as_object().expect("an object") {
            params[key] = value.clone();
        }
        let message =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        http.post(&headers, &message.to_string()).message()
    };
    let question = call(&json!({}))["result"].clone();
    assert_eq!(question["resultType"], "input_required", "{question}");
    let form = &question["inputRequests"]["answer"]["params"];
    assert_eq!(form["message"], "Shall it be done?");
    let state = question["requestState"].as_str().expect("a state").to_owned();
    let yes = json!({ "answer": { "action": "accept", "content": { "confirm": true } } });
    let no = json!({ "answer": { "action": "decline" } });
    let answer_word =
        |answer: &Value| answer["result"]["structuredContent"]["data"]["said"].clone();
    assert_eq!(answer_word(&call(&json!({ "requestState": state, "inputResponses": yes }))), "yes");
    for answer in [&yes, &no] {
        let replayed = call(&json!({ "requestState": state, "inputResponses": answer }));
        assert_eq!(replayed["error"]["code"], -32602, "an answer counts once: {replayed}");
    }
    let question = call(&json!({}))["result"].clone();
    let state = question["requestState"].as_str().expect("a state").to_owned();
    assert_eq!(answer_word(&call(&json!({ "requestState": state, "inputResponses": no }))), "no");
    let again = call(&json!({ "inputResponses": yes }));
    assert_eq!(again["result"]["resultType"], "input_required", "an answer to nothing");
    let mut changed = state.clone();
    changed.insert(changed.len() / 2, 'A');
    for wrong in [changed, "x".to_owned(), String::new()] {
        let refused = call(&json!({ "requestState": wrong, "inputResponses": yes }));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let other = json!({
        "requestState": state, "inputResponses": yes, "arguments": { "seconds": 1 }
    });
    assert_eq!(call(&other)["error"]["code"], -32602, "another call's state");
}

#[test]
fn it_stops_when_told_and_finishes_what_it_began() {
    let stage = stage();
    let http = Http::start(&stage, &["--conformance-fixtures"]);
    let address = http.address().to_owned();
    let params =
        json!({ "_meta": modern_meta(), "name": "door_slow", "arguments": { "seconds": 1 } });
    let request = http.request("tools/call", Some("door_slow"), &params);
    let mut stream = TcpStream::connect(&address).expect("it listens");
    stream.write_all(request.as_bytes()).expect("sent");
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    assert_eq!(http.stop(), 0);
    assert!(began.elapsed() < Duration::from_secs(10));
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    stage.check(&answer);
    assert!(answer.contains("\"said\":\"finished\""), "the call was answered: {answer}");
    assert!(TcpStream::connect(&address).is_err(), "nobody listens any more");
}

#[test]
fn one_agent_cannot_take_every_place() {
    let stage = stage();
    let (busy, other) = (token(&stage, "busy"), token(&stage, "other"));
    let http = Http::start(&stage, &["--conformance-fixtures"]);
    let request = |token: &str, seconds: u32| {
        let arguments = json!({ "seconds": seconds });
        let params = json!({ "_meta": modern_meta(), "name": "door_slow", "arguments": arguments });
        let request = http.request("tools/call", Some("door_slow"), &params);
        request.replacen(
            "\r\n",
            &format!("\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n"),
            1,
        )
    };
    let slow = (0..20).map(|_| {
        let mut stream = TcpStream::connect(http.address()).expect("it listens");
        stream.write_all(request(&busy, 40).as_bytes()).expect("sent");
        stream
    });
    let slow = slow.collect::<Vec<_>>();
    std::thread::sleep(Duration::from_millis(500));
    let began = Instant::now();
    assert!(http.raw(request(&other, 0).as_bytes()).contains("finished"));
    assert!(began.elapsed() < Duration::from_secs(20), "it did not wait for the busy one");
    drop(slow);
}

/// 64 clients at once, each call right. A minute in the long run, three seconds in the short one.
#[test]
fn many_clients_at_once_see_no_error() {
    let seconds = if std::env::var_os("MERE_LONG").is_some() { 60 } else { 3 };
    let stage = stage();
    let http = Http::start(&stage, &[]);
    let params =
        json!({ "_meta": modern_meta(), "name": "dir", "arguments": { "command": "list" } });
    let request = http.request("tools/call", Some("dir"), &params);
    let end = Instant::now() + Duration::from_secs(seconds);
    let calls = AtomicU64::new(0);
    std::thread::scope(|threads| {
        for _ in 0..64 {
            threads.spawn(|| {
                let stream = TcpStream::connect(http.address()).expect("it listens");
                stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
                let mut writer = stream.try_clone().expect("a second handle");
                let mut lines = BufReader::new(stream).lines();
                while Instant::now() < end {
                    writer.write_all(request.as_bytes()).expect("sent");
                    let status = lines.next().expect("an answer").expect("UTF-8");
                    assert!(status.contains("200"), "{status}");
                    let data = lines.by_ref().map(|line| line.expect("UTF-8"));
                    let data = data.into_iter().find(|line| line.contains("\"reply_type\""));
                    assert!(data.expect("a reply").contains("\"reply_type\":\"S\""));
                    // The last chunk of the stream ends the answer.
                    lines.by_ref().find(|line| line.as_deref().is_ok_and(|line| line == "0"));
                    lines.next();
                    calls.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert!(calls.into_inner() > 64 * seconds, "it kept going");
    assert!(http.peak_memory() < 200 * 1024, "{} KiB", http.peak_memory());
}
