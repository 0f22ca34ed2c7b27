//! What a model makes of the items, kept beside their words with the model's name and size.

use mere_core::embed::{ModelIdentity, Sketch, Vector};
use rusqlite::{Connection, OptionalExtension};

use super::{CorpusId, SearchIndex, schema, to_sql_integer};

/// The signs of every vector of one model: enough to say which ones are worth a closer look.
#[derive(Default)]
pub(crate) struct Sketches {
    model: Option<ModelIdentity>,
    /// What the index calls the model; nothing as long as it has no vector of it.
    model_number: Option<i64>,
    /// How often vectors had been replaced.
    replacement_count: i64,
    /// The index they were read from.
    generation: i64,
    /// In order.
    pub(crate) items: Vec<u32>,
    words: Vec<u64>,
    /// How many words each has.
    words_per_sketch: usize,
}

/// What a model makes of an item.
pub(crate) struct EmbeddedItem {
    pub(crate) item: u32,
    /// The print of the text that it was made from.
    pub(crate) text_fingerprint: i64,
    /// None if it makes nothing of it.
    pub(crate) vector: Option<Vector>,
}

impl Sketches {
    fn push(&mut self, item: u32, sketch: &Sketch) {
        self.words_per_sketch = sketch.words().len();
        self.items.push(item);
        self.words.extend(sketch.words());
    }

    /// Every item with how far it is from a sketch.
    pub(crate) fn distances(&self, sketch: &Sketch) -> impl Iterator<Item = (u32, u32)> {
        let chunks = self.words.chunks_exact(self.words_per_sketch.max(1));
        let is_comparable = self.words_per_sketch == sketch.words().len();
        let known = self.items.iter().copied().zip(chunks).filter(move |_| is_comparable);
        known.map(|(item, words)| (item, sketch.hamming_distance_to_words(words)))
    }
}

/// The number of a model in the index; a model that is new gets one.
pub(super) fn register_model(change: &Connection, model: &ModelIdentity) -> rusqlite::Result<i64> {
    let key = (&*model.id, to_sql_integer(model.dimensions));
    change.execute("INSERT OR IGNORE INTO model (name, dimensions) VALUES (?, ?)", key)?;
    let sql = "SELECT id FROM model WHERE name = ? AND dimensions = ?";
    change.query_row(sql, key, |row| row.get(0))
}

impl SearchIndex {
    /// Adds the vectors of a model that came since. Items never get a number twice, and those that
    /// are gone do no harm; where vectors were replaced all are read again.
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
            let vector = Vector::from_bytes(row.get_ref(1)?.as_blob()?);
            if let Some(vector) = vector.filter(|own| own.dimensions() == model.dimensions) {
                sketches.push(row.get(0)?, &Sketch::from_vector(&vector));
            }
        }
        sketches.generation = self.generation;
        Ok(())
    }

    /// The number of a model; none if there is no vector of it.
    fn find_model(&self, model: &ModelIdentity) -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT id FROM model WHERE name = ? AND dimensions = ?";
        let mut one = self.connection.prepare_cached(sql)?;
        let key = (&*model.id, to_sql_integer(model.dimensions));
        one.query_row(key, |row| row.get(0)).optional()
    }

    /// A model with its dimensions; where nobody said how many, as many as it had last.
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

    /// How near an item's vector is; none if it has none of the model that was sketched.
    pub(crate) fn cosine(
        &self,
        item: u32,
        (sketches, wanted): (&Sketches, &Vector),
    ) -> rusqlite::Result<Option<f32>> {
        let sql = "SELECT data FROM vector WHERE item = ? AND model = ?";
        let mut one = self.connection.prepare_cached(sql)?;
        let near = one.query_row((item, sketches.model_number), |row| {
            let bytes = row.get_ref(0)?.as_blob()?;
            Ok((bytes.len() == wanted.dimensions()).then(|| wanted.cosine_with_bytes(bytes)))
        });
        Ok(near.optional()?.flatten())
    }

    /// Items of some grounds that have no vector of this model yet, in order.
    pub(crate) fn items_without_vector(
        &self,
        (model, grounds): (&ModelIdentity, &[CorpusId]),
        after: u32,
        most: usize,
    ) -> rusqlite::Result<Vec<u32>> {
        let mut all = self.connection.prepare_cached(&format!(
            "SELECT id FROM item WHERE id > ? AND {} ORDER BY id LIMIT ?",
            missing_vector_condition(grounds)
        ))?;
        let asked = (after, self.find_model(model)?, to_sql_integer(most));
        all.query_map(asked, |row| row.get(0))?.collect()
    }

    /// How many such items there are.
    pub(crate) fn count_without_vector(
        &self,
        model: &ModelIdentity,
        grounds: &[CorpusId],
    ) -> rusqlite::Result<u64> {
        // No vector is without an item, so that most often two counts tell.
        if self.count_items()? == self.count_vectors(model)? {
            return Ok(0);
        }
        let sql = format!("SELECT count(*) FROM item WHERE {}", missing_vector_condition(grounds));
        let mut one = self.connection.prepare_cached(&sql)?;
        let count = one.query_row([self.find_model(model)?], |row| row.get::<_, i64>(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// How many items have what a model made of them.
    pub(crate) fn count_vectors(&self, model: &ModelIdentity) -> rusqlite::Result<u64> {
        let sql = "SELECT count(*) FROM vector WHERE model = ?";
        let mut one = self.connection.prepare_cached(sql)?;
        let count = one.query_row([self.find_model(model)?], |row| row.get::<_, i64>(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// How many items there are.
    pub(crate) fn count_items(&self) -> rusqlite::Result<u64> {
        let mut all = self.connection.prepare_cached("SELECT count(*) FROM item")?;
        let count = all.query_row([], |row| row.get::<_, i64>(0))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Changes whenever the index does.
    pub(crate) fn generation(&self) -> i64 {
        self.generation
    }

    /// Changes whenever items come.
    pub(crate) fn next_item_number(&self) -> rusqlite::Result<i64> {
        super::read_counter(&self.connection, "next")
    }

    /// Keeps what a model makes of items, in place of what another made. That it makes nothing of
    /// one is kept too. An item that has gone meanwhile is left alone: no other gets its number.
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
        super::bump_generation(&change)?;
        change.commit()?;
        self.refresh()
    }
}

/// Whether an item is of these grounds and has no vector of a model, which is asked for.
fn missing_vector_condition(grounds: &[CorpusId]) -> String {
    let grounds = grounds.iter().map(CorpusId::to_string).collect::<Vec<_>>().join(", ");
    format!(
        "ground IN ({grounds}) AND NOT EXISTS (
            SELECT 1 FROM vector INDEXED BY vector_by_model
            WHERE vector.item = item.id AND vector.model = ?)"
    )
}
