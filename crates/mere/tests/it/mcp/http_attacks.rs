//! A thousand malformed inputs over both transports: a typed error or a closed connection, never a
//! host path, and the next good request is answered.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::harness::{Http, MODERN, Mcp, Stage, modern_meta};

/// Message bodies that are wrong in every way we could think of: more than a thousand.
fn malformed() -> Vec<String> {
    let good = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "_meta": modern_meta(), "name": "dir", "arguments": { "command": "list" } }
    });
    let text = good.to_string();
    let mut all = vec![
        String::new(),
        " ".to_owned(),
        "null".to_owned(),
        "true".to_owned(),
        "0".to_owned(),
        "\"x\"".to_owned(),
        "[]".to_owned(),
        "[1]".to_owned(),
        "{}".to_owned(),
        "{}{}".to_owned(),
        "[".repeat(100_000),
        "{\"a\":".repeat(50_000),
        "\u{feff}{}".to_owned(),
        "NaN".to_owned(),
        "{'a':1}".to_owned(),
        "{\"a\":1,}".to_owned(),
        "\u{0}".to_owned(),
        "{\"a\":1e999}".to_owned(),
        format!("[{text},{text}]"),
        format!("{text}{text}"),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"tools/list\"}".to_owned(),
        text.replace("\"name\":\"dir\"", "\"name\":\"dir\",\"name\":\"x\""),
        "{\"x\":\"\\ud800\"}".to_owned(),
    ];
    // Cut off at every byte.
    all.extend((1..text.len()).map(|end| text[..end].to_owned()));
    all.extend(wrong_types(&good));
    all.extend(wrong_methods());
    // One byte changed, all along the message.
    for at in 0..text.len() {
        for byte in ["\u{7f}", "\"", "{"] {
            let mut bad = text.clone();
            bad.replace_range(at..=at, byte);
            all.push(bad);
        }
    }
    assert!(all.len() > 1000, "{} inputs", all.len());
    all
}

/// Every value of another type, every key missing.
fn wrong_types(good: &Value) -> Vec<String> {
    let mut all = Vec::new();
    let wrong = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1.5),
        json!("/etc/passwd"),
        json!([]),
        json!([[]]),
        json!({}),
        json!("x".repeat(10_000)),
    ];
    for pointer in [
        "/jsonrpc",
        "/id",
        "/method",
        "/params",
        "/params/_meta",
        "/params/name",
        "/params/arguments",
        "/params/arguments/command",
        "/params/_meta/io.modelcontextprotocol~1protocolVersion",
        "/params/_meta/io.modelcontextprotocol~1clientInfo",
        "/params/_meta/io.modelcontextprotocol~1clientCapabilities",
    ] {
        for wrong in &wrong {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).expect("a place") = wrong.clone();
            all.push(bad.to_string());
        }
        let (parent, key) = pointer.rsplit_once('/').expect("a parent");
        let mut bad = good.clone();
        let parent = bad.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
        parent.shift_remove(&key.replace("~1", "/"));
        all.push(bad.to_string());
    }
    all
}

/// Methods that are none, and known ones without what they need.
fn wrong_methods() -> Vec<String> {
    let mut all = Vec::new();
    for method in [
        "",
        "x",
        "/etc/passwd",
        "tools",
        "tools/",
        "tools/call/",
        "TOOLS/LIST",
        "rpc.discover",
        "initialize",
        "ping",
        "prompts/get",
        "resources/read",
        "logging/setLevel",
        "tasks/get",
        "completion/complete",
        "subscriptions/listen",
        "notifications/cancelled",
        "\u{202e}",
    ] {
        for params in
            [json!(null), json!([]), json!({}), json!({ "_meta": modern_meta() }), json!("x")]
        {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
            all.push(message.to_string());
        }
    }
    all
}

/// A typed JSON-RPC answer: an error, or a result for what happened to be right after all.
fn assert_typed(message: &Value) {
    let typed = message["error"]["code"].is_i64() || message.get("result").is_some();
    assert!(message["jsonrpc"] == "2.0" && typed, "{message}");
}

#[test]
fn a_thousand_malformed_bodies_over_http() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    for body in malformed() {
        let answer = http.post(&MODERN, &body);
        let shown = &body[..body.len().min(200)];
        assert!((200..500).contains(&answer.status), "{shown}: {answer:?}");
        if answer.status != 202 {
            assert_typed(&answer.message());
        }
    }
    assert_eq!(http.call(&json!({ "command": "list" }), None).reply()["reply_type"], "S");
    assert!(http.peak_memory() < 150 * 1024, "{} KiB", http.peak_memory());
}

#[test]
fn a_message_of_another_version_is_an_invalid_request() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    for version in [json!("1.0"), json!("2.1"), json!(2.0), json!(null)] {
        let body = json!({ "jsonrpc": version, "id": 7, "method": "tools/list", "params": {} });
        let answer = http.post(&MODERN, &body.to_string());
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        let message = answer.message();
        assert_eq!((&message["error"]["code"], &message["id"]), (&json!(-32600), &json!(7)));
    }
}

#[test]
fn a_thousand_malformed_lines_over_stdio() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut lines = malformed();
    for line in &mut lines {
        *line = line.replace('\n', " ");
    }
    // A good request after all of them: its answer comes among theirs, which are all typed.
    let good = json!({ "jsonrpc": "2.0", "id": "the end", "method": "tools/list", "params": {} });
    lines.push(good.to_string());
    let answers = mcp.exchange(&lines, "the end");
    answers.iter().for_each(assert_typed);
    assert!(answers.len() > 800, "{} answers", answers.len());
}

#[test]
fn sixty_four_megabytes_are_refused_and_not_kept() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let huge = "x".repeat(64 * 1024 * 1024);
    let answer = http.post(&MODERN, &huge);
    assert!(answer.status == 413 || answer.status == 0, "{}", answer.status);
    assert_eq!(http.call(&json!({}), None).reply()["reply_type"], "S");
    assert!(http.peak_memory() < 120 * 1024, "{} KiB", http.peak_memory());

    let mut mcp = Mcp::greeted(&stage, &[]);
    mcp.send(huge.as_bytes());
    assert_eq!(mcp.receive()["error"]["code"], -32600);
    assert_eq!(mcp.dir(&json!({}))["reply_type"], "S");
    assert!(mcp.memory() < 120 * 1024, "{} KiB", mcp.memory());
}

#[test]
fn missing_and_mismatched_headers_are_refused() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let params = json!({ "_meta": modern_meta(), "name": "dir", "arguments": {} });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let message = message.to_string();
    let with = |changed: &[(&'static str, &'static str)]| {
        let mut headers = MODERN.to_vec();
        for (name, value) in changed {
            headers.retain(|(other, _)| other != name);
            headers.push((name, value));
        }
        http.post(&headers, &message)
    };
    assert_eq!(with(&[]).status, 200);
    for changed in [
        ("MCP-Protocol-Version", "2025-11-25"),
        ("MCP-Protocol-Version", "/etc/passwd"),
        ("MCP-Protocol-Version", ""),
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", "do etc"),
        ("Mcp-Method", ""),
        ("Mcp-Name", "other"),
        ("Mcp-Name", ""),
        ("Content-Type", "text/plain"),
        ("Content-Type", ""),
        ("Accept", "text/html"),
        ("Accept", ""),
        ("Accept", "application/json"),
        ("Authorization", "Basic x"),
        ("Authorization", "Bearer"),
        ("Host", ""),
    ] {
        let answer = with(&[changed]);
        assert!((400..500).contains(&answer.status), "{changed:?}: {answer:?}");
        assert_typed(&answer.message());
        assert!(!answer.body.contains("etc"), "{changed:?}: {answer:?}");
    }
    for missing in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        let headers = MODERN.iter().copied().filter(|(name, _)| *name != missing);
        let answer = http.post(&headers.collect::<Vec<_>>(), &message);
        assert!((400..500).contains(&answer.status), "{missing}: {answer:?}");
    }
}

#[test]
fn broken_http_ends_the_connection_and_nothing_else() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let host = http.address().to_owned();
    for bytes in [
        "\r\n\r\n".to_owned(),
        "GET".to_owned() + "\r\n\r\n",
        "nonsense\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        format!("GET /mcp/../etc/passwd HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        format!("PUT /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        format!("GET /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        format!("DELETE /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n"),
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"
        ),
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n"
        ),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nX: {}\r\n\r\n", "y".repeat(200_000)),
        format!("POST /mcp HTTP/1.1\r\n{}\r\n\r\n", "A: b\r\n".repeat(1000)),
        "\u{16}\u{3}\u{1}\u{2}".to_owned() + &"\u{0}".repeat(500) + "\r\n\r\n",
    ] {
        let answer = http.raw(bytes.as_bytes());
        let refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(refused, "{}: {answer}", &bytes[..bytes.len().min(80)]);
    }
    assert_eq!(http.call(&json!({}), None).reply()["reply_type"], "S");
}

#[test]
fn slow_and_half_closed_clients_hold_up_nobody() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: 1000\r\n\r\n{{",
        http.address()
    );
    // Some never send their body, some never finish their head, some close one half.
    let mut slow = Vec::new();
    for number in 0..60 {
        let mut stream = TcpStream::connect(http.address()).expect("it listens");
        let part = if number % 3 == 0 { &head[..20] } else { &head };
        stream.write_all(part.as_bytes()).expect("sent");
        if number % 3 == 2 {
            stream.shutdown(Shutdown::Write).expect("half closed");
        }
        slow.push(stream);
    }
    for _ in 0..20 {
        assert_eq!(http.call(&json!({ "command": "list" }), None).reply()["reply_type"], "S");
    }
    // Who closed one half has broken off: the connection ends.
    let half = &mut slow[2];
    half.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let mut rest = Vec::new();
    half.read_to_end(&mut rest).expect("closed by the server");
}

#[test]
fn calls_that_nobody_waits_for_hold_no_memory() {
    let stage = Stage::new();
    let http = Http::start(&stage, &["--conformance-fixtures"]);
    let arguments = json!({ "seconds": 20, "x": "y".repeat(1_000_000) });
    let params = json!({ "_meta": modern_meta(), "name": "door_slow", "arguments": arguments });
    let request = http.request("tools/call", Some("door_slow"), &params);
    let mut open = Vec::new();
    for _ in 0..150 {
        let mut stream = TcpStream::connect(http.address()).expect("it listens");
        stream.write_all(request.as_bytes()).expect("sent");
        open.push(stream);
        if open.len() > 20 {
            open.remove(0);
        }
    }
    drop(open);
    let params = json!({ "_meta": modern_meta(), "name": "test_simple_text" });
    let good = http.request("tools/call", Some("test_simple_text"), &params);
    let good = good.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    assert!(http.raw(good.as_bytes()).contains("simple text response"));
    assert!(http.peak_memory() < 250 * 1024, "{} KiB", http.peak_memory());
}

#[test]
fn small_values_in_great_number_are_refused() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let body = format!("{{\"x\":[{}[]]}}", "[],".repeat(1_200_000));
    for _ in 0..4 {
        assert_eq!(http.post(&MODERN, &body).status, 400);
    }
    assert!(http.peak_memory() < 100 * 1024, "{} KiB", http.peak_memory());
}

#[test]
fn a_full_house_can_still_be_stopped() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let streams = (0..520).map_while(|_| {
        let address = http.address().parse().expect("an address");
        TcpStream::connect_timeout(&address, Duration::from_secs(2)).ok()
    });
    let streams = streams.collect::<Vec<_>>();
    assert!(streams.len() >= 512, "{} connections", streams.len());
    let began = std::time::Instant::now();
    assert_eq!(http.stop(), 0);
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_wildcard_address_needs_a_name() {
    let stage = Stage::new();
    let output = stage.person(&["mcp", "--http", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--allow-host NAME"));
}

#[test]
fn a_body_that_says_it_is_too_long_is_refused_at_once() {
    let stage = Stage::new();
    let server = Http::start(&stage, &[]);
    for length in ["1099511627776", "4194305", "9223372036854775807"] {
        let host = server.address();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n"
        );
        let began = std::time::Instant::now();
        let answer = server.raw(head.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 413"), "{length}: {answer}");
        assert!(began.elapsed() < std::time::Duration::from_secs(5), "{length}");
    }
    server.stop();
}
