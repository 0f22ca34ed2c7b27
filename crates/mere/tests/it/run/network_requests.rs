//! `http_client` against real servers: what was granted is reached, and nothing else is, however it
//! is spelled or wherever a server leads.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::tls_server::TlsServer;
use crate::support::web_server::{WebServer, response};
use crate::support::workshop::{Who, Workshop};

/// A signed tool that sends a request, with these lines for its config and permissions.
fn api(workshop: &Workshop, id: &str, config: &str, hosts: &[&str]) {
    let manifest = format!(
        "tool_id: {id}\ntool_type: api\nexecutor_id: http_client\nversion: 1.0.0\n\
         description: Asks.\ninput_schema: {{type: object}}\n\
         permissions: {{net: {}}}\nconfig:\n{config}",
        json!(hosts)
    );
    workshop.manifest(id, &manifest, "");
}

/// A tool that sends a request, with its hosts granted as private ones.
fn granted(config: &str, hosts: &[&str]) -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    api(&workshop, "a", config, hosts);
    for host in hosts {
        workshop.person(&["grant", "a", "--net-private", host]);
    }
    workshop
}

fn data(workshop: &Workshop, parameters: &Value) -> Value {
    let reply = workshop.call("a", parameters);
    assert_eq!(reply["code"], "EX-RUN-S-001", "{reply:#}");
    reply["data"].clone()
}

#[test]
fn a_request_is_sent_as_the_manifest_says() {
    let server = WebServer::fixed("200 OK", "", "{\"answer\": 42}");
    let config = format!(
        "  method: POST\n  url: http://{}/items/${{id}}\n  query: {{q: '${{q}}', n: 2}}\n  \
         headers: {{X-Key: 'Bearer ${{KEY}}', Accept: application/json}}\n  \
         body: {{text: '${{q}}', list: '${{list}}'}}\n  \
         env_config: {{KEY: {{value: abc}}}}\n",
        server.host()
    );
    let workshop = granted(&config, &[&server.host()]);
    let found =
        data(&workshop, &json!({ "id": "a/b?c", "q": "x&y=\"1\"\r\nZ: 1", "list": [1, "${q}"] }));
    assert_eq!((&found["success"], &found["status"]), (&json!(true), &json!(200)), "{found:#}");
    assert_eq!(found["body"], "{\"answer\": 42}");
    assert_eq!((&found["stderr"], &found["truncated"]), (&json!(""), &json!(false)));
    assert_eq!(found["chain"].as_array().map(Vec::len), Some(2), "{found:#}");
    let seen = server.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].path(), "/items/a%2Fb%3Fc?q=x%26y%3D%221%22%0D%0AZ%3A%201&n=2");
    assert!(seen[0].head.contains("x-key: Bearer abc\r\n"), "{}", seen[0].head);
    assert!(seen[0].head.contains("content-type: application/json\r\n"), "{}", seen[0].head);
    assert!(!seen[0].head.to_ascii_lowercase().contains("accept-encoding"), "{}", seen[0].head);
    let sent: Value = serde_json::from_str(&seen[0].body).expect("JSON");
    assert_eq!(sent, json!({ "text": "x&y=\"1\"\r\nZ: 1", "list": [1, "${q}"] }));
    // A person sees the body, and a failure is the exit status 5.
    let output = workshop
        .command()
        .args(["run", "a", "--param", "id=1", "--param", "q=2", "--param", "list=[]"])
        .output();
    assert!(String::from_utf8_lossy(&output.expect("mere runs").stdout).contains("answer"));
}

#[test]
fn an_answer_that_is_no_success_is_told() {
    let server = WebServer::fixed("404 Not Found", "", "nothing here");
    let workshop = granted(&format!("  url: http://{}/\n", server.host()), &[&server.host()]);
    let found = data(&workshop, &json!({}));
    assert_eq!((&found["success"], &found["status"]), (&json!(false), &json!(404)));
    assert_eq!(found["body"], "nothing here");
    assert_eq!(workshop.run("a", &[]).1, 5);
}

#[test]
fn nothing_is_sent_to_a_host_that_was_not_granted() {
    let server = WebServer::fixed("200 OK", "", "secret");
    let workshop = Workshop::new(Who::Tester);
    let (host, port) = (server.host(), server.port);
    api(&workshop, "a", "  url: '${url}'\n", &[&host]);
    assert_eq!(workshop.call("a", &json!({ "url": "x" }))["code"], "EN-RUN-D-003");
    // Granted as a public host, which it is not.
    workshop.person(&["grant", "a", "--net", &host]);
    let reply = workshop.call("a", &json!({ "url": format!("http://{host}/") }));
    assert_eq!(reply["code"], "EN-RUN-D-005", "{reply:#}");
    assert_eq!(reply["data"]["refused_hosts"], json!([host]), "{reply:#}");
    let hint = reply["hint"].as_str().expect("a hint");
    assert!(hint.contains(&format!("mere grant t/a --net-private {host}")), "{hint}");
    workshop.person(&["grant", "a", "--net-private", &host]);
    assert_eq!(data(&workshop, &json!({ "url": format!("http://{host}/") }))["body"], "secret");
    for url in [
        format!("http://localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://127.0.0.1/".to_owned(),
        "https://127.0.0.1:1/".to_owned(),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        let reply = workshop.call("a", &json!({ "url": url }));
        assert_eq!(reply["code"], "EN-RUN-D-005", "{url} {reply:#}");
    }
    for url in [
        format!("http://127.1:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://0x7f000001:{port}/"),
        format!("http://0177.0.0.1:{port}/"),
        format!("http://127.0.0.1.:{port}/"),
        format!("http://%31%32%37.0.0.1:{port}/"),
        format!("http://\u{ff11}27.0.0.1:{port}/"),
        format!("http://127\u{3002}0\u{3002}0\u{3002}1:{port}/"),
        format!("http://[::1%25lo]:{port}/"),
        format!("http://[0:0:0:0:0:0:0:1]:{port}/"),
        format!("http://evil@{host}/"),
        format!("http://{host}\\@evil.example/"),
        format!("http://{host}#@evil.example/"),
        format!("ftp://{host}/"),
        "file:///etc/passwd".to_owned(),
    ] {
        let reply = workshop.call("a", &json!({ "url": url }));
        assert_eq!(reply["code"], "EX-RUN-I-002", "{url} {reply:#}");
        assert_eq!(reply["data"]["field"], "config.url", "{url} {reply:#}");
    }
    assert_eq!(server.seen().len(), 1, "only the one that was granted");
}

#[test]
fn a_redirect_is_checked_like_the_first_request() {
    let victim = WebServer::fixed("200 OK", "", "secret");
    let other = WebServer::fixed("200 OK", "", "other");
    let (victim_host, other_host) = (victim.host(), other.host());
    let server = WebServer::start(move |request, stream| {
        let to = match request.path() {
            "/victim" => format!("http://{victim_host}/"),
            "/name" => {
                format!("http://localhost:{}/", victim_host.rsplit(':').next().expect("a port"))
            }
            "/other" => format!("http://{other_host}/x"),
            "/file" => "file:///etc/passwd".to_owned(),
            "/literal" => "http://2130706433/".to_owned(),
            "/metadata" => "http://169.254.169.254/latest".to_owned(),
            "/loop" => "/loop".to_owned(),
            "/near" => "end?q=1".to_owned(),
            _ => return drop(stream.write_all(response("200 OK", "", "end").as_bytes())),
        };
        let text = response("302 Found", &format!("Location: {to}\r\n"), "moved");
        drop(stream.write_all(text.as_bytes()));
    });
    let config = format!(
        "  url: http://{}/${{path}}\n  headers: {{Authorization: Bearer abc, X-Key: abc}}\n",
        server.host()
    );
    let workshop = granted(&config, &[&server.host(), &other.host()]);
    let ask = |path: &str| data(&workshop, &json!({ "path": path }));
    assert_eq!(ask("near")["body"], "end");
    assert!(server.seen()[1].head.contains("authorization: Bearer abc"), "the same host");
    assert_eq!(server.seen()[1].path(), "/end?q=1");
    for (path, ended, refused) in [
        ("victim", "refused host", json!([victim.host()])),
        ("name", "refused host", json!([format!("localhost:{}", victim.port)])),
        ("metadata", "refused host", json!(["169.254.169.254:80"])),
        ("file", "refused redirect", Value::Null),
        ("literal", "refused redirect", Value::Null),
        ("loop", "too many redirects", Value::Null),
    ] {
        let found = ask(path);
        assert_eq!(found["success"], false, "{path} {found:#}");
        assert_eq!((&found["ended"], &found["refused_hosts"]), (&json!(ended), &refused), "{path}");
        assert_eq!(found["status"], 302, "{path} {found:#}");
    }
    assert_eq!(victim.seen().len(), 0);
    assert_eq!(ask("other")["body"], "other");
    let head = other.seen()[0].head.to_ascii_lowercase();
    assert!(!head.contains("abc") && !head.contains("x-key"), "{head}");
}

#[test]
fn a_body_is_not_taken_to_another_host() {
    let other = WebServer::fixed("200 OK", "", "other");
    let to = format!("Location: http://{}/\r\n", other.host());
    let server = WebServer::fixed("307 Temporary Redirect", &to, "");
    let config = format!("  method: POST\n  url: http://{}/\n  body: secret\n", server.host());
    let workshop = granted(&config, &[&server.host(), &other.host()]);
    assert_eq!(data(&workshop, &json!({}))["ended"], "refused redirect");
    assert_eq!(other.seen().len(), 0);
}

#[test]
fn time_and_size_are_limited() {
    let endless = WebServer::start(|_, stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"));
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let config = format!("  url: http://{}/\n  max_bytes: 1000\n", endless.host());
    let found = data(&granted(&config, &[&endless.host()]), &json!({}));
    assert_eq!((&found["success"], &found["truncated"]), (&json!(true), &json!(true)));
    assert_eq!(found["body"].as_str().map(str::len), Some(1000));
    // Each of these would take forever.
    let pause = Duration::from_millis(50);
    let silent = WebServer::start(|_, _| std::thread::sleep(Duration::from_mins(10)));
    let headers = WebServer::start(move |_, stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\n"));
        while stream.write_all(b"X: y\r\n").is_ok() {
            std::thread::sleep(pause);
        }
    });
    let body = WebServer::start(move |_, stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"));
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(pause);
        }
    });
    for server in [&silent, &headers, &body] {
        let config = format!("  url: http://{}/\n  timeout_s: 1\n", server.host());
        let found = data(&granted(&config, &[&server.host()]), &json!({}));
        assert_eq!((&found["success"], &found["ended"]), (&json!(false), &json!("timeout")));
    }
    // A header without an end, and one that is too large.
    let large = WebServer::start(|_, stream| {
        drop(stream.write_all(b"HTTP/1.1 200 OK\r\n"));
        while stream.write_all(format!("X: {}\r\n", "y".repeat(4000)).as_bytes()).is_ok() {}
    });
    let config = format!("  url: http://{}/\n", large.host());
    let found = data(&granted(&config, &[&large.host()]), &json!({}));
    assert_eq!(found["success"], false, "{found:#}");
    assert_eq!(found["status"], Value::Null, "{found:#}");
}

#[test]
fn what_is_compressed_stays_compressed() {
    // A gzip header: a bomb would be a few bytes more, and is never blown up.
    let server = WebServer::start(|_, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n";
        drop(stream.write_all(head.as_bytes()));
        let empty = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        drop(stream.write_all(&empty));
    });
    let workshop = granted(&format!("  url: http://{}/\n", server.host()), &[&server.host()]);
    let found = data(&workshop, &json!({}));
    assert_eq!(found["status"], 200, "{found:#}");
    assert!(found["body"].as_str().is_some_and(|body| body.starts_with('\u{1f}')), "{found:#}");
}

#[test]
fn what_may_be_repeated_is_tried_again() {
    let flaky = |failures: usize, status: &'static str| {
        let count = AtomicUsize::new(0);
        WebServer::start(move |_, stream| {
            let is_bad = count.fetch_add(1, Ordering::Relaxed) < failures;
            let text = if is_bad {
                response(status, "Retry-After: 0\r\n", "no")
            } else {
                response("200 OK", "", "yes")
            };
            drop(stream.write_all(text.as_bytes()));
        })
    };
    for (method, failures, status, attempts, expected) in [
        ("GET", 2, "503 Service Unavailable", 3, (200, 3)),
        ("GET", 2, "429 Too Many Requests", 2, (429, 2)),
        ("GET", 2, "404 Not Found", 3, (404, 1)),
        ("PUT", 1, "500 Internal Server Error", 2, (200, 2)),
        ("POST", 1, "503 Service Unavailable", 3, (503, 1)),
    ] {
        let server = flaky(failures, status);
        let config = format!(
            "  method: {method}\n  url: http://{}/\n  \
             retry: {{attempts: {attempts}, backoff_ms: 1}}\n",
            server.host()
        );
        let found = data(&granted(&config, &[&server.host()]), &json!({}));
        assert_eq!((found["status"].as_u64(), server.seen().len()), (Some(expected.0), expected.1));
    }
    // A server that asks for more time than there is.
    let server = WebServer::fixed("503 Service Unavailable", "Retry-After: 9999\r\n", "later");
    let config = format!(
        "  url: http://{}/\n  timeout_s: 20\n  retry: {{attempts: 5, backoff_ms: 1}}\n",
        server.host()
    );
    let found = data(&granted(&config, &[&server.host()]), &json!({}));
    assert_eq!((found["status"].as_u64(), server.seen().len()), (Some(503), 1));
    // Nobody listens.
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("one");
    let config = format!("  url: http://{free}/\n  retry: {{attempts: 3, backoff_ms: 1}}\n");
    let found = data(&granted(&config, &[&free.to_string()]), &json!({}));
    assert_eq!((&found["ended"], &found["status"]), (&json!("unreachable"), &Value::Null));
}

#[test]
fn a_proxy_of_the_environment_is_not_used() {
    let server = WebServer::fixed("200 OK", "", "direct");
    let proxy = WebServer::fixed("200 OK", "", "through a proxy");
    let workshop = granted(&format!("  url: http://{}/\n", server.host()), &[&server.host()]);
    let url = format!("http://{}", proxy.host());
    let mut command = workshop.command();
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"] {
        command.env(name, &url);
    }
    let output = command.args(["run", "a"]).output().expect("mere runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("direct"), "{output:?}");
    assert_eq!(proxy.seen().len(), 0);
}

#[test]
fn a_certificate_is_checked() {
    // It speaks TLS with nobody's certificate: it answers the first message with an alert.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let host = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream: TcpStream = stream;
            drop(stream.write_all(&[21, 3, 3, 0, 2, 2, 40]));
        }
    });
    let workshop = granted(&format!("  url: https://{host}/\n"), &[&host]);
    let found = data(&workshop, &json!({}));
    assert_eq!((&found["success"], &found["status"]), (&json!(false), &Value::Null), "{found:#}");
    // A plain server is not taken for an encrypted one.
    let plain = WebServer::fixed("200 OK", "", "plain");
    let workshop = granted(&format!("  url: https://{}/\n", plain.host()), &[&plain.host()]);
    assert_eq!(data(&workshop, &json!({}))["success"], false);
    assert_eq!(plain.seen().len(), 0);
}

#[test]
fn an_encrypted_answer_is_read_if_an_authority_of_the_system_vouches_for_the_host() {
    let server = TlsServer::start();
    let host = format!("localhost:{}", server.port);
    let workshop = granted(&format!("  url: https://{host}/\n"), &[&host]);
    // Nobody vouches for the certificate.
    let found = data(&workshop, &json!({}));
    assert_eq!((&found["success"], &found["status"]), (&json!(false), &Value::Null), "{found:#}");
    // The same with the authority that signed it among those of the system.
    let call = json!({ "item_type": "tool", "item_id": "a", "parameters": {} }).to_string();
    let mut command = workshop.command();
    command.env("SSL_CERT_FILE", server.authority()).args(["call", "execute", &call]);
    let found = workshop.stage.answer(&mut command).reply["data"].clone();
    assert_eq!((&found["success"], &found["status"]), (&json!(true), &json!(200)), "{found:#}");
    assert!(found["body"].as_str().expect("a page").contains("s_server"), "{found:#}");
}

#[test]
fn a_dry_run_sends_nothing_and_shows_no_value() {
    let server = WebServer::fixed("200 OK", "", "sent");
    let config = format!(
        "  url: http://{}/?k=hunter2hunter2\n  headers: {{X-Key: hunter2}}\n",
        server.host()
    );
    let workshop = granted(&config, &[&server.host()]);
    let call = json!({ "item_type": "tool", "item_id": "a", "dry_run": true });
    let mut command = workshop.command();
    command.args(["call", "execute", &call.to_string()]);
    let reply = workshop.stage.answer(&mut command).reply;
    assert_eq!(reply["code"], "EX-RUN-S-002", "{reply:#}");
    assert_eq!(reply["data"]["host"], json!(server.host()), "{reply:#}");
    assert!(!reply.to_string().contains("hunter2"), "{reply:#}");
    assert_eq!(server.seen().len(), 0);
}

#[test]
fn a_secret_is_sent_and_never_told() {
    let echo = WebServer::start(|request, stream| {
        let location = "Location: http://hunter2hunter2.example/\r\n";
        let text = if request.path().starts_with("/leave?") {
            response("302 Found", location, "")
        } else {
            response("200 OK", "", &request.head)
        };
        drop(stream.write_all(text.as_bytes()));
    });
    let workshop = Workshop::new(Who::Tester);
    let config = format!(
        "  url: http://{}/${{path}}\n  query: {{key: '${{KEY}}'}}\n  \
         headers: {{Authorization: 'Bearer ${{KEY}}'}}\n  \
         env_config: {{KEY: {{secret: API_KEY}}}}\n",
        echo.host()
    );
    api(&workshop, "a", &config, &[&echo.host()]);
    let mut command = workshop.command();
    command.args(["secret", "set", "API_KEY"]).stdin(std::process::Stdio::piped());
    let mut set = command.spawn().expect("mere runs");
    drop(set.stdin.take().expect("an input").write_all(b"hunter2hunter2"));
    assert!(set.wait().expect("it ends").success());
    let host = echo.host();
    workshop.person(&["grant", "a", "--net-private", &host, "--secret", "API_KEY"]);
    let found = data(&workshop, &json!({ "path": "echo" }));
    let body = found["body"].as_str().expect("a body");
    assert!(body.contains("authorization: Bearer [secret API_KEY]"), "{body}");
    assert!(echo.seen()[0].head.contains("authorization: Bearer hunter2hunter2"));
    assert!(echo.seen()[0].path().contains("key=hunter2hunter2"));
    let reply = workshop.call("a", &json!({ "path": "leave" }));
    assert_eq!(reply["data"]["ended"], "refused host", "{reply:#}");
    assert!(!format!("{found}{reply}").contains("hunter2"), "{reply:#}");
}
