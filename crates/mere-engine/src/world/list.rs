//! The entries of one directory, a page at a time.
//!
//! A page is the smallest entries after the position, kept in a bounded heap while the directory
//! streams by: memory depends on the page, not on the directory, and no state is kept between
//! pages.

use std::collections::BinaryHeap;
use std::io;
use std::ops::{Bound, RangeBounds};

use cap_std::fs::{Dir, DirEntry};
use mere_core::segment::Segment;
use mere_core::sensitive::is_sensitive;

use super::visibility::Opened;
use super::walk::{self, Landing};
use super::{Kind, VisibilityRef, World};
use crate::host::Identity;

/// One visible entry. Directories sort first, each group by the bytes of its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    rank: Rank,
    pub(crate) name: Segment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Directory,
    File,
}

impl Entry {
    pub(crate) fn kind(&self) -> Kind {
        match self.rank {
            Rank::Directory => Kind::Directory,
            Rank::File => Kind::File,
        }
    }

    /// How a cursor remembers this entry.
    pub(crate) fn position(&self) -> String {
        match self.rank {
            Rank::Directory => format!("d/{}", self.name),
            Rank::File => format!("f/{}", self.name),
        }
    }

    /// The entry a cursor remembers.
    pub(crate) fn from_position(position: &str) -> Option<Self> {
        let (rank, name) = position.split_once('/')?;
        let rank = match rank {
            "d" => Rank::Directory,
            "f" => Rank::File,
            _ => return None,
        };
        Some(Self { rank, name: name.parse().ok()? })
    }
}

/// One page.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<Entry>,
    /// Entries of the directory whose names cannot be said.
    pub(crate) unaddressable: u64,
    /// Whether there is more after the last entry.
    pub(crate) more: bool,
}

impl World {
    /// The page of `target` that begins after `after`.
    pub(crate) fn list(
        &self,
        target: &VisibilityRef,
        after: Option<&Entry>,
        size: usize,
    ) -> io::Result<Listing> {
        let Some(opened) = target.opened() else {
            return Ok(Listing::default());
        };
        let mut page = BinaryHeap::with_capacity(size + 2);
        let mut unaddressable = 0;
        for entry in opened.dir.entries()? {
            let entry = entry?;
            match self.look(&opened, target, &entry)? {
                Seen::Entry(entry) if after.is_none_or(|after| entry > *after) => {
                    page.push(entry);
                    if page.len() > size + 1 {
                        page.pop();
                    }
                }
                Seen::Unaddressable => unaddressable += 1,
                Seen::Entry(_) | Seen::Nothing => {}
            }
        }
        let mut entries = page.into_sorted_vec();
        let more = entries.len() > size;
        entries.truncate(size);
        Ok(Listing { entries, unaddressable, more })
    }

    fn look(
        &self,
        opened: &Opened<'_>,
        target: &VisibilityRef,
        entry: &DirEntry,
    ) -> io::Result<Seen> {
        let name = entry.file_name();
        let Some(name) = name.to_str().and_then(|name| name.parse::<Segment>().ok()) else {
            return Ok(Seen::Unaddressable);
        };
        if is_sensitive(&name) {
            return Ok(Seen::Nothing);
        }
        let kind = entry.file_type()?;
        let rank = if kind.is_dir() {
            (!self.hides(opened.dir, &name)).then_some(Rank::Directory)
        } else if kind.is_symlink() {
            self.follow(opened.root, target, &name)
        } else {
            kind.is_file().then_some(Rank::File)
        };
        Ok(rank.map_or(Seen::Nothing, |rank| Seen::Entry(Entry { rank, name })))
    }

    fn hides(&self, parent: &Dir, name: &Segment) -> bool {
        let metadata = parent.symlink_metadata(name.as_str());
        metadata.is_ok_and(|metadata| self.hidden().contains(Identity::of(&metadata)))
    }

    /// What a link is, if it leads to something visible in its own root.
    fn follow(&self, root: &Dir, target: &VisibilityRef, name: &Segment) -> Option<Rank> {
        let path = target.address().path().join(name.clone());
        match walk::walk(root, &path, self.hidden()).ok()? {
            Landing::Directory(_) => Some(Rank::Directory),
            Landing::File => Some(Rank::File),
        }
    }
}

enum Seen {
    Entry(Entry),
    Unaddressable,
    Nothing,
}

/// Part of a directory's child directories, in order of their bytes.
pub(super) struct Children {
    pub(super) names: Vec<Segment>,
    pub(super) unaddressable: u64,
}

/// The first `most` child directories of `dir` from `from` on. Links are not children: a tree that
/// followed them might not end.
pub(super) fn children(dir: &Dir, from: Bound<&Segment>, most: usize) -> io::Result<Children> {
    let mut page = BinaryHeap::new();
    let mut unaddressable = 0;
    for entry in dir.entries()? {
        let entry = entry?;
        if !entry.file_type()?.is_dir() {
            continue;
        }
        match entry.file_name().to_str().and_then(|name| name.parse::<Segment>().ok()) {
            None => unaddressable += 1,
            Some(name) if (from, Bound::Unbounded).contains(&name) && !is_sensitive(&name) => {
                page.push(name);
                if page.len() > most {
                    page.pop();
                }
            }
            Some(_) => {}
        }
    }
    Ok(Children { names: page.into_sorted_vec(), unaddressable })
}
