//! The links between items, in both directions.
//!
//! Targets are stored as they are written. Which item a target stands for is decided by the graph
//! and not here.

use mere_core::graph::Link;
use mere_core::item::{ItemRef, Relation, ScopedPath};
use rusqlite::Row;

use super::{CorpusId, SearchIndex};

/// An item that can have links, as the index knows it.
pub(crate) struct LinkableItem {
    pub(crate) item: u32,
    pub(crate) corpus: CorpusId,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) entry_type: Option<String>,
}

impl LinkableItem {
    const COLUMNS: &str = "id, corpus, path, title, entry_type";

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            item: row.get(0)?,
            corpus: row.get(1)?,
            path: row.get(2)?,
            title: row.get(3)?,
            entry_type: row.get(4)?,
        })
    }
}

impl SearchIndex {
    /// Returns every item that can have links.
    pub(crate) fn linkable_items(&self) -> rusqlite::Result<Vec<LinkableItem>> {
        let sql = format!("SELECT {} FROM item WHERE title <> ''", LinkableItem::COLUMNS);
        self.connection.prepare_cached(&sql)?.query_map([], LinkableItem::from_row)?.collect()
    }

    /// Returns the links of an item.
    pub(crate) fn links_of(&self, item: u32) -> rusqlite::Result<Vec<Link>> {
        let sql = "SELECT relation, target FROM link WHERE item = ? ORDER BY rowid";
        let mut all = self.connection.prepare_cached(sql)?;
        let rows = all.query_map([item], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        let mut links = Vec::new();
        for row in rows {
            let (relation, target) = row?;
            links.extend(relation.parse().ok().map(|relation| Link { relation, target }));
        }
        Ok(links)
    }

    /// Returns the items that a name can stand for, as it is written.
    pub(crate) fn items_named(&self, name: &ItemRef) -> rusqlite::Result<Vec<LinkableItem>> {
        let sql = format!(
            "SELECT {} FROM item WHERE name = ?1 AND title <> '' AND (?2 IS NULL OR category = ?2)",
            LinkableItem::COLUMNS
        );
        let category = name.category.as_ref().map(ToString::to_string);
        let mut all = self.connection.prepare_cached(&sql)?;
        all.query_map((name.id.as_str(), category), LinkableItem::from_row)?.collect()
    }

    /// Returns the links whose target is written as either name of an entry, with their items; only
    /// those of one relation, if one is given. Whether such a link resolves to this entry is not
    /// decided here.
    pub(crate) fn links_to(
        &self,
        place: &ScopedPath,
        only: Option<Relation>,
    ) -> rusqlite::Result<Vec<(LinkableItem, Link)>> {
        let sql = format!(
            "SELECT {}, relation, target FROM link JOIN item ON item.id = link.item
             WHERE target IN (?1, ?2) AND (?3 IS NULL OR relation = ?3) AND title <> ''",
            LinkableItem::COLUMNS
        );
        let (id, qualified) = (place.id.as_str(), format!("{}/{}", place.category, place.id));
        let mut all = self.connection.prepare_cached(&sql)?;
        let read = |row: &Row<'_>| {
            Ok((
                LinkableItem::from_row(row)?,
                row.get::<_, String>("relation")?,
                row.get("target")?,
            ))
        };
        let mut found = Vec::new();
        for row in all.query_map((id, qualified, only.map(Relation::name)), read)? {
            let (linked, relation, target) = row?;
            let relation = relation.parse().ok();
            found.extend(relation.map(|relation| (linked, Link { relation, target })));
        }
        Ok(found)
    }
}
