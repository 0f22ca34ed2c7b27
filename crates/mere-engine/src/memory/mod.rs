//! Stores: where memories lie, which rules their categories follow, and the calls that read and
//! change them.
//!
//! A [`Store`] is one store as the configuration describes it. [`Stores`] holds all of them and
//! selects the one that a call is about. Every change to a store happens under the lock of its
//! folder.

mod categories;
mod category_deletion;
mod category_file;
pub(crate) mod config_check;
mod config_error;
mod configure;
mod contents;
mod drift;
mod error;
mod item_rules;
mod list;
mod locked_store;
mod maintenance;
mod memories;
mod memory_source;
mod rename;
mod reply;
mod resolve;
mod store_view;
mod stores;
mod stray_report;
mod sync;
mod table;
mod tables;
mod template;

use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, ModName, Root};
use mere_core::category::CategoryRules;
use mere_core::item::{Category, Scope};
use mere_core::reply::Draft;
use mere_core::request::{CategoryCall, CategoryChange, MemoryCall, Reader, StoreCommand};

use crate::files::view::View;
use crate::policy::{Denied, RunRefusal};
use crate::space::ItemChangeError;
use crate::world::{Context, join_path};
pub(crate) use categories::with_left;
pub(crate) use configure::{ConfigureError, ReloadStores};
pub(crate) use drift::{Drift, find_drift};
pub(crate) use error::StoreError;
pub(crate) use item_rules::ItemRules;
pub(crate) use list::list_stores;
use locked_store::StoreAccess;
pub(crate) use memory_source::MemorySource;
use mere_host::{Folder, FolderWriter, SPACE_FOLDER, none_if_missing};
pub(crate) use rename::RenameError;
pub(crate) use resolve::resolve_stores;
pub(crate) use stores::{NoServedStore, Stores, UnavailableReason, UnavailableStore, UnknownStore};
pub(crate) use tables::MemoryTables;

/// A store as the configuration describes it.
pub(crate) struct Store {
    pub(crate) name: ModName,
    /// The scope whose configuration names the store.
    pub(crate) scope: Scope,
    pub(crate) description: String,
    pub(crate) rules: CategoryRules,
    /// The address of its folder.
    pub(crate) address: Address,
    pub(crate) folder_access: FolderAccess,
    /// False for the fallback store, which exists although no configuration names it.
    pub(crate) is_configured: bool,
}

/// How the folder of a store is reached.
pub(crate) enum FolderAccess {
    /// By its address, in the project or in the user's space. The folder is made when it is first
    /// needed.
    Inside,
    /// The folder lies outside the project and the user's space, and is mounted as an extra folder.
    Outside(Arc<Folder>),
    /// The folder would lie outside, and does not exist.
    Missing,
    /// The folder lies outside the project whose configuration names it, and nobody has trusted
    /// that yet.
    AwaitsTrust,
    /// The folder lies outside, and extra folders are switched off for this session.
    SwitchedOff,
}

/// One call about stores, categories or memories, with everything needed to answer it.
pub(crate) struct StoreCall<'a> {
    pub(crate) view: &'a View<'a>,
    pub(crate) context: &'a Context,
    pub(crate) stores: &'a Stores,
    pub(crate) tables: &'a MemoryTables,
    pub(crate) reader: Reader,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

impl StoreCall<'_> {
    /// Returns the store that calls are about. Its folder exists, or can be made.
    pub(crate) fn served_store(&self) -> Result<&Store, StoreError> {
        let store = self.stores.served_store()?;
        match store.folder_access {
            FolderAccess::Missing => Err(StoreError::NoFolder(store.name.clone())),
            _ => Ok(store),
        }
    }

    fn access(&self) -> StoreAccess<'_> {
        StoreAccess {
            context: self.context,
            world: &self.view.world,
            reader: self.reader,
            is_cancelled: self.is_cancelled,
        }
    }
}

/// Runs a command about stores that only a person can give.
pub(crate) fn run_store_command(
    call: &StoreCall<'_>,
    command: &StoreCommand,
    reload: ReloadStores<'_>,
) -> Result<Draft, StoreError> {
    match command {
        StoreCommand::Init(new) => configure::init_store(call, new, reload),
        StoreCommand::Sync => Ok(maintenance::sync_reply(reload()?)),
        StoreCommand::Reindex => maintenance::reindex(call),
        StoreCommand::Rename(change) => rename::rename(call, change),
        StoreCommand::Prune(dry_run) => maintenance::prune(call, *dry_run),
        StoreCommand::Define { path, description } => {
            configure::define_category(call, (path, description.as_ref()), reload)
        }
        StoreCommand::Undefine { path } => configure::undefine_category(call, path, reload),
    }
}

/// Runs a call about a category.
pub(crate) fn run_category_call(
    call: &StoreCall<'_>,
    category_call: &CategoryCall,
) -> Result<Draft, StoreError> {
    match category_call.change {
        CategoryChange::CountContents => {}
        CategoryChange::Create { .. }
        | CategoryChange::Delete { .. }
        | CategoryChange::Describe { .. } => {
            call.view.run.permit_category(&category_call.path).map_err(outside_run)?;
        }
    }
    categories::run_category_call(call, category_call)
}

fn outside_run(refusal: RunRefusal) -> StoreError {
    ItemChangeError::from(Denied::from(refusal)).into()
}

/// Runs a call about memories.
pub(crate) fn run_memory_call(
    call: &StoreCall<'_>,
    memory_call: &MemoryCall,
) -> Result<Draft, StoreError> {
    for path in memory_call.changed_paths() {
        call.view.run.permit_memory(path).map_err(outside_run)?;
    }
    match memory_call {
        MemoryCall::Create { path, wording } => memories::create(call, path, wording),
        MemoryCall::Get { path, expired } => memories::get(call, path, *expired),
        MemoryCall::Update { path, revision, expect } => {
            memories::update(call, path, (revision, *expect))
        }
        MemoryCall::Move { from, to } => memories::move_memory(call, from, to),
        MemoryCall::Remove { path } => memories::remove(call, path),
        MemoryCall::List(wanted) => list::list_memories(call, wanted),
    }
}

impl Store {
    /// Checks that the caller may know of a category.
    fn check_visible(&self, call: &StoreCall<'_>, category: &Category) -> Result<(), StoreError> {
        let path =
            locked_store::category_path(category).map_err(|_| ItemChangeError::InvalidPlace)?;
        let path = self.address.path().join_path(&path);
        let address = Address::directory(self.address.root().clone(), path);
        if call.view.world.may_show(&address) {
            Ok(())
        } else {
            Err(ItemChangeError::InvalidPlace.into())
        }
    }

    /// Returns true if the store lies in a space, where nothing else belongs.
    fn is_in_space(&self) -> bool {
        match self.address.root() {
            Root::User => true,
            Root::Project => self.address.path().names().next() == Some(SPACE_FOLDER),
            _ => false,
        }
    }

    /// Checks, for a store without a folder, that nothing else has the folder's place: a link or a
    /// file there must not look like an empty store.
    fn check_unobstructed(&self, context: &Context) -> Result<(), StoreError> {
        let is_obstructed = || -> io::Result<bool> {
            let top = match self.address.root() {
                Root::Project => match context.project_folder() {
                    Some(project) => project.dir().try_clone()?,
                    None => return Ok(false),
                },
                Root::User => match context.environment.user_space()? {
                    Some(space) => space.dir().try_clone()?,
                    None => return Ok(false),
                },
                _ => return Ok(false),
            };
            let mut path = String::new();
            for name in self.address.path().names() {
                path = join_path(&path, name);
                match none_if_missing(top.symlink_metadata(&path))? {
                    Some(found) if found.is_dir() => {}
                    Some(_) => return Ok(true),
                    None => return Ok(false),
                }
            }
            Ok(false)
        };
        let store = self.name.clone();
        match is_obstructed() {
            Ok(false) => Ok(()),
            Ok(true) => Err(StoreError::Obstructed(store)),
            Err(cause) => Err(StoreError::Unreadable { store, cause }),
        }
    }

    /// Opens its folder. Returns `None` while there is none. No link is followed.
    pub(crate) fn folder(&self, context: &Context) -> io::Result<Option<Dir>> {
        let path = self.address.path().as_str();
        let folder = match (&self.folder_access, self.address.root()) {
            (FolderAccess::Outside(folder), _) => return folder.dir().try_clone().map(Some),
            (FolderAccess::Inside, Root::Project) => context.project()?.subfolder(path)?,
            (FolderAccess::Inside, Root::User) => match context.environment.user_space()? {
                Some(space) => space.subfolder(path)?,
                None => None,
            },
            _ => None,
        };
        folder.map(|folder| folder.dir().try_clone()).transpose()
    }

    /// Opens its folder, and makes it first if it does not exist.
    pub(crate) fn make_folder(&self, context: &Context) -> io::Result<Dir> {
        if let Some(folder) = self.folder(context)? {
            return Ok(folder);
        }
        let path = self.address.path();
        let top = match (&self.folder_access, self.address.root()) {
            (FolderAccess::Inside, Root::Project) => {
                if path.names().next() == Some(SPACE_FOLDER) {
                    FolderWriter::make_space(context.project()?)?;
                }
                context.project()?.dir().try_clone()?
            }
            (FolderAccess::Inside, Root::User) => context.environment.make_user_space()?,
            _ => return Err(io::ErrorKind::NotFound.into()),
        };
        FolderWriter::make_folders_below(&top, path)
    }
}
