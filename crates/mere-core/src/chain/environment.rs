//! The sources of a tool's environment variables. The values are looked up by whoever runs the
//! tool, not here.

use serde_json::Value;

/// The source of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvSource {
    /// The secret of this name, which a person has granted.
    Secret(String),
    /// The variable of this name in the environment of whoever runs the tool.
    Env(String),
    /// This literal text.
    Value(String),
}

impl EnvSource {
    /// Parses one of `{secret: …}`, `{env: …}` and `{value: …}`.
    pub(super) fn parse(value: &Value) -> Option<Self> {
        let mut fields = value.as_object()?.iter();
        let (Some((key, value)), None) = (fields.next(), fields.next()) else { return None };
        let text = value.as_str().filter(|text| !text.contains('\0'))?;
        match key.as_str() {
            "secret" if !text.is_empty() => Some(Self::Secret(text.to_owned())),
            "env" if is_variable_name(text) => Some(Self::Env(text.to_owned())),
            "value" => Some(Self::Value(text.to_owned())),
            _ => None,
        }
    }
}

/// Reports whether a text is a valid name of a variable.
pub(super) fn is_variable_name(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_word)
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_variable_has_exactly_one_source() {
        let text = |text: &str| text.to_owned();
        for (value, expected) in [
            (json!({"secret": "API_KEY"}), Some(EnvSource::Secret(text("API_KEY")))),
            (json!({"env": "LANG"}), Some(EnvSource::Env(text("LANG")))),
            (json!({"value": "1"}), Some(EnvSource::Value(text("1")))),
            (json!({"value": "${not} expanded"}), Some(EnvSource::Value(text("${not} expanded")))),
            (json!({"value": ""}), Some(EnvSource::Value(text("")))),
            (json!({"value": 1}), None),
            (json!({"value": "a\0b"}), None),
            (json!({"secret": ""}), None),
            (json!({"env": "a b"}), None),
            (json!({"env": "A", "value": "b"}), None),
            (json!({"other": "A"}), None),
            (json!({}), None),
            (json!("A"), None),
            (json!(null), None),
        ] {
            assert_eq!(EnvSource::parse(&value), expected, "{value}");
        }
    }

    #[test]
    fn a_variable_has_a_name_that_every_system_takes() {
        for good in ["A", "_", "a1", "PYTHONPATH"] {
            assert!(is_variable_name(good), "{good}");
        }
        for bad in ["", "1A", "A-B", "A=B", "é", "A B", "A\0"] {
            assert!(!is_variable_name(bad), "{bad:?}");
        }
    }
}
