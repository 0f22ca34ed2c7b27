//! The search index: an inverted index of items in an embedded database, with their links and
//! vectors.
//!
//! Items are added in segments that never change. A changed or removed item is marked as deleted,
//! and small segments are merged into larger ones. Each change is one transaction, so a killed
//! process leaves the previous state, and any number of processes may share the file. A query reads
//! the posting lists of its words and nothing else (ADR 11).

mod batch;
mod corpora;
pub(crate) mod corpus;
mod generation;
pub(crate) mod known_files;
mod links;
mod merge;
mod postings;
mod schema;
mod segment;
mod vectors;
mod vocabulary;

use mere_core::embed::{ModelIdentity, Vector};
use mere_core::graph::Link;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Transaction};

pub(crate) use batch::{IndexBatch, IndexEntry};
pub(crate) use corpora::CorpusId;
pub(crate) use links::LinkableItem;
pub(crate) use postings::{
    EncodedPostings, Occurrence, PostingList, WeightedSlot, decode_positions,
};
pub(crate) use schema::{IndexRecovery, corruption_error};
use segment::UNPARSED_KIND;
pub(crate) use segment::{Segment, SegmentSlot, kind_from_number, kind_number};
pub(crate) use vectors::{EmbeddedItem, Sketches};
pub(crate) use vocabulary::{WordForm, letter_bits};

use super::error::SearchError;
use batch::{BatchTerms, CountedEntry};
use generation::{bump_generation, read_counter, set_counter};
use mere_host::Database;

/// The index of one project.
pub(crate) struct SearchIndex {
    pub(super) connection: Connection,
    generation: i64,
    /// The last generation for which this process knows every change: those of others up to when it
    /// last accepted them, and its own.
    known_generation: i64,
    /// Increases when the index is cleared: earlier comparisons with the disk are then void.
    pub(crate) epoch: i64,
    pub(super) segments: Vec<Segment>,
}

/// The state of an index at one moment.
#[derive(Clone, Copy)]
pub(crate) struct IndexSnapshot {
    generation: i64,
    epoch: i64,
    live_items: usize,
}

impl SearchIndex {
    /// Returns its state as it is loaded.
    pub(crate) fn snapshot(&self) -> IndexSnapshot {
        let live = |segment: &Segment| segment.live.iter().filter(|live| **live).count();
        let live_items = self.segments.iter().map(live).sum();
        IndexSnapshot { generation: self.generation, epoch: self.epoch, live_items }
    }

    /// Checks whether it has every item that it had at an earlier moment: it was not cleared since,
    /// and other processes removed nothing.
    pub(crate) fn still_covers(&self, earlier: &IndexSnapshot) -> bool {
        self.generation == earlier.generation
            || self.epoch == earlier.epoch && self.snapshot().live_items >= earlier.live_items
    }

    /// Opens the index in a database, and creates it if there is none.
    pub(crate) fn open(database: &Database) -> Result<Self, SearchError> {
        Ok(Self::from_connection(database.open()?)?)
    }

    fn from_connection(mut connection: Connection) -> rusqlite::Result<Self> {
        connection.set_prepared_statement_cache_capacity(64);
        schema::ensure_tables(&mut connection)?;
        let (generation, known_generation) = (0, 0);
        let (epoch, segments) = (0, Vec::new());
        let mut index = Self { connection, generation, known_generation, epoch, segments };
        index.refresh()?;
        if schema::is_consistent(&index.connection, index.snapshot().live_items)? {
            Ok(index)
        } else {
            Err(schema::corruption_error())
        }
    }

    /// Loads what other processes have changed.
    pub(crate) fn refresh(&mut self) -> rusqlite::Result<()> {
        if read_counter(&self.connection, "generation")? != self.generation {
            self.begin_read()?;
            self.end_read()?;
        }
        Ok(())
    }

    /// Begins a read transaction: from now on everything is read as of this moment.
    pub(crate) fn begin_read(&mut self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("BEGIN")?.execute([])?;
        let loaded = self.load_segments();
        if loaded.is_err() {
            self.end_read()?;
        }
        loaded
    }

    /// Ends the read transaction.
    pub(crate) fn end_read(&self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("COMMIT")?.execute([]).map(|_| ())
    }

    fn load_segments(&mut self) -> rusqlite::Result<()> {
        let moment = &self.connection;
        let generation = read_counter(moment, "generation")?;
        if generation == self.generation {
            return Ok(());
        }
        let mut known = std::mem::take(&mut self.segments);
        self.generation = 0;
        let mut segments = Vec::new();
        let mut all = moment.prepare_cached("SELECT id FROM segment ORDER BY id")?;
        let mut one = moment.prepare_cached("SELECT items FROM segment WHERE id = ?")?;
        for id in all.query_map([], |row| row.get(0))? {
            let id = id?;
            // A segment never changes.
            segments.push(match known.iter().position(|segment| segment.id == id) {
                Some(at) => known.swap_remove(at),
                None => one.query_row([id], |row| Segment::new(id, row.get_ref(0)?.as_blob()?))?,
            });
        }
        let mut all = moment.prepare_cached("SELECT item FROM deleted_item")?;
        for item in all.query_map([], |row| row.get(0))? {
            let item = item?;
            for segment in &mut segments {
                segment.mark_deleted(item);
            }
        }
        drop((all, one));
        self.epoch = read_counter(&self.connection, "epoch")?;
        (self.generation, self.segments) = (generation, segments);
        Ok(())
    }

    /// Returns the slot of an item.
    pub(crate) fn slot_of_item(&self, item: u32) -> Option<SegmentSlot> {
        self.segments.iter().find_map(|segment| Some(segment.slots[segment.slot_index(item)?]))
    }

    /// Adds items with their vectors, in place of the items at the same paths. Returns whether all
    /// were added: if another process was faster, its item stays.
    pub(crate) fn add(
        &mut self,
        batch: IndexBatch,
        model: Option<&ModelIdentity>,
    ) -> rusqlite::Result<bool> {
        if batch.len() == 0 {
            return Ok(true);
        }
        let (entries, terms) = batch.finish();
        let change = schema::begin_write(&mut self.connection)?;
        let model = model.map(|model| vectors::register_model(&change, model)).transpose()?;
        let first = read_counter(&change, "next")?;
        let (slots, late) = {
            let mut writer = ItemWriter::new(&change, model)?;
            let numbered = entries.iter().zip(first..);
            let slots = numbered.map(|(counted, id)| writer.write_item(counted, id));
            (slots.collect::<rusqlite::Result<Vec<_>>>()?, writer.conflicts)
        };
        let next = first + i64::try_from(entries.len()).unwrap_or(i64::MAX);
        set_counter(&change, "next", next)?;
        write_segment(&change, &slots, terms)?;
        let generation = bump_generation(&change)?;
        change.commit()?;
        self.note_own_change(generation);
        self.refresh()?;
        Ok(late == 0)
    }

    /// Deletes everything. Item and segment numbers go on increasing, so that what another process
    /// holds in memory is useless to it but harmless.
    pub(crate) fn clear(&mut self) -> rusqlite::Result<()> {
        let change = schema::begin_write(&mut self.connection)?;
        schema::empty_tables(&change)?;
        set_counter(&change, "vectors", read_counter(&change, "vectors")? + 1)?;
        set_counter(&change, "epoch", read_counter(&change, "epoch")? + 1)?;
        let generation = bump_generation(&change)?;
        change.commit()?;
        self.note_own_change(generation);
        self.refresh()
    }

    /// Deletes items.
    pub(crate) fn remove(&mut self, items: &[u32]) -> rusqlite::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let change = schema::begin_write(&mut self.connection)?;
        for item in items {
            delete_item(&change, i64::from(*item))?;
        }
        let generation = bump_generation(&change)?;
        change.commit()?;
        self.note_own_change(generation);
        self.refresh()
    }
}

/// Writes the rows of each item in one transaction.
struct ItemWriter<'a> {
    transaction: &'a Transaction<'a>,
    select_existing: CachedStatement<'a>,
    insert_item: CachedStatement<'a>,
    insert_link: CachedStatement<'a>,
    insert_vector: CachedStatement<'a>,
    move_vector: CachedStatement<'a>,
    model: Option<i64>,
    /// The number of items that another process had replaced in the meantime.
    conflicts: usize,
}

impl<'a> ItemWriter<'a> {
    fn new(change: &'a Transaction<'a>, model: Option<i64>) -> rusqlite::Result<Self> {
        Ok(Self {
            transaction: change,
            select_existing: change
                .prepare_cached("SELECT id FROM item WHERE corpus = ? AND path = ?")?,
            insert_item: change
                .prepare_cached("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?,
            insert_link: change.prepare_cached("INSERT INTO link VALUES (?, ?, ?)")?,
            insert_vector: change.prepare_cached("INSERT INTO vector VALUES (?, ?, ?, NULL)")?,
            move_vector: change
                .prepare_cached("UPDATE vector SET item = ? WHERE item = ? AND text = ?")?,
            model,
            conflicts: 0,
        })
    }

    fn write_item(&mut self, counted: &CountedEntry, id: i64) -> rusqlite::Result<SegmentSlot> {
        let CountedEntry { entry, word_count: length } = counted;
        let item =
            u32::try_from(id).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, id))?;
        let kind = kind_number(entry.kind);
        let slot_kind = length.map_or(UNPARSED_KIND, |_| kind);
        let length = length.unwrap_or_default();
        let slot = SegmentSlot {
            item,
            tie_break: entry.tie_break,
            word_count: length,
            kind: slot_kind,
            corpus: entry.corpus,
        };
        let key = (entry.corpus, &entry.path);
        let old = self.select_existing.query_row(key, |row| row.get::<_, u32>(0)).optional()?;
        if old != entry.replaces {
            delete_item(self.transaction, id)?;
            self.conflicts += 1;
            return Ok(slot);
        }
        if let Some(old) = old.map(i64::from) {
            if let Some(text) = entry.text_fingerprint {
                self.move_vector.execute((id, old, text))?;
            }
            delete_item(self.transaction, old)?;
        }
        let stamp = entry.stamp.map(known_files::encode_stamp);
        let stamp = stamp.as_ref().map(<[u8; 32]>::as_slice);
        self.insert_item.execute((
            id,
            entry.corpus,
            &entry.path,
            stamp,
            kind,
            &entry.id,
            &entry.category,
            entry.expires,
            entry.modified,
            &entry.title,
            &entry.entry_type,
        ))?;
        for Link { relation, target } in &entry.links {
            self.insert_link.execute((id, relation.name(), target))?;
        }
        if let Some(model) = self.model {
            // An empty vector records that the model makes nothing of the item.
            let data = entry.vector.as_ref().map_or(&[][..], Vector::as_bytes);
            self.insert_vector.execute((id, model, data))?;
        }
        Ok(slot)
    }
}

/// Deletes an item and marks its slot as deleted.
fn delete_item(change: &Connection, item: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM item WHERE id = ?",
        "DELETE FROM link WHERE item = ?",
        "DELETE FROM vector WHERE item = ?",
        "INSERT OR IGNORE INTO deleted_item VALUES (?)",
    ] {
        change.prepare_cached(sql)?.execute([item])?;
    }
    Ok(())
}

/// Writes a segment: its slots and its terms, both in order.
fn write_segment(
    change: &Connection,
    slots: &[SegmentSlot],
    mut terms: BatchTerms,
) -> rusqlite::Result<()> {
    let id = insert_segment(change, slots)?;
    let mut words = vocabulary::VocabularyWriter::default();
    let forms = std::mem::take(&mut terms.forms);
    {
        let mut one = change.prepare_cached("INSERT INTO posting VALUES (?, ?, ?, ?)")?;
        for (word, EncodedPostings { items, positions }) in terms {
            one.execute((id, &*word, items, positions))?;
            words.add_stem(&word);
        }
    }
    for (spelling, stem) in &forms {
        words.add_form(spelling, stem);
    }
    write_segment_words(change, id, words)
}

/// Inserts a segment with its slots and returns its number.
fn insert_segment(change: &Connection, slots: &[SegmentSlot]) -> rusqlite::Result<i64> {
    let mut items = Vec::with_capacity(size_of_val(slots));
    for slot in slots {
        slot.write(&mut items);
    }
    change.execute("INSERT INTO segment (items, words) VALUES (?, x'')", [items])?;
    Ok(change.last_insert_rowid())
}

/// Writes the vocabulary of a segment.
fn write_segment_words(
    change: &Connection,
    id: i64,
    words: vocabulary::VocabularyWriter,
) -> rusqlite::Result<()> {
    let sql = "UPDATE segment SET words = ? WHERE id = ?";
    change.execute(sql, (words.finish().into_bytes(), id)).map(|_| ())
}

/// Converts a count to an integer of the database.
fn to_sql_integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use mere_core::item::ItemType;
    use mere_core::search::Document;

    use super::*;

    fn batch(path: &str, title: &str, replaces: Option<u32>) -> IndexBatch {
        let mut batch = IndexBatch::default();
        let entry = IndexEntry {
            corpus: 1,
            path: path.to_owned(),
            tie_break: 0,
            replaces,
            stamp: None,
            kind: ItemType::Knowledge,
            id: path.to_owned(),
            category: String::new(),
            expires: None,
            modified: 0,
            title: title.to_owned(),
            entry_type: None,
            links: Vec::new(),
            text_fingerprint: None,
            vector: None,
        };
        let texts = [title, "", "", "", "", ""].map(str::to_owned);
        batch.add(entry, Some(&Document { texts, prose: String::new(), exact_terms: Vec::new() }));
        batch
    }

    #[test]
    fn what_another_process_put_there_meanwhile_stays() {
        let mut index = SearchIndex::open(&Database::InMemory).expect("an index");
        assert!(index.add(batch("a", "first", None), None).expect("added"));
        let first = index.known_file(1, "a").expect("asked").expect("known").item;
        assert!(index.add(batch("a", "second", Some(first)), None).expect("added"));
        let second = index.known_file(1, "a").expect("asked").expect("known").item;
        for late in [None, Some(first)] {
            assert!(!index.add(batch("a", "late", late), None).expect("asked"));
        }
        assert_eq!(index.known_file(1, "a").expect("asked").expect("known").item, second);
        let live = index.segments.iter().flat_map(|segment| &segment.live).filter(|live| **live);
        assert_eq!(live.count(), 1);
        while index.merge(1000, &|| false).expect("merged") {}
        assert_eq!(index.count_items().expect("counted"), 1);
    }
}
