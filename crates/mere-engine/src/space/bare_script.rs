//! Scripts below `tools/` that belong to no tool, because nobody wrote a manifest for them.
//!
//! Such a script is no item. It is named wherever somebody may look for it, with what makes it one.

use std::io;

use mere_core::address::{Address, RelPath, Root};
use mere_core::chain::builtin;
use mere_core::item::{IdError, ItemId, ItemType, Scope, ScopedPath, ScriptLanguage};

use super::Space;
use super::scan::{Stray, scan_from};
use super::scan_options::{ScanDepth, ScanOptions};
use mere_host::SPACE_FOLDER;

/// A file that marks a Python package. It is never run.
const PACKAGE_MARKER: &str = "__init__.py";

/// A script without a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BareScript {
    pub(crate) address: Address,
    /// The place of the tool that a manifest would make of it; `None` if its name is not a valid
    /// id.
    pub(crate) tool: Option<ScopedPath>,
}

impl Space {
    /// Returns the scripts without a manifest, in the order of their paths.
    pub(crate) fn bare_scripts(&self) -> io::Result<Vec<BareScript>> {
        let trees = self.trees_of(ItemType::Tool);
        let starts = (0..trees.len()).map(|tree| (tree, String::new())).collect();
        let options = ScanOptions { depth: ScanDepth::Names, is_known: &|_| false };
        Ok(scan_from(self.scope, &trees, starts, &options)?.bare_scripts)
    }

    /// Returns the files and folders that seem to be meant as items of a type, or of any type, but
    /// are not.
    pub(crate) fn strays(&self, kind: Option<ItemType>) -> io::Result<Vec<Stray>> {
        let trees = kind.map_or_else(|| self.indexed_trees(), |kind| self.trees_of(kind));
        let starts = (0..trees.len()).map(|tree| (tree, String::new())).collect();
        let options = ScanOptions { depth: ScanDepth::Names, is_known: &|_| false };
        Ok(scan_from(self.scope, &trees, starts, &options)?.strays)
    }
}

impl BareScript {
    /// Creates the script at a path that is relative to the space.
    pub(super) fn new(scope: Scope, path: &str) -> Option<Self> {
        let path = path.parse::<RelPath>().ok()?;
        let tool = ScopedPath::from_script_path(scope, &path);
        let address = match scope {
            Scope::Project => {
                let space = RelPath::default().child(SPACE_FOLDER)?;
                Address::file(Root::Project, space.join_path(&path))
            }
            Scope::User => Address::file(Root::User, path),
            Scope::Registry => return None,
        };
        Some(Self { address, tool })
    }

    /// Returns the command that makes it a tool, if its name is a valid id that is not reserved.
    pub(crate) fn command(&self) -> Option<String> {
        let place = self.tool.as_ref().filter(|place| !builtin::is_reserved(&place.id))?;
        let user = if place.scope == Scope::User { " --user" } else { "" };
        Some(format!("mere new tool {}{user}", place.reference()))
    }

    /// Says what makes it a tool.
    pub(crate) fn fix(&self) -> String {
        let Some(command) = self.command() else {
            let obstacle = self.obstacle();
            return format!("{obstacle}; then `mere new tool` writes its manifest");
        };
        format!("`{command}` writes its manifest")
    }

    /// Says what has to be done before a manifest can be written for it.
    fn obstacle(&self) -> &'static str {
        let name = self.address.path().names().next_back();
        let stem = name.and_then(ScriptLanguage::split_file_name).map(|(stem, _)| stem);
        match stem.unwrap_or_default().parse::<ItemId>() {
            Ok(id) if builtin::is_reserved(&id) => {
                "rename it: a tool that ships with mere has this name"
            }
            Ok(_) => {
                "rename its folders: each name consists of lowercase letters, digits, `_` and `-`"
            }
            Err(IdError::Reserved) => "rename it: this name is reserved",
            Err(_) => "rename it: an id consists of lowercase letters, digits, `_` and `-`",
        }
    }
}

/// Returns the scripts among the files of a folder that belong to none of the flat tools there.
pub(super) fn find_bare_scripts(files: &[String], tools: &[&str]) -> Vec<String> {
    let belongs = |file: &str| {
        tools.iter().any(|id| file.strip_prefix(id).is_some_and(|rest| rest.starts_with('.')))
    };
    let scripts = files.iter().filter(|file| {
        ScriptLanguage::split_file_name(file).is_some() && *file != PACKAGE_MARKER && !belongs(file)
    });
    scripts.cloned().collect()
}
