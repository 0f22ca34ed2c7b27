//! SHA-256 of bytes.

use mere_core::digest::Sha256;
use sha2::Digest;

/// The digest of bytes that come in pieces.
#[derive(Default)]
pub(crate) struct Hasher(sha2::Sha256);

impl Hasher {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of what came so far.
    pub(crate) fn so_far(&self) -> Sha256 {
        <[u8; 32]>::from(self.0.clone().finalize()).into()
    }
}

/// The digest of some bytes.
pub(crate) fn of(bytes: &[u8]) -> Sha256 {
    let mut hasher = Hasher::default();
    hasher.add(bytes);
    hasher.so_far()
}
