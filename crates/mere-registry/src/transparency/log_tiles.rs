//! Tiles and entry bundles, read from the tables.
//!
//! A tile of any width that the log has reached is served, so that a client can ask for those of an
//! older checkpoint.

use mere_core::log::{BundleId, EntryBundle, HashTile, TileId, TreeHash};

use crate::database::{Connection, DatabaseError};
use crate::error::RegistryError;

/// Reads a tile; `None` if the log is too short for it.
pub(crate) fn read_tile(
    connection: &mut Connection,
    id: TileId,
) -> Result<Option<Vec<u8>>, RegistryError> {
    const LEAVES: &str = "SELECT hash FROM log_entries WHERE leaf_index >= $1 AND leaf_index < $2 \
                          ORDER BY leaf_index";
    const NODES: &str = "SELECT hash FROM log_nodes WHERE node_index >= $1 AND node_index < $2 AND \
                         level = $3 ORDER BY node_index";
    let (first, end) = (id.first_hash(), id.first_hash().saturating_add(id.width().into()));
    let rows = match u64::from(id.level()) {
        0 => connection.query(LEAVES, &[first.into(), end.into()])?,
        level => connection.query(NODES, &[first.into(), end.into(), level.into()])?,
    };
    let hashes = rows.iter().map(|row| {
        let bytes = row.bytes(0)?.try_into().map_err(|_| DatabaseError::Shape)?;
        Ok(TreeHash::from_bytes(bytes))
    });
    let hashes = hashes.collect::<Result<Vec<_>, DatabaseError>>()?;
    Ok(HashTile::new(id, hashes).ok().map(|tile| tile.to_bytes()))
}

/// Reads an entry bundle; `None` if the log is too short for it.
pub(crate) fn read_bundle(
    connection: &mut Connection,
    id: BundleId,
) -> Result<Option<Vec<u8>>, RegistryError> {
    const SQL: &str = "SELECT entry FROM log_entries WHERE leaf_index >= $1 AND leaf_index < $2 \
                       ORDER BY leaf_index";
    let (first, end) = (id.first_entry(), id.first_entry().saturating_add(id.width().into()));
    let rows = connection.query(SQL, &[first.into(), end.into()])?;
    let entries = rows.iter().map(|row| row.bytes(0)).collect::<Result<Vec<_>, _>>()?;
    Ok(EntryBundle::new(id, entries).ok().map(|bundle| bundle.to_bytes()))
}
