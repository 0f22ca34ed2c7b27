//! The arguments of `mere memory`.
//!
//! Paths, times and numbers are validated here; the store's rules are checked by the engine.

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use mere_core::address::ModName;
use mere_core::digest::ShownDigest;
use mere_core::item::{Category, MemoryPath};
use mere_core::request::{ExpiredMemories, ListMemories, MemoryCall, MemorySort};

use super::{AnswerArguments, ContentArguments, Moment};

/// Commands for memories.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory create standards/errors 'Every error says what to do.'
  mere memory list standards
  mere memory get standards/errors
  mere memory recent")]
pub(crate) struct MemoryArguments {
    #[command(subcommand)]
    pub(crate) what: MemoryCommandArguments,
    /// The memory store [default: `settings.defaultStore`, else the first]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) store: Option<ModName>,
}

#[derive(Subcommand)]
pub(crate) enum MemoryCommandArguments {
    /// Create a memory
    ///
    /// Its category must exist, and nothing is overwritten. Without TEXT and FILE the content is
    /// read from standard input, unless that is a terminal.
    Create(CreateMemoryArguments),
    /// Show a memory
    ///
    /// On a terminal it is shown with its tags and times; in a file or a pipe you get its content
    /// alone.
    #[command(visible_alias = "show")]
    Get(GetMemoryArguments),
    /// Change a memory
    ///
    /// Whatever you do not name stays as it is.
    Update(UpdateMemoryArguments),
    /// Move or rename a memory
    ///
    /// The target category must exist, and nothing is overwritten.
    Move(MoveMemoryArguments),
    /// Remove a memory
    ///
    /// Asks first.
    #[command(visible_alias = "delete")]
    Remove(RemoveMemoryArguments),
    /// List the memories of a category and below, or of the whole store
    ///
    /// Also lists the categories directly below, with how many memories each has.
    List(ListMemoriesArguments),
    /// List the memories changed last
    ///
    /// Covers the whole store, newest first.
    Recent(RecentArguments),
    /// Delete the memories that have expired
    ///
    /// Shows what would be deleted, and asks. Until then an expired memory is only hidden.
    Prune(PruneArguments),
}

/// The arguments for a memory to create.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory create todo/rotate-keys 'Rotate the keys in March.' --expires-at 30d
  mere memory create decisions/database --file notes.md --tag storage --tag sql
  git log -1 --format=%B | mere memory create decisions/release --citation HEAD")]
pub(crate) struct CreateMemoryArguments {
    /// category/slug, or just a slug
    pub(crate) path: MemoryPath,
    #[command(flatten)]
    pub(crate) content: ContentArguments,
    /// A tag; may be repeated
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// When to hide it: 2027-01-31T12:00:00Z, or 12h, 30d, 2w from now
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<Moment>,
    /// What it is based on; may be repeated
    #[arg(long, value_name = "CITATION")]
    pub(crate) citation: Vec<String>,
    /// Who or what it comes from
    #[arg(long)]
    pub(crate) source: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The arguments for a memory to show.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory get standards/errors
  mere memory get standards/errors > errors.md
  mere memory get todo/rotate-keys --include-expired --json")]
pub(crate) struct GetMemoryArguments {
    /// category/slug, or just a slug
    pub(crate) path: MemoryPath,
    /// Show it even if it has expired
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl GetMemoryArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> MemoryCall {
        let expired =
            if self.include_expired { ExpiredMemories::Included } else { ExpiredMemories::Hidden };
        MemoryCall::Get { path: self.path.clone(), expired }
    }
}

/// The arguments for a memory to change.
#[derive(Args)]
#[command(
    group = ArgGroup::new("change").required(true).multiple(true).args([
        "text", "file", "tag", "no_tags", "expires_at", "never_expires", "citation", "no_citations",
    ]),
    override_usage = "mere memory update [OPTIONS] <PATH> [TEXT]",
    after_help = "Examples:
  mere memory update standards/errors 'Every error says what to do, and where.'
  mere memory update standards/errors --file errors.md --expect-sha256 SHA256
  mere memory update todo/rotate-keys --tag urgent --never-expires"
)]
pub(crate) struct UpdateMemoryArguments {
    /// category/slug, or just a slug
    pub(crate) path: MemoryPath,
    #[command(flatten)]
    pub(crate) content: ContentArguments,
    /// A tag, replacing those it has; may be repeated
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Remove its tags
    #[arg(long, conflicts_with = "tag")]
    pub(crate) no_tags: bool,
    /// When to hide it: 2027-01-31T12:00:00Z, or 12h, 30d, 2w from now
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<Moment>,
    /// Let it never expire
    #[arg(long, conflicts_with = "expires_at")]
    pub(crate) never_expires: bool,
    /// What it is based on, replacing its citations; may be repeated
    #[arg(long, value_name = "CITATION")]
    pub(crate) citation: Vec<String>,
    /// Remove its citations
    #[arg(long, conflicts_with = "citation")]
    pub(crate) no_citations: bool,
    /// Change it only if it still has this digest, as `get --json` prints it
    #[arg(long, value_name = "SHA256")]
    pub(crate) expect_sha256: Option<ShownDigest>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl UpdateMemoryArguments {
    /// Returns the new tags, or `None` if they stay as they are.
    pub(crate) fn tags(&self) -> Option<Vec<String>> {
        (self.no_tags || !self.tag.is_empty()).then(|| self.tag.clone())
    }

    /// Returns the new citations, or `None` if they stay as they are.
    pub(crate) fn citations(&self) -> Option<Vec<String>> {
        (self.no_citations || !self.citation.is_empty()).then(|| self.citation.clone())
    }
}

/// The arguments for a memory to move.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory move scratch decisions/database
  mere memory move todo/keys todo/rotate-keys")]
pub(crate) struct MoveMemoryArguments {
    /// Where it is now
    pub(crate) from: MemoryPath,
    /// Where to move it
    pub(crate) to: MemoryPath,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The arguments for a memory to remove.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory remove todo/rotate-keys
  mere memory remove todo/rotate-keys --yes")]
pub(crate) struct RemoveMemoryArguments {
    /// category/slug, or just a slug
    pub(crate) path: MemoryPath,
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The arguments for listing memories.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory list
  mere memory list standards --sort recent --limit 20
  mere memory list --include-expired --store notes")]
pub(crate) struct ListMemoriesArguments {
    /// Only this category and those below it [default: the whole store]
    pub(crate) category: Option<Category>,
    /// The order of the list
    #[arg(long, value_enum, default_value_t = SortArgument::Path)]
    pub(crate) sort: SortArgument,
    /// List at most this many, up to 10000 [default: all]
    #[arg(long, value_name = "MEMORIES", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) limit: Option<u16>,
    /// Include memories that have expired
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl ListMemoriesArguments {
    /// Builds the request for the first page.
    pub(crate) fn to_request(&self) -> ListMemories {
        ListMemories {
            category: self.category.clone().unwrap_or_default(),
            sort: self.sort.into(),
            expired: if self.include_expired {
                ExpiredMemories::Included
            } else {
                ExpiredMemories::Hidden
            },
            ..ListMemories::default()
        }
    }
}

/// The arguments for listing recent memories.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory recent
  mere memory recent --limit 3")]
pub(crate) struct RecentArguments {
    /// List at most this many
    #[arg(long, value_name = "MEMORIES", default_value_t = 10,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
    #[command(flatten)]
    answer: AnswerArguments,
}

impl From<RecentArguments> for ListMemoriesArguments {
    fn from(recent: RecentArguments) -> Self {
        Self {
            category: None,
            sort: SortArgument::Recent,
            limit: Some(recent.limit),
            include_expired: false,
            answer: recent.answer,
        }
    }
}

/// The arguments for deleting what has expired.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory prune --dry-run
  mere memory prune --yes --store notes")]
pub(crate) struct PruneArguments {
    /// Show what would be deleted, and delete nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Answer yes to all questions
    #[arg(long, short, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The order of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortArgument {
    /// By path
    Path,
    /// Changed last first
    Recent,
}

impl From<SortArgument> for MemorySort {
    fn from(sort: SortArgument) -> Self {
        match sort {
            SortArgument::Path => Self::Path,
            SortArgument::Recent => Self::Recent,
        }
    }
}
