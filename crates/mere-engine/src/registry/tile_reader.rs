//! Reads the parts of a log: hash tiles and entry bundles.
//!
//! Full tiles never change, so they are kept. A tile that was kept is tried first, and read anew if it
//! leads to a fault, so that a damaged cache accuses nobody.

use std::cell::Cell;

use mere_core::log::{BundleId, MAX_BUNDLE_BYTES, TILE_WIDTH, TileId, TileTree, TileTreeError};
use mere_core::registry::ApiPath;

use super::RegistryError;
use super::connection::Connection;
use super::memory::RegistryMemory;

/// Reads tiles from the cache or from the registry.
pub(super) struct TileReader<'a> {
    connection: &'a Connection,
    memory: &'a RegistryMemory,
    /// Whether tiles that were kept are used.
    uses_cache: Cell<bool>,
}

/// Whether a part of the log can still grow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PartState {
    Full,
    Growing,
}

impl PartState {
    fn of_width(width: u16) -> Self {
        if width == TILE_WIDTH { Self::Full } else { Self::Growing }
    }
}

/// A function that reads one tile.
type ReadTile<'a> = &'a dyn Fn(TileId) -> Result<Vec<u8>, Box<RegistryError>>;

impl<'a> TileReader<'a> {
    pub(super) fn new(connection: &'a Connection, memory: &'a RegistryMemory) -> Self {
        Self { connection, memory, uses_cache: Cell::new(true) }
    }

    /// Tries something with the tiles that were kept, and again without them if it does not succeed.
    pub(super) fn retry_without_cache<T>(
        &self,
        attempt: impl Fn() -> Result<Option<T>, RegistryError>,
    ) -> Result<Option<T>, RegistryError> {
        if let Some(found) = attempt()? {
            return Ok(Some(found));
        }
        self.uses_cache.set(false);
        let found = attempt();
        self.uses_cache.set(true);
        found
    }

    /// Computes something from the tiles of a tree of this size. Returns `None` if the registry does
    /// not serve the tiles that it needs.
    pub(super) fn compute<T>(
        &self,
        size: u64,
        compute: impl for<'r> FnOnce(
            &mut TileTree<ReadTile<'r>>,
        ) -> Result<T, TileTreeError<Box<RegistryError>>>,
    ) -> Result<Option<T>, RegistryError> {
        let read = |id| self.read_tile(id).map_err(Box::new);
        match compute(&mut TileTree::new(size, &read)) {
            Ok(computed) => Ok(Some(computed)),
            Err(TileTreeError::Length(_) | TileTreeError::Range) => Ok(None),
            Err(TileTreeError::Read(_, error)) => match *error {
                RegistryError::Absent => Ok(None),
                error => Err(error),
            },
        }
    }

    /// Reads the bytes of a tile.
    pub(super) fn read_tile(&self, id: TileId) -> Result<Vec<u8>, RegistryError> {
        let most = id.full().byte_length() as u64;
        let state = PartState::of_width(id.width());
        if let Some(bytes) = self.read_part(&ApiPath::Tile(id), state, most)? {
            return Ok(bytes);
        }
        // A server may have dropped the narrower tile once it was full.
        let full = self.read_part(&ApiPath::Tile(id.full()), PartState::Full, most)?;
        let mut full = full.ok_or(RegistryError::Absent)?;
        full.truncate(id.byte_length());
        Ok(full)
    }

    /// Reads the bytes of a bundle. Returns `None` if the registry does not serve it.
    pub(super) fn read_bundle(&self, id: BundleId) -> Result<Option<Vec<u8>>, RegistryError> {
        let state = PartState::of_width(id.width());
        self.read_part(&ApiPath::Bundle(id), state, MAX_BUNDLE_BYTES as u64)
    }

    /// Reads a part of the log. Only full ones are kept.
    fn read_part(
        &self,
        path: &ApiPath,
        state: PartState,
        most: u64,
    ) -> Result<Option<Vec<u8>>, RegistryError> {
        let path = path.to_string();
        let kept = || self.memory.read_tile(&path);
        if state == PartState::Full
            && self.uses_cache.get()
            && let Some(bytes) = kept()
        {
            return Ok(Some(bytes));
        }
        let bytes = self.connection.get_bytes(&path, most)?;
        if let Some(bytes) = bytes.as_deref().filter(|_| state == PartState::Full) {
            self.memory.keep_tile(&path, bytes);
        }
        Ok(bytes)
    }
}
