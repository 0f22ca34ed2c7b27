//! The command of people that imports the tools of another MCP server.

use crate::digest::Sha256;
use crate::item::{ItemRef, Scope, ToolPermissions};
use crate::mcp::McpServerAddress;

/// One step of the import of a server's tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportMcp {
    /// The tool that stands for the server.
    pub server: ItemRef,
    /// The scope of everything that is written.
    pub scope: Scope,
    /// What to do.
    pub step: ImportStep,
}

/// What is done in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportStep {
    /// Writes and signs the manifest of the server, unless it is there.
    AddServer {
        /// Where the server is.
        address: McpServerAddress,
        /// What it asks for.
        permissions: ToolPermissions,
    },
    /// Asks the server for its tools, and shows what would be written.
    Plan,
    /// Asks again, and writes and signs what was shown.
    Write {
        /// The digest of what was shown.
        shown: Sha256,
    },
}
