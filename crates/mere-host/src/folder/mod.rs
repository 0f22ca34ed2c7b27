//! A folder of the machine, held by handle.
//!
//! Files are reached through the handle. The path is kept so that the gate learns which spellings
//! must not reach an agent, and for host modules that need one: to compare folders, or to hand it
//! to another program.

pub(crate) mod file_system;
pub(crate) mod link;
pub(crate) mod location;
pub(crate) mod open_folder;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fmt, io};

use cap_fs_ext::MetadataExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use mere_core::address::{RelPath, Segment};
use mere_core::gate::{Landmark, StandIn};

use super::environment::Environment;
use super::environment::landmarks::landmarks_for;
use super::{OpenFolder, WatchedFiles};

/// Identifies a directory by device and inode, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FolderIdentity {
    device: u64,
    inode: u64,
}

impl FolderIdentity {
    #[cfg(all(target_os = "linux", not(mere_portable)))]
    pub(super) fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }

    /// Reads the identity out of a folder's metadata.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// Returns the identity of the directory at `path`, or `None` if there is none. Every other
    /// failure is an error: a folder that cannot be recognised must not be mistaken for an absent
    /// one.
    pub(super) fn from_path(path: &Path) -> io::Result<Option<Self>> {
        let Some(metadata) = none_if_missing(path.metadata())? else { return Ok(None) };
        let identity = Self { device: metadata.dev(), inode: metadata.ino() };
        Ok(metadata.is_dir().then_some(identity))
    }
}

/// Turns an error that means "there is no such file" into `None` and passes on every other error.
pub fn none_if_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(error),
        },
    }
}

/// Checks whether opening a folder failed because a symbolic link is in its place.
pub fn is_symlink_error(error: &io::Error) -> bool {
    const ELOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };
    cfg!(unix) && error.raw_os_error() == Some(ELOOP)
}

/// An open directory of the machine.
pub struct Folder {
    dir: Arc<Dir>,
    /// The path as it was given: another spelling that the gate must know.
    given_path: PathBuf,
    canonical_path: PathBuf,
    identity: FolderIdentity,
}

impl Folder {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let canonical = path.canonicalize()?;
        let dir = Dir::open_ambient_dir(&canonical, ambient_authority())?;
        let identity = FolderIdentity::from_metadata(&dir.dir_metadata()?);
        Ok(Self {
            dir: Arc::new(dir),
            given_path: path.to_owned(),
            canonical_path: canonical,
            identity,
        })
    }

    /// Opens the path that a config names: absolute, starting with `~`, or relative to `base`, the
    /// folder that holds the config.
    pub fn open_configured(text: &str, base: &Self, environment: &Environment) -> io::Result<Self> {
        Self::open(&environment.configured_path(text, base).ok_or(io::ErrorKind::NotFound)?)
    }

    /// Creates the folder that a person has just named in a config, if its path is absolute or
    /// starts with `~`. A path relative to the config's folder is created only when it is needed.
    pub fn make_configured(text: &str, base: &Self, environment: &Environment) -> io::Result<()> {
        let path = environment.configured_path(text, base).ok_or(io::ErrorKind::NotFound)?;
        if text.starts_with(['/', '~']) { std::fs::create_dir_all(path) } else { Ok(()) }
    }

    /// Returns the handle.
    pub fn dir(&self) -> &Arc<Dir> {
        &self.dir
    }

    /// Returns the canonical path. Only other host modules may use it.
    pub(super) fn path(&self) -> &Path {
        &self.canonical_path
    }

    /// Returns the path as it was given. Only other host modules may use it.
    pub(super) fn given_path(&self) -> &Path {
        &self.given_path
    }

    /// Returns the device and inode of this folder.
    pub fn identity(&self) -> FolderIdentity {
        self.identity
    }

    /// Opens the folder at a path below this one, names joined by slashes. Returns `None` if there
    /// is none; a symbolic link is not followed and counts as none.
    pub fn subfolder(&self, name: &str) -> io::Result<Option<Self>> {
        let Some(folder) = OpenFolder::find(&self.dir, name)? else { return Ok(None) };
        let identity = folder.identity()?;
        let canonical = self.canonical_path.join(name);
        let dir = Arc::new(folder.into_dir());
        Ok(Some(Self { dir, given_path: canonical.clone(), canonical_path: canonical, identity }))
    }

    /// Checks whether this folder is one of `others` or lies inside one of them.
    pub fn is_inside_any(&self, others: &[FolderIdentity]) -> io::Result<bool> {
        for ancestor in self.canonical_path.ancestors() {
            if FolderIdentity::from_path(ancestor)?.is_some_and(|at| others.contains(&at)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the path of `inner` relative to this folder, compared by whole components. Returns
    /// `None` if it lies outside, or if a name on the way cannot be part of an address.
    pub fn locate(&self, inner: &Self) -> Option<RelPath> {
        let below = inner.canonical_path.strip_prefix(&self.canonical_path).ok()?;
        below.iter().map(|name| name.to_str()?.parse::<Segment>().ok()).collect()
    }

    /// Opens the folder at a path below this one and fails if there is none. No symbolic link on
    /// the way is followed.
    pub fn require_subfolder(&self, path: &RelPath) -> io::Result<Self> {
        Ok(self.subfolder(path.as_str())?.ok_or(io::ErrorKind::NotFound)?)
    }

    /// Checks whether this folder was deleted since it was opened, whatever is at its path now. One
    /// that was moved is not deleted.
    pub fn is_deleted(&self) -> bool {
        let is_in_place = matches!(
            FolderIdentity::from_path(&self.canonical_path), Ok(Some(at)) if at == self.identity
        );
        // What a network file system has lost cannot be examined any more.
        !is_in_place && self.dir.dir_metadata().map_or(true, |metadata| metadata.nlink() == 0)
    }

    /// Returns the folder's own name for people; the name of `/` is empty.
    pub fn name(&self) -> String {
        let name = self.canonical_path.file_name();
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Returns the canonical path for the record of trusted projects.
    pub fn canonical_text(&self) -> Option<&str> {
        self.canonical_path.to_str()
    }

    /// Adds a file below this folder to the files whose stamps are compared.
    pub fn watch_file(&self, below: &str, watched: &mut WatchedFiles) {
        watched.add(&self.canonical_path.join(below));
    }

    /// Returns the canonical path for people.
    pub fn display_path(&self) -> String {
        self.canonical_path.display().to_string()
    }

    /// Returns this folder's spellings, which the gate must know.
    pub fn landmarks(&self, stand_in: &StandIn) -> Vec<Landmark> {
        let written = Some(self.given_path.clone()).filter(|path| path.is_absolute());
        let paths = [Some(self.canonical_path.clone()), written].into_iter().flatten();
        paths.flat_map(|path| landmarks_for(&path, stand_in)).collect()
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Folder(…)")
    }
}
