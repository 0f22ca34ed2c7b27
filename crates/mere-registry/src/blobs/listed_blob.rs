//! A blob as its store lists it.

use jiff::Timestamp;
use mere_core::digest::Sha256;

/// A blob that is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListedBlob {
    /// Its name.
    pub(crate) digest: Sha256,
    /// How many bytes it has.
    pub(crate) size: u64,
    /// When it was stored.
    pub(crate) stored: Timestamp,
}

/// Parses the name of a blob. What has another name is not ours.
pub(crate) fn parse_blob_name(name: &str) -> Option<Sha256> {
    name.parse::<Sha256>().ok().filter(|digest| digest.to_string() == name)
}
