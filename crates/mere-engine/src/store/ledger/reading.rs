//! Files of many paths, read with as many hands as the machine has.

use std::io;
use std::thread;

use cap_std::fs::Dir;

use super::row::Slot;
use super::survey::{is_closed, open};
use mere_host::{OpenFolder, available_parallelism};

/// The most hands.
const MAX_HANDS: usize = 4;
/// How few files are not worth another hand.
const HANDFUL: usize = 64;

/// A memory whose file is looked at.
pub(super) struct Sought<'a> {
    pub(super) path: &'a str,
    /// What is known of it: if its file looks as it did, it is not read again.
    pub(super) known: Option<&'a Slot>,
}

/// What each of these is now; none where there is none.
pub(super) fn read(root: &Dir, sought: &[Sought<'_>]) -> io::Result<Vec<Option<Slot>>> {
    let share = sought.len().div_ceil(available_parallelism(MAX_HANDS)).max(HANDFUL);
    let mut shares = sought.chunks(share);
    let first = shares.next().unwrap_or_default();
    thread::scope(|scope| {
        let others = shares.map(|share| {
            let work = move || read_share(root, share);
            thread::Builder::new().spawn_scoped(scope, work)
        });
        let others = others.collect::<io::Result<Vec<_>>>()?;
        let mut found = read_share(root, first)?;
        for other in others {
            let broken = |_| io::Error::other("a reader of memories broke down");
            found.extend(other.join().map_err(broken)??);
        }
        Ok(found)
    })
}

fn read_share(root: &Dir, share: &[Sought<'_>]) -> io::Result<Vec<Option<Slot>>> {
    // Neighbours lie in one folder.
    let mut here: Option<(&str, Option<OpenFolder>)> = None;
    let mut found = Vec::with_capacity(share.len());
    for sought in share {
        let path = sought.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = match here.take() {
            Some((known, folder)) if known == path => folder,
            _ => match open(root, path) {
                Err(error) if is_closed(&error) => None,
                opened => opened?,
            },
        };
        found.push(match (&folder, sought.known) {
            (None, _) => None,
            (Some(folder), Some(known)) => known.look_again(folder)?,
            (Some(folder), None) => Slot::read(folder, sought.path)?,
        });
        here = Some((path, folder));
    }
    Ok(found)
}
