//! Requests over HTTP that are ambiguous, forged, endless or for somebody else.

use serde_json::json;

use super::case::{AttackCase, Expectation, Request, case};
use super::runner::Runner;
use super::world::World;
use crate::support::harness::modern_meta;

const AREA: &str = "HTTP";
const BAD: Expectation = Expectation::Status(&[400]);

/// Headers that take the place of the usual ones; `-` leaves one out.
type Headers = Vec<(&'static str, &'static str)>;

/// A good request, in parts that can be replaced.
fn request(headers: &[(&str, &str)], body: &str) -> Vec<u8> {
    let length = body.len().to_string();
    let usual = [
        ("Host", "{host}"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "dir"),
        ("Connection", "close"),
        ("Content-Length", &length),
    ];
    let is_given = |name: &str| headers.iter().any(|(other, _)| *other == name);
    let kept = usual.iter().filter(|(name, _)| !is_given(name)).chain(headers);
    let lines =
        kept.filter(|(_, value)| *value != "-").map(|(name, value)| format!("{name}: {value}\r\n"));
    format!("POST /mcp HTTP/1.1\r\n{}\r\n{body}", lines.collect::<String>()).into_bytes()
}

fn body() -> String {
    let params =
        json!({ "_meta": modern_meta(), "name": "dir", "arguments": { "command": "pwd" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

/// A good body with headers that are not.
#[expect(clippy::too_many_lines, reason = "a table")]
fn headers() -> Vec<(&'static str, Headers, Expectation)> {
    const FORBIDDEN: Expectation = Expectation::Status(&[403]);
    const UNAUTHORIZED: Expectation = Expectation::Status(&[401]);
    vec![
        ("the host of another site", vec![("Host", "evil.example")], FORBIDDEN),
        ("a host that resolves here", vec![("Host", "127.0.0.1.evil.example")], FORBIDDEN),
        ("a host that begins like ours", vec![("Host", "localhost.evil.example")], FORBIDDEN),
        (
            "a host with a user before it",
            vec![("Host", "localhost@evil.example")],
            Expectation::Status(&[400, 403]),
        ),
        ("an empty host", vec![("Host", "")], Expectation::Status(&[400, 403])),
        ("no host", vec![("Host", "-")], Expectation::Status(&[400, 403])),
        (
            "two hosts",
            vec![("Host", "{host}"), ("Host", "evil.example")],
            Expectation::Status(&[400, 403]),
        ),
        ("the origin of a web page", vec![("Origin", "https://evil.example")], FORBIDDEN),
        ("an origin that is null", vec![("Origin", "null")], FORBIDDEN),
        (
            "an origin that begins like ours",
            vec![("Origin", "http://localhost.evil.example")],
            FORBIDDEN,
        ),
        ("an origin that is a file", vec![("Origin", "file://")], FORBIDDEN),
        (
            "two origins",
            vec![("Origin", "http://localhost"), ("Origin", "https://evil.example")],
            Expectation::Status(&[400, 403]),
        ),
        (
            "a token that was made up",
            vec![("Authorization", "Bearer AAAAAAAAAAAAAAAA")],
            UNAUTHORIZED,
        ),
        ("an empty token", vec![("Authorization", "Bearer ")], UNAUTHORIZED),
        ("a password for a token", vec![("Authorization", "Basic cm9vdDpyb290")], UNAUTHORIZED),
        (
            "a token that is a path",
            vec![("Authorization", "Bearer ../../mcp-tokens.json")],
            UNAUTHORIZED,
        ),
        (
            "a session that was made up",
            vec![
                ("MCP-Protocol-Version", "2025-11-25"),
                ("Mcp-Session-Id", "00000000-0000-4000-8000-000000000000"),
                ("Mcp-Method", "-"),
                ("Mcp-Name", "-"),
            ],
            Expectation::Status(&[404]),
        ),
        (
            "a session that is a path",
            vec![
                ("MCP-Protocol-Version", "2025-11-25"),
                ("Mcp-Session-Id", "../../etc/passwd"),
                ("Mcp-Method", "-"),
                ("Mcp-Name", "-"),
            ],
            Expectation::Status(&[404]),
        ),
        ("a protocol that does not exist", vec![("MCP-Protocol-Version", "1999-01-01")], BAD),
        ("a method in the header that is not the body's", vec![("Mcp-Method", "tools/list")], BAD),
        ("a tool in the header that is not the body's", vec![("Mcp-Name", "read")], BAD),
        (
            "a form for a body",
            vec![("Content-Type", "application/x-www-form-urlencoded")],
            Expectation::Status(&[415]),
        ),
        (
            "a plain text for a body",
            vec![("Content-Type", "text/plain")],
            Expectation::Status(&[415]),
        ),
        (
            "a client that takes no answer",
            vec![("Accept", "text/html")],
            Expectation::Status(&[406]),
        ),
        ("a length that is negative", vec![("Content-Length", "-1")], BAD),
        ("a length that is no number", vec![("Content-Length", "ten")], BAD),
        (
            "a length of a terabyte",
            vec![("Content-Length", "1099511627776")],
            Expectation::Status(&[413]),
        ),
        ("a length beyond every number", vec![("Content-Length", "99999999999999999999999")], BAD),
        ("two lengths", vec![("Content-Length", "5"), ("Content-Length", "500")], BAD),
        (
            "a length and chunks",
            vec![("Content-Length", "5"), ("Transfer-Encoding", "chunked")],
            BAD,
        ),
        ("an encoding that nobody knows", vec![("Transfer-Encoding", "gzip")], BAD),
        ("chunks twice", vec![("Transfer-Encoding", "chunked, chunked")], BAD),
        (
            "a header with a line break in it",
            vec![("X-A", "a\r\n b: c")],
            Expectation::Status(&[200, 400]),
        ),
        ("a header with a NUL", vec![("X-A", "a\0b")], BAD),
        ("a name of a header with a space", vec![("X A", "b")], BAD),
        (
            "a compressed body",
            vec![("Content-Encoding", "gzip")],
            Expectation::Status(&[200, 400, 415]),
        ),
    ]
}

/// Requests that are wrong as a whole.
fn whole() -> Vec<(&'static str, Vec<u8>, Expectation)> {
    let get =
        |line: &str| format!("{line}\r\nHost: {{host}}\r\nConnection: close\r\n\r\n").into_bytes();
    let many = "A: b\r\n".repeat(2000);
    let out = json!({ "path": "../beside/canary.txt" });
    let params = json!({ "_meta": modern_meta(), "name": "read", "arguments": out });
    let read = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    vec![
        (
            "a path out of the server",
            get("GET /../../etc/passwd HTTP/1.1"),
            Expectation::Status(&[404]),
        ),
        (
            "an encoded path out of the server",
            get("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1"),
            Expectation::Status(&[404]),
        ),
        ("a page that is not there", get("GET / HTTP/1.1"), Expectation::Status(&[404])),
        (
            "a whole address in the request line",
            get("GET http://evil.example/mcp HTTP/1.1"),
            Expectation::Status(&[400, 403, 404, 405]),
        ),
        (
            "a request to be a proxy",
            get("CONNECT evil.example:443 HTTP/1.1"),
            Expectation::Status(&[400, 403, 404, 405]),
        ),
        ("a method that is not taken", get("PUT /mcp HTTP/1.1"), Expectation::Status(&[405])),
        ("a trace of the request", get("TRACE /mcp HTTP/1.1"), Expectation::Status(&[405])),
        (
            "options for a page of another site",
            get("OPTIONS /mcp HTTP/1.1\r\nOrigin: https://evil.example"),
            Expectation::Status(&[403, 405]),
        ),
        (
            "a deletion of no session",
            get("DELETE /mcp HTTP/1.1"),
            Expectation::Status(&[400, 404, 405]),
        ),
        (
            "an address of a hundred kilobytes",
            get(&format!("GET /{} HTTP/1.1", "a".repeat(100_000))),
            Expectation::Status(&[414, 431, 400]),
        ),
        (
            "a header of two hundred kilobytes",
            get(&format!("GET /mcp HTTP/1.1\r\nX: {}", "y".repeat(200_000))),
            Expectation::Status(&[431]),
        ),
        (
            "two thousand headers",
            get(&format!("GET /mcp HTTP/1.1\r\n{}", many.trim_end())),
            Expectation::Status(&[431]),
        ),
        (
            "a request smuggled behind a body",
            [
                request(&[("Connection", "close")], &body()),
                b"GET /etc/passwd HTTP/1.1\r\n\r\n".to_vec(),
            ]
            .concat(),
            Expectation::Status(&[200]),
        ),
        ("a version of HTTP that does not exist", get("GET /mcp HTTP/9.9"), BAD),
        ("a body that is no JSON", request(&[], "{"), BAD),
        ("a body that is a batch", request(&[], "[]"), BAD),
        ("a body that is empty", request(&[], ""), BAD),
        (
            "a path out of the project over HTTP",
            request(&[("Mcp-Name", "read")], &read.to_string()),
            Expectation::Status(&[200]),
        ),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let headers = headers().into_iter();
    let headers = headers.map(|(name, given, expects)| {
        case(AREA, name, Request::Http(request(&given, &body())), expects)
    });
    let whole = whole().into_iter();
    let whole = whole.map(|(name, bytes, expects)| case(AREA, name, Request::Http(bytes), expects));
    headers.chain(whole).collect()
}

#[test]
fn no_request_gets_more_than_it_may() {
    let world = World::new();
    Runner::over_http(&world, &[]).run(&cases());
}
