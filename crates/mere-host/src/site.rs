//! Where a config says that a store lies, whether or not it is there.
//!
//! A site is compared with others by whole components of its canonical path. It opens nothing by
//! that path: what is used is the folder that was opened, or an address.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mere_core::address::RelPath;
use mere_core::segment::Segment;

use super::boundary::resolve;
use super::{Folder, Surroundings};

/// A place on the machine.
pub struct Site {
    path: PathBuf,
    /// What is there now.
    folder: Option<Arc<Folder>>,
}

/// Where a site lies in a folder.
pub enum Below {
    /// At this path.
    At(RelPath),
    /// At one that no address can name.
    Unsayable,
}

impl Site {
    /// What a config calls a path, read like that of an extra folder.
    pub fn configured(text: &str, base: &Folder, surroundings: &Surroundings) -> Self {
        if let Ok(folder) = Folder::open_configured(text, base, surroundings) {
            return Self { path: folder.path().to_owned(), folder: Some(Arc::new(folder)) };
        }
        let path = surroundings.configured_path(text, base).unwrap_or_else(|| text.into());
        Self { path: resolve(&path).unwrap_or(path), folder: None }
    }

    /// What lies at a path below a folder, where no link is followed.
    pub fn below(folder: &Folder, path: &RelPath) -> Self {
        let names = path.names();
        Self {
            path: names.fold(folder.path().to_owned(), |path, name| path.join(name)),
            folder: None,
        }
    }

    /// Where it lies in a folder; `None` if it does not.
    pub fn within(&self, folder: &Folder) -> Option<Below> {
        let below = self.path.strip_prefix(folder.path()).ok()?;
        let names = below.iter().map(|name| name.to_str()?.parse::<Segment>().ok());
        Some(names.collect::<Option<RelPath>>().map_or(Below::Unsayable, Below::At))
    }

    /// Whether it is the other one, or the other lies in it.
    pub fn holds(&self, other: &Self) -> bool {
        other.path.starts_with(&self.path)
    }

    /// Whether it is a folder, or that lies in it.
    pub fn holds_folder(&self, folder: &Folder) -> bool {
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

impl Surroundings {
    /// Whether a site lies where keys, approvals or caches are kept, or they would lie in it.
    pub fn keeps_private(&self, site: &Site) -> io::Result<bool> {
        let by_identity = match &site.folder {
            Some(folder) => folder.lies_in(&self.private()?)?,
            None => false,
        };
        let by_path = self.private_paths().any(|path| {
            let canonical = resolve(path).unwrap_or_else(|| path.to_owned());
            canonical.starts_with(&site.path) || site.path.starts_with(&canonical)
        });
        Ok(by_identity || by_path)
    }

    /// Whether the user's space is a site, or would lie in it.
    pub fn has_user_space_below(&self, site: &Site) -> bool {
        let space = self.user_space_path();
        let space = space.map(|space| resolve(space).unwrap_or_else(|| Path::to_owned(space)));
        space.is_some_and(|space| space.starts_with(&site.path))
    }
}
