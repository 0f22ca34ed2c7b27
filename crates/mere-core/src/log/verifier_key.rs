//! Verifier keys: who signs notes, in the form `NAME+HASH+BASE64` (C2SP `signed-note`).
//!
//! The same key with another purpose has another id, so a signature of a log is never taken for
//! that of a witness.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};

use crate::digest::{Sha256, Sha256Hasher};
use crate::trust::PublicKey;

/// The longest name of a key in bytes.
const MAX_NAME_BYTES: usize = 256;

/// What a key of notes is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteAlgorithm {
    /// It signs notes, such as the checkpoints of a log.
    Ed25519,
    /// It co-signs checkpoints with a time, as a witness.
    CosignatureV1,
}

/// The name of a key: what it signs as.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoteKeyName(String);

/// The short id of a key in a signature. It only says which key to try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoteKeyId(pub(super) [u8; 4]);

/// A key with its name and purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    name: NoteKeyName,
    algorithm: NoteAlgorithm,
    key: PublicKey,
}

/// A text that is not a verifier key, or a name that no key can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifierKeyError {
    /// The text does not have the form `NAME+HASH+BASE64`.
    #[error("a verifier key reads `NAME+HASH+BASE64`")]
    Form,
    /// The name is empty, too long, or has a space or a plus.
    #[error("the name of a verifier key has no spaces and no `+`")]
    Name,
    /// The hash belongs to another key or another name.
    #[error("the hash in the verifier key does not fit the key")]
    Hash,
    /// The algorithm is not supported.
    #[error("the verifier key has an unsupported algorithm")]
    Algorithm,
    /// The key is weak or not a key.
    #[error("the verifier key is weak or not a key at all")]
    Weak,
}

impl NoteAlgorithm {
    fn identifier(self) -> u8 {
        match self {
            Self::Ed25519 => 1,
            Self::CosignatureV1 => 4,
        }
    }
}

impl NoteKeyName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for NoteKeyName {
    type Err = VerifierKeyError;

    fn from_str(text: &str) -> Result<Self, VerifierKeyError> {
        let is_banned = |c: char| c.is_whitespace() || c.is_control() || c == '+';
        if text.is_empty() || text.len() > MAX_NAME_BYTES || text.contains(is_banned) {
            return Err(VerifierKeyError::Name);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for NoteKeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NoteKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", u32::from_be_bytes(self.0))
    }
}

impl VerifierKey {
    /// Gives a key a name and a purpose.
    pub fn new(name: NoteKeyName, algorithm: NoteAlgorithm, key: PublicKey) -> Self {
        Self { name, algorithm, key }
    }

    /// Returns its name.
    pub fn name(&self) -> &NoteKeyName {
        &self.name
    }

    /// Returns what it is for.
    pub fn algorithm(&self) -> NoteAlgorithm {
        self.algorithm
    }

    /// Returns the key itself.
    pub fn public_key(&self) -> &PublicKey {
        &self.key
    }

    /// Computes the id that its signatures have.
    pub fn id(&self) -> NoteKeyId {
        let mut hasher = Sha256Hasher::default();
        hasher.update(self.name.0.as_bytes());
        hasher.update(&[b'\n', self.algorithm.identifier()]);
        hasher.update(self.key.as_bytes());
        let [a, b, c, d, ..] = *hasher.digest().as_bytes();
        NoteKeyId([a, b, c, d])
    }

    /// Computes the fingerprint that people compare.
    pub fn fingerprint(&self) -> LogFingerprint {
        LogFingerprint(*Sha256::digest(self.to_string().as_bytes()).as_bytes())
    }
}

impl FromStr for VerifierKey {
    type Err = VerifierKeyError;

    fn from_str(text: &str) -> Result<Self, VerifierKeyError> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(hash), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(VerifierKeyError::Form);
        };
        let bytes = BASE64_STANDARD.decode(key).map_err(|_| VerifierKeyError::Form)?;
        let (identifier, bytes) = bytes.split_first().ok_or(VerifierKeyError::Form)?;
        let known = [NoteAlgorithm::Ed25519, NoteAlgorithm::CosignatureV1];
        let algorithm = known.into_iter().find(|known| known.identifier() == *identifier);
        let algorithm = algorithm.ok_or(VerifierKeyError::Algorithm)?;
        let bytes = bytes.try_into().map_err(|_| VerifierKeyError::Form)?;
        let key = PublicKey::from_bytes(bytes).map_err(|_| VerifierKeyError::Weak)?;
        let key = Self::new(name.parse()?, algorithm, key);
        if key.id().to_string() == hash { Ok(key) } else { Err(VerifierKeyError::Hash) }
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&[self.algorithm.identifier()], self.key.as_bytes().as_slice()].concat();
        write!(f, "{}+{}+{}", self.name, self.id(), BASE64_STANDARD.encode(bytes))
    }
}

/// The fingerprint of a log's key: the SHA-256 of its verifier key string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogFingerprint([u8; 32]);

/// A text that is not the fingerprint of a log's key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the fingerprint of a log's key reads `SHA256:` and 43 characters")]
pub struct LogFingerprintError;

impl FromStr for LogFingerprint {
    type Err = LogFingerprintError;

    fn from_str(text: &str) -> Result<Self, LogFingerprintError> {
        let text = text.strip_prefix("SHA256:").ok_or(LogFingerprintError)?;
        let bytes = BASE64_STANDARD_NO_PAD.decode(text).map_err(|_| LogFingerprintError)?;
        bytes.try_into().map(Self).map_err(|_| LogFingerprintError)
    }
}

impl fmt::Display for LogFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SHA256:{}", BASE64_STANDARD_NO_PAD.encode(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A key from the documentation of Go's package `note`.
    const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

    #[test]
    fn reads_the_keys_of_others() {
        let key = KEY.parse::<VerifierKey>().expect("a key");
        assert_eq!(key.to_string(), KEY);
        assert_eq!(key.name().as_str(), "PeterNeumann");
        assert_eq!(key.id().to_string(), "c74f20a3");
        assert_eq!(key.algorithm(), NoteAlgorithm::Ed25519);
        let digest = BASE64_STANDARD_NO_PAD.encode(Sha256::digest(KEY.as_bytes()).as_bytes());
        assert_eq!(key.fingerprint().to_string(), format!("SHA256:{digest}"));
        assert_eq!(key.fingerprint().to_string().parse(), Ok(key.fingerprint()));
    }

    #[test]
    fn every_part_and_every_change_of_a_key_is_refused() {
        for start in 0..KEY.len() {
            for end in start..KEY.len() {
                assert!(KEY[start..end].parse::<VerifierKey>().is_err(), "{start}..{end}");
            }
        }
        for at in 0..KEY.len() {
            let mut bytes = KEY.as_bytes().to_vec();
            bytes[at] += 1;
            let changed = String::from_utf8(bytes).expect("ASCII");
            assert!(changed.parse::<VerifierKey>().is_err(), "{changed}");
        }
        assert!(KEY.to_uppercase().parse::<VerifierKey>().is_err());
    }

    #[test]
    fn one_key_for_two_purposes_has_two_ids() {
        let log = KEY.parse::<VerifierKey>().expect("a key");
        let algorithm = NoteAlgorithm::CosignatureV1;
        let witness = VerifierKey::new(log.name().clone(), algorithm, log.public_key().clone());
        assert_ne!(log.id(), witness.id());
        assert_eq!(witness.to_string().parse(), Ok(witness));
        for bad in ["", "a b", "a+b", "a\u{a0}b", "a\nb", "a\tb", &"a".repeat(257)] {
            assert_eq!(bad.parse::<NoteKeyName>(), Err(VerifierKeyError::Name), "{bad}");
        }
    }
}
