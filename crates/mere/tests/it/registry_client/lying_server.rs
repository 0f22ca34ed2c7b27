//! A server that passes requests on to a real registry, and changes what comes back.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// An answer of the real registry.
pub(crate) struct RealAnswer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// What the client is sent.
pub(crate) enum SentAnswer {
    Bytes(u16, Vec<u8>),
    /// Bytes that never end.
    Endless,
    /// One byte now and then.
    Slow,
}

/// A function that decides what the client is sent for a path.
pub(crate) type Lie = dyn Fn(&str, RealAnswer) -> SentAnswer + Send + Sync;

/// A server that lies. It answers until the process of the test ends.
pub(crate) struct LyingServer {
    pub(crate) url: String,
}

impl LyingServer {
    /// Starts a server in front of a real one.
    pub(crate) fn start(
        real: &str,
        lie: impl Fn(&str, RealAnswer) -> SentAnswer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (real, lie) = (real.trim_start_matches("http://").to_owned(), Arc::new(lie));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (real, lie) = (real.clone(), Arc::clone(&lie));
                std::thread::spawn(move || serve(stream, &real, &*lie));
            }
        });
        Self { url }
    }
}

/// Answers one request and closes the connection.
fn serve(mut stream: TcpStream, real: &str, lie: &Lie) {
    let Some(path) = read_path(&stream) else { return };
    let answer = ask(real, &path);
    let _ = match lie(&path, answer) {
        SentAnswer::Bytes(status, body) => {
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body))
        }
        SentAnswer::Endless => {
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
            let mut sent = stream.write_all(head.as_bytes());
            while sent.is_ok() {
                sent = stream.write_all(&[b'x'; 8_192]);
            }
            sent
        }
        SentAnswer::Slow => {
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
            let mut sent = stream.write_all(head.as_bytes());
            while sent.is_ok() {
                std::thread::sleep(Duration::from_millis(500));
                sent = stream.write_all(b"x").and_then(|()| stream.flush());
            }
            sent
        }
    };
}

/// Reads the head of a request, and returns its path.
fn read_path(stream: &TcpStream) -> Option<String> {
    let mut lines = BufReader::new(stream).lines();
    let path = lines.next()?.ok()?.split(' ').nth(1)?.to_owned();
    while !lines.next()?.ok()?.is_empty() {}
    Some(path)
}

/// Asks the real registry.
pub(crate) fn ask(real: &str, path: &str) -> RealAnswer {
    let mut stream = TcpStream::connect(real).expect("the real registry");
    let request = format!("GET {path} HTTP/1.1\r\nhost: {real}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("asked");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("an answer");
    let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&all[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = all[end + 4..].to_vec();
    let body = if head.contains("transfer-encoding: chunked") { unchunk(&body) } else { body };
    RealAnswer { status: status.expect("a status"), body }
}

fn unchunk(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some(end) = body.windows(2).position(|bytes| bytes == b"\r\n") {
        let size = String::from_utf8_lossy(&body[..end]).into_owned();
        let size = usize::from_str_radix(size.trim(), 16).expect("a size");
        if size == 0 {
            break;
        }
        out.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
    out
}
