//! One entry in the settings of a client: how it is added, found and removed.

use mere_core::text::json_edit::{self, JsonEditError};
use mere_core::text::toml_edit::{TomlEditError, TomlTable, TomlValue};
use serde_json::Value;

/// An entry in the settings of a client.
#[derive(Clone, Debug)]
pub(super) enum SettingsEntry {
    /// A member of an object in a JSON file.
    JsonMember { path: Vec<&'static str>, value: Value },
    /// An element of a list in a JSON file.
    JsonElement { path: Vec<&'static str>, value: Value },
    /// A table in a TOML file.
    TomlTable { group: &'static str, name: &'static str, keys: Vec<(&'static str, TomlValue)> },
}

/// Why settings are not changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum EntryError {
    #[error(transparent)]
    Json(#[from] JsonEditError),
    #[error(transparent)]
    Toml(#[from] TomlEditError),
}

impl SettingsEntry {
    /// Returns the text of the settings with this entry.
    pub(super) fn set(&self, text: &str) -> Result<String, EntryError> {
        Ok(match self {
            Self::JsonMember { path, value } => json_edit::set_value(text, path, value)?,
            Self::JsonElement { path, value } => {
                let list = match text.trim() {
                    "" => None,
                    _ => json_edit::find_value(text, path)?,
                };
                let elements = list.as_ref().and_then(Value::as_array);
                if elements.is_some_and(|elements| elements.contains(value)) {
                    return Ok(text.to_owned());
                }
                json_edit::append_element(text, path, value)?
            }
            Self::TomlTable { .. } => self.table().set(text)?,
        })
    }

    /// Returns the text without this entry, or `None` if it is not there. A member or table of the
    /// same name is this entry, whatever it says.
    pub(super) fn remove(&self, text: &str) -> Result<Option<String>, EntryError> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        Ok(match self {
            Self::JsonMember { path, .. } => json_edit::remove_value(text, path)?,
            Self::JsonElement { path, value } => json_edit::remove_element(text, path, value)?,
            Self::TomlTable { .. } => self.table().remove(text)?,
        })
    }

    /// Returns what a person would paste.
    pub(super) fn snippet(&self) -> String {
        match self {
            Self::TomlTable { .. } => self.table().render(),
            _ => self.set("").unwrap_or_default(),
        }
    }

    fn table(&self) -> TomlTable<'_> {
        match self {
            Self::TomlTable { group, name, keys } => TomlTable { group, name, keys: keys.clone() },
            Self::JsonMember { .. } | Self::JsonElement { .. } => {
                TomlTable { group: "", name: "", keys: Vec::new() }
            }
        }
    }
}
