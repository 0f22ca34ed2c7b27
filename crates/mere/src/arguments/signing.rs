//! The arguments of the commands that sign, verify and edit items.
//!
//! Names and patterns become a selection here; the engine finds the items.

use std::str::FromStr;

use clap::Args;
use mere_core::item::Scope;
use mere_core::request::{
    AfterSigning, GitStaging, ItemMatcher, ItemSelection, Relocking, SelectedItems,
};
use mere_core::trust::Fingerprint;
use mere_engine::TypedPath;

use super::items::{AnswerArguments, ItemArguments, ScopeArgument, SourceArguments, TypeArgument};
use super::typed_parser;

/// Which items: a type with names or patterns, or patterns alone.
#[derive(Args)]
pub(crate) struct SelectionArguments {
    /// A type, a type followed by ids or patterns such as 'api/*', or patterns alone
    #[arg(value_name = "TYPE ID|GLOB")]
    words: Vec<String>,
    /// All items
    #[arg(long, conflicts_with = "words")]
    pub(crate) all: bool,
    /// Items with files that are staged for the next commit
    #[arg(long, conflicts_with_all = ["words", "all"])]
    pub(crate) staged: bool,
    /// Only in this scope
    #[arg(long, value_enum)]
    scope: Option<ScopeArgument>,
}

impl SelectionArguments {
    /// Returns the selection, or `otherwise` if nothing is named.
    pub(crate) fn selection(&self, otherwise: SelectedItems) -> Result<ItemSelection, String> {
        let scope = self.scope.map(Scope::from);
        let Some((first, rest)) = self.words.split_first() else {
            let which = match (self.all, self.staged) {
                (true, _) => SelectedItems::All,
                (_, true) => SelectedItems::Staged,
                _ => otherwise,
            };
            return Ok(ItemSelection { kind: None, scope, which });
        };
        let kind = first.parse::<TypeArgument>().ok().map(|kind| kind.kind);
        let names = if kind.is_some() { rest } else { &self.words[..] };
        let names = names.iter().map(|name| parse_wanted(name)).collect::<Result<Vec<_>, _>>()?;
        let which = if names.is_empty() { SelectedItems::All } else { SelectedItems::Named(names) };
        Ok(ItemSelection { kind, scope, which })
    }
}

fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '[', '{'])
}

fn parse_wanted(word: &str) -> Result<ItemMatcher, String> {
    fn parse_word<T: FromStr<Err: ToString>>(word: &str) -> Result<T, String> {
        word.parse().map_err(|error: T::Err| format!("`{word}`: {}", error.to_string()))
    }
    if is_pattern(word) {
        return parse_word(word).map(ItemMatcher::Matching);
    }
    parse_word(word).map(ItemMatcher::Item)
}

/// Shows how each item differs from what was signed, and asks; items named exactly are signed at
/// once.
///
/// Without arguments it covers every item that is changed, out of place, a draft, or unsigned where
/// a signature is required, and what agents propose.
#[derive(Args)]
#[command(after_help = "Examples:
  mere sign                          one after the other, each with its difference
  mere sign --dry-run                only show the differences
  mere sign directive release/deploy
  mere sign tool 'api/*'
  mere sign --all --relock           also pin again the tools that had a lockfile
  mere sign --staged                 sign what the next commit changes, and stage the signatures")]
pub(crate) struct SignArguments {
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Show what differs from what was signed, and sign nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Also pin again every tool whose lockfile no longer matches; at a terminal you are asked
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) relock: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl SignArguments {
    /// Returns what follows the signatures.
    pub(crate) fn after(&self) -> AfterSigning {
        AfterSigning {
            staging: if self.selection.staged { GitStaging::Add } else { GitStaging::Leave },
            relocking: if self.relock { Relocking::Follow } else { Relocking::Leave },
        }
    }
}

/// The exit status is 4 if anything is broken, lacks a trusted signature where one is required, or
/// is older than `--min-version-file` allows.
#[derive(Args)]
#[command(after_help = "Examples:
  mere verify
  mere verify skill code-review
  mere verify --staged                            before a commit
  mere verify --all --admin SHA256:… --sarif out.sarif     in CI, without local state")]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) selection: SelectionArguments,
    /// Trust only the team's roster, if this admin signed it, and read none of your own settings;
    /// if repeated, all of them must have signed
    #[arg(long, value_name = "SHA256:…")]
    pub(crate) admin: Vec<Fingerprint>,
    /// With --admin: refuse a roster with a lower serial, such as one from before a removal
    #[arg(long, value_name = "N", default_value_t = 0, requires = "admin")]
    pub(crate) min_serial: u64,
    /// Also demand the items that FILE names, each in at least its version; a JSON object such as
    /// {"tool:api/deploy": "1.2.0"}
    #[arg(long, value_name = "FILE", value_parser = typed_parser())]
    pub(crate) min_version_file: Option<TypedPath>,
    /// Succeed without a word where there is no space, for hooks that run in every folder
    #[arg(long)]
    pub(crate) if_space: bool,
    /// Also write the findings to FILE, in SARIF, the format that code hosts read
    #[arg(long, value_name = "FILE", value_parser = typed_parser())]
    pub(crate) sarif: Option<TypedPath>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Lists the signatures that an item had in the history of the project, the newest first. When one
/// was made is what its signer claims; one by a key that nobody here knows cannot be checked.
#[derive(Args)]
#[command(after_help = "Example:
  mere log note style")]
pub(crate) struct LogArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The arguments for an item to work on.
#[derive(Args)]
pub(crate) struct EditArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
