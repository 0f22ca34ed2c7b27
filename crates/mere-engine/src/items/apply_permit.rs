//! Applies a permit: writes or removes an item's files.
//!
//! All of this happens under the lock of the item's base folder, and preconditions are checked
//! again under that lock. New bytes are durable before old ones are removed.

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::{CategoryBase, ItemForm, ItemType, Scope, ScopedPath};
use mere_core::trust::MAX_SIDECAR_BYTES;

use super::item_files::read_item_digest;
use super::new_item::main_file_name;
use crate::policy::{ItemOperation, ItemPermit};
use crate::space::ItemChangeError;
use crate::trust::project_key;
use crate::world::Context;
use mere_host::{
    EntryKind, FolderWriter, OpenFolder, WritePrecondition, digest_file, none_if_missing,
    open_regular_file, read_at_most,
};

/// The largest main file that is hashed.
const MAX_MAIN_BYTES: u64 = 64 * 1024 * 1024;

/// The context in which a permit is applied.
pub(crate) struct WriteContext<'a> {
    pub(crate) context: &'a Context,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

/// Makes the change that a permit allows.
#[expect(clippy::needless_pass_by_value, reason = "a permit is spent once")]
pub(crate) fn apply_permit(
    permit: ItemPermit,
    write_context: &WriteContext<'_>,
) -> Result<(), ItemChangeError> {
    let place = permit.place();
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let failed = |cause| ItemChangeError::WriteFailed { address: address.clone(), cause };
    let paths = ItemPaths::from_place(place).ok_or(ItemChangeError::InvalidPlace)?;
    let folder = write_context.open_base_folder(place).map_err(failed)?;
    if place.base == CategoryBase::Space
        && project_key::space_format(&folder) > project_key::SPACE_FORMAT
    {
        return Err(ItemChangeError::NewerFormat);
    }
    let editing = FolderWriter::open(&folder, write_context.is_cancelled).map_err(failed)?;
    let editing = editing.ok_or_else(|| ItemChangeError::TimedOut(address.clone()))?;
    let main = editing.open_file(&paths.main).map_err(failed)?;
    let main = main.map(|file| read_at_most(file, MAX_MAIN_BYTES)).transpose().map_err(failed)?;
    let main = main.flatten().map(|bytes| Sha256::digest(&bytes));
    let all = main.map(|main| paths.item_digest(&editing, main)).transpose();
    let all = all.map_err(failed)?.flatten();
    let stale = || ItemChangeError::Stale { address: address.clone(), current: None };
    let settle = |done: bool| if done { Ok(()) } else { Err(stale()) };
    match permit.operation() {
        ItemOperation::Create { files } => match paths.create(&editing, files).map_err(failed)? {
            None => Ok(()),
            Some(existing) => {
                Err(ItemChangeError::AlreadyExists(paths.address_of(&address, &existing)))
            }
        },
        ItemOperation::Replace { digest, .. }
        | ItemOperation::ReplaceWhole { digest, .. }
        | ItemOperation::Remove { digest }
        | ItemOperation::AddSidecar { digest, .. }
            if all != Some(*digest) =>
        {
            Err(stale())
        }
        ItemOperation::Replace { files, .. } => {
            let before = paths.read_sidecar(&editing).map_err(failed)?;
            let done = paths.replace(&editing, files, main);
            // An item that was not replaced keeps its signatures.
            if !matches!(done, Ok(true)) {
                paths.restore_sidecar(&editing, before).map_err(failed)?;
            }
            settle(done.map_err(failed)?)
        }
        ItemOperation::ReplaceWhole { files, digest } => {
            settle(paths.replace_whole(&editing, files, (main, *digest)).map_err(failed)?)
        }
        ItemOperation::AddSidecar { sidecar, .. } => {
            let path = paths.sidecar_path().ok_or(ItemChangeError::InvalidPlace)?;
            editing.put(&path, sidecar, WritePrecondition::Any).map(|_| ()).map_err(failed)
        }
        ItemOperation::Remove { digest } => {
            paths.remove(&editing, main, *digest).map_err(failed).and_then(settle)
        }
    }
}

impl WriteContext<'_> {
    /// Opens the folder that the paths of a place are relative to. Creates the space if it is
    /// missing.
    fn open_base_folder(&self, place: &ScopedPath) -> std::io::Result<cap_std::fs::Dir> {
        let missing = || std::io::Error::from(std::io::ErrorKind::NotFound);
        match (place.scope, &place.base) {
            (Scope::Project, CategoryBase::Space) => match self.context.space()? {
                Some(space) => space.dir().try_clone(),
                None => FolderWriter::make_space(self.context.project()?),
            },
            (Scope::Project, CategoryBase::InPlace(_)) => self.context.project()?.dir().try_clone(),
            (Scope::User, CategoryBase::Space) => self.context.environment.make_user_space(),
            (Scope::User, CategoryBase::InPlace(_))
            | (Scope::Registry, _)
            | (_, CategoryBase::Store(_)) => Err(missing()),
        }
    }
}

/// The paths of an item's files.
struct ItemPaths<'a> {
    place: &'a ScopedPath,
    main: RelPath,
    /// The folder that contains the main file.
    folder: RelPath,
}

impl<'a> ItemPaths<'a> {
    fn from_place(place: &'a ScopedPath) -> Option<Self> {
        let main = place.main_file_path()?;
        let (folder, _) = main.split_last()?;
        Some(Self { place, main, folder })
    }

    /// Returns the path of the item's sidecar.
    fn sidecar_path(&self) -> Option<RelPath> {
        self.folder.child(&self.place.sidecar_name()?)
    }

    /// Reads the current sidecar.
    fn read_sidecar(&self, editing: &FolderWriter) -> std::io::Result<Option<Vec<u8>>> {
        let file = self.sidecar_path().map(|path| editing.open_file(&path)).transpose()?.flatten();
        Ok(file.map(|file| read_at_most(file, MAX_SIDECAR_BYTES)).transpose()?.flatten())
    }

    /// Writes the previous sidecar back, or removes the new one if there was none.
    fn restore_sidecar(
        &self,
        editing: &FolderWriter,
        before: Option<Vec<u8>>,
    ) -> std::io::Result<()> {
        match (self.sidecar_path(), before) {
            (Some(path), Some(before)) => {
                editing.put(&path, &before, WritePrecondition::Any).map(|_| ())
            }
            (Some(path), None) => editing.remove(&path),
            (None, _) => Ok(()),
        }
    }

    /// Returns the address of a path that is relative to the same folder as the item's own path.
    fn address_of(&self, own: &Address, path: &RelPath) -> Address {
        let above = own.path().as_str().strip_suffix(self.main.as_str()).unwrap_or_default();
        let whole = format!("{above}{path}").parse::<RelPath>();
        whole.map_or_else(|_| own.clone(), |whole| Address::file(own.root().clone(), whole))
    }

    /// Returns one digest of the whole item as it is now.
    fn item_digest(&self, editing: &FolderWriter, main: Sha256) -> std::io::Result<Option<Sha256>> {
        let folder = none_if_missing(OpenFolder::open(editing.dir(), self.folder.as_str()))?;
        folder.map(|folder| read_item_digest(main, &folder.into_dir(), self.place)).transpose()
    }

    /// Creates the item. If something is in the way, it returns that path and leaves none of its
    /// own files behind.
    fn create(
        &self,
        editing: &FolderWriter,
        files: &[(RelPath, Vec<u8>)],
    ) -> std::io::Result<Option<RelPath>> {
        // Someone may have created the other form since the destination was checked.
        let form = match self.place.form {
            ItemForm::Flat => ItemForm::Folder,
            ItemForm::Folder => ItemForm::Flat,
        };
        let other = ScopedPath { form, ..self.place.clone() }.main_file_path();
        if let Some(other) = other.filter(|other| *other != self.main)
            && editing.has_path(&other)?
        {
            return Ok(Some(other));
        }
        if self.place.form == ItemForm::Folder {
            let done = editing.put_folder(&self.folder, files)?;
            return Ok((!done).then(|| self.folder.clone()));
        }
        let mut written = Vec::new();
        let ended = self.create_files(editing, files, &mut written);
        if !matches!(ended, Ok(None)) {
            for path in written {
                let _ = editing.remove(&path);
            }
        }
        ended
    }

    fn create_files(
        &self,
        editing: &FolderWriter,
        files: &[(RelPath, Vec<u8>)],
        written: &mut Vec<RelPath>,
    ) -> std::io::Result<Option<RelPath>> {
        for (path, bytes) in files {
            let path = self.folder.join_path(path);
            // A killed process may have left this file while creating the same item; with equal
            // bytes it is as good as our own.
            let is_same = path != self.main && editing.has_digest(&path, Sha256::digest(bytes))?;
            if is_same {
                continue;
            }
            // A sidecar without an item may be overwritten.
            let is_free =
                Some(&path) == self.sidecar_path().as_ref() && !editing.has_path(&self.main)?;
            let before = if is_free { WritePrecondition::Any } else { WritePrecondition::Absent };
            if !editing.put(&path, bytes, before)? {
                return Ok(Some(path));
            }
            written.push(path);
        }
        Ok(None)
    }

    /// Replaces the item's files. The main file comes last and only if it is unchanged, so until
    /// then the item is still the old one.
    fn replace(
        &self,
        editing: &FolderWriter,
        files: &[(RelPath, Vec<u8>)],
        main: Option<Sha256>,
    ) -> std::io::Result<bool> {
        for (path, bytes) in files {
            let path = self.folder.join_path(path);
            let before = match main.filter(|_| path == self.main) {
                Some(main) => WritePrecondition::Digest(main),
                None => WritePrecondition::Any,
            };
            if !editing.put(&path, bytes, before)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Replaces the item by one that has these files and no others. A folder is exchanged as a whole.
    fn replace_whole(
        &self,
        editing: &FolderWriter,
        files: &[(RelPath, Vec<u8>)],
        (main, all): (Option<Sha256>, Sha256),
    ) -> std::io::Result<bool> {
        if self.place.form == ItemForm::Folder {
            let own = main_file_name(self.place);
            return editing.replace_folder_if(&self.folder, files, |folder| {
                let file = own.and_then(|own| open_regular_file(folder, own.as_str()).transpose());
                let main = file.transpose()?.map(digest_file).transpose()?;
                main.map_or(
                    Ok(false),
                    |main| Ok(read_item_digest(main, folder, self.place)? == all),
                )
            });
        }
        let before = self.read_sidecar(editing)?;
        let done = self.replace(editing, files, main);
        if !matches!(done, Ok(true)) {
            self.restore_sidecar(editing, before)?;
            return done;
        }
        if self.place.kind == ItemType::Tool {
            let is_new =
                |name: &RelPath| files.iter().any(|(path, _)| self.folder.join_path(path) == *name);
            for name in self.list_siblings(editing)?.into_iter().filter(|name| !is_new(name)) {
                editing.remove(&name)?;
            }
        }
        Ok(true)
    }

    /// Removes the item. The main file goes first, because without it there is no item. A file that
    /// somebody changed at the last moment stays.
    fn remove(
        &self,
        editing: &FolderWriter,
        main: Option<Sha256>,
        all: Sha256,
    ) -> std::io::Result<bool> {
        let Some(main) = main else { return Ok(false) };
        if self.place.form == ItemForm::Folder {
            let own = main_file_name(self.place);
            return editing.remove_folder_if(&self.folder, |folder| {
                let file = own.and_then(|own| open_regular_file(folder, own.as_str()).transpose());
                let main = file.transpose()?.map(digest_file).transpose()?;
                main.map_or(
                    Ok(false),
                    |main| Ok(read_item_digest(main, folder, self.place)? == all),
                )
            });
        }
        if !editing.remove_if_digest(&self.main, main)? {
            return Ok(false);
        }
        if let Some(sidecar) = self.sidecar_path() {
            editing.remove(&sidecar)?;
        }
        if self.place.kind == ItemType::Tool {
            for name in self.list_siblings(editing)? {
                editing.remove(&name)?;
            }
        }
        Ok(true)
    }

    fn list_siblings(&self, editing: &FolderWriter) -> std::io::Result<Vec<RelPath>> {
        let stem = format!("{}.", self.place.id);
        let mut found = Vec::new();
        OpenFolder::open(editing.dir(), self.folder.as_str())?.for_each_entry(|name, kind| {
            let of_it = |name: &&str| name.starts_with(&stem) && kind != EntryKind::Folder;
            let name = name.filter(of_it);
            found.extend(name.and_then(|name| self.folder.child(name)));
            Ok(())
        })?;
        Ok(found)
    }
}
