//! The index: what has which words, kept in an embedded database.
//!
//! Items are added in segments that are never changed; what is changed or removed is marked as gone,
//! and small segments are merged into larger ones. A change is one transaction, so that a killed
//! process leaves what was there before, and any number of processes may share the file. A query
//! reads the lists of its words and nothing else (ADR 11).

mod batch;
mod grounds;
mod known;
mod links;
mod merge;
mod posting;
mod schema;
mod segment;
mod vectors;
mod words;

use mere_core::embed::{ModelIdentity, Vector};
use mere_core::graph::Link;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Transaction};

pub(crate) use batch::{Batch, Entry};
pub(crate) use grounds::GroundId;
pub(crate) use links::Linked;
pub(crate) use posting::{Occurrence, Posting, places};
pub(crate) use schema::{Remedy, damage};
use segment::NOTHING;
pub(crate) use segment::{Segment, Slot, kind_number, kind_of};
pub(crate) use vectors::{Kept, Sketches};
pub(crate) use words::{Form, letters};

use super::SearchError;
use batch::{Counted, Terms};
use mere_host::Database;

/// The index of one project.
pub(crate) struct Index {
    pub(super) connection: Connection,
    generation: i64,
    /// Changes when everything was forgotten: then nothing that was looked at counts.
    pub(crate) epoch: i64,
    pub(super) segments: Vec<Segment>,
}

impl Index {
    /// Opens the index in a database, and makes it if there is none.
    pub(crate) fn open(database: &Database) -> Result<Self, SearchError> {
        Ok(Self::of(database.open()?)?)
    }

    fn of(mut connection: Connection) -> rusqlite::Result<Self> {
        connection.set_prepared_statement_cache_capacity(64);
        schema::prepare(&mut connection)?;
        let mut index = Self { connection, generation: 0, epoch: 0, segments: Vec::new() };
        index.refresh()?;
        let live = |segment: &Segment| segment.live.iter().filter(|live| **live).count();
        let live = index.segments.iter().map(live).sum();
        if schema::fits(&index.connection, live)? { Ok(index) } else { Err(schema::damage()) }
    }

    /// Sees what other processes have changed.
    pub(crate) fn refresh(&mut self) -> rusqlite::Result<()> {
        if count(&self.connection, "generation")? != self.generation {
            self.hold()?;
            self.release()?;
        }
        Ok(())
    }

    /// From now on everything is read as it is at this moment.
    pub(crate) fn hold(&mut self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("BEGIN")?.execute([])?;
        let loaded = self.load();
        if loaded.is_err() {
            self.release()?;
        }
        loaded
    }

    /// The end of that moment.
    pub(crate) fn release(&self) -> rusqlite::Result<()> {
        self.connection.prepare_cached("COMMIT")?.execute([]).map(|_| ())
    }

    fn load(&mut self) -> rusqlite::Result<()> {
        let moment = &self.connection;
        let generation = count(moment, "generation")?;
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
        let mut all = moment.prepare_cached("SELECT item FROM gone")?;
        for item in all.query_map([], |row| row.get(0))? {
            let item = item?;
            for segment in &mut segments {
                segment.forget(item);
            }
        }
        drop((all, one));
        self.epoch = count(&self.connection, "epoch")?;
        (self.generation, self.segments) = (generation, segments);
        Ok(())
    }

    /// An item as queries need it.
    pub(crate) fn slot(&self, item: u32) -> Option<Slot> {
        self.segments.iter().find_map(|segment| Some(segment.slots[segment.find(item)?]))
    }

    /// Adds items, in place of what lay at the same places before, with what a model makes of them.
    /// Says whether all of them: where another process was quicker, its item stays.
    pub(crate) fn add(
        &mut self,
        batch: Batch,
        model: Option<&ModelIdentity>,
    ) -> rusqlite::Result<bool> {
        if batch.len() == 0 {
            return Ok(true);
        }
        let (entries, terms) = batch.finish();
        let change = schema::begin(&mut self.connection)?;
        let model = model.map(|model| vectors::model_number(&change, model)).transpose()?;
        let first = count(&change, "next")?;
        let (slots, late) = {
            let mut desk = Desk::new(&change, model)?;
            let numbered = entries.iter().zip(first..);
            let slots = numbered.map(|(counted, id)| desk.put(counted, id));
            (slots.collect::<rusqlite::Result<Vec<_>>>()?, desk.late)
        };
        let next = first + i64::try_from(entries.len()).unwrap_or(i64::MAX);
        set_count(&change, "next", next)?;
        write_segment(&change, &slots, terms)?;
        bump(&change)?;
        change.commit()?;
        self.refresh()?;
        Ok(late == 0)
    }

    /// Forgets everything. Numbers go on: what another process has in memory is of no use to it, and
    /// does no harm.
    pub(crate) fn clear(&mut self) -> rusqlite::Result<()> {
        let change = schema::begin(&mut self.connection)?;
        schema::empty(&change)?;
        set_count(&change, "vectors", count(&change, "vectors")? + 1)?;
        set_count(&change, "epoch", count(&change, "epoch")? + 1)?;
        bump(&change)?;
        change.commit()?;
        self.refresh()
    }

    /// Forgets items.
    pub(crate) fn remove(&mut self, items: &[u32]) -> rusqlite::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let change = schema::begin(&mut self.connection)?;
        for item in items {
            forget(&change, i64::from(*item))?;
        }
        bump(&change)?;
        change.commit()?;
        self.refresh()
    }
}

/// What is written for each item.
struct Desk<'a> {
    change: &'a Transaction<'a>,
    old: CachedStatement<'a>,
    item: CachedStatement<'a>,
    link: CachedStatement<'a>,
    vector: CachedStatement<'a>,
    keep: CachedStatement<'a>,
    model: Option<i64>,
    /// How many items another process has put there meanwhile.
    late: usize,
}

impl<'a> Desk<'a> {
    fn new(change: &'a Transaction<'a>, model: Option<i64>) -> rusqlite::Result<Self> {
        Ok(Self {
            change,
            old: change.prepare_cached("SELECT id FROM item WHERE ground = ? AND path = ?")?,
            item: change
                .prepare_cached("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?,
            link: change.prepare_cached("INSERT INTO link VALUES (?, ?, ?)")?,
            vector: change.prepare_cached("INSERT INTO vector VALUES (?, ?, ?, NULL)")?,
            keep: change
                .prepare_cached("UPDATE vector SET item = ? WHERE item = ? AND text = ?")?,
            model,
            late: 0,
        })
    }

    fn put(&mut self, counted: &Counted, id: i64) -> rusqlite::Result<Slot> {
        let Counted { entry, length } = counted;
        let item =
            u32::try_from(id).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, id))?;
        let kind = kind_number(entry.kind);
        let slot_kind = length.map_or(NOTHING, |_| kind);
        let length = length.unwrap_or_default();
        let slot = Slot { item, tie: entry.tie, length, kind: slot_kind, ground: entry.ground };
        let key = (entry.ground, &entry.path);
        let old = self.old.query_row(key, |row| row.get::<_, u32>(0)).optional()?;
        if old != entry.replaces {
            forget(self.change, id)?;
            self.late += 1;
            return Ok(slot);
        }
        if let Some(old) = old.map(i64::from) {
            if let Some(text) = entry.text {
                self.keep.execute((id, old, text))?;
            }
            forget(self.change, old)?;
        }
        let stamp = entry.stamp.map(known::stamp_bytes);
        let stamp = stamp.as_ref().map(<[u8; 32]>::as_slice);
        self.item.execute((
            id,
            entry.ground,
            &entry.path,
            stamp,
            kind,
            &entry.id,
            &entry.category,
            entry.expires,
            entry.modified,
            &entry.title,
            &entry.sort,
        ))?;
        for Link { relation, target } in &entry.links {
            self.link.execute((id, relation.name(), target))?;
        }
        if let Some(model) = self.model {
            // That it makes nothing of an item is known too.
            let data = entry.vector.as_ref().map_or(&[][..], Vector::as_bytes);
            self.vector.execute((id, model, data))?;
        }
        Ok(slot)
    }
}

/// Marks an item as gone.
fn forget(change: &Connection, item: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM item WHERE id = ?",
        "DELETE FROM link WHERE item = ?",
        "DELETE FROM vector WHERE item = ?",
        "INSERT OR IGNORE INTO gone VALUES (?)",
    ] {
        change.prepare_cached(sql)?.execute([item])?;
    }
    Ok(())
}

/// Writes a segment: its items in order, its words in order.
fn write_segment(change: &Connection, slots: &[Slot], mut terms: Terms) -> rusqlite::Result<()> {
    let id = open_segment(change, slots)?;
    let mut words = words::Writer::default();
    let forms = std::mem::take(&mut terms.forms);
    {
        let mut one = change.prepare_cached("INSERT INTO posting VALUES (?, ?, ?)")?;
        for (word, data) in terms {
            one.execute((id, &*word, data))?;
            words.add(&word);
        }
    }
    for (spelt, stem) in &forms {
        words.add_form(spelt, stem);
    }
    close_segment(change, id, words)
}

/// Writes the items of a segment, and says which one it is.
fn open_segment(change: &Connection, slots: &[Slot]) -> rusqlite::Result<i64> {
    let mut items = Vec::with_capacity(size_of_val(slots));
    for slot in slots {
        slot.write(&mut items);
    }
    change.execute("INSERT INTO segment (items, words) VALUES (?, x'')", [items])?;
    Ok(change.last_insert_rowid())
}

/// Writes which words a segment has.
fn close_segment(change: &Connection, id: i64, words: words::Writer) -> rusqlite::Result<()> {
    let sql = "UPDATE segment SET words = ? WHERE id = ?";
    change.execute(sql, (words.finish().into_bytes(), id)).map(|_| ())
}

/// A number as the database has them.
fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn count(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    let mut one = connection.prepare_cached("SELECT value FROM count WHERE name = ?")?;
    one.query_row([name], |row| row.get(0))
}

fn set_count(change: &Connection, name: &str, value: i64) -> rusqlite::Result<()> {
    let mut one = change.prepare_cached("UPDATE count SET value = ? WHERE name = ?")?;
    one.execute((value, name)).map(|_| ())
}

/// Tells others that the index has changed.
fn bump(change: &Connection) -> rusqlite::Result<()> {
    set_count(change, "generation", count(change, "generation")? + 1)
}

#[cfg(test)]
mod tests {
    use mere_core::item::ItemType;
    use mere_core::search::Document;

    use super::*;

    fn batch(path: &str, title: &str, replaces: Option<u32>) -> Batch {
        let mut batch = Batch::default();
        let entry = Entry {
            ground: 1,
            path: path.to_owned(),
            tie: 0,
            replaces,
            stamp: None,
            kind: ItemType::Knowledge,
            id: path.to_owned(),
            category: String::new(),
            expires: None,
            modified: 0,
            title: title.to_owned(),
            sort: None,
            links: Vec::new(),
            text: None,
            vector: None,
        };
        let texts = [title, "", "", "", "", ""].map(str::to_owned);
        batch.add(entry, Some(&Document { texts, exact_terms: Vec::new() }));
        batch
    }

    #[test]
    fn what_another_process_put_there_meanwhile_stays() {
        let mut index = Index::open(&Database::InMemory).expect("an index");
        assert!(index.add(batch("a", "first", None), None).expect("added"));
        let first = index.known_at(1, "a").expect("asked").expect("known").item;
        assert!(index.add(batch("a", "second", Some(first)), None).expect("added"));
        let second = index.known_at(1, "a").expect("asked").expect("known").item;
        for late in [None, Some(first)] {
            assert!(!index.add(batch("a", "late", late), None).expect("asked"));
        }
        assert_eq!(index.known_at(1, "a").expect("asked").expect("known").item, second);
        let live = index.segments.iter().flat_map(|segment| &segment.live).filter(|live| **live);
        assert_eq!(live.count(), 1);
        while index.merge(1000, &|| false).expect("merged") {}
        assert_eq!(index.count_items().expect("counted"), 1);
    }
}
