//! Entry bundles: the entries of a tile, each after its length in two bytes.

use super::entry::MAX_ENTRY_BYTES;
use super::hash::TreeHash;
use super::tile::{BundleId, TILE_WIDTH};

/// The size of the largest bundle in bytes.
pub const MAX_BUNDLE_BYTES: usize = TILE_WIDTH as usize * (MAX_ENTRY_BYTES + 2);

/// The entries of a bundle, as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryBundle {
    id: BundleId,
    entries: Vec<Vec<u8>>,
}

/// A bundle that does not have as many entries as its width, or an entry that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an entry bundle of the log is malformed")]
pub struct BundleError;

impl EntryBundle {
    /// Makes a bundle of its entries.
    pub fn new(id: BundleId, entries: Vec<Vec<u8>>) -> Result<Self, BundleError> {
        let fits = entries.iter().all(|entry| entry.len() <= MAX_ENTRY_BYTES);
        if fits && entries.len() == usize::from(id.width()) {
            Ok(Self { id, entries })
        } else {
            Err(BundleError)
        }
    }

    /// Parses the bytes of a bundle, which must have exactly as many entries as its id says.
    pub fn parse(id: BundleId, bytes: &[u8]) -> Result<Self, BundleError> {
        let mut entries = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() && entries.len() < usize::from(id.width()) {
            let (length, after) = rest.split_first_chunk::<2>().ok_or(BundleError)?;
            let length = usize::from(u16::from_be_bytes(*length));
            let (entry, after) = after.split_at_checked(length).ok_or(BundleError)?;
            entries.push(entry.to_vec());
            rest = after;
        }
        if rest.is_empty() { Self::new(id, entries) } else { Err(BundleError) }
    }

    /// Returns the bytes that are served.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = |entry: &[u8]| u16::try_from(entry.len()).unwrap_or_default().to_be_bytes();
        self.entries.iter().flat_map(|entry| [&length(entry)[..], entry].concat()).collect()
    }

    /// Returns which bundle it is.
    pub fn id(&self) -> BundleId {
        self.id
    }

    /// Returns its entries.
    pub fn entries(&self) -> &[Vec<u8>] {
        &self.entries
    }

    /// Computes the hashes of its entries, which are those of the tile at level 0.
    pub fn leaf_hashes(&self) -> impl Iterator<Item = TreeHash> {
        self.entries.iter().map(|entry| TreeHash::leaf(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_read_as_it_is_written() {
        let id = BundleId::new(7, 3).expect("a bundle");
        let entries = vec![b"one".to_vec(), Vec::new(), vec![b'x'; MAX_ENTRY_BYTES]];
        let bundle = EntryBundle::new(id, entries).expect("a bundle");
        let bytes = bundle.to_bytes();
        assert_eq!(bytes[..7], *b"\0\x03one\0\0");
        assert_eq!(EntryBundle::parse(id, &bytes), Ok(bundle.clone()));
        assert_eq!(bundle.leaf_hashes().next(), Some(TreeHash::leaf(b"one")));
        for end in 0..bytes.len() {
            assert_eq!(EntryBundle::parse(id, &bytes[..end]), Err(BundleError), "{end}");
        }
        for other in [2, 4] {
            let other = BundleId::new(7, other).expect("a bundle");
            assert_eq!(EntryBundle::parse(other, &bytes), Err(BundleError));
        }
        let long = vec![vec![0; MAX_ENTRY_BYTES + 1]; 3];
        assert_eq!(EntryBundle::new(id, long), Err(BundleError));
    }
}
