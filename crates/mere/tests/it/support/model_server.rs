//! An endpoint for vectors on this machine, which also knows how to go wrong.
//!
//! It counts words, and takes a few of them for each other: so it knows that a car is an automobile,
//! which no word does.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// How many numbers its vectors have: as many as those of the table that ships, so that nothing but
/// the model's name tells them apart.
pub(crate) const DIMENSIONS: usize = 256;

/// How it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Right,
    /// In another order than it was asked, each with its number.
    Shuffled,
    /// Only what is one line: questions, and no items.
    QuestionsOnly,
    Status(u16),
    Slow,
    Garbage,
    /// Vectors of more than one length.
    Uneven,
    /// One vector fewer than texts.
    Short,
    /// Numbers that are none.
    Infinite,
    Huge,
    /// To where it lives itself, at another path.
    Redirect,
    /// Hangs up.
    Silent,
}

/// A request as it came.
pub(crate) struct Seen {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn texts(&self) -> Vec<&str> {
        let input = self.body["input"].as_array().expect("a list").iter();
        input.map(|text| text.as_str().expect("a text")).collect()
    }
}

pub(crate) struct ModelServer {
    url: String,
    manner: Arc<Mutex<Manner>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl ModelServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/v1/embeddings", listener.local_addr().expect("an address"));
        let (manner, seen) = (Arc::new(Mutex::new(Manner::Right)), Arc::new(Mutex::default()));
        let (own, noted) = (Arc::clone(&manner), Arc::clone(&seen));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (own, noted) = (Arc::clone(&own), Arc::clone(&noted));
                std::thread::spawn(move || serve(stream, &own, &noted));
            }
        });
        Self { url, manner, seen }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn behave(&self, manner: Manner) {
        *self.manner.lock().expect("a lock") = manner;
    }

    /// What was asked since this was last called.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock().expect("a lock"))
    }
}

fn serve(stream: TcpStream, manner: &Mutex<Manner>, seen: &Mutex<Vec<Seen>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).expect("a body");
    let body = serde_json::from_slice::<Value>(&body).expect("JSON");
    seen.lock().expect("a lock").push(Seen { head, body: body.clone() });
    let manner = *manner.lock().expect("a lock");
    answer(stream, manner, &body);
}

fn answer(mut stream: TcpStream, manner: Manner, body: &Value) {
    let input = body["input"].as_array().expect("a list").iter();
    let texts = input.map(|text| text.as_str().expect("a text")).collect::<Vec<_>>();
    let mut rows = texts.iter().enumerate().map(
        |(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector(text) }),
    );
    let (status, text) = match manner {
        Manner::Right | Manner::QuestionsOnly if texts.iter().all(|text| !text.contains('\n')) => {
            (200, json!({ "data": rows.collect::<Value>() }).to_string())
        }
        Manner::QuestionsOnly => (503, "{}".to_owned()),
        Manner::Right => (200, json!({ "data": rows.collect::<Value>() }).to_string()),
        Manner::Shuffled => (200, json!({ "data": rows.rev().collect::<Value>() }).to_string()),
        Manner::Status(status) => (status, "{\"error\":\"no\"}".to_owned()),
        Manner::Slow => {
            std::thread::sleep(Duration::from_secs(8));
            (200, json!({ "data": rows.collect::<Value>() }).to_string())
        }
        Manner::Garbage => (200, "<html>hello</html>".to_owned()),
        Manner::Uneven => {
            let mut row = rows.next().expect("a row");
            row["embedding"] = json!([1.0, 2.0]);
            let all = rows.chain([json!({ "index": 0, "embedding": [1.0] })]).chain([row]);
            (200, json!({ "data": all.collect::<Value>() }).to_string())
        }
        Manner::Short => (200, json!({ "data": [] }).to_string()),
        Manner::Infinite => (200, "{\"data\":[{\"index\":0,\"embedding\":[1e39,1.0]}]}".to_owned()),
        Manner::Huge => (200, format!("{{\"data\":[{}1]}}", "1,".repeat(40 * 1024 * 1024))),
        Manner::Redirect => (307, String::new()),
        Manner::Silent => return,
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nLocation: /v2/embeddings\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    // A client that has had enough hangs up.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes()));
}

/// The words of a text, counted.
fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        let word = match word {
            "automobile" | "vehicle" => "car",
            "mending" | "repairing" => "fixing",
            "" | "the" | "note" | "a" | "of" => continue,
            word => word,
        };
        let place = word.bytes().fold(7_usize, |sum, byte| (sum * 31 + usize::from(byte)) % 8191);
        vector[place % DIMENSIONS] += 1.0;
    }
    // Nothing but small words still has a direction.
    vector[0] += 0.01;
    vector
}
