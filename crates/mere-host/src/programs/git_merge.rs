//! The merge driver in a repository's configuration, and the merging of texts.
//!
//! `.gitattributes` says which files have the driver, and is committed; what the driver runs is in
//! each clone's own configuration, because git lets no repository choose what it runs.

use std::io;
use std::process::{Command, Stdio};

use super::git::GitRepository;
use crate::TypedPath;

/// The name of the driver in `.gitattributes`.
pub const MERGE_DRIVER: &str = "mere";
/// The configuration key of what the driver runs.
const DRIVER_KEY: &str = "merge.mere.driver";
/// What git runs: the three versions, the length of conflict markers, and the path in the project.
const DRIVER_COMMAND: &str = "mere git merge-file %O %A %B %L -- %P";

/// The three versions of a file that git wants merged. The result replaces `ours`.
pub struct MergeVersions {
    /// The version that both come from; empty if there is none.
    pub base: TypedPath,
    /// The version on the branch that is merged into.
    pub ours: TypedPath,
    /// The other version.
    pub theirs: TypedPath,
}

/// Whether a text was merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMerge {
    /// Nothing is left to decide.
    Clean,
    /// Both sides are in the text, between markers.
    Conflict,
}

impl GitRepository<'_> {
    /// Reports whether the clone knows what the merge driver runs.
    pub fn has_merge_driver(&self) -> bool {
        self.run(&["config", "--get", DRIVER_KEY]).is_ok_and(|value| !value.is_empty())
    }

    /// Tells the clone what the merge driver runs. Returns whether it did not know. A value that is
    /// there stays: a person may have named the program by its path.
    pub fn install_merge_driver(&self) -> io::Result<bool> {
        if self.has_merge_driver() {
            return Ok(false);
        }
        // Git refuses to merge with a driver that has a name and runs nothing, so the name is last.
        self.run(&["config", "--local", DRIVER_KEY, DRIVER_COMMAND])?;
        self.run(&["config", "--local", "merge.mere.name", "signatures and memories of mere"])?;
        Ok(true)
    }
}

/// Merges the texts of three versions as git does, with markers of this length around what both
/// sides changed. The result replaces our version.
pub fn merge_texts(versions: &MergeVersions, marker_length: u8) -> io::Result<TextMerge> {
    let folder = std::env::current_dir()?;
    let file = |path: &TypedPath| path.resolve_from(&folder);
    let mut command = Command::new("git");
    command.arg("merge-file").arg(format!("--marker-size={marker_length}"));
    command.args(["-L", "ours", "-L", "base", "-L", "theirs", "--"]);
    command.args([file(&versions.ours)?, file(&versions.base)?, file(&versions.theirs)?]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status()?.code() {
        Some(0) => Ok(TextMerge::Clean),
        // The number of conflicts, of which there may be more than can be told.
        Some(1..=127) => Ok(TextMerge::Conflict),
        _ => Err(io::Error::other("git could not merge the file")),
    }
}
