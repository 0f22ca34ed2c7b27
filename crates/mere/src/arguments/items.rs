//! The arguments of the commands for items, and those that other commands share: an item, its
//! scope, and how the answer is printed.
//!
//! Names are parsed here, but nothing is looked up.

use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use mere_core::digest::Sha256;
use mere_core::item::{Category, ItemForm, ItemId, ItemRef, ItemType, Scope};
use mere_core::request::LookupScope;

use super::ColourArgument;

/// A type as a person may name it: directive (skill), tool, knowledge (note), memory, lockfile, and
/// their plurals.
#[derive(Clone, Copy)]
pub(crate) struct TypeArgument {
    pub(crate) kind: ItemType,
    /// How a new item is stored on disk: a skill is a folder.
    pub(crate) form: ItemForm,
}

impl FromStr for TypeArgument {
    type Err = mere_core::item::ItemTypeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form =
            if matches!(text, "skill" | "skills") { ItemForm::Folder } else { ItemForm::Flat };
        Ok(Self { kind: text.parse()?, form })
    }
}

/// Which item is meant.
#[derive(Args)]
pub(crate) struct ItemArguments {
    /// directive (or skill), tool, knowledge (or note), memory, lockfile
    #[arg(value_name = "TYPE")]
    pub(crate) kind: TypeArgument,
    /// Its id, or category/id; a lockfile's id may end in @version
    #[arg(value_name = "ID")]
    pub(crate) item: ItemRef,
}

/// How the answer is printed.
#[derive(Args)]
pub(crate) struct AnswerArguments {
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColourArgument::Auto)]
    pub(crate) color: ColourArgument,
}

/// Where to look for an item.
#[derive(Args)]
pub(crate) struct SourceArguments {
    /// Look only in this scope [default: the project, then the user]
    #[arg(long, value_enum)]
    scope: Option<ScopeArgument>,
}

impl SourceArguments {
    pub(crate) fn source(&self) -> LookupScope {
        self.scope.map_or(LookupScope::Local, |scope| LookupScope::Only(scope.into()))
    }
}

/// Where to change an item. An item in the user's own space is changed only on request.
#[derive(Args)]
pub(crate) struct TargetArguments {
    /// The scope to change it in
    #[arg(long, value_enum, default_value_t = ScopeArgument::Project)]
    scope: ScopeArgument,
}

impl TargetArguments {
    pub(crate) fn source(&self) -> LookupScope {
        LookupScope::Only(self.scope.into())
    }
}

/// A scope on this machine.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// The project's .ai folder
    Project,
    /// Your own space, ~/.ai
    User,
}

impl From<ScopeArgument> for Scope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::Project => Self::Project,
            ScopeArgument::User => Self::User,
        }
    }
}

/// Creates .ai with an example of each type, and tells git what to ignore. Safe to repeat.
#[derive(Args)]
#[command(after_help = "Examples:
  mere init                      in the project
  mere init --user               your own space, ~/.ai
  mere init --template blank     without examples
  mere init --git-hook           also let git check signatures before each commit")]
pub(crate) struct InitArguments {
    /// Create your own space instead of the project's
    #[arg(long)]
    pub(crate) user: bool,
    /// What to put into a new space
    #[arg(long, value_enum, default_value_t = TemplateArgument::Example)]
    pub(crate) template: TemplateArgument,
    /// Let git check signatures before each commit: installs a pre-commit hook
    #[arg(long, conflicts_with = "user")]
    pub(crate) git_hook: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// What a new space contains.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateArgument {
    /// One working item of each type
    Example,
    /// Nothing
    Blank,
}

/// The new file is already valid; edit it from there.
#[derive(Args)]
#[command(after_help = "Examples:
  mere new directive release/deploy
  mere new skill code-review          a folder with SKILL.md
  mere new tool data/clean --user")]
pub(crate) struct NewArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    /// Create it in your own space instead of the project's
    #[arg(long)]
    pub(crate) user: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Broken items are listed with what is wrong.
#[derive(Args)]
#[command(after_help = "Examples:
  mere list
  mere list tools --scope user
  mere list notes --category api")]
pub(crate) struct ListArguments {
    /// List only this type
    #[arg(value_name = "TYPE")]
    pub(crate) kind: Option<TypeArgument>,
    /// List only this scope
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeArgument>,
    /// List only this category and those below it
    #[arg(long)]
    pub(crate) category: Option<Category>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The project's item wins over yours.
#[derive(Args)]
#[command(after_help = "Examples:
  mere show knowledge how-items-work
  mere show tool api/jwt --scope user
  mere show skill code-review --json")]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Nothing is overwritten: an existing item of that name stays.
#[derive(Args)]
#[command(after_help = "Examples:
  mere copy tool api/jwt --to user
  mere copy note style --to project")]
pub(crate) struct CopyArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    /// The scope to copy it to; it is copied from the other one
    #[arg(long, value_enum)]
    pub(crate) to: ScopeArgument,
    /// Sign the copy as its author instead of keeping the author's signature
    #[arg(long)]
    pub(crate) as_mine: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Its id stays. A category named in the file itself is changed as well.
#[derive(Args)]
#[command(after_help = "Examples:
  mere move tool api/jwt security
  mere move note style ''             into no category")]
pub(crate) struct MoveArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    /// The new category; '' for none
    pub(crate) category: Category,
    /// Become its author; without this, an item signed by somebody else is not moved
    #[arg(long)]
    pub(crate) as_mine: bool,
    #[command(flatten)]
    pub(crate) source: TargetArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Links to a renamed knowledge entry are updated in the notes of its scope.
#[derive(Args)]
#[command(after_help = "Examples:
  mere rename note style house-style
  mere rename tool api/jwt token")]
pub(crate) struct RenameArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    /// The new id
    pub(crate) new_id: ItemId,
    /// Become its author; without this, an item signed by somebody else is not renamed
    #[arg(long)]
    pub(crate) as_mine: bool,
    #[command(flatten)]
    pub(crate) source: TargetArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Asks first.
#[derive(Args)]
#[command(after_help = "Examples:
  mere delete note scratch
  mere delete tool api/jwt --scope user --yes")]
pub(crate) struct DeleteArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) source: TargetArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Shows every candidate in every scope, and in the folders that clients read on their own.
#[derive(Args)]
#[command(after_help = "Example:
  mere why skill code-review")]
pub(crate) struct WhyArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The index only saves time: answers are right with and without it.
#[derive(Args)]
#[command(after_help = "Examples:
  mere index               read what has changed, and write .ai/.index.json
  mere index --rebuild     read everything
  mere index --check       compare with the disk; exit status 4 if they differ")]
pub(crate) struct IndexArguments {
    /// Compare it with the disk, and write nothing
    #[arg(long)]
    pub(crate) check: bool,
    /// Read everything again
    #[arg(long, conflicts_with = "check")]
    pub(crate) rebuild: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Review what agents propose: shows each change and asks.
#[derive(Args)]
#[command(after_help = "Examples:
  mere review                        one after the other
  mere review --list
  mere review --show NAME
  mere review --accept NAME          accepts the proposal as it is now, without asking
  mere review --accept NAME --digest SHA256
  mere review --reject NAME")]
pub(crate) struct ReviewArguments {
    /// List the proposals without asking
    #[arg(long)]
    pub(crate) list: bool,
    /// Show one proposal
    #[arg(long, value_name = "NAME", conflicts_with = "list")]
    pub(crate) show: Option<String>,
    /// Accept a proposal
    #[arg(long, value_name = "NAME", conflicts_with_all = ["list", "show"])]
    pub(crate) accept: Option<String>,
    /// With --accept: only if it is still what --show printed this digest for
    #[arg(long, value_name = "SHA256", requires = "accept")]
    pub(crate) digest: Option<Sha256>,
    /// Reject a proposal
    #[arg(long, value_name = "NAME", conflicts_with_all = ["list", "show", "accept"])]
    pub(crate) reject: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
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

/// Checks configs, spaces, keys, trust, the team, and every item with its signatures.
#[derive(Args)]
#[command(after_help = "Examples:
  mere doctor
  mere doctor --fix      repair what needs no decision")]
pub(crate) struct DoctorArguments {
    /// Repair what needs no decision
    #[arg(long)]
    pub(crate) fix: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
