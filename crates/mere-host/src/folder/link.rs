//! The target of a symbolic link, parsed into steps along a path.
//!
//! Nothing is followed here: the caller takes the steps itself, inside the visible world.

use std::io;
use std::path::{Component, Path};

use cap_std::fs::Dir;
use mere_core::address::Segment;

/// One step along a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStep {
    /// To a child.
    Into(Segment),
    /// To the parent.
    Up,
}

/// Reads a link. Returns `None` if its target is absolute or has a name that cannot be part of an
/// address: such a link leads nowhere in the visible world.
pub fn read_link(dir: &Dir, name: &Segment) -> io::Result<Option<Vec<PathStep>>> {
    dir.read_link_contents(name.as_str()).map(|target| steps(&target))
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
