//! A tree that is read from its tiles, and the proofs that follow from them.
//!
//! Whoever serves the tiles may lie. A proof is therefore only what its verification says, against
//! a checkpoint that is trusted. Each tile is read once, and only tiles of the stated size are
//! asked for.

use std::collections::BTreeMap;
use std::ops::Range;

use super::hash::{MAX_TREE_SIZE, TreeHash, TreeHead};
use super::hash_tile::{HashTile, TileLengthError};
use super::proof::{ConsistencyProof, InclusionProof};
use super::tile::{TILE_HEIGHT, TILE_WIDTH, TileId};

/// A tree of a known size, with a function that reads a tile.
pub struct TileTree<F> {
    size: u64,
    read: F,
    tiles: BTreeMap<TileId, HashTile>,
}

/// The reason why a hash could not be computed from tiles.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum TileTreeError<E> {
    /// A tile could not be read.
    #[error("a tile of the log could not be read")]
    Read(TileId, E),
    /// A tile has the wrong length.
    #[error("a tile of the log has the wrong length")]
    Length(TileId),
    /// The tree does not have these leaves.
    #[error("the log does not have these entries")]
    Range,
}

impl<E, F: FnMut(TileId) -> Result<Vec<u8>, E>> TileTree<F> {
    /// Describes a tree of this size. No tile is read yet.
    pub fn new(size: u64, read: F) -> Self {
        Self { size, read, tiles: BTreeMap::new() }
    }

    /// Computes the root.
    pub fn root(&mut self) -> Result<TreeHash, TileTreeError<E>> {
        if self.size == 0 { Ok(TreeHash::empty_tree()) } else { self.subtree(0..self.size) }
    }

    /// Returns the hash of a leaf.
    pub fn leaf_hash(&mut self, index: u64) -> Result<TreeHash, TileTreeError<E>> {
        self.subtree(index..index.saturating_add(1))
    }

    /// Computes the root of the tree that these leaves alone would make.
    pub fn subtree(&mut self, leaves: Range<u64>) -> Result<TreeHash, TileTreeError<E>> {
        if leaves.is_empty() || leaves.end > self.size || self.size > MAX_TREE_SIZE {
            return Err(TileTreeError::Range);
        }
        let count = leaves.end - leaves.start;
        if count.is_power_of_two() && leaves.start.is_multiple_of(count) {
            return self.full_subtree(count.trailing_zeros(), leaves.start);
        }
        let middle = leaves.start + left_size(count);
        let left = self.subtree(leaves.start..middle)?;
        let right = self.subtree(middle..leaves.end)?;
        Ok(TreeHash::node(&left, &right))
    }

    /// Computes the root of a full subtree of this height from the tile that contains its row.
    fn full_subtree(&mut self, height: u32, start: u64) -> Result<TreeHash, TileTreeError<E>> {
        let level = height / TILE_HEIGHT;
        let at = start >> (level * TILE_HEIGHT);
        let level = u8::try_from(level).map_err(|_| TileTreeError::Range)?;
        let id = TileId::containing(level, at, self.size).ok_or(TileTreeError::Range)?;
        let first = usize::try_from(at % u64::from(TILE_WIDTH)).unwrap_or(usize::MAX);
        let subtree = self.tile(id)?.subtree(first, 1 << (height % TILE_HEIGHT));
        subtree.ok_or(TileTreeError::Range)
    }

    fn tile(&mut self, id: TileId) -> Result<&HashTile, TileTreeError<E>> {
        if !self.tiles.contains_key(&id) {
            let bytes = (self.read)(id).map_err(|error| TileTreeError::Read(id, error))?;
            let tile =
                HashTile::parse(id, &bytes).map_err(|TileLengthError| TileTreeError::Length(id))?;
            self.tiles.insert(id, tile);
        }
        self.tiles.get(&id).ok_or(TileTreeError::Range)
    }

    /// Computes the proof that a leaf is part of the tree (RFC 6962, section 2.1.1).
    pub fn inclusion_proof(&mut self, index: u64) -> Result<InclusionProof, TileTreeError<E>> {
        if index >= self.size {
            return Err(TileTreeError::Range);
        }
        let mut hashes = Vec::new();
        let mut inside = 0..self.size;
        while inside.end - inside.start > 1 {
            let middle = inside.start + left_size(inside.end - inside.start);
            let (left, right) = (inside.start..middle, middle..inside.end);
            let sibling = if index < middle { right.clone() } else { left.clone() };
            hashes.push(self.subtree(sibling)?);
            inside = if index < middle { left } else { right };
        }
        hashes.reverse();
        Ok(InclusionProof { index, hashes })
    }

    /// Computes the proof that the tree continues the one that had `old_size` leaves (RFC 6962,
    /// section 2.1.2).
    pub fn consistency_proof(
        &mut self,
        old_size: u64,
    ) -> Result<ConsistencyProof, TileTreeError<E>> {
        if old_size > self.size {
            return Err(TileTreeError::Range);
        }
        let mut hashes = Vec::new();
        let mut inside = 0..self.size;
        while old_size > 0 && old_size < inside.end {
            let middle = inside.start + left_size(inside.end - inside.start);
            let (left, right) = (inside.start..middle, middle..inside.end);
            let is_left = old_size <= middle;
            hashes.push(self.subtree(if is_left { right.clone() } else { left.clone() })?);
            inside = if is_left { left } else { right };
        }
        // The old root itself is known to the verifier; another subtree is not.
        if inside.start > 0 {
            hashes.push(self.subtree(inside)?);
        }
        hashes.reverse();
        Ok(ConsistencyProof { hashes })
    }

    /// Computes the proof that goes with an offered checkpoint: that the tree continues the one that
    /// was seen. It is empty if there is nothing to prove, or if the tree is the smaller one.
    pub fn growth_proof(
        &mut self,
        seen: Option<TreeHead>,
    ) -> Result<ConsistencyProof, TileTreeError<E>> {
        match seen {
            Some(seen) if seen.size < self.size => self.consistency_proof(seen.size),
            _ => Ok(ConsistencyProof::default()),
        }
    }
}

/// Returns how many leaves the left subtree of a tree of at least two leaves has: the largest power
/// of two below the size.
fn left_size(size: u64) -> u64 {
    1 << (size - 1).checked_ilog2().unwrap_or(0)
}
