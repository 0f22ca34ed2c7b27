//! The smallest client for HTTP: one request, and the whole answer.

use std::io::{Read, Write};
use std::net::TcpStream;

/// An answer.
pub(super) struct Fetched {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

/// Reads a page. The headers that are given replace those that are usual.
pub(super) fn fetch(url: &str, headers: &[(&str, &str)]) -> Fetched {
    send("GET", url, headers)
}

/// Sends a request without a body.
pub(super) fn send(method: &str, url: &str, headers: &[(&str, &str)]) -> Fetched {
    let rest = url.strip_prefix("http://").expect("a URL");
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut lines = vec![format!("{method} /{path} HTTP/1.1"), "Connection: close".to_owned()];
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        lines.push(format!("Host: {host}"));
    }
    lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
    let mut stream = TcpStream::connect(host).expect("a connection");
    stream.write_all(format!("{}\r\n\r\n", lines.join("\r\n")).as_bytes()).expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    Fetched { status: status.expect("a status"), head: head.to_owned(), body: body.to_owned() }
}

impl Fetched {
    /// Returns a header.
    pub(super) fn header(&self, name: &str) -> &str {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map_or("", |(_, value)| value)
    }
}
