//! What a case is: a hostile request, what was done to the disk before it, and what it expects.

use serde_json::{Value, json};

/// One attack, and the answer that it must get.
pub(crate) struct AttackCase {
    pub(crate) area: &'static str,
    pub(crate) name: String,
    /// What somebody does to the disk before the request; it is undone afterwards.
    pub(crate) tampering: Vec<Tampering>,
    pub(crate) request: Request,
    pub(crate) expects: Expectation,
    pub(crate) effect: Effect,
}

/// What is sent. `{stage}` in it is replaced by the real path of the stage.
pub(crate) enum Request {
    /// An agent calls a tool over MCP.
    Tool(&'static str, Value),
    /// An agent calls a tool with `mere call`, and sees both of its outputs.
    Keyboard(&'static str, Value),
    /// A client writes this line to the server.
    Line(Vec<u8>),
    /// A client sends these bytes over HTTP; `{host}` is replaced by the server's address.
    Http(Vec<u8>),
    /// A person types this command, with `--json`.
    Person(&'static str),
}

/// What the answer must be.
#[derive(Clone)]
pub(crate) enum Expectation {
    /// A reply with this code.
    Code(&'static str),
    /// A reply with one of these codes, depending on who is first.
    OneOf(&'static [&'static str]),
    /// A reply with this code, and this value at this place in it.
    Says(&'static str, &'static str, Value),
    /// A JSON-RPC error with this code.
    RpcError(i64),
    /// Nothing: what was sent asks for no answer.
    Silence,
    /// An HTTP answer with one of these statuses.
    Status(&'static [u16]),
}

/// What may be different afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing at all, and the same request gets the same answer again.
    Nothing,
    /// The agent's own workspace; the same request gets the same answer again.
    Workspace,
}

/// A change of the disk that an attacker makes, by paths on the stage.
pub(crate) enum Tampering {
    /// Writes a file, whatever was there before.
    Write(String, Vec<u8>),
    /// Replaces a text in a file.
    Edit(String, &'static str, &'static str),
    /// Changes a text inside a base64 payload of a sidecar.
    Payload(String, &'static str, (&'static str, &'static str)),
    /// Removes a file.
    Remove(String),
    /// Renames a file or a folder.
    Rename(String, String),
    /// Copies a file, whatever was there before.
    Copy(String, String),
    /// Puts a symbolic link there.
    Link(String, String),
    /// Puts a named pipe there.
    Pipe(String),
    /// Puts an empty folder there.
    Folder(String),
    /// Sets the permissions.
    Mode(String, u32),
}

/// A case of an area without tampering.
pub(crate) fn case(
    area: &'static str,
    name: impl Into<String>,
    request: Request,
    expects: Expectation,
) -> AttackCase {
    let name = name.into();
    AttackCase { area, name, tampering: Vec::new(), request, expects, effect: Effect::Nothing }
}

impl AttackCase {
    /// The same after changes of the disk.
    pub(crate) fn after(mut self, tampering: impl IntoIterator<Item = Tampering>) -> Self {
        self.tampering.extend(tampering);
        self
    }

    /// The same with an effect on the agent's own workspace.
    pub(crate) fn in_workspace(mut self) -> Self {
        self.effect = Effect::Workspace;
        self
    }
}

/// A tool call over MCP.
pub(crate) fn tool(name: &'static str, arguments: Value) -> Request {
    Request::Tool(name, arguments)
}

/// A call of `load`.
pub(crate) fn load(item_type: &str, item_id: &str) -> Request {
    Request::Tool("load", json!({ "item_type": item_type, "item_id": item_id }))
}

/// A call of `execute` that runs an item.
pub(crate) fn execute(item_id: &str, parameters: &Value) -> Request {
    let item = json!({ "item_type": "tool", "item_id": item_id, "parameters": parameters });
    Request::Tool("execute", item)
}

/// Writes a text file.
pub(crate) fn write(path: impl Into<String>, text: impl Into<Vec<u8>>) -> Tampering {
    Tampering::Write(path.into(), text.into())
}

impl Expectation {
    /// The expectation as the document shows it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Code(code) => format!("`{code}`"),
            Self::OneOf(codes) => {
                let codes = codes.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>();
                format!("one of {}", codes.join(", "))
            }
            Self::Says(code, at, value) => format!("`{code}`, `{at}` is `{value}`"),
            Self::RpcError(code) => format!("JSON-RPC error {code}"),
            Self::Silence => "no answer".to_owned(),
            Self::Status(all) => {
                let all = all.iter().map(u16::to_string).collect::<Vec<_>>();
                format!("HTTP {}", all.join(" or "))
            }
        }
    }
}

impl Request {
    /// The request as the document shows it: one line, shortened.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Tool(name, arguments) => format!("{name} {arguments}"),
            Self::Keyboard(name, arguments) => format!("mere call {name} {arguments}"),
            Self::Line(bytes) | Self::Http(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Self::Person(words) => format!("mere {words}"),
        }
    }
}
