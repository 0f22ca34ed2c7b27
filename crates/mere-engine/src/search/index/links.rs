//! What items link to, and what links to them.

use mere_core::graph::Link;
use mere_core::item::{ItemRef, Relation, ScopedPath};
use rusqlite::Row;

use super::{CorpusId, SearchIndex};

/// An item that has links, as the index knows it.
pub(crate) struct LinkableItem {
    pub(crate) item: u32,
    pub(crate) corpus: CorpusId,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) entry_type: Option<String>,
}

impl LinkableItem {
    const COLUMNS: &str = "id, ground, path, title, entry_type";

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
    /// Every item that can have links.
    pub(crate) fn linkable_items(&self) -> rusqlite::Result<Vec<LinkableItem>> {
        let sql = format!("SELECT {} FROM item WHERE title <> ''", LinkableItem::COLUMNS);
        self.connection.prepare_cached(&sql)?.query_map([], LinkableItem::from_row)?.collect()
    }

    /// What an item says of others.
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

    /// The items that a name as it is written can mean.
    pub(crate) fn items_named(&self, name: &ItemRef) -> rusqlite::Result<Vec<LinkableItem>> {
        let sql = format!(
            "SELECT {} FROM item WHERE name = ?1 AND title <> '' AND (?2 IS NULL OR category = ?2)",
            LinkableItem::COLUMNS
        );
        let category = name.category.as_ref().map(ToString::to_string);
        let mut all = self.connection.prepare_cached(&sql)?;
        all.query_map((name.id.as_str(), category), LinkableItem::from_row)?.collect()
    }

    /// What is said of an entry by either of its names, and by whom; by one relation, if one is
    /// asked for. Whether it is this entry that is meant is another question.
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
