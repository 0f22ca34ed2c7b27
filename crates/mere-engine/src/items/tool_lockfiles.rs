//! The lockfiles of one tool, which go where it goes and are deleted with it.

use mere_core::address::{Address, Spoken};
use mere_core::digest::Sha256;
use mere_core::item::{Item, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::Prose;

use super::apply_permit::{WriteContext, apply_permit};
use super::change::ExecutionMode;
use super::item_files::item_digest;
use super::{ItemCall, ItemError, ItemReader, LoadedItem};
use crate::files::read::open_visible_file;
use crate::policy::{self, ItemChange, SignatureState};
use crate::space::ItemChangeError;
use mere_host::digest_file;

/// Returns the lockfiles of a tool in both scopes, whatever version they pin.
pub(crate) fn find_lockfiles(
    items: &ItemReader<'_>,
    tool: &ScopedPath,
) -> Result<Vec<ScopedPath>, ItemError> {
    let (category, id) = (Some(tool.category.clone()), tool.id.clone());
    let name = ItemRef { category, id, version: None };
    let mut found = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        let places = items.sources.candidates(scope, ItemType::Lockfile, &name);
        let places = places.map_err(ItemError::Unsearchable)?.into_iter();
        found.extend(places.filter(|place| pinned_scope(items, place) == tool.scope));
    }
    Ok(found)
}

/// Returns the scope of the tool that a lockfile pins. One that does not say is taken to be for a
/// tool beside it.
fn pinned_scope(items: &ItemReader<'_>, lockfile: &ScopedPath) -> Scope {
    let pinned = match LoadedItem::read(items.view, lockfile.clone()).map(|loaded| loaded.item) {
        Ok(Item::Lockfile(lockfile)) => lockfile.chain.first().and_then(|tool| tool.scope),
        _ => None,
    };
    pinned.unwrap_or(lockfile.scope)
}

/// Deletes a lockfile and its signature. Returns its address.
pub(crate) fn delete_lockfile(
    call: &ItemCall<'_>,
    lockfile: &ScopedPath,
) -> Result<Address, ItemError> {
    let address = lockfile.address().ok_or(ItemChangeError::InvalidPlace)?;
    let digest = lockfile_digest(&call.items, lockfile)?;
    let change = ItemChange::remove(lockfile.clone(), digest);
    let permit =
        policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned);
    apply_permit(permit, &WriteContext { context: call.context, is_cancelled: call.is_cancelled })?;
    Ok(address)
}

/// The lockfiles that were deleted with their tool, and those that could not be.
pub(crate) struct DeletedLockfiles {
    pub(crate) deleted: Vec<Address>,
    pub(crate) left: Vec<Address>,
}

/// Deletes the lockfiles of a tool. In a dry run it only tells which.
pub(crate) fn delete_lockfiles(
    call: &ItemCall<'_>,
    lockfiles: &[ScopedPath],
    mode: ExecutionMode,
) -> DeletedLockfiles {
    let is_deleted =
        |place: &&ScopedPath| mode == ExecutionMode::DryRun || delete_lockfile(call, place).is_ok();
    let (deleted, left): (Vec<_>, Vec<_>) = lockfiles.iter().partition(is_deleted);
    let [deleted, left] = [deleted, left]
        .map(|places| places.into_iter().filter_map(ScopedPath::address).collect::<Vec<_>>());
    DeletedLockfiles { deleted, left }
}

/// Returns the digest of a lockfile as it is now.
pub(crate) fn lockfile_digest(
    items: &ItemReader<'_>,
    lockfile: &ScopedPath,
) -> Result<Sha256, ItemError> {
    let address = lockfile.address().ok_or(ItemChangeError::InvalidPlace)?;
    let main = items.view.resolve(&Spoken::Rooted(address.clone()))?;
    let unreadable = |cause| ItemError::unreadable(&address, cause);
    let digest = digest_file(open_visible_file(&main)?).map_err(unreadable)?;
    Ok(item_digest(digest, &[]))
}

/// Says which lockfiles were deleted with their tool, and which could not be.
pub(crate) fn describe_deletion(lockfiles: &DeletedLockfiles) -> Prose {
    let sentence = |prose: Prose, (one, many): (&'static str, &'static str), all: &[Address]| {
        let Some((first, others)) = all.split_first() else { return prose };
        let subject = if others.is_empty() { " Its lockfile " } else { " Its lockfiles " };
        let prose =
            others.iter().fold(prose.and(subject).address(first.clone()), |prose, other| {
                prose.and(", ").address(other.clone())
            });
        prose.and(if others.is_empty() { one } else { many })
    };
    let words = Prose::words("");
    let words =
        sentence(words, (" was deleted with it.", " were deleted with it."), &lockfiles.deleted);
    sentence(words, (" could not be deleted.", " could not be deleted."), &lockfiles.left)
}
