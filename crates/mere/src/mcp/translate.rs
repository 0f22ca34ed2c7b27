//! Between the engine's words and the protocol's.

use mere_core::gate::{Cleared, Seal};
use mere_core::reply::ReplyType;
use mere_core::request::{Effect, Tool};
use rmcp::model::{CallToolResult, ContentBlock, ToolAnnotations};
use serde_json::Value;

/// A tool as the protocol lists it.
pub(super) fn tool(tool: &Tool) -> rmcp::model::Tool {
    let annotations = match tool.effect {
        Effect::Reads => ToolAnnotations::with_title(tool.title)
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false),
    };
    rmcp::model::Tool::new(tool.name, tool.about, tool.input_schema())
        .with_title(tool.title)
        .with_raw_output_schema(tool.output_schema().into())
        .with_annotations(annotations)
}

/// A reply as the protocol returns it: structured, with a short text mirror.
pub(super) fn result(reply: &Cleared, seal: &Seal) -> CallToolResult {
    let mut result = CallToolResult::structured(seal.value(reply));
    result.content = vec![ContentBlock::text(seal.text(reply, mirror))];
    result.is_error = Some(reply.reply() != ReplyType::Success);
    result
}

/// The reply for a client that reads text only: code and message, the hint, the data as YAML.
fn mirror(reply: &Value) -> String {
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
