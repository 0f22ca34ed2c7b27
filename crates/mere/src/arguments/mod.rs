//! The command line. It is parsed here, and nothing is run.
//!
//! The doc comments in this folder are the help texts that people read.

mod category;
mod content;
mod files;
mod graph;
mod items;
mod keys;
mod mcp;
mod memory;
mod models;
mod moment;
mod run;
mod search;
mod signers;
mod signing;
mod stores;
mod team;

use clap::{Args, Parser, Subcommand};
use mere_core::address::{AgentName, ModName};
use mere_engine::{Mods, Purpose, SessionOptions, SessionState, TypedPath};

pub(crate) use category::{
    CategoryArguments, CategoryCommandArguments, CreateCategoryArguments, DeleteCategoryArguments,
};
pub(crate) use content::{ContentArguments, ContentSource};
pub(crate) use files::{
    AllowArguments, ColourArgument, GlobArguments, GrepArguments, PageArguments, ReadArguments,
    ToolsetArgument, TreeArguments,
};
pub(crate) use graph::GraphArguments;
pub(crate) use items::{
    AnswerArguments, ConfigArguments, ConfigCommand, CopyArguments, DeleteArguments,
    DoctorArguments, IndexArguments, InitArguments, ListArguments, MoveArguments, NewArguments,
    RenameArguments, ReviewArguments, ShowArguments, TemplateArgument, WhyArguments,
};
pub(crate) use keys::{GenerateArguments, KeysArguments, KeysCommandArguments, RotateArguments};
pub(crate) use mcp::{McpArguments, McpCommand, TokenArguments, TokenCommand};
pub(crate) use memory::{
    CreateMemoryArguments, ListMemoriesArguments, MemoryArguments, MemoryCommandArguments,
    PruneArguments, RemoveMemoryArguments, UpdateMemoryArguments,
};
pub(crate) use models::{ModelArguments, ModelCommandArguments, ModelNameArgument};
pub(crate) use moment::Moment;
pub(crate) use run::{ChainArguments, LockArguments, PrepareArguments, RunArguments};
pub(crate) use search::SearchArguments;
pub(crate) use signers::SignersCommand;
pub(crate) use signing::{EditArguments, SignArguments, VerifyArguments};
pub(crate) use stores::{
    InitStoreArguments, ModeArgument, StoreArguments, StoreCommandArguments, StoreTemplateArgument,
};
pub(crate) use team::{
    JoinArguments, LeaveArguments, RemoveMemberArguments, TeamArguments, TeamCommandArguments,
    TeamSignArguments,
};

/// The home for what AI agents use: workflows, tools, notes and memories as plain files, in a
/// project they cannot leave.
///
/// Everything an agent sees is named by an address such as `ROOT_PROJECT:/src/a.rs`, never by a
/// path on this machine.
#[derive(Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) location: LocationArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  mere init                             create a space with an example of each type
  mere list                             what is in it
  mere search retry with backoff        find items and memories
  mere memory recent                    the memories changed last
  mere run hello_tool --param name=Ada  run a tool in a sandbox
  mere call dir '{\"command\":\"list\"}'    what an agent sees in this project
  mere mcp                              serve an agent over MCP on standard input and output
  mere grep 'fn main' src               find lines, as an agent would
  mere allow .env                       show a sensitive file to agents
  mere trust project                    trust this project's config to add extra folders

Exit status: 0 success, 1 invalid or refused, 2 wrong usage, 3 denied, 4 something is broken,
5 a tool ran and failed";

/// Where the command runs.
#[derive(Args)]
pub(crate) struct LocationArguments {
    /// The project [default: `MERE_PROJECT`, else what `mere where` finds in the parent folders,
    /// else the working directory]
    #[arg(long, global = true, value_name = "DIR", value_parser = typed_parser())]
    project: Option<TypedPath>,
    /// Run as if started in DIR
    #[arg(short = 'C', global = true, value_name = "DIR", value_parser = typed_parser())]
    directory: Option<TypedPath>,
}

/// Whose session it is, and what it shows.
#[derive(Args, Default)]
pub(crate) struct SessionArguments {
    /// The agent's name, which also names its workspace [default: `MERE_AGENT`, else the MCP
    /// client's name, else `default`]
    #[arg(long, value_name = "NAME")]
    agent: Option<AgentName>,
    /// Leave out all extra folders (`mods:` in config.yaml, and stores located elsewhere)
    #[arg(long)]
    no_mods: bool,
    /// The memory store [default: `settings.defaultStore`, else the first]
    #[arg(long, value_name = "NAME")]
    store: Option<ModName>,
    #[arg(skip)]
    purpose: Purpose,
}

impl SessionArguments {
    /// Returns the options for a person's session with a store.
    pub(crate) fn for_store(store: Option<ModName>) -> Self {
        Self { store, ..Self::default() }
    }

    /// Returns the options for a person's session in which a tool is run.
    pub(crate) fn for_run() -> Self {
        Self { purpose: Purpose::Run, ..Self::default() }
    }
}

impl LocationArguments {
    pub(crate) fn session_options(
        self,
        session: &SessionArguments,
        memory: SessionState,
    ) -> SessionOptions {
        let mods = if session.no_mods { Mods::Off } else { Mods::Configured };
        SessionOptions {
            project: self.project,
            directory: self.directory,
            agent: session.agent.clone(),
            mods,
            state: memory,
            store: session.store.clone(),
            purpose: session.purpose,
        }
    }

    pub(crate) fn project(&self) -> Option<&TypedPath> {
        self.project.as_ref()
    }

    pub(crate) fn directory(&self) -> Option<&TypedPath> {
        self.directory.as_ref()
    }
}

fn typed_parser() -> impl clap::builder::TypedValueParser<Value = TypedPath> {
    clap::builder::TypedValueParser::map(clap::builder::OsStringValueParser::new(), TypedPath::from)
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Create a space: the .ai folder that holds items
    Init(InitArguments),
    /// List the items of the project and of the user
    List(ListArguments),
    /// Find directives, tools, knowledge and memories
    ///
    /// Searches what they say and mean, in the project and in your own space. A query may have
    /// words, "a phrase", begin*, -without, tag:x, category:x and type:x; any text is a valid
    /// query.
    Search(Box<SearchArguments>),
    /// Show an item: its text, and who signed it
    Show(ShowArguments),
    /// Keep memories: short notes in a store
    ///
    /// A memory is a Markdown note at a path such as api/auth/tokens. Agents keep theirs in the
    /// same store, by the same rules.
    Memory(Box<MemoryArguments>),
    /// Manage the categories of a store
    ///
    /// A category is a folder of the store. The categories named in config.yaml are protected, and
    /// the store's mode says who may create others.
    Category(CategoryArguments),
    /// Manage memory stores
    ///
    /// A store is a folder of memories. config.yaml names the stores and says how strict their
    /// categories are.
    Store(StoreArguments),
    /// Create an item from a template
    New(NewArguments),
    /// Copy an item between your own space and the project's
    Copy(CopyArguments),
    /// Move an item to another category
    Move(MoveArguments),
    /// Rename an item
    Rename(RenameArguments),
    /// Delete an item
    Delete(DeleteArguments),
    /// Show everything a name could mean, and which item wins
    Why(WhyArguments),
    /// Sign items, after showing what has changed
    Sign(SignArguments),
    /// Check that items are unchanged and are where they were signed for
    Verify(VerifyArguments),
    /// Work on an item for a while
    ///
    /// While an item is a draft, its content may change but its location may not.
    #[command(after_help = "Example:
  mere draft directive release/deploy     for 12 hours, or until `mere sign`")]
    Draft(EditArguments),
    /// Edit an item and sign it
    ///
    /// Opens `VISUAL` or `EDITOR`, and signs the item when the editor closes.
    #[command(after_help = "Example:
  mere edit note style")]
    Edit(EditArguments),
    /// Review the changes that agents propose
    Review(ReviewArguments),
    /// Run a tool in a sandbox
    Run(RunArguments),
    /// Show the chain of tools that runs a tool, and its config
    Chain(ChainArguments),
    /// Pin everything that a tool runs on
    Lock(LockArguments),
    /// Fetch the packages that a tool needs
    Prepare(PrepareArguments),
    /// Draw how knowledge entries are linked, or check their links
    Graph(GraphArguments),
    /// Check everything, and say how to fix it
    Doctor(DoctorArguments),
    /// Write or check the index of items
    Index(IndexArguments),
    /// Manage the models that search by meaning uses
    Model(ModelArguments),
    /// Check the configuration
    Config(ConfigArguments),
    /// Make one call exactly as an agent would, and print the reply as JSON
    Call(CallArguments),
    /// Serve agents over MCP, on standard input and output or over HTTP
    Mcp(McpArguments),
    /// Print a file
    Read(ReadArguments),
    /// Find files by name
    Glob(GlobArguments),
    /// Find lines by a regular expression
    Grep(GrepArguments),
    /// Show the folder tree below a folder
    Tree(TreeArguments),
    /// Show sensitive files of this project to agents
    Allow(AllowArguments),
    /// Manage whose signatures count in this project
    Team(TeamArguments),
    /// Trust the signatures of this project's team, after showing who is in it
    Join(JoinArguments),
    /// Forget the team of this project
    Leave(LeaveArguments),
    /// Manage your own keys, which you sign with
    Keys(KeysArguments),
    /// Manage whose signatures you trust, and which projects' configs
    Trust(TrustArguments),
    /// Show where the project is and how it was found, and the address of a path
    Where(WhereArguments),
}

impl Command {
    /// Starts the log that suits the command.
    pub(crate) fn start_log(&self) -> std::io::Result<()> {
        match self {
            Self::Call(call) => call.log.map_or(Ok(()), |level| {
                crate::log::start_plain(level);
                Ok(())
            }),
            Self::Mcp(mcp) => crate::log::start_json(mcp.log, mcp.log_file.as_ref()),
            _ => {
                crate::log::start_plain(tracing::Level::ERROR);
                Ok(())
            }
        }
    }
}

/// The exit status shows the kind of reply: 0 success, 1 invalid, 3 denied, 4 error; 2 is wrong
/// usage.
#[derive(Args)]
#[command(after_help = "Examples:
  mere call dir
  mere call dir '{\"command\":\"tree\",\"path\":\"src\",\"depth\":2}'
  mere call --list")]
pub(crate) struct CallArguments {
    /// The tool to call, such as `dir`
    #[arg(required_unless_present = "list")]
    pub(crate) tool: Option<String>,
    /// Its arguments, one JSON object
    #[arg(default_value = "{}")]
    pub(crate) json: String,
    /// Print every tool with its schemas instead
    #[arg(long, exclusive = true)]
    pub(crate) list: bool,
    /// Log to standard error from this level up; the log may name host paths
    #[arg(long, value_name = "LEVEL")]
    pub(crate) log: Option<tracing::Level>,
    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

/// This command is for the operator: it prints host paths, which agents never see.
#[derive(Args)]
#[command(after_help = "Examples:
  mere where
  mere where src/main.rs
  mere where --json /etc/hosts")]
pub(crate) struct WhereArguments {
    /// A path to locate: shows its address and which boundary it is in
    #[arg(value_parser = typed_parser())]
    pub(crate) path: Option<TypedPath>,
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The agent whose workspace is shown
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<AgentName>,
}

/// Trust is yours alone: nothing in a project can add to it.
#[derive(Args)]
#[command(after_help = "Examples:
  mere trust add ada.pub --name Ada        trust what Ada signs
  mere trust list                          whose signatures count
  mere trust revoke Ada                    never trust that key again
  mere trust project                       trust this project's config to add extra folders")]
pub(crate) struct TrustArguments {
    #[command(subcommand)]
    pub(crate) what: TrustCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum TrustCommandArguments {
    /// Let this project's .ai/config.yaml widen what agents see
    ///
    /// A repository's config may name folders outside the project. Such settings count only after
    /// this command has shown them and you have said yes to exactly those.
    #[command(after_help = "Examples:
  mere trust project             show what agents would see, ask, and record
  mere trust project --revoke    revoke it")]
    Project {
        /// Answer yes to all questions
        #[arg(long, short)]
        yes: bool,
        /// Forget what was recorded for this project
        #[arg(long, conflicts_with = "yes")]
        revoke: bool,
    },
    #[command(flatten)]
    Keys(SignersCommand),
}

#[cfg(test)]
mod tests {
    mod memory;

    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Arguments::command().debug_assert();
    }
}
