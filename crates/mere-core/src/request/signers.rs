//! What a person does with the keys they trust: no agent can ask for any of it.

use std::fmt;
use std::str::FromStr;

use super::{KeyArgument, PersonFile};
use crate::segment::is_address_character;
use crate::trust::{Fingerprint, KeyLimits, PublicKey};

/// The longest name in bytes.
const MAX_BYTES: usize = 64;

/// One thing a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustCommand {
    /// Let a key count.
    Add {
        /// Which one.
        key: SignerKey,
        /// Whose it is.
        name: Option<SignerName>,
        /// What for.
        limits: KeyLimits,
    },
    /// Which keys count?
    List,
    /// Forget a key.
    Remove(SignerSelector),
    /// Never let a key count again.
    Revoke(SignerSelector),
    /// Let a key's successor count like it.
    Rotate {
        /// The proof, signed by both.
        file: PersonFile,
    },
}

/// A public key, or the file that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignerKey {
    /// `ssh-ed25519 …`.
    Line(PublicKey),
    /// Its file.
    File(PersonFile),
}

/// Somebody's key, by whatever a person calls it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignerSelector {
    /// `ssh-ed25519 …`.
    Line(PublicKey),
    /// `SHA256:…`.
    Fingerprint(Fingerprint),
    /// The name it was given, or the file that holds it.
    Named(PersonFile),
}

impl From<KeyArgument> for SignerSelector {
    fn from(said: KeyArgument) -> Self {
        match said {
            KeyArgument::Fingerprint(key) => Self::Fingerprint(key),
            KeyArgument::File(file) => Self::Named(file),
        }
    }
}

/// What a person calls the owner of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignerName(String);

/// A text that is no such name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is one line of at most 64 bytes without spaces around it, and does not begin like a \
     key or a fingerprint"
)]
pub struct SignerNameError;

impl SignerName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SignerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SignerName {
    type Err = SignerNameError;

    fn from_str(text: &str) -> Result<Self, SignerNameError> {
        let is_sound = !text.is_empty() && text.len() <= MAX_BYTES && text.trim() == text;
        let is_key = text.starts_with("SHA256:") || text.starts_with("ssh-");
        if is_sound && !is_key && text.chars().all(is_address_character) {
            Ok(Self(text.to_owned()))
        } else {
            Err(SignerNameError)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_visible_line_and_no_key() {
        for name in ["Ada", "Ada Lovelace", "ada@example.org", "Åsa", "work/ci"] {
            assert_eq!(name.parse::<SignerName>().as_ref().map(SignerName::as_str), Ok(name));
        }
        let long = "a".repeat(65);
        for name in ["", " a", "a\n", "a\u{202e}b", "SHA256:x", "ssh-ed25519 AAAA", &long] {
            assert_eq!(name.parse::<SignerName>(), Err(SignerNameError), "{name:?}");
        }
    }
}
