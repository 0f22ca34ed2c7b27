//! Lockfiles: they pin a chain, and are checked before each run.
//!
//! A lockfile counts only with a trusted signature, and only in the space that it was made for.

use mere_core::address::Address;
use mere_core::chain::lock;
use mere_core::item::{Item, ItemId, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::request::LockfilePolicy;
use mere_core::trust::VerificationFailure;

use super::links::Linked;
use super::{RunCall, RunError};
use crate::items::{
    CheckedItem, ItemError, ItemReader, LoadedItem, UntrustedItem, read_and_verify,
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
                let (tool, version) = (pin.id.clone(), pin.version.clone());
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
    let (category, version) = (Some(pin.category.clone()), Some(pin.version.clone()));
    let item = ItemRef { category, id: pin.id.clone(), version };
    for scope in [Scope::Project, Scope::User] {
        let found = items.sources.candidates(scope, ItemType::Lockfile, &item);
        let found = found.map_err(ItemError::Unsearchable)?;
        if let Some(place) = found.into_iter().next() {
            return Ok(Some(place));
        }
    }
    check_moved_lockfiles(items, &pin.id)?;
    Ok(None)
}

/// Refuses to run a tool unpinned if a lockfile of its name was moved or renamed by hand. Such a
/// lockfile pinned something, and it is no longer known what.
fn check_moved_lockfiles(items: &ItemReader<'_>, tool: &ItemId) -> Result<(), RunError> {
    let item = ItemRef { category: None, id: tool.clone(), version: None };
    for scope in [Scope::Project, Scope::User] {
        let found = items.sources.candidates(scope, ItemType::Lockfile, &item);
        for place in found.map_err(ItemError::Unsearchable)? {
            if let Err(error) = read_and_verify(items.view, items.trust_policy, place)
                && let ItemError::Broken(broken) = &error
                && let VerificationFailure::WrongLocation(_)
                | VerificationFailure::WrongVersion { .. } = broken.failure
            {
                return Err(error.into());
            }
        }
    }
    Ok(())
}

/// Reads a lockfile that counts.
pub(crate) fn read_lockfile(
    items: &ItemReader<'_>,
    place: ScopedPath,
) -> Result<CountedLockfile<LoadedItem>, RunError> {
    match read_and_verify(items.view, items.trust_policy, place) {
        Err(ItemError::Faulty { address, fault }) => Err(RunError::LockInvalid { address, fault }),
        checked => Ok(permit_lockfile(items, checked?)?),
    }
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
        let tool = linked.chain().leaf().pin.id.clone();
        let lockfile = loaded.address.clone();
        RunError::Drift { tool, lockfile, drift: Box::new(drift) }
    })
}
