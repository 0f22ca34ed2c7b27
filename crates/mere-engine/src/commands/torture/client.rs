//! A client of one server, which starts another when that one was killed.

use std::io;
use std::sync::PoisonError;

use serde_json::{Value, json};

use super::Torture;
use mere_host::ServerProcess;

/// What became of a call.
pub(super) enum Answer {
    Reply(Value),
    /// The server was killed before it answered: what it was asked to do may be done or not.
    Killed,
}

/// Asks a server as an agent does.
pub(super) struct Client<'a> {
    torture: &'a Torture,
    /// The number of the actor.
    number: usize,
    agent: &'static str,
    server: Option<ServerProcess>,
    last_id: u64,
}

impl<'a> Client<'a> {
    pub(super) fn new(torture: &'a Torture, number: usize, agent: &'static str) -> Self {
        Self { torture, number, agent, server: None, last_id: 0 }
    }

    /// Calls a tool. It is an error if no server can be started.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<Answer> {
        if self.server.is_none() && !self.start()? {
            return Ok(Answer::Killed);
        }
        let params = json!({ "name": tool, "arguments": arguments });
        let Ok(answer) = self.ask("tools/call", &params) else {
            self.server = None;
            return Ok(Answer::Killed);
        };
        Ok(Answer::Reply(answer["result"]["structuredContent"].clone()))
    }

    /// Starts a server. Returns false if it was killed while it started.
    fn start(&mut self) -> io::Result<bool> {
        let arguments = ["mcp", "--agent", self.agent, "--toolsets", "items,memory,files"];
        let server = ServerProcess::start(&self.torture.folder, &arguments)?;
        let slot = &self.torture.servers[self.number];
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(server.killer());
        self.server = Some(server);
        let greeting = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": self.agent, "version": "1" }
        });
        let is_greeted = self.ask("initialize", &greeting).and_then(|_| {
            let server = self.server.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        });
        if is_greeted.is_err() {
            self.server = None;
        }
        Ok(is_greeted.is_ok())
    }

    fn ask(&mut self, method: &str, params: &Value) -> io::Result<Value> {
        let server = self.server.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        self.last_id += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        server.send(&request.to_string())?;
        loop {
            let message = serde_json::from_str::<Value>(&server.receive()?)?;
            if message["id"] == self.last_id {
                return Ok(message);
            }
        }
    }
}
