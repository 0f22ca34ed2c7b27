//! Proofs about a Merkle tree, verified from plain lists of hashes (RFC 9162, section 2.1).
//!
//! That an entry is included is only asked of a checkpoint that is trusted, so the check of an
//! inclusion proof is not public.

use super::hash::{TreeHash, TreeHead};

/// The most hashes that a proof may have.
pub const MAX_PROOF_HASHES: usize = 63;

/// The proof that a leaf is part of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InclusionProof {
    /// The index of the leaf.
    pub index: u64,
    /// The hashes of the siblings, from the leaf up.
    pub hashes: Vec<TreeHash>,
}

/// The proof that a tree continues a smaller one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsistencyProof {
    /// The hashes in the order of RFC 6962.
    pub hashes: Vec<TreeHash>,
}

/// The reason why a proof does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// It has too few or too many hashes for trees of these sizes.
    #[error("the proof does not fit the size of the log")]
    Shape,
    /// It leads to another root than that of the tree.
    #[error("the proof leads to another log")]
    OtherRoot,
    /// It leads to the root of the new tree, but to another one than that of the old tree.
    #[error("the log has another history")]
    OtherOldRoot,
}

/// The way from a leaf to the root.
struct Climb {
    /// The index of the present node within its level.
    node: u64,
    /// The index of the last node of that level. It is 0 at the root.
    last: u64,
}

/// On which side of the node its sibling is.
enum Sibling {
    Left,
    Right,
}

impl Climb {
    /// Goes one step up. Returns `None` if the root was reached before.
    fn step(&mut self) -> Option<Sibling> {
        if self.last == 0 {
            return None;
        }
        let is_right = self.node & 1 == 1;
        let sibling =
            if is_right || self.node == self.last { Sibling::Left } else { Sibling::Right };
        // A node at the right edge without a sibling is its own parent.
        if matches!(sibling, Sibling::Left) && !is_right {
            self.skip(self.node.trailing_zeros());
        }
        self.skip(1);
        Some(sibling)
    }

    fn skip(&mut self, levels: u32) {
        self.node = self.node.checked_shr(levels).unwrap_or(0);
        self.last = self.last.checked_shr(levels).unwrap_or(0);
    }
}

impl InclusionProof {
    /// Checks that a leaf is part of a tree.
    pub(super) fn check(&self, leaf: TreeHash, head: &TreeHead) -> Result<(), ProofError> {
        if self.index >= head.size {
            return Err(ProofError::Shape);
        }
        let mut climb = Climb { node: self.index, last: head.size - 1 };
        let mut root = leaf;
        for hash in &self.hashes {
            root = match climb.step().ok_or(ProofError::Shape)? {
                Sibling::Left => TreeHash::node(hash, &root),
                Sibling::Right => TreeHash::node(&root, hash),
            };
        }
        match climb.last {
            0 if root == head.root => Ok(()),
            0 => Err(ProofError::OtherRoot),
            _ => Err(ProofError::Shape),
        }
    }
}

impl ConsistencyProof {
    /// Checks that a tree continues a smaller one. A tree without leaves is continued by any tree.
    pub fn check(&self, old: &TreeHead, new: &TreeHead) -> Result<(), ProofError> {
        if old.size > new.size {
            return Err(ProofError::Shape);
        }
        if old.size == 0 || old.size == new.size {
            let is_same = old.size == 0 || old.root == new.root;
            return match self.hashes.as_slice() {
                [] if is_same => Ok(()),
                [] => Err(ProofError::OtherOldRoot),
                _ => Err(ProofError::Shape),
            };
        }
        self.check_growth(old, new)
    }

    fn check_growth(&self, old: &TreeHead, new: &TreeHead) -> Result<(), ProofError> {
        // The root of a full tree is a node of the new one, and is not repeated in the proof.
        let (first, rest) = match self.hashes.split_first() {
            _ if old.size.is_power_of_two() => (&old.root, self.hashes.as_slice()),
            Some(split) => split,
            None => return Err(ProofError::Shape),
        };
        let mut climb = Climb { node: old.size - 1, last: new.size - 1 };
        climb.skip(climb.node.trailing_ones());
        let (mut old_root, mut new_root) = (*first, *first);
        for hash in rest {
            match climb.step().ok_or(ProofError::Shape)? {
                Sibling::Left => {
                    old_root = TreeHash::node(hash, &old_root);
                    new_root = TreeHash::node(hash, &new_root);
                }
                Sibling::Right => new_root = TreeHash::node(&new_root, hash),
            }
        }
        match climb.last {
            0 if new_root != new.root => Err(ProofError::OtherRoot),
            0 if old_root != old.root => Err(ProofError::OtherOldRoot),
            0 => Ok(()),
            _ => Err(ProofError::Shape),
        }
    }
}
