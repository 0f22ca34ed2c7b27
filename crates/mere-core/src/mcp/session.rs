//! One conversation with a server: it is greeted, asked for its tools, and one of them is called.
//!
//! A session says what to send and understands what comes back; whoever carries the messages knows
//! nothing about them. A tool is called only if the server describes it exactly as it is pinned.

use serde_json::{Map, Value, json};

use super::message::{ServerMessage, answer_request, notification, request};
use super::{
    MAX_MESSAGE_BYTES, MAX_SESSION_BYTES, PinnedPart, RemoteTool, RemoteToolFault, ToolAnswer,
    ToolPins,
};
use crate::text::json as strict_json;

/// The revisions of the protocol that are understood, the preferred one first.
const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// How many pages a list of tools may have, and how many tools.
const MAX_PAGES: usize = 64;
const MAX_TOOLS: usize = 1_024;
/// How many messages a server may send.
const MAX_MESSAGES: usize = 20_000;
/// The longest cursor, in bytes.
const MAX_CURSOR: usize = 4_096;

/// What is wanted of a server. It is not `Debug`, because arguments are not for logs.
#[derive(Clone, PartialEq, Eq)]
pub enum McpRequest {
    /// The list of its tools.
    List,
    /// A call of one of its tools.
    Call {
        /// The name of the tool on its server.
        tool: String,
        /// What a person signed about it.
        pins: Box<ToolPins>,
        /// The arguments.
        arguments: Map<String, Value>,
    },
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpOutcome {
    /// The tools of the server.
    Tools(Vec<RemoteTool>),
    /// The answer of the tool.
    Answer(ToolAnswer),
    /// The server does not describe the tool as it is pinned, so it was not called. Without parts,
    /// it has no such tool.
    Changed(Vec<PinnedPart>),
}

/// The reasons why a conversation cannot go on. None repeats what the server said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpFault {
    /// A message is too long.
    #[error("the server sent a message that is longer than 8 MiB")]
    MessageTooLong,
    /// All messages together are too long, or there are too many of them.
    #[error("the server sent more than 64 MiB or 20000 messages")]
    TooMuch,
    /// Something is not a message of the protocol.
    #[error("the server sent something that is not a message of the protocol")]
    NotAMessage,
    /// An answer belongs to no request.
    #[error("the server answered a request that was not sent")]
    UnknownId,
    /// The server speaks another revision of the protocol.
    #[error("the server speaks no revision of the protocol that is known here")]
    Version,
    /// A request other than a call was answered with an error.
    #[error("the server refused the request `{0}`")]
    Refused(&'static str),
    /// A result is not what the protocol says.
    #[error("the server's answer to `{0}` is not what the protocol says")]
    Result(&'static str),
    /// The list of tools is too long, or does not end.
    #[error("the server's list of tools has more than 1024 tools or 64 pages, or does not end")]
    ListTooLong,
    /// The list of tools cannot be used.
    #[error("the server's list of tools cannot be used: {0}")]
    Tool(RemoteToolFault),
    /// Two tools have the same name.
    #[error("the server's list has two tools of the same name")]
    DuplicateTool,
}

/// The request whose answer is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    Initialize,
    Tools,
    Call,
}

impl Awaited {
    fn method(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Tools => "tools/list",
            Self::Call => "tools/call",
        }
    }
}

/// A conversation with a server.
pub struct McpSession {
    wanted: McpRequest,
    awaited: Awaited,
    /// The id of the last request.
    id: u64,
    version: Option<&'static str>,
    tools: Vec<RemoteTool>,
    cursors: Vec<String>,
    messages: usize,
    bytes: usize,
    note: Option<String>,
    outcome: Option<McpOutcome>,
}

impl McpSession {
    /// Begins a conversation.
    pub fn new(wanted: McpRequest) -> Self {
        Self {
            wanted,
            awaited: Awaited::Initialize,
            id: 1,
            version: None,
            tools: Vec::new(),
            cursors: Vec::new(),
            messages: 0,
            bytes: 0,
            note: None,
            outcome: None,
        }
    }

    /// Returns the first message, which introduces this client. It offers nothing to the server.
    pub fn greeting(&self) -> Value {
        let client = json!({ "name": "mere", "version": env!("CARGO_PKG_VERSION") });
        let params =
            json!({ "protocolVersion": VERSIONS[0], "capabilities": {}, "clientInfo": client });
        request(self.id, Awaited::Initialize.method(), &params)
    }

    /// Takes one message of the server, and returns what is to be sent next.
    pub fn receive(&mut self, message: &[u8]) -> Result<Vec<Value>, McpFault> {
        self.messages += 1;
        self.bytes = self.bytes.saturating_add(message.len());
        if message.len() > MAX_MESSAGE_BYTES {
            return Err(McpFault::MessageTooLong);
        }
        if self.messages > MAX_MESSAGES || self.bytes > MAX_SESSION_BYTES {
            return Err(McpFault::TooMuch);
        }
        let message = strict_json::parse(message).map_err(|_| McpFault::NotAMessage)?;
        match ServerMessage::read(message).ok_or(McpFault::NotAMessage)? {
            ServerMessage::Request { id, method } => Ok(vec![answer_request(&id, &method)]),
            ServerMessage::Notification { method, params } => {
                self.take_notification(&method, &params);
                Ok(Vec::new())
            }
            ServerMessage::Answer { id, result } if id == self.id && self.outcome.is_none() => {
                self.take_answer(result)
            }
            ServerMessage::Answer { .. } => Err(McpFault::UnknownId),
        }
    }

    /// Reports whether nothing more is waited for.
    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    /// Returns the revision of the protocol that both sides speak, once it is known.
    pub fn version(&self) -> Option<&'static str> {
        self.version
    }

    /// Returns the id of the request whose answer is waited for.
    pub fn awaited_id(&self) -> u64 {
        self.id
    }

    /// Takes the last note about the progress of the call.
    pub fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// Returns what came of the conversation, if it is over.
    pub fn into_outcome(self) -> Option<McpOutcome> {
        self.outcome
    }

    /// Keeps the note of a notification about the progress of the call.
    fn take_notification(&mut self, method: &str, params: &Value) {
        if method != "notifications/progress" || self.awaited != Awaited::Call {
            return;
        }
        let is_ours = params.get("progressToken").is_some_and(|token| *token == json!(self.id));
        let number = |key: &str| params.get(key).and_then(Value::as_f64);
        if let Some(done) = number("progress").filter(|_| is_ours) {
            let total = number("total").map(|total| format!(" of {total}")).unwrap_or_default();
            let words = params.get("message").and_then(Value::as_str).unwrap_or_default();
            let separator = if words.is_empty() { "" } else { ": " };
            self.note = Some(format!("{done}{total}{separator}{words}"));
        }
    }

    fn take_answer(&mut self, result: Result<Value, Value>) -> Result<Vec<Value>, McpFault> {
        let method = self.awaited.method();
        let result = match (self.awaited, result) {
            (_, Ok(result)) => result,
            (Awaited::Call, Err(error)) => {
                self.outcome = Some(McpOutcome::Answer(ToolAnswer::from_error(&error)));
                return Ok(Vec::new());
            }
            (_, Err(_)) => return Err(McpFault::Refused(method)),
        };
        match self.awaited {
            Awaited::Initialize => {
                let version = result.get("protocolVersion").and_then(Value::as_str);
                let version = version.ok_or(McpFault::Result(method))?;
                let known = VERSIONS.into_iter().find(|known| *known == version);
                self.version = Some(known.ok_or(McpFault::Version)?);
                let next = self.ask(Awaited::Tools, &json!({}));
                Ok(vec![notification("notifications/initialized"), next])
            }
            Awaited::Tools => self.take_tools(&result),
            Awaited::Call => {
                let answer = ToolAnswer::from_result(&result).ok_or(McpFault::Result(method))?;
                self.outcome = Some(McpOutcome::Answer(answer));
                Ok(Vec::new())
            }
        }
    }

    /// Takes one page of the list of tools, and asks for the next one or for the call.
    fn take_tools(&mut self, result: &Value) -> Result<Vec<Value>, McpFault> {
        let wrong = McpFault::Result(Awaited::Tools.method());
        for tool in result.get("tools").and_then(Value::as_array).ok_or(wrong)? {
            let tool = RemoteTool::parse(tool).map_err(McpFault::Tool)?;
            if self.tools.iter().any(|known| known.name() == tool.name()) {
                return Err(McpFault::DuplicateTool);
            }
            if self.tools.len() >= MAX_TOOLS {
                return Err(McpFault::ListTooLong);
            }
            self.tools.push(tool);
        }
        match result.get("nextCursor") {
            None | Some(Value::Null) => {
                let next = self.use_tools();
                Ok(next.into_iter().collect())
            }
            Some(cursor) => {
                let cursor = cursor.as_str().filter(|cursor| cursor.len() <= MAX_CURSOR);
                let cursor = cursor.ok_or(wrong)?.to_owned();
                if self.cursors.contains(&cursor) || self.cursors.len() + 1 >= MAX_PAGES {
                    return Err(McpFault::ListTooLong);
                }
                let next = self.ask(Awaited::Tools, &json!({ "cursor": cursor }));
                self.cursors.push(cursor);
                Ok(vec![next])
            }
        }
    }

    /// Does what is wanted with the whole list: returns it, or calls the tool that is as it was
    /// pinned.
    fn use_tools(&mut self) -> Option<Value> {
        let tools = std::mem::take(&mut self.tools);
        let McpRequest::Call { tool, pins, arguments } = &self.wanted else {
            self.outcome = Some(McpOutcome::Tools(tools));
            return None;
        };
        let Some(found) = tools.iter().find(|one| one.name() == tool) else {
            self.outcome = Some(McpOutcome::Changed(Vec::new()));
            return None;
        };
        let changed = pins.changed_parts(&ToolPins::of_tool(found));
        if !changed.is_empty() {
            self.outcome = Some(McpOutcome::Changed(changed));
            return None;
        }
        let progress = json!({ "progressToken": self.id + 1 });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": progress });
        Some(self.ask(Awaited::Call, &params))
    }

    fn ask(&mut self, next: Awaited, params: &Value) -> Value {
        self.id += 1;
        self.awaited = next;
        request(self.id, next.method(), params)
    }
}
