//! Installing an item and everything that it runs on.
//!
//! All of it is fetched and checked before the first file is written. What a tool runs on is
//! installed before the tool itself, so that a tool is never there without it.

use mere_core::chain::builtin;
use mere_core::item::{ItemId, ItemRef, ItemType, Scope};
use mere_core::registry::{RegistryItemName, RegistryType};
use mere_core::request::{LookupScope, PullItem};

use super::connection::PATIENCE;
use super::fetch::{FetchedVersion, VersionRequest, fetch_version};
use super::install::{InstallState, InstalledItem, content_error, install};
use super::log_reader::LogReader;
use super::{OpenRegistry, RegistryChoice, RegistryError};
use crate::items::find::{NamedItem, find_without_suggestions};
use crate::items::{ItemCall, ItemError};

/// The most tools that one tool may run on.
const MAX_CHAIN: usize = 10;

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
    crate::policy::permit_install(call.items.reader, call.agents)
        .map_err(crate::space::ItemChangeError::from)?;
    // A lockfile is made for the space where its tool is installed.
    let kind = RegistryType::try_from(request.kind).ok();
    let kind = kind.filter(|kind| *kind != RegistryType::Lockfile);
    let kind = kind.ok_or(RegistryError::UnsharedType(request.kind))?;
    let registry = choice.open(PATIENCE)?;
    let log = registry.read_log()?;
    let item = RegistryItemName::new(kind, request.item.name.clone());
    let version = request.item.version.as_ref();
    pull_checked(&registry, &log, call, &VersionRequest { item: &item, version, scope: request.to })
}

/// Installs an item from a registry whose log is trusted.
pub(super) fn pull_checked(
    registry: &OpenRegistry,
    log: &LogReader<'_>,
    call: &ItemCall<'_>,
    request: &VersionRequest<'_>,
) -> Result<PulledItems, RegistryError> {
    let fetched = fetch_chain(registry, log, call, request)?;
    let warnings = fetched.iter().filter_map(|one| one.warning.clone()).collect();
    let mut installed = Vec::new();
    for fetched in fetched.iter().rev() {
        if (call.is_cancelled)() {
            return Err(RegistryError::Cancelled);
        }
        installed.push(install(call, &fetched.item, request.scope)?);
    }
    Ok(PulledItems { installed, warnings })
}

/// Fetches an item and the tools that it runs on and that are not here, the item first.
fn fetch_chain(
    registry: &OpenRegistry,
    log: &LogReader<'_>,
    call: &ItemCall<'_>,
    request: &VersionRequest<'_>,
) -> Result<Vec<FetchedVersion>, RegistryError> {
    let mut fetched = vec![fetch_version(registry, log, &call.items, request)?];
    loop {
        if (call.is_cancelled)() {
            return Err(RegistryError::Cancelled);
        }
        let executor = fetched.last().and_then(|last| last.item.statement.executor.clone());
        let Some(executor) = executor.filter(|id| !builtin::is_reserved(id)) else {
            return Ok(fetched);
        };
        let is_repeated = fetched.iter().any(|one| one.item.statement.id == executor);
        if is_repeated || fetched.len() > MAX_CHAIN {
            return Err(content_error("the tools that it runs on do not end"));
        }
        if has_tool(call, &executor, request.scope)? {
            return Ok(fetched);
        }
        let item = RegistryItemName {
            kind: RegistryType::Tool,
            namespace: request.item.namespace.clone(),
            id: executor,
        };
        let request = VersionRequest { item: &item, version: None, scope: request.scope };
        fetched.push(fetch_version(registry, log, &call.items, &request)?);
    }
}

/// Checks whether a tool of this id is there for what is installed in a scope.
fn has_tool(call: &ItemCall<'_>, id: &ItemId, scope: Scope) -> Result<bool, RegistryError> {
    let source = match scope {
        Scope::User => LookupScope::Only(Scope::User),
        Scope::Project | Scope::Registry => LookupScope::Local,
    };
    let item = ItemRef { category: None, id: id.clone(), version: None };
    let named = NamedItem { kind: ItemType::Tool, item: &item, source };
    match find_without_suggestions(call.items.sources, call.items.view, named) {
        Ok(_) | Err(ItemError::Ambiguous { .. } | ItemError::Clash { .. }) => Ok(true),
        Err(ItemError::Missing { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
