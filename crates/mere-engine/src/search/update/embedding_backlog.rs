//! The backlog of items that have no vector of the current model yet.
//!
//! A batch of items is read as the files are now and embedded while the index is not locked, so
//! that nobody has to wait. An item that changes in the meantime becomes a new item with a new
//! number, so no vector is ever stored with another text.

use std::time::{Duration, Instant};

use mere_core::embed::{EmbeddingText, ModelIdentity, Vector};
use mere_core::gate::Gate;
use mere_core::item::ScopedPath;

use super::batch_reader::{fingerprint, reread_text};
use super::live_index::LiveIndex;
use super::session_index::SessionIndex;
use crate::search::embed::embedder::{EmbedOutcome, Embedder, ThreadBudget};
use crate::search::embed::embedding_error::EmbeddingError;
use crate::search::error::SearchError;
use crate::search::index::EmbeddedItem;
use mere_host::Database;

/// How long the backlog rests after a pass through all items.
const RETRY_PAUSE: Duration = Duration::from_secs(30);

/// The inputs of making vectors.
pub(crate) struct EmbeddingJob<'a> {
    pub(crate) embedder: &'a Embedder,
    pub(crate) gate: &'a Gate,
    /// Whether an item may be known to anybody.
    pub(crate) is_visible: &'a dyn Fn(&ScopedPath) -> bool,
    pub(crate) threads: ThreadBudget,
}

/// The progress of one pass through all items without a vector.
#[derive(Default)]
pub(crate) struct BacklogPass {
    model: Option<ModelIdentity>,
    /// The last item that the pass has reached.
    last_item: u32,
    /// The time until which the pass rests, and the next item number at its start: new items end
    /// the rest.
    paused_until: Option<(Instant, i64)>,
    /// The number of missing vectors, with the generation of the index that it was counted in.
    cached_count: Option<(i64, u64)>,
}

/// Items with their texts, to be embedded together.
struct EmbeddingBatch {
    database: Database,
    texts: Vec<(u32, EmbeddingText)>,
}

impl SessionIndex {
    /// Makes missing vectors until there are none left or `enough` returns true. `enough` is told
    /// how many items were done.
    pub(crate) fn embed_missing(
        &self,
        embedding: &EmbeddingJob<'_>,
        enough: &dyn Fn(u64) -> bool,
    ) -> Result<(), EmbeddingError> {
        // As long as nobody searches, no model is loaded.
        if self.lock().is_none() {
            return Ok(());
        }
        embedding.embedder.check_ready()?;
        let mut done = 0;
        while let Some(batch) = self.next_batch(embedding) {
            let texts = batch.texts.iter().map(|(_, text)| text).collect::<Vec<_>>();
            let made = embedding.embedder.embed_texts(&texts, embedding.threads);
            let made = made.inspect_err(|_| self.restart_pass())?;
            done += made.len() as u64;
            self.store_vectors(embedding.embedder, &batch, made);
            if enough(done) {
                break;
            }
        }
        Ok(())
    }

    fn next_batch(&self, embedding: &EmbeddingJob<'_>) -> Option<EmbeddingBatch> {
        let mut open = self.lock();
        let library = open.as_mut()?;
        let texts = library.next_texts(embedding).unwrap_or_else(|error| {
            tracing::debug!(%error, "items without vectors could not be read");
            Vec::new()
        });
        (!texts.is_empty()).then(|| EmbeddingBatch { database: library.database.clone(), texts })
    }

    fn store_vectors(&self, embedder: &Embedder, batch: &EmbeddingBatch, made: Vec<EmbedOutcome>) {
        let vectors = batch.texts.iter().zip(made).filter_map(|((item, text), made)| {
            let vector = match made {
                EmbedOutcome::Vector(vector) => Some(vector),
                EmbedOutcome::Empty => None,
                EmbedOutcome::Refused => return None,
            };
            Some(EmbeddedItem { item: *item, text_fingerprint: fingerprint(text), vector })
        });
        let vectors = vectors.collect::<Vec<_>>();
        let mut open = self.lock();
        let library = open.as_mut().filter(|library| library.database == batch.database);
        let (Some(library), Some(model)) = (library, embedder.model()) else { return };
        let kept = library.index.with_known_dimensions(model).and_then(|model| {
            let is_sized = |vector: &Vector| vector.dimensions() == model.dimensions;
            let fits = |one: &EmbeddedItem| one.vector.as_ref().is_none_or(is_sized);
            let vectors = vectors.into_iter().filter(fits).collect::<Vec<_>>();
            library.index.store_vectors(&model, &vectors)
        });
        if let Err(error) = kept {
            tracing::debug!(%error, "vectors could not be stored");
        }
    }

    fn restart_pass(&self) {
        if let Some(library) = self.lock().as_mut() {
            library.backlog_pass = BacklogPass::default();
        }
    }
}

impl LiveIndex {
    /// Counts the items that have no vector of the model yet.
    pub(crate) fn count_missing_vectors(
        &mut self,
        embedder: &Embedder,
    ) -> Result<u64, SearchError> {
        let Some(model) = embedder.model() else { return Ok(0) };
        let model = self.index.with_known_dimensions(model)?;
        self.backlog_pass.select_model(&model);
        let moment = self.index.generation();
        if let Some((known, count)) = self.backlog_pass.cached_count
            && known == moment
        {
            return Ok(count);
        }
        let count = self.index.count_without_vector(&model, &self.detector.corpus_ids)?;
        self.backlog_pass.cached_count = Some((moment, count));
        Ok(count)
    }

    /// Returns the next items of the backlog with their texts; empty at the end of a pass.
    fn next_texts(
        &mut self,
        embedding: &EmbeddingJob<'_>,
    ) -> Result<Vec<(u32, EmbeddingText)>, SearchError> {
        let Some(model) = embedding.embedder.model() else { return Ok(Vec::new()) };
        let model = self.index.with_known_dimensions(model)?;
        self.backlog_pass.select_model(&model);
        let next = self.index.next_item_number()?;
        if self
            .backlog_pass
            .paused_until
            .is_some_and(|(end, known)| known == next && Instant::now() < end)
        {
            return Ok(Vec::new());
        }
        self.backlog_pass.paused_until = None;
        let most = embedding.embedder.batch_size(embedding.threads);
        loop {
            let model_and_corpora = (&model, &*self.detector.corpus_ids);
            let items = self.index.items_without_vector(
                model_and_corpora,
                self.backlog_pass.last_item,
                most,
            )?;
            let is_last = items.len() < most.max(1);
            self.backlog_pass.last_item = items.last().copied().unwrap_or_default();
            if is_last {
                self.backlog_pass.last_item = 0;
                self.backlog_pass.paused_until = Some((Instant::now() + RETRY_PAUSE, next));
            }
            let mut texts = Vec::new();
            for item in items {
                texts.extend(self.item_text(item, embedding)?.map(|text| (item, text)));
            }
            if !texts.is_empty() || is_last {
                return Ok(texts);
            }
        }
    }

    /// Reads the text of an item; none if its file is gone or it is not visible.
    fn item_text(
        &self,
        item: u32,
        embedding: &EmbeddingJob<'_>,
    ) -> Result<Option<EmbeddingText>, SearchError> {
        let Some((number, path)) = self.index.item_path(item)? else { return Ok(None) };
        let corpus = self.detector.corpus_ids.iter().position(|known| *known == number);
        let Some(corpus) = corpus.map(|corpus| &self.detector.corpora[corpus]) else {
            return Ok(None);
        };
        let found = corpus.item_at(&path).filter(|(_, place)| (embedding.is_visible)(place));
        let Some((tree_index, place)) = found else { return Ok(None) };
        Ok(reread_text((&corpus.trees[tree_index], &place), embedding.gate)?)
    }
}

impl BacklogPass {
    /// Starts the pass over if the model is another one.
    fn select_model(&mut self, model: &ModelIdentity) {
        if self.model.as_ref() != Some(model) {
            *self = Self { model: Some(model.clone()), ..Self::default() };
        }
    }
}
