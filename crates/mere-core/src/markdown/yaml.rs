//! YAML whose only news, when it is none, is the line.

use serde_json::Value;

use crate::yaml;
pub(super) use crate::yaml::YamlEntry;

/// The one-based line of what is wrong.
pub(super) struct YamlLineError(pub(super) usize);

/// Parses one value. Nothing is null.
pub(super) fn parse_value(text: &str) -> Result<Value, YamlLineError> {
    yaml::parse(text).map_err(|error| YamlLineError::from_error(&error))
}

/// Parses a mapping. Nothing has no keys.
pub(super) fn parse_mapping(text: &str) -> Result<Vec<YamlEntry>, YamlLineError> {
    yaml::parse_mapping(text).map_err(|error| YamlLineError::from_error(&error))
}

impl YamlLineError {
    fn from_error(error: &yaml::YamlError) -> Self {
        Self(usize::try_from(error.line).unwrap_or(1))
    }
}
