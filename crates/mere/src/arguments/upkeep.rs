//! The arguments of `mere index`, `config`, `space` and `doctor`.
//!
//! They are only turned into requests here.

use clap::{Args, Subcommand};
use mere_core::item::Scope;
use mere_core::request::{DoctorMode, IndexCommand};

use super::AnswerArguments;

/// The index only saves time: answers are right with and without it.
#[derive(Args)]
#[command(after_help = "Examples:
  mere index               read what has changed, and write .ai/.index.json
  mere index --rebuild     read everything
  mere index --check       compare with the disk; exit status 4 if they differ")]
pub(crate) struct IndexArguments {
    /// Compare it with the disk, and write nothing
    #[arg(long)]
    check: bool,
    /// Read everything again
    #[arg(long, conflicts_with = "check")]
    rebuild: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl IndexArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> IndexCommand {
        match (self.check, self.rebuild) {
            (true, _) => IndexCommand::Check,
            (_, true) => IndexCommand::Rebuild,
            _ => IndexCommand::Update,
        }
    }
}

/// The config files of the project and of the user.
#[derive(Args)]
pub(crate) struct ConfigArguments {
    #[command(subcommand)]
    pub(crate) what: ConfigCommand,
}

#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Check both files; the exit status is 4 if one is invalid
    #[command(after_help = "Example:
  mere config check --json")]
    Check(AnswerArguments),
}

/// The id of a space, which its signatures are for.
#[derive(Args)]
pub(crate) struct SpaceArguments {
    #[command(subcommand)]
    pub(crate) what: SpaceCommand,
}

#[derive(Subcommand)]
pub(crate) enum SpaceCommand {
    /// Give a copied space an id of its own
    ///
    /// For a project that was copied from another one or made from a template: until then, it is the
    /// same space. What is signed must be signed again, and a team of the old id no longer decides.
    #[command(after_help = "Examples:
  mere space renew
  mere space renew --user --yes")]
    Renew(RenewSpaceArguments),
}

#[derive(Args)]
pub(crate) struct RenewSpaceArguments {
    /// Renew the id of your own space, ~/.ai
    #[arg(long)]
    user: bool,
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl RenewSpaceArguments {
    /// Returns the scope of the space.
    pub(crate) fn scope(&self) -> Scope {
        if self.user { Scope::User } else { Scope::Project }
    }
}

/// Checks configs, spaces, keys, trust, the team, and every item with its signatures.
#[derive(Args)]
#[command(after_help = "Examples:
  mere doctor
  mere doctor --fix      repair what needs no decision")]
pub(crate) struct DoctorArguments {
    /// Repair what needs no decision
    #[arg(long)]
    fix: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl DoctorArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> DoctorMode {
        if self.fix { DoctorMode::Repair } else { DoctorMode::CheckOnly }
    }
}
