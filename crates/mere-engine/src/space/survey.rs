//! One folder of a plot, read once: is it an item, or a level of categories, and what is in it?

use std::io;

use mere_core::item::{CategoryBase, ItemId, ItemType, Scope, ScopedPath};

use super::ItemTree;
use mere_host::{EntryKind, FileStamp, OpenFolder, is_symlink_error, none_if_missing};

/// The deepest folder that is looked into: eight levels of categories and the folder of an item.
const MAX_DEPTH: usize = 9;

/// What a folder is.
pub(super) enum ScannedFolder {
    /// It is not there, or a link or a file has its name.
    Missing,
    /// The folder of one item; what lies deeper is that item's own.
    Item(FileStamp, ScopedPath, OpenFolder),
    /// A level of categories.
    Level(FileStamp, CategoryLevel, OpenFolder),
}

/// What a level of categories holds.
#[derive(Default)]
pub(super) struct CategoryLevel {
    /// Items that are one file, with the file's name.
    pub(super) items: Vec<(ScopedPath, String)>,
    /// Names of folders that may be levels or items.
    pub(super) folders: Vec<String>,
    /// Names of files and folders that look as if they were meant, but are none.
    pub(super) strays: Vec<(String, &'static str)>,
}

/// Reads the folder at `below` from the top of a plot. What it looks like is taken first, so that a
/// change while it is read shows later.
pub(super) fn read_folder(plot: &ItemTree, scope: Scope, below: &str) -> io::Result<ScannedFolder> {
    let folder = match OpenFolder::open(&plot.dir, &plot.path_from_handle(below)) {
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
            (Some(name), _) if name.starts_with('.') => {}
            (Some(name), EntryKind::File) => files.push(name.to_owned()),
            (Some(name), EntryKind::Folder) => level.folders.push(name.to_owned()),
            (Some(name), EntryKind::Link) => level.add_stray(name, "a link is not followed"),
            (Some(_), EntryKind::Special) => {}
        }
        Ok(())
    })?;
    let names = below.split('/').filter(|name| !name.is_empty()).collect::<Vec<_>>();
    let place = |file: &str| {
        let names = names.iter().copied().chain([file]).collect::<Vec<_>>();
        ScopedPath::from_base_path(scope, plot.kind, plot.base.clone(), &names)
    };
    if let Some(main) =
        plot.kind.folder_main_file().filter(|main| files.iter().any(|file| file == main))
        && let Some(item) = place(main)
    {
        return Ok(ScannedFolder::Item(stamp, item, folder));
    }
    // In a folder that is taken in place only skills count: the rest is its owner's.
    let is_taken = matches!(plot.base, CategoryBase::InPlace(_));
    let files = if is_taken { Vec::new() } else { files };
    for file in files {
        match place(&file) {
            Some(item) => level.items.push((item, file)),
            None => {
                if let Some(why) = stray_reason(plot.kind, &file) {
                    level.add_stray(&file, why);
                }
            }
        }
    }
    level.retain_possible_folders(names.len());
    Ok(ScannedFolder::Level(stamp, level, folder))
}

/// Why a file that looks as if someone meant it to be an item is none.
fn stray_reason(kind: ItemType, file: &str) -> Option<&'static str> {
    let has = |endings: &[&str]| endings.iter().any(|ending| file.ends_with(ending));
    let no_id = "its name is no id";
    match kind {
        ItemType::Directive | ItemType::Knowledge | ItemType::Memory => {
            let other = has(&[".markdown", ".mdx"]).then_some("its name must end in `.md`");
            other.or(has(&[".md"]).then_some(no_id))
        }
        ItemType::Tool => {
            let other = has(&[".yml"]).then_some("a manifest's name ends in `.yaml`");
            other.or(has(&[".yaml"]).then_some(no_id))
        }
        ItemType::Lockfile => {
            has(&[".json"]).then_some("a lockfile is called `tool@version.lock.json`")
        }
    }
}

impl CategoryLevel {
    fn add_stray(&mut self, name: &str, why: &'static str) {
        self.strays.push((name.to_owned(), why));
    }

    /// Keeps the folders that can be a level or an item.
    fn retain_possible_folders(&mut self, depth: usize) {
        let folders = std::mem::take(&mut self.folders);
        for name in folders {
            if depth >= MAX_DEPTH {
                self.add_stray(&name, "it lies too deep");
            } else if name.parse::<ItemId>().is_ok() {
                self.folders.push(name);
            } else {
                self.add_stray(&name, "its name is no id");
            }
        }
    }
}
