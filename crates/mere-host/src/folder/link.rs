//! The target of a symbolic link, parsed into steps along a path.
//!
//! Nothing is followed here: the caller takes the steps itself, inside the visible world.

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::Dir;
use mere_core::address::Segment;

use crate::Folder;

/// One step along a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// To a child.
    Into(Segment),
    /// To the parent.
    Up,
}

/// Where a link leads.
pub enum LinkTarget {
    /// Along these steps, from the folder that the link lies in.
    Steps(Vec<PathStep>),
    /// To an absolute path.
    Absolute(AbsoluteTarget),
    /// Along a name that cannot be part of an address.
    Unaddressable,
}

/// The absolute target of a link. Nobody learns more of it than whether it lies in a folder.
pub struct AbsoluteTarget(PathBuf);

impl AbsoluteTarget {
    /// Checks whether it lies in a folder, by its text alone.
    pub fn lies_in(&self, folder: &Folder) -> bool {
        let climbs = self.0.components().any(|component| component == Component::ParentDir);
        !climbs && (self.0.starts_with(folder.path()) || self.0.starts_with(folder.given_path()))
    }
}

/// Reads a link.
pub fn read_link(dir: &Dir, name: &Segment) -> io::Result<LinkTarget> {
    let target = dir.read_link_contents(name.as_str())?;
    if target.has_root() {
        return Ok(LinkTarget::Absolute(AbsoluteTarget(target)));
    }
    Ok(steps(&target).map_or(LinkTarget::Unaddressable, LinkTarget::Steps))
}

fn steps(target: &Path) -> Option<Vec<PathStep>> {
    let mut steps = Vec::new();
    for component in target.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => steps.push(PathStep::Up),
            Component::Normal(name) => steps.push(PathStep::Into(name.to_str()?.parse().ok()?)),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(steps)
}
