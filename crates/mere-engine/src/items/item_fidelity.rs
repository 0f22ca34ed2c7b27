//! How a reader sees the files of an item, which decides about their digests and about the
//! integrity of the item.
//!
//! The integrity covers every file, so it is shown only if every file can be read as it is.

use mere_core::address::{Address, RelPath, Spoken};
use mere_core::digest::{Fidelity, Sha256, ShownDigest};
use mere_core::item::integrity::FileDigest;
use mere_core::reply::Data;

use super::LoadedItem;
use super::new_item::NewItem;
use crate::files::read::open_visible_file;
use crate::files::view::View;

/// How a reader sees each file of an item.
pub(crate) struct ItemFidelity {
    main: Fidelity,
    /// In the order of the item's other files.
    others: Vec<Option<Fidelity>>,
}

impl ItemFidelity {
    /// Judges the files of an item that was read.
    pub(crate) fn examine(view: &View<'_>, loaded: &LoadedItem) -> Self {
        let main = view.fidelity_of(&loaded.address, loaded.text.as_bytes());
        Self { main, others: examine_others(view, &loaded.address, &loaded.files) }
    }

    /// Returns how the reader sees all of it.
    pub(crate) fn whole(&self) -> Fidelity {
        combine(self.main, &self.others)
    }

    /// Returns the digest of the main file for a reply.
    pub(crate) fn main_digest(&self, view: &View<'_>, sha256: Sha256) -> Data {
        view.digest_data(sha256, self.main)
    }

    /// Returns the digests of the other files for a reply. A file that has changed since the item
    /// was read has none.
    pub(crate) fn other_digests<'a>(
        &'a self,
        view: &'a View<'_>,
        files: &'a [FileDigest],
    ) -> impl Iterator<Item = (&'a FileDigest, Data)> {
        files.iter().zip(&self.others).map(|(file, fidelity)| {
            (file, fidelity.map(|fidelity| view.digest_data(file.sha256, fidelity)).into())
        })
    }

    /// Returns the integrity of the item, unless a file of it is not shown as it is.
    pub(crate) fn integrity(&self, integrity: Option<Sha256>) -> Option<ShownDigest> {
        integrity.and_then(|integrity| ShownDigest::if_exact(integrity, self.whole()))
    }
}

/// Judges the files beside the main file of an item. The result is `None` for a file that the
/// reader may not see, or that is not the one that was hashed.
pub(super) fn examine_others(
    view: &View<'_>,
    main: &Address,
    files: &[FileDigest],
) -> Vec<Option<Fidelity>> {
    files.iter().map(|file| examine_other(view, main, file)).collect()
}

fn examine_other(view: &View<'_>, main: &Address, file: &FileDigest) -> Option<Fidelity> {
    let address = address_beside(main, &file.path.parse().ok()?);
    let target = view.resolve(&Spoken::Rooted(address.clone())).ok()?;
    let examined = view.examine(&address, open_visible_file(&target).ok()?).ok()?;
    (examined.sha256 == file.sha256).then_some(examined.fidelity)
}

/// Returns the address of a file whose path is relative to the folder of an item's main file.
fn address_beside(main: &Address, path: &RelPath) -> Address {
    let folder = main.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    Address::file(main.root().clone(), folder.join_path(path))
}

/// Combines how a reader sees a main file and the files beside it. A file that is not known is not
/// shown as it is.
pub(super) fn combine(main: Fidelity, others: &[Option<Fidelity>]) -> Fidelity {
    others.iter().fold(main, |all, one| all.and(one.unwrap_or(Fidelity::Altered)))
}

/// Returns the integrity of an item that is about to be written, unless a file of it will not be
/// shown as it is.
pub(super) fn shown_integrity(view: &View<'_>, new_item: &NewItem) -> Option<ShownDigest> {
    let judge = |(path, bytes): &(RelPath, Vec<u8>)| {
        view.fidelity_of(&address_beside(&new_item.address, path), bytes)
    };
    let written = new_item.files.iter().map(judge).fold(Fidelity::Exact, Fidelity::and);
    let kept = examine_others(view, &new_item.address, &new_item.kept);
    ShownDigest::if_exact(new_item.integrity?, combine(written, &kept))
}
