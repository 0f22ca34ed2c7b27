//! Ed25519 public keys in OpenSSH's format, and their fingerprints.
//!
//! No other algorithm is supported, and weak keys are refused. Private keys are not handled here.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use ed25519_dalek::{Signature, VerifyingKey};

use crate::digest;
use crate::reply::Content;

/// The name of the only supported algorithm.
const ALGORITHM: &str = "ssh-ed25519";

/// A key that verifies signatures.
#[derive(Clone, Debug)]
pub struct PublicKey(VerifyingKey);

/// The reason why a text or some bytes are not a supported key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text does not have the form `ssh-ed25519 BASE64`.
    #[error("a public key reads `ssh-ed25519 AAAA…`, as in a file that ends in .pub")]
    Form,
    /// The key is of another algorithm.
    #[error("the key is not Ed25519; `ssh-keygen -t ed25519` makes one that is")]
    Algorithm,
    /// The bytes are not a point of the curve, or a weak point with which anything can be signed.
    #[error("the key is weak or not a key at all")]
    Weak,
}

impl PublicKey {
    /// Creates a key from its 32 bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::Weak)?;
        if key.is_weak() { Err(KeyError::Weak) } else { Ok(Self(key)) }
    }

    /// Parses a key in OpenSSH's wire format.
    pub fn from_wire(blob: &[u8]) -> Result<Self, KeyError> {
        let (algorithm, rest) = split_length_prefixed(blob).ok_or(KeyError::Form)?;
        if algorithm != ALGORITHM.as_bytes() {
            return Err(KeyError::Algorithm);
        }
        let (bytes, rest) = split_length_prefixed(rest).ok_or(KeyError::Form)?;
        let bytes = bytes.try_into().map_err(|_| KeyError::Form)?;
        if rest.is_empty() { Self::from_bytes(bytes) } else { Err(KeyError::Form) }
    }

    /// Returns the key in OpenSSH's wire format.
    pub fn to_wire(&self) -> Vec<u8> {
        let pieces = [ALGORITHM.as_bytes(), self.0.as_bytes().as_slice()];
        let length = |piece: &[u8]| u32::try_from(piece.len()).unwrap_or_default().to_be_bytes();
        pieces.iter().flat_map(|piece| [&length(piece)[..], piece].concat()).collect()
    }

    /// Returns its 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Returns its fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint(*digest::Sha256::digest(&self.to_wire()).as_bytes())
    }

    /// Reports whether this key made a signature of a message. The check is strict, so that nobody
    /// else could have made it.
    pub fn is_signature_valid(&self, signature: &[u8; 64], message: &[u8]) -> bool {
        self.0.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

/// Splits off the first length-prefixed string of OpenSSH's wire format.
fn split_length_prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for PublicKey {}

impl FromStr for PublicKey {
    type Err = KeyError;

    /// Accepts one line as in a `.pub` file. A comment after the key is not kept.
    fn from_str(text: &str) -> Result<Self, KeyError> {
        let line = text.trim();
        if line.contains(['\n', '\r']) {
            return Err(KeyError::Form);
        }
        let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty());
        match (words.next(), words.next()) {
            (Some(ALGORITHM), Some(blob)) => {
                let blob = BASE64_STANDARD.decode(blob).map_err(|_| KeyError::Form)?;
                Self::from_wire(&blob)
            }
            (Some(other), Some(_)) if other.starts_with("ssh-") || other.contains("ecdsa") => {
                Err(KeyError::Algorithm)
            }
            _ => Err(KeyError::Form),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM} {}", BASE64_STANDARD.encode(self.to_wire()))
    }
}

/// The fingerprint of a key: the SHA-256 of its wire format, as `ssh-keygen -lf` prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint([u8; 32]);

impl Hash for Fingerprint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(&self.0[..8]);
    }
}

/// A text that is not a fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint reads `SHA256:` and 43 characters, as `mere keys list` prints it")]
pub struct FingerprintError;

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let text = text.strip_prefix("SHA256:").ok_or(FingerprintError)?;
        let bytes = BASE64_STANDARD_NO_PAD.decode(text).map_err(|_| FingerprintError)?;
        bytes.try_into().map(Self).map_err(|_| FingerprintError)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SHA256:{}", BASE64_STANDARD_NO_PAD.encode(self.0))
    }
}

impl From<Fingerprint> for Content {
    /// In a reply a fingerprint is content, not our own words, because its base64 may look like a
    /// path.
    fn from(key: Fingerprint) -> Self {
        Self::mention(key.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key made by `ssh-keygen -t ed25519`; its fingerprint was printed by `ssh-keygen -lf`.
    const LINE: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIH2aiIz7QAjKiD9IhMsrNd0i1r0Y7/g1ZpeS2JrguIi";
    const NAME: &str = "SHA256:Ux/7fR3O16Cl8WSn7lBPixr0VnQ4FC16a0mr4XdhqQs";

    #[test]
    fn reads_and_names_a_key_as_ssh_keygen_does() {
        let key = format!("{LINE} someone@somewhere\n").parse::<PublicKey>().expect("a key");
        assert_eq!(key.to_string(), LINE);
        assert_eq!(key.fingerprint().to_string(), NAME);
        assert_eq!(NAME.parse(), Ok(key.fingerprint()));
        assert_eq!(PublicKey::from_wire(&key.to_wire()), Ok(key));
    }

    #[test]
    fn refuses_what_is_no_key() {
        let zero =
            BASE64_STANDARD.encode([b"\0\0\0\x0bssh-ed25519\0\0\0\x20", &[0; 32][..]].concat());
        let longer =
            BASE64_STANDARD.encode([b"\0\0\0\x0bssh-ed25519\0\0\0\x20", &[9; 33][..]].concat());
        for (text, error) in [
            ("", KeyError::Form),
            ("ssh-ed25519", KeyError::Form),
            ("ssh-ed25519 !!!", KeyError::Form),
            (&format!("ssh-ed25519 {longer}"), KeyError::Form),
            (&format!("{LINE}\n{LINE}"), KeyError::Form),
            (&format!("ssh-ed25519 {zero}"), KeyError::Weak),
            ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB", KeyError::Algorithm),
            ("ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY", KeyError::Algorithm),
            ("no key", KeyError::Form),
        ] {
            assert_eq!(text.parse::<PublicKey>(), Err(error), "{text}");
        }
        for text in ["", "SHA256:", "MD5:aa", &NAME[..49], &format!("{NAME}=")] {
            assert!(text.parse::<Fingerprint>().is_err(), "{text}");
        }
    }
}
