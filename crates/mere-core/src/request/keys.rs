//! What a person does with their own keys: no agent can ask for any of it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::str::FromStr;

use super::Secret;
use crate::name::AgentName;
use crate::trust::Fingerprint;

/// One thing a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeysCommand {
    /// Make a key.
    Generate {
        /// What its file is called.
        name: Option<KeyName>,
        /// What locks it.
        passphrase: Passphrase,
    },
    /// Which keys are there?
    List,
    /// What is the public half of a key?
    Export {
        /// Which one; the current one if none is named.
        key: Option<Fingerprint>,
    },
    /// Keep a copy of a private key.
    Import {
        /// Where it lies.
        file: PersonFile,
    },
    /// Sign with this one from now on.
    Use(KeyArgument),
    /// Put another key in the place of the current one.
    Rotate {
        /// Which one; a new one if none is named.
        to: Option<Fingerprint>,
        /// What locks, or unlocks, that other key.
        passphrase: Passphrase,
        /// Where the proof goes; it is part of the answer if no file is named.
        out: Option<PersonFile>,
    },
}

/// What locks a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passphrase {
    /// Nobody has been asked.
    NotAsked,
    /// Nothing: the person wants it so.
    None,
    /// This.
    Some(Secret),
}

/// A key by its fingerprint, or a file that holds one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyArgument {
    /// `SHA256:…`.
    Fingerprint(Fingerprint),
    /// A private or a public key.
    File(PersonFile),
}

/// A file as a person typed it. Opaque: only the engine's host side reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonFile(OsString);

impl PersonFile {
    /// What was typed.
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

/// What the file of a key that we keep is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyName(String);

/// A text that is no such name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a key's name starts with a letter or digit, has at most 64 letters, digits, `.`, `_` or `-`, \
     and does not end in .pub"
)]
pub struct KeyNameError;

impl KeyName {
    /// The first, second, … of the names that keys have if a person names none.
    pub fn default_name(number: usize) -> Self {
        match number {
            0 | 1 => Self("id_ed25519".to_owned()),
            number => Self(format!("id_ed25519_{number}")),
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyName {
    type Err = KeyNameError;

    fn from_str(text: &str) -> Result<Self, KeyNameError> {
        // The alphabet of all names of ours: one safe segment of a path.
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
