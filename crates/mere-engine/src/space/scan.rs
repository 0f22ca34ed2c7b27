//! The one scanner: it reads folders and finds the items in them.
//!
//! It reads the given folders and every folder below that is not yet known, on several threads. The
//! files of a large folder are divided between the threads.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use mere_core::address::{Address, RelPath, Root};
use mere_core::digest::Sha256;
use mere_core::item::{self, Scope, ScopedPath};
use serde::{Deserialize, Serialize};

use super::bare_script::BareScript;
use super::entry::{self, CatalogEntry};
use super::orphan::Orphan;
use super::scan_options::{ScanDepth, ScanOptions};
use super::scanned_folder::{ScannedFolder, read_folder};
use super::{ItemTree, Space};
use mere_host::{
    FileStamp, OpenFolder, SPACE_FOLDER, SharedWork, available_parallelism, fault_point,
    now_nanoseconds, share_work,
};

/// The most items that a space may have, because each takes memory while they are sorted.
const MAX_ITEMS: usize = 1_000_000;
/// The most threads.
const MAX_THREADS: usize = 4;
/// The largest file that is read.
const MAX_FILE_BYTES: u64 = item::MAX_ITEM_BYTES as u64;
/// How many files one task reads.
const FILES_PER_TASK: usize = 256;

/// Everything that a scan found.
#[derive(Default)]
pub(crate) struct ScanResult {
    /// The items: in the order of the index, unless unreadable folders are skipped.
    pub(crate) entries: Vec<CatalogEntry>,
    /// Every folder that was read, by its label.
    pub(crate) folders: Vec<(String, FolderState)>,
    /// The labels of folders that are items. Nothing below them is a level of categories.
    pub(crate) item_folders: Vec<String>,
    /// Files and folders that seem to be meant as items but are not.
    pub(crate) strays: Vec<Stray>,
    /// Sidecars without an item.
    pub(super) orphans: Vec<Orphan>,
    /// Scripts that belong to no tool.
    pub(crate) bare_scripts: Vec<BareScript>,
    /// How many files and folders were skipped because they may not be read.
    pub(crate) unreadable: u64,
    /// Whether a file whose stamp was taken has other names, under which it may be changed.
    pub(crate) has_shared_file: bool,
}

/// The state of a folder when it was read. Its variants are written to the index record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FolderState {
    /// The folder did not exist.
    Gone,
    /// The folder had just changed, so another change could leave it with the same stamp.
    Unsettled,
    /// The folder had this stamp. As long as it still does, its contents are the same.
    Settled(FileStamp),
}

impl FolderState {
    /// Returns true if a folder whose stamp is `now` is certain to be unchanged.
    pub(super) fn is_unchanged(self, now: Option<FileStamp>) -> bool {
        match self {
            Self::Gone => now.is_none(),
            Self::Unsettled => false,
            Self::Settled(stamp) => now == Some(stamp),
        }
    }
}

/// A file or folder that seems to be meant as an item but is not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stray {
    /// The path from the space.
    pub(crate) path: String,
    pub(crate) reason: &'static str,
}

impl Stray {
    /// Returns its address in a space of this scope, or `None` if its name cannot be part of one.
    pub(crate) fn address(&self, scope: Scope) -> Option<Address> {
        label_address(scope, &self.path)
    }
}

/// Returns the address of a path that is relative to a space.
pub(super) fn label_address(scope: Scope, label: &str) -> Option<Address> {
    let (root, path) = match (scope, label.strip_prefix("../")) {
        (Scope::Project, Some(in_place)) => (Root::Project, in_place.to_owned()),
        (Scope::Project, None) => (Root::Project, super::join_path(SPACE_FOLDER, label)),
        _ => (Root::User, label.to_owned()),
    };
    Some(Address::file(root, path.parse::<RelPath>().ok()?))
}

/// Scans a whole space.
pub(crate) fn scan(space: &Space, content: ScanDepth) -> io::Result<ScanResult> {
    let trees = space.indexed_trees();
    let starts = (0..trees.len()).map(|tree| (tree, String::new())).collect();
    scan_from(space.scope, &trees, starts, &ScanOptions { depth: content, is_known: &|_| false })
}

/// Scans the given folders, each a tree and a path from its top, and everything below them.
pub(crate) fn scan_from(
    scope: Scope,
    trees: &[ItemTree],
    folders: Vec<(usize, String)>,
    known: &ScanOptions<'_>,
) -> io::Result<ScanResult> {
    let tasks = folders.into_iter().map(|(tree, below)| ScanTask::Folder { tree, below });
    let queue =
        TaskQueue { tasks: tasks.collect(), busy: 0, found: 0, failed: None, is_stopped: false };
    let workers = ScanWorkers {
        scope,
        trees,
        options: known,
        started: now_nanoseconds(),
        queue: Mutex::new(queue),
        wake: Condvar::new(),
    };
    let (mut scan_result, others) = share_work(&workers, |threads| {
        threads.start(available_parallelism(MAX_THREADS) - 1);
        workers.work()
    });
    for other in others {
        scan_result.add(other);
    }
    let queue = workers.queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = queue.failed {
        return Err(error);
    }
    if !known.depth.skips_unreadable() {
        entry::sort_entries(&mut scan_result.entries);
    }
    scan_result.strays.sort();
    scan_result.bare_scripts.sort_by(|left, right| left.address.path().cmp(right.address.path()));
    Ok(scan_result)
}

impl ScanResult {
    fn add(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.folders.extend(other.folders);
        self.item_folders.extend(other.item_folders);
        self.strays.extend(other.strays);
        self.orphans.extend(other.orphans);
        self.bare_scripts.extend(other.bare_scripts);
        self.unreadable += other.unreadable;
        self.has_shared_file |= other.has_shared_file;
    }
}

enum ScanTask {
    Folder { tree: usize, below: String },
    Files { folder: Arc<OpenFolder>, files: Vec<(ScopedPath, String)> },
}

struct TaskQueue {
    tasks: VecDeque<ScanTask>,
    busy: usize,
    found: usize,
    failed: Option<io::Error>,
    /// Whether a thread has panicked, so that its task will never be finished.
    is_stopped: bool,
}

struct ScanWorkers<'a> {
    scope: Scope,
    trees: &'a [ItemTree],
    options: &'a ScanOptions<'a>,
    started: i64,
    queue: Mutex<TaskQueue>,
    wake: Condvar,
}

impl SharedWork for ScanWorkers<'_> {
    type Output = ScanResult;

    /// Performs tasks until none are left, and returns what this thread found.
    fn work(&self) -> ScanResult {
        let mut scan_result = ScanResult::default();
        let mut queue = self.lock_queue();
        loop {
            match queue.tasks.pop_front() {
                _ if queue.is_stopped => return scan_result,
                Some(task) if queue.failed.is_none() => {
                    queue.busy += 1;
                    drop(queue);
                    let before = scan_result.entries.len();
                    let done = self.perform(task, &mut scan_result);
                    queue = self.lock_queue();
                    queue.busy -= 1;
                    queue.finish_task(done, scan_result.entries.len() - before);
                    self.wake.notify_all();
                }
                Some(_) => queue.tasks.clear(),
                None if queue.busy == 0 => return scan_result,
                None => queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    fn stop(&self) {
        self.lock_queue().is_stopped = true;
        self.wake.notify_all();
    }
}

impl ScanWorkers<'_> {
    fn perform(&self, task: ScanTask, scan_result: &mut ScanResult) -> io::Result<Vec<ScanTask>> {
        match task {
            ScanTask::Folder { tree, below } => self.scan_folder(tree, &below, scan_result),
            ScanTask::Files { folder, files } => {
                self.scan_files(&folder, files, scan_result)?;
                Ok(Vec::new())
            }
        }
    }

    fn scan_folder(
        &self,
        number: usize,
        below: &str,
        scan_result: &mut ScanResult,
    ) -> io::Result<Vec<ScanTask>> {
        let tree = &self.trees[number];
        let label = tree.index_label(below);
        let state = |stamp: FileStamp| {
            if stamp.is_racy(self.started) {
                FolderState::Unsettled
            } else {
                FolderState::Settled(stamp)
            }
        };
        match self.read_or_skip(tree, below, scan_result)? {
            ScannedFolder::Missing => {
                scan_result.folders.push((label, FolderState::Gone));
                Ok(Vec::new())
            }
            ScannedFolder::Item(stamp, place, folder) => {
                scan_result.item_folders.push(label.clone());
                scan_result.folders.push((label, state(stamp)));
                let name = place.main_file_path().and_then(|path| path.split_last());
                let Some((_, name)) = name else { return Ok(Vec::new()) };
                let files = vec![(place, name.to_string())];
                Ok(vec![ScanTask::Files { folder: Arc::new(folder), files }])
            }
            ScannedFolder::Level(stamp, level, folder) => {
                let strays = level.strays.into_iter();
                let strays = strays.map(|(name, reason)| Stray {
                    path: tree.index_label(&super::join_path(below, &name)),
                    reason,
                });
                scan_result.strays.extend(strays);
                let orphans = level.orphans.into_iter();
                scan_result.orphans.extend(orphans.map(|name| Orphan::new(label.clone(), name)));
                let scripts = level.bare_scripts.iter().filter_map(|name| {
                    let path = tree.index_label(&super::join_path(below, name));
                    BareScript::new(self.scope, &path)
                });
                scan_result.bare_scripts.extend(scripts);
                let deeper = level.folders.iter().chain(&level.other_folders);
                let deeper = deeper.map(|name| super::join_path(below, name));
                let deeper =
                    deeper.filter(|below| !(self.options.is_known)(&tree.index_label(below)));
                let deeper = deeper.map(|below| ScanTask::Folder { tree: number, below });
                let mut tasks = deeper.collect::<Vec<_>>();
                tasks.extend(file_tasks(level.items, Arc::new(folder)));
                scan_result.folders.push((label, state(stamp)));
                Ok(tasks)
            }
        }
    }

    /// Reads a folder. One that may not be read is counted, where the scan may skip it.
    fn read_or_skip(
        &self,
        tree: &ItemTree,
        below: &str,
        scan_result: &mut ScanResult,
    ) -> io::Result<ScannedFolder> {
        match read_folder(tree, self.scope, below) {
            Err(error)
                if self.options.depth.skips_unreadable()
                    && error.kind() == io::ErrorKind::PermissionDenied =>
            {
                scan_result.unreadable += 1;
                Ok(ScannedFolder::Missing)
            }
            scanned => scanned,
        }
    }

    fn scan_files(
        &self,
        folder: &OpenFolder,
        files: Vec<(ScopedPath, String)>,
        scan_result: &mut ScanResult,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (place, name) in files {
            fault_point("scan", place.id.as_str());
            if self.options.depth == ScanDepth::Folders {
                continue;
            }
            if self.options.depth == ScanDepth::Names {
                let stamp = FileStamp::from((0, 0, 0, 0));
                scan_result.entries.push(CatalogEntry::new(place, stamp, None));
                continue;
            }
            if self.options.depth == ScanDepth::Stamps {
                match folder.file_stamp_and_sharing(&name) {
                    Ok(found) => scan_result.entries.extend(found.map(|(stamp, is_shared)| {
                        scan_result.has_shared_file |= is_shared;
                        CatalogEntry::new(place, stamp, None)
                    })),
                    Err(_) => scan_result.unreadable += 1,
                }
                continue;
            }
            // If a file has been removed or may not be read, whoever wants it will find that out
            // again.
            let file = match folder.open_file(&name) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    scan_result.entries.push(CatalogEntry::new(
                        place,
                        FileStamp::from((0, 0, 0, 0)),
                        None,
                    ));
                    continue;
                }
                Err(error) => return Err(error),
            };
            let stamp = FileStamp::from_metadata(&file.metadata()?);
            bytes.clear();
            let sha256 = if stamp.size <= MAX_FILE_BYTES {
                file.take(stamp.size).read_to_end(&mut bytes)?;
                Some(Sha256::digest(&bytes))
            } else {
                None
            };
            scan_result.entries.push(CatalogEntry::new(place, stamp, sha256));
        }
        Ok(())
    }

    fn lock_queue(&self) -> MutexGuard<'_, TaskQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TaskQueue {
    fn finish_task(&mut self, done: io::Result<Vec<ScanTask>>, found: usize) {
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

/// Divides the files of a folder into tasks of limited size.
fn file_tasks(
    files: Vec<(ScopedPath, String)>,
    folder: Arc<OpenFolder>,
) -> impl Iterator<Item = ScanTask> {
    let mut files = files.into_iter().peekable();
    std::iter::from_fn(move || {
        files.peek()?;
        let files = files.by_ref().take(FILES_PER_TASK).collect();
        Some(ScanTask::Files { folder: Arc::clone(&folder), files })
    })
}
