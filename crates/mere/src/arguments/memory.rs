//! The commands with which a person keeps memories.

use clap::{ArgGroup, Args, Subcommand, ValueEnum};
use mere_core::digest::Sha256;
use mere_core::item::{Category, MemoryPath};
use mere_core::name::ModName;
use mere_core::request::MemorySort;

use super::{AnswerArguments, ContentArguments, Moment};

/// Memories.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory create standards/errors 'Every error says what to do.'
  mere memory list standards
  mere memory get standards/errors
  mere memory recent")]
pub(crate) struct MemoryArguments {
    #[command(subcommand)]
    pub(crate) what: MemoryCommandArguments,
    /// The store of memories [default: `settings.defaultStore`, else the first]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) store: Option<ModName>,
}

#[derive(Subcommand)]
pub(crate) enum MemoryCommandArguments {
    /// Keep a memory
    ///
    /// Its category must be there; nothing is overwritten. Without TEXT and FILE it is read from
    /// standard input, where that is no terminal.
    Create(CreateMemoryArguments),
    /// Show a memory
    ///
    /// On a terminal with its tags and times; to a file or a program its content alone.
    #[command(visible_alias = "show")]
    Get(GetMemoryArguments),
    /// Change a memory
    ///
    /// What is not named stays.
    Update(UpdateMemoryArguments),
    /// Move or rename a memory
    ///
    /// The category it goes to must be there; nothing is overwritten.
    Move(MoveMemoryArguments),
    /// Remove a memory
    ///
    /// Asks first.
    #[command(visible_alias = "delete")]
    Remove(RemoveMemoryArguments),
    /// List the memories of a category and below, or of the whole store
    ///
    /// And the categories right below, with how many memories each has.
    List(ListMemoriesArguments),
    /// List what was changed last
    ///
    /// Of the whole store, the newest first.
    Recent(RecentArguments),
    /// Delete the memories that have expired
    ///
    /// Shows what would go, and asks. Until then an expired memory is only hidden.
    Prune(PruneArguments),
}

/// A memory that is to be.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory create todo/rotate-keys 'Rotate the keys in March.' --expires-at 30d
  mere memory create decisions/database --file notes.md --tag storage --tag sql
  git log -1 --format=%B | mere memory create decisions/release --citation HEAD")]
pub(crate) struct CreateMemoryArguments {
    /// category/slug, or a slug alone
    pub(crate) path: MemoryPath,
    #[command(flatten)]
    pub(crate) content: ContentArguments,
    /// A tag; may be repeated
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// From when on it is hidden: 2027-01-31T12:00:00Z, or 12h, 30d, 2w from now
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<Moment>,
    /// What it rests on; may be repeated
    #[arg(long, value_name = "CITATION")]
    pub(crate) citation: Vec<String>,
    /// Who or what it is from
    #[arg(long)]
    pub(crate) source: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Which memory is shown.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory get standards/errors
  mere memory get standards/errors > errors.md
  mere memory get todo/rotate-keys --include-expired --json")]
pub(crate) struct GetMemoryArguments {
    /// category/slug, or a slug alone
    pub(crate) path: MemoryPath,
    /// Even if it has expired
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// What a memory says from now on.
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
    /// category/slug, or a slug alone
    pub(crate) path: MemoryPath,
    #[command(flatten)]
    pub(crate) content: ContentArguments,
    /// A tag, in place of those it has; may be repeated
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// Take its tags away
    #[arg(long, conflicts_with = "tag")]
    pub(crate) no_tags: bool,
    /// From when on it is hidden: 2027-01-31T12:00:00Z, or 12h, 30d, 2w from now
    #[arg(long, value_name = "TIME")]
    pub(crate) expires_at: Option<Moment>,
    /// Let it never expire
    #[arg(long, conflicts_with = "expires_at")]
    pub(crate) never_expires: bool,
    /// What it rests on, in place of what it says; may be repeated
    #[arg(long, value_name = "CITATION")]
    pub(crate) citation: Vec<String>,
    /// Take its citations away
    #[arg(long, conflicts_with = "citation")]
    pub(crate) no_citations: bool,
    /// Change it only if it still has this digest, as `get --json` prints it
    #[arg(long, value_name = "SHA256")]
    pub(crate) expect_sha256: Option<Sha256>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Which memory is moved, and where to.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory move scratch decisions/database
  mere memory move todo/keys todo/rotate-keys")]
pub(crate) struct MoveMemoryArguments {
    /// Where it lies
    pub(crate) from: MemoryPath,
    /// Where it goes
    pub(crate) to: MemoryPath,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Which memory is removed.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory remove todo/rotate-keys
  mere memory remove todo/rotate-keys --yes")]
pub(crate) struct RemoveMemoryArguments {
    /// category/slug, or a slug alone
    pub(crate) path: MemoryPath,
    /// Say yes without being asked
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Which memories are listed.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory list
  mere memory list standards --sort recent --limit 20
  mere memory list --include-expired --store notes")]
pub(crate) struct ListMemoriesArguments {
    /// In this category and below [default: the whole store]
    pub(crate) category: Option<Category>,
    /// In which order
    #[arg(long, value_enum, default_value_t = SortArgument::Path)]
    pub(crate) sort: SortArgument,
    /// How many at most, up to 10000 [default: all]
    #[arg(long, value_name = "MEMORIES", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub(crate) limit: Option<u16>,
    /// Those that have expired, too
    #[arg(long)]
    pub(crate) include_expired: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// How many memories are listed.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory recent
  mere memory recent --limit 3")]
pub(crate) struct RecentArguments {
    /// How many at most
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

/// Whether it is asked before what has expired goes.
#[derive(Args)]
#[command(after_help = "Examples:
  mere memory prune --dry-run
  mere memory prune --yes --store notes")]
pub(crate) struct PruneArguments {
    /// Show what would go, and delete nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Say yes without being asked
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
    /// What was changed last comes first
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
