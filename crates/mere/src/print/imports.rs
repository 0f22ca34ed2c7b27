//! How the tools of another MCP server look to a person before and after they are imported.

use std::fmt::Write;

use serde::Deserialize;

use super::Printer;
use super::items::{FAINT, STRONG};
use super::reply::ReplyView;

/// The data of a reply to a step of `mere import-mcp`.
#[derive(Deserialize)]
pub(crate) struct ImportedTools {
    tools: Vec<ImportedTool>,
    left: Vec<LeftTool>,
    /// The digest of what would be written.
    #[serde(default)]
    pub(crate) digest: Option<String>,
}

#[derive(Deserialize)]
struct ImportedTool {
    name: String,
    state: String,
    address: String,
    manifest: String,
}

#[derive(Deserialize)]
struct LeftTool {
    name: String,
    why: String,
}

/// The data of a run that listed no tools.
#[derive(Deserialize)]
pub(crate) struct SilentServer {
    stderr: String,
}

impl ImportedTools {
    /// Returns whether something would be written.
    pub(crate) fn has_changes(&self) -> bool {
        self.tools.iter().any(|tool| tool.state != "unchanged")
    }
}

impl Printer {
    /// Formats what a server says about its tools: each manifest that would be written, in full.
    pub(crate) fn import_plan(&self, reply: &ReplyView<ImportedTools>) -> String {
        let mut out = String::new();
        for tool in reply.data.tools.iter().filter(|tool| tool.state != "unchanged") {
            let address = self.paint(&self.escape_controls(&tool.address), STRONG);
            let _ = writeln!(out, "{address}  {}", self.paint(&tool.state, FAINT));
            for line in tool.manifest.lines() {
                let _ = writeln!(out, "  {}", self.escape_controls(line));
            }
        }
        for left in &reply.data.left {
            let name = self.paint(&self.escape_controls(&left.name), STRONG);
            let why = self.escape_controls(&left.why);
            let _ = writeln!(out, "{name}  is left out: {why}");
        }
        out
    }

    /// Formats what was imported.
    pub(crate) fn imported(&self, reply: &ReplyView<ImportedTools>) -> String {
        let lines = reply.data.tools.iter().map(|tool| {
            let address = self.paint(&self.escape_controls(&tool.address), STRONG);
            let name = self.escape_controls(&tool.name);
            format!("{address}  {name}, {}\n", tool.state)
        });
        self.with_sentence(lines.collect(), reply)
    }

    /// Formats why a server listed no tools.
    pub(crate) fn silent_server(&self, reply: &ReplyView<SilentServer>) -> String {
        let stderr = reply.data.stderr.lines().map(|line| self.escape_controls(line) + "\n");
        format!("{}{}\n", stderr.collect::<String>(), self.escape_controls(&reply.message))
    }
}
