//! `ROOT_X:/rel/path`: the only way a file is named to an agent.
//!
//! An `Address` says where something is; it does not say that it exists or may be seen. Printing
//! one and parsing it again gives the same value, and nothing it prints is a host path.

use std::fmt;
use std::str::FromStr;

use crate::root::Root;
use crate::segment::Segment;
use crate::spoken::{MAX_SPOKEN_BYTES, Malformed, Spoken};

/// Segments below a root. Empty for the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(Vec<Segment>);

impl RelPath {
    /// The segments from the root down.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// This path with one more segment.
    #[must_use]
    pub fn join(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }
}

impl FromIterator<Segment> for RelPath {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Self(segments.into_iter().collect())
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.0.iter().enumerate() {
            let slash = if index == 0 { "" } else { "/" };
            write!(f, "{slash}{segment}")?;
        }
        Ok(())
    }
}

/// A canonical address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    root: Root,
    path: RelPath,
    directory: bool,
}

impl Address {
    /// The address of a directory. It prints with a final `/`.
    pub fn directory(root: Root, path: RelPath) -> Self {
        Self { root, path, directory: true }
    }

    /// The address of a file. An empty path is the root, which is a directory.
    pub fn file(root: Root, path: RelPath) -> Self {
        let directory = path.is_root();
        Self { root, path, directory }
    }

    /// The tree this address starts from.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The segments below the root.
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// Whether it is short enough to be said again.
    pub fn is_speakable(&self) -> bool {
        self.to_string().len() <= MAX_SPOKEN_BYTES
    }

    /// Whether the address is written as a directory's.
    pub fn is_directory(&self) -> bool {
        self.directory
    }
}

impl FromStr for Address {
    type Err = Malformed;

    /// Parses the canonical form only; a bare relative path is not an address.
    fn from_str(text: &str) -> Result<Self, Malformed> {
        match text.parse()? {
            Spoken::Rooted(address) => Ok(address),
            Spoken::Home | Spoken::Relative { .. } => Err(Malformed),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.directory && !self.path.is_root() { "/" } else { "" };
        write!(f, "{}:/{}{slash}", self.root, self.path)
    }
}
