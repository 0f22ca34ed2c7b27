//! The relationships of knowledge entries, as their newest versions state them.

use mere_core::registry::{
    PublishedRelationship, QualifiedId, RegistryItemName, RelationshipDirection, RelationshipList,
};

use super::item_rows::item_key;
use super::read::find_item;
use crate::accounts::Access;
use crate::database::{DatabaseError, Row};
use crate::error::RegistryError;
use crate::registry::Registry;

/// The most relationships of one answer.
const MAX_LISTED: u64 = 1_000;

impl Registry {
    /// Reads the relationships that an entry states, or that others of its namespace state about it.
    pub(crate) fn read_relationships(
        &self,
        access: &Access,
        item: &RegistryItemName,
        direction: RelationshipDirection,
    ) -> Result<RelationshipList, RegistryError> {
        let column = match direction {
            RelationshipDirection::Out => "from_zettel_id",
            RelationshipDirection::In => "to_zettel_id",
        };
        let sql = format!(
            "SELECT r.namespace, r.from_zettel_id, r.to_zettel_id, r.relationship_type \
             FROM knowledge_relationships r JOIN knowledge_entries k ON k.namespace = r.namespace \
             AND k.zettel_id = r.from_zettel_id AND k.latest_version = r.version \
             WHERE r.namespace = $1 AND r.{column} = $2 \
             ORDER BY r.from_zettel_id, r.to_zettel_id, r.relationship_type LIMIT $3"
        );
        self.database.read(|connection| {
            let namespace = access.permit_read(connection, item)?;
            let item = find_item(connection, &namespace, item)?;
            let mut values = item_key(&item).to_vec();
            values.push(MAX_LISTED.into());
            let rows = connection.query(&sql, &values)?;
            let relationships = rows.iter().map(read_row).collect::<Result<Vec<_>, _>>()?;
            // A token may permit one entry of a private namespace and not the others.
            let mut visible = Vec::new();
            for one in relationships {
                let from = RegistryItemName::new(item.kind, one.from.clone());
                if access.permit_read(connection, &from).is_ok() {
                    visible.push(one);
                }
            }
            Ok(RelationshipList { relationships: visible })
        })
    }
}

fn read_row(row: &Row) -> Result<PublishedRelationship, DatabaseError> {
    let from = QualifiedId {
        namespace: row.text(0)?.parse().map_err(|_| DatabaseError::Shape)?,
        id: row.text(1)?.parse().map_err(|_| DatabaseError::Shape)?,
    };
    let relation = row.text(3)?.parse().map_err(|_| DatabaseError::Shape)?;
    Ok(PublishedRelationship { from, to: row.text(2)?, relation })
}
