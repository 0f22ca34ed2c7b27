//! The request to write items in the formats of other programs.

use super::PersonFile;

/// A command that writes items in the format of another program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportItems {
    /// The format.
    pub format: ExportFormat,
    /// The folder to write to, if the person named one.
    pub out: Option<PersonFile>,
    /// Whether to write, or only to compare.
    pub mode: ExportMode,
}

/// A format of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Folders with a `SKILL.md`.
    AgentSkills,
    /// A list in `AGENTS.md`.
    AgentsMd,
    /// Rules of Cursor, `.mdc`.
    Cursor,
    /// A plugin of Claude Code, with skills.
    ClaudePlugin,
}

impl ExportFormat {
    /// Returns the name that a person gives it.
    pub fn name(self) -> &'static str {
        match self {
            Self::AgentSkills => "agent-skills",
            Self::AgentsMd => "agents-md",
            Self::Cursor => "cursor",
            Self::ClaudePlugin => "claude-plugin",
        }
    }
}

/// Whether an export writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportMode {
    /// Writes what differs.
    Write,
    /// Only says what differs.
    Check,
}
