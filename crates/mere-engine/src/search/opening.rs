//! How an index is opened, and what becomes of one that cannot be used.

use super::SearchError;
use super::feed::Feed;
use super::ground::Ground;
use super::index::{Index, Remedy};
use super::library::Library;
use super::waiting::Round;
use mere_host::Database;

impl Library {
    pub(super) fn open(asked: &Database) -> Result<Self, SearchError> {
        match Index::open(asked) {
            Ok(index) => Ok(Self::of((asked.clone(), asked.clone()), index)),
            Err(SearchError::Database(error)) => match Remedy::of(&error) {
                Some(remedy) => Self::healed((asked, asked), remedy),
                None => Err(error.into()),
            },
            Err(SearchError::Machine(error)) => {
                tracing::debug!(%error, "the search index cannot be opened");
                Self::healed((asked, asked), Remedy::Elsewhere)
            }
            Err(error) => Err(error),
        }
    }

    fn of((asked, database): (Database, Database), index: Index) -> Self {
        let (sketches, round) = Default::default();
        let feed = Feed::new(Vec::new(), false);
        let epoch = index.epoch;
        Self { asked, database, index, feed, sketches, round, epoch, is_outdated: true }
    }

    /// An empty index in place of one that cannot be used.
    fn healed(
        (asked, database): (&Database, &Database),
        remedy: Remedy,
    ) -> Result<Self, SearchError> {
        let anew = || {
            database.remove()?;
            Index::open(database)
        };
        if remedy == Remedy::Anew
            && let Ok(index) = anew()
        {
            return Ok(Self::of((asked.clone(), database.clone()), index));
        }
        let database = database.fallback();
        let index = Index::open(&database)?;
        Ok(Self::of((asked.clone(), database), index))
    }

    /// The same in place of this one, for the same grounds.
    pub(super) fn remade(self, remedy: Remedy, watching: bool) -> Result<Self, SearchError> {
        let Self { asked, database, feed, index, .. } = self;
        drop(index);
        let mut library = Self::healed((&asked, &database), remedy)?;
        library.look_after(feed.grounds, watching);
        Ok(library)
    }

    pub(super) fn look_after(&mut self, grounds: Vec<Ground>, watching: bool) {
        self.feed = Feed::new(grounds, watching);
        self.round = Round::default();
    }

    /// Whether it will be there after this session.
    pub(crate) fn is_kept(&self) -> bool {
        self.asked == self.database
    }
}
