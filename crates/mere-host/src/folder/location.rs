//! The location of a store, as a config names it, whether or not the folder exists.
//!
//! Locations are compared by whole components of their canonical paths. Nothing is opened through
//! such a path: what is used is the folder that was opened, or an address.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mere_core::address::{RelPath, Segment};

use crate::environment::boundary::weakly_canonicalize;
use crate::{Environment, Folder};

/// A location on the machine.
pub struct FolderLocation {
    path: PathBuf,
    /// The folder that exists there now.
    folder: Option<Arc<Folder>>,
}

/// A location relative to a folder.
pub enum RelativeLocation {
    /// A path that an address can name.
    Addressable(RelPath),
    /// A path that no address can name.
    Unaddressable,
}

impl FolderLocation {
    /// Resolves the path that a config names.
    pub fn from_config(text: &str, base: &Folder, environment: &Environment) -> Self {
        if let Ok(folder) = Folder::open_configured(text, base, environment) {
            return Self { path: folder.path().to_owned(), folder: Some(Arc::new(folder)) };
        }
        let path = environment.configured_path(text, base).unwrap_or_else(|| text.into());
        Self { path: weakly_canonicalize(&path).unwrap_or(path), folder: None }
    }

    /// Returns the location at a path below a folder. No symbolic link is followed.
    pub fn from_relative(folder: &Folder, path: &RelPath) -> Self {
        let names = path.names();
        Self {
            path: names.fold(folder.path().to_owned(), |path, name| path.join(name)),
            folder: None,
        }
    }

    /// Returns where the location lies in a folder, or `None` if it lies outside.
    pub fn relative_to(&self, folder: &Folder) -> Option<RelativeLocation> {
        let below = self.path.strip_prefix(folder.path()).ok()?;
        let names = below.iter().map(|name| name.to_str()?.parse::<Segment>().ok());
        Some(
            names
                .collect::<Option<RelPath>>()
                .map_or(RelativeLocation::Unaddressable, RelativeLocation::Addressable),
        )
    }

    /// Checks whether the other location is this one or lies in it.
    pub fn contains(&self, other: &Self) -> bool {
        other.path.starts_with(&self.path)
    }

    /// Checks whether a folder is this location or lies in it.
    pub fn contains_folder(&self, folder: &Folder) -> bool {
        folder.path().starts_with(&self.path)
    }

    /// Returns the names on the path, to be compared with reserved names.
    pub fn names(&self) -> Vec<String> {
        self.path.iter().map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// Returns the folder that exists there.
    pub fn folder(&self) -> Option<&Arc<Folder>> {
        self.folder.as_ref()
    }
}

impl Environment {
    /// Checks whether a location lies in a private folder (keys, approvals, data, caches), or would
    /// contain one.
    pub fn overlaps_private_folders(&self, location: &FolderLocation) -> io::Result<bool> {
        let by_identity = match &location.folder {
            Some(folder) => folder.is_inside_any(&self.private_identities()?)?,
            None => false,
        };
        let by_path = self.private_paths().any(|path| {
            let canonical = weakly_canonicalize(path).unwrap_or_else(|| path.to_owned());
            canonical.starts_with(&location.path) || location.path.starts_with(&canonical)
        });
        Ok(by_identity || by_path)
    }

    /// Checks whether the user space is this location, or lies or would lie in it.
    pub fn has_user_space_below(&self, location: &FolderLocation) -> bool {
        let space = self.user_space_path();
        let space =
            space.map(|space| weakly_canonicalize(space).unwrap_or_else(|| Path::to_owned(space)));
        space.is_some_and(|space| space.starts_with(&location.path))
    }
}
