//! The index of a session, opened when it is first needed and as the disk is at each question.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use mere_core::gate::Gate;
use mere_core::item::ScopedPath;

use super::SearchError;
use super::embedder::Embedder;
use super::feed::{Against, Changes, Feed};
use super::ground::Ground;
use super::index::{GroundId, Index, Remedy, Sketches};
use super::reading::{Reader, read};
use super::waiting::Round;
use mere_host::{Database, DatabaseLock};

/// From so many files on, one process at a time reads them.
const MANY: usize = 256;
/// How long to wait before looking again whether another process is done.
const PAUSE: Duration = Duration::from_millis(10);
/// How long to wait before looking again whether another caller is done.
const MOMENT: Duration = Duration::from_micros(500);
/// How often the disk is looked at for one question, where others are quicker.
const ROUNDS: usize = 3;
/// How often an index is made again for one question.
const REMEDIES: usize = 3;
/// So few items are looked at in no time.
const FEW: u64 = 2_000;
/// How many items are merged while somebody waits.
const QUICK: usize = 1024;
/// How many are merged while nobody does.
const SLOW: usize = 1_000_000;

/// The index of a session.
#[derive(Default)]
pub(crate) struct Searches {
    open: Mutex<Option<Library>>,
    watching: AtomicBool,
    /// Whether what may be known has changed, so that all of it is looked at again.
    doubted: AtomicBool,
    /// How many wait for it.
    waiting: AtomicUsize,
}

/// An index, and what looks after it.
pub(crate) struct Library {
    /// Where it should be.
    pub(super) asked: Database,
    /// Where it is.
    pub(super) database: Database,
    pub(crate) index: Index,
    pub(crate) feed: Feed,
    pub(crate) sketches: Sketches,
    pub(super) round: Round,
    /// Since when the index is what was looked at.
    pub(super) epoch: i64,
    /// Whether the disk was not looked at for this question.
    pub(crate) is_outdated: bool,
}

/// What an index is made with.
pub(crate) struct Means<'a> {
    pub(crate) database: Database,
    pub(crate) gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    /// Whether anybody may know of an item.
    pub(crate) shows: &'a dyn Fn(&ScopedPath) -> bool,
    pub(crate) over: &'a dyn Fn() -> bool,
    /// Of how many, how many are read.
    pub(crate) progress: &'a dyn Fn(u64, u64),
}

/// What an index is to a caller that may not be as the disk is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outdated {
    /// Better than nothing.
    Useful,
    Useless,
}

/// The index, while one caller has it.
type Turn<'a> = MutexGuard<'a, Option<Library>>;

impl Searches {
    /// From now on the system is asked to tell of changes: the session will last.
    pub(crate) fn keep_watch(&self) {
        self.watching.store(true, Ordering::Relaxed);
    }

    /// Whether the session lasts: then what can wait does.
    pub(crate) fn lasts(&self) -> bool {
        self.watching.load(Ordering::Relaxed)
    }

    /// What may be known has changed: all of it is looked at again.
    pub(crate) fn doubt(&self) {
        self.doubted.store(true, Ordering::Relaxed);
    }

    /// Does what can wait: merges what is small, as long as nobody else wants the index. What fails
    /// is left for the next time.
    pub(crate) fn tend(&self) {
        let is_wanted = || self.waiting.load(Ordering::Relaxed) > 0;
        if let Some(mut open) = self.try_lock()
            && let Some(library) = open.as_mut()
            && let Err(error) = library.index.merge(SLOW, &is_wanted)
        {
            tracing::debug!(%error, "the search index could not be tended");
        }
    }

    /// Asks the index of these grounds, which is as the disk is now. One that is damaged is made
    /// again; one that cannot be kept is made for this session alone.
    pub(crate) fn with<T>(
        &self,
        means: &Means<'_>,
        grounds: Vec<Ground>,
        ask: impl FnMut(&mut Library) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut turn = self.turn(means.over)?;
        self.answer(&mut turn, means, grounds, ask)
    }

    /// The same where that is little work; nothing where another caller has the index. `items` says
    /// how many files were to be looked at: of very many, the index is asked as it is, or not.
    pub(crate) fn glance<T>(
        &self,
        means: &Means<'_>,
        grounds: Vec<Ground>,
        (items, outdated): (impl FnOnce() -> u64, Outdated),
        mut ask: impl FnMut(&mut Library) -> Result<T, SearchError>,
    ) -> Result<Option<T>, SearchError> {
        let Some(mut turn) = self.try_lock() else { return Ok(None) };
        let is_watched = self.lasts() && turn.is_some();
        if is_watched || items() <= FEW {
            return self.answer(&mut turn, means, grounds, ask).map(Some);
        }
        if outdated == Outdated::Useless || (turn.is_none() && !means.database.exists()) {
            return Ok(None);
        }
        let library = self.opened(&mut turn, means, grounds)?;
        library.index.refresh()?;
        library.feed.number(&mut library.index)?;
        library.is_outdated = true;
        library.held(means.embedder, &mut ask).map(Some)
    }

    fn answer<T>(
        &self,
        turn: &mut Turn<'_>,
        means: &Means<'_>,
        grounds: Vec<Ground>,
        mut ask: impl FnMut(&mut Library) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut answer = self.opened(turn, means, grounds)?.asked(means, &mut ask);
        for _ in 0..REMEDIES {
            let Err(SearchError::Database(error)) = &answer else { break };
            let Some(remedy) = Remedy::of(error) else { break };
            let Some(library) = turn.take() else { break };
            tracing::warn!(%error, ?remedy, "the search index is made again");
            answer = turn.insert(library.remade(remedy, self.lasts())?).asked(means, &mut ask);
        }
        answer
    }

    /// The index of these grounds, open.
    fn opened<'a>(
        &self,
        turn: &'a mut Turn<'_>,
        means: &Means<'_>,
        grounds: Vec<Ground>,
    ) -> Result<&'a mut Library, SearchError> {
        let mut library = match turn.take() {
            Some(library) if library.asked == means.database => library,
            _ => Library::open(&means.database)?,
        };
        if self.doubted.swap(false, Ordering::Relaxed) {
            library.feed.doubt();
        }
        if !library.feed.is_of(&grounds) {
            library.look_after(grounds, self.lasts());
        }
        Ok(turn.insert(library))
    }

    /// Asks it once more, as it was when it was asked last; none if it is not open.
    pub(crate) fn again<T>(
        &self,
        embedder: &Embedder,
        ask: impl FnOnce(&mut Library) -> Result<T, SearchError>,
    ) -> Result<Option<T>, SearchError> {
        let mut open = self.lock();
        let Some(library) = open.as_mut() else { return Ok(None) };
        library.index.refresh()?;
        library.held(embedder, ask).map(Some)
    }

    /// Forgets what the index knows; it is made again when it is asked. Other processes may be at it.
    pub(crate) fn forget(&self, database: &Database) -> Result<(), SearchError> {
        let mut known = self.lock();
        *known = None;
        let cleared = Index::open(database).and_then(|mut index| Ok(index.clear()?));
        match cleared {
            Err(SearchError::Database(error)) if Remedy::of(&error) == Some(Remedy::Anew) => {
                Ok(database.remove()?)
            }
            cleared => cleared,
        }
    }

    pub(super) fn lock(&self) -> Turn<'_> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let turn = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        turn
    }

    fn try_lock(&self) -> Option<Turn<'_>> {
        match self.open.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits for the index, as long as somebody waits for the answer.
    fn turn(&self, over: &dyn Fn() -> bool) -> Result<Turn<'_>, SearchError> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let turn = loop {
            if let Some(turn) = self.try_lock() {
                break Ok(turn);
            }
            if over() {
                break Err(SearchError::Over);
            }
            thread::sleep(MOMENT);
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        turn
    }
}

impl Library {
    /// Asks the index as the disk is now, and as it is at one moment.
    fn asked<T>(
        &mut self,
        means: &Means<'_>,
        ask: &mut impl FnMut(&mut Self) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        self.is_outdated = match self.update(means) {
            Err(SearchError::Database(error)) if is_busy(&error) => {
                tracing::warn!("another process changes the search index: it is asked as it is");
                true
            }
            updated => updated.map(|()| false)?,
        };
        self.held(means.embedder, ask)
    }

    /// Asks the index as it is at one moment.
    fn held<T>(
        &mut self,
        embedder: &Embedder,
        ask: impl FnOnce(&mut Self) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        self.index.hold()?;
        let answer = self.sketch(embedder).and_then(|()| ask(self));
        self.index.release()?;
        answer
    }

    fn sketch(&mut self, embedder: &Embedder) -> Result<(), SearchError> {
        if let Some(model) = embedder.model() {
            let model = self.index.sized(model)?;
            self.index.sketch(&model, &mut self.sketches)?;
        }
        Ok(())
    }

    /// Lets the index be as the disk is.
    fn update(&mut self, means: &Means<'_>) -> Result<(), SearchError> {
        for _ in 0..ROUNDS {
            self.refresh()?;
            self.feed.number(&mut self.index)?;
            let mut changes = self.changes(means)?;
            let _lock = if changes.read.len() >= MANY {
                let (lock, waited) = self.wait(means)?;
                if waited {
                    self.refresh()?;
                    self.feed.doubt();
                    changes = self.changes(means)?;
                }
                Some(lock)
            } else {
                None
            };
            let is_whole = self.apply(&changes, means)?;
            if !changes.read.is_empty() {
                while self.index.merge(QUICK, means.over)? {}
            }
            if is_whole && self.index.epoch == self.epoch {
                self.feed.settle();
                break;
            }
        }
        Ok(())
    }

    /// Sees what other processes have changed. Where one has forgotten everything, all is looked at
    /// again.
    fn refresh(&mut self) -> Result<(), SearchError> {
        self.index.refresh()?;
        if self.index.epoch != self.epoch {
            self.epoch = self.index.epoch;
            self.feed.doubt();
        }
        Ok(())
    }

    fn changes(&mut self, means: &Means<'_>) -> Result<Changes, SearchError> {
        let against = Against { index: &self.index, shows: means.shows };
        self.feed.changes(&against)
    }

    /// Waits until no other process reads many files into this index, and says whether it had to.
    fn wait(&self, means: &Means<'_>) -> Result<(DatabaseLock, bool), SearchError> {
        let mut waited = false;
        loop {
            if let Some(lock) = self.database.try_lock()? {
                return Ok((lock, waited));
            }
            if (means.over)() {
                return Err(SearchError::Over);
            }
            waited = true;
            thread::sleep(PAUSE);
        }
    }

    /// Says whether all of it: else another process was quicker, and the disk is to be looked at again.
    fn apply(&mut self, changes: &Changes, means: &Means<'_>) -> Result<bool, SearchError> {
        let Self { index, feed, .. } = self;
        index.remove(&changes.gone)?;
        let mut is_whole = true;
        if changes.read.is_empty() {
            return Ok(is_whole);
        }
        let model = means.embedder.quick();
        let reader = Reader {
            feed,
            gate: means.gate,
            embedder: means.embedder,
            over: means.over,
            progress: means.progress,
        };
        read(&reader, &changes.read, |batch| {
            is_whole &= index.add(batch, model.as_ref())?;
            Ok(())
        })?;
        Ok(is_whole)
    }
}

impl Library {
    /// Where an item lies; none in a ground that this session has not.
    pub(crate) fn place(&self, item: u32) -> Result<Option<ScopedPath>, SearchError> {
        let at = self.index.path_of(item)?;
        Ok(at.and_then(|(ground, path)| self.placed(ground, &path)))
    }

    /// The item at a path of a ground.
    pub(crate) fn placed(&self, ground: GroundId, path: &str) -> Option<ScopedPath> {
        let ground = self.feed.numbers.iter().position(|number| *number == ground)?;
        self.feed.grounds[ground].place(path).map(|(_, place)| place)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
}

impl From<io::Error> for SearchError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<rusqlite::Error>() {
            Ok(error) => Self::Database(error),
            Err(error) => Self::Machine(error),
        }
    }
}
