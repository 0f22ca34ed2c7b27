//! The id of a registry, and the name of its log.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::log::NoteKeyName;

/// What the origin of a log begins with.
const ORIGIN_PREFIX: &str = "merestone-registry/";

/// The id of a registry, which never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryId(Uuid);

/// A text that is not the id of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the id of a registry is a UUID in lower case with hyphens")]
pub struct RegistryIdError;

impl From<Uuid> for RegistryId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl RegistryId {
    /// Returns the origin of the registry's log, which is also the name of its key.
    pub fn log_origin(self) -> Result<NoteKeyName, RegistryIdError> {
        format!("{ORIGIN_PREFIX}{self}").parse().map_err(|_| RegistryIdError)
    }

    /// Returns the id of the registry whose log has this origin.
    pub fn from_log_origin(origin: &NoteKeyName) -> Result<Self, RegistryIdError> {
        origin.as_str().strip_prefix(ORIGIN_PREFIX).ok_or(RegistryIdError)?.parse()
    }
}

impl FromStr for RegistryId {
    type Err = RegistryIdError;

    fn from_str(text: &str) -> Result<Self, RegistryIdError> {
        let id = Uuid::try_parse(text).map(Self).map_err(|_| RegistryIdError)?;
        if id.to_string() == text { Ok(id) } else { Err(RegistryIdError) }
    }
}

impl fmt::Display for RegistryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_spelling_and_one_log() {
        let text = "019a94e0-aaaa-7bbb-8ccc-0123456789ab";
        let id = text.parse::<RegistryId>().expect("an id");
        assert_eq!(id.to_string(), text);
        let origin = id.log_origin().expect("an origin");
        assert_eq!(origin.as_str(), "merestone-registry/019a94e0-aaaa-7bbb-8ccc-0123456789ab");
        assert_eq!(RegistryId::from_log_origin(&origin), Ok(id));
        for bad in ["", &text.to_uppercase(), &text.replace('-', ""), &format!("{{{text}}}")] {
            assert_eq!(bad.parse::<RegistryId>(), Err(RegistryIdError), "{bad}");
        }
    }
}
