//! The conversation with another MCP server that a chain leads to in the end.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::http_request::{invalid, parse_headers};
use super::primitive::parse_timeout;
use super::subprocess::parse_texts;
use super::{Chain, PrimitiveFault};
use crate::mcp::ToolPins;
use crate::network::HttpUrl;

/// The headers of the protocol itself.
const RESERVED_HEADERS: [&str; 5] =
    ["accept", "content-type", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

/// A server, and what is wanted of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpCall {
    /// How the server is reached.
    pub transport: McpTransport,
    /// The tool to call; without one, the tools of the server are listed.
    pub target: Option<McpTarget>,
    /// How long everything may take.
    pub timeout: Duration,
    /// How many bytes of an answer are shown.
    pub max_bytes: usize,
}

/// How a server is reached. Its `Debug` prints no values, because they may contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// It is a program, spoken to over its standard input and output; its arguments.
    Stdio(Vec<String>),
    /// It is on the web.
    Http(McpEndpoint),
}

/// A server on the web.
#[derive(Clone, PartialEq, Eq)]
pub struct McpEndpoint {
    /// Its URL.
    pub url: HttpUrl,
    /// The headers of every request besides those of the protocol: names in lower case.
    pub headers: Vec<(String, String)>,
}

/// A tool of a server, and what a person signed about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpTarget {
    /// Its name on the server.
    pub tool: String,
    /// The digests of what the server said about it.
    pub pins: ToolPins,
}

impl McpCall {
    /// Reads the call from a configuration that every tool of the chain has accepted.
    pub(super) fn from_config(config: &Value) -> Result<Self, PrimitiveFault> {
        let transport = match (config["transport"].as_str(), &config["command"], &config["url"]) {
            (Some("stdio"), command, Value::Null) => {
                let mut argv = parse_texts(command, "config.command")?;
                argv.extend(parse_texts(&config["args"], "config.args")?);
                McpTransport::Stdio(argv)
            }
            (Some("http"), Value::Null, url) => {
                let url = url.as_str().ok_or(invalid("config.url", "a string"))?;
                let url = url.parse::<HttpUrl>().map_err(PrimitiveFault::Url)?;
                McpTransport::Http(McpEndpoint { url, headers: own_headers(&config["headers"])? })
            }
            _ => {
                return Err(invalid(
                    "config.transport",
                    "stdio with a command, or http with a url",
                ));
            }
        };
        let target = match &config["tool"] {
            Value::Null => None,
            tool => {
                let tool = tool.as_str().ok_or(invalid("config.tool", "a string"))?.to_owned();
                let pins = ToolPins::parse(&config["pinned"]);
                let expected = "the five digests that `mere import-mcp` writes";
                let pins = pins.ok_or(invalid("config.pinned", expected))?;
                Some(McpTarget { tool, pins })
            }
        };
        let max_bytes = config["max_bytes"].as_u64().and_then(|size| usize::try_from(size).ok());
        let max_bytes = max_bytes.ok_or(invalid("config.max_bytes", "a number of bytes"))?;
        Ok(Self { transport, target, timeout: parse_timeout(&config["timeout_s"])?, max_bytes })
    }
}

fn own_headers(value: &Value) -> Result<Vec<(String, String)>, PrimitiveFault> {
    let headers = parse_headers(value)?;
    if headers.iter().any(|(name, _)| RESERVED_HEADERS.contains(&name.as_str())) {
        return Err(invalid("config.headers", "a mapping without the headers of the protocol"));
    }
    Ok(headers)
}

impl Chain {
    /// Reports whether the chain leads to another MCP server. Its parameters are the arguments of
    /// a tool there, and are put into nothing else.
    pub fn speaks_to_server(&self) -> bool {
        self.primitive().pin.id.as_str() == super::primitive::MCP_CLIENT
    }

    /// Returns the index of the tool that says which server it is.
    pub fn server_index(&self) -> Option<usize> {
        let is_server = |kind: &Value| kind == "mcp_server";
        self.tools().iter().position(|tool| tool.manifest.get("tool_type").is_some_and(is_server))
    }
}

impl fmt::Debug for McpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio(argv) => f.debug_tuple("Stdio").field(&argv.len()).finish(),
            Self::Http(endpoint) => f.debug_tuple("Http").field(endpoint.url.endpoint()).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(changes: &Value) -> Result<McpCall, PrimitiveFault> {
        let mut config = json!({
            "transport": "http", "url": "https://a.example/mcp", "headers": {}, "args": [],
            "timeout_s": 30, "max_bytes": 10,
        });
        for (key, value) in changes.as_object().expect("an object") {
            config[key] = value.clone();
        }
        McpCall::from_config(&config)
    }

    #[test]
    fn a_server_has_one_transport_and_its_tools_have_pins() {
        assert!(read(&json!({})).is_ok());
        let stdio = json!({ "transport": "stdio", "url": null, "command": ["a"], "args": ["b"] });
        let stdio = read(&stdio).expect("a call");
        assert_eq!(stdio.transport, McpTransport::Stdio(vec!["a".to_owned(), "b".to_owned()]));
        for (changes, field) in [
            (json!({ "transport": "stdio" }), "config.transport"),
            (json!({ "command": ["a"] }), "config.transport"),
            (json!({ "transport": "tcp" }), "config.transport"),
            (json!({ "tool": "echo" }), "config.pinned"),
            (json!({ "tool": "echo", "pinned": {"title": "x"} }), "config.pinned"),
            (json!({ "tool": 1 }), "config.tool"),
            (json!({ "headers": {"Mcp-Session-Id": "x"} }), "config.headers"),
            (json!({ "headers": {"Accept": "x"} }), "config.headers"),
            (json!({ "headers": {"Host": "x"} }), "config.headers"),
        ] {
            match read(&changes) {
                Err(PrimitiveFault::InvalidField { field: found, .. }) => assert_eq!(found, field),
                other => panic!("{changes}: {other:?}"),
            }
        }
    }
}
