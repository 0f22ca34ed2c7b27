//! The arguments of the commands that connect clients.

use clap::{Args, ValueEnum};
use mere_core::item::Scope;
use mere_engine::{AgentClient, ClientSetting, SettingsTarget};

/// Writes `mere` into the client's own settings, and keeps the old ones. Before that it starts the
/// server as the client will, and sees whether it answers. Everything else in the settings stays as
/// it is, comments too; settings that cannot be understood are not touched. Gemini CLI starts
/// servers only in folders that you trust there, and Codex reads a project's settings only if you
/// trust the project there.
#[derive(Args)]
#[command(after_help = "Examples:
  mere connect claude
  mere connect codex --print            show what would be written
  mere connect all --scope project      for everybody who works on this project
  mere connect claude --hook            also check signatures when a session begins
  mere connect claude --remove          take it out again")]
pub(crate) struct ConnectArguments {
    /// The client
    #[arg(value_enum)]
    pub(crate) client: ClientArgument,
    #[command(flatten)]
    pub(crate) options: ConnectOptions,
}

/// The same as `mere connect NAME`.
#[derive(Args)]
#[command(after_help = "Example:
  mere install --client claude")]
pub(crate) struct InstallArguments {
    /// The client
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) client: ClientArgument,
    #[command(flatten)]
    pub(crate) options: ConnectOptions,
}

/// How a client is connected.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct ConnectOptions {
    /// Whose settings to change
    #[arg(long, value_enum, default_value_t = ClientScopeArgument::User)]
    scope: ClientScopeArgument,
    /// Show what would be written, and change nothing
    #[arg(long, conflicts_with = "remove")]
    pub(crate) print: bool,
    /// Take it out again: the settings become what they were if nobody has changed them since, or
    /// else only the entry for `mere` goes
    #[arg(long)]
    pub(crate) remove: bool,
    /// Also let Claude Code run `mere verify` when a session begins
    #[arg(long)]
    hook: bool,
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl ConnectOptions {
    /// Returns the options of a plain `mere connect`.
    pub(crate) fn plain() -> Self {
        Self {
            scope: ClientScopeArgument::User,
            print: false,
            remove: false,
            hook: false,
            json: false,
        }
    }

    pub(crate) fn scope(&self) -> Scope {
        match self.scope {
            ClientScopeArgument::Project => Scope::Project,
            ClientScopeArgument::User => Scope::User,
        }
    }

    /// Returns what is written for a client. Of all clients, those without a hook get none; a hook
    /// is removed together with the server.
    pub(crate) fn settings(
        &self,
        client: AgentClient,
        chosen: ClientArgument,
    ) -> Vec<SettingsTarget> {
        let is_claude = client == AgentClient::Claude;
        let has_hook = if self.remove {
            is_claude
        } else {
            self.hook && (is_claude || chosen != ClientArgument::All)
        };
        let hook = has_hook.then_some(ClientSetting::SessionHook);
        let settings = [ClientSetting::Server].into_iter().chain(hook);
        let scope = self.scope();
        settings.map(|setting| SettingsTarget { client, scope, setting }).collect()
    }
}

/// Whose settings of a client are changed.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ClientScopeArgument {
    /// Those in the project, which others may share
    Project,
    /// Your own
    User,
}

/// A client, or all of them.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientArgument {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// All of these
    All,
}

impl ClientArgument {
    /// Returns the clients that are meant.
    pub(crate) fn clients(self) -> Vec<AgentClient> {
        match self {
            Self::Claude => vec![AgentClient::Claude],
            Self::Codex => vec![AgentClient::Codex],
            Self::Gemini => vec![AgentClient::Gemini],
            Self::Cursor => vec![AgentClient::Cursor],
            Self::Vscode => vec![AgentClient::VsCode],
            Self::All => AgentClient::ALL.to_vec(),
        }
    }
}
