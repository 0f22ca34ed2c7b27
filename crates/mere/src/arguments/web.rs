//! The arguments of `mere up` and `mere ui`.

use clap::Args;

use super::AnswerArguments;

/// Everything on this machine only, until Ctrl-C.
#[derive(Args)]
#[command(after_help = "Examples:
  mere up
  mere up --ui-port 8080                   if another program has the port")]
pub(crate) struct UpArguments {
    /// The port of the registry
    #[arg(long = "registry-port", value_name = "PORT", default_value = "7420")]
    pub(crate) registry: u16,
    /// The port of MCP over HTTP
    #[arg(long = "mcp-port", value_name = "PORT", default_value = "7421")]
    pub(crate) mcp: u16,
    /// The port of the pages
    #[arg(long = "ui-port", value_name = "PORT", default_value = "7422")]
    pub(crate) ui: u16,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The pages only show: nothing can be accepted, signed or granted there.
#[derive(Args)]
#[command(after_help = "Examples:
  mere ui
  mere ui --port 0                         any free port")]
pub(crate) struct UiArguments {
    /// The port to listen on, on this machine only
    #[arg(long, value_name = "PORT", default_value = "7422")]
    pub(crate) port: u16,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
