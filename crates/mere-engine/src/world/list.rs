//! The entries of one directory, a page at a time.
//!
//! A page is the smallest entries after the position, kept in a bounded heap while the directory
//! streams by: memory depends on the page, not on the directory, and no state is kept between
//! pages.

use std::collections::BinaryHeap;
use std::io;
use std::ops::{Bound, RangeBounds};
use std::time::Instant;

use cap_std::fs::{Dir, DirEntry};
use mere_core::segment::Segment;
use mere_core::sensitive::is_sensitive;
use mere_core::turn::Turn;

use super::visibility::Opened;
use super::walk::{self, Landing};
use super::{Kind, ResolveError, VisibilityRef, World};
use crate::host::absent;

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

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookError {
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the call took too long")]
    Late,
    #[error("the directory cannot be read")]
    Unreadable(#[from] io::Error),
}

/// Fails when the caller has given up or the time is over.
pub(super) fn go_on(turn: &dyn Turn) -> Result<(), LookError> {
    if turn.cancelled() {
        return Err(LookError::Cancelled);
    }
    let late = turn.deadline().is_some_and(|deadline| Instant::now() >= deadline);
    if late { Err(LookError::Late) } else { Ok(()) }
}

impl World {
    /// The page of `target` of at most `size` entries that begins after `after`.
    pub(crate) fn list(
        &self,
        target: &VisibilityRef,
        after: Option<&Entry>,
        size: usize,
        turn: &dyn Turn,
    ) -> Result<Listing, LookError> {
        let Some(opened) = target.opened() else {
            return Ok(Listing::default());
        };
        let mut page = BinaryHeap::with_capacity(size + 2);
        let mut unaddressable = 0;
        for entry in opened.dir.entries()? {
            go_on(turn)?;
            match self.look(&opened, target, &entry?)? {
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
        let Some(name) = said(entry) else { return Ok(Seen::Unaddressable) };
        let Some(kind) = absent(entry.file_type())? else { return Ok(Seen::Nothing) };
        let rank = if kind.is_dir() {
            seen(walk::open_directory(opened.dir, &name, self.hidden()), |_| Rank::Directory)?
        } else if kind.is_symlink() {
            let path = target.address().path().join(name.clone());
            seen(walk::walk(opened.root, &path, self.hidden()), |landing| match landing {
                Landing::Directory(_) => Rank::Directory,
                Landing::File => Rank::File,
            })?
        } else {
            (kind.is_file() && !is_sensitive(&name)).then_some(Rank::File)
        };
        Ok(rank.map_or(Seen::Nothing, |rank| Seen::Entry(Entry { rank, name })))
    }
}

/// What was found, or nothing; a system that fails is not nothing.
fn seen<T>(
    found: Result<T, ResolveError>,
    rank: impl FnOnce(T) -> Rank,
) -> io::Result<Option<Rank>> {
    match found {
        Ok(found) => Ok(Some(rank(found))),
        Err(ResolveError::NotVisible) => Ok(None),
        // A directory that may not be entered is still there.
        Err(ResolveError::Broken(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            Ok(Some(Rank::Directory))
        }
        Err(ResolveError::Broken(error)) => Err(error),
    }
}

enum Seen {
    Entry(Entry),
    Unaddressable,
    Nothing,
}

/// The entry's name, if it can be said.
fn said(entry: &DirEntry) -> Option<Segment> {
    entry.file_name().to_str()?.parse().ok()
}

/// Part of a directory's child directories, in order of their bytes.
pub(super) struct Children {
    pub(super) names: Vec<Segment>,
    pub(super) unaddressable: u64,
}

/// The first `most` child directories of `dir` from `from` on. Links are not children: a tree that
/// followed them might not end.
pub(super) fn children(
    dir: &Dir,
    from: Bound<&Segment>,
    most: usize,
    turn: &dyn Turn,
) -> Result<Children, LookError> {
    let mut page = BinaryHeap::new();
    let mut unaddressable = 0;
    for entry in dir.entries()? {
        go_on(turn)?;
        let entry = entry?;
        if !absent(entry.file_type())?.is_some_and(|kind| kind.is_dir()) {
            continue;
        }
        match said(&entry) {
            None => unaddressable += 1,
            Some(name) if (from, Bound::Unbounded).contains(&name) => {
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
