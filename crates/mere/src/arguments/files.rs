//! The arguments of the commands with which a person looks at files: the same calls that an agent
//! makes.

#![expect(clippy::doc_markdown, reason = "clap prints these comments as they are")]

use clap::{Args, ValueEnum};
use mere_core::request::Toolset;
use mere_engine::TypedPath;

use super::{SessionArguments, typed_parser};

/// Lines of a text file, or a description of a binary file.
#[derive(Args)]
#[command(after_help = "Examples:
  mere read src/main.rs
  mere read ROOT_USER:/config.yaml
  mere read --offset 100 --limit 20 CHANGELOG.md")]
pub(crate) struct ReadArguments {
    /// A path, or an address such as ROOT_PROJECT:/src/main.rs
    #[arg(value_parser = typed_parser())]
    pub(crate) path: TypedPath,
    /// The first line to print, counted from 1 [default: 1]
    #[arg(long, value_name = "LINE")]
    pub(crate) offset: Option<u64>,
    /// How many lines to print [default: all]
    #[arg(long, value_name = "LINES")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// Ignored files (.gitignore, .aiignore), .git and node_modules are left out.
#[derive(Args)]
#[command(after_help = "Examples:
  mere glob '*.rs'                 at any depth
  mere glob 'src/**/*.{ts,tsx}'    from the project root
  mere glob '*.md' docs            in a folder")]
pub(crate) struct GlobArguments {
    /// The pattern: *, ?, **, [a-z], {a,b}
    pub(crate) pattern: String,
    /// The folder to look in [default: the project root]
    #[arg(value_parser = typed_parser())]
    pub(crate) path: Option<TypedPath>,
    /// Print at most this many files [default: all]
    #[arg(long, value_name = "FILES")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// Ignored and binary files, .git and node_modules are left out.
#[derive(Args)]
#[command(after_help = "Examples:
  mere grep 'fn main'
  mere grep -i todo src -g '*.rs' --context 2
  mere grep --json 'unwrap\\(\\)'")]
pub(crate) struct GrepArguments {
    /// The regular expression, in Rust's syntax
    pub(crate) pattern: String,
    /// A file or a folder [default: the working directory]
    #[arg(value_parser = typed_parser())]
    pub(crate) path: Option<TypedPath>,
    /// Ignore case
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// How many lines to print around each match
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    pub(crate) context: u64,
    /// Search only files that match this pattern, such as '*.rs'
    #[arg(short, long, value_name = "PATTERN")]
    pub(crate) glob: Option<String>,
    /// Print at most this many matches [default: all]
    #[arg(long, value_name = "MATCHES")]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// Ignored folders, .git and node_modules are left out.
#[derive(Args)]
#[command(after_help = "Examples:
  mere tree
  mere tree src --depth 1
  mere tree ROOT_USER:/")]
pub(crate) struct TreeArguments {
    /// The folder [default: the working directory]
    #[arg(value_parser = typed_parser())]
    pub(crate) path: Option<TypedPath>,
    /// How many levels to show, 1 to 16
    #[arg(long, value_name = "LEVELS", default_value_t = 3)]
    pub(crate) depth: u64,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// Hidden and sensitive files are left out, as an agent sees it.
#[derive(Args)]
#[command(after_help = "Examples:
  mere ls
  mere ls src
  mere ls ROOT_WORKSPACE:/")]
pub(crate) struct LsArguments {
    /// The folder [default: the working directory]
    #[arg(value_parser = typed_parser())]
    pub(crate) path: Option<TypedPath>,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// Which page is printed, how, and for which agent.
#[derive(Args)]
pub(crate) struct PageArguments {
    /// Print one page of the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Start at the page that `next` in a reply names
    #[arg(long, value_name = "NEXT", requires = "json")]
    pub(crate) cursor: Option<String>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColourArgument::Auto)]
    pub(crate) color: ColourArgument,
    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

/// When colours are used.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ColourArgument {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always, for a pager that shows them
    Always,
    /// Never
    Never,
}

/// Show sensitive files of this project to agents.
///
/// Files such as .env and private keys are not visible to agents, and known secrets in other files
/// are masked, until you allow them here. What you allow is recorded on this machine, for this
/// project only.
#[derive(Args)]
#[command(after_help = "Examples:
  mere allow .env                       show one file
  mere allow ROOT_PROJECT:/certs/       and everything in a folder
  mere allow --list
  mere allow --revoke .env")]
pub(crate) struct AllowArguments {
    /// An address or a path inside the project
    #[arg(
        value_name = "ADDRESS", value_parser = typed_parser(),
        required_unless_present_any = ["list", "revoke"]
    )]
    pub(crate) address: Option<TypedPath>,
    /// List what is allowed
    #[arg(long, conflicts_with_all = ["address", "revoke"])]
    pub(crate) list: bool,
    /// Stop showing it
    #[arg(long, value_name = "ADDRESS", value_parser = typed_parser(), conflicts_with = "address")]
    pub(crate) revoke: Option<TypedPath>,
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Groups of tools that are listed to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsetArgument {
    /// The tools for items
    Items,
    /// The tools for memories
    Memory,
    /// `dir`, `read`, `glob`, `grep`, `write`, `edit`, `patch_section`, `delete`, `move`, `mkdir`
    Files,
}

impl ToolsetArgument {
    /// Checks whether tools of the group `toolset` are listed with this argument.
    pub(crate) fn includes(self, toolset: Toolset) -> bool {
        matches!(
            (self, toolset),
            (Self::Files, Toolset::Files | Toolset::Reading)
                | (Self::Items, Toolset::Items)
                | (Self::Memory, Toolset::Memory)
        )
    }
}
