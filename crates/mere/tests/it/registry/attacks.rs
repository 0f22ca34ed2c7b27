//! What attackers try: all of it is refused, with a reason that has a code.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use mere_core::digest::Sha256;
use serde_json::json;

use super::author::{Author, blob_path};
use super::on_both_backends;
use super::stage::{Backend, RegistryStage};

on_both_backends! {
    a_token_permits_its_scopes_and_nothing_else,
    an_expired_or_revoked_or_made_up_token_is_refused,
    only_what_a_registered_key_signed_is_published,
    an_item_is_published_only_if_it_is_what_was_signed,
    names_that_look_alike_are_refused,
    words_of_query_languages_are_only_words,
}

fn a_token_permits_its_scopes_and_nothing_else(backend: Backend) {
    let stage = RegistryStage::new(backend);
    stage.operate(&["namespace", "create", "bob", "--owner", "ada"]);
    let server = stage.serve(&[]);
    let note = stage.author.note("retry", "1.0.0");
    let yank = format!("{}/yank", note.path("ada"));
    let client = |scope: &str| server.client.with_token(&stage.token(&[scope]));
    note.submit(&server.client, "ada").assert_problem(401, "invalid-token");
    server.client.send("POST", &yank, b"").assert_problem(401, "invalid-token");
    for scope in ["read:ada/*", "yank:ada/*", "publish:bob/*", "publish:ada/other"] {
        note.submit(&client(scope), "ada").assert_problem(403, "not-permitted");
    }
    for scope in ["read:ada/*", "publish:bob/*"] {
        let reply = client(scope).send("PUT", &blob_path("ada", b"x"), b"x");
        reply.assert_problem(403, "not-permitted");
    }
    note.publish(&client("publish:ada/retry"), "ada");
    for scope in ["publish:ada/*", "read:ada/*", "yank:ada/other", "yank:bob/*"] {
        client(scope).send("POST", &yank, b"").assert_problem(403, "not-permitted");
    }
    assert_eq!(client("yank:ada/retry").send("POST", &yank, b"").status, 200);
}

fn an_expired_or_revoked_or_made_up_token_is_refused(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let token = stage.token(&["publish:ada/*"]);
    let list = stage.operate(&["token", "list"]);
    let id = list.lines().last().and_then(|line| line.split(' ').next()).expect("an id");
    assert_eq!(server.client.with_token(&token).get("/healthz").status, 200);
    stage.operate(&["token", "revoke", id]);
    let old = stage.operate(&[
        "token",
        "create",
        "--user",
        "ada",
        "--scope",
        "read:ada/*",
        "--expires",
        "2020-01-01T00:00:00Z",
    ]);
    let made_up = format!("mere_{}", "A".repeat(43));
    let long = "x".repeat(10_000);
    for token in [token.as_str(), &old, &made_up, "mere_", "", "' OR 1=1 --", &long] {
        let reply = server.client.with_token(token).get("/api/v1/items");
        reply.assert_problem(401, "invalid-token");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    }
    let basic = server.client.with_header("authorization", "Basic YTpi");
    basic.get("/api/v1/items").assert_problem(401, "invalid-token");
    let twice = basic.with_header("authorization", "Bearer x");
    twice.get("/api/v1/items").assert_problem(401, "invalid-token");
}

fn only_what_a_registered_key_signed_is_published(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let client = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let stranger = Author::new(9).note("retry", "1.0.0");
    stranger.upload(&client, "ada");
    stranger.submit(&client, "ada").assert_problem(422, "unknown-signer");
    // A stranger's signature under a registered key's name.
    let mut forged = stage.author.note("retry", "1.0.0");
    forged.envelope["signatures"][0]["sig"] = stranger.envelope["signatures"][0]["sig"].clone();
    forged.submit(&client, "ada").assert_problem(422, "unknown-signer");
    // A signature of another version.
    let mut moved = stage.author.note("retry", "1.0.0");
    "2.0.0".clone_into(&mut moved.version);
    moved.submit(&client, "ada").assert_problem(422, "invalid-statement");
    "other".clone_into(&mut moved.id);
    moved.submit(&client, "ada").assert_problem(422, "invalid-statement");
    let note = stage.author.note("retry", "1.0.0");
    note.publish(&client, "ada");
    stage.operate(&["key", "remove", "ada", &stage.author.fingerprint()]);
    let later = stage.author.note("retry", "1.1.0");
    later.upload(&client, "ada");
    later.submit(&client, "ada").assert_problem(422, "unknown-signer");
    assert_eq!(server.client.get(&note.path("ada")).status, 200, "what was published stays");
}

fn an_item_is_published_only_if_it_is_what_was_signed(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let client = server.client.with_token(&stage.token(&["publish:ada/*", "publish:hidden/*"]));
    let tool = stage.author.tool("greet", "1.0.0");
    tool.submit(&client, "ada").assert_problem(422, "missing-blob");
    let (_, manifest) = &tool.files[0];
    client.send("PUT", &blob_path("ada", manifest), manifest);
    tool.submit(&client, "ada").assert_problem(422, "missing-blob");
    // Bytes of another namespace do not count here.
    let (_, script) = &tool.files[1];
    client.send("PUT", &blob_path("hidden", script), script);
    tool.submit(&client, "ada").assert_problem(422, "missing-blob");
    client.send("PUT", &blob_path("ada", b"other"), script).assert_problem(422, "digest-mismatch");
    tool.publish(&client, "ada");
    let statement = |change: &dyn Fn(&mut serde_json::Value)| {
        let payload = tool.envelope["payload"].as_str().expect("a payload");
        let payload = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, payload);
        let mut value = serde_json::from_slice(&payload.expect("base64")).expect("JSON");
        change(&mut value);
        let text = mere_core::text::canonical::to_text(&value);
        let mut changed = tool.clone();
        value["version"].as_str().expect("a version").clone_into(&mut changed.version);
        changed.envelope = stage.author.envelope(text.as_bytes());
        changed.submit(&client, "ada")
    };
    let next = |value: &mut serde_json::Value| value["version"] = json!("1.0.1");
    statement(&next).assert_problem(422, "invalid-item");
    for (key, wrong, code) in [
        ("integrity", json!(Sha256::digest(b"x").to_string()), "invalid-item"),
        ("executor", json!("node_runtime"), "invalid-item"),
        ("category", json!("elsewhere"), "version-exists"),
        ("type", json!("memory"), "invalid-statement"),
        ("more", json!(1), "invalid-statement"),
        ("files", json!([]), "invalid-statement"),
    ] {
        let reply = statement(&|value| {
            if code == "invalid-item" {
                next(value);
            }
            value[key] = wrong.clone();
        });
        let status = if code == "version-exists" { 409 } else { 422 };
        reply.assert_problem(status, code);
    }
    for path in ["../greet.yaml", "/greet.yaml", "a//b", "greet.yaml/..", "evil.sh"] {
        let reply = statement(&|value| {
            next(value);
            value["files"][0]["path"] = json!(path);
            let files = value["files"].as_array_mut().expect("files");
            files.sort_by_key(|file| file["path"].as_str().map(str::to_owned));
        });
        assert!([400, 422].contains(&reply.status), "{path}: {}", reply.text());
    }
    stage.assert_audited();
}

fn names_that_look_alike_are_refused(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let client = server.client.with_token(&stage.token(&["publish:ada/*"]));
    stage.author.note("list-one", "1.0.0").publish(&client, "ada");
    for id in ["list_one", "iist-one", "1ist-0ne"] {
        let note = stage.author.note(id, "1.0.0");
        note.upload(&client, "ada");
        note.submit(&client, "ada").assert_problem(409, "confusable-name");
    }
    let same = server.client.get("/api/v1/items/knowledge/ada/list_one").json();
    assert_eq!(same["id"], "list-one", "both spellings are one name");
    for name in ["a_da", "ad-a", "admin", "adrnin", "api", "ADA", "ada/x", "-ada", "аda"] {
        let output = stage.run(&["namespace", "create", name, "--owner", "ada"]);
        assert!(matches!(output.status.code(), Some(1 | 2)), "{name}");
    }
}

fn words_of_query_languages_are_only_words(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let client = server.client.with_token(&stage.token(&["publish:ada/*", "publish:hidden/*"]));
    stage.author.note("open", "1.0.0").publish(&client, "ada");
    stage.author.note("secret", "1.0.0").publish(&client, "hidden");
    for text in [
        "'; DROP TABLE accounts; --",
        "' OR '1'='1",
        "\" OR name:*",
        "open* OR secret",
        "open NEAR secret",
        "NOT open",
        "title:secret",
        "secret & !x | y:*",
        "{name description}: secret",
        "^",
        "((((",
        "\\",
        "%",
        "_",
        "\u{0}",
        "ß🙂",
    ] {
        let encoded = text.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        for path in [
            format!("/api/v1/search?q={encoded}"),
            format!("/api/v1/search?q=open&category={encoded}"),
            format!("/api/v1/items?namespace={encoded}"),
            format!("/api/v1/items?cursor={encoded}"),
        ] {
            let reply = server.client.get(&path);
            assert!([200, 400].contains(&reply.status), "{path}: {}", reply.text());
            assert!(!reply.text().contains("hidden"), "{path}: {}", reply.text());
        }
    }
    assert_eq!(
        server.client.get("/api/v1/items").json()["items"].as_array().map(Vec::len),
        Some(1)
    );
    stage.assert_audited();
}

#[test]
fn paths_and_headers_that_are_not_plain_are_refused() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let server = stage.serve(&[]);
    for path in [
        "/api/v1/namespaces/..%2f..%2fetc",
        "/api/v1/namespaces/../namespaces/ada",
        "/api/v1/namespaces/ada/blobs/..",
        "/api/v1/namespaces/ada/blobs/ABCDEF",
        "/api/v1/items/tool/ada/x%00",
        "/api/v1/items/tool/ada/x/versions/1.0.0%0d%0aset-cookie:x",
        "/log/tile/0/../../checkpoint",
        "//api/v1/items",
        "/metrics/../healthz",
        "/.well-known/../healthz",
    ] {
        server.client.get(path).assert_problem(404, "not-found");
    }
    server.client.get("/api/v1/registry?x=1").assert_problem(400, "invalid-request");
    let raw = |text: &str| {
        let reply = server.client.exchange(text.as_bytes());
        reply.map(|reply| reply.status)
    };
    let host = &server.client.address;
    let injected =
        format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\nx: a\0b\r\nconnection: close\r\n\r\n");
    assert_eq!(raw(&injected), Some(400));
    let twice = format!(
        "POST /healthz HTTP/1.1\r\nhost: {host}\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx"
    );
    assert_eq!(raw(&twice), Some(400));
    let long = format!("GET /{} HTTP/1.1\r\nhost: {host}\r\n\r\n", "x".repeat(100_000));
    assert!(matches!(raw(&long), Some(400 | 414 | 431) | None));
}

#[test]
fn requests_for_another_host_or_from_another_site_are_refused() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let server = stage.serve(&["--host", "registry.test"]);
    for (host, status) in
        [("evil.test", 403), ("registry.test", 200), ("localhost:1", 200), ("127.0.0.1.evil", 403)]
    {
        let reply = server.client.with_header("host", host).get("/healthz");
        assert_eq!(reply.status, status, "{host}");
    }
    for origin in ["http://evil.test", "null"] {
        let reply = server.client.with_header("origin", origin).get("/healthz");
        reply.assert_problem(403, "not-permitted");
    }
    let own = server.client.with_header("origin", "http://localhost").get("/healthz");
    assert_eq!(own.status, 200);
    assert_eq!(own.header("access-control-allow-origin"), None, "CORS is off");
    let two = server.client.with_header("host", "localhost").with_header("host", "evil.test");
    two.get("/healthz").assert_problem(400, "invalid-request");
    let output = stage.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(2), "an address without a name");
}

#[test]
fn bodies_that_are_too_large_or_too_slow_are_refused() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let server = stage.serve(&[]);
    let token = stage.token(&["publish:ada/*"]);
    let address = server.client.address.clone();
    let announce = |path: &str, length: usize| {
        let head = format!(
            "PUT {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        server.client.exchange(head.as_bytes()).expect("an answer before the body")
    };
    let blob = blob_path("ada", b"x");
    announce(&blob, 16 * 1024 * 1024 + 1).assert_problem(413, "too-large");
    let version = "/api/v1/items/tool/ada/x/versions/1.0.0";
    announce(version, 64 * 1024 * 1024).assert_problem(413, "too-large");
    // A body without an announced length is cut off, too.
    let mut stream = TcpStream::connect(&address).expect("a connection");
    let head = format!(
        "PUT {version} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("a head");
    let chunk = [b"10000\r\n".as_slice(), &vec![b' '; 0x10000], b"\r\n"].concat();
    let sent = (0..1000).take_while(|_| stream.write_all(&chunk).is_ok()).count();
    assert!(sent < 1000, "the server stops reading");
    // Whoever sends nothing waits alone: others are answered meanwhile.
    let mut slow = TcpStream::connect(&address).expect("a connection");
    let head = format!(
        "PUT {blob} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-length: 100\r\n\r\n"
    );
    slow.write_all(head.as_bytes()).expect("a head");
    assert_eq!(server.client.get("/healthz").status, 200);
    slow.set_read_timeout(Some(Duration::from_mins(1))).expect("a timeout");
    let (start, mut answer) = (Instant::now(), [0; 12]);
    slow.read_exact(&mut answer).expect("an answer");
    assert_eq!(&answer, b"HTTP/1.1 408");
    assert!(start.elapsed() < Duration::from_secs(45));
    let plain = server.client.with_token(&token).with_header("content-type", "text/plain");
    plain.send("PUT", version, b"{}").assert_problem(415, "unsupported-media-type");
    let json = server.client.with_token(&token).with_header("content-type", "application/json");
    for body in
        ["", "{}", "[]", "{\"statement\":{}}", "{\"statement\":1,\"statement\":2}", "\u{feff}{}"]
    {
        json.send("PUT", version, body.as_bytes()).assert_problem(422, "invalid-statement");
    }
}

#[test]
fn a_client_that_is_too_fast_is_sent_away() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let server = stage.serve(&["--rate", "1"]);
    let replies = std::thread::scope(|scope| {
        let sent = (0..20).map(|_| scope.spawn(|| server.client.get("/healthz")));
        let sent = sent.collect::<Vec<_>>();
        sent.into_iter().map(|one| one.join().expect("an answer")).collect::<Vec<_>>()
    });
    let refused = replies.iter().filter(|reply| reply.status == 429).collect::<Vec<_>>();
    assert!(!refused.is_empty());
    for reply in refused {
        reply.assert_problem(429, "rate-limited");
        let wait = reply.header("retry-after").and_then(|wait| wait.parse::<u64>().ok());
        assert!(wait.is_some_and(|wait| wait > 0));
    }
}
