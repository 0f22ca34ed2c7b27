//! The proof that a path was resolved and may be seen.
//!
//! Only [`super::World::resolve`] makes a `VisibilityRef`. It holds handles, not a host path; it
//! cannot be cloned or serialised, and prints as its address.

use std::fmt;
use std::io;
use std::sync::Arc;

use cap_std::fs::{Dir, File};
use mere_core::address::{Address, RelPath, Root, Segment};

use mere_host::{WorkspaceSize, open_regular_file};

/// The kind of a visible path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
}

/// Something that exists and may be seen.
pub struct VisibilityRef {
    address: Address,
    place: Target,
}

enum Target {
    /// A root with no folder behind it yet.
    Empty,
    Directory {
        dir: Arc<Dir>,
        root: Arc<Dir>,
    },
    File {
        parent: Arc<Dir>,
        name: Segment,
        /// Its real path, which differs from the address if that led through a link.
        real: RelPath,
    },
}

/// An open directory and the root it was reached from, for the sibling modules.
pub(super) struct OpenedDir<'a> {
    pub(super) dir: &'a Arc<Dir>,
    pub(super) root: &'a Arc<Dir>,
}

impl VisibilityRef {
    pub(super) fn empty(root: Root) -> Self {
        Self { address: Address::directory(root, RelPath::default()), place: Target::Empty }
    }

    pub(super) fn directory(address: Address, dir: Arc<Dir>, root: Arc<Dir>) -> Self {
        Self { address, place: Target::Directory { dir, root } }
    }

    pub(super) fn file(address: Address, real: RelPath, parent: Arc<Dir>, name: Segment) -> Self {
        Self { address, place: Target::File { parent, name, real } }
    }

    /// Returns the real path below the root: what a person confirms is a place, not a link to it.
    pub(super) fn real_path(&self) -> &RelPath {
        match &self.place {
            Target::File { real, .. } => real,
            Target::Empty | Target::Directory { .. } => self.address.path(),
        }
    }

    /// Checks whether the address leads through a link.
    pub(crate) fn is_linked(&self) -> bool {
        self.real_path() != self.address.path()
    }

    /// Returns the address.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Returns whether this is a directory or a file.
    pub fn kind(&self) -> PathKind {
        match self.place {
            Target::Empty | Target::Directory { .. } => PathKind::Directory,
            Target::File { .. } => PathKind::File,
        }
    }

    /// Returns the open directory, if there is one to read.
    pub(super) fn opened(&self) -> Option<OpenedDir<'_>> {
        match &self.place {
            Target::Directory { dir, root } => Some(OpenedDir { dir, root }),
            Target::Empty | Target::File { .. } => None,
        }
    }

    /// Measures what lies in the directory.
    pub(crate) fn size(&self) -> WorkspaceSize {
        self.opened().map(|opened| WorkspaceSize::measure(opened.dir)).unwrap_or_default()
    }

    /// Returns the folder a file lies in, to reach the files that belong to it.
    pub(crate) fn parent_folder(&self) -> Option<&Arc<Dir>> {
        match &self.place {
            Target::File { parent, .. } => Some(parent),
            Target::Empty | Target::Directory { .. } => None,
        }
    }

    /// Opens the file; `None` if this is not a file, or no longer one.
    pub(crate) fn open_file(&self) -> io::Result<Option<File>> {
        match &self.place {
            Target::File { parent, name, .. } => open_regular_file(&**parent, name.as_str()),
            Target::Empty | Target::Directory { .. } => Ok(None),
        }
    }
}

impl fmt::Debug for VisibilityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VisibilityRef({})", self.address)
    }
}

impl fmt::Display for VisibilityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}
