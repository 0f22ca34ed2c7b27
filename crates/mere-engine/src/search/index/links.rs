//! What items link to, and what links to them.

use mere_core::graph::Link;
use mere_core::item::ItemRef;
use rusqlite::{OptionalExtension, Row};

use super::segment::kind_number;
use super::{GroundId, Index};

/// An item that has links, as the index knows it.
pub(crate) struct Linked {
    pub(crate) item: u32,
    pub(crate) ground: GroundId,
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) entry_type: Option<String>,
}

impl Linked {
    const COLUMNS: &str = "id, ground, path, title, entry_type";

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            item: row.get(0)?,
            ground: row.get(1)?,
            path: row.get(2)?,
            title: row.get(3)?,
            entry_type: row.get(4)?,
        })
    }
}

impl Index {
    /// Every item that can have links.
    pub(crate) fn all_linked(&self) -> rusqlite::Result<Vec<Linked>> {
        let sql = format!("SELECT {} FROM item WHERE title <> ''", Linked::COLUMNS);
        self.connection.prepare_cached(&sql)?.query_map([], Linked::read)?.collect()
    }

    /// One of them.
    pub(crate) fn linked(&self, item: u32) -> rusqlite::Result<Option<Linked>> {
        let sql = format!("SELECT {} FROM item WHERE id = ? AND title <> ''", Linked::COLUMNS);
        self.connection.prepare_cached(&sql)?.query_row([item], Linked::read).optional()
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
    pub(crate) fn called(&self, name: &ItemRef) -> rusqlite::Result<Vec<u32>> {
        let mut all = self.connection.prepare_cached(
            "SELECT id FROM item WHERE name = ?1 AND title <> '' AND (?2 IS NULL OR category = ?2)",
        )?;
        let category = name.category.as_ref().map(ToString::to_string);
        all.query_map((name.id.as_str(), category), |row| row.get(0))?.collect()
    }

    /// The items that say something of an entry by either of its names.
    pub(crate) fn pointing_to(&self, id: &str, category: &str) -> rusqlite::Result<Vec<u32>> {
        let mut all =
            self.connection.prepare_cached("SELECT item FROM link WHERE target IN (?, ?)")?;
        let qualified = format!("{category}/{id}");
        all.query_map((id, qualified), |row| row.get(0))?.collect()
    }

    /// The numbers of knowledge that is linked with an entry, either way.
    pub(crate) fn related_to(&self, name: &ItemRef) -> rusqlite::Result<Vec<u32>> {
        let mut related = Vec::new();
        for own in self.called(name)? {
            let Some((id, category)) = self.name_of(own)? else { continue };
            related.extend(self.pointing_to(&id, &category)?);
            for link in self.links_of(own)? {
                if let Ok(name) = link.target.parse::<ItemRef>() {
                    related.extend(self.called(&name)?);
                }
            }
            related.retain(|item| *item != own);
        }
        related.sort_unstable();
        related.dedup();
        Ok(related)
    }

    fn name_of(&self, item: u32) -> rusqlite::Result<Option<(String, String)>> {
        let sql = "SELECT name, category FROM item WHERE id = ? AND kind = ?";
        let kind = kind_number(mere_core::item::ItemType::Knowledge);
        let mut one = self.connection.prepare_cached(sql)?;
        one.query_row((item, kind), |row| Ok((row.get(0)?, row.get(1)?))).optional()
    }

    /// The items that say they supersede an entry of this name.
    pub(crate) fn superseding(&self, id: &str, category: &str) -> rusqlite::Result<Vec<u32>> {
        let mut all = self.connection.prepare_cached(
            "SELECT item FROM link WHERE target IN (?, ?) AND relation = 'supersedes'",
        )?;
        let qualified = format!("{category}/{id}");
        all.query_map((id, qualified), |row| row.get(0))?.collect()
    }
}
