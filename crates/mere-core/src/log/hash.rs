//! The hashes of a Merkle tree, as RFC 6962 computes them with SHA-256.
//!
//! A leaf and an inner node are hashed with different first bytes, so that neither can be taken for
//! the other.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::digest::{Sha256, Sha256Hasher};

/// What is hashed before the bytes of a leaf.
const LEAF_PREFIX: &[u8] = &[0];
/// What is hashed before the two children of an inner node.
const NODE_PREFIX: &[u8] = &[1];

/// How many bytes a hash has.
pub const HASH_BYTES: usize = 32;

/// The largest number of leaves that a tree may have.
pub const MAX_TREE_SIZE: u64 = (1 << 62) - 1;

/// The hash of a leaf, of an inner node, or of a whole tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHash([u8; HASH_BYTES]);

/// A text that is not the hash of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash is the base64 of 32 bytes")]
pub struct TreeHashError;

/// How many leaves a tree has, and its root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeHead {
    /// How many leaves it has.
    pub size: u64,
    /// The hash of its root.
    pub root: TreeHash,
}

impl TreeHash {
    /// Takes a hash that was computed before.
    pub fn from_bytes(bytes: [u8; HASH_BYTES]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; HASH_BYTES] {
        &self.0
    }

    /// Computes the root of a tree without leaves.
    pub fn empty_tree() -> Self {
        Self(*Sha256::digest(b"").as_bytes())
    }

    /// Computes the hash of a leaf.
    pub fn leaf(entry: &[u8]) -> Self {
        Self::hash(&[LEAF_PREFIX, entry])
    }

    /// Computes the hash of an inner node.
    pub fn node(left: &Self, right: &Self) -> Self {
        Self::hash(&[NODE_PREFIX, &left.0, &right.0])
    }

    fn hash(pieces: &[&[u8]]) -> Self {
        let mut hasher = Sha256Hasher::default();
        for piece in pieces {
            hasher.update(piece);
        }
        Self(*hasher.digest().as_bytes())
    }
}

impl TreeHead {
    /// Returns the head of a tree without leaves.
    pub fn empty() -> Self {
        Self { size: 0, root: TreeHash::empty_tree() }
    }
}

impl FromStr for TreeHash {
    type Err = TreeHashError;

    fn from_str(text: &str) -> Result<Self, TreeHashError> {
        let bytes = BASE64_STANDARD.decode(text).map_err(|_| TreeHashError)?;
        bytes.try_into().map(Self).map_err(|_| TreeHashError)
    }
}

impl fmt::Display for TreeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_STANDARD.encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_has_one_spelling() {
        let hash = TreeHash::leaf(b"");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        let text = hash.to_string();
        for bad in ["", &text[..43], &format!("{text}="), &format!(" {text}"), "AAAA"] {
            assert_eq!(bad.parse::<TreeHash>(), Err(TreeHashError), "{bad}");
        }
        // The last character has two bits that are not part of the hash.
        let other = format!("{}1=", "A".repeat(42));
        assert!(other.parse::<TreeHash>().is_err());
    }
}
