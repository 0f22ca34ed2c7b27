//! Lockfiles: they pin a chain, and are checked before each run.
//!
//! A lockfile counts only with a trusted signature, and only in the space that it was made for.

use mere_core::address::Address;
use mere_core::chain::lock;
use mere_core::digest::Fidelity;
use mere_core::item::{Item, ItemRef, ItemType, PinnedTool, Scope, ScopedPath, Version};
use mere_core::request::LockfilePolicy;
use mere_core::trust::{Sidecar, Statement, VerificationFailure};

use super::links::Linked;
use super::{RunCall, RunError};
use crate::items::displaced_signature::find_lockfile_signature;
use crate::items::{
    CheckedItem, ItemError, ItemReader, LoadedItem, RawItem, UntrustedItem, read_and_verify,
};
use crate::policy::{self, CountedLockfile};
use crate::space::ItemChangeError;

/// A chain that matches its lockfile, or that has none.
pub struct Locked {
    linked: Linked,
    /// The lockfile that applies.
    lockfile: Option<Address>,
}

impl Locked {
    /// Compares a chain with its lockfile. The project's lockfile comes before the user's.
    pub(crate) fn check(
        call: &RunCall<'_>,
        linked: Linked,
        locking: LockfilePolicy,
    ) -> Result<Self, RunError> {
        let Some(place) = find_lockfile(&call.items, &linked)? else {
            let pin = &linked.chain().leaf().pin;
            if locking == LockfilePolicy::Required || call.run_config.require_lock {
                let (tool, version) = (Box::new(pin.reference()), pin.version.clone());
                return Err(RunError::NoLockfile { tool, version });
            }
            return Ok(Self { linked, lockfile: None });
        };
        let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
        check_chain(&call.items, &read_lockfile(&call.items, place)?, &linked)?;
        Ok(Self { linked, lockfile: Some(address) })
    }

    /// Returns the chain.
    pub(super) fn linked(&self) -> &Linked {
        &self.linked
    }

    /// Returns the address of the lockfile that applies.
    pub(crate) fn lockfile(&self) -> Option<&Address> {
        self.lockfile.as_ref()
    }
}

/// Returns the place of the lockfile that applies to a chain.
fn find_lockfile(items: &ItemReader<'_>, linked: &Linked) -> Result<Option<ScopedPath>, RunError> {
    let pin = &linked.chain().leaf().pin;
    check_displaced_lockfiles(items, pin)?;
    let (category, version) = (Some(pin.category.clone()), Some(pin.version.clone()));
    let item = ItemRef { category, id: pin.id.clone(), version };
    for scope in [Scope::Project, Scope::User] {
        let found = items.sources.candidates(scope, ItemType::Lockfile, &item);
        let found = found.map_err(ItemError::Unsearchable)?;
        if let Some(place) = found.into_iter().next() {
            return Ok(Some(place));
        }
    }
    check_renamed_lockfiles(items, pin)?;
    Ok(None)
}

/// Refuses to run a tool unpinned if a lockfile under the name of another tool was signed for it.
fn check_renamed_lockfiles(items: &ItemReader<'_>, tool: &PinnedTool) -> Result<(), RunError> {
    let is_of_tool = |statement: &Statement| {
        (&statement.id, &statement.version, &statement.category)
            == (&tool.id, &tool.version, &tool.category)
    };
    for scope in [Scope::Project, Scope::User] {
        let places = items.sources.items_of_type(scope, ItemType::Lockfile);
        let places = places.map_err(ItemError::Unsearchable)?.into_iter();
        for place in places.filter(|place| place.id != tool.id) {
            let Ok(raw) = RawItem::read(items.view, place.clone()) else { continue };
            let sidecar = raw.sidecar.bytes().and_then(|bytes| Sidecar::parse(bytes).ok());
            if sidecar.is_some_and(|sidecar| is_of_tool(&sidecar.statement)) {
                read_and_verify(items, place)?;
            }
        }
    }
    Ok(())
}

/// Refuses to run a tool if its lockfile, or the signature of that, lies anywhere it does not
/// belong. It pinned the tool, and was moved, renamed or deleted by hand.
fn check_displaced_lockfiles(items: &ItemReader<'_>, tool: &PinnedTool) -> Result<(), RunError> {
    let any_of_id = ItemRef { category: None, id: tool.id.clone(), version: None };
    let home_in = |scope| policy::permit_lockfile_category(tool, scope).place().clone();
    let homes = [Scope::Project, Scope::User].map(home_in);
    for home in &homes {
        if let Some(displaced) = find_lockfile_signature(items, home)? {
            return Err(RunError::LockDisplaced(Box::new(displaced)));
        }
        let found = items.sources.candidates(home.scope, ItemType::Lockfile, &any_of_id);
        for place in found.map_err(ItemError::Unsearchable)? {
            if !homes.contains(&place) {
                check_lockfile_elsewhere(items, place, &homes)?;
            }
        }
    }
    Ok(())
}

/// Refuses a lockfile at another place if it is the one that belongs to one of `homes`: by what its
/// signature says or, if it has none, by what it says itself. A lockfile that is right where it is
/// pins another tool; if that does not exist, it may have been this one.
fn check_lockfile_elsewhere(
    items: &ItemReader<'_>,
    place: ScopedPath,
    homes: &[ScopedPath; 2],
) -> Result<(), RunError> {
    let [home, _] = homes;
    let is_version = |version: &Version| Some(version) == home.version.as_ref();
    let has_name_of_home = place.version == home.version;
    let error = match read_and_verify(items, place.clone()) {
        Ok(_) if has_name_of_home => return check_pinned_tool_exists(items, &place, home),
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    let is_displaced = match &error {
        ItemError::Broken(broken) => match &broken.failure {
            VerificationFailure::WrongLocation(mismatch) => {
                let signed = mismatch.expected_path.as_ref().and_then(|path| path.version.as_ref());
                has_name_of_home || signed.is_some_and(is_version)
            }
            VerificationFailure::WrongVersion { expected, .. } => {
                has_name_of_home || is_version(expected)
            }
            _ => false,
        },
        ItemError::Faulty { .. } => {
            let raw = RawItem::read(items.view, place)?;
            homes.iter().any(|home| raw.would_parse_at(home))
        }
        _ => false,
    };
    if is_displaced { Err(error.into()) } else { Ok(()) }
}

/// Refuses to run a tool unpinned that was moved away from its lockfile: the lockfile pins a tool
/// of this name and version that does not exist.
fn check_pinned_tool_exists(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    home: &ScopedPath,
) -> Result<(), RunError> {
    let pinned = place.reference();
    let category = Some(place.category.clone());
    let exact = ItemRef { category, id: place.id.clone(), version: None };
    for scope in [Scope::Project, Scope::User] {
        let found = items.sources.candidates(scope, ItemType::Tool, &exact);
        if !found.map_err(ItemError::Unsearchable)?.is_empty() {
            return Ok(());
        }
    }
    let lockfile = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let tool = Box::new(home.reference());
    Err(RunError::LockLeftBehind { lockfile, pinned: Box::new(pinned), tool })
}

/// Reads a lockfile that counts.
pub(crate) fn read_lockfile(
    items: &ItemReader<'_>,
    place: ScopedPath,
) -> Result<CountedLockfile<LoadedItem>, RunError> {
    match read_and_verify(items, place.clone()) {
        Err(error @ ItemError::Faulty { .. }) if is_older_format(items, place) => Err(error.into()),
        Err(ItemError::Faulty { address, fault }) => Err(RunError::LockInvalid { address, fault }),
        checked => Ok(permit_lockfile(items, checked?)?),
    }
}

/// Returns whether a lockfile is of the older format, which `mere lock` replaces.
fn is_older_format(items: &ItemReader<'_>, place: ScopedPath) -> bool {
    RawItem::read(items.view, place).is_ok_and(|raw| raw.is_older_lockfile())
}

/// Accepts a lockfile that somebody trusted has signed.
pub(crate) fn permit_lockfile(
    items: &ItemReader<'_>,
    checked: CheckedItem,
) -> Result<CountedLockfile<LoadedItem>, RunError> {
    let counted = policy::permit_lockfile(checked);
    counted.map_err(|item| RunError::LockUnsigned(UntrustedItem::new(&item, items.trust_policy)))
}

/// Compares a chain with a lockfile, link by link.
pub(crate) fn check_chain(
    items: &ItemReader<'_>,
    counted: &CountedLockfile<LoadedItem>,
    linked: &Linked,
) -> Result<(), RunError> {
    let loaded = counted.item();
    let Item::Lockfile(lockfile) = &loaded.item else {
        return Err(ItemError::NotRunnable(loaded.place.kind).into());
    };
    let here = items.trust_policy.space_id(loaded.place.scope);
    if here != Some(lockfile.space_id.as_str()) {
        return Err(RunError::LockOfOtherSpace(loaded.address.clone()));
    }
    lock::check_lockfile(lockfile, linked.chain()).map_err(|drift| {
        // The digest of a tool that is not shown as it is would let its secrets be guessed.
        let is_guarded = linked.fidelity(drift.index) == Fidelity::Altered && drift.is_of_digest();
        let drift = if is_guarded { drift.without_values() } else { drift };
        let tool = Box::new(linked.chain().leaf().pin.reference());
        let lockfile = loaded.address.clone();
        RunError::Drift { tool, lockfile, drift: Box::new(drift) }
    })
}
