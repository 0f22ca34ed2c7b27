//! Copying an item into another scope.

use mere_core::address::{Address, Spoken};
use mere_core::item::{CategoryBase, ItemType, Scope, ScopedPath};
use mere_core::request::{AuthorChoice, Reader};

use super::apply_permit::{WriteContext, apply_permit};
use super::change::permit_destination;
use super::new_item::main_file_name;
use super::{CheckedItem, ItemCall, ItemError, ItemReader, LoadedItem};
use crate::items::relocation::{Relocation, new_file_name};
use crate::policy::{self, SigningReason};
use crate::space::ItemChangeError;

/// The scope that an item is copied to, and who is its author there.
#[derive(Clone, Copy)]
pub(crate) struct CopyTarget {
    pub(crate) scope: Scope,
    pub(crate) author: AuthorChoice,
}

/// Copies an item into another scope and returns its address there. The author's signature is kept;
/// the placement is signed by whoever copies the item.
pub(crate) fn copy_item(
    call: &ItemCall<'_>,
    checked: &CheckedItem,
    to: CopyTarget,
) -> Result<Address, ItemError> {
    let loaded = checked.item();
    if loaded.place.kind == ItemType::Memory {
        return Err(ItemChangeError::UnsupportedType(ItemType::Memory).into());
    }
    let place = ScopedPath { scope: to.scope, base: CategoryBase::Space, ..loaded.place.clone() };
    let install =
        policy::permit_install(call.items.reader, call.agents).map_err(ItemChangeError::from)?;
    let destination = permit_destination(call, place)?;
    let place = destination.place().clone();
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let reason = match call.items.reader {
        Reader::Person => SigningReason::Requested,
        Reader::Agent => SigningReason::Install(&install),
    };
    let author = to.author;
    let relocation = Relocation { call, item: checked, to: &place, author, reason };
    let files = relocation.build_files()?;
    let permit = install.spend(destination, files);
    apply_permit(permit, &WriteContext { context: call.context, is_cancelled: call.is_cancelled })?;
    copy_permissions(&call.items, loaded, &place);
    Ok(address)
}

/// Gives the files at the new place the permissions they had, where possible.
pub(crate) fn copy_permissions(items: &ItemReader<'_>, loaded: &LoadedItem, to: &ScopedPath) {
    let folder = |address: Address| items.view.resolve(&Spoken::Rooted(address)).ok();
    let old = folder(loaded.address.clone());
    let new = to.address().and_then(folder);
    let (Some(old), Some(new)) = (old, new) else { return };
    let (Some(old), Some(new)) = (old.parent_folder(), new.parent_folder()) else { return };
    let others =
        loaded.files.iter().map(|file| (file.path.clone(), new_file_name(&file.path, loaded, to)));
    let main =
        main_file_name(to).map(|main| (loaded.main_file_name().to_owned(), main.to_string()));
    for (from, to) in others.chain(main) {
        let mode = old.symlink_metadata(from).map(|metadata| metadata.permissions());
        let _ = mode.and_then(|mode| new.set_permissions(to, mode));
    }
}
