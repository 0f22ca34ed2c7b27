//! What a person asks for around the running of tools.

use serde_json::{Map, Value};

use crate::item::{ItemRef, Scope};

/// Run a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTool {
    /// Which one.
    pub item: ItemRef,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// More of them, as a person types them: the tool's schema says what they are.
    pub typed_parameters: Vec<(String, String)>,
    /// Whether it must have a lockfile.
    pub lockfile_policy: LockfilePolicy,
    /// What becomes of a tool that nobody vouches for.
    pub unsigned_policy: UnsignedPolicy,
    /// Whether everything is done but to run it.
    pub dry_run: bool,
}

/// Whether a chain must be pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockfilePolicy {
    /// Where there is a lockfile, it counts.
    Optional,
    /// There must be one.
    Required,
}

/// What becomes of tools that nobody vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsignedPolicy {
    /// They are not run.
    Refuse,
    /// A person at a terminal means it.
    Allow,
}

/// What to do about lockfiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockCommand {
    /// Pin the chain of a tool as it is now.
    Make {
        /// Which tool.
        item: ItemRef,
        /// Where the lockfile goes.
        scope: Scope,
    },
    /// Compare all of them with what is there.
    Check,
}
