//! What a tool of another server answered, as one text.
//!
//! Texts are kept as they are. Pictures, sounds and links are named, because nobody here could look
//! at them.

use serde_json::Value;

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Its text.
    pub text: String,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}

impl ToolAnswer {
    /// Reads the result of a call.
    pub(super) fn from_result(result: &Value) -> Option<Self> {
        let blocks = match result.get("content") {
            None => &[][..],
            Some(content) => content.as_array()?,
        };
        let is_error = match result.get("isError") {
            None | Some(Value::Null) => false,
            Some(flag) => flag.as_bool()?,
        };
        let texts = blocks.iter().map(block_text).collect::<Option<Vec<_>>>()?;
        let text = match result.get("structuredContent") {
            Some(structured) if texts.is_empty() => structured.to_string(),
            _ => texts.join("\n"),
        };
        Some(Self { text, is_error })
    }

    /// Reads the error that a server answered instead of a result.
    pub(super) fn from_error(error: &Value) -> Self {
        let text = error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { text, is_error: true }
    }
}

/// Returns the text of one part of an answer.
fn block_text(block: &Value) -> Option<String> {
    let field =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let kind = block.get("type")?.as_str()?;
    let described = |name: &str, value: &Value| {
        let media = field(value, "mimeType").unwrap_or_default();
        let size = ["data", "blob"].iter().find_map(|key| value.get(*key)?.as_str()).map(str::len);
        match size {
            Some(size) => format!("[{name} {media}, {size} characters of base64]"),
            None => format!("[{name} {media}]"),
        }
    };
    match kind {
        "text" => field(block, "text"),
        "image" | "audio" => Some(described(kind, block)),
        "resource_link" => Some(format!("[resource {}]", field(block, "uri")?)),
        "resource" => {
            let resource = block.get("resource")?;
            Some(field(resource, "text").unwrap_or_else(|| described("resource", resource)))
        }
        _ => Some("[something of an unknown type]".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_becomes_one_text() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        for (result, expected) in [
            (json!({ "content": [text("a"), text("b")] }), Some(("a\nb", false))),
            (json!({ "content": [], "isError": true }), Some(("", true))),
            (json!({ "content": [], "structuredContent": {"a": 1} }), Some(("{\"a\":1}", false))),
            (json!({ "content": [text("a")], "structuredContent": {} }), Some(("a", false))),
            (
                json!({ "content": [{"type": "image", "mimeType": "image/png", "data": "abcd"}] }),
                Some(("[image image/png, 4 characters of base64]", false)),
            ),
            (
                json!({ "content": [{"type": "resource", "resource": {"uri": "x", "text": "t"}}] }),
                Some(("t", false)),
            ),
            (json!({ "content": "a" }), None),
            (json!({ "content": [{"text": "a"}] }), None),
            (json!({ "content": [], "isError": "no" }), None),
        ] {
            let found = ToolAnswer::from_result(&result);
            let found = found.as_ref().map(|one| (one.text.as_str(), one.is_error));
            assert_eq!(found, expected, "{result}");
        }
    }
}
