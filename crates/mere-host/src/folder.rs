//! A folder of the machine, held by handle.
//!
//! The path is kept for one purpose: telling the gate which spellings must not reach an agent.
//! Access goes through the handle.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use mere_core::address::RelPath;
use mere_core::gate::{Landmark, StandIn};
use mere_core::segment::Segment;

use super::surroundings::{Environment, landmarks_for};
use super::{OpenFolder, WatchedFiles};

/// Which directory something is, whatever it is called: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderIdentity {
    device: u64,
    inode: u64,
}

impl FolderIdentity {
    #[cfg(all(target_os = "linux", not(mere_portable)))]
    pub(super) fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }

    pub fn from_metadata(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// The identity of a directory on the machine; `None` if there is none. Any other failure is
    /// one: what cannot be recognised must not pass for absent.
    pub(super) fn from_path(path: &Path) -> io::Result<Option<Self>> {
        let Some(metadata) = none_if_missing(path.metadata())? else { return Ok(None) };
        let identity = Self { device: metadata.dev(), inode: metadata.ino() };
        Ok(metadata.is_dir().then_some(identity))
    }
}

/// A failure that says "there is none" is no failure.
pub fn none_if_missing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(error),
        },
    }
}

/// A link stands where a folder was looked for.
pub fn is_symlink_error(error: &io::Error) -> bool {
    const ELOOP: i32 = if cfg!(target_os = "linux") { 40 } else { 62 };
    cfg!(unix) && error.raw_os_error() == Some(ELOOP)
}

/// An open directory of the machine.
pub struct Folder {
    dir: Arc<Dir>,
    /// As it was written: another spelling the gate must know.
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

    /// Opens what a config calls a path: absolute, from `~`, or relative to `base`, the folder the
    /// config lies in.
    pub fn open_configured(
        text: &str,
        base: &Self,
        surroundings: &Environment,
    ) -> io::Result<Self> {
        Self::open(&surroundings.configured_path(text, base).ok_or(io::ErrorKind::NotFound)?)
    }

    /// Makes what a config calls a path, absolute or from `~`, for a person who has just named it.
    /// What is relative to the config's folder is made when it is needed.
    pub fn make_configured(text: &str, base: &Self, surroundings: &Environment) -> io::Result<()> {
        let path = surroundings.configured_path(text, base).ok_or(io::ErrorKind::NotFound)?;
        if text.starts_with(['/', '~']) { std::fs::create_dir_all(path) } else { Ok(()) }
    }

    /// The handle.
    pub fn dir(&self) -> &Arc<Dir> {
        &self.dir
    }

    /// The canonical path, for this module's siblings.
    pub(super) fn path(&self) -> &Path {
        &self.canonical_path
    }

    pub fn identity(&self) -> FolderIdentity {
        self.identity
    }

    /// The folder at a path below this one, names joined by slashes; `None` if there is none. A
    /// link is none: it is not followed.
    pub fn subfolder(&self, name: &str) -> io::Result<Option<Self>> {
        let folder = match OpenFolder::open(&self.dir, name) {
            Err(error) if is_symlink_error(&error) => return Ok(None),
            opened => none_if_missing(opened)?,
        };
        let Some(folder) = folder else { return Ok(None) };
        let identity = folder.identity()?;
        let canonical = self.canonical_path.join(name);
        let dir = Arc::new(folder.into_dir());
        Ok(Some(Self { dir, given_path: canonical.clone(), canonical_path: canonical, identity }))
    }

    /// Whether this folder is, or lies in, one of `others`.
    pub fn is_inside_any(&self, others: &[FolderIdentity]) -> io::Result<bool> {
        for ancestor in self.canonical_path.ancestors() {
            if FolderIdentity::from_path(ancestor)?.is_some_and(|at| others.contains(&at)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where `inner` lies in this folder, by whole components; `None` if outside, or if a name on
    /// the way cannot be said.
    pub fn locate(&self, inner: &Self) -> Option<RelPath> {
        let below = inner.canonical_path.strip_prefix(&self.canonical_path).ok()?;
        below.iter().map(|name| name.to_str()?.parse::<Segment>().ok()).collect()
    }

    /// The folder at a path below this one, no link on the way followed.
    pub fn require_subfolder(&self, path: &RelPath) -> io::Result<Self> {
        Ok(self.subfolder(path.as_str())?.ok_or(io::ErrorKind::NotFound)?)
    }

    /// Its own name, for people; empty for the top.
    pub fn name(&self) -> String {
        let name = self.canonical_path.file_name();
        name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// The canonical path for the record of trusted projects.
    pub fn canonical_text(&self) -> Option<&str> {
        self.canonical_path.to_str()
    }

    /// A file below it is looked at again and again.
    pub fn watch_file(&self, below: &str, watched: &mut WatchedFiles) {
        watched.add(&self.canonical_path.join(below));
    }

    /// The canonical path, for people.
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
