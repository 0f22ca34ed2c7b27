//! A web server on this machine that answers as a test wants, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it came: its header, and its body.
#[derive(Clone, Debug)]
pub(crate) struct SeenRequest {
    pub(crate) head: String,
    pub(crate) body: String,
}

impl SeenRequest {
    /// The path and query that were asked for.
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).expect("a path")
    }
}

pub(crate) struct WebServer {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
}

impl WebServer {
    /// Starts a server; `answer` is given each request and the connection to answer on.
    pub(crate) fn start(
        answer: impl Fn(&SeenRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (own, answer) = (Arc::clone(&seen), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&own), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let mut stream = stream;
                    let Some(request) = read_request(&stream) else { return };
                    seen.lock().expect("a list").push(request.clone());
                    answer(&request, &mut stream);
                });
            }
        });
        Self { port, seen }
    }

    /// A server that answers everything with a status, further header lines and a body.
    pub(crate) fn fixed(status: &str, headers: &str, body: &str) -> Self {
        let text = response(status, headers, body);
        Self::start(move |_, stream| drop(stream.write_all(text.as_bytes())))
    }

    /// What it was asked so far.
    pub(crate) fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().expect("a list").clone()
    }

    /// Its host and port.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

/// A whole response.
pub(crate) fn response(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn read_request(stream: &TcpStream) -> Option<SeenRequest> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(SeenRequest { head, body: String::from_utf8_lossy(&body).into_owned() })
}
