//! A client that keeps its connection, and reads no more than it must.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A connection to a server.
pub(super) struct HttpConnection {
    stream: BufReader<TcpStream>,
    address: String,
    token: Option<String>,
    body: Vec<u8>,
}

impl HttpConnection {
    pub(super) fn open(address: &str, token: Option<&str>) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("an option");
        Self {
            stream: BufReader::new(stream),
            address: address.to_owned(),
            token: token.map(str::to_owned),
            body: Vec::new(),
        }
    }

    /// Reads something that is there, and returns its body.
    pub(super) fn get(&mut self, path: &str) -> &[u8] {
        let status = self.send("GET", path, b"");
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&self.body));
        &self.body
    }

    /// Puts something that is accepted.
    pub(super) fn put(&mut self, path: &str, body: &[u8]) {
        let status = self.send("PUT", path, body);
        assert!(matches!(status, 200 | 201), "{path}: {}", String::from_utf8_lossy(&self.body));
    }

    fn send(&mut self, method: &str, path: &str, body: &[u8]) -> u16 {
        let address = &self.address;
        let mut request = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n");
        if let Some(token) = &self.token {
            request += &format!("authorization: Bearer {token}\r\n");
        }
        if method == "PUT" {
            let length = body.len();
            request += &format!("content-type: application/json\r\ncontent-length: {length}\r\n");
        }
        request += "\r\n";
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(body);
        self.stream.get_mut().write_all(&bytes).expect("a request");
        self.read_answer()
    }

    fn read_answer(&mut self) -> u16 {
        let (mut status, mut length, mut line) = (0, 0, String::new());
        loop {
            line.clear();
            self.stream.read_line(&mut line).expect("a line");
            let text = line.trim_end();
            if text.is_empty() {
                break;
            }
            if status == 0 {
                status =
                    text.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
            } else if let Some((name, value)) = text.split_once(": ")
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.parse().expect("a length");
            }
        }
        self.body.resize(length, 0);
        self.stream.read_exact(&mut self.body).expect("a body");
        status
    }
}
