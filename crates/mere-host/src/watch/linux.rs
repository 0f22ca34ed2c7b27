//! The watcher on Linux, by inotify.
//!
//! A folder keeps its watch when it moves, and is reported under its old path until it is added
//! under the new one. Nothing is lost by that: whoever learns of a move adds and reads what is
//! there now.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use cap_std::fs::Dir;
use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::{FolderChange, Interest, WatchOutcome, WatchReport};
use crate::OpenFolder;
use crate::folder::file_system::shared_file_system;

/// How many events are read at once, so that a busy writer cannot keep the caller here for ever.
const MAX_EVENTS: usize = 65_536;
/// From this many changes on, looking at everything is no more work.
const MAX_CHANGES: usize = 1024;

/// File systems that report every change made through them, by their magic numbers: ext2 to ext4,
/// XFS, btrfs, F2FS and tmpfs. An overlay is not among them: what happens in its lower folders is
/// not reported.
const ORDINARY_FILE_SYSTEMS: [u64; 5] =
    [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994];

/// Watches some folders for changes.
pub struct FolderWatcher {
    inotify: Option<OwnedFd>,
    interest: Interest,
    /// The folders, by the system's number of each watch.
    folders: HashMap<i32, WatchedFolder>,
    /// Whether a folder lies on a file system that is not known to report every change.
    has_unusual_folder: bool,
}

struct WatchedFolder {
    path: String,
    /// Whether another folder may have the path by now.
    is_stale: bool,
}

/// The outcome of reading events from the system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EventsRead {
    Nothing,
    Complete,
    /// There were events, and some of them are lost.
    Incomplete,
}

impl FolderWatcher {
    /// Creates a watcher that never reports "unchanged".
    pub fn new_disabled() -> Self {
        let (inotify, folders) = (None, HashMap::new());
        Self { inotify, interest: Interest::Names, folders, has_unusual_folder: false }
    }

    /// Creates a watcher without folders.
    pub fn new(interest: Interest) -> Self {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok();
        Self { inotify, interest, folders: HashMap::new(), has_unusual_folder: false }
    }

    /// Reports whether the system is asked to report changes.
    pub fn is_active(&self) -> bool {
        self.inotify.is_some()
    }

    /// Reports whether every change in the folders is reported: the system is asked, and they lie
    /// on file systems that are known to tell.
    pub fn reports_everything(&self) -> bool {
        self.is_active() && !self.has_unusual_folder
    }

    /// Adds a folder. One that does not exist needs no watch, because its parent has one.
    pub fn add(&mut self, root: &Dir, path: &str) {
        match OpenFolder::find(root, path) {
            Ok(Some(folder)) => {
                self.add_open_folder(&folder, path);
            }
            Ok(None) => {}
            Err(error) => self.disable(&error),
        }
    }

    /// Adds a folder that is already open, under this path. If it is watched under another path, it
    /// has moved, and is reported under the new path from now on.
    pub fn add_open_folder(&mut self, folder: &OpenFolder, path: &str) -> WatchOutcome {
        let Some(system) = &self.inotify else { return WatchOutcome::Failed };
        // The watch is set through the handle: the name could lead elsewhere by now.
        let name = format!("/proc/self/fd/{}", folder.descriptor());
        let flags = watch_flags(self.interest);
        let added = local_file_system(folder)
            .and_then(|kind| Ok((kind, inotify::add_watch(system, name, flags)?)));
        match added {
            Ok((kind, number)) => {
                self.has_unusual_folder |= !ORDINARY_FILE_SYSTEMS.contains(&kind);
                let watched = WatchedFolder { path: path.to_owned(), is_stale: false };
                let before = self.folders.insert(number, watched);
                match before {
                    Some(before) if before.path == path => WatchOutcome::Known,
                    _ => WatchOutcome::Added,
                }
            }
            Err(error) => {
                self.disable(&error);
                WatchOutcome::Failed
            }
        }
    }

    /// Turns the watcher off; from now on it never reports "unchanged".
    fn disable(&mut self, error: &io::Error) {
        tracing::info!(%error, "folders are polled at every call because they cannot be watched");
        self.inotify = None;
        self.folders = HashMap::new();
    }

    /// Marks the folder at this path, and those below it, as possibly replaced by others.
    pub fn mark_stale(&mut self, top: &str) {
        for watched in self.folders.values_mut().filter(|one| is_within(&one.path, top)) {
            watched.is_stale = true;
        }
    }

    /// Removes the watches of folders that were marked stale and not added again. Their paths are
    /// kept until the system confirms the end of the watch, because events may still arrive.
    pub fn drop_stale(&mut self) {
        let Some(system) = &self.inotify else { return };
        for (number, _) in self.folders.iter().filter(|(_, one)| one.is_stale) {
            // This fails for a watch that has ended together with its folder.
            let _ = inotify::remove_watch(system, *number);
        }
    }

    /// Checks whether nothing has happened since the last call.
    pub fn is_unchanged(&mut self) -> bool {
        self.read_events(|_, _| {}) == EventsRead::Nothing
    }

    /// Returns what has happened since the last call.
    pub fn take_changes(&mut self) -> WatchReport {
        let (mut changes, mut too_many) = (BTreeSet::new(), false);
        let events_read = self.read_events(|folder, event| {
            let name = event.file_name().map(|name| name.to_str().map(str::to_owned));
            // A name that is not UTF-8 cannot be addressed and is skipped.
            let Ok(name) = name.transpose() else { return };
            let is_folder = event.events().contains(ReadFlags::ISDIR);
            too_many |= changes.len() >= MAX_CHANGES;
            if !too_many {
                changes.insert(FolderChange { folder: folder.to_owned(), name, is_folder });
            }
        });
        match events_read {
            EventsRead::Incomplete => WatchReport::Unknown,
            _ if too_many => WatchReport::Unknown,
            _ if changes.is_empty() => WatchReport::Unchanged,
            _ => WatchReport::Changed(changes),
        }
    }

    /// Reads the pending events and passes each on with the path of its folder.
    fn read_events(&mut self, mut handle: impl FnMut(&str, &Event<'_>)) -> EventsRead {
        let Self { inotify: Some(system), folders, .. } = self else {
            return EventsRead::Incomplete;
        };
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut events = Reader::new(system, &mut buffer);
        let mut events_read = EventsRead::Nothing;
        for _ in 0..MAX_EVENTS {
            let event = match events.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return events_read,
                Err(Errno::INTR) => continue,
                Err(_) => return EventsRead::Incomplete,
            };
            if events_read == EventsRead::Nothing {
                events_read = EventsRead::Complete;
            }
            if event.events().intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::UNMOUNT) {
                events_read = EventsRead::Incomplete;
            } else if event.events().contains(ReadFlags::IGNORED) {
                // The number may be reused for another folder from now on.
                folders.remove(&event.wd());
            } else {
                match folders.get(&event.wd()) {
                    Some(watched) => handle(&watched.path, &event),
                    None => events_read = EventsRead::Incomplete,
                }
            }
        }
        EventsRead::Incomplete
    }
}

fn watch_flags(interest: Interest) -> WatchFlags {
    let names = WatchFlags::CREATE
        | WatchFlags::DELETE
        | WatchFlags::MOVED_FROM
        | WatchFlags::MOVED_TO
        | WatchFlags::DELETE_SELF
        | WatchFlags::MOVE_SELF
        | WatchFlags::ONLYDIR;
    match interest {
        Interest::Names => names,
        // A file that is written through a memory mapping is reported when it is closed.
        Interest::Contents => {
            names | WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::ATTRIB
        }
    }
}

/// Returns the magic number of the folder's file system, and fails if that can change without this
/// kernel's knowledge.
fn local_file_system(folder: &OpenFolder) -> io::Result<u64> {
    let kind = folder.file_system_type()?;
    match shared_file_system(kind) {
        Some((name, _)) => Err(io::Error::other(format!("{name} can be changed from elsewhere"))),
        None => Ok(kind),
    }
}

/// Checks whether `path` is `top` or lies below it; every path lies below the empty one.
fn is_within(path: &str, top: &str) -> bool {
    let rest = path.strip_prefix(top);
    rest.is_some_and(|rest| top.is_empty() || rest.is_empty() || rest.starts_with('/'))
}
