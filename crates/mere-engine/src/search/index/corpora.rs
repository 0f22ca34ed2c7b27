//! The corpora whose items the index holds.
//!
//! A corpus keeps its number as long as its name stays the same. When its item trees change, items
//! outside the new ones leave the index.

use rusqlite::{Connection, OptionalExtension};

use super::{SearchIndex, bump_generation, delete_item, schema};
use crate::search::index::corpus::Corpus;

/// The number of a corpus in the index.
pub(crate) type CorpusId = u16;

impl SearchIndex {
    /// Returns the number of a corpus, and registers it if it is new. If its item trees have
    /// changed, the items that lie in none of them are deleted.
    pub(crate) fn register_corpus(&mut self, corpus: &Corpus) -> rusqlite::Result<CorpusId> {
        let labels = corpus.tree_labels().join("\n");
        if let Some((id, known)) = find_corpus(&self.connection, &corpus.name)?
            && known == labels
        {
            return Ok(id);
        }
        let change = schema::begin_write(&mut self.connection)?;
        // Another process may have registered it in the meantime.
        let id = if let Some((id, _)) = find_corpus(&change, &corpus.name)? {
            change.execute("UPDATE corpus SET trees = ? WHERE id = ?", (&labels, id))?;
            for item in items_outside_trees(&change, id, corpus)? {
                delete_item(&change, item)?;
            }
            id
        } else {
            let sql = "INSERT INTO corpus (name, trees) VALUES (?, ?)";
            change.execute(sql, (&corpus.name, &labels))?;
            let id = change.last_insert_rowid();
            id.try_into().map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, id))?
        };
        let generation = bump_generation(&change)?;
        change.commit()?;
        self.note_own_change(generation);
        self.refresh()?;
        Ok(id)
    }
}

fn find_corpus(
    connection: &Connection,
    name: &str,
) -> rusqlite::Result<Option<(CorpusId, String)>> {
    let mut one = connection.prepare_cached("SELECT id, trees FROM corpus WHERE name = ?")?;
    one.query_row([name], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

/// Returns the items that lie in none of a corpus's item trees.
fn items_outside_trees(
    change: &Connection,
    id: CorpusId,
    corpus: &Corpus,
) -> rusqlite::Result<Vec<i64>> {
    let mut all = change.prepare("SELECT id, path FROM item WHERE corpus = ?")?;
    let rows = all.query_map([id], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
    let mut outside = Vec::new();
    for row in rows {
        let (item, path) = row?;
        if corpus.find_tree(&path).is_none() {
            outside.push(item);
        }
    }
    Ok(outside)
}
