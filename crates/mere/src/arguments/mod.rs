//! The command line. It is parsed here, and nothing is run.
//!
//! The doc comments in this folder are the help texts that people read.

mod adopt;
mod calls;
mod category;
mod command;
mod completion;
mod connect;
mod content;
mod export;
mod files;
mod git;
mod grants;
mod graph;
mod grouped_help;
mod import_mcp;
mod items;
mod keys;
mod leaf_examples;
mod mcp;
mod memory;
mod models;
mod moment;
mod narrow_command_line;
mod registry;
mod review;
mod run;
mod runs;
mod search;
mod secrets;
mod sharing;
mod shell;
mod signers;
mod signing;
mod stores;
mod team;
mod upkeep;
mod usage_advice;
mod web;
mod witness;
mod workspace;

use std::num::NonZeroU64;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use mere_core::address::{AgentName, ModName};
use mere_core::item::ProjectAccess;
use mere_engine::{CellPool, Mods, SessionOptions, SessionState, TypedPath};

pub(crate) use adopt::AdoptArguments;
pub(crate) use calls::CallsArguments;
pub(crate) use category::{
    CategoryArguments, CategoryCommandArguments, CreateCategoryArguments, DeleteCategoryArguments,
};
pub(crate) use command::{
    AgentSubcommand, BasicSubcommand, Command, FileSubcommand, ItemSubcommand, MemorySubcommand,
    SharingSubcommand, SigningSubcommand, ToolSubcommand, TrustSubcommand, UpkeepSubcommand,
};
pub(crate) use completion::{CompleteArguments, CompletionKind};
pub(crate) use connect::{ClientArgument, ConnectArguments, ConnectOptions, InstallArguments};
pub(crate) use content::{ContentArguments, ContentSource};
pub(crate) use export::ExportArguments;
pub(crate) use files::{
    AllowArguments, ColourArgument, GlobArguments, GrepArguments, LsArguments, PageArguments,
    ReadArguments, ToolsetArgument, TreeArguments,
};
pub(crate) use git::{GitArguments, GitCommandArguments, MergeFileArguments};
pub(crate) use grants::{GrantArguments, GrantsArguments, RevokeArguments};
pub(crate) use graph::GraphArguments;
pub(crate) use grouped_help::command_line;
pub(crate) use import_mcp::ImportMcpArguments;
pub(crate) use items::{
    AnswerArguments, CopyArguments, DeleteArguments, InitArguments, ListArguments, MoveArguments,
    NewArguments, RenameArguments, ShowArguments, WhyArguments,
};
use items::{ItemArguments, SourceArguments};
pub(crate) use keys::{GenerateArguments, KeysArguments, KeysCommandArguments, RotateArguments};
pub(crate) use mcp::{McpArguments, McpCommand, TokenArguments, TokenCommand};
pub(crate) use memory::{
    CreateMemoryArguments, ListMemoriesArguments, MemoryArguments, MemoryCommandArguments,
    PruneArguments, RemoveMemoryArguments, UpdateMemoryArguments,
};
pub(crate) use models::{ModelArguments, ModelCommandArguments, ModelNameArgument};
pub(crate) use moment::Moment;
pub(crate) use narrow_command_line::narrow_command_line;
pub(crate) use registry::{
    RegistryArguments, RegistryCommandArguments, RegistryKeyCommand, RegistryNamespaceCommand,
    RegistryServeArguments, RegistryTokenCommand, RegistryUserCommand,
};
pub(crate) use review::ReviewArguments;
pub(crate) use run::{ChainArguments, LockArguments, PrepareArguments, RunArguments};
pub(crate) use runs::{ReceiptArguments, RunsArguments, RunsCommandArguments};
pub(crate) use search::SearchArguments;
pub(crate) use secrets::{SecretArguments, SecretCommandArguments};
pub(crate) use sharing::{
    LoginArguments, LogoutArguments, MirrorArguments, OutdatedArguments, PublishArguments,
    PullArguments, RegistryChoiceArguments, UpdateArguments, YankArguments,
};
pub(crate) use shell::{CompletionsArguments, ManArguments, UninstallArguments};
pub(crate) use signers::SignersCommand;
pub(crate) use signing::{EditArguments, LogArguments, SignArguments, VerifyArguments};
pub(crate) use stores::{
    InitStoreArguments, ModeArgument, RenameStrayArguments, StoreArguments, StoreCommandArguments,
    StoreTemplateArgument,
};
pub(crate) use team::{
    JoinArguments, LeaveArguments, RemoveMemberArguments, TeamArguments, TeamCommandArguments,
    TeamSignArguments,
};
pub(crate) use upkeep::{
    ConfigArguments, ConfigCommand, DoctorArguments, IndexArguments, RenewSpaceArguments,
    SpaceArguments, SpaceCommand,
};
pub(crate) use usage_advice::advise;
pub(crate) use web::{UiArguments, UpArguments};
pub(crate) use witness::{WitnessArguments, WitnessCommand};
pub(crate) use workspace::{CleanArguments, WorkspaceArguments, WorkspaceCommandArguments};

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
  mere up                               try everything: pages, registry and MCP
  mere adopt --dry-run                  report on what your clients keep here and at home
  mere init                             create a space with an example of each type
  mere list                             what is in it
  mere search retry with backoff        find items and memories
  mere memory recent                    the memories changed last
  mere run hello_tool --param name=Ada  run a tool in a sandbox
  mere call dir '{\"command\":\"list\"}'    what an agent sees in this project
  mere connect claude                   let Claude Code use it; also codex, gemini, cursor, vscode
  mere mcp                              serve an agent over MCP on standard input and output
  mere grep 'fn main' src               find lines, as an agent would
  mere allow .env                       show a sensitive file to agents
  mere trust project                    trust this project's config to add extra folders

Exit status: 0 success, 1 invalid or refused, 2 wrong usage, 3 denied, 4 something is broken,
5 a tool ran and failed";

/// Where the command runs.
#[derive(Args, Clone)]
pub(crate) struct LocationArguments {
    /// The project [default: `MERE_PROJECT`, else what `mere where` finds in the parent folders,
    /// else the working directory, unless that is `/`, a system folder or the home folder]
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
    cells: Arc<CellPool>,
}

impl SessionArguments {
    /// Returns the options for a person's session with a store.
    pub(crate) fn for_store(store: Option<ModName>) -> Self {
        Self { store, ..Self::default() }
    }

    /// Returns the options for a person's session in which a tool is run. Its cell is built while
    /// the tool is verified.
    pub(crate) fn for_run(cells: Arc<CellPool>) -> Self {
        cells.prepare();
        Self { cells, ..Self::default() }
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
            cells: Arc::clone(&session.cells),
        }
    }

    /// Takes the access to the project that `mere grant --project read` grants, or returns what is
    /// wrong with it. The option names a folder everywhere else, and the command line has it once.
    pub(crate) fn take_project_access(&mut self) -> Result<Option<ProjectAccess>, &'static str> {
        const MEANING: &str =
            "`mere grant --project` takes `read` or `propose`. To name another project, use -C.";
        let Some(typed) = self.project.take() else { return Ok(None) };
        typed.display_text().parse().map(Some).map_err(|_| MEANING)
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

/// Servers write, move and read in a scratch folder of their own, and are killed all the time.
/// Everything that one of them acknowledged must be there afterwards, once and as a whole. Your own
/// files are not touched.
#[derive(Args)]
#[command(after_help = "Examples:
  mere torture
  mere torture --seconds 600 --json")]
pub(crate) struct TortureArguments {
    /// How long
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) seconds: NonZeroU64,
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
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
    /// A repository's config may name folders outside the project, or demand less than it did
    /// before (`require_signed`, `categoryMode`). Such settings count only after this command has
    /// shown them and you have said yes to exactly those. The home folder, those above it and
    /// folders of the system are projects only after a yes at a terminal, too.
    #[command(after_help = "Examples:
  mere trust project             show what agents would see, ask, and record
  mere trust project --revoke    revoke it")]
    Project(TrustProjectArguments),
    /// Accept a version of an item although a newer one was seen on this machine
    ///
    /// A signature does not age, so an older version verifies too. This machine remembers the
    /// newest version that it has seen of each item; a tool that is older does not run until you
    /// accept exactly what its author signed. It needs a person, as signing does.
    #[command(after_help = "Examples:
  mere trust item tool api/deploy
  mere trust item tool api/deploy@1.4.0    only if that is the version that lies there")]
    Item(TrustItemArguments),
    #[command(flatten)]
    Keys(SignersCommand),
}

#[derive(Args)]
pub(crate) struct TrustItemArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

#[derive(Args)]
pub(crate) struct TrustProjectArguments {
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Forget what was recorded for this project
    #[arg(long, conflicts_with = "yes")]
    pub(crate) revoke: bool,
    /// Print the reply as JSON, and ask nothing
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    mod examples;
    mod memory;

    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_contradicts_itself_nowhere() {
        Arguments::command().debug_assert();
    }
}
