//! A store under its lock, so that this process alone changes it.
//!
//! Reading, deciding and changing happen under one lock: a [`Permit`] that was granted because of
//! what is on disk is spent before any other process of ours can change that. Editors and git do
//! not take the lock, so a file is replaced by an exchange, and what was replaced is checked
//! afterwards.

use std::io;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath, Root};
use mere_core::category::{ChangeContext, Description, Force, Permit, StoreChange};
use mere_core::digest::Sha256;
use mere_core::item::{self, Category, MemoryPath};
use mere_core::request::Reader;

use super::category_file::{self, CATEGORY_FILE};
use super::store_view::{StoreOnDisk, VisibleStore};
use super::{Store, StoreError};
use crate::policy::{self, StoreChangeContext};
use crate::trust::{now, project_key};
use crate::world::{Context, World};
use mere_host::{FolderWriter, WritePrecondition, read_at_most};

/// The largest memory file that is read.
const MAX_FILE_BYTES: u64 = item::MAX_ITEM_BYTES as u64;

/// Who changes a store, and what they need for it.
#[derive(Clone, Copy)]
pub(crate) struct StoreAccess<'a> {
    pub(crate) context: &'a Context,
    /// The world that the caller sees.
    pub(crate) world: &'a World,
    pub(crate) reader: Reader,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

/// A store under its lock.
pub(super) struct LockedStore<'a> {
    pub(super) store: &'a Store,
    access: StoreAccess<'a>,
    editing: FolderWriter,
}

/// A memory file as it was read from disk.
pub(super) struct StoredMemory {
    pub(super) bytes: Vec<u8>,
    pub(super) sha256: Sha256,
}

impl<'a> LockedStore<'a> {
    /// Opens and locks a store. Returns `None` if its folder does not exist.
    pub(super) fn open(
        store: &'a Store,
        access: StoreAccess<'a>,
    ) -> Result<Option<Self>, StoreError> {
        let folder = store.folder(access.context).map_err(|cause| read_error(store, cause))?;
        folder.map(|folder| Self::lock(store, access, &folder)).transpose()
    }

    /// Opens and locks a store for a change that adds to it. If the folder is missing, it is made,
    /// provided that the change would be allowed.
    pub(super) fn open_or_create(
        store: &'a Store,
        access: StoreAccess<'a>,
        change: &StoreChange,
        force: Force,
    ) -> Result<Self, StoreError> {
        if let Some(locked) = Self::open(store, access)? {
            return Ok(locked);
        }
        // A refused change must leave no trace, so it is checked before the folder is made.
        Self::check_without_folder(store, access, change.clone(), force)?;
        let folder = store.make_folder(access.context).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => StoreError::NoFolder(store.name.clone()),
            _ => write_error(store, cause),
        })?;
        Self::lock(store, access, &folder)
    }

    /// Checks whether a change would be allowed in a store without a folder.
    pub(super) fn check_without_folder(
        store: &Store,
        access: StoreAccess<'_>,
        change: StoreChange,
        force: Force,
    ) -> Result<(), StoreError> {
        StoredState { store, folder: None, access }.permit(change, force).map(|_| ())
    }

    fn lock(store: &'a Store, access: StoreAccess<'a>, folder: &Dir) -> Result<Self, StoreError> {
        store.check_format(access.context)?;
        let editing = FolderWriter::open_store(folder, access.is_cancelled);
        let editing = editing.map_err(|cause| write_error(store, cause))?;
        let editing = editing.ok_or_else(|| StoreError::LockTimeout(store.name.clone()))?;
        Ok(Self { store, access, editing })
    }

    pub(super) fn editing(&self) -> &FolderWriter {
        &self.editing
    }

    /// Tells whether the caller may see a path from the store's folder.
    pub(super) fn is_visible(&self, path: &str) -> bool {
        self.store.is_visible(self.access.world, path)
    }

    /// Asks for a permit for a change, given what is on disk now.
    pub(super) fn permit(&self, change: StoreChange, force: Force) -> Result<Permit, StoreError> {
        let (store, access) = (self.store, self.access);
        StoredState { store, folder: Some(self.editing.dir()), access }.permit(change, force)
    }

    /// Reads a memory. Returns `None` if there is none.
    pub(super) fn read(&self, path: &MemoryPath) -> Result<Option<StoredMemory>, StoreError> {
        let read = || {
            let file = self.editing.open_file(&memory_file_path(path)?)?;
            let Some(file) = file else { return Ok(None) };
            let bytes = read_at_most(file, MAX_FILE_BYTES)?;
            bytes.map(Some).ok_or_else(|| io::Error::other("the file is too large"))
        };
        let bytes = read().map_err(|cause| read_error(self.store, cause))?;
        Ok(bytes.map(|bytes| StoredMemory { sha256: Sha256::digest(&bytes), bytes }))
    }

    /// Reads the description of a category from the file in its folder. Returns `None` if there is
    /// no such category.
    pub(super) fn description(&self, path: &Category) -> Result<Option<Description>, StoreError> {
        let folder = category_path(path).and_then(|path| self.editing.open_folder(&path));
        let folder = folder.map_err(|cause| read_error(self.store, cause))?;
        Ok(folder.map(|folder| category_file::read_description(&folder)))
    }

    /// Applies the change that a permit allows. Returns false, and changes nothing, if something is
    /// in the way or no longer as it was.
    pub(super) fn apply(&self, permit: Permit) -> Result<bool, StoreError> {
        self.perform(permit.spend()).map_err(|cause| write_error(self.store, cause))
    }

    pub(super) fn perform(&self, change: StoreChange) -> io::Result<bool> {
        match change {
            StoreChange::CreateCategory { path, description } => {
                self.create_category(&path, &description)
            }
            StoreChange::DeleteCategory { path, deletable } => {
                Ok(self.delete_category(&path, deletable)?.is_gone)
            }
            StoreChange::DescribeCategory { path, description } => {
                let Some(folder) = self.editing.open_folder(&category_path(&path)?)? else {
                    return Ok(false);
                };
                let text = category_file::render_update(&folder, &description);
                self.editing.put_in(&folder, CATEGORY_FILE, text.as_bytes(), WritePrecondition::Any)
            }
            StoreChange::AdoptFolder { from, path } => {
                self.adopt(&from, &path.parent(), path.levels().next_back().unwrap_or_default())
            }
            StoreChange::AdoptFile { from, path, .. } => {
                self.adopt(&from, &path.category, &path.file_name())
            }
            StoreChange::CreateMemory { path, memory } => {
                self.put_memory(&path, memory.text().as_bytes(), WritePrecondition::Absent)
            }
            StoreChange::UpdateMemory { path, memory, before } => {
                self.put_memory(&path, memory.text().as_bytes(), WritePrecondition::Digest(before))
            }
            StoreChange::MoveMemory { from, to, before, .. } => {
                self.move_memory(&from, &to, before)
            }
            StoreChange::PruneMemory { path, before, .. }
            | StoreChange::RemoveMemory { path, before } => {
                self.editing.remove_if_digest(&memory_file_path(&path)?, before)
            }
        }
    }

    /// Creates a category together with its missing ancestors in one atomic step. Returns false if
    /// it exists already.
    fn create_category(&self, path: &Category, description: &Description) -> io::Result<bool> {
        let mut missing = path.self_and_ancestors();
        while let Some(top) = missing.first() {
            if self.editing.open_folder(&category_path(top)?)?.is_none() {
                break;
            }
            missing.remove(0);
        }
        let Some(top) = missing.first() else { return Ok(false) };
        let files = missing.iter().map(|category| {
            let below = category.as_str()[top.as_str().len()..].trim_start_matches('/');
            let folder = below.parse::<RelPath>().map_err(invalid_input)?;
            let file = folder.child(CATEGORY_FILE).ok_or(io::ErrorKind::InvalidInput)?;
            let description = self.store.new_description(category, path, description);
            Ok((file, category_file::render(description).into_bytes()))
        });
        let files = files.collect::<io::Result<Vec<_>>>()?;
        let Some(parent) = self.editing.open_folder(&category_path(&top.parent())?)? else {
            return Ok(false);
        };
        let name = top.levels().next_back().unwrap_or_default();
        let made = self.editing.put_folder_in(&parent, name, &files)?;
        // If the parent was moved away meanwhile, the new category is not where it should be.
        Ok(made && self.editing.open_folder(&category_path(path)?)?.is_some())
    }

    fn put_memory(
        &self,
        path: &MemoryPath,
        bytes: &[u8],
        before: WritePrecondition,
    ) -> io::Result<bool> {
        let Some(folder) = self.editing.open_folder(&category_path(&path.category)?)? else {
            return Ok(false);
        };
        self.editing.put_in(&folder, &path.file_name(), bytes, before)
    }

    fn move_memory(&self, from: &MemoryPath, to: &MemoryPath, before: Sha256) -> io::Result<bool> {
        if !self.editing.has_digest(&memory_file_path(from)?, before)? {
            return Ok(false);
        }
        let folder = |path: &MemoryPath| self.editing.open_folder(&category_path(&path.category)?);
        let (Some(old), Some(new)) = (folder(from)?, folder(to)?) else { return Ok(false) };
        FolderWriter::rename((&old, &from.file_name()), (&new, &to.file_name()))
    }
}

/// A store as it is on disk, and who asks to change it.
struct StoredState<'a> {
    store: &'a Store,
    folder: Option<&'a Dir>,
    access: StoreAccess<'a>,
}

impl StoredState<'_> {
    fn permit(&self, change: StoreChange, force: Force) -> Result<Permit, StoreError> {
        let Self { store, folder, access } = self;
        let change_context = ChangeContext { now: now(), force };
        let context = StoreChangeContext { reader: access.reader, change: change_context };
        let visible_store = VisibleStore {
            disk: StoreOnDisk(*folder),
            is_visible: &|path| store.is_visible(access.world, path),
        };
        let permit = policy::permit_store_change(&store.rules, change, &visible_store, context);
        permit.map_err(|refusal| StoreError::from_refusal(&store.name, refusal))
    }
}

const NO_DESCRIPTION: &Description = &Description::EMPTY;

impl Store {
    /// Returns true if the caller may see what lies at this path, which starts from the store's
    /// folder.
    pub(super) fn is_visible(&self, world: &World, path: &str) -> bool {
        let path = path.parse().map(|path| self.address.path().join_path(&path));
        path.is_ok_and(|path| world.may_show(&Address::file(self.address.root().clone(), path)))
    }

    /// Returns the description for a category that is about to be created. The configuration takes
    /// precedence over what the caller said, which is only about the requested category and not its
    /// ancestors.
    fn new_description<'a>(
        &'a self,
        category: &Category,
        requested: &Category,
        description: &'a Description,
    ) -> &'a Description {
        match self.rules.hierarchy().find(category) {
            Some(named) => &named.description,
            None if category == requested => description,
            None => NO_DESCRIPTION,
        }
    }

    /// Checks that this program may write to the space the store lies in, whose format may be
    /// newer.
    fn check_format(&self, context: &Context) -> Result<(), StoreError> {
        let format = || match self.address.root() {
            Root::Project => {
                Ok(context.space()?.map(|space| project_key::space_format(space.dir())))
            }
            Root::User => {
                let space = context.environment.user_space()?;
                Ok(space.map(|space| project_key::space_format(space.dir())))
            }
            _ => Ok(None),
        };
        match format() {
            Ok(Some(format)) if format > project_key::SPACE_FORMAT => Err(StoreError::NewerFormat),
            Ok(_) => Ok(()),
            Err(cause) => Err(read_error(self, cause)),
        }
    }
}

/// Returns the path of a category from the folder of its store.
pub(super) fn category_path(category: &Category) -> io::Result<RelPath> {
    category.as_str().parse().map_err(invalid_input)
}

/// Returns the path of a memory's file from the folder of its store.
fn memory_file_path(path: &MemoryPath) -> io::Result<RelPath> {
    let folder = category_path(&path.category)?;
    Ok(folder.child(&path.file_name()).ok_or(io::ErrorKind::InvalidInput)?)
}

fn invalid_input<E>(_error: E) -> io::Error {
    io::ErrorKind::InvalidInput.into()
}

fn read_error(store: &Store, cause: io::Error) -> StoreError {
    StoreError::Unreadable { store: store.name.clone(), cause }
}

fn write_error(store: &Store, cause: io::Error) -> StoreError {
    StoreError::WriteFailed { store: store.name.clone(), cause }
}
