//! Starts the command that a client would start, and sees whether it answers as an MCP server.

use std::io;
use std::time::Duration;

use mere_host::{Folder, ServerProcess};
use serde_json::{Value, json};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts a server, asks for its tools, and returns how many it has.
pub(super) fn count_tools(
    program: &str,
    arguments: &[String],
    folder: Option<&Folder>,
) -> io::Result<usize> {
    let mut server = ServerProcess::start_for_check((program, arguments), folder, PATIENCE)?;
    let greeting = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "mere-connect", "version": "1" }
    });
    ask(&mut server, "initialize", &greeting)?;
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    let tools = ask(&mut server, "tools/list", &json!({}))?;
    let tools = tools["tools"].as_array().map(Vec::len).filter(|count| *count > 0);
    tools.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it lists no tools"))
}

/// Asks one question, and returns the result of the answer.
fn ask(server: &mut ServerProcess, method: &str, params: &Value) -> io::Result<Value> {
    let request = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
    server.send(&request.to_string())?;
    loop {
        let mut message = serde_json::from_str::<Value>(&server.receive()?)?;
        if message["id"] == method {
            return Ok(message["result"].take());
        }
    }
}
