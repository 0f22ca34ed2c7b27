//! Reads the files of many memories on several threads.
//!
//! Neighbouring memories are read by the same thread, because they usually share a folder.

use std::io;

use cap_std::fs::Dir;

use super::category_tree::is_permission_denied;
use super::row::IndexedRow;
use mere_host::{OpenFolder, available_parallelism, fault_point, map_in_parallel};

/// The most threads.
const MAX_THREADS: usize = 4;
/// The number of files below which another thread is not worthwhile.
const MIN_FILES_PER_THREAD: usize = 64;

/// A memory whose file is to be checked or read.
pub(super) struct RowRequest<'a> {
    pub(super) path: &'a str,
    /// The known row, if there is one. It is kept without reading the file if the file's stamp is
    /// unchanged.
    pub(super) known: Option<&'a IndexedRow>,
}

/// Returns the current row for each request, or `None` where there is no file.
pub(super) fn read_rows(
    root: &Dir,
    requests: &[RowRequest<'_>],
) -> io::Result<Vec<Option<IndexedRow>>> {
    let share =
        requests.len().div_ceil(available_parallelism(MAX_THREADS)).max(MIN_FILES_PER_THREAD);
    let shares = requests.chunks(share).collect::<Vec<_>>();
    let mut found = Vec::with_capacity(requests.len());
    for rows in map_in_parallel(&shares, MAX_THREADS, |share| read_chunk(root, share)) {
        found.extend(rows?);
    }
    Ok(found)
}

fn read_chunk(root: &Dir, share: &[RowRequest<'_>]) -> io::Result<Vec<Option<IndexedRow>>> {
    // Neighbouring paths usually share a folder, so the last one is kept open.
    let mut here: Option<(&str, Option<OpenFolder>)> = None;
    let mut found = Vec::with_capacity(share.len());
    for request in share {
        fault_point("memories", request.path);
        let path = request.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = match here.take() {
            Some((known, folder)) if known == path => folder,
            _ => match OpenFolder::find(root, path) {
                Err(error) if is_permission_denied(&error) => None,
                opened => opened?,
            },
        };
        found.push(match (&folder, request.known) {
            (None, _) => None,
            (Some(folder), Some(known)) => known.refresh(folder)?,
            (Some(folder), None) => IndexedRow::read(folder, request.path)?,
        });
        here = Some((path, folder));
    }
    Ok(found)
}
