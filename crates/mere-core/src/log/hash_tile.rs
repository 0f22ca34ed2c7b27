//! The content of a tile: its hashes, one after the other.

use super::hash::{HASH_BYTES, TreeHash};
use super::tile::TileId;

/// A tile with its hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashTile {
    id: TileId,
    hashes: Vec<TreeHash>,
}

/// A tile that has another number of hashes than its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tile of the log has the wrong length")]
pub struct TileLengthError;

impl HashTile {
    /// Makes a tile of its hashes.
    pub fn new(id: TileId, hashes: Vec<TreeHash>) -> Result<Self, TileLengthError> {
        if hashes.len() == usize::from(id.width()) {
            Ok(Self { id, hashes })
        } else {
            Err(TileLengthError)
        }
    }

    /// Parses the bytes of a tile, which must be exactly as wide as its id says.
    pub fn parse(id: TileId, bytes: &[u8]) -> Result<Self, TileLengthError> {
        let (hashes, rest) = bytes.as_chunks::<HASH_BYTES>();
        if !rest.is_empty() || bytes.len() != id.byte_length() {
            return Err(TileLengthError);
        }
        Self::new(id, hashes.iter().copied().map(TreeHash::from_bytes).collect())
    }

    /// Returns the bytes that are served.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()
    }

    /// Returns which tile it is.
    pub fn id(&self) -> TileId {
        self.id
    }

    /// Returns its hashes.
    pub fn hashes(&self) -> &[TreeHash] {
        &self.hashes
    }

    /// Computes the root of a full subtree whose lowest row is part of the tile. `count` is a power
    /// of two. Returns `None` if the tile does not have that many hashes.
    pub(super) fn subtree(&self, first: usize, count: usize) -> Option<TreeHash> {
        let mut row = self.hashes.get(first..first.checked_add(count)?)?.to_vec();
        while row.len() > 1 {
            let (pairs, _) = row.as_chunks::<2>();
            row = pairs.iter().map(|[left, right]| TreeHash::node(left, right)).collect();
        }
        row.first().copied()
    }
}
