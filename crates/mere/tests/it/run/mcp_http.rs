//! Tools of another MCP server over streamable HTTP, at hosts that were granted and no others.

use std::io::Write;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::tools;
use crate::support::web_server::{WebServer, response};
use crate::support::workshop::{Who, Workshop};

/// The protocol's own example server, which ends with this value.
struct ExampleServer {
    process: Child,
    port: u16,
}

impl ExampleServer {
    fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = port.expect("a port").port();
        let modules = tools::folder().join("node_modules");
        let program = modules.join("@modelcontextprotocol/server-everything/dist/index.js");
        let mut command = Command::new(modules.join("node/bin/node"));
        command.arg(program).arg("streamableHttp").env("PORT", port.to_string());
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let mut server = Self { process: process.expect("a server"), port };
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(matches!(server.process.try_wait(), Ok(None)), "the server has ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for ExampleServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Imports a server at a URL, once its host was granted.
fn import(workshop: &Workshop, host: &str, more: &[&str]) {
    let url = format!("http://{host}/mcp");
    let arguments = [&["import-mcp", "web/every", "--yes", "--url", &url], more].concat();
    let output = workshop.command().args(&arguments).output().expect("mere runs");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let secrets = more.iter().filter(|one| !one.starts_with('-') && !one.contains(':'));
    let secrets = secrets.flat_map(|name| ["--secret", name]).collect::<Vec<_>>();
    workshop.person(&[&["grant", "web/every", "--net-private", host][..], &secrets].concat());
    workshop.person(&["import-mcp", "web/every", "--yes"]);
}

#[test]
fn a_server_on_the_web_is_reached_where_it_was_granted() {
    let server = ExampleServer::start();
    let workshop = Workshop::new(Who::Tester);
    import(&workshop, &server.host(), &[]);
    // What was granted to the server was granted to its tools.
    let reply = workshop.call("web/every/echo", &json!({ "message": "hi" }));
    assert_eq!(reply["data"]["body"], "Echo: hi", "{reply:#}");
    let slow = json!({ "duration": 1, "steps": 2 });
    let reply = workshop.call("web/every/trigger-long-running-operation", &slow);
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    workshop.person(&["revoke", "web/every/echo"]);
    let reply = workshop.call("web/every/echo", &json!({ "message": "hi" }));
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    // Importing again gives nothing back.
    workshop.person(&["import-mcp", "web/every", "--yes"]);
    let reply = workshop.call("web/every/echo", &json!({ "message": "hi" }));
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    // Granted as a public host, which it is not.
    workshop.person(&["grant", "web/every/echo", "--net", &server.host()]);
    let reply = workshop.call("web/every/echo", &json!({ "message": "hi" }));
    assert_eq!(reply["code"], "EN-RUN-D-005", "{reply:#}");
    drop(server);
    let reply = workshop.call("web/every/get-sum", &json!({ "a": 1, "b": 2 }));
    assert_eq!(reply["data"]["success"], false, "{reply:#}");
    assert_eq!(reply["data"]["ended"], "unreachable", "{reply:#}");
}

/// What a small server answers to each method.
fn answer(request: &Value, description: &str, result: &Value) -> Option<Value> {
    let tool = json!({ "name": "t", "description": description, "inputSchema": {} });
    let result = match request["method"].as_str()? {
        "initialize" => json!({ "protocolVersion": "2025-06-18", "capabilities": {},
                                "serverInfo": {"name": "s", "version": "1"} }),
        "tools/list" => json!({ "tools": [tool] }),
        "tools/call" => result.clone(),
        _ => return None,
    };
    Some(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }))
}

#[test]
fn a_secret_is_sent_in_a_header_and_shown_nowhere() {
    const SECRET: &str = "hunter2-is-a-long-secret";
    let server = WebServer::start(|seen, stream| {
        let request = serde_json::from_str(&seen.body).unwrap_or_default();
        let told =
            json!({ "content": [{ "type": "text", "text": format!("{} {SECRET}", seen.head) }] });
        let text = match answer(&request, "d", &told) {
            Some(message) => {
                // Letters may be escaped in JSON, which hides them from a search.
                let message = message.to_string().replace("hunter2", "\\u0068unter2");
                response(
                    "200 OK",
                    "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n",
                    &message,
                )
            }
            None => response("202 Accepted", "", ""),
        };
        drop(stream.write_all(text.as_bytes()));
    });
    let workshop = Workshop::new(Who::Tester);
    let mut set = workshop.command();
    set.args(["secret", "set", "KEY"]).stdin(Stdio::piped());
    let mut set = set.spawn().expect("mere runs");
    set.stdin.take().expect("an input").write_all(SECRET.as_bytes()).expect("a value");
    assert!(set.wait().expect("an end").success());
    import(
        &workshop,
        &server.host(),
        &["--secret", "KEY", "--header", "Authorization: Bearer ${KEY}"],
    );
    let reply = workshop.call("web/every/t", &json!({ "KEY": "other" }));
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    assert!(!reply.to_string().contains("hunter2"), "{reply:#}");
    assert!(reply.to_string().contains("[secret KEY]"), "{reply:#}");
    let seen = server.seen();
    assert!(seen.iter().all(|one| one.head.contains(&format!("Bearer {SECRET}"))), "{seen:?}");
    assert!(seen.last().is_some_and(|one| one.head.starts_with("DELETE ")), "{seen:?}");
    let mut later = seen.iter().filter(|one| !one.body.contains("initialize\""));
    assert!(later.all(|one| one.head.contains("mcp-session-id: s1")), "{seen:?}");
    let (reply, _) = workshop.run("web/every/t", &["--dry-run"]);
    assert!(!reply.to_string().contains("hunter2"), "{reply:#}");
}

#[test]
fn a_server_that_leads_elsewhere_is_not_followed() {
    let target = WebServer::fixed("200 OK", "", "secret");
    let to = target.host();
    for status in ["301 Moved", "307 Temporary", "308 Permanent"] {
        let location = format!("Location: http://{to}/\r\n");
        let server = WebServer::fixed(status, &location, "");
        let workshop = Workshop::new(Who::Tester);
        let url = format!("http://{}/", server.host());
        let add = ["import-mcp", "web/every", "--url", &url];
        workshop.command().args(add).output().expect("mere runs");
        let both = ["--net-private", &server.host()];
        workshop.person(&[&["grant", "web/every"][..], &both].concat());
        let (reply, code) = workshop.run("web/every", &[]);
        assert_eq!((&reply["data"]["ended"], code), (&json!("status"), 5), "{reply:#}");
    }
    assert!(target.seen().is_empty());
}

#[test]
fn endless_events_end() {
    let server = WebServer::start(|_, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let _ = stream.write_all(head.as_bytes());
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": {} });
        let event = format!("data: {note}\n\n");
        while stream.write_all(event.as_bytes()).is_ok() {}
    });
    let workshop = Workshop::new(Who::Tester);
    let url = format!("http://{}/", server.host());
    let add = ["import-mcp", "web/every", "--url", &url];
    workshop.command().args(add).output().expect("mere runs");
    workshop.person(&["grant", "web/every", "--net-private", &server.host()]);
    let (reply, _) = workshop.run("web/every", &[]);
    assert_eq!(reply["data"]["ended"], "protocol", "{reply:#}");
    assert!(reply["message"].as_str().is_some_and(|text| text.contains("64 MiB")), "{reply:#}");
}
