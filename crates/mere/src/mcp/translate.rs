//! Between the engine's words and the protocol's.

use mere_core::gate::{Cleared, Seal};
use mere_core::reply::ReplyType;
use mere_core::request::{Effect, Tool};
use rmcp::model::{CallToolResult, ContentBlock, ToolAnnotations};

/// A tool as the protocol lists it.
pub(super) fn tool(tool: &Tool) -> rmcp::model::Tool {
    // What is the protocol's default is not said: every client reads all of this.
    let annotations = ToolAnnotations::new().open_world(false);
    let annotations = match tool.effect {
        Effect::Reads => annotations.read_only(true),
        Effect::Adds => annotations.destructive(false).idempotent(true),
        Effect::Writes => annotations,
    };
    rmcp::model::Tool::new(tool.name, tool.about, tool.input_schema())
        .with_title(tool.title)
        .with_raw_output_schema(tool.output_schema().into())
        .with_annotations(annotations)
}

/// A reply as the protocol returns it: structured, with a short text mirror.
pub(super) fn result(reply: Cleared, seal: &Seal) -> CallToolResult {
    let kind = reply.reply_type();
    let (reply, mirror) = seal.seal_reply(reply);
    let mirror = vec![ContentBlock::text(mirror)];
    let mut result = match kind {
        ReplyType::Success => CallToolResult::success(mirror),
        ReplyType::Invalid | ReplyType::Denied | ReplyType::Error => CallToolResult::error(mirror),
    };
    result.structured_content = Some(reply);
    result
}
