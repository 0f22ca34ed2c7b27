//! The items that came from a registry, and whether there are newer versions of them.
//!
//! Where an item came from is part of the placement that the user signed when it was installed.

use mere_core::item::{ItemRef, ItemType, Scope, ScopedPath, Version};
use mere_core::registry::{QualifiedId, RegistryItemName, RegistryType};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::trust::{Checked, Sidecar};

use super::connection::PATIENCE;
use super::fetch::{RequestedVersion, VersionRequest, fetch_item_info, newest_version};
use super::log_reader::LogReader;
use super::pull::{PulledItems, pull_checked};
use super::{OpenRegistry, RegistryChoice, RegistryError};
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::find::NamedItem;
use crate::items::{ItemCall, ItemError, RawItem, read_and_verify};
use crate::policy::{self, ItemChange, SignatureState};
use mere_core::request::LookupScope;

/// An item that came from a registry.
pub(crate) struct InstalledVersion {
    place: ScopedPath,
    item: RegistryItemName,
    version: Version,
    state: UpdateState,
}

/// How an installed item compares with the registry.
enum UpdateState {
    Current,
    Outdated(Version),
    /// The item here is not what was installed.
    Changed,
    /// Its author withdrew this version, and there is no newer one.
    Withdrawn,
    Updated(Version),
    Failed {
        latest: Version,
        why: Box<RegistryError>,
    },
}

impl UpdateState {
    /// Compares an installed version with those that the registry shows.
    fn compare(
        registry: &OpenRegistry,
        item: &RegistryItemName,
        version: &Version,
    ) -> Result<Self, RegistryError> {
        let info = match fetch_item_info(registry, item) {
            Err(RegistryError::Absent) => return Ok(Self::Withdrawn),
            info => info?,
        };
        let own = info.versions.iter().find(|one| one.version == *version);
        match newest_version(&info, item) {
            Ok(latest) if version.is_older_than(&latest) => Ok(Self::Outdated(latest)),
            Ok(_) if own.is_some_and(|own| !own.yanked) => Ok(Self::Current),
            Ok(_) | Err(RegistryError::Absent | RegistryError::Yanked(_)) => Ok(Self::Withdrawn),
            Err(error) => Err(error),
        }
    }
}

/// Finds the items that came from a registry, and asks it for their newest versions.
pub(crate) fn list_outdated(
    choice: RegistryChoice<'_>,
    call: &ItemCall<'_>,
) -> Result<Vec<InstalledVersion>, RegistryError> {
    let registry = choice.open(PATIENCE)?;
    registry.read_log()?;
    find_installed(&registry, call, None)
}

/// Installs the newer versions of items, all of them or one. Also returns what was installed.
pub(crate) fn update(
    choice: RegistryChoice<'_>,
    call: &ItemCall<'_>,
    only: Option<&(ItemType, ItemRef)>,
) -> Result<(Vec<InstalledVersion>, Vec<PulledItems>), RegistryError> {
    let registry = choice.open(PATIENCE)?;
    let log = registry.read_log()?;
    let mut installed = find_installed(&registry, call, only)?;
    let mut pulled = Vec::new();
    for item in &mut installed {
        let UpdateState::Outdated(latest) = &item.state else { continue };
        let latest = latest.clone();
        item.state = match item.update(&registry, &log, call) {
            Ok(done) => {
                pulled.push(done);
                UpdateState::Updated(latest)
            }
            Err(error) if only.is_some() => return Err(error),
            Err(error) => UpdateState::Failed { latest, why: Box::new(error) },
        };
    }
    Ok((installed, pulled))
}

fn find_installed(
    registry: &OpenRegistry,
    call: &ItemCall<'_>,
    only: Option<&(ItemType, ItemRef)>,
) -> Result<Vec<InstalledVersion>, RegistryError> {
    let mut places = Vec::new();
    if let Some((kind, item)) = only {
        let named = NamedItem { kind: *kind, item, source: LookupScope::Local };
        places.push(call.items.find(named)?.place);
    } else {
        for scope in [Scope::Project, Scope::User] {
            let entries = call.items.sources.indexed_items(scope);
            let entries = entries.map_err(ItemError::Unsearchable)?;
            places.extend(entries.into_iter().map(|entry| entry.place));
        }
    }
    let mut found = Vec::new();
    for place in places {
        if (call.is_cancelled)() {
            return Err(RegistryError::Cancelled);
        }
        found.extend(InstalledVersion::read(registry, call, place)?);
    }
    Ok(found)
}

impl InstalledVersion {
    /// Reads where an item came from. Returns `None` if it did not come from this registry.
    fn read(
        registry: &OpenRegistry,
        call: &ItemCall<'_>,
        place: ScopedPath,
    ) -> Result<Option<Self>, RegistryError> {
        let Ok(raw) = RawItem::read(call.items.view, place.clone()) else { return Ok(None) };
        let sidecar = raw.sidecar.bytes().and_then(|bytes| Sidecar::parse(bytes).ok());
        let origin = sidecar.and_then(|sidecar| sidecar.placement.origin);
        let Some(origin) = origin.filter(|one| one.registry_id == registry.known.id.to_string())
        else {
            return Ok(None);
        };
        let kind = RegistryType::try_from(place.kind);
        let parsed = kind.ok().zip(origin.namespace.parse().ok()).zip(origin.version.parse().ok());
        let Some(((kind, namespace), version)) = parsed else { return Ok(None) };
        let id = place.id.clone();
        let item = RegistryItemName::new(kind, QualifiedId { namespace, id });
        let is_unchanged =
            matches!(read_and_verify(&call.items, place.clone()), Ok(Checked::Verified(_)));
        let state = if is_unchanged {
            UpdateState::compare(registry, &item, &version)?
        } else {
            UpdateState::Changed
        };
        Ok(Some(Self { place, item, version, state }))
    }

    /// Installs the newest version. If its author moved it to another category, the old item is
    /// removed once the new one is there.
    fn update(
        &self,
        registry: &OpenRegistry,
        log: &LogReader<'_>,
        call: &ItemCall<'_>,
    ) -> Result<PulledItems, RegistryError> {
        let scope = self.place.scope;
        let request = VersionRequest { item: &self.item, version: RequestedVersion::Newest, scope };
        let pulled = pull_checked(registry, log, call, &request)?;
        let is_moved = pulled.requested().is_some_and(|new| {
            (&new.place.category, &new.place.id) != (&self.place.category, &self.place.id)
        });
        if is_moved {
            let old = read_and_verify(&call.items, self.place.clone())?;
            let change = ItemChange::remove(self.place.clone(), old.item().item_digest());
            let (reader, state) = (call.items.reader, SignatureState::Unsigned);
            let permit = policy::permit_item(reader, call.agents, change, state);
            let (context, is_cancelled) = (call.context, call.is_cancelled);
            apply_permit(permit, &WriteContext { context, is_cancelled })?;
        }
        Ok(pulled)
    }

    fn fields(&self, describe: &dyn Fn(&RegistryError) -> String) -> Fields {
        let (state, latest, why) = match &self.state {
            UpdateState::Current => ("current", None, None),
            UpdateState::Outdated(latest) => ("outdated", Some(latest), None),
            UpdateState::Changed => ("changed here", None, None),
            UpdateState::Withdrawn => ("withdrawn", None, None),
            UpdateState::Updated(latest) => ("updated", Some(latest), None),
            UpdateState::Failed { latest, why } => {
                ("not updated", Some(latest), Some(describe(why)))
            }
        };
        let version = |version: &Version| Data::Words(version.to_string().into());
        Fields::default()
            .with("item_type", self.place.kind.name())
            .with_some("address", self.place.address())
            .with("ref", Content::mention(self.item.qualified_id().to_string()))
            .with("version", version(&self.version))
            .with("latest", latest.map(version))
            .with("state", state)
            .with_some("why", why.map(Content::mention))
    }
}

/// Drafts the reply about installed items.
pub(crate) fn installed_reply(
    installed: &[InstalledVersion],
    describe: &dyn Fn(&RegistryError) -> String,
) -> Draft {
    let count = |is_wanted: fn(&UpdateState) -> bool| {
        installed.iter().filter(|item| is_wanted(&item.state)).count()
    };
    let outdated = count(|state| matches!(state, UpdateState::Outdated(_)));
    let updated = count(|state| matches!(state, UpdateState::Updated(_)));
    let failed = count(|state| matches!(state, UpdateState::Failed { .. }));
    let withdrawn = count(|state| matches!(state, UpdateState::Withdrawn));
    let changed = count(|state| matches!(state, UpdateState::Changed));
    let items = installed.iter().map(|item| Data::from(item.fields(describe)));
    let data = Fields::default().with("items", items.collect::<Data>());
    let (code, mut words) = match (installed.len(), outdated, updated, failed) {
        (0, ..) => (codes::OUTDATED, "No item here came from this registry.".to_owned()),
        (_, 0, 0, 0) if withdrawn + changed == 0 => {
            (codes::OUTDATED, "Everything from this registry is current.".to_owned())
        }
        (_, 0, 0, 0) => (codes::OUTDATED, "No item has a newer version.".to_owned()),
        (_, 0, updated, 0) => (codes::UPDATED, format!("{} updated.", count_items(updated))),
        (_, 0, updated, failed) => {
            let words = format!("{} updated, {failed} could not be.", count_items(updated));
            (codes::UPDATED, words)
        }
        (_, outdated, ..) => {
            (codes::OUTDATED, format!("{} a newer version.", count_having(outdated)))
        }
    };
    let notes = [(withdrawn, "withdrawn"), (changed, "changed after the installation")];
    let notes = notes.into_iter().filter(|(count, _)| *count > 0);
    words.extend(notes.map(|(count, what)| format!(" {} {what}.", count_items(count))));
    let draft = Draft::success(code, Prose::words(words)).data(data);
    if withdrawn == 0 {
        return draft;
    }
    draft.hint(
        "What its author withdrew stays here and keeps working. Ask why; then go back to an earlier version \
         with `mere pull TYPE NAMESPACE/ID@VERSION`, or remove it with `mere delete TYPE ID`.",
    )
}

fn count_items(count: usize) -> String {
    if count == 1 { "1 item was".to_owned() } else { format!("{count} items were") }
}

fn count_having(count: usize) -> String {
    if count == 1 { "1 item has".to_owned() } else { format!("{count} items have") }
}
