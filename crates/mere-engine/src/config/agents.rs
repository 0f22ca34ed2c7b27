//! `agents:` of a config: what agents may do with items, type by type, and how much their
//! workspaces may hold.
//!
//! This file only parses and combines the values; the policy layer enforces them.

use mere_core::item::ItemType;
use serde::Deserialize;

use mere_host::WorkspaceLimits;

/// What happens to an agent's change to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WriteMode {
    /// The change is made.
    Direct,
    /// The change is kept in the agent's workspace until a person places it.
    Propose,
}

impl WriteMode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Propose => "propose",
        }
    }
}

/// What one config says. For keys that it does not set, another config or the default decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentsConfig {
    #[serde(default)]
    pub(crate) write: WriteModes,
    /// Whether an agent may copy items between spaces.
    pub(crate) may_install: Option<bool>,
    /// Whether an agent may publish items to the registry.
    pub(crate) may_publish: Option<bool>,
    #[serde(default)]
    pub(crate) workspace: WorkspaceConfig,
}

/// `agents.workspace`: how much the workspace of each agent may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WorkspaceConfig {
    max_bytes: Option<u64>,
    max_files: Option<u64>,
}

/// `agents.write`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteModes {
    pub(crate) directive: Option<WriteMode>,
    pub(crate) tool: Option<WriteMode>,
    pub(crate) knowledge: Option<WriteMode>,
}

impl AgentsConfig {
    /// Returns true if no key is set.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the keys that are set, each with its value.
    pub(crate) fn configured_values(&self) -> Vec<(&'static str, String)> {
        let mode = |mode: Option<WriteMode>| mode.map(|mode| mode.name().to_owned());
        let values = [
            ("agents.write.directive", mode(self.write.directive)),
            ("agents.write.tool", mode(self.write.tool)),
            ("agents.write.knowledge", mode(self.write.knowledge)),
            ("agents.may_install", self.may_install.map(|may| may.to_string())),
            ("agents.may_publish", self.may_publish.map(|may| may.to_string())),
            ("agents.workspace.max_bytes", self.workspace.max_bytes.map(|most| most.to_string())),
            ("agents.workspace.max_files", self.workspace.max_files.map(|most| most.to_string())),
        ];
        values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// Fills the keys that are not set from `other`.
    pub(crate) fn or(&self, other: &Self) -> Self {
        let write = WriteModes {
            directive: self.write.directive.or(other.write.directive),
            tool: self.write.tool.or(other.write.tool),
            knowledge: self.write.knowledge.or(other.write.knowledge),
        };
        let workspace = WorkspaceConfig {
            max_bytes: self.workspace.max_bytes.or(other.workspace.max_bytes),
            max_files: self.workspace.max_files.or(other.workspace.max_files),
        };
        Self {
            write,
            may_install: self.may_install.or(other.may_install),
            may_publish: self.may_publish.or(other.may_publish),
            workspace,
        }
    }

    /// Returns how much the workspace of an agent may hold.
    pub(crate) fn workspace_limits(&self) -> WorkspaceLimits {
        let default = WorkspaceLimits::default();
        WorkspaceLimits {
            bytes: self.workspace.max_bytes.unwrap_or(default.bytes),
            files: self.workspace.max_files.unwrap_or(default.files),
        }
    }

    /// Returns what happens to an agent's change to an item of this type. By default knowledge is
    /// written directly, and what others will run or follow is proposed.
    pub(crate) fn write_mode(&self, kind: ItemType) -> WriteMode {
        match kind {
            ItemType::Directive => self.write.directive.unwrap_or(WriteMode::Propose),
            ItemType::Tool => self.write.tool.unwrap_or(WriteMode::Propose),
            ItemType::Knowledge => self.write.knowledge.unwrap_or(WriteMode::Direct),
            ItemType::Memory | ItemType::Lockfile => WriteMode::Propose,
        }
    }
}
