//! The key of this machine for the digests of files that are not shown as they are.
//!
//! It lies in the user's state folder, which no root shows, and is made when it is first needed. It
//! never leaves the machine. A damaged key is neither used nor overwritten: digests are withheld
//! until a person has removed it.

use std::fmt::Write as _;
use std::sync::OnceLock;

use mere_core::digest::{DigestKey, Sha256};

use mere_host::Environment;

/// The file that holds the key, as hexadecimal digits and a line end.
pub(crate) const FILE: &str = "digest-key";

/// The error of a key that cannot be used. The log says why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key for digests cannot be used")]
pub(crate) struct DigestKeyError;

/// The state of the key's file. For people.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyFileFault {
    #[error("there is no folder for it: set HOME")]
    NoFolder,
    #[error("it is damaged")]
    Damaged,
    #[error("it cannot be made: {0}")]
    NotMade(String),
    #[error("it cannot be read: {0}")]
    Unreadable(std::io::Error),
}

/// The key as one call uses it: it is read once, at the first need.
pub(crate) struct DigestKeyReader<'a> {
    environment: &'a Environment,
    loaded: OnceLock<Result<DigestKey, DigestKeyError>>,
}

impl<'a> DigestKeyReader<'a> {
    /// Returns the key of the user who runs this process, without reading it.
    pub(crate) fn of_user(environment: &'a Environment) -> Self {
        Self { environment, loaded: OnceLock::new() }
    }

    /// Returns the key, and makes one if there is none.
    pub(crate) fn load(&self) -> Result<DigestKey, DigestKeyError> {
        let load = || {
            let key = match find_key(self.environment) {
                Ok(None) => make_key(self.environment),
                Ok(Some(key)) => Ok(key),
                Err(fault) => Err(fault),
            };
            key.map_err(|fault| {
                tracing::error!(%fault, file = FILE, "the key for digests cannot be used");
                DigestKeyError
            })
        };
        self.loaded.get_or_init(load).clone()
    }
}

/// Reads the key, if there is one.
pub(crate) fn find_key(environment: &Environment) -> Result<Option<DigestKey>, KeyFileFault> {
    let bytes = environment.read_state(FILE).map_err(KeyFileFault::Unreadable)?;
    bytes.map(|bytes| parse_key(&bytes).ok_or(KeyFileFault::Damaged)).transpose()
}

/// Makes a key, unless another process has just made one.
fn make_key(environment: &Environment) -> Result<DigestKey, KeyFileFault> {
    let not_made = |cause: String| KeyFileFault::NotMade(cause);
    let folder = environment.lock_state().ok_or(KeyFileFault::NoFolder)?;
    let folder = folder.map_err(|error| not_made(error.to_string()))?;
    if let Some(bytes) = folder.read(FILE).map_err(|error| not_made(error.to_string()))? {
        return parse_key(&bytes).ok_or(KeyFileFault::Damaged);
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| not_made(error.to_string()))?;
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text.push('\n');
    let written = folder.replace(FILE, text.as_bytes());
    written.map_err(|error| not_made(error.to_string()))?;
    Ok(DigestKey::new(bytes))
}

fn parse_key(bytes: &[u8]) -> Option<DigestKey> {
    let digits = str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    // A digest has as many bytes as a key, and the same spelling.
    Some(DigestKey::new(*digits.parse::<Sha256>().ok()?.as_bytes()))
}
