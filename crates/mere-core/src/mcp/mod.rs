//! The protocol that MCP servers speak, as far as a client needs it to use their tools.
//!
//! An [`McpSession`] decides what is said next and understands what comes back; it opens nothing,
//! so that a server in a cell and one on the web are spoken to by the same rules. Whatever a server
//! says is untrusted: it is bounded here, and what a person signed about a tool is compared with
//! what the server says about it before the tool is called.

mod answer;
mod event_stream;
mod manifest;
mod message;
mod pins;
mod remote_tool;
mod session;

pub use answer::ToolAnswer;
pub use event_stream::{EventStream, EventTooLong};
pub use manifest::{McpServerAddress, server_manifest, tool_manifest};
pub use pins::{PinnedPart, ToolPins};
pub use remote_tool::{RemoteTool, RemoteToolFault};
pub use session::{McpFault, McpOutcome, McpRequest, McpSession};

/// The longest message of a server, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// How many bytes all messages of a server may have together.
pub const MAX_SESSION_BYTES: usize = 64 * 1024 * 1024;
