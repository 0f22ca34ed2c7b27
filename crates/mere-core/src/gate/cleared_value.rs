//! A reply's data after the gate: ordered values whose strings may all be sent.

use std::borrow::Cow;

/// A value that passed the gate.
pub(super) enum ClearedValue<'a> {
    Null,
    Bool(bool),
    Number(u64),
    Text(Cow<'a, str>),
    /// A value that is serialised already.
    Json(String),
    List(Vec<ClearedValue<'a>>),
    Fields(ClearedFields<'a>),
}

/// Named values in order.
pub(super) type ClearedFields<'a> = Vec<(Cow<'a, str>, ClearedValue<'a>)>;

impl ClearedValue<'_> {
    /// Returns the text if the value is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a copy that borrows this value's texts.
    pub(super) fn to_borrowed(&self) -> ClearedValue<'_> {
        match self {
            Self::Null => ClearedValue::Null,
            Self::Bool(value) => ClearedValue::Bool(*value),
            Self::Number(number) => ClearedValue::Number(*number),
            Self::Text(text) => ClearedValue::Text(text.as_ref().into()),
            Self::Json(json) => ClearedValue::Json(json.clone()),
            Self::List(items) => {
                ClearedValue::List(items.iter().map(ClearedValue::to_borrowed).collect())
            }
            Self::Fields(fields) => {
                let fields = fields.iter();
                ClearedValue::Fields(
                    fields
                        .map(|(name, value)| (name.as_ref().into(), value.to_borrowed()))
                        .collect(),
                )
            }
        }
    }

    /// Serialises the value as JSON.
    pub(super) fn to_json(&self) -> String {
        self.to_json_with_capacity(64)
    }

    /// Serialises the value as JSON into a buffer of about `bytes` bytes, so that a large text is
    /// not copied while the buffer grows.
    pub(super) fn to_json_with_capacity(&self, bytes: usize) -> String {
        let mut out = Vec::with_capacity(bytes);
        self.write_json(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Self::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
            Self::Text(text) => write_text(text, out),
            Self::Json(json) => out.extend_from_slice(json.as_bytes()),
            Self::List(items) => {
                out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    item.write_json(out);
                }
                out.push(b']');
            }
            Self::Fields(fields) => write_fields(fields, out),
        }
    }
}

fn write_fields(fields: &ClearedFields<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (name, value)) in fields.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write_text(name, out);
        out.push(b':');
        value.write_json(out);
    }
    out.push(b'}');
}

/// Serialises a text as a JSON string.
pub(super) fn json_string(text: &str) -> String {
    ClearedValue::Text(text.into()).to_json_with_capacity(text.len() + text.len() / 8 + 16)
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing a string into memory cannot fail.
    let _ = serde_json::to_writer(out, text);
}
