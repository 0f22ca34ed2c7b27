//! A reply for a client that reads text only.
//!
//! Rendered from the cleared value alone, so that nothing joins it after the gate.

use serde_json::Value;

/// Code and message, the hint, the data as YAML, and for an error the trace id.
pub(super) fn render(reply: &Value) -> String {
    let text = |key: &str| reply[key].as_str().unwrap_or_default().to_owned();
    let mut parts = vec![format!("{} {}", text("code"), text("message"))];
    if reply.get("hint").is_some() {
        parts.push(text("hint"));
    }
    let data = &reply["data"];
    if data.as_object().is_some_and(|data| !data.is_empty()) {
        let yaml = serde_saphyr::to_string(data).unwrap_or_else(|_| data.to_string());
        parts.push(yaml.trim_end().to_owned());
    }
    if reply["reply_type"] == "E" {
        parts.push(format!("trace_id: {}", reply["trace"]["trace_id"].as_str().unwrap_or("?")));
    }
    parts.join("\n")
}
