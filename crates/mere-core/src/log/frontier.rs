//! The right edge of a tree: all that is needed to add leaves and to compute the root.
//!
//! It has one hash for each full subtree that the tree is made of, the largest first. Those are as
//! many as the size has one bits.

use super::hash::{HASH_BYTES, MAX_TREE_SIZE, TreeHash, TreeHead};
use super::tile::TILE_HEIGHT;

/// The right edge of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    hashes: Vec<TreeHash>,
}

/// Hashes that are not the right edge of a tree of that size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored edge of the log does not fit its size")]
pub struct FrontierError;

/// A hash that a tile gains when a leaf is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileNode {
    /// The level of the tile.
    pub level: u8,
    /// The index of the hash among all hashes of that level.
    pub index: u64,
    /// The hash.
    pub hash: TreeHash,
}

impl Frontier {
    /// Restores an edge from its size and the bytes of its hashes.
    pub fn from_bytes(size: u64, bytes: &[u8]) -> Result<Self, FrontierError> {
        let (hashes, rest) = bytes.as_chunks::<HASH_BYTES>();
        let expected = usize::try_from(size.count_ones()).unwrap_or(usize::MAX);
        if size > MAX_TREE_SIZE || hashes.len() != expected || !rest.is_empty() {
            return Err(FrontierError);
        }
        let hashes = hashes.iter().copied().map(TreeHash::from_bytes).collect();
        Ok(Self { size, hashes })
    }

    /// Returns the bytes of its hashes, from which it can be restored.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.hashes.iter().flat_map(|hash| *hash.as_bytes()).collect()
    }

    /// Returns how many leaves the tree has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Computes the size and the root of the tree.
    pub fn head(&self) -> TreeHead {
        let from_the_right = self.hashes.iter().rev().copied();
        let root = from_the_right.reduce(|right, left| TreeHash::node(&left, &right));
        TreeHead { size: self.size, root: root.unwrap_or_else(TreeHash::empty_tree) }
    }

    /// Adds a leaf. Returns the hashes that tiles gain by it, the one of the leaf first.
    pub fn append(&mut self, leaf: TreeHash) -> Vec<TileNode> {
        let mut nodes = vec![TileNode { level: 0, index: self.size, hash: leaf }];
        let mut hash = leaf;
        // Each one bit at the end of the size is a full subtree to the left of the new one, of the
        // same height.
        for height in 1..=self.size.trailing_ones() {
            let Some(left) = self.hashes.pop() else { break };
            hash = TreeHash::node(&left, &hash);
            if height % TILE_HEIGHT == 0 {
                let level = u8::try_from(height / TILE_HEIGHT).unwrap_or(u8::MAX);
                nodes.push(TileNode { level, index: self.size >> height, hash });
            }
        }
        self.hashes.push(hash);
        self.size += 1;
        nodes
    }
}
