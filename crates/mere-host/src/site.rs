//! Where a config says that a store lies, whether or not it is there.
//!
//! A site is compared with others by whole components of its canonical path. It opens nothing by
//! that path: what is used is the folder that was opened, or an address.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mere_core::address::RelPath;
use mere_core::segment::Segment;

use super::boundary::weakly_canonicalize;
use super::{Environment, Folder};

/// A place on the machine.
pub struct FolderLocation {
    path: PathBuf,
    /// What is there now.
    folder: Option<Arc<Folder>>,
}

/// Where a site lies in a folder.
pub enum RelativeLocation {
    /// At this path.
    Addressable(RelPath),
    /// At one that no address can name.
    Unaddressable,
}

impl FolderLocation {
    /// What a config calls a path, read like that of an extra folder.
    pub fn from_config(text: &str, base: &Folder, surroundings: &Environment) -> Self {
        if let Ok(folder) = Folder::open_configured(text, base, surroundings) {
            return Self { path: folder.path().to_owned(), folder: Some(Arc::new(folder)) };
        }
        let path = surroundings.configured_path(text, base).unwrap_or_else(|| text.into());
        Self { path: weakly_canonicalize(&path).unwrap_or(path), folder: None }
    }

    /// What lies at a path below a folder, where no link is followed.
    pub fn from_relative(folder: &Folder, path: &RelPath) -> Self {
        let names = path.names();
        Self {
            path: names.fold(folder.path().to_owned(), |path, name| path.join(name)),
            folder: None,
        }
    }

    /// Where it lies in a folder; `None` if it does not.
    pub fn relative_to(&self, folder: &Folder) -> Option<RelativeLocation> {
        let below = self.path.strip_prefix(folder.path()).ok()?;
        let names = below.iter().map(|name| name.to_str()?.parse::<Segment>().ok());
        Some(
            names
                .collect::<Option<RelPath>>()
                .map_or(RelativeLocation::Unaddressable, RelativeLocation::Addressable),
        )
    }

    /// Whether it is the other one, or the other lies in it.
    pub fn contains(&self, other: &Self) -> bool {
        other.path.starts_with(&self.path)
    }

    /// Whether it is a folder, or that lies in it.
    pub fn contains_folder(&self, folder: &Folder) -> bool {
        folder.path().starts_with(&self.path)
    }

    /// The names on the way to it, for a comparison with names that mean something.
    pub fn names(&self) -> Vec<String> {
        self.path.iter().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// The folder that is there.
    pub fn folder(&self) -> Option<&Arc<Folder>> {
        self.folder.as_ref()
    }
}

impl Environment {
    /// Whether a site lies where keys, approvals or caches are kept, or they would lie in it.
    pub fn overlaps_private_folders(&self, site: &FolderLocation) -> io::Result<bool> {
        let by_identity = match &site.folder {
            Some(folder) => folder.is_inside_any(&self.private_identities()?)?,
            None => false,
        };
        let by_path = self.private_paths().any(|path| {
            let canonical = weakly_canonicalize(path).unwrap_or_else(|| path.to_owned());
            canonical.starts_with(&site.path) || site.path.starts_with(&canonical)
        });
        Ok(by_identity || by_path)
    }

    /// Whether the user's space is a site, or would lie in it.
    pub fn has_user_space_below(&self, site: &FolderLocation) -> bool {
        let space = self.user_space_path();
        let space =
            space.map(|space| weakly_canonicalize(space).unwrap_or_else(|| Path::to_owned(space)));
        space.is_some_and(|space| space.starts_with(&site.path))
    }
}
