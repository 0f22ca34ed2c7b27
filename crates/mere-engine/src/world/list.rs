//! The entries of one directory, one page at a time.
//!
//! A page holds the smallest entries after a position, collected while the directory is streamed:
//! memory use depends on the page, not on the directory, and no state is kept between pages.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use mere_core::address::{RelPath, Segment};
use mere_core::turn::Turn;

use super::sensitivity::Visibility;
use super::twins::Twins;
use super::visibility::OpenedDir;
use super::walk::{self, Landing, Limits, WalkError, is_denied};
use super::{Omitted, PathKind, VisibilityRef, World};
use mere_host::{EntryKind, OpenFolder, none_if_missing};

/// One visible entry. Directories sort first, and each group is ordered by the bytes of its names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DirEntry {
    rank: Rank,
    pub(crate) name: Segment,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Directory,
    File,
}

impl DirEntry {
    pub(crate) fn kind(&self) -> PathKind {
        match self.rank {
            Rank::Directory => PathKind::Directory,
            Rank::File => PathKind::File,
        }
    }

    /// Encodes this entry for a cursor.
    pub(crate) fn to_position(&self) -> String {
        match self.rank {
            Rank::Directory => format!("d/{}", self.name),
            Rank::File => format!("f/{}", self.name),
        }
    }

    /// Decodes an entry from a cursor.
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

/// One page of entries.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) entries: Vec<DirEntry>,
    /// The entries in the directory that are left out, counted.
    pub(crate) omitted: Omitted,
    /// Whether more entries follow the last one.
    pub(crate) more: bool,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TraversalError {
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the call took too long")]
    TimedOut,
    #[error("the directory cannot be read")]
    Unreadable(#[from] io::Error),
}

/// Fails if the caller has cancelled the call or its deadline has passed.
pub(crate) fn check_active(turn: &dyn Turn) -> Result<(), TraversalError> {
    if turn.is_cancelled() {
        return Err(TraversalError::Cancelled);
    }
    let is_timed_out = turn.deadline().is_some_and(|deadline| Instant::now() >= deadline);
    if is_timed_out { Err(TraversalError::TimedOut) } else { Ok(()) }
}

/// After how many entries the listing checks whether the call is over.
const CHECK_EVERY: usize = 64;

impl World {
    /// Returns the page of `target` with at most `size` entries that begins after `after`.
    pub(crate) fn list(
        &self,
        target: &VisibilityRef,
        after: Option<&DirEntry>,
        size: usize,
        turn: &dyn Turn,
    ) -> Result<Listing, TraversalError> {
        let Some(opened) = target.opened() else {
            return Ok(Listing::default());
        };
        let lister = FolderLister::new(self, target, opened)?;
        let mut page = Vec::new();
        let (mut seen, mut omitted) = (0_usize, Omitted::default());
        let mut ended = Ok(());
        lister
            .folder
            .for_each_entry(|name, kind| {
                if seen.is_multiple_of(CHECK_EVERY) {
                    ended = check_active(turn);
                }
                seen += 1;
                if ended.is_err() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                let Some(name) = name.and_then(|name| name.parse::<Segment>().ok()) else {
                    omitted.unaddressable += 1;
                    return Ok(());
                };
                let entry = lister.visible_entry(name, kind, &mut omitted)?;
                page.extend(entry.filter(|entry| after.is_none_or(|after| entry > after)));
                if page.len() > 2 * (size + 1) {
                    page.sort_unstable();
                    page.truncate(size + 1);
                }
                Ok(())
            })
            .or_else(|error| ended.and(Err(error.into())))?;
        page.sort_unstable();
        let more = page.len() > size;
        page.truncate(size);
        Ok(Listing { entries: page, omitted, more })
    }
}

/// A directory while it is listed.
struct FolderLister<'a> {
    folder: OpenFolder,
    opened: OpenedDir<'a>,
    limits: Limits<'a>,
    path: &'a RelPath,
    visibility: Visibility,
    twins: Arc<Twins>,
}

impl<'a> FolderLister<'a> {
    fn new(world: &'a World, target: &'a VisibilityRef, opened: OpenedDir<'a>) -> io::Result<Self> {
        let (root, path) = (target.address().root(), target.address().path());
        let limits = world.limits(root);
        let visibility = limits.visibility.path_visibility(path.as_str());
        let folder = OpenFolder::open(opened.dir, "")?;
        let twins = limits.twins.twins_in(opened.dir)?;
        Ok(Self { folder, opened, limits, path, visibility, twins })
    }

    /// Returns the entry of this name, if it may be seen.
    fn visible_entry(
        &self,
        name: Segment,
        kind: EntryKind,
        omitted: &mut Omitted,
    ) -> io::Result<Option<DirEntry>> {
        let path = self.path.join(&name);
        if !self
            .limits
            .visibility
            .child_visibility(self.visibility, path.as_str(), name.as_str())
            .is_shown()
        {
            return Ok(None);
        }
        if self.twins.contains(name.as_str()) {
            omitted.lookalikes += 1;
            return Ok(None);
        }
        let rank = match kind {
            EntryKind::Folder => self.folder_rank(name.as_str())?,
            EntryKind::File => Some(Rank::File),
            EntryKind::Link => self.link_rank(&path, omitted)?,
            EntryKind::Special => None,
        };
        Ok(rank.map(|rank| DirEntry { rank, name }))
    }

    fn folder_rank(&self, name: &str) -> io::Result<Option<Rank>> {
        let identity = none_if_missing(self.folder.child_identity(name))?.flatten();
        let seen = identity.is_some_and(|identity| !self.limits.hidden.contains(identity));
        Ok(seen.then_some(Rank::Directory))
    }

    /// Returns what a link leads to. A failure of the system is reported, not taken for a missing
    /// target.
    fn link_rank(&self, path: &RelPath, omitted: &mut Omitted) -> io::Result<Option<Rank>> {
        let walked = walk::walk(self.opened.root, path, self.limits);
        omitted.note_link(&walked);
        match walked {
            Ok(Landing::Directory(_)) => Ok(Some(Rank::Directory)),
            Ok(Landing::File { .. }) => Ok(Some(Rank::File)),
            // A directory that may not be entered still exists.
            Err(WalkError::Io(error)) if is_denied(&error) => Ok(Some(Rank::Directory)),
            Err(WalkError::Io(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }
}
