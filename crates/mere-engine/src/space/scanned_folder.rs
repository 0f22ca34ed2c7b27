//! Reads one folder of an item tree, and finds out whether it is an item or a level of categories.
//!
//! No link is followed, and files are not opened.

use std::collections::HashSet;
use std::io;

use mere_core::item::{CategoryBase, ItemId, ItemType, SIDECAR_SUFFIX, Scope, ScopedPath};

use super::ItemTree;
use super::bare_script::find_bare_scripts;
use mere_host::{EntryKind, FileStamp, OpenFolder, is_symlink_error, none_if_missing};

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
    /// Names of sidecars whose item is not there.
    pub(super) orphans: Vec<String>,
    /// Names of scripts that belong to no tool.
    pub(super) bare_scripts: Vec<String>,
}

/// Reads the folder at `below`, a path from the top of a tree. The stamp is taken first, so that a
/// change during the read is noticed later.
pub(super) fn read_folder(tree: &ItemTree, scope: Scope, below: &str) -> io::Result<ScannedFolder> {
    let folder = match OpenFolder::open(&tree.dir, &tree.path_from_handle(below)) {
        Err(error) if is_symlink_error(&error) => return Ok(ScannedFolder::Missing),
        opened => none_if_missing(opened)?,
    };
    let Some(folder) = folder else { return Ok(ScannedFolder::Missing) };
    let stamp = folder.stamp()?;
    let mut level = CategoryLevel::default();
    let mut files = Vec::new();
    folder.for_each_entry(|name, kind| {
        match (name, kind) {
            (None, _) => level.add_stray("?", "its name is not UTF-8"),
            (Some(SIDECAR_SUFFIX), EntryKind::File) => {
                level.orphans.push(SIDECAR_SUFFIX.to_owned());
            }
            (Some(name), _) if name.starts_with('.') => {}
            (Some(name), EntryKind::File) => files.push(name.to_owned()),
            (Some(name), EntryKind::Folder) => level.folders.push(name.to_owned()),
            (Some(name), EntryKind::Link) => level.add_stray(name, "links are not followed"),
            (Some(_), EntryKind::Special) => {}
        }
        Ok(())
    })?;
    let names = below.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>();
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
    level.orphans.extend(sidecars_without_file(&files));
    if tree.kind == ItemType::Memory {
        // Memories are not signed.
        level.orphans.clear();
    }
    let all_files = if tree.kind == ItemType::Tool { files.clone() } else { Vec::new() };
    for file in files {
        match place(&file) {
            Some(item) => level.items.push((item, file)),
            None => {
                if let Some(reason) = stray_reason(tree.kind, &file) {
                    level.add_stray(&file, reason);
                }
            }
        }
    }
    let tools = level.items.iter().map(|(item, _)| item.id.as_str()).collect::<Vec<_>>();
    level.bare_scripts = find_bare_scripts(&all_files, &tools);
    level.retain_possible_folders(names.len());
    Ok(ScannedFolder::Level(stamp, level, folder))
}

/// Returns the names of the sidecars of flat items whose main file is missing.
fn sidecars_without_file(files: &[String]) -> Vec<String> {
    let sidecars = files.iter().filter(|name| name.ends_with(SIDECAR_SUFFIX)).collect::<Vec<_>>();
    if sidecars.is_empty() {
        return Vec::new();
    }
    let names = files.iter().map(String::as_str).collect::<HashSet<_>>();
    let has_file = |sidecar: &str| {
        sidecar.strip_suffix(SIDECAR_SUFFIX).is_some_and(|main| names.contains(main))
    };
    sidecars.into_iter().filter(|sidecar| !has_file(sidecar)).cloned().collect()
}

/// Returns why a file that seems to be meant as an item is not one.
fn stray_reason(kind: ItemType, file: &str) -> Option<&'static str> {
    let has = |endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
    let no_id = "its name is not a valid id";
    match kind {
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
    fn add_stray(&mut self, name: &str, reason: &'static str) {
        self.strays.push((name.to_owned(), reason));
    }

    /// Keeps the folders that can be a level or an item.
    fn retain_possible_folders(&mut self, depth: usize) {
        let folders = std::mem::take(&mut self.folders);
        for name in folders {
            if depth >= MAX_DEPTH {
                self.add_stray(&name, "it is nested too deeply");
            } else if name.parse::<ItemId>().is_ok() {
                self.folders.push(name);
            } else {
                self.add_stray(&name, "its name is not a valid id");
            }
        }
    }
}
