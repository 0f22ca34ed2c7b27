//! YAML parsing whose errors carry nothing but the line.
//!
//! An error never repeats words of the text.

use serde_json::Value;

use crate::text::yaml;
pub(super) use crate::text::yaml::YamlEntry;

/// The line of a YAML error, from 1.
pub(super) struct YamlLineError(pub(super) usize);

/// Parses one value. An empty text is null.
pub(super) fn parse_value(text: &str) -> Result<Value, YamlLineError> {
    yaml::parse(text).map_err(|error| YamlLineError::from_error(&error))
}

/// Parses a mapping. An empty text has no keys.
pub(super) fn parse_mapping(text: &str) -> Result<Vec<YamlEntry>, YamlLineError> {
    yaml::parse_mapping(text).map_err(|error| YamlLineError::from_error(&error))
}

impl YamlLineError {
    fn from_error(error: &yaml::YamlError) -> Self {
        Self(usize::try_from(error.line).unwrap_or(1))
    }
}
