//! Where a witness is, and the key by which its cosignatures are checked: `URL=VKEY`.

use std::str::FromStr;

use mere_core::log::{NoteAlgorithm, VerifierKey};

/// A witness.
#[derive(Clone, Debug)]
pub struct WitnessAddress {
    /// Its URL, without a final `/`.
    pub url: String,
    /// Its key.
    pub key: VerifierKey,
}

/// A text that does not name a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a witness reads `https://HOST=NAME+ID+KEY`, with the key that `mere witness serve` prints"
)]
pub struct WitnessAddressError;

impl FromStr for WitnessAddress {
    type Err = WitnessAddressError;

    fn from_str(text: &str) -> Result<Self, WitnessAddressError> {
        let (url, key) = text.split_once('=').ok_or(WitnessAddressError)?;
        let is_web = url.starts_with("http://") || url.starts_with("https://");
        let key = key.parse::<VerifierKey>().map_err(|_| WitnessAddressError)?;
        if !is_web || key.algorithm() != NoteAlgorithm::CosignatureV1 {
            return Err(WitnessAddressError);
        }
        Ok(Self { url: url.trim_end_matches('/').to_owned(), key })
    }
}
