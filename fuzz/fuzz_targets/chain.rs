//! Any manifest is refused, or becomes a chain whose arguments are bounded and not read twice.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use mere_core::chain::{Chain, MAX_ARGUMENT_BYTES, ChainTool, TemplateValues, builtin, tool_input_schema};
use mere_core::item::{CategoryBase, ItemForm, ItemType, Scope, ScopedPath, ToolManifest};

fuzz_target!(|text: &str| {
    let place = ScopedPath {
        scope: Scope::Project,
        kind: ItemType::Tool,
        base: CategoryBase::Space,
        category: "a".parse().expect("a category"),
        id: "a".parse().expect("an id"),
        version: None,
        form: ItemForm::Flat,
    };
    let Ok(tool) = ToolManifest::parse(text, &place) else { return };
    let integrity = tool.integrity(&place, &[]);
    let mut members = vec![ChainTool::new(tool, &place, integrity)];
    while let Some(executor) = members.last().and_then(|member| member.pin.executor.clone()) {
        let Some(member) = builtin::find(&executor) else { break };
        members.push(member);
    }
    let Ok(chain) = Chain::new(members) else { return };
    let _ = tool_input_schema(&chain.leaf().manifest);
    let Ok(config) = chain.config() else { return };
    let _ = config.environment();
    let value = mere_core::text::json::parse(br#"{"x": "${y}"}"#).expect("JSON");
    let parameters = value.as_object().expect("an object");
    let environment = BTreeMap::new();
    let values = TemplateValues { folder: "/tool", parameters, environment: &environment };
    let Ok(filled) = config.fill(values) else { return };
    if let Ok(subprocess) = filled.subprocess() {
        let bytes = subprocess.argv.iter().map(String::len).sum::<usize>();
        assert!(!subprocess.argv.is_empty() && bytes <= MAX_ARGUMENT_BYTES);
    }
});
