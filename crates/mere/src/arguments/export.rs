//! The arguments of the command that exports items.

use clap::{Args, ValueEnum};
use mere_core::request::{ExportFormat, ExportItems, ExportMode, ItemCommand, PersonFile};

use super::AnswerArguments;
use super::keys::file_parser;

/// Agent Skills are written byte for byte; other directives become a SKILL.md with their category and
/// version in its metadata. A file that this command has not written is never overwritten, and in
/// AGENTS.md only a block of its own is changed.
#[derive(Args)]
#[command(after_help = "Examples:
  mere export --to agent-skills                   into .agents/skills
  mere export --to agents-md                      a list in AGENTS.md
  mere export --to cursor --check                 exit status 4 if .cursor/rules is not up to date
  mere export --to claude-plugin --out plugin     a plugin with skills")]
pub(crate) struct ExportArguments {
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: ExportFormatArgument,
    /// Write nothing; the exit status is 4 if something would be written
    #[arg(long)]
    check: bool,
    /// The folder to write to [default: where the clients of the project look for it]
    #[arg(long, value_name = "DIR", value_parser = file_parser())]
    out: Option<PersonFile>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum ExportFormatArgument {
    /// Folders with a SKILL.md
    AgentSkills,
    /// A block in AGENTS.md that lists the directives
    AgentsMd,
    /// Rules of Cursor
    Cursor,
    /// A plugin of Claude Code
    ClaudePlugin,
}

impl ExportArguments {
    /// Makes the request.
    pub(crate) fn to_request(&self) -> ItemCommand {
        ItemCommand::Export(ExportItems {
            format: match self.to {
                ExportFormatArgument::AgentSkills => ExportFormat::AgentSkills,
                ExportFormatArgument::AgentsMd => ExportFormat::AgentsMd,
                ExportFormatArgument::Cursor => ExportFormat::Cursor,
                ExportFormatArgument::ClaudePlugin => ExportFormat::ClaudePlugin,
            },
            out: self.out.clone(),
            mode: if self.check { ExportMode::Check } else { ExportMode::Write },
        })
    }
}
