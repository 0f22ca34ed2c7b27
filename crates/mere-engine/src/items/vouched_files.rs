//! The files of an item that a trusted key vouched for, whatever is on disk now.
//!
//! This is the only answer to the questions of what a change is compared with and what a person has
//! already been shown. A sidecar without a trusted signature vouches for nothing, so nothing can
//! hide behind it.

use mere_core::address::{RelPath, Root};
use mere_core::item::ScopedPath;
use mere_core::item::integrity::FileDigest;
use mere_core::trust;
use mere_core::trust::Statement;

use super::{ItemCall, ItemReader, RawItem};
use crate::trust::now;
use crate::world::Context;
use mere_host::GitRepository;

/// Returns the files that were vouched for by the sidecar on disk or, failing that, by the last
/// committed one. Returns none if no trusted key vouched for any.
pub(crate) fn vouched_files(call: &ItemCall<'_>, place: &ScopedPath) -> Vec<FileDigest> {
    vouched_statement(call, place).map(|statement| statement.files).unwrap_or_default()
}

/// Returns what a trusted key stated in that sidecar, wherever it says the item lies.
pub(crate) fn vouched_statement(call: &ItemCall<'_>, place: &ScopedPath) -> Option<Statement> {
    let raw = RawItem::read(call.items.view, place.clone()).ok();
    let present = raw.and_then(|raw| trusted_statement(&call.items, place, raw.sidecar.bytes()?));
    let committed = || {
        let bytes = read_committed(call.context, &sidecar_path(place)?)?;
        trusted_statement(&call.items, place, &bytes)
    };
    present.or_else(committed)
}

fn trusted_statement(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    sidecar: &[u8],
) -> Option<Statement> {
    let keyring = items.trust_policy.keyring(place.scope);
    trust::trusted_statement(sidecar, keyring, place, now())
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
