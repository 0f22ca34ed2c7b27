//! The processes of a cell, seen from outside: how many there are and what they use.
//!
//! Every thread is examined, not only the first of a process: a thread may have open files of its
//! own, and the first may have ended while others go on.

use std::collections::HashSet;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// How much the kernel may buffer in a socket, and in a pipe, at most.
const SOCKET_BUFFER: u64 = 416 * 1024;
const PIPE_BUFFER: u64 = 64 * 1024;
/// The memory of a process, in the fields of `/proc/<pid>/status`.
const STATUS_FIELDS: [&str; 5] = ["RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:", "HugetlbPages:"];
/// The memory of a process with its share of shared pages, in the fields of `smaps_rollup`.
const ROLLUP_FIELDS: [&str; 3] = ["Pss_Anon:", "Pss_Shmem:", "SwapPss:"];
const PAGE_TABLE_FIELDS: [&str; 2] = ["VmPTE:", "HugetlbPages:"];

/// A process and all its descendants, each with its threads.
#[derive(Debug, Default)]
pub(super) struct ProcessTree(Vec<Vec<PathBuf>>);

/// What processes have open that is visible nowhere else.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// Bytes of files that have been unlinked.
    pub(super) unlinked_bytes: u64,
    /// Bytes that may be buffered in pipes and sockets.
    pub(super) buffer_bytes: u64,
    /// Whether there may be unlinked files that cannot be measured.
    pub(super) may_hide_files: bool,
}

/// Checks whether the kernel lists the children of a process.
pub(super) fn can_list_children() -> bool {
    let own = std::process::id();
    Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
}

impl ProcessTree {
    /// Reads the tree of a cell's first process, which also adopts the orphans.
    pub(super) fn read_from(init: u32) -> Self {
        let mut known = vec![init];
        let mut members = Vec::new();
        while let Some(process) = known.get(members.len()) {
            let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
            let threads = threads.flatten().map(|thread| thread.path()).collect::<Vec<_>>();
            for thread in &threads {
                let children = fs::read_to_string(thread.join("children")).unwrap_or_default();
                known.extend(
                    children.split_whitespace().filter_map(|word| word.parse::<u32>().ok()),
                );
            }
            members.push(threads);
        }
        Self(members)
    }

    /// Returns the number of processes and threads.
    pub(super) fn task_count(&self) -> u64 {
        self.0.iter().map(|threads| threads.len() as u64).sum()
    }

    /// Returns the bytes of memory that the processes use. If that seems to be more than `most`,
    /// shared memory is divided among them, so that it counts only once. If it is far more, the
    /// exact figure is not worth the time.
    pub(super) fn memory_bytes(&self, most: u64) -> u64 {
        let all = self.sum_processes(|thread| sum_fields(&thread.join("status"), &STATUS_FIELDS));
        if all <= most || all > most.saturating_mul(8) {
            return all;
        }
        self.sum_processes(|thread| {
            let shares = sum_fields(&thread.join("smaps_rollup"), &ROLLUP_FIELDS);
            let status = |names| sum_fields(&thread.join("status"), names);
            shares
                .zip(status(&PAGE_TABLE_FIELDS))
                .map(|(one, other)| one + other)
                .or_else(|| status(&STATUS_FIELDS))
        })
    }

    /// Sums a figure over all processes. It is the same for all threads of a process, so it is read
    /// from the first that has not ended.
    fn sum_processes(&self, measure: impl Fn(&Path) -> Option<u64>) -> u64 {
        let of_process = |threads: &Vec<PathBuf>| threads.iter().find_map(|thread| measure(thread));
        self.0.iter().filter_map(of_process).sum()
    }

    /// Returns what the tool's processes have open. The first process is not the tool's: it holds
    /// nothing of it, and lets nobody look, so that it would seem to hide files in every run.
    pub(super) fn open_files(&self) -> OpenFiles {
        let mut held = OpenFiles::default();
        let mut seen = HashSet::new();
        let of_tool = self.0.get(1..).unwrap_or_default();
        for thread in of_tool.iter().flatten() {
            held.add_thread_files(thread, &mut seen);
        }
        let hides = |threads: &Vec<PathBuf>| {
            threads.iter().find_map(|thread| maps_unlinked_file(thread, &seen)) == Some(true)
        };
        held.may_hide_files |= of_tool.iter().any(hides);
        held
    }
}

impl OpenFiles {
    fn add_thread_files(&mut self, thread: &Path, seen: &mut HashSet<(u64, u64)>) {
        let open = match fs::read_dir(thread.join("fd")) {
            Ok(open) => open,
            Err(error) => {
                self.may_hide_files |= error.kind() == io::ErrorKind::PermissionDenied;
                return;
            }
        };
        for file in open.flatten().filter_map(|file| fs::metadata(file.path()).ok()) {
            if !seen.insert((file.dev(), file.ino())) {
                continue;
            }
            let kind = file.file_type();
            if kind.is_file() && file.nlink() == 0 {
                self.unlinked_bytes += file.blocks() * 512;
            } else if kind.is_socket() {
                self.buffer_bytes += SOCKET_BUFFER;
            } else if kind.is_fifo() {
                self.buffer_bytes += PIPE_BUFFER;
            }
        }
    }
}

/// Sums the named fields of a file in bytes. Returns `None` if it has none of them.
fn sum_fields(file: &Path, names: &[&str]) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let figure = |name: &&str| {
        let line = text.lines().find_map(|line| line.strip_prefix(*name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let figures = names.iter().filter_map(figure).collect::<Vec<_>>();
    (!figures.is_empty()).then(|| 1024 * figures.iter().sum::<u64>())
}

/// Checks whether a thread maps an unlinked file that nobody has open. Returns `None` if the thread
/// has ended.
fn maps_unlinked_file(thread: &Path, seen: &HashSet<(u64, u64)>) -> Option<bool> {
    let maps = match fs::read(thread.join("maps")) {
        Err(error) => return (error.kind() == io::ErrorKind::PermissionDenied).then_some(true),
        Ok(maps) if maps.is_empty() => return None,
        Ok(maps) => maps,
    };
    let nameless = maps.split(|byte| *byte == b'\n').filter(|line| line.ends_with(b" (deleted)"));
    Some(nameless.into_iter().any(|line| {
        let file = line.split(|byte| *byte == b' ').nth(4);
        let file = file.and_then(|word| std::str::from_utf8(word).ok()?.parse::<u64>().ok());
        file.is_some_and(|file| !seen.iter().any(|(_, known)| *known == file))
    }))
}
