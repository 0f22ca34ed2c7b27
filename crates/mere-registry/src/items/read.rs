//! Reading namespaces, items and versions.

use mere_core::item::Version;
use mere_core::log::{EntryDisclosure, EntryNonce, LoggedEvent, RegistryEvent};
use mere_core::registry::{
    NameKey, Namespace, NamespaceInfo, RegistryItemInfo, RegistryItemName, RegistryVersionName,
    VersionInfo, VersionRecord, VersionSummary,
};

use super::item_rows::{item_key, version_key};
use super::item_table::ItemTable;
use crate::accounts::{Access, NamespaceRow, Privacy, active_keys, key_change_indices};
use crate::database::{Connection, DatabaseError};
use crate::error::RegistryError;
use crate::registry::Registry;

impl Registry {
    /// Reads a namespace and its keys.
    pub(crate) fn read_namespace(
        &self,
        access: &Access,
        namespace: &Namespace,
    ) -> Result<NamespaceInfo, RegistryError> {
        self.database.read(|connection| {
            let row = access.permit_namespace(connection, namespace)?;
            let keys = active_keys(connection, &row.name)?;
            let changes = key_change_indices(connection, &row.name)?;
            let changes = changes.into_iter().map(|index| read_logged_event(connection, index));
            let key_changes = changes.collect::<Result<_, _>>()?;
            Ok(NamespaceInfo {
                private: row.privacy == Privacy::Private,
                name: row.name,
                keys: keys.into_iter().map(Into::into).collect(),
                key_changes,
            })
        })
    }

    /// Reads an item with its versions.
    pub(crate) fn read_item(
        &self,
        access: &Access,
        item: &RegistryItemName,
    ) -> Result<RegistryItemInfo, RegistryError> {
        self.database.read(|connection| {
            let row = access.permit_read(connection, item)?;
            let item = find_item(connection, &row, item)?;
            read_item_info(connection, item)
        })
    }

    /// Reads a version with its entries in the log.
    pub(crate) fn read_version(
        &self,
        access: &Access,
        name: &RegistryVersionName,
    ) -> Result<VersionInfo, RegistryError> {
        self.database.read(|connection| {
            let row = access.permit_read(connection, &name.item)?;
            let item = find_item(connection, &row, &name.item)?;
            read_version_info(connection, &item.with_version(name.version.clone()))
        })
    }
}

/// Finds an item by any spelling of its name.
pub(super) fn find_item(
    connection: &mut Connection,
    namespace: &NamespaceRow,
    item: &RegistryItemName,
) -> Result<RegistryItemName, RegistryError> {
    let ItemTable { items, id, .. } = ItemTable::of(item.kind);
    let sql = format!("SELECT {id} FROM {items} WHERE namespace = $1 AND id_key = $2");
    let key = NameKey::of_item(&item.id);
    let values = [namespace.name.as_str().into(), key.as_str().into()];
    let row = connection.query_one(&sql, &values)?.ok_or(RegistryError::NotFound)?;
    let id = row.text(0)?.parse().map_err(|_| DatabaseError::Shape)?;
    Ok(RegistryItemName { kind: item.kind, namespace: namespace.name.clone(), id })
}

fn read_item_info(
    connection: &mut Connection,
    item: RegistryItemName,
) -> Result<RegistryItemInfo, RegistryError> {
    let ItemTable { items, versions, id, name, .. } = ItemTable::of(item.kind);
    let sql = format!(
        "SELECT {name}, description, category, latest_version FROM {items} \
         WHERE namespace = $1 AND {id} = $2"
    );
    let row = connection.query_one(&sql, &item_key(&item))?.ok_or(RegistryError::NotFound)?;
    let sql = format!(
        "SELECT version, published_at, yanked_at FROM {versions} WHERE namespace = $1 AND {id} = $2"
    );
    let all = connection.query(&sql, &item_key(&item))?;
    let all = all.iter().map(|row| {
        Ok(VersionSummary {
            version: row.text(0)?.parse().map_err(|_| DatabaseError::Shape)?,
            published: row.text(1)?.parse().map_err(|_| DatabaseError::Shape)?,
            yanked: row.optional_text(2)?.is_some(),
        })
    });
    let mut all = all.collect::<Result<Vec<_>, DatabaseError>>()?;
    all.sort_by(|left, right| right.version.cmp(&left.version));
    let latest = row.optional_text(3)?.map(|text| text.parse::<Version>()).transpose();
    Ok(RegistryItemInfo {
        kind: item.kind,
        namespace: item.namespace,
        id: item.id,
        name: row.text(0)?,
        description: row.text(1)?,
        category: row.text(2)?.parse().map_err(|_| DatabaseError::Shape)?,
        latest_version: latest.map_err(|_| DatabaseError::Shape)?,
        versions: all,
    })
}

/// Reads a version that exists, or does not.
pub(crate) fn read_version_info(
    connection: &mut Connection,
    name: &RegistryVersionName,
) -> Result<VersionInfo, RegistryError> {
    let ItemTable { versions, id, .. } = ItemTable::of(name.item.kind);
    let sql = format!(
        "SELECT record, leaf_index, yank_index FROM {versions} \
         WHERE namespace = $1 AND {id} = $2 AND version = $3"
    );
    let row = connection.query_one(&sql, &version_key(name))?.ok_or(RegistryError::NotFound)?;
    let record = VersionRecord::parse(row.text(0)?.as_bytes());
    let yanked = row.optional_number(2)?;
    Ok(VersionInfo {
        record: record.map_err(|_| DatabaseError::Shape)?,
        published: read_logged_event(connection, row.number(1)?)?,
        yanked: yanked.map(|index| read_logged_event(connection, index)).transpose()?,
    })
}

/// Reads an entry of the log, with what was sealed.
pub(crate) fn read_logged_event(
    connection: &mut Connection,
    index: u64,
) -> Result<LoggedEvent, RegistryError> {
    const SQL: &str = "SELECT e.entry, s.entry, s.nonce FROM log_entries e LEFT JOIN \
                       sealed_entries s ON s.leaf_index = e.leaf_index WHERE e.leaf_index = $1";
    let row = connection.query_one(SQL, &[index.into()])?.ok_or(DatabaseError::Shape)?;
    let nonce = row.optional_bytes(2)?.map(<[u8; 32]>::try_from).transpose();
    let nonce = nonce.map_err(|_| DatabaseError::Shape)?.map(EntryNonce::new);
    let event = row.optional_bytes(1)?.map_or_else(|| row.bytes(0), Ok)?;
    let event = RegistryEvent::parse(&event).map_err(|_| DatabaseError::Shape)?;
    Ok(LoggedEvent { index, disclosure: EntryDisclosure { event, nonce } })
}
