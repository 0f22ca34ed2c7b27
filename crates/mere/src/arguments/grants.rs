//! The arguments of the commands that grant tools what they ask for.

use clap::Args;
use mere_core::address::NetworkTarget;
use mere_core::chain::{GrantedHost, HostReach, ToolGrant};
use mere_core::item::{ItemRef, ProjectAccess, SecretName};
use mere_core::request::GrantTool;

use super::AnswerArguments;

/// A grant holds in this project, and until the tool or a tool of its chain changes. Without
/// options, this shows what the tool asks for and asks you. `--project read` lets the tool see the
/// project, `--project propose` lets it propose changes too; to name another project, use -C.
#[derive(Args)]
#[command(after_help = "Examples:
  mere grant count_todos                          what does it ask for? Answer at the terminal
  mere grant count_todos --project read
  mere grant weather --net api.example.org --secret WEATHER_KEY
  mere grant local_api --net-private localhost:3000")]
pub(crate) struct GrantArguments {
    /// The tool, as id or category/id
    #[arg(value_name = "TOOL")]
    pub(crate) item: ItemRef,
    /// Let it connect to a host; without a port, to 80 and 443; may be repeated
    #[arg(long = "net", value_name = "HOST[:PORT]")]
    hosts: Vec<NetworkTarget>,
    /// The same for a host with a private or loopback address
    #[arg(long = "net-private", value_name = "HOST[:PORT]")]
    private_hosts: Vec<NetworkTarget>,
    /// Give it one of your secrets; may be repeated
    #[arg(long = "secret", value_name = "NAME")]
    secrets: Vec<SecretName>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl GrantArguments {
    pub(crate) fn to_request(&self, project: Option<ProjectAccess>) -> GrantTool {
        let hosts = [(&self.hosts, HostReach::Public), (&self.private_hosts, HostReach::Private)];
        let hosts = hosts.into_iter().flat_map(|(targets, reach)| {
            targets.iter().map(move |target| GrantedHost { target: target.clone(), reach })
        });
        let grant = ToolGrant { project, hosts: hosts.collect(), secrets: self.secrets.clone() };
        GrantTool { item: self.item.clone(), grant }
    }
}

/// Lists what was granted to tools in this project.
#[derive(Args)]
#[command(after_help = "Example:
  mere grants")]
pub(crate) struct GrantsArguments {
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Takes back everything that was granted to a tool in this project.
#[derive(Args)]
#[command(after_help = "Example:
  mere revoke count_todos")]
pub(crate) struct RevokeArguments {
    /// The tool, as id or category/id
    #[arg(value_name = "TOOL")]
    pub(crate) item: ItemRef,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
