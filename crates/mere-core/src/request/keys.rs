//! The commands about a person's own keys: no agent can ask for any of them.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::str::FromStr;

use super::Secret;
use crate::address::AgentName;
use crate::trust::Fingerprint;

/// One command about the person's own keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeysCommand {
    /// Generates a key.
    Generate {
        /// The name of its file.
        name: Option<KeyName>,
        /// The passphrase that locks it.
        passphrase: Passphrase,
    },
    /// Lists the keys.
    List,
    /// Shows the public half of a key.
    Export {
        /// The key, or `None` for the current one.
        key: Option<Fingerprint>,
    },
    /// Copies a private key into the person's keys.
    Import {
        /// The file of the key.
        file: PersonFile,
    },
    /// Signs with this key from now on.
    Use(KeyArgument),
    /// Replaces the current key by another.
    Rotate {
        /// The other key, or `None` to generate one.
        to: Option<Fingerprint>,
        /// The passphrase that locks or unlocks the other key.
        passphrase: Passphrase,
        /// The file for the proof, which is part of the reply if no file is named.
        out: Option<PersonFile>,
    },
}

/// The passphrase of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passphrase {
    /// The person has not been asked.
    NotAsked,
    /// The person does not want one.
    None,
    /// The person entered this one.
    Some(Secret),
}

/// A key by its fingerprint, or a file that holds one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyArgument {
    /// A fingerprint, `SHA256:…`.
    Fingerprint(Fingerprint),
    /// A file with a private or a public key.
    File(PersonFile),
}

/// The name of a file as a person typed it. It is opaque: only the engine's host side reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonFile(OsString);

impl PersonFile {
    /// Returns the text that was typed.
    pub fn as_typed(&self) -> &OsStr {
        &self.0
    }
}

impl From<OsString> for PersonFile {
    fn from(typed: OsString) -> Self {
        Self(typed)
    }
}

impl fmt::Debug for PersonFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonFile(…)")
    }
}

/// The name of a key's file among the person's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName(String);

/// The error that a text is not a valid key name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a key's name starts with a letter or digit, has at most 64 letters, digits, `.`, `_` or `-`, \
     and does not end in .pub"
)]
pub struct KeyNameError;

impl KeyName {
    /// Returns the first, second, … of the names that are used if a person names none.
    pub fn default_name(number: usize) -> Self {
        match number {
            0 | 1 => Self("id_ed25519".to_owned()),
            number => Self(format!("id_ed25519_{number}")),
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = KeyNameError;

    fn from_str(text: &str) -> Result<Self, KeyNameError> {
        // All our names share this alphabet: one safe segment of a path.
        text.parse::<AgentName>().map_err(|_| KeyNameError)?;
        let is_public = text.to_ascii_lowercase().ends_with(".pub");
        if is_public { Err(KeyNameError) } else { Ok(Self(text.to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_segment_and_no_public_key() {
        for name in ["id_ed25519", "work", "2026.key", "a"] {
            assert_eq!(name.parse::<KeyName>().as_ref().map(KeyName::as_str), Ok(name));
        }
        for name in ["", ".", "..", ".lock", "a/b", "a.pub", "a.PUB", "-f", "ä", "a b", "a\\b"] {
            assert_eq!(name.parse::<KeyName>(), Err(KeyNameError), "{name}");
        }
        for number in 1..4 {
            let usual = KeyName::default_name(number);
            assert_eq!(usual.as_str().parse(), Ok(usual));
        }
    }
}
