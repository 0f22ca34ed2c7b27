//! Files of many paths, read with as many hands as the machine has.

use std::io;
use std::thread;

use cap_std::fs::Dir;

use super::row::IndexedRow;
use super::survey::{is_permission_denied, open_folder};
use mere_host::{OpenFolder, available_parallelism};

/// The most hands.
const MAX_THREADS: usize = 4;
/// How few files are not worth another hand.
const MIN_FILES_PER_THREAD: usize = 64;

/// A memory whose file is looked at.
pub(super) struct RowRequest<'a> {
    pub(super) path: &'a str,
    /// What is known of it: if its file looks as it did, it is not read again.
    pub(super) known: Option<&'a IndexedRow>,
}

/// What each of these is now; none where there is none.
pub(super) fn read_rows(
    root: &Dir,
    sought: &[RowRequest<'_>],
) -> io::Result<Vec<Option<IndexedRow>>> {
    let share = sought.len().div_ceil(available_parallelism(MAX_THREADS)).max(MIN_FILES_PER_THREAD);
    let mut shares = sought.chunks(share);
    let first = shares.next().unwrap_or_default();
    thread::scope(|scope| {
        let others = shares.map(|share| {
            let work = move || read_chunk(root, share);
            thread::Builder::new().spawn_scoped(scope, work)
        });
        let others = others.collect::<io::Result<Vec<_>>>()?;
        let mut found = read_chunk(root, first)?;
        for other in others {
            let broken = |_| io::Error::other("a reader of memories broke down");
            found.extend(other.join().map_err(broken)??);
        }
        Ok(found)
    })
}

fn read_chunk(root: &Dir, share: &[RowRequest<'_>]) -> io::Result<Vec<Option<IndexedRow>>> {
    // Neighbours lie in one folder.
    let mut here: Option<(&str, Option<OpenFolder>)> = None;
    let mut found = Vec::with_capacity(share.len());
    for sought in share {
        let path = sought.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = match here.take() {
            Some((known, folder)) if known == path => folder,
            _ => match open_folder(root, path) {
                Err(error) if is_permission_denied(&error) => None,
                opened => opened?,
            },
        };
        found.push(match (&folder, sought.known) {
            (None, _) => None,
            (Some(folder), Some(known)) => known.refresh(folder)?,
            (Some(folder), None) => IndexedRow::read(folder, sought.path)?,
        });
        here = Some((path, folder));
    }
    Ok(found)
}
