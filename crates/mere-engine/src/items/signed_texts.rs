//! The texts that were signed on this machine, kept in the user's cache by their digests.
//!
//! A signature holds only digests; these texts let a person see what has changed since.

use mere_core::digest::Sha256;

use crate::world::Context;

/// The largest text that is kept.
pub(crate) const MAX_SIGNED_TEXT: u64 = 256 * 1024;

/// Keeps a text that is signed. Without it the next difference shows the whole file, so a failure
/// is only logged.
pub(crate) fn keep_signed_text(context: &Context, bytes: &[u8]) {
    let is_text = bytes.len() as u64 <= MAX_SIGNED_TEXT && std::str::from_utf8(bytes).is_ok();
    let Some(cache) = context.environment.cache().filter(|_| is_text) else { return };
    if let Err(error) = cache.save_text(&Sha256::digest(bytes).to_string(), bytes) {
        tracing::debug!(%error, "a signed text could not be kept");
    }
}

/// Returns the text with this digest, if it was kept and is still the same.
pub(crate) fn read_signed_text(context: &Context, digest: Sha256) -> Option<String> {
    let cache = context.environment.cache()?;
    let bytes = cache.read_saved_text(&digest.to_string(), MAX_SIGNED_TEXT)?;
    String::from_utf8(bytes).ok().filter(|text| Sha256::digest(text.as_bytes()) == digest)
}
