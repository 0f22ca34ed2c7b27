//! The calls of agents that reach a registry: `search`, `load`, `execute` with `publish`, and `dir`.
//!
//! What an agent may do there is decided by policy, as for every other call; here a call is only
//! turned into what the registry room takes.

use mere_core::address::{Address, Root, Spoken};
use mere_core::item::Category;
use mere_core::registry::{Namespace, PublishedReference, QualifiedId};
use mere_core::reply::Draft;
use mere_core::request::{Execute, Load, LookupScope, PublishItem, PublishMode, PullItem, Search};

use super::Session;
use super::snapshot::Snapshot;
use crate::commands::CommandCall;
use crate::commands::registry::with_lockfile;
use crate::error::tool_error::ToolError;
use crate::items::ItemError;
use crate::policy::{RegistryUse, RunPermit};
use crate::registry::{
    self, PublishCall, RegistryChoice, RegistryError, answer_without_registry, list_folder,
    preview, publish, pull, pulled_reply,
};
use crate::search::RegistryAnswer;
use crate::space::ItemChangeError;

/// Loads an item of the registry. With a destination it is installed, and what is installed is what
/// the reply is about.
pub(super) fn load_from_registry(call: &CommandCall<'_>, load: &Load) -> Result<Draft, ToolError> {
    let what = load.destination.map_or(RegistryUse::Look, |_| RegistryUse::Install);
    let choice = match call.registry_choice(what) {
        Ok(choice) => choice,
        // What a run may not read is not there; what it may not do is denied.
        Err(_) if what == RegistryUse::Look => return Err(ItemError::NoRegistry.into()),
        Err(denied) => return Err(ItemChangeError::from(denied).into()),
    };
    if matches!(choice.find(), Err(RegistryError::NoLogin)) {
        return Err(ItemError::NoRegistry.into());
    }
    let item = registry_reference(load)?;
    let Some(to) = load.destination else {
        return Ok(preview(choice, call.items, (load.kind, &item))?);
    };
    let request = PullItem { kind: load.kind, item, to };
    let pulled = pull(choice, call.change, &request)?;
    Ok(with_lockfile(call, &pulled, pulled_reply(&pulled)))
}

/// Asks the registry, if the search covers it and the call may look there.
pub(super) fn search_registry(call: &CommandCall<'_>, search: &Search) -> RegistryAnswer {
    match call.registry_choice(RegistryUse::Look) {
        Ok(choice) => registry::search_registry(choice, search, call.agent_gate),
        Err(_) => answer_without_registry(search),
    }
}

/// Returns the item that a call names: the category of its id is the namespace.
fn registry_reference(load: &Load) -> Result<PublishedReference, ToolError> {
    let namespace = load.item.category.as_ref().map(Category::as_str);
    let namespace = namespace.and_then(|text| text.parse::<Namespace>().ok());
    let namespace = namespace.ok_or(RegistryError::NoQualifiedName)?;
    let name = QualifiedId { namespace, id: load.item.id.clone() };
    let version = load.version.clone().or_else(|| load.item.version.clone());
    Ok(PublishedReference { name, version })
}

/// Publishes an item, or shows what would be published.
pub(super) fn publish_item(
    call: &CommandCall<'_>,
    execute: &Execute,
    confirmation: Confirmation,
) -> Result<Draft, ToolError> {
    let mode = match (execute.dry_run, confirmation) {
        (true, _) => PublishMode::DryRun,
        (false, Confirmation::Given) => PublishMode::Send,
        (false, Confirmation::Missing) => return Err(RegistryError::Unconfirmed.into()),
    };
    let request = PublishItem {
        kind: execute.kind,
        item: execute.item.clone(),
        source: LookupScope::Local,
        namespace: None,
        mode,
    };
    let choice = call.registry_choice(RegistryUse::Publish).map_err(ItemChangeError::from)?;
    let (items, agent_gate) = (call.change, call.agent_gate);
    Ok(publish(&PublishCall { choice, items, agent_gate }, &request)?)
}

/// Whether a caller says that something is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confirmation {
    Given,
    Missing,
}

/// Returns the folder of the registry that a path means, if it means one.
pub(super) fn registry_folder(path: &Spoken, home: &Root) -> Option<Address> {
    Some(path.address(home)).filter(|address| *address.root() == Root::Registry)
}

impl Session {
    /// Lists a folder of the registry. Returns `None` if there is no registry, or no such folder.
    pub(super) fn list_registry(
        &self,
        snapshot: &Snapshot,
        run: &RunPermit,
        folder: &Address,
    ) -> Result<Option<Draft>, ToolError> {
        let environment = &self.context.environment;
        let Ok(permit) = run.permit_registry(RegistryUse::Look) else { return Ok(None) };
        let choice = RegistryChoice::new(permit, environment, snapshot.registry()?);
        match list_folder(choice, folder) {
            Err(RegistryError::NoLogin | RegistryError::Absent) => Ok(None),
            listed => Ok(Some(listed?)),
        }
    }
}
