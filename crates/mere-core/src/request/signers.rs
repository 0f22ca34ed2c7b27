//! The commands about the keys that a person trusts: no agent can ask for any of them.

use std::fmt;
use std::str::FromStr;

use super::{KeyArgument, PersonFile};
use crate::address::is_address_character;
use crate::trust::{Fingerprint, KeyLimits, PublicKey};

/// The longest name in bytes.
const MAX_BYTES: usize = 64;

/// One command about trusted keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustCommand {
    /// Trusts a key.
    Add {
        /// The key.
        key: SignerKey,
        /// The name of its owner.
        name: Option<SignerName>,
        /// The limits of the trust.
        limits: KeyLimits,
    },
    /// Lists the trusted and the revoked keys.
    List,
    /// Forgets a key.
    Remove(SignerSelector),
    /// Revokes a key, so that it never counts again.
    Revoke(SignerSelector),
    /// Trusts the successor of a key in its place.
    Rotate {
        /// The proof, signed by both keys.
        file: PersonFile,
    },
}

/// A public key, or the file that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignerKey {
    /// The key as text, `ssh-ed25519 …`.
    Line(PublicKey),
    /// The file of the key.
    File(PersonFile),
}

/// A key, in whatever way a person refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignerSelector {
    /// The key as text, `ssh-ed25519 …`.
    Line(PublicKey),
    /// A fingerprint, `SHA256:…`.
    Fingerprint(Fingerprint),
    /// The name that it was given, or the file that holds it.
    Named(PersonFile),
}

impl From<KeyArgument> for SignerSelector {
    fn from(key: KeyArgument) -> Self {
        match key {
            KeyArgument::Fingerprint(key) => Self::Fingerprint(key),
            KeyArgument::File(file) => Self::Named(file),
        }
    }
}

/// The name that a person gives the owner of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignerName(String);

/// The error that a text is not a valid signer name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name is one line of at most 64 bytes without spaces around it, and does not begin like a \
     key or a fingerprint"
)]
pub struct SignerNameError;

impl SignerName {
    /// Returns the name as text.
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
