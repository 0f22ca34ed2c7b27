//! A server that is spoken to in bytes, and waited for no longer than a case may take.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::Stage;

/// How long a case may take. It finds what hangs, and measures nothing.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);

/// `mere mcp` on a stage.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    lines: Receiver<Vec<u8>>,
    last_id: u64,
}

/// What came back for one request: every byte, and the messages that answer it.
pub(crate) struct Heard {
    pub(crate) bytes: Vec<u8>,
    pub(crate) answers: Vec<Value>,
}

impl Server {
    /// Starts a server and shakes hands.
    pub(crate) fn start(stage: &Stage) -> Self {
        let mut command = stage.command("project");
        command.args(["mcp", "--agent", "default"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("mere mcp starts");
        let input = child.stdin.take().expect("its input");
        let output = child.stdout.take().expect("its output");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        let mut server = Self { child, input, lines, last_id: 0 };
        let client = json!({ "name": "Attacker", "version": "1" });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client
        });
        server.request("initialize", &params).expect("a greeting");
        server.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).expect("sent");
        server
    }

    fn send(&mut self, line: &[u8]) -> Result<(), String> {
        let sent = self.input.write_all(line).and_then(|()| self.input.write_all(b"\n"));
        sent.and_then(|()| self.input.flush())
            .map_err(|error| format!("the server is gone: {error}"))
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Result<Heard, String> {
        self.last_id += 1;
        let id = json!(self.last_id);
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(message.to_string().as_bytes())?;
        let mut heard = self.hear(|message| message["id"] == id)?;
        heard.answers.retain(|message| message["id"] == id);
        Ok(heard)
    }

    /// Sends a line, and then a ping: what comes before its answer, and so many answers, belong to
    /// the line.
    pub(crate) fn line(&mut self, line: &[u8], answers: usize) -> Result<Heard, String> {
        self.send(line)?;
        self.last_id += 1;
        let fence = json!(format!("fence-{}", self.last_id));
        let ping = json!({ "jsonrpc": "2.0", "id": fence, "method": "ping" });
        self.send(ping.to_string().as_bytes())?;
        let (mut is_fenced, mut count) = (false, 0);
        let mut heard = self.hear(|message| {
            is_fenced |= message["id"] == fence;
            count += usize::from(is_answer(message) && message["id"] != fence);
            is_fenced && count >= answers
        })?;
        heard.answers.retain(|message| is_answer(message) && message["id"] != fence);
        Ok(heard)
    }

    fn hear(&mut self, mut is_last: impl FnMut(&Value) -> bool) -> Result<Heard, String> {
        let until = Instant::now() + DEADLINE;
        let mut heard = Heard { bytes: Vec::new(), answers: Vec::new() };
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|error| match error {
                RecvTimeoutError::Timeout => "no answer before the deadline".to_owned(),
                RecvTimeoutError::Disconnected => "the server has ended".to_owned(),
            })?;
            heard.bytes.extend_from_slice(&line);
            let message: Value = serde_json::from_slice(&line)
                .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&line)))?;
            let is_end = is_last(&message);
            heard.answers.push(message);
            if is_end {
                return Ok(heard);
            }
        }
    }

    /// The most memory that it has held, in KiB.
    pub(crate) fn peak_memory(&self) -> usize {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        number.expect("the server runs, and has a peak")
    }
}

fn is_answer(message: &Value) -> bool {
    message.get("method").is_none()
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
