//! Renames what lies in a store under a name that no memory or category can have, so that it
//! becomes one. Only people do this.

use std::io;

use cap_std::fs::Dir;
use mere_core::address::RelPath;
use mere_core::category::{InvalidChange, StoreChange, StoreView};
use mere_core::item::{self, Category, MemoryPath, MemoryText};
use mere_core::reply::{Content, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::StrayRename;

use super::contents::StoreEntry;
use super::locked_store::{LockedStore, category_path};
use super::store_view::StoreOnDisk;
use super::{StoreCall, StoreError};
use mere_host::{
    EntryKind, FileStamp, FolderWriter, none_if_missing, open_regular_file, read_at_most,
};

/// Why something in a store was not renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RenameError {
    #[error("there is no such file or folder in the store")]
    Missing,
    #[error("it is neither a file nor a folder")]
    NeitherFileNorFolder,
    #[error("it is a memory already")]
    IsMemory,
    #[error("it is a category already")]
    IsCategory,
    #[error("the new path is not that of a category")]
    NoCategory,
    #[error("a category has the new name already")]
    CategoryExists,
}

/// Renames a file to a memory, or a folder to a category.
pub(super) fn rename(call: &StoreCall<'_>, rename: &StrayRename) -> Result<Draft, StoreError> {
    let StrayRename { from, to, force } = rename;
    let store = call.served_store()?;
    let locked = LockedStore::open(store, call.access())?;
    let locked = locked.ok_or(StoreError::Rename(RenameError::Missing))?;
    let unreadable = |cause| StoreError::Unreadable { store: store.name.clone(), cause };
    let (folder, name) = open_parent(&locked, from)
        .map_err(unreadable)?
        .ok_or(StoreError::Rename(RenameError::Missing))?;
    let kind = none_if_missing(folder.symlink_metadata(&name)).map_err(unreadable)?;
    let kind = kind.ok_or(StoreError::Rename(RenameError::Missing))?.file_type();
    let kind = if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_file() {
        EntryKind::File
    } else {
        return Err(StoreError::Rename(RenameError::NeitherFileNorFolder));
    };
    check_is_stray(from, &name, kind)?;
    let change = if kind == EntryKind::Folder {
        let path = to.as_category().ok_or(StoreError::Rename(RenameError::NoCategory))?;
        StoreChange::AdoptFolder { from: from.clone(), path }
    } else {
        let memory = read_memory(&folder, &name, to).map_err(unreadable)??;
        StoreChange::AdoptFile { from: from.clone(), path: to.clone(), memory }
    };
    if !locked.apply(locked.permit(change, *force)?)? {
        return Err(match (kind, to.as_category()) {
            (EntryKind::Folder, Some(path)) => {
                let folder = store.folder(call.context).map_err(unreadable)?;
                match StoreOnDisk(folder.as_ref()).has_category(&path) {
                    Ok(true) => StoreError::Rename(RenameError::CategoryExists),
                    _ => StoreError::Invalid(InvalidChange::Obstructed { path }),
                }
            }
            _ => StoreError::MemoryExists(to.clone()),
        });
    }
    let data = Fields::default()
        .with("store", store.name_data())
        .with("from", Content::mention(from.as_str()))
        .with("path", ParsedName::from(to));
    let noun = if kind == EntryKind::Folder { "category" } else { "memory" };
    let message = Prose::with_names(&format!("It is the {noun} '{to}' now."), &[to.into()]);
    Ok(Draft::success(codes::STORE_RENAMED, message).data(data))
}

/// Opens the folder that holds an entry. Returns `None` if there is none.
fn open_parent(locked: &LockedStore<'_>, path: &RelPath) -> io::Result<Option<(Dir, String)>> {
    let Some((parents, name)) = path.split_last() else { return Ok(None) };
    let folder = locked.editing().open_folder(&parents)?;
    Ok(folder.map(|folder| (folder, name.as_str().to_owned())))
}

/// Checks that an entry is not a memory or a category already.
fn check_is_stray(path: &RelPath, name: &str, kind: EntryKind) -> Result<(), StoreError> {
    let parent = path.split_last().map(|(parent, _)| parent).unwrap_or_default();
    // Whatever lies in a folder that is not a category is not one either.
    let Ok(parent) = parent.as_str().parse::<Category>() else { return Ok(()) };
    match StoreEntry::classify(&parent, Some(name), kind) {
        StoreEntry::Memory(_) => Err(StoreError::Rename(RenameError::IsMemory)),
        StoreEntry::Category(_) => Err(StoreError::Rename(RenameError::IsCategory)),
        StoreEntry::Description => Err(StoreError::Rename(RenameError::NeitherFileNorFolder)),
        StoreEntry::OtherFile | StoreEntry::OtherFolder => Ok(()),
    }
}

/// Reads a file as the memory that it is to become.
fn read_memory(
    folder: &Dir,
    name: &str,
    to: &MemoryPath,
) -> io::Result<Result<MemoryText, StoreError>> {
    let Some(file) = none_if_missing(open_regular_file(folder, name))?.flatten() else {
        return Ok(Err(StoreError::Rename(RenameError::Missing)));
    };
    let bytes = read_at_most(file, item::MAX_ITEM_BYTES as u64)?;
    let bytes = bytes.unwrap_or_else(|| vec![b' '; item::MAX_ITEM_BYTES + 1]);
    let text = item::decode_text(&bytes).map(str::to_owned);
    let note = text.and_then(|text| MemoryText::parse(text, &to.slug));
    Ok(note.map_err(|fault| {
        let fault = Box::new(crate::files::masking::mask_fault(fault));
        StoreError::InvalidFile(fault)
    }))
}

impl LockedStore<'_> {
    /// Gives an entry another name. Returns false if something has that name.
    pub(super) fn adopt(
        &self,
        from: &RelPath,
        category: &Category,
        new_name: &str,
    ) -> io::Result<bool> {
        let Some((folder, name)) = open_parent(self, from)? else { return Ok(false) };
        let Some(new_folder) = self.editing().open_folder(&category_path(category)?)? else {
            return Ok(false);
        };
        if FolderWriter::rename((&folder, &name), (&new_folder, new_name))? {
            return Ok(true);
        }
        // Where the file system does not distinguish upper and lower case, the entry has the new
        // name already.
        let stamp = |folder: &Dir, name: &str| {
            folder.symlink_metadata(name).map(|found| FileStamp::from_metadata(&found))
        };
        if stamp(&folder, &name)? != stamp(&new_folder, new_name)? {
            return Ok(false);
        }
        folder.rename(&name, &new_folder, new_name).map(|()| true)
    }
}
