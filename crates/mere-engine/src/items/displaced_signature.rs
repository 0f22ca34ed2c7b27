//! Signatures that were left behind: an item without one is compared with those that lie elsewhere.
//!
//! Moving a file without its signature is a move. Without this rule it would read as an item that
//! nobody has signed, which may be used where signatures are not required. A signed item is never
//! compared, so it costs nothing there.

use std::io;

use mere_core::address::Address;
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{ItemRef, ItemType, ScopedPath};
use mere_core::trust::{
    FoundItem, Sidecar, Statement, VerificationFailure, check_displaced_sidecar, trusted_sidecar,
};

use super::{ItemError, ItemReader, ItemSources, RawItem};
use crate::policy::SigningPermit;
use crate::space::{ItemClaim, OrphanedSidecar};
use crate::trust::now;

/// Checks an item without a sidecar against the signatures in its space whose item is missing. The
/// first one that contradicts it decides.
pub(super) fn check_displaced(
    items: &ItemReader<'_>,
    found_item: &FoundItem<'_>,
) -> Result<Result<(), VerificationFailure>, ItemError> {
    let place = found_item.path;
    if place.kind == ItemType::Memory {
        return Ok(Ok(()));
    }
    let orphans = items.sources.orphans(place.scope).map_err(ItemError::Unsearchable)?;
    let keyring = items.trust_policy.keyring(place.scope);
    let claim = ItemClaim::of_item(place, Some(found_item.files));
    for orphan in orphans.iter().filter(|orphan| orphan.concerns(&claim)) {
        // One that is gone by now, or that nobody can read, contradicts nothing.
        let Ok(Some(bytes)) = orphan.read() else { continue };
        let checked = check_displaced_sidecar(found_item, &bytes, keyring);
        if let Err(failure) = checked {
            return Ok(Err(with_signature(failure, visible_address(items, orphan))));
        }
    }
    for twin in twins_of(items.sources, place)? {
        let Some(bytes) = sidecar_of_other_content(items, twin, &claim) else { continue };
        if let Err(failure) = check_displaced_sidecar(found_item, &bytes, keyring) {
            return Ok(Err(failure));
        }
    }
    Ok(Ok(()))
}

/// A signature of an item that lies elsewhere in its space, without an item of its own.
pub(crate) struct DisplacedSignature {
    /// What was signed.
    pub(crate) statement: Statement,
    /// Its address, if it can have one.
    pub(crate) address: Option<Address>,
    orphan: OrphanedSidecar,
    bytes: Vec<u8>,
}

impl DisplacedSignature {
    /// Removes the signature, unless its file has changed since it was read. Returns whether it was
    /// removed. Only somebody who may sign decides that it is settled.
    pub(crate) fn remove(
        &self,
        _permit: &SigningPermit,
        is_cancelled: &dyn Fn() -> bool,
    ) -> io::Result<bool> {
        self.orphan.remove(Sha256::digest(&self.bytes), is_cancelled)
    }
}

/// Finds the signatures of an item that were left behind: those of trusted keys, for an item of
/// this space that has its id or its content.
pub(crate) fn find_displaced(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    files: &[FileDigest],
) -> Result<Vec<DisplacedSignature>, ItemError> {
    if matches!(place.kind, ItemType::Memory | ItemType::Lockfile) {
        return Ok(Vec::new());
    }
    let orphans = items.sources.orphans(place.scope).map_err(ItemError::Unsearchable)?;
    let (keyring, claim) =
        (items.trust_policy.keyring(place.scope), ItemClaim::of_item(place, Some(files)));
    let space_id = items.trust_policy.space_id(place.scope);
    let displaced = orphans.iter().filter(|orphan| orphan.concerns(&claim)).filter_map(|orphan| {
        let bytes = orphan.read().ok().flatten()?;
        let (sidecar, _) = trusted_sidecar(&bytes, keyring, now())?;
        let placement = &sidecar.placement;
        let is_of_this_space =
            placement.scope == place.scope && Some(placement.space_id.as_str()) == space_id;
        let is_own = is_of_this_space && sidecar.statement.kind == place.kind;
        let (statement, address) = (sidecar.statement, orphan.address());
        is_own.then(|| DisplacedSignature { statement, address, orphan: orphan.clone(), bytes })
    });
    Ok(displaced.collect())
}

/// Returns the items of the same type, id and scope in other categories.
fn twins_of(sources: &ItemSources<'_>, place: &ScopedPath) -> Result<Vec<ScopedPath>, ItemError> {
    let any = ItemRef { category: None, id: place.id.clone(), version: place.version.clone() };
    let mut found = sources.candidates(place.scope, place.kind, &any);
    if let Ok(found) = &mut found {
        found.retain(|twin| twin != place);
    }
    found.map_err(ItemError::Unsearchable)
}

/// Returns the sidecar of an item if it states the content in `claim`, which is not that of the
/// item beside it: something else was put where the signed item was.
fn sidecar_of_other_content(
    items: &ItemReader<'_>,
    twin: ScopedPath,
    claim: &ItemClaim,
) -> Option<Vec<u8>> {
    let raw = RawItem::read(items.view, twin).ok()?;
    let bytes = raw.sidecar.bytes()?;
    let stated = ItemClaim::of_statement(&Sidecar::parse(bytes).ok()?.statement);
    let own = raw.files().map(|files| ItemClaim::of_item(&raw.place, Some(&files)));
    let is_own = own.is_some_and(|own| own.has_content_of(&stated));
    (stated.has_content_of(claim) && !is_own).then(|| bytes.to_vec())
}

/// Returns whether no signature that lost its item can state the id of the item at a place. An item
/// with the content of another id does not parse, so whoever has parsed it need not read it again.
pub(crate) fn is_unclaimed(sources: &ItemSources<'_>, place: &ScopedPath) -> bool {
    let claim = ItemClaim::of_item(place, None);
    let is_claimed = |orphan: &OrphanedSidecar| orphan.concerns(&claim);
    place.kind == ItemType::Memory
        || sources.orphans(place.scope).is_ok_and(|orphans| !orphans.iter().any(is_claimed))
}

/// Returns whether no other item of the space has the id of the item at a place, so that no
/// signature beside another one can be about it.
pub(crate) fn has_no_twin(sources: &ItemSources<'_>, place: &ScopedPath) -> bool {
    place.kind == ItemType::Memory || twins_of(sources, place).is_ok_and(|twins| twins.is_empty())
}

/// Finds a signature of a lockfile that lies where it does not belong. `lockfile` is the place that
/// it belongs to.
pub(crate) fn find_lockfile_signature(
    items: &ItemReader<'_>,
    lockfile: &ScopedPath,
) -> Result<Option<DisplacedLockfile>, ItemError> {
    let scope = lockfile.scope;
    let orphans = items.sources.orphans(scope).map_err(ItemError::Unsearchable)?;
    let (keyring, claim) = (items.trust_policy.keyring(scope), ItemClaim::of_item(lockfile, None));
    for orphan in orphans.iter().filter(|orphan| orphan.concerns(&claim)) {
        let Ok(Some(bytes)) = orphan.read() else { continue };
        let Some((sidecar, home)) = trusted_sidecar(&bytes, keyring, now()) else { continue };
        let is_of_this_space = sidecar.placement.scope == scope
            && Some(sidecar.placement.space_id.as_str()) == items.trust_policy.space_id(scope);
        if is_of_this_space && home == *lockfile {
            let signature = visible_address(items, orphan);
            let is_home_taken = items.sources.exists(&home).map_err(ItemError::Unsearchable)?;
            return Ok(Some(DisplacedLockfile { home, signature, is_home_taken }));
        }
    }
    Ok(None)
}

/// A lockfile whose signature lies where it does not belong.
#[derive(Debug)]
pub(crate) struct DisplacedLockfile {
    /// The place that it was signed for.
    pub(crate) home: ScopedPath,
    /// The address of its signature, if the caller may see it.
    pub(crate) signature: Option<Address>,
    /// Whether there is a lockfile at that place all the same.
    pub(crate) is_home_taken: bool,
}

/// Returns the address of a signature, unless the caller may not know of it.
fn visible_address(items: &ItemReader<'_>, orphan: &OrphanedSidecar) -> Option<Address> {
    orphan.address().filter(|address| items.view.world.may_show(address))
}

fn with_signature(failure: VerificationFailure, address: Option<Address>) -> VerificationFailure {
    match failure {
        VerificationFailure::WrongLocation(mut mismatch) => {
            mismatch.signature = address;
            VerificationFailure::WrongLocation(mismatch)
        }
        other => other,
    }
}
