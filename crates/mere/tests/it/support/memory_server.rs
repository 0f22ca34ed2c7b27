//! One server of the storm, which is started again when it was killed.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::memory::storm::{Storm, open};

/// The server of one driver; its process is among those of the storm.
pub(crate) struct Server<'a> {
    storm: &'a Storm,
    number: usize,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl<'a> Server<'a> {
    /// Starts a driver's server, after the one before has ended, and shakes hands.
    pub(crate) fn start(storm: &'a Storm, number: usize) -> Self {
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "driver", "version": "1" }
        });
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
        let hello =
            format!("{hello}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n");
        loop {
            let mut server = open(&storm.servers[number]);
            if let Some(mut old) = server.take() {
                let _ = old.kill();
                old.wait().expect("its end");
            }
            let mut command = storm.stage.command("project");
            command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut new = command.spawn().expect("mere mcp starts");
            let mut input = new.stdin.take().expect("its input");
            let mut output = BufReader::new(new.stdout.take().expect("its output"));
            *server = Some(new);
            drop(server);
            let is_greeted = input.write_all(hello.as_bytes()).is_ok();
            if is_greeted && hear(storm, &mut output).is_some() {
                return Self { storm, number, input, output };
            }
        }
    }

    /// Makes all calls at once: what was answered and when. If the server was killed meanwhile,
    /// there is another one afterwards.
    pub(crate) fn exchange(&mut self, calls: &[(&str, Value)]) -> Vec<(Option<Value>, Instant)> {
        let mut lines = String::new();
        for (id, (tool, arguments)) in calls.iter().enumerate() {
            let params = json!({ "name": tool, "arguments": arguments });
            let call =
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
            lines.extend([call.to_string(), "\n".to_owned()]);
        }
        // What a dead server does not read is missed below.
        let _ = self.input.write_all(lines.as_bytes());
        let mut answers = vec![None; calls.len()];
        while answers.contains(&None) {
            let Some(answer) = hear(self.storm, &mut self.output) else { break };
            let id = answer["id"].as_u64().and_then(|id| usize::try_from(id).ok());
            if let Some(id) = id {
                answers[id] = Some((answer["result"]["structuredContent"].clone(), Instant::now()));
            }
        }
        if answers.contains(&None) {
            *self = Self::start(self.storm, self.number);
        }
        let now = Instant::now();
        let answers = answers.into_iter().map(|answer| match answer {
            Some((reply, at)) => (Some(reply), at),
            None => (None, now),
        });
        answers.collect()
    }
}

/// A whole line, checked for leaks; none if there is no more.
fn hear(storm: &Storm, output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut line = String::new();
    output.read_line(&mut line).ok().filter(|_| line.ends_with('\n'))?;
    storm.stage.check(&line);
    Some(serde_json::from_str(&line).expect("JSON"))
}
