//! The arguments of `mere mcp`.
//!
//! Which tools are listed is an option; it is not a permission.

use clap::{Args, Subcommand};
use mere_core::address::AgentName;
use mere_engine::TypedPath;

use super::{SessionArguments, ToolsetArgument, typed_parser};

/// Without `--http`, one client is served on standard input and output.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  mere mcp
  mere mcp --project ~/work/app --agent reviewer
  mere mcp --http                          on 127.0.0.1:7421, at /mcp
  mere mcp token create --agent reviewer   a token that names the agent"
)]
pub(crate) struct McpArguments {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    /// Serve any number of clients over HTTP; beyond loopback each one needs a token
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:7421")]
    pub(crate) http: Option<String>,
    /// Another name by which clients reach this machine, besides its address; may be repeated
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// Which groups of tools to list besides `help`, instead of items, memory, `dir` and `read`;
    /// every tool can be called anyway
    #[arg(long, value_name = "SETS", value_enum, value_delimiter = ',')]
    pub(crate) toolsets: Option<Vec<ToolsetArgument>>,
    /// Serve the fixtures of the protocol's conformance suite instead of the tools
    #[cfg(feature = "conformance-fixtures")]
    #[arg(long)]
    pub(crate) conformance_fixtures: bool,
    /// Log from this level up
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log: tracing::Level,
    /// Log to FILE instead of standard error
    #[arg(long, value_name = "FILE", value_parser = typed_parser())]
    pub(crate) log_file: Option<TypedPath>,
    #[command(flatten)]
    pub(crate) session: SessionArguments,
}

#[derive(Subcommand)]
pub(crate) enum McpCommand {
    /// Manage bearer tokens for MCP over HTTP
    Token(TokenArguments),
}

#[derive(Args)]
pub(crate) struct TokenArguments {
    #[command(subcommand)]
    pub(crate) what: TokenCommand,
    /// Print the reply as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// Create a token that names an agent, and print it once
    Create {
        /// The agent's name
        #[arg(long, value_name = "NAME")]
        agent: AgentName,
    },
    /// List the tokens by id and agent
    List,
    /// Revoke a token
    Revoke {
        /// Its id, as `list` shows it
        id: String,
    },
}
