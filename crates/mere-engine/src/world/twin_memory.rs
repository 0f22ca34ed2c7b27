//! What is remembered of names that look alike, so that a large folder is not read for every call.
//!
//! A folder is read again as soon as its stamp differs, and as long as its stamp is so young that
//! another change could leave the same one.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;

use super::twins::Twins;
use mere_host::{FileStamp, FolderIdentity, now_nanoseconds};

/// How many folders are remembered.
const MAX_REMEMBERED: usize = 4096;

/// The twins in the folders that all calls of a session walked through.
#[derive(Debug, Default)]
pub(crate) struct SettledTwins(Mutex<HashMap<FolderIdentity, (FileStamp, Arc<Twins>)>>);

/// The twins in the folders that one call walked through. During a call a folder is read once, so
/// that a folder full of links is not read again for each of them.
#[derive(Default)]
pub(super) struct TwinMemory {
    walked: Mutex<HashMap<FolderIdentity, Arc<Twins>>>,
    settled: Arc<SettledTwins>,
}

impl TwinMemory {
    /// Creates the memory of one call.
    pub(super) fn new(settled: Arc<SettledTwins>) -> Self {
        Self { walked: Mutex::default(), settled }
    }

    /// Returns the twins in a folder.
    pub(super) fn twins_in(&self, folder: &Dir) -> io::Result<Arc<Twins>> {
        let metadata = folder.dir_metadata()?;
        let identity = FolderIdentity::from_metadata(&metadata);
        if let Some(known) = lock(&self.walked).get(&identity) {
            return Ok(Arc::clone(known));
        }
        let stamp = FileStamp::from_metadata(&metadata);
        let twins = match self.settled.get(identity, stamp) {
            Some(known) => known,
            None => self.settled.read(folder, (identity, stamp))?,
        };
        insert(&mut lock(&self.walked), identity, Arc::clone(&twins));
        Ok(twins)
    }
}

impl SettledTwins {
    fn get(&self, folder: FolderIdentity, stamp: FileStamp) -> Option<Arc<Twins>> {
        let memory = lock(&self.0);
        memory.get(&folder).filter(|(known, _)| *known == stamp).map(|(_, twins)| Arc::clone(twins))
    }

    /// Reads a folder, whose stamp was taken before.
    fn read(
        &self,
        folder: &Dir,
        (identity, stamp): (FolderIdentity, FileStamp),
    ) -> io::Result<Arc<Twins>> {
        let is_racy = stamp.is_racy(now_nanoseconds());
        let twins = Arc::new(Twins::find(folder)?);
        if !is_racy {
            insert(&mut lock(&self.0), identity, (stamp, Arc::clone(&twins)));
        }
        Ok(twins)
    }
}

fn insert<T>(memory: &mut HashMap<FolderIdentity, T>, folder: FolderIdentity, value: T) {
    if memory.len() >= MAX_REMEMBERED {
        memory.clear();
    }
    memory.insert(folder, value);
}

/// A worker that panicked left whole values behind, because each is inserted at once.
fn lock<T>(memory: &Mutex<T>) -> MutexGuard<'_, T> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}
