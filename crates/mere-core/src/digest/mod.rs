//! SHA-256 digests, parsed and printed as 64 lower-case hexadecimal digits.
//!
//! Upper-case digits and other lengths are refused, so that a digest has only one spelling.

mod shown;

use std::fmt;
use std::str::FromStr;

use sha2::Digest;

pub use shown::{DigestKey, Fidelity, ShownDigest};

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sha256([u8; 32]);

/// A text that is not a SHA-256 digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not 64 lower-case hexadecimal digits")]
pub struct DigestError;

impl Sha256 {
    /// Returns the bytes of the digest.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Computes the digest of some bytes.
    pub fn digest(bytes: &[u8]) -> Self {
        let mut hasher = Sha256Hasher::default();
        hasher.update(bytes);
        hasher.digest()
    }
}

/// A hasher for bytes that arrive in pieces.
#[derive(Clone, Default)]
pub struct Sha256Hasher(sha2::Sha256);

impl Sha256Hasher {
    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the digest of the bytes added so far.
    pub fn digest(&self) -> Sha256 {
        Sha256(self.0.clone().finalize().into())
    }
}

impl FromStr for Sha256 {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(DigestError);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = hex_digit(pair[0])? << 4 | hex_digit(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn hex_digit(character: u8) -> Result<u8, DigestError> {
    match character {
        b'0'..=b'9' => Ok(character - b'0'),
        b'a'..=b'f' => Ok(character - b'a' + 10),
        _ => Err(DigestError),
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_parses() {
        let text = "0123456789abcdef".repeat(4);
        assert_eq!(text.parse::<Sha256>().map(|digest| digest.to_string()), Ok(text.clone()));
        for bad in ["", "abc", &text.to_uppercase(), &format!("{text}0"), &"é".repeat(32)] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad}");
        }
    }
}
