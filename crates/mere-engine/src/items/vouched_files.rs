//! The files of an item that a trusted key vouched for, whatever is on disk now.
//!
//! This is the only answer to the questions of what a change is compared with and what a person has
//! already been shown. A sidecar without a trusted signature vouches for nothing, so nothing can
//! hide behind it.

use mere_core::address::{RelPath, Root};
use mere_core::item::ScopedPath;
use mere_core::item::integrity::FileDigest;
use mere_core::trust;

use super::{ItemCall, ItemReader, RawItem};
use crate::trust::now;
use crate::world::Context;
use mere_host::GitRepository;

/// Returns the files that were vouched for by the sidecar on disk or, failing that, by the last
/// committed one. Returns none if no trusted key vouched for any.
pub(crate) fn vouched_files(call: &ItemCall<'_>, place: &ScopedPath) -> Vec<FileDigest> {
    let raw = RawItem::read(call.items.view, place.clone()).ok();
    let present = raw.and_then(|raw| stated_files(&call.items, place, raw.sidecar.bytes()?));
    let committed =
        || stated_files(&call.items, place, &read_committed(call.context, &sidecar_path(place)?)?);
    present.or_else(committed).unwrap_or_default()
}

fn stated_files(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    sidecar: &[u8],
) -> Option<Vec<FileDigest>> {
    let keyring = items.trust_policy.keyring(place.scope);
    Some(trust::trusted_statement(sidecar, keyring, place, now())?.files)
}

/// Reads a file of the project as of the last commit.
pub(crate) fn read_committed(context: &Context, path: &RelPath) -> Option<Vec<u8>> {
    GitRepository::discover(context.project_folder()?)?.read_committed(path)
}

/// Returns the path of an item's sidecar relative to the project, or `None` for an item outside it.
fn sidecar_path(place: &ScopedPath) -> Option<RelPath> {
    let address = place.address().filter(|address| *address.root() == Root::Project)?;
    let (folder, _) = address.path().split_last()?;
    folder.child(&place.sidecar_name()?)
}
