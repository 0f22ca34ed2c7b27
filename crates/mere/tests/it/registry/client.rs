//! A plain HTTP client that sends exactly what a test says.

use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A client of one server.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) address: String,
    token: Option<String>,
    headers: Vec<(String, String)>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// In the order of their names, without the date.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Reply {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.text()))
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known == name);
        header.map(|(_, value)| value.as_str())
    }

    /// Asserts that the request was refused, and why.
    #[track_caller]
    pub(super) fn assert_problem(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let body = self.json();
        assert_eq!(body["code"], code, "{body}");
        assert_eq!(body["status"], status);
    }
}

impl Client {
    pub(super) fn new(address: &str) -> Self {
        Self { address: address.to_owned(), token: None, headers: Vec::new() }
    }

    pub(super) fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    pub(super) fn with_header(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    pub(super) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, b"")
    }

    pub(super) fn send(&self, method: &str, path: &str, body: &[u8]) -> Reply {
        self.try_send(method, path, body).expect("an answer")
    }

    /// Sends a request; `None` if the connection ends before the answer does.
    pub(super) fn try_send(&self, method: &str, path: &str, body: &[u8]) -> Option<Reply> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !self.headers.iter().any(|(name, _)| name == "host") {
            let _ = write!(head, "host: {}\r\n", self.address);
        }
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if let Some(token) = &self.token {
            let _ = write!(head, "authorization: Bearer {token}\r\n");
        }
        if !body.is_empty() || method != "GET" {
            let _ = write!(head, "content-length: {}\r\n", body.len());
        }
        head.push_str("\r\n");
        let answer = self.read_answer(&[head.as_bytes(), body].concat())?;
        // The answer to HEAD has the length of a body, and no body.
        if method == "HEAD" { parse(&answer, HasBody::No) } else { parse(&answer, HasBody::Yes) }
    }

    /// Sends bytes, and reads until the server closes.
    pub(super) fn exchange(&self, bytes: &[u8]) -> Option<Reply> {
        parse(&self.read_answer(bytes)?, HasBody::Yes)
    }

    fn read_answer(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_mins(1))).ok()?;
        // A server that refuses a body may close before all of it was sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Some(answer)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum HasBody {
    Yes,
    No,
}

fn parse(answer: &[u8], has_body: HasBody) -> Option<Reply> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = str::from_utf8(&answer[..end]).ok()?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
    let mut headers = headers.filter(|(name, _)| name != "date").collect::<Vec<_>>();
    headers.sort();
    let body = answer[end + 4..].to_vec();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let is_whole = length.is_none_or(|(_, length)| length.parse() == Ok(body.len()));
    (is_whole || has_body == HasBody::No).then_some(Reply { status, headers, body })
}

pub(super) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
