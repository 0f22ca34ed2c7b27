//! A client for one MCP server.
//!
//! The clock runs from before a request is written until the line with its answer is read; parsing
//! the answer is not timed.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::peer::Call;

/// How many requests are sent before the first answer is read. It is so small that neither side
/// waits for the other's full pipe.
const BATCH: usize = 50;

/// A client of a running server, after the handshake.
pub(crate) struct McpClient {
    name: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

/// An answer, and how long it took.
pub(crate) struct Answer {
    pub(crate) message: Value,
    pub(crate) took: Duration,
}

impl McpClient {
    /// Starts a server and completes the handshake.
    pub(crate) fn start(name: &'static str, mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut client = Self { name, child, input, output, last_id: 0 };
        client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" }
            }),
        );
        client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        client
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Answer {
        let request = self.request_line(method, params);
        let began = Instant::now();
        self.send(&request);
        loop {
            let line = self.read_line();
            let took = began.elapsed();
            if let Some(message) = self.parse_answer(&line) {
                return Answer { message, took };
            }
        }
    }

    /// Calls a tool and waits for its answer.
    pub(crate) fn call(&mut self, call: &Call) -> Answer {
        self.request("tools/call", &params(call))
    }

    /// Makes the same call `count` times in batches. Returns how long all took, and the answers.
    pub(crate) fn pipelined(&mut self, call: &Call, count: u32) -> (Duration, Vec<Value>) {
        let params = params(call);
        let requests =
            (0..count).map(|_| self.request_line("tools/call", &params)).collect::<Vec<_>>();
        let mut lines = Vec::with_capacity(requests.len());
        let began = Instant::now();
        for batch in requests.chunks(BATCH) {
            for request in batch {
                self.send(request);
            }
            lines.extend(batch.iter().map(|_| self.read_line()));
        }
        let took = began.elapsed();
        let answers = lines.iter().map(|line| self.parse_answer(line).expect("an answer"));
        (took, answers.collect())
    }

    /// Sends all calls before it reads an answer. Returns how long all took, and how many did not
    /// fail.
    pub(crate) fn call_all(&mut self, calls: &[Call]) -> (Duration, usize) {
        let first = self.last_id + 1;
        let requests = calls.iter().map(|call| self.request_line("tools/call", &params(call)));
        let requests = requests.collect::<String>();
        let (mut answered, mut fine) = (0, 0);
        let began = Instant::now();
        self.send(&requests);
        let mut took = Duration::ZERO;
        while answered < calls.len() {
            let line = self.read_line();
            took = began.elapsed();
            let message: Value = serde_json::from_slice(&line).expect("JSON");
            if message["id"].as_u64().is_some_and(|id| id >= first) {
                answered += 1;
                let failed = message.get("error").is_some() || message["result"]["isError"] == true;
                fine += usize::from(!failed);
            }
        }
        (took, fine)
    }

    /// Returns the peak memory of the server, in MB.
    pub(crate) fn peak_memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
        line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number") / 1024.0
    }

    fn request_line(&mut self, method: &str, params: &Value) -> String {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        format!("{request}\n")
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).expect("the server reads");
    }

    fn read_line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).expect("what it says");
        assert!(!line.is_empty(), "{} went away", self.name);
        line
    }

    /// Parses the answer in a line. Returns `None` for requests and notifications that some servers
    /// send to the client.
    fn parse_answer(&self, line: &[u8]) -> Option<Value> {
        let message: Value = serde_json::from_slice(line).expect("JSON");
        if message.get("id").is_none() || message.get("method").is_some() {
            return None;
        }
        let failed = message.get("error").is_some() || message["result"]["isError"] == true;
        assert!(!failed, "{}: {message}", self.name);
        Some(message)
    }
}

fn params(call: &Call) -> Value {
    json!({ "name": call.tool, "arguments": call.arguments })
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
