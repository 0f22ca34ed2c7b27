//! The commands of people about running and locking tools.

use serde_json::{Map, Value};

use crate::chain::ToolGrant;
use crate::item::{ItemRef, Scope};
use crate::request::ImportMcp;
use crate::trust::ReceiptId;

/// A command about tools and what they run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolCommand {
    /// Runs a tool.
    Run(RunTool),
    /// Runs a tool again as a receipt says.
    Replay {
        /// The receipt.
        receipt: ReceiptId,
    },
    /// Shows the chain of a tool and its config.
    Chain {
        /// The tool.
        item: ItemRef,
    },
    /// Creates or checks lockfiles.
    Lock(LockCommand),
    /// Grants a tool what it asks for.
    Grant(GrantTool),
    /// Lists what was granted to tools in this project.
    ListGrants,
    /// Takes back everything that was granted to a tool.
    Revoke {
        /// The tool, which may no longer exist.
        item: ItemRef,
    },
    /// Imports the tools of another MCP server.
    ImportMcp(ImportMcp),
    /// Downloads the packages that a tool needs.
    Prepare {
        /// The tool.
        item: ItemRef,
    },
}

/// The request to run a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTool {
    /// The tool.
    pub item: ItemRef,
    /// The parameters.
    pub parameters: Map<String, Value>,
    /// More parameters, as text that a person typed: the tool's schema gives their types.
    pub typed_parameters: Vec<(String, String)>,
    /// Tells whether the tool must have a lockfile.
    pub lockfile_policy: LockfilePolicy,
    /// Tells whether a tool without a trusted signature may run.
    pub unsigned_policy: UnsignedPolicy,
    /// Tells whether everything but the run itself is done.
    pub dry_run: bool,
}

/// The request to grant something to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantTool {
    /// The tool.
    pub item: ItemRef,
    /// What is granted. An empty grant changes nothing and shows what the tool asks for.
    pub grant: ToolGrant,
}

/// Tells whether a chain must be pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockfilePolicy {
    /// A lockfile is enforced if there is one.
    Optional,
    /// There must be a lockfile.
    Required,
}

/// Tells whether tools without a trusted signature may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsignedPolicy {
    /// They do not run.
    Refuse,
    /// They run, because a person at a terminal has asked for it.
    Allow,
}

/// A command about lockfiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockCommand {
    /// Pins the chain of a tool as it is now.
    Make {
        /// The tool.
        item: ItemRef,
        /// The scope of the lockfile.
        scope: Scope,
    },
    /// Compares all lockfiles with the tools they pin.
    Check,
    /// Lists the lockfiles that do not pin their tools as they are now.
    ListStale,
    /// Pins the tools of these again.
    Renew,
}
