//! The command line, parsed and nothing more.

use clap::{Args, Parser, Subcommand};
use mere_core::name::AgentName;
use mere_engine::{Mods, Opening, Typed};

/// The trusted home for what AI agents use.
///
/// `mere` gives an agent a project to look at and names everything in it by address
/// (`ROOT_PROJECT:/src/a.rs`), never by a path of this machine.
#[derive(Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) session: SessionArguments,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  mere call dir '{\"command\":\"list\"}'     what an agent sees in this project
  mere mcp                                 serve agents over MCP on standard input and output
  mere trust project                       let this project's config add extra folders";

/// Options of every command that opens a session.
#[derive(Args)]
pub(crate) struct SessionArguments {
    /// The project [default: `MERE_PROJECT`, else the nearest folder upwards with .git, else the
    /// working directory]
    #[arg(long, global = true, value_name = "DIR", value_parser = typed())]
    project: Option<Typed>,
    /// Run as if started in DIR
    #[arg(short = 'C', global = true, value_name = "DIR", value_parser = typed())]
    directory: Option<Typed>,
    /// The agent's name; it names the agent's workspace [default: `MERE_AGENT`, else the MCP
    /// client's name, else `default`]
    #[arg(long, global = true, value_name = "NAME")]
    agent: Option<AgentName>,
    /// Leave out all extra folders (`mods:` in config.yaml)
    #[arg(long, global = true)]
    no_mods: bool,
}

impl SessionArguments {
    pub(crate) fn opening(self) -> Opening {
        let mods = if self.no_mods { Mods::Off } else { Mods::Configured };
        Opening { project: self.project, directory: self.directory, agent: self.agent, mods }
    }

    pub(crate) fn project(&self) -> Option<&Typed> {
        self.project.as_ref()
    }

    pub(crate) fn directory(&self) -> Option<&Typed> {
        self.directory.as_ref()
    }
}

fn typed() -> impl clap::builder::TypedValueParser<Value = Typed> {
    clap::builder::TypedValueParser::map(clap::builder::OsStringValueParser::new(), Typed::from)
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make one call exactly as an agent would, and print the reply as JSON
    Call(CallArguments),
    /// Serve agents over MCP on standard input and output
    Mcp,
    /// Say what you trust
    Trust(TrustArguments),
}

/// The exit status tells the reply: 0 success, 1 invalid, 3 denied, 4 error; 2 is wrong usage.
#[derive(Args)]
#[command(after_help = "Examples:
  mere call dir
  mere call dir '{\"command\":\"tree\",\"path\":\"src\",\"depth\":2}'
  mere call --list")]
pub(crate) struct CallArguments {
    /// The tool to call
    #[arg(required_unless_present = "list")]
    pub(crate) tool: Option<String>,
    /// Its arguments, one JSON object
    #[arg(default_value = "{}")]
    pub(crate) json: String,
    /// Print every tool with its schemas instead
    #[arg(long, conflicts_with = "tool")]
    pub(crate) list: bool,
}

#[derive(Args)]
pub(crate) struct TrustArguments {
    #[command(subcommand)]
    pub(crate) what: Trust,
}

#[derive(Subcommand)]
pub(crate) enum Trust {
    /// Let this project's .ai/config.yaml widen what agents see
    ///
    /// A repository's config may name folders outside the project. Such keys count only after this
    /// command has shown them to you; a changed key asks again.
    #[command(after_help = "Examples:
  mere trust project             show the keys, ask, and record
  mere trust project --revoke    forget what was recorded")]
    Project {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
        /// Forget what was recorded for this project
        #[arg(long, conflicts_with = "yes")]
        revoke: bool,
    },
}
