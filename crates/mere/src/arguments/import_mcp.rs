//! The arguments of the command that imports the tools of another MCP server.

use clap::Args;
use mere_core::address::NetworkTarget;
use mere_core::item::{ItemRef, SecretName, ToolPermissions};
use mere_core::mcp::McpServerAddress;
use mere_core::network::HttpUrl;
use mere_core::request::{ImportMcp, ImportStep};

use super::AnswerArguments;
use super::items::ScopeArgument;

/// The server becomes a tool, and each of its tools becomes one in the category of that name. A
/// command is run in the sandbox. What the server says about its tools is shown and pinned: a tool
/// that its server describes otherwise later is refused until it is imported anew.
#[derive(Args)]
#[command(after_help = "Examples:
  mere import-mcp dev/everything -- node /packages/node_modules/server/dist/index.js
  mere import-mcp docs/search --url https://mcp.example.org/mcp
  mere import-mcp docs/search --url https://mcp.example.org/mcp --secret DOCS_KEY \\
      --header 'Authorization: Bearer ${DOCS_KEY}'
  mere import-mcp dev/everything        ask a server that was imported again")]
pub(crate) struct ImportMcpArguments {
    /// The tool that stands for the server, as id or category/id
    #[arg(value_name = "SERVER")]
    pub(crate) server: ItemRef,
    /// The URL of a server that speaks streamable HTTP
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,
    /// A header of every request; `${NAME}` stands for a secret; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = parse_header,
          requires = "url")]
    headers: Vec<(String, String)>,
    /// Let it ask for a host; that of the URL is always among them; may be repeated
    #[arg(long = "net", value_name = "HOST[:PORT]")]
    hosts: Vec<NetworkTarget>,
    /// Let it ask for one of your secrets; may be repeated
    #[arg(long = "secret", value_name = "NAME")]
    secrets: Vec<SecretName>,
    /// Do not ask before the tools are written and signed
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// The scope to write it in
    #[arg(long, value_enum, default_value_t = ScopeArgument::Project)]
    scope: ScopeArgument,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
    /// The program of the server and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

impl ImportMcpArguments {
    /// Returns the step that adds the server, if the arguments say where it is.
    pub(crate) fn server_step(&self) -> Result<Option<ImportStep>, String> {
        let mut hosts = self.hosts.clone();
        let address = match (&self.url, self.command.is_empty()) {
            (None, true) => return Ok(None),
            (None, false) => McpServerAddress::Command(self.command.clone()),
            (Some(url), _) => {
                let parsed = url.parse::<HttpUrl>();
                let parsed = parsed.map_err(|error| format!("the URL cannot be used: {error}"))?;
                let endpoint = parsed.endpoint().clone();
                hosts.push(NetworkTarget { host: endpoint.host, port: Some(endpoint.port) });
                McpServerAddress::Url { url: url.clone(), headers: self.headers.clone() }
            }
        };
        let permissions = ToolPermissions { project: None, hosts, secrets: self.secrets.clone() };
        let permissions = permissions.union(ToolPermissions::default());
        Ok(Some(ImportStep::AddServer { address, permissions }))
    }

    /// Makes the request for a step.
    pub(crate) fn to_request(&self, step: ImportStep) -> ImportMcp {
        ImportMcp { server: self.server.clone(), scope: self.scope.into(), step }
    }
}

fn parse_header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is written as `Name: value`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
