//! Many clients that hold connections and send nothing whole: an honest one is answered at once.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Http, Stage};

/// How long an honest client may wait. A request head may take thirty seconds.
const AT_ONCE: Duration = Duration::from_secs(5);

/// More connections than a server keeps open.
const SLOW_CLIENTS: usize = 600;

fn initialize() -> Value {
    let client = json!({ "name": "honest", "version": "1" });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

/// Opens connections that each send the same beginning of a request.
fn hold_connections(http: &Http<'_>, count: usize, sent: &[u8]) -> Vec<TcpStream> {
    let open = |_| {
        let mut stream = TcpStream::connect(http.address()).expect("it listens");
        // One that has to go meanwhile may be closed already.
        let _ = stream.write_all(sent);
        stream
    };
    (0..count).map(open).collect()
}

/// Checks that a new client is answered at once.
fn assert_answered(http: &Http<'_>, what: &str) {
    let began = Instant::now();
    let answer = http.post(&[], &initialize().to_string());
    assert_eq!(answer.status, 200, "{what}: {answer:?}");
    assert_eq!(answer.message()["result"]["protocolVersion"], "2025-11-25", "{what}");
    assert!(began.elapsed() < AT_ONCE, "{what}: after {:?}", began.elapsed());
}

#[test]
fn six_hundred_slow_connections_do_not_keep_an_honest_client_waiting() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let host = http.address();
    let partial_body = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: 1000\r\n\r\n{{"
    );
    for (what, sent) in [
        ("nothing", ""),
        ("half a request line", "POST /m"),
        ("half a head", "POST /mcp HTTP/1.1\r\nHost: "),
        ("half a body", partial_body.as_str()),
    ] {
        let held = hold_connections(&http, SLOW_CLIENTS, sent.as_bytes());
        assert_answered(&http, what);
        drop(held);
    }
}

#[test]
fn answered_connections_that_stay_open_make_room_for_others() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let get = format!("GET /nothing HTTP/1.1\r\nHost: {}\r\n\r\n", http.address());
    let mut held = hold_connections(&http, SLOW_CLIENTS, get.as_bytes());
    let last = held.last_mut().expect("a connection");
    let mut status = [0; 12];
    last.read_exact(&mut status).expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 404");
    assert_answered(&http, "idle connections");
}

#[test]
fn half_sent_bodies_that_fill_the_room_make_way_for_a_whole_one() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    let mut sent = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: 4000000\r\n\r\n",
        http.address()
    );
    sent.push_str(&" ".repeat(3_900_000));
    let held = hold_connections(&http, 20, sent.as_bytes());
    // A connection may hold its room undisturbed for a moment.
    std::thread::sleep(Duration::from_millis(500));
    assert_answered(&http, "half-sent bodies");
    drop(held);
}

#[test]
fn a_request_that_is_being_answered_keeps_its_connection() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    // The stream of a session stays open for what the server has to tell.
    let opened = http.post(&[], &initialize().to_string());
    let session = opened.header("mcp-session-id").expect("a session");
    let listen = format!(
        "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n\
         MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: {session}\r\n\r\n",
        http.address()
    );
    let mut listening = hold_connections(&http, 1, listen.as_bytes()).remove(0);
    let mut status = [0; 12];
    listening.read_exact(&mut status).expect("a stream");
    assert_eq!(&status, b"HTTP/1.1 200");
    let _held = hold_connections(&http, SLOW_CLIENTS, b"POST");
    assert_answered(&http, "slow clients beside a stream");
    listening.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout");
    let mut rest = [0; 4096];
    while let Ok(read) = listening.read(&mut rest) {
        assert!(read > 0, "the stream was closed");
    }
}
