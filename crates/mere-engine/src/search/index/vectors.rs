//! The vectors of the items, each stored with its model's name and dimensions.
//!
//! An item has at most one vector. Vectors of different models or dimensions are never compared.

use mere_core::embed::{ModelIdentity, Sketch, Vector, inverse_norm, sketch_words};
use rusqlite::{Connection, OptionalExtension};

use super::{CorpusId, SearchIndex, schema, to_sql_integer};

/// The most bytes of vectors that are kept in memory. A larger index keeps its sketches alone, and
/// reads the vectors of the few that it compares.
const MAX_KEPT_BYTES: usize = 4 * 1024 * 1024;

/// The sign bits of every vector of one model: enough to choose the candidates for an exact
/// comparison.
#[derive(Default)]
pub(crate) struct Sketches {
    model: Option<ModelIdentity>,
    /// The number of the model in the index; none as long as there is no vector of it.
    model_number: Option<i64>,
    /// How often vectors had been replaced when these were read.
    replacement_count: i64,
    /// The generation of the index that they were read from.
    generation: i64,
    /// In ascending order.
    pub(crate) items: Vec<u32>,
    words: Vec<u64>,
    /// The number of words in each sketch.
    words_per_sketch: usize,
    /// The vectors themselves, in the order of the items, unless they are too many.
    vectors: Vec<u8>,
    inverse_norms: Vec<f32>,
}

/// An item with the vector that a model made of it.
pub(crate) struct EmbeddedItem {
    pub(crate) item: u32,
    /// The fingerprint of the text that was embedded.
    pub(crate) text_fingerprint: i64,
    /// None if the model makes nothing of the text.
    pub(crate) vector: Option<Vector>,
}

impl Sketches {
    /// Adds the sketch of a vector that is not empty.
    fn push(&mut self, item: u32, vector: &[u8]) {
        self.words_per_sketch = vector.len().div_ceil(64);
        self.items.push(item);
        self.words.extend(sketch_words(vector));
        // Once they are too many, they never are all there again.
        let are_kept = self.inverse_norms.len() + 1 == self.items.len();
        if are_kept && self.vectors.len() + vector.len() <= MAX_KEPT_BYTES {
            self.vectors.extend(vector);
            self.inverse_norms.push(inverse_norm(vector).unwrap_or_default());
        } else if are_kept {
            (self.vectors, self.inverse_norms) = (Vec::new(), Vec::new());
        }
    }

    /// Checks whether the vectors are kept, too.
    fn keeps_vectors(&self) -> bool {
        self.inverse_norms.len() == self.items.len()
    }

    /// Returns the cosine similarity of an item whose vector is kept.
    fn cosine(&self, item: u32, wanted: &Vector) -> Option<f32> {
        let at = self.items.binary_search(&item).ok()?;
        let length = self.vectors.len() / self.items.len();
        let row = self.vectors.chunks_exact(length).nth(at)?;
        let row = (length == wanted.dimensions()).then_some(row)?;
        Some(wanted.cosine_with_row(row, *self.inverse_norms.get(at)?))
    }

    /// Returns every item with the distance of its sketch from another.
    pub(crate) fn distances(&self, sketch: &Sketch) -> impl Iterator<Item = (u32, u32)> {
        let chunks = self.words.chunks_exact(self.words_per_sketch.max(1));
        let is_comparable = self.words_per_sketch == sketch.words().len();
        let known = self.items.iter().copied().zip(chunks).filter(move |_| is_comparable);
        known.map(|(item, words)| (item, sketch.hamming_distance_to_words(words)))
    }
}

/// Returns the number of a model in the index, and registers it if it is new.
pub(super) fn register_model(change: &Connection, model: &ModelIdentity) -> rusqlite::Result<i64> {
    let key = (&*model.id, to_sql_integer(model.dimensions));
    change.execute("INSERT OR IGNORE INTO model (name, dimensions) VALUES (?, ?)", key)?;
    let sql = "SELECT id FROM model WHERE name = ? AND dimensions = ?";
    change.query_row(sql, key, |row| row.get(0))
}

impl SearchIndex {
    /// Adds the sketches of vectors that were stored since. Item numbers are never reused, and
    /// sketches of deleted items do no harm; if vectors were replaced, all are read again.
    pub(crate) fn update_sketches(
        &self,
        model: &ModelIdentity,
        sketches: &mut Sketches,
    ) -> rusqlite::Result<()> {
        if sketches.generation == self.generation && sketches.model.as_ref() == Some(model) {
            return Ok(());
        }
        let moment = super::read_counter(&self.connection, "vectors")?;
        if sketches.model.as_ref() != Some(model) || sketches.replacement_count != moment {
            *sketches = Sketches {
                model: Some(model.clone()),
                replacement_count: moment,
                ..Sketches::default()
            };
        }
        sketches.model_number = self.find_model(model)?;
        let mut all = self.connection.prepare_cached(
            "SELECT item, data FROM vector WHERE item > ? AND model = ? ORDER BY item",
        )?;
        let last = sketches.items.last().copied().unwrap_or_default();
        let mut rows = all.query((last, sketches.model_number))?;
        while let Some(row) = rows.next()? {
            let vector = row.get_ref(1)?.as_blob()?;
            if !vector.is_empty() && vector.len() == model.dimensions {
                sketches.push(row.get(0)?, vector);
            }
        }
        sketches.generation = self.generation;
        Ok(())
    }

    /// Returns the number of a model; none if it has no vectors.
    fn find_model(&self, model: &ModelIdentity) -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT id FROM model WHERE name = ? AND dimensions = ?";
        let mut one = self.connection.prepare_cached(sql)?;
        let key = (&*model.id, to_sql_integer(model.dimensions));
        one.query_row(key, |row| row.get(0)).optional()
    }

    /// Returns the model with its dimensions; if they are not known, with those it had last.
    pub(crate) fn with_known_dimensions(
        &self,
        model: ModelIdentity,
    ) -> rusqlite::Result<ModelIdentity> {
        if model.dimensions > 0 {
            return Ok(model);
        }
        let sql = "SELECT dimensions FROM model WHERE name = ? ORDER BY id DESC LIMIT 1";
        let mut one = self.connection.prepare_cached(sql)?;
        let dimensions = one.query_row([&*model.id], |row| row.get::<_, u32>(0)).optional()?;
        let dimensions = dimensions.and_then(|size| usize::try_from(size).ok());
        Ok(ModelIdentity { dimensions: dimensions.unwrap_or_default(), ..model })
    }

    /// Returns the cosine similarity of an item; none if it has no vector of the model of the
    /// sketches.
    pub(crate) fn cosine(
        &self,
        item: u32,
        (sketches, wanted): (&Sketches, &Vector),
    ) -> rusqlite::Result<Option<f32>> {
        if sketches.keeps_vectors() {
            return Ok(sketches.cosine(item, wanted));
        }
        let sql = "SELECT data FROM vector WHERE item = ? AND model = ?";
        let mut one = self.connection.prepare_cached(sql)?;
        let near = one.query_row((item, sketches.model_number), |row| {
            let bytes = row.get_ref(0)?.as_blob()?;
            Ok((bytes.len() == wanted.dimensions()).then(|| wanted.cosine_with_bytes(bytes)))
        });
        Ok(near.optional()?.flatten())
    }

    /// Returns items of some corpora that have no vector of this model yet, in order.
    pub(crate) fn items_without_vector(
        &self,
        (model, corpora): (&ModelIdentity, &[CorpusId]),
        after: u32,
        most: usize,
    ) -> rusqlite::Result<Vec<u32>> {
        let mut all = self.connection.prepare_cached(&format!(
            "SELECT id FROM item WHERE id > ? AND {} ORDER BY id LIMIT ?",
            missing_vector_condition(corpora)
        ))?;
        let parameters = (after, self.find_model(model)?, to_sql_integer(most));
        all.query_map(parameters, |row| row.get(0))?.collect()
    }

    /// Counts the items that have no vector of this model yet.
    pub(crate) fn count_without_vector(
        &self,
        model: &ModelIdentity,
        corpora: &[CorpusId],
    ) -> rusqlite::Result<u64> {
        // Every vector belongs to an item, so two counts are usually enough.
        if self.count_items()? == self.count_vectors(model)? {
            return Ok(0);
        }
        let sql = format!("SELECT count(*) FROM item WHERE {}", missing_vector_condition(corpora));
        let mut one = self.connection.prepare_cached(&sql)?;
        let count = one.query_row([self.find_model(model)?], |row| row.get::<_, i64>(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Counts the items that a model has embedded.
    pub(crate) fn count_vectors(&self, model: &ModelIdentity) -> rusqlite::Result<u64> {
        let sql = "SELECT count(*) FROM vector WHERE model = ?";
        let mut one = self.connection.prepare_cached(sql)?;
        let count = one.query_row([self.find_model(model)?], |row| row.get::<_, i64>(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Counts the items.
    pub(crate) fn count_items(&self) -> rusqlite::Result<u64> {
        let mut all = self.connection.prepare_cached("SELECT count(*) FROM item")?;
        let count = all.query_row([], |row| row.get::<_, i64>(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Returns the generation, which increases with every change of the index.
    pub(crate) fn generation(&self) -> i64 {
        self.generation
    }

    /// Returns the number of the next item, which increases when items are added.
    pub(crate) fn next_item_number(&self) -> rusqlite::Result<i64> {
        super::read_counter(&self.connection, "next")
    }

    /// Stores vectors in place of those of another model. An empty vector records that the model
    /// makes nothing of an item. An item that was deleted in the meantime is skipped: its number is
    /// never reused.
    pub(crate) fn store_vectors(
        &mut self,
        model: &ModelIdentity,
        vectors: &[EmbeddedItem],
    ) -> rusqlite::Result<()> {
        let change = schema::begin_write(&mut self.connection)?;
        let own = register_model(&change, model)?;
        for EmbeddedItem { item, text_fingerprint: text, vector } in vectors {
            let mut one = change.prepare_cached(
                "INSERT OR REPLACE INTO vector SELECT id, ?, ?, ? FROM item WHERE id = ?",
            )?;
            one.execute((own, vector.as_ref().map_or(&[][..], Vector::as_bytes), text, item))?;
        }
        super::set_counter(&change, "vectors", super::read_counter(&change, "vectors")? + 1)?;
        let generation = super::bump_generation(&change)?;
        change.commit()?;
        self.note_own_change(generation);
        self.refresh()
    }
}

/// Returns the SQL condition for items of these corpora without a vector of a model, which is a
/// parameter.
fn missing_vector_condition(corpora: &[CorpusId]) -> String {
    let corpora = corpora.iter().map(CorpusId::to_string).collect::<Vec<_>>().join(", ");
    format!(
        "corpus IN ({corpora}) AND NOT EXISTS (
            SELECT 1 FROM vector INDEXED BY vector_by_model
            WHERE vector.item = item.id AND vector.model = ?)"
    )
}
