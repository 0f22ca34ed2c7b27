//! How many items there are, by type, category and namespace, among those that somebody may read.

use mere_core::item::{Category, Relation};
use mere_core::registry::{Namespace, RegistryType};

use crate::accounts::Access;
use crate::database::{DatabaseError, Row};
use crate::error::RegistryError;
use crate::registry::Registry;

/// The most groups of each kind, and the most links of one namespace.
const MAX_GROUPS: u64 = 500;
const MAX_LINKS: u64 = 2_000;

/// How many items there are.
pub(crate) struct ItemCounts {
    /// By type.
    pub(crate) types: Vec<(RegistryType, u64)>,
    /// By category, in order.
    pub(crate) categories: Vec<(Category, u64)>,
    /// By namespace, in order.
    pub(crate) namespaces: Vec<(Namespace, u64)>,
}

/// A link that the newest version of a knowledge entry states.
pub(crate) struct StatedLink {
    /// The id of the entry.
    pub(crate) from: String,
    /// The relation.
    pub(crate) relation: Relation,
    /// The name of the other entry, as it was written.
    pub(crate) to: String,
}

impl Registry {
    /// Counts the items that may be read.
    pub(crate) fn count_items(&self, access: &Access) -> Result<ItemCounts, RegistryError> {
        Ok(ItemCounts {
            types: self.count_by(access, "item_type")?,
            categories: self.count_by(access, "category")?,
            namespaces: self.count_by(access, "namespace")?,
        })
    }

    fn count_by<T: std::str::FromStr>(
        &self,
        access: &Access,
        column: &'static str,
    ) -> Result<Vec<(T, u64)>, RegistryError> {
        let (readable, mut values) = access.readable_condition("u", 1);
        let limit = format!("${}", values.len() + 1);
        values.push(MAX_GROUPS.into());
        let sql = format!(
            "SELECT u.{column}, COUNT(*) FROM unified_items u JOIN namespaces n \
             ON n.name = u.namespace WHERE {readable} GROUP BY u.{column} ORDER BY u.{column} \
             LIMIT {limit}"
        );
        let read = |row: &Row| {
            let name = row.text(0)?.parse().map_err(|_| DatabaseError::Shape)?;
            Ok((name, row.number(1)?))
        };
        self.database.read(|connection| {
            let rows = connection.query(&sql, &values)?;
            Ok(rows.iter().map(read).collect::<Result<Vec<_>, DatabaseError>>()?)
        })
    }

    /// Reads the links between the knowledge entries of a namespace that may be read.
    pub(crate) fn read_stated_links(
        &self,
        access: &Access,
        namespace: &Namespace,
    ) -> Result<Vec<StatedLink>, RegistryError> {
        let (readable, mut values) = access.readable_condition("u", 1);
        let (name, limit) = (values.len() + 1, values.len() + 2);
        values.push(namespace.key().as_str().into());
        values.push(MAX_LINKS.into());
        let sql = format!(
            "SELECT r.from_zettel_id, r.relationship_type, r.to_zettel_id \
             FROM knowledge_relationships r JOIN unified_items u ON u.item_type = 'knowledge' AND \
             u.namespace = r.namespace AND u.item_id = r.from_zettel_id AND \
             u.latest_version = r.version JOIN namespaces n ON n.name = u.namespace \
             WHERE {readable} AND n.name_key = ${name} \
             ORDER BY r.from_zettel_id, r.to_zettel_id, r.relationship_type LIMIT ${limit}"
        );
        let read = |row: &Row| {
            let relation = row.text(1)?.parse().map_err(|_| DatabaseError::Shape)?;
            Ok(StatedLink { from: row.text(0)?, relation, to: row.text(2)? })
        };
        self.database.read(|connection| {
            let rows = connection.query(&sql, &values)?;
            Ok(rows.iter().map(read).collect::<Result<Vec<_>, DatabaseError>>()?)
        })
    }
}
