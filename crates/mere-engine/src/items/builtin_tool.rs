//! The tools that ship with the program, as `load` shows them.

use mere_core::chain::{ChainTool, builtin};
use mere_core::digest::{Fidelity, ShownDigest};
use mere_core::item::{ItemRef, ItemType};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::Load;
use serde_json::Value;

use super::reply_fields::own_text;

/// Answers a call for a tool that ships with the program. Returns `None` if it asks for another item.
pub(crate) fn load_builtin(request: &Load) -> Option<Draft> {
    let ItemRef { category: None, id, .. } = &request.item else { return None };
    if request.kind != ItemType::Tool {
        return None;
    }
    let (tool, text) = (builtin::find(id)?, builtin::manifest_text(id)?);
    Some(builtin_reply(&tool, text))
}

fn builtin_reply(tool: &ChainTool, text: &str) -> Draft {
    let pin = &tool.pin;
    let metadata = Value::Object(tool.manifest.clone());
    let data = Fields::default()
        .with("item_type", ItemType::Tool.name())
        .with("id", own_text(&pin.id))
        .with("version", own_text(&pin.version))
        .with("category", ParsedName::from(&pin.category))
        .with("scope", "builtin")
        .with("address", Data::Null)
        .with("content", Content::body(text))
        .with("metadata", Data::from_foreign(&metadata, &mut |text| Content::mention(text)))
        .with("files", Data::List(Vec::new()))
        // What is built into the binary is public.
        .with("integrity", ShownDigest::if_exact(pin.integrity, Fidelity::Exact))
        .with("trust", Fields::default().with("status", "builtin"));
    let message = format!("The tool `{}` {} ships with Merestone.", pin.id, pin.version);
    Draft::success(codes::LOAD, Prose::words(message)).data(data)
}
