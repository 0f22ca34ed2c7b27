//! The one scanner: folders in, items out.
//!
//! It reads the folders it is given and every folder below that nobody knows yet, with as many
//! hands as the machine has. A large folder is shared between them.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use mere_core::digest::Sha256;
use mere_core::item::{self, Scope, ScopedPath};
use serde::{Deserialize, Serialize};

use super::entry::{self, Entry};
use super::survey::{Survey, survey};
use super::{Plot, Space};
use mere_host::{FileStamp, OpenFolder, available_parallelism, now_nanoseconds};

/// How many items a space may have: each takes memory while they are sorted.
const MAX_ITEMS: usize = 1_000_000;
/// The most hands.
const MAX_HANDS: usize = 4;
/// The largest file that is read.
const MAX_READ: u64 = item::MAX_ITEM_BYTES as u64;
/// How many files one task looks at.
const HANDFUL: usize = 256;

/// Whether files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Their digests are taken.
    Read,
    /// What they look like is taken. A folder that may not be read is passed over.
    Looked,
    /// Names are enough.
    Unread,
}

/// Everything that was found.
#[derive(Default)]
pub(crate) struct Census {
    /// In the order of the index.
    pub(crate) entries: Vec<Entry>,
    /// Every folder that was read, by its label.
    pub(crate) folders: Vec<(String, Looks)>,
    /// Folders of items: nothing below them is a level.
    pub(crate) ends: Vec<String>,
    /// What looks as if it were meant to be an item, but is none.
    pub(crate) strays: Vec<Stray>,
}

/// What a folder looked like when it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Looks {
    /// It was not there.
    Gone,
    /// It had just changed: another change may leave it looking the same.
    Unsettled,
    /// Like this, and it still has what it had as long as it does.
    Settled(FileStamp),
}

impl Looks {
    /// Whether a folder that looks like `now` must be what it was.
    pub(super) fn still_holds(self, now: Option<FileStamp>) -> bool {
        match self {
            Self::Gone => now.is_none(),
            Self::Unsettled => false,
            Self::Settled(stamp) => now == Some(stamp),
        }
    }
}

/// A file or folder that is no item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stray {
    /// From the space.
    pub(crate) path: String,
    pub(crate) why: &'static str,
}

/// Scans all of a space.
pub(crate) fn scan(space: &Space, content: Content) -> io::Result<Census> {
    let plots = space.plots();
    let tops = (0..plots.len()).map(|plot| (plot, String::new())).collect();
    scan_from(space.scope, &plots, tops, &Known { content, has: &|_| false })
}

/// What the scanner need not look into.
pub(crate) struct Known<'a> {
    pub(crate) content: Content,
    /// Whether a folder of this label is known and looked after by someone else.
    pub(crate) has: &'a (dyn Fn(&str) -> bool + Sync),
}

/// Scans the given folders, each a plot and a path from its top, and what lies below them.
pub(crate) fn scan_from(
    scope: Scope,
    plots: &[Plot],
    folders: Vec<(usize, String)>,
    known: &Known<'_>,
) -> io::Result<Census> {
    let tasks = folders.into_iter().map(|(plot, below)| Task::Folder { plot, below });
    let board = Board { tasks: tasks.collect(), busy: 0, found: 0, failed: None };
    let crew = Crew {
        scope,
        plots,
        known,
        began: now_nanoseconds(),
        board: Mutex::new(board),
        wake: Condvar::new(),
    };
    let mut census = thread::scope(|threads| {
        let others = (1..available_parallelism(MAX_HANDS))
            .map(|_| threads.spawn(|| crew.work()))
            .collect::<Vec<_>>();
        let mut census = crew.work();
        for other in others {
            census.add(other.join().unwrap_or_default());
        }
        census
    });
    let board = crew.board.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = board.failed {
        return Err(error);
    }
    entry::sort(&mut census.entries);
    census.strays.sort();
    Ok(census)
}

impl Census {
    fn add(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.folders.extend(other.folders);
        self.ends.extend(other.ends);
        self.strays.extend(other.strays);
    }
}

enum Task {
    Folder { plot: usize, below: String },
    Files { folder: Arc<OpenFolder>, files: Vec<(ScopedPath, String)> },
}

struct Board {
    tasks: VecDeque<Task>,
    busy: usize,
    found: usize,
    failed: Option<io::Error>,
}

struct Crew<'a> {
    scope: Scope,
    plots: &'a [Plot],
    known: &'a Known<'a>,
    began: i64,
    board: Mutex<Board>,
    wake: Condvar,
}

impl Crew<'_> {
    /// Does tasks until there are none, and says what it found.
    fn work(&self) -> Census {
        let mut census = Census::default();
        let mut board = self.board();
        loop {
            match board.tasks.pop_front() {
                Some(task) if board.failed.is_none() => {
                    board.busy += 1;
                    drop(board);
                    let before = census.entries.len();
                    let done = self.perform(task, &mut census);
                    board = self.board();
                    board.busy -= 1;
                    board.settle(done, census.entries.len() - before);
                    self.wake.notify_all();
                }
                Some(_) => board.tasks.clear(),
                None if board.busy == 0 => return census,
                None => board = self.wake.wait(board).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn perform(&self, task: Task, census: &mut Census) -> io::Result<Vec<Task>> {
        match task {
            Task::Folder { plot, below } => self.folder(plot, &below, census),
            Task::Files { folder, files } => {
                self.files(&folder, files, census)?;
                Ok(Vec::new())
            }
        }
    }

    fn folder(&self, number: usize, below: &str, census: &mut Census) -> io::Result<Vec<Task>> {
        let plot = &self.plots[number];
        let label = plot.label(below);
        let looks = |stamp: FileStamp| {
            if stamp.is_racy(self.began) { Looks::Unsettled } else { Looks::Settled(stamp) }
        };
        let surveyed = match survey(plot, self.scope, below) {
            Err(error) if self.passes_over(&error) => Survey::Gone,
            surveyed => surveyed?,
        };
        match surveyed {
            Survey::Gone => {
                census.folders.push((label, Looks::Gone));
                Ok(Vec::new())
            }
            Survey::Item(stamp, place, folder) => {
                census.ends.push(label.clone());
                census.folders.push((label, looks(stamp)));
                let name = place.main_file_path().and_then(|path| path.split_last());
                let Some((_, name)) = name else { return Ok(Vec::new()) };
                let files = vec![(place, name.to_string())];
                Ok(vec![Task::Files { folder: Arc::new(folder), files }])
            }
            Survey::Level(stamp, level, folder) => {
                let strays = level.strays.into_iter();
                let strays = strays
                    .map(|(name, why)| Stray { path: plot.label(&super::join(below, &name)), why });
                census.strays.extend(strays);
                let deeper = level.folders.iter().map(|name| super::join(below, name));
                let deeper = deeper.filter(|below| !(self.known.has)(&plot.label(below)));
                let deeper = deeper.map(|below| Task::Folder { plot: number, below });
                let mut tasks = deeper.collect::<Vec<_>>();
                tasks.extend(handfuls(level.items, Arc::new(folder)));
                census.folders.push((label, looks(stamp)));
                Ok(tasks)
            }
        }
    }

    fn passes_over(&self, error: &io::Error) -> bool {
        let is_closed = error.kind() == io::ErrorKind::PermissionDenied;
        self.known.content == Content::Looked && is_closed
    }

    fn files(
        &self,
        folder: &OpenFolder,
        files: Vec<(ScopedPath, String)>,
        census: &mut Census,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (place, name) in files {
            if self.known.content == Content::Unread {
                let stamp = FileStamp::from((0, 0, 0, 0));
                census.entries.push(Entry::new(place, stamp, None));
                continue;
            }
            if self.known.content == Content::Looked {
                let looks = folder.file_stamp(&name).ok().flatten();
                census.entries.extend(looks.map(|stamp| Entry::new(place, stamp, None)));
                continue;
            }
            // What has gone meanwhile, or may not be read, is found out again by whoever wants it.
            let file = match folder.open_file(&name) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    census.entries.push(Entry::new(place, FileStamp::from((0, 0, 0, 0)), None));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let stamp = FileStamp::from_metadata(&file.metadata()?);
            bytes.clear();
            let sha256 = if stamp.size <= MAX_READ {
                file.take(stamp.size).read_to_end(&mut bytes)?;
                Some(Sha256::digest(&bytes))
            } else {
                None
            };
            census.entries.push(Entry::new(place, stamp, sha256));
        }
        Ok(())
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Board {
    fn settle(&mut self, done: io::Result<Vec<Task>>, found: usize) {
        self.found += found;
        match done {
            Ok(_) if self.found > MAX_ITEMS => {
                let error = io::Error::other("a space holds more than 1,000,000 items");
                self.failed = Some(error);
            }
            Ok(tasks) => self.tasks.extend(tasks),
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
    }
}

/// The files of a folder in tasks of bearable size.
fn handfuls(
    files: Vec<(ScopedPath, String)>,
    folder: Arc<OpenFolder>,
) -> impl Iterator<Item = Task> {
    let mut files = files.into_iter().peekable();
    std::iter::from_fn(move || {
        files.peek()?;
        let files = files.by_ref().take(HANDFUL).collect();
        Some(Task::Files { folder: Arc::clone(&folder), files })
    })
}
