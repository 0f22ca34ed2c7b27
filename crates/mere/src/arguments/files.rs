//! The commands with which a person looks at files: the same calls an agent makes.

#![expect(clippy::doc_markdown, reason = "clap prints these comments as they are")]

use clap::{Args, ValueEnum};
use mere_core::request::Toolset;
use mere_engine::TypedPath;

use super::{SessionArguments, typed_parser};

/// Lines of a text file, or what a binary one is.
#[derive(Args)]
#[command(after_help = "Examples:
  mere read src/main.rs
  mere read ROOT_USER:/config.yaml
  mere read --offset 100 --limit 20 CHANGELOG.md")]
pub(crate) struct ReadArguments {
    /// A path, or an address such as ROOT_PROJECT:/src/main.rs
    #[arg(value_parser = typed_parser())]
    pub(crate) path: TypedPath,
    /// The first line, from 1 [default: 1]
    #[arg(long, value_name = "LINE")]
    pub(crate) offset: Option<u64>,
    /// How many lines [default: all]
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
    /// How many files at most [default: all]
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
    /// Case does not count
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// Lines around each match
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    pub(crate) context: u64,
    /// Only in files that match, such as '*.rs'
    #[arg(short, long, value_name = "PATTERN")]
    pub(crate) glob: Option<String>,
    /// How many matches at most [default: all]
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
    /// How many levels, 1 to 16
    #[arg(long, value_name = "LEVELS", default_value_t = 3)]
    pub(crate) depth: u64,
    #[command(flatten)]
    pub(crate) page: PageArguments,
}

/// For whom, and how the answer is printed.
#[derive(Args)]
pub(crate) struct PageArguments {
    /// Print the reply as JSON: one page
    #[arg(long)]
    pub(crate) json: bool,
    /// Begin with the page that `next` of a reply names
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
/// are masked, until you allow it here. What you allow is recorded on this machine, for this
/// project.
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
    /// Take it back
    #[arg(long, value_name = "ADDRESS", value_parser = typed_parser(), conflicts_with = "address")]
    pub(crate) revoke: Option<TypedPath>,
    /// Print a reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Groups of tools that an agent is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolsetArgument {
    /// What works with items
    Items,
    /// What works with memories
    Memory,
    /// `glob`, `grep`, `write`, `edit`, `patch_section`
    Files,
}

impl ToolsetArgument {
    /// Whether a tool of that group is listed with this one.
    pub(crate) fn includes(self, toolset: Toolset) -> bool {
        matches!(
            (self, toolset),
            (Self::Files, Toolset::Files)
                | (Self::Items, Toolset::Items)
                | (Self::Memory, Toolset::Memory)
        )
    }
}
