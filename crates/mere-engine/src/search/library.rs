//! The index of a session, opened when it is first needed and as the disk is at each question.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use mere_core::gate::Gate;
use mere_core::item::ScopedPath;

use super::SearchError;
use super::embedder::Embedder;
use super::feed::{Against, Changes, Feed};
use super::ground::Ground;
use super::index::{Index, Sketches, is_damage};
use super::reading::{Reader, read};
use super::waiting::Round;
use crate::host::{Database, Held};

/// From so many files on, one process at a time reads them.
const MANY: usize = 256;
/// How long to wait before looking again whether another process is done.
const PAUSE: Duration = Duration::from_millis(10);
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
}

/// An index, and what looks after it.
pub(crate) struct Library {
    pub(super) database: Database,
    pub(crate) index: Index,
    pub(crate) feed: Feed,
    pub(crate) sketches: Sketches,
    pub(super) round: Round,
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

impl Searches {
    /// From now on the system is asked to tell of changes: the session will last.
    pub(crate) fn keep_watch(&self) {
        self.watching.store(true, Ordering::Relaxed);
    }

    /// Whether it takes long to bring the index up to date: it is not looked after yet, and there
    /// are many items.
    pub(crate) fn is_costly(&self, items: impl FnOnce() -> u64) -> bool {
        let is_watched = self.watching.load(Ordering::Relaxed) && self.lock().is_some();
        !is_watched && items() > FEW
    }

    /// What may be known has changed: all of it is looked at again.
    pub(crate) fn doubt(&self) {
        if let Some(library) = self.lock().as_mut() {
            library.feed.doubt();
        }
    }

    /// Does what can wait: merges what is small. What fails is left for the next time.
    pub(crate) fn tend(&self) {
        if let Some(library) = self.lock().as_mut()
            && let Err(error) = library.index.merge(SLOW)
        {
            tracing::debug!(%error, "the search index could not be tended");
        }
    }

    /// Asks the index of these grounds, which is as the disk is now. One that is damaged is made
    /// again.
    pub(crate) fn with<T>(
        &self,
        means: &Means<'_>,
        grounds: Vec<Ground>,
        mut ask: impl FnMut(&mut Library) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut open = self.lock();
        let watching = self.watching.load(Ordering::Relaxed);
        let mut library = match open.take() {
            Some(library) if library.database == means.database => library,
            _ => Library::open(means)?,
        };
        if !library.feed.is_of(&grounds) {
            library.look_after(grounds, watching)?;
        }
        let mut answer = library.asked(means, &mut ask);
        if let Err(SearchError::Database(error)) = &answer
            && is_damage(error)
        {
            tracing::warn!(%error, "the search index is damaged, and is made again");
            let Library { feed, database, .. } = library;
            database.remove()?;
            library = Library::open(means)?;
            library.look_after(feed.grounds, watching)?;
            answer = library.asked(means, &mut ask);
        }
        *open = Some(library);
        answer
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

    /// Whether the session lasts: then what can wait does.
    pub(crate) fn lasts(&self) -> bool {
        self.watching.load(Ordering::Relaxed)
    }

    /// Forgets what the index knows; it is made again when it is asked. Other processes may be at it.
    pub(crate) fn forget(&self, database: &Database) -> Result<(), SearchError> {
        let mut known = self.lock();
        *known = None;
        match open(database) {
            Ok(mut index) => Ok(index.clear()?),
            Err(SearchError::Database(error)) if is_damage(&error) => Ok(database.remove()?),
            Err(error) => Err(error),
        }
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Option<Library>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Library {
    fn open(means: &Means<'_>) -> Result<Self, SearchError> {
        let database = means.database.clone();
        let index = match open(&database) {
            Err(SearchError::Database(error)) if is_damage(&error) => {
                database.remove()?;
                open(&database)?
            }
            index => index?,
        };
        let feed = Feed::new(Vec::new(), Vec::new(), false);
        Ok(Self { database, index, feed, sketches: Sketches::default(), round: Round::default() })
    }

    fn look_after(&mut self, grounds: Vec<Ground>, watching: bool) -> Result<(), SearchError> {
        let numbers = grounds.iter().map(|ground| self.index.ground(&ground.name));
        let numbers = numbers.collect::<rusqlite::Result<_>>()?;
        self.feed = Feed::new(grounds, numbers, watching);
        self.round = Round::default();
        Ok(())
    }

    /// Asks the index as the disk is now, and as it is at one moment.
    fn asked<T>(
        &mut self,
        means: &Means<'_>,
        ask: &mut impl FnMut(&mut Self) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        self.update(means)?;
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
        self.index.refresh()?;
        let mut changes = self.changes(means)?;
        let _lock = if changes.read.len() >= MANY {
            let (lock, waited) = self.wait(means)?;
            if waited {
                self.index.refresh()?;
                self.feed.doubt();
                changes = self.changes(means)?;
            }
            Some(lock)
        } else {
            None
        };
        self.apply(&changes, means)?;
        self.feed.settle();
        if !changes.read.is_empty() {
            while self.index.merge(QUICK)? {}
        }
        Ok(())
    }

    fn changes(&mut self, means: &Means<'_>) -> Result<Changes, SearchError> {
        let against = Against { index: &self.index, shows: means.shows };
        self.feed.changes(&against)
    }

    /// Waits until no other process reads many files into this index, and says whether it had to.
    fn wait(&self, means: &Means<'_>) -> Result<(Held, bool), SearchError> {
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

    fn apply(&mut self, changes: &Changes, means: &Means<'_>) -> Result<(), SearchError> {
        let Self { index, feed, .. } = self;
        index.remove(&changes.gone)?;
        if changes.read.is_empty() {
            return Ok(());
        }
        let model = means.embedder.quick();
        let reader = Reader {
            feed,
            gate: means.gate,
            embedder: means.embedder,
            over: means.over,
            progress: means.progress,
        };
        read(&reader, &changes.read, |batch| Ok(index.add(batch, model.as_ref())?))
    }
}

impl Library {
    /// Where an item lies; none in a ground that this session has not.
    pub(crate) fn place(&self, item: u32) -> Result<Option<ScopedPath>, SearchError> {
        let at = self.index.path_of(item)?;
        Ok(at.and_then(|(ground, path)| self.placed(ground, &path)))
    }

    /// The item at a path of a ground.
    pub(crate) fn placed(&self, ground: u8, path: &str) -> Option<ScopedPath> {
        let ground = self.feed.numbers.iter().position(|number| *number == ground)?;
        self.feed.grounds[ground].place(path).map(|(_, place)| place)
    }
}

fn open(database: &Database) -> Result<Index, SearchError> {
    Ok(Index::open(database.open()?)?)
}

impl From<io::Error> for SearchError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<rusqlite::Error>() {
            Ok(error) => Self::Database(error),
            Err(error) => Self::Machine(error),
        }
    }
}
