//! Reads one folder of an item tree, and finds out whether it is an item or a level of categories.
//!
//! No link is followed, and files are not opened.

use std::collections::HashSet;
use std::io;

use mere_core::item::{CategoryBase, ItemId, ItemType, SIDECAR_SUFFIX, Scope, ScopedPath};

use super::ItemTree;
use super::bare_script::find_bare_scripts;
use mere_host::{EntryKind, FileStamp, OpenFolder};

/// The deepest folder that is read: eight levels of categories and the folder of an item.
const MAX_DEPTH: usize = 9;

/// What one folder turned out to be.
pub(super) enum ScannedFolder {
    /// The folder does not exist, or its name is taken by a link or a file.
    Missing,
    /// The folder of one item. Whatever lies deeper belongs to that item.
    Item(FileStamp, ScopedPath, OpenFolder),
    /// A level of categories.
    Level(FileStamp, CategoryLevel, OpenFolder),
}

/// The contents of a level of categories.
#[derive(Default)]
pub(super) struct CategoryLevel {
    /// Items that consist of one file, with the name of that file.
    pub(super) items: Vec<(ScopedPath, String)>,
    /// Names of folders that may be levels or items.
    pub(super) folders: Vec<String>,
    /// Names of files and folders that seem to be meant as items but are not, each with the reason.
    pub(super) strays: Vec<(String, &'static str)>,
    /// Names of folders that cannot hold items. Sidecars of items may have been moved into them.
    pub(super) other_folders: Vec<String>,
    /// Names of sidecars whose item is not there.
    pub(super) orphans: Vec<String>,
    /// Names of scripts that belong to no tool.
    pub(super) bare_scripts: Vec<String>,
}

/// Reads the folder at `below`, a path from the top of a tree. The stamp is taken first, so that a
/// change during the read is noticed later.
pub(super) fn read_folder(tree: &ItemTree, scope: Scope, below: &str) -> io::Result<ScannedFolder> {
    let folder = OpenFolder::find(&tree.dir, &tree.path_from_handle(below))?;
    let Some(folder) = folder else { return Ok(ScannedFolder::Missing) };
    let stamp = folder.stamp()?;
    let (mut level, files) = CategoryLevel::of_entries(&folder)?;
    let names = below.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>();
    let is_category = is_category(&names);
    let place = |file: &str| {
        let names = names.iter().copied().chain([file]).collect::<Vec<_>>();
        ScopedPath::from_base_path(scope, tree.kind, tree.base.clone(), &names)
    };
    if let Some(main) =
        tree.kind.folder_main_file().filter(|main| files.iter().any(|file| file == main))
        && let Some(item) = place(main)
    {
        return Ok(ScannedFolder::Item(stamp, item, folder));
    }
    // In a folder that is used in place only skills count. The rest belongs to whoever owns the
    // folder.
    let is_taken = matches!(tree.base, CategoryBase::InPlace(_));
    let files = if is_taken { Vec::new() } else { files };
    let all_files = if tree.kind == ItemType::Tool { files.clone() } else { Vec::new() };
    let mut sidecars = Vec::new();
    for file in files {
        if file.ends_with(SIDECAR_SUFFIX) {
            sidecars.push(file);
        } else if let Some(item) = place(&file) {
            level.items.push((item, file));
        } else if is_category && let Some(reason) = stray_reason(tree.kind, &file) {
            level.add_stray(&file, reason);
        }
    }
    level.add_orphans(sidecars);
    let tools = level.items.iter().map(|(item, _)| item.id.as_str()).collect::<Vec<_>>();
    if is_category {
        level.bare_scripts = find_bare_scripts(&all_files, &tools);
    }
    level.retain_possible_folders(&names);
    level.retain_own_sidecars(tree);
    Ok(ScannedFolder::Level(stamp, level, folder))
}

/// Returns why a file that seems to be meant as an item is not one.
fn stray_reason(kind: ItemType, file: &str) -> Option<&'static str> {
    let has = |endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
    let no_id = "its name is not a valid id";
    match kind {
        ItemType::Directive if has(&[".xml"]) => {
            Some("a directive is a file whose name ends in `.md`")
        }
        ItemType::Directive | ItemType::Knowledge | ItemType::Memory => {
            let other = has(&[".markdown", ".mdx"]).then_some("its name must end in `.md`");
            other.or(has(&[".md"]).then_some(no_id))
        }
        ItemType::Tool => {
            let other = has(&[".yml"]).then_some("the name of a manifest must end in `.yaml`");
            other.or(has(&[".yaml"]).then_some(no_id))
        }
        ItemType::Lockfile => {
            has(&[".json"]).then_some("the name of a lockfile must be `tool@version.lock.json`")
        }
    }
}

impl CategoryLevel {
    /// Sorts the entries of a folder, and returns the names of its files apart.
    fn of_entries(folder: &OpenFolder) -> io::Result<(Self, Vec<String>)> {
        let (mut level, mut files) = (Self::default(), Vec::new());
        folder.for_each_entry(|name, kind| {
            let Some(name) = name else {
                level.add_stray("?", "its name is not UTF-8");
                return Ok(());
            };
            match (name.starts_with('.'), kind) {
                (true, EntryKind::File) if name.ends_with(SIDECAR_SUFFIX) => {
                    level.orphans.push(name.to_owned());
                }
                (true, EntryKind::Folder) => level.other_folders.push(name.to_owned()),
                (true, _) | (false, EntryKind::Special) => {}
                (false, EntryKind::File) => files.push(name.to_owned()),
                (false, EntryKind::Folder) => level.folders.push(name.to_owned()),
                (false, EntryKind::Link) => level.add_stray(name, "links are not followed"),
            }
            Ok(())
        })?;
        Ok((level, files))
    }

    /// Forgets sidecars that are not ours to judge: memories are not signed, and in a folder that
    /// is used in place only skills are items.
    fn retain_own_sidecars(&mut self, tree: &ItemTree) {
        let is_in_place = matches!(tree.base, CategoryBase::InPlace(_));
        if tree.kind == ItemType::Memory || is_in_place {
            self.other_folders.clear();
            self.orphans.retain(|name| is_in_place && name == SIDECAR_SUFFIX);
        }
    }

    fn add_stray(&mut self, name: &str, reason: &'static str) {
        self.strays.push((name.to_owned(), reason));
    }

    /// Adds the sidecars whose item is not among the items.
    fn add_orphans(&mut self, sidecars: Vec<String>) {
        let items = self.items.iter().map(|(_, file)| file.as_str()).collect::<HashSet<_>>();
        let has_item = |sidecar: &String| {
            sidecar.strip_suffix(SIDECAR_SUFFIX).is_some_and(|main| items.contains(main))
        };
        let orphans = sidecars.into_iter().filter(|sidecar| !has_item(sidecar));
        self.orphans.extend(orphans.collect::<Vec<_>>());
    }

    /// Keeps the folders that can be a level or an item. The rest is told as strays, save below a
    /// folder that is one itself.
    fn retain_possible_folders(&mut self, names: &[&str]) {
        let is_category = is_category(names);
        let folders = std::mem::take(&mut self.folders);
        for name in folders {
            if names.len() >= MAX_DEPTH {
                self.add_stray(&name, "it is nested too deeply");
            } else if is_category && name.parse::<ItemId>().is_ok() {
                self.folders.push(name);
            } else {
                if is_category {
                    self.add_stray(&name, "its name is not a valid id");
                }
                self.other_folders.push(name);
            }
        }
        if names.len() >= MAX_DEPTH {
            self.other_folders.clear();
        }
    }
}

/// Returns whether a folder at this path can be a level of categories or an item.
fn is_category(names: &[&str]) -> bool {
    names.iter().all(|name| name.parse::<ItemId>().is_ok())
}
