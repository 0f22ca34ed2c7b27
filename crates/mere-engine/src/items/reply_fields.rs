//! The parts of a reply that describe an item.

use mere_core::address::{Address, RelPath};
use mere_core::item::ScopedPath;
use mere_core::reply::{Content, Data, Fields};

use super::UsableItem;
use super::item_fidelity::ItemFidelity;
use crate::files::view::View;

/// Returns the addresses of items, or `None` if there are none.
pub(crate) fn some_addresses(places: &[ScopedPath]) -> Option<Data> {
    let addresses = places.iter().filter_map(ScopedPath::address).map(Data::from);
    (!places.is_empty()).then(|| addresses.collect())
}

/// Returns an id or another parsed word as text of our own, which needs no masking.
pub(crate) fn own_text<T: ToString>(word: &T) -> Data {
    Data::Words(word.to_string().into())
}

/// Returns the warnings about an item, or `None` if there are none.
pub(crate) fn warning_list(warnings: Vec<Content>) -> Option<Data> {
    let some = !warnings.is_empty();
    some.then(|| warnings.into_iter().map(Data::from).collect())
}

/// Returns the files of an item, its main file first.
pub(crate) fn file_list(view: &View<'_>, usable: &UsableItem, fidelity: &ItemFidelity) -> Data {
    let loaded = usable.item();
    let file = |path: &str, size: u64, sha256: Data| {
        let path = Content::mention(path);
        Data::from(Fields::default().with("path", path).with("size", size).with("sha256", sha256))
    };
    let sha256 = fidelity.main_digest(view, loaded.sha256);
    let main = file(loaded.main_file_name(), loaded.text.len() as u64, sha256);
    let folder = loaded.address.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    // A file whose path the caller may not see is not listed here either.
    let shown = |path: &str| {
        let path = path.parse::<RelPath>().ok().map(|path| folder.join_path(&path));
        path.is_some_and(|path| {
            view.world.may_show(&Address::file(loaded.address.root().clone(), path))
        })
    };
    let others = fidelity.other_digests(view, &loaded.files);
    let others = others.filter(|(other, _)| shown(&other.path));
    let others = others.map(|(other, sha256)| file(&other.path, other.size, sha256));
    std::iter::once(main).chain(others).collect()
}
