//! Items that have no vector of the model yet, and how they get one.
//!
//! Some are read at a time, as they lie there now, and turned into vectors while nobody has to wait:
//! the index is not locked meanwhile. What goes or changes in between is a new item with a number of
//! its own, so that no vector ends up with another text.

use std::time::{Duration, Instant};

use mere_core::embed::{ModelIdentity, Vector};
use mere_core::gate::Gate;
use mere_core::item::ScopedPath;

use super::SearchError;
use super::embedder::{Embedder, Hands, Made};
use super::index::Kept;
use super::library::{Library, Searches};
use super::reading::{print, reread};
use super::trouble::Trouble;
use mere_host::Database;

/// How long what could not be embedded is left alone.
const REST: Duration = Duration::from_secs(30);

/// What vectors are made with.
pub(crate) struct Embedding<'a> {
    pub(crate) embedder: &'a Embedder,
    pub(crate) gate: &'a Gate,
    /// Whether anybody may know of an item.
    pub(crate) shows: &'a dyn Fn(&ScopedPath) -> bool,
    pub(crate) hands: Hands,
}

/// How far a pass through all items is.
#[derive(Default)]
pub(crate) struct Round {
    model: Option<ModelIdentity>,
    /// The last item that was looked at.
    reached: u32,
    /// Until when, and until which items come, nothing is to be done.
    rest: Option<(Instant, i64)>,
    /// How many wait, of which state of the index.
    counted: Option<(i64, u64)>,
}

/// Items with their texts.
struct Batch {
    database: Database,
    texts: Vec<(u32, String)>,
}

impl Searches {
    /// Gives items their vectors until none waits or it is `enough`, which is told how many were
    /// done.
    pub(crate) fn embed(
        &self,
        embedding: &Embedding<'_>,
        enough: &dyn Fn(u64) -> bool,
    ) -> Result<(), Trouble> {
        // As long as nobody searches, no model is read.
        if self.lock().is_none() {
            return Ok(());
        }
        embedding.embedder.ready()?;
        let mut done = 0;
        while let Some(batch) = self.batch(embedding) {
            let texts = batch.texts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>();
            let made = embedding.embedder.items(&texts, embedding.hands);
            let made = made.inspect_err(|_| self.start_over())?;
            done += made.len() as u64;
            self.keep(embedding.embedder, &batch, made);
            if enough(done) {
                break;
            }
        }
        Ok(())
    }

    fn batch(&self, embedding: &Embedding<'_>) -> Option<Batch> {
        let mut open = self.lock();
        let library = open.as_mut()?;
        let texts = library.waiting(embedding).unwrap_or_else(|error| {
            tracing::debug!(%error, "items that wait for vectors could not be read");
            Vec::new()
        });
        (!texts.is_empty()).then(|| Batch { database: library.database.clone(), texts })
    }

    fn keep(&self, embedder: &Embedder, batch: &Batch, made: Vec<Made>) {
        let vectors = batch.texts.iter().zip(made).filter_map(|((item, text), made)| {
            let vector = match made {
                Made::Vector(vector) => Some(vector),
                Made::Nothing => None,
                Made::Refused => return None,
            };
            Some(Kept { item: *item, text: print(text), vector })
        });
        let vectors = vectors.collect::<Vec<_>>();
        let mut open = self.lock();
        let library = open.as_mut().filter(|library| library.database == batch.database);
        let (Some(library), Some(model)) = (library, embedder.model()) else { return };
        let kept = library.index.sized(model).and_then(|model| {
            let is_sized = |vector: &Vector| vector.dimensions() == model.dimensions;
            let fits = |one: &Kept| one.vector.as_ref().is_none_or(is_sized);
            let vectors = vectors.into_iter().filter(fits).collect::<Vec<_>>();
            library.index.keep_vectors(&model, &vectors)
        });
        if let Err(error) = kept {
            tracing::debug!(%error, "vectors could not be kept");
        }
    }

    fn start_over(&self) {
        if let Some(library) = self.lock().as_mut() {
            library.round = Round::default();
        }
    }
}

impl Library {
    /// How many items have no vector of the model yet.
    pub(crate) fn count_waiting(&mut self, embedder: &Embedder) -> Result<u64, SearchError> {
        let Some(model) = embedder.model() else { return Ok(0) };
        let model = self.index.sized(model)?;
        self.round.begin(&model);
        let moment = self.index.generation();
        if let Some((known, count)) = self.round.counted
            && known == moment
        {
            return Ok(count);
        }
        let count = self.index.count_without_vector(&model, &self.feed.numbers)?;
        self.round.counted = Some((moment, count));
        Ok(count)
    }

    /// The next items that wait, with their texts; none if all were looked at.
    fn waiting(&mut self, embedding: &Embedding<'_>) -> Result<Vec<(u32, String)>, SearchError> {
        let Some(model) = embedding.embedder.model() else { return Ok(Vec::new()) };
        let model = self.index.sized(model)?;
        self.round.begin(&model);
        let next = self.index.next()?;
        if self.round.rest.is_some_and(|(end, known)| known == next && Instant::now() < end) {
            return Ok(Vec::new());
        }
        self.round.rest = None;
        let most = embedding.embedder.size(embedding.hands);
        loop {
            let asked = (&model, &*self.feed.numbers);
            let items = self.index.without_vector(asked, self.round.reached, most)?;
            let is_last = items.len() < most.max(1);
            self.round.reached = items.last().copied().unwrap_or_default();
            if is_last {
                self.round.reached = 0;
                self.round.rest = Some((Instant::now() + REST, next));
            }
            let mut texts = Vec::new();
            for item in items {
                texts.extend(self.text(item, embedding)?.map(|text| (item, text)));
            }
            if !texts.is_empty() || is_last {
                return Ok(texts);
            }
        }
    }

    /// What an item says; none if it is not there, or nobody may know of it.
    fn text(&self, item: u32, embedding: &Embedding<'_>) -> Result<Option<String>, SearchError> {
        let Some((number, path)) = self.index.path_of(item)? else { return Ok(None) };
        let ground = self.feed.numbers.iter().position(|known| *known == number);
        let Some(ground) = ground.map(|ground| &self.feed.grounds[ground]) else { return Ok(None) };
        let found = ground.place(&path).filter(|(_, place)| (embedding.shows)(place));
        let Some((plot, place)) = found else { return Ok(None) };
        Ok(reread((&ground.plots[plot], &place), embedding.gate)?)
    }
}

impl Round {
    /// Another model begins from the start.
    fn begin(&mut self, model: &ModelIdentity) {
        if self.model.as_ref() != Some(model) {
            *self = Self { model: Some(model.clone()), ..Self::default() };
        }
    }
}
