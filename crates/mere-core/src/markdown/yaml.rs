//! YAML whose only news, when it is none, is the line.

use serde_json::Value;

use crate::yaml;
pub(super) use crate::yaml::Entry;

/// The one-based line of what is wrong.
pub(super) struct BadLine(pub(super) usize);

/// Parses one value. Nothing is null.
pub(super) fn value(text: &str) -> Result<Value, BadLine> {
    yaml::parse(text).map_err(|error| BadLine::of(&error))
}

/// Parses a mapping. Nothing has no keys.
pub(super) fn mapping(text: &str) -> Result<Vec<Entry>, BadLine> {
    yaml::mapping(text).map_err(|error| BadLine::of(&error))
}

impl BadLine {
    fn of(error: &yaml::YamlError) -> Self {
        Self(usize::try_from(error.line).unwrap_or(1))
    }
}
