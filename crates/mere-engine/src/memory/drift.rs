//! Finds differences between the disk and the configuration, for `mere config check`.
//!
//! Drift is not an error: a configured category that is missing can be created, and one that is not
//! in any config stays usable.

use std::io;

use cap_std::fs::Dir;
use mere_core::category::{CategoryMode, CategoryRules, Hierarchy};
use mere_core::item::{Category, ItemId, ItemType, Scope};

use super::{FolderAccess, ItemRules, Store, Stores, stray_report};
use crate::world::Context;
use mere_host::{EntryKind, Folder, OpenFolder, none_if_missing};

/// One difference, and the scope whose config it is about.
pub(crate) struct Drift {
    pub(crate) scope: Scope,
    pub(crate) message: String,
}

/// Returns every difference, those of stores first.
pub(crate) fn find_drift(
    context: &Context,
    stores: &Stores,
    items: &ItemRules,
) -> io::Result<Vec<Drift>> {
    let mut found = Vec::new();
    let served = stores.served_store().ok();
    for store in stores.all() {
        let is_served = served.is_some_and(|served| std::ptr::eq(served, store));
        let option = if is_served { String::new() } else { format!(" --store {}", store.name) };
        let words = find_store_drift(context, store, &option)?;
        found.extend(words.into_iter().map(|words| Drift { scope: store.scope, message: words }));
    }
    let spaces = [
        (Scope::Project, context.space()?.map(|space| space.dir().try_clone()).transpose()?),
        (Scope::User, user_space(context)?),
    ];
    for (scope, space) in spaces {
        let Some(space) = space else { continue };
        for kind in [ItemType::Directive, ItemType::Tool, ItemType::Knowledge] {
            let tree =
                CategoryFolders { top: open_below(&space, kind.folder())?, kind: Some(kind) };
            let what = format!("`{}`", kind.folder());
            let rules = items.rules_for(scope, kind);
            let words =
                tree.find_differences(&what, &items.configured_hierarchy(scope, kind), &rules)?;
            found.extend(words.into_iter().map(|words| Drift { scope, message: words }));
        }
    }
    Ok(found)
}

fn user_space(context: &Context) -> io::Result<Option<Dir>> {
    let space = context.environment.user_space()?;
    space.as_deref().map(Folder::dir).map(|dir| dir.try_clone()).transpose()
}

/// Returns the differences of a store. `option` is what selects the store in a command.
fn find_store_drift(context: &Context, store: &Store, option: &str) -> io::Result<Vec<String>> {
    let what = format!("store `{}`", store.name);
    if matches!(store.folder_access, FolderAccess::Missing) {
        return Ok(vec![format!("{what} has no folder: create it, or correct `path`")]);
    }
    if store.unavailable_reason().is_some() {
        return Ok(Vec::new());
    }
    let find = || -> io::Result<Vec<String>> {
        let tree = CategoryFolders { top: store.folder(context)?, kind: None };
        let mut found = tree.find_differences(&what, store.rules.hierarchy(), &store.rules)?;
        found.extend(stray_report::describe_strays(context, store, option)?);
        Ok(found)
    };
    match find() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Ok(vec![format!("{what} cannot be read: check the permissions of its folder")])
        }
        found => found,
    }
}

/// The folders of a store or of an item type, as they are on disk.
struct CategoryFolders {
    top: Option<Dir>,
    /// The type of the items in it; `None` for memories.
    kind: Option<ItemType>,
}

impl CategoryFolders {
    fn find_differences(
        &self,
        what: &str,
        named: &Hierarchy,
        rules: &CategoryRules,
    ) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        for one in named.all_categories() {
            if !self.has_category(&one.category)? {
                found.push(format!(
                    "{what}: category `{}` is in the config but not on disk: run `mere store sync`",
                    one.category
                ));
            }
        }
        if rules.mode() > CategoryMode::Free {
            let mut top_level = self.top_categories()?;
            top_level.retain(|top| rules.hierarchy().find(top).is_none());
            found.extend(
                top_level.into_iter().map(|top| {
                    format!("{what}: category `{top}` is on disk but not in the config")
                }),
            );
        }
        Ok(found)
    }

    fn has_category(&self, category: &Category) -> io::Result<bool> {
        let Some(top) = &self.top else { return Ok(false) };
        Ok(open_below(top, category.as_str())?.is_some())
    }

    /// Returns the top categories, sorted. The folder of an item is not a category.
    fn top_categories(&self) -> io::Result<Vec<Category>> {
        let Some(top) = &self.top else { return Ok(Vec::new()) };
        let mut names = Vec::new();
        OpenFolder::open(top, "")?.for_each_entry(|name, kind| {
            let id = name.and_then(|name| name.parse::<ItemId>().ok());
            names.extend(id.filter(|_| kind == EntryKind::Folder));
            Ok(())
        })?;
        names.sort();
        let mut top_level = Vec::new();
        for name in names {
            let own = self.kind.and_then(ItemType::folder_main_file);
            let is_item = match (own, open_below(top, name.as_str())?) {
                (Some(file), Some(folder)) => {
                    none_if_missing(folder.symlink_metadata(file))?.is_some()
                }
                _ => false,
            };
            if !is_item {
                top_level.extend(Category::default().child(&name));
            }
        }
        Ok(top_level)
    }
}

/// Opens a folder below another. A link counts as missing.
fn open_below(folder: &Dir, path: &str) -> io::Result<Option<Dir>> {
    Ok(OpenFolder::find(folder, path)?.map(OpenFolder::into_dir))
}
