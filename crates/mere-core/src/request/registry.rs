//! The commands of people about a registry: no agent can ask for any of them.
//!
//! What an agent may ask of a registry are `load`, `search` and `execute`, each with its own rules.

use super::{LookupScope, PersonFile, Secret};
use crate::item::{ItemRef, ItemType, Scope};
use crate::log::LogFingerprint;
use crate::registry::{Namespace, PublishedReference};

/// One command about a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryCommand {
    /// Where the registry is, if the person named one: a URL, or `file:` and a folder.
    pub registry: Option<String>,
    /// What is done.
    pub action: RegistryAction,
}

/// What is done with a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryAction {
    /// Remembers a registry, its log key and a token.
    Login(Login),
    /// Forgets a registry.
    Logout,
    /// Publishes an item.
    Publish(PublishItem),
    /// Publishes the examples of a new space that nobody has changed, with a login that is used once
    /// and not remembered.
    PublishExamples {
        /// The scope that has the examples.
        scope: Scope,
        /// The login.
        login: Login,
    },
    /// Installs an item, and what it runs on.
    Pull(PullItem),
    /// Says which installed items have a newer version.
    Outdated,
    /// Installs the newer versions of installed items.
    Update {
        /// The only item that is updated.
        only: Option<(ItemType, ItemRef)>,
    },
    /// Hides a version from those who do not ask for it by number.
    Yank {
        /// The type of the item.
        kind: ItemType,
        /// The version.
        item: PublishedReference,
    },
    /// Copies the registry into a folder that is a registry by itself.
    Mirror {
        /// The folder.
        folder: PersonFile,
        /// The only namespace whose items are copied.
        namespace: Option<Namespace>,
    },
}

/// A login, or the question that comes before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// The token, if the person has one.
    pub token: Option<Secret>,
    /// The namespace that items are published to by default.
    pub namespace: Option<Namespace>,
    /// The fingerprint of the log key that the person accepted. Without it the key is only shown,
    /// unless it is known already.
    pub log_key: Option<LogFingerprint>,
}

/// An item that is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishItem {
    /// The type of the item.
    pub kind: ItemType,
    /// The item.
    pub item: ItemRef,
    /// The scopes in which it is looked up.
    pub source: LookupScope,
    /// The namespace, or `None` for that of the login.
    pub namespace: Option<Namespace>,
    /// Whether it leaves the machine.
    pub mode: PublishMode,
}

/// Whether an item that is published leaves the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishMode {
    /// It is only shown what would leave the machine.
    DryRun,
    /// It is sent.
    Send,
}

/// An item that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullItem {
    /// The type of the item.
    pub kind: ItemType,
    /// The item in the registry.
    pub item: PublishedReference,
    /// The scope that it is installed in.
    pub to: Scope,
}
