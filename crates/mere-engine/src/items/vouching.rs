//! What of an item was vouched for by a key that counts, whatever lies there now.
//!
//! The one answer to "compared with what?" and "was that shown?": a sidecar that nobody who counts
//! signed vouches for nothing, so nothing hides behind it.

use mere_core::address::RelPath;
use mere_core::item::ScopedPath;
use mere_core::item::integrity::FileDigest;
use mere_core::root::Root;
use mere_core::trust;

use super::RawItem;
use super::change::ItemCall;
use super::loaded::SidecarFile;
use crate::court::now;
use mere_host::GitRepository;

/// The files that were vouched for, by the signatures that lie there or by those that were committed
/// last; none if nobody who counts vouched for any.
pub(crate) fn vouched_files(desk: &ItemCall<'_>, place: &ScopedPath) -> Vec<FileDigest> {
    let raw = RawItem::read(desk.view, place.clone()).ok();
    let present = match raw.map(|raw| raw.sidecar) {
        Some(SidecarFile::Bytes(bytes)) => stated_files(desk, place, &bytes),
        _ => None,
    };
    let committed = || stated_files(desk, place, &read_committed(desk, &sidecar_path(place)?)?);
    present.or_else(committed).unwrap_or_default()
}

fn stated_files(desk: &ItemCall<'_>, place: &ScopedPath, letter: &[u8]) -> Option<Vec<FileDigest>> {
    let keyring = desk.trust_policy.keyring(place.scope);
    Some(trust::trusted_statement(letter, keyring, place, now())?.files)
}

/// A file of the project as it was committed last.
pub(crate) fn read_committed(desk: &ItemCall<'_>, path: &RelPath) -> Option<Vec<u8>> {
    GitRepository::discover(&desk.context.project)?.read_committed(path)
}

/// The path of an item's sidecar from the project; none for an item that lies elsewhere.
fn sidecar_path(place: &ScopedPath) -> Option<RelPath> {
    let address = place.address().filter(|address| *address.root() == Root::Project)?;
    let (folder, _) = address.path().split_last()?;
    folder.child(&place.sidecar_name()?)
}
