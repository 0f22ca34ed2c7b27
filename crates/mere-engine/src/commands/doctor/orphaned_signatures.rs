//! Signatures whose item is missing, because it was moved, renamed or deleted without them.
//!
//! Where an unsigned item has exactly the signed files, the finding names it.

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath, Root};
use mere_core::item::integrity::FileDigest;
use mere_core::item::{ItemForm, ItemType, SIDECAR_SUFFIX, Scope};
use mere_core::trust::{MAX_SIDECAR_BYTES, Sidecar, SidecarFile, Statement};

use super::{Finding, FindingState};
use crate::commands::select::all_items;
use crate::items::{ItemCall, RawItem};
use mere_host::{
    EntryKind, OpenFolder, SPACE_FOLDER, none_if_missing, open_regular_file, read_at_most,
};

/// The deepest folder that is searched.
const MAX_DEPTH: usize = 10;

/// Finds every signature without an item, and the place where its item may be now.
pub(super) fn find_orphans(call: &ItemCall<'_>) -> Vec<Finding> {
    let mut orphans = Vec::new();
    for space in call.items.sources.spaces() {
        let Some(folder) = space.folder() else { continue };
        for kind in [ItemType::Directive, ItemType::Tool, ItemType::Knowledge, ItemType::Lockfile] {
            let tree = ItemFolder { space: folder.dir(), scope: space.scope, kind };
            tree.collect_orphans(kind.folder(), &mut orphans);
        }
    }
    if orphans.is_empty() {
        return Vec::new();
    }
    let strays = unsigned_items(call);
    orphans.into_iter().map(|orphan| orphan_finding(orphan, &strays)).collect()
}

/// A signature without an item.
struct OrphanedSignature {
    scope: Scope,
    path: String,
    statement: Option<Statement>,
}

/// The folder of one type of items in a space.
#[derive(Clone, Copy)]
struct ItemFolder<'a> {
    space: &'a Dir,
    scope: Scope,
    kind: ItemType,
}

impl ItemFolder<'_> {
    /// Collects the signatures below `path` whose items are gone.
    fn collect_orphans(self, path: &str, found: &mut Vec<OrphanedSignature>) {
        let Self { space, scope, kind } = self;
        if path.matches('/').count() > MAX_DEPTH {
            return;
        }
        let Ok(Some(folder)) = none_if_missing(OpenFolder::open(space, path)) else { return };
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        let read = folder.for_each_entry(|name, entry| {
            match (name, entry) {
                (Some(name), EntryKind::File) => files.push(name.to_owned()),
                (Some(name), EntryKind::Folder) => folders.push(name.to_owned()),
                _ => {}
            }
            Ok(())
        });
        let has = |name: &str| files.iter().any(|file| file == name);
        if read.is_err() || kind.folder_main_file().is_some_and(has) {
            return;
        }
        let dir = folder.into_dir();
        for name in files.iter().filter(|name| name.ends_with(SIDECAR_SUFFIX)) {
            let main = name.strip_suffix(SIDECAR_SUFFIX).unwrap_or_default();
            if !has(main) {
                let statement = read_statement(&dir, name);
                found.push(OrphanedSignature { scope, path: format!("{path}/{name}"), statement });
            }
        }
        for name in folders {
            self.collect_orphans(&format!("{path}/{name}"), found);
        }
    }
}

fn read_statement(folder: &Dir, name: &str) -> Option<Statement> {
    let file = open_regular_file(folder, name).ok().flatten()?;
    let bytes = read_at_most(file, MAX_SIDECAR_BYTES).ok().flatten()?;
    Sidecar::parse(&bytes).ok().map(|sidecar| sidecar.statement)
}

/// Returns the items that have no signature beside them, valid or not.
fn unsigned_items(call: &ItemCall<'_>) -> Vec<RawItem> {
    let places = all_items(call, None).unwrap_or_default().into_iter();
    let raw = places.filter_map(|place| RawItem::read(call.items.view, place).ok());
    raw.filter(|raw| matches!(raw.sidecar, SidecarFile::None)).collect()
}

fn orphan_finding(orphan: OrphanedSignature, unsigned: &[RawItem]) -> Finding {
    let root = if orphan.scope == Scope::User { Root::User } else { Root::Project };
    let path = match root {
        Root::Project => format!("{SPACE_FOLDER}/{}", orphan.path),
        _ => orphan.path,
    };
    let address = path.parse::<RelPath>().ok().map(|path| Address::file(root, path));
    let statement = orphan.statement;
    let digests =
        |files: &[FileDigest]| files.iter().map(|file| file.sha256.to_string()).collect::<Vec<_>>();
    let is_match = |one: &&RawItem| {
        let found = one.files().map(|files| digests(&files));
        let signed =
            statement.as_ref().map(|statement| (statement.kind, digests(&statement.files)));
        signed.is_some_and(|(kind, signed)| kind == one.place.kind && Some(signed) == found)
    };
    match unsigned.iter().find(is_match) {
        Some(item) => {
            let verb = if item.place.form == ItemForm::Folder { "folder" } else { "item" };
            let what = format!(
                "is the signature of {}: the {verb} was moved or renamed without it",
                item.address
            );
            Finding::new("signatures", FindingState::Wrong, what)
                .with_fix(
                    "Move the item back, or read it where it is, sign it there, and delete this.",
                )
                .with_address(address)
        }
        None => {
            Finding::new("signatures", FindingState::Note, "is a signature whose item is missing")
                .with_fix("Restore the item, or delete the signature.")
                .with_address(address)
        }
    }
}
