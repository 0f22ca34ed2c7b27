//! Whether there is a signature of an item, which decides whether an agent may overwrite it.

use mere_core::address::{Address, Spoken};
use mere_core::item::ScopedPath;

use super::ItemReader;
use super::displaced_signature::is_unclaimed;
use super::item_files::has_sidecar;
use crate::files::error::FileError;
use crate::policy::SignatureState;
use crate::world::{ResolveError, VisibilityRef};

/// Returns whether a signature lies beside an item, or elsewhere without an item and with this one's
/// id. If this cannot be determined, the item counts as signed.
pub(crate) fn detect_signature_state(items: &ItemReader<'_>, place: &ScopedPath) -> SignatureState {
    let Some(address) = place.address() else { return SignatureState::Signed };
    let main = items.view.resolve(&Spoken::Rooted(address.clone()));
    if let Err(FileError::Path(ResolveError::NotVisible)) = main {
        return state_without_item(items, &address, place);
    }
    match state_beside(main, place) {
        SignatureState::Unsigned if is_unclaimed(items.sources, place) => SignatureState::Unsigned,
        _ => SignatureState::Signed,
    }
}

/// Returns whether a signature lies where that of an item would be that does not exist yet. One
/// elsewhere with its id makes the new item unusable, whoever makes it, so it need not be looked for.
fn state_without_item(
    items: &ItemReader<'_>,
    main: &Address,
    place: &ScopedPath,
) -> SignatureState {
    let folder = main.path().split_last().map(|(folder, _)| folder);
    let sidecar = place.sidecar_name().and_then(|name| folder?.child(&name));
    let Some(sidecar) = sidecar else { return SignatureState::Signed };
    let sidecar = Address::file(main.root().clone(), sidecar);
    match items.view.resolve(&Spoken::Rooted(sidecar)) {
        Err(FileError::Path(ResolveError::NotVisible)) => SignatureState::Unsigned,
        _ => SignatureState::Signed,
    }
}

/// Returns whether a signature lies beside the main file of an item, given how its path resolved.
fn state_beside(main: Result<VisibilityRef, FileError>, place: &ScopedPath) -> SignatureState {
    let main = match main {
        Ok(main) => main,
        // There is no such item yet, so there is nothing that anybody could have signed.
        Err(FileError::Path(ResolveError::NotVisible)) => return SignatureState::Unsigned,
        Err(_) => return SignatureState::Signed,
    };
    match main.parent_folder().map(|folder| has_sidecar(folder, place)) {
        Some(Ok(false)) => SignatureState::Unsigned,
        Some(Ok(true) | Err(_)) | None => SignatureState::Signed,
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::sync::Arc;

    use mere_core::address::{RelPath, Root};
    use mere_core::item::{CategoryBase, ItemForm, ItemType, Scope};

    use super::*;
    use crate::world::{HiddenFolders, MountedRoot, SensitivityRules, World};

    fn place() -> ScopedPath {
        ScopedPath {
            scope: Scope::Project,
            kind: ItemType::Directive,
            base: CategoryBase::Space,
            category: "team".parse().expect("a category"),
            id: "greet".parse().expect("an id"),
            version: None,
            form: ItemForm::Flat,
        }
    }

    #[test]
    fn an_item_that_does_not_exist_is_unsigned() {
        let missing = FileError::Path(ResolveError::NotVisible);
        assert_eq!(state_beside(Err(missing), &place()), SignatureState::Unsigned);
    }

    #[test]
    fn an_item_that_cannot_be_looked_at_counts_as_signed() {
        let denied = ResolveError::Io(ErrorKind::PermissionDenied.into());
        for error in [FileError::Path(denied), FileError::Cancelled] {
            assert_eq!(state_beside(Err(error), &place()), SignatureState::Signed);
        }
    }

    #[test]
    fn an_item_without_a_folder_around_it_counts_as_signed() {
        let root =
            MountedRoot { root: Root::Project, id: None, folder: None, enclosing_repository: None };
        let rules = Arc::new(SensitivityRules::new(&[], &[], Vec::new()));
        let world = World::new(vec![root], HiddenFolders::new(Vec::new()), rules);
        let top = Spoken::Rooted(Address::directory(Root::Project, RelPath::default()));
        let main = world.resolve(&top, &Root::Project).expect("an empty root");
        assert_eq!(state_beside(Ok(main), &place()), SignatureState::Signed);
    }
}
