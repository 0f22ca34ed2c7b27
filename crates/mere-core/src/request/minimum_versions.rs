//! The file of `mere verify --min-version-file`: a JSON object of item names and versions.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::item::{ItemName, ItemNameError, Version, VersionError};
use crate::text::json::{self, JsonError};

/// The largest file of minimum versions, in bytes.
pub const MAX_MINIMUM_VERSIONS_BYTES: u64 = 1024 * 1024;

/// Why a text does not state minimum versions.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MinimumVersionsError {
    /// It is not JSON, or a key occurs twice.
    #[error("it is {0}")]
    Json(#[from] JsonError),
    /// It is JSON of another form.
    #[error("it must be one JSON object, such as {{\"tool:api/deploy\": \"1.2.0\"}}")]
    Form,
    /// A key is no name of an item.
    #[error("`{0}`: {1}")]
    Name(String, ItemNameError),
    /// A value is no version.
    #[error("`{0}`: {1}")]
    Version(String, VersionError),
}

/// Parses minimum versions.
pub fn parse_minimum_versions(
    text: &[u8],
) -> Result<BTreeMap<ItemName, Version>, MinimumVersionsError> {
    let Value::Object(fields) = json::parse(text)? else { return Err(MinimumVersionsError::Form) };
    let entries = fields.into_iter().map(|(key, value)| {
        let shown = || key.escape_default().take(100).collect::<String>();
        let name = key.parse().map_err(|error| MinimumVersionsError::Name(shown(), error))?;
        let version = value.as_str().ok_or(VersionError::Form).and_then(str::parse);
        let version = version.map_err(|error| MinimumVersionsError::Version(shown(), error))?;
        Ok((name, version))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_versions_are_read() {
        let found =
            parse_minimum_versions(br#"{"tool:a/b": "1.2.0", "knowledge:x": "0.0.1-rc.1"}"#);
        let found = found.expect("minimum versions");
        let lines = found.iter().map(|(name, version)| format!("{name} {version}"));
        assert_eq!(lines.collect::<Vec<_>>(), ["tool:a/b 1.2.0", "knowledge:x 0.0.1-rc.1"]);
        assert_eq!(parse_minimum_versions(b"{}"), Ok(BTreeMap::new()));
    }

    #[test]
    fn anything_else_is_refused_with_the_reason() {
        for (text, reason) in [
            ("", "not valid JSON"),
            ("[]", "one JSON object"),
            (r#"{"tool:a": "1.0.0", "tool:a": "2.0.0"}"#, "not valid JSON"),
            (r#"{"a/b": "1.0.0"}"#, "`a/b`: an item is named by"),
            (r#"{"tool:a": 1}"#, "`tool:a`: a version is SemVer"),
            (r#"{"tool:a": "1.0"}"#, "`tool:a`: a version is SemVer"),
            (r#"{"tool:a": null}"#, "`tool:a`: a version is SemVer"),
            ("{\"tool:\\u001b[2J\": \"1.0.0\"}", "`tool:\\u{1b}[2J`"),
        ] {
            let error = parse_minimum_versions(text.as_bytes()).expect_err(text).to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
