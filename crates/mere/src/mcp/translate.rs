//! Translation of tools and replies into the protocol's types.
//!
//! A reply is already cleared when it arrives here, and no text is added to it.

use mere_core::gate::{Cleared, Seal};
use mere_core::reply::ReplyType;
use mere_core::request::{Effect, Tool};
use rmcp::model::{CallToolResult, ContentBlock, ToolAnnotations};

/// Builds the protocol's description of a tool.
pub(super) fn tool(tool: &Tool) -> rmcp::model::Tool {
    // The protocol's defaults are left out, because every client reads all of this.
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

/// Builds the protocol's result of a call: the structured reply, with a short text mirror.
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
