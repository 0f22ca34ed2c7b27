//! Installing an item and everything that it runs on.
//!
//! All of it is fetched and checked before the first file is written. What a tool runs on is
//! installed before the tool itself, so that a tool is never there without it.

use mere_core::registry::{RegistryItemName, RegistryType};
use mere_core::request::PullItem;

use super::chain_fetch::{ChainFetcher, FetchedChain};
use super::connection::PATIENCE;
use super::fetch::VersionRequest;
use super::install::{InstallState, InstalledItem, install};
use super::log_reader::LogReader;
use super::namespace_keys::LoggedKeys;
use super::{OpenRegistry, RegistryChoice, RegistryError};
use crate::items::ItemCall;
use crate::trust::keys::{self, KeyFault};

/// What was installed, the item that was asked for last.
pub(crate) struct PulledItems {
    pub(crate) installed: Vec<InstalledItem>,
    pub(crate) warnings: Vec<String>,
}

impl PulledItems {
    /// Returns the item that was asked for.
    pub(crate) fn requested(&self) -> Option<&InstalledItem> {
        self.installed.last()
    }

    /// Returns whether anything was written.
    pub(crate) fn has_changes(&self) -> bool {
        self.installed.iter().any(|item| item.state != InstallState::Unchanged)
    }
}

/// Installs an item, and what it runs on.
pub(crate) fn pull(
    choice: RegistryChoice<'_>,
    call: &ItemCall<'_>,
    request: &PullItem,
) -> Result<PulledItems, RegistryError> {
    // An agent that may not install is told so before anything is asked for.
    if crate::policy::permit_install(call.items.reader, call.agents).is_err() {
        let item = Box::new(request.item.clone());
        return Err(RegistryError::InstallDenied { kind: request.kind, item });
    }
    // A lockfile is made for the space where its tool is installed.
    let kind = RegistryType::try_from(request.kind).ok();
    let kind = kind.filter(|kind| *kind != RegistryType::Lockfile);
    let kind = kind.ok_or(RegistryError::UnsharedType(request.kind))?;
    // Nobody is asked to trust the author of what could not be installed.
    if let Err(KeyFault::NoKey) = keys::unlock(&call.context.environment, call.passphrase) {
        return Err(RegistryError::NoKey);
    }
    let registry = choice.open(PATIENCE)?;
    let log = registry.read_log()?;
    let item = RegistryItemName::new(kind, request.item.name.clone());
    let version = request.item.version.as_ref().into();
    pull_checked(&registry, &log, call, &VersionRequest { item: &item, version, scope: request.to })
}

/// Installs an item from a registry whose log is trusted.
pub(super) fn pull_checked(
    registry: &OpenRegistry,
    log: &LogReader<'_>,
    call: &ItemCall<'_>,
    request: &VersionRequest<'_>,
) -> Result<PulledItems, RegistryError> {
    let FetchedChain { fetched, mut warnings } =
        ChainFetcher { registry, log, call, request }.fetch()?;
    let keys = LoggedKeys::read(registry, log, &request.item.namespace)?;
    warnings.extend(keys.note_changes(registry, call.items.reader)?);
    let mut installed = Vec::new();
    for fetched in fetched.iter().rev() {
        if (call.is_cancelled)() {
            return Err(RegistryError::Cancelled);
        }
        installed.push(install(call, &fetched.item, request.scope)?);
    }
    Ok(PulledItems { installed, warnings })
}
