//! Writes the manifest of a script from what the script says about itself.
//!
//! All texts but plain words are written in double quotes, so that no YAML parser reads them as
//! anything else.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{ScriptFile, ScriptMetadata};
use crate::item::{ItemId, ScopedPath};

/// Writes the manifest of the tool at `at` that runs a script in its folder. If `call` is a
/// function of the script, the tool calls it.
pub fn draft_manifest(
    at: &ScopedPath,
    script: ScriptFile<'_>,
    metadata: &ScriptMetadata,
    call: Option<&str>,
) -> String {
    let ScriptFile { name: script, language } = script;
    let executor = metadata.executor.as_ref().map_or(language.runtime(), ItemId::as_str);
    let version = metadata.version.as_ref().map_or("0.1.0".to_owned(), ToString::to_string);
    let description = metadata.description.as_deref();
    let description = description.unwrap_or("Say in one sentence what this tool does.");
    let mut manifest = Map::new();
    let mut insert = |key: &str, value: Value| drop(manifest.insert(key.to_owned(), value));
    insert("tool_id", at.id.as_str().into());
    insert("tool_type", metadata.tool_type.unwrap_or("script").into());
    insert("executor_id", executor.into());
    insert("version", version.into());
    insert("description", description.into());
    let files = [("entrypoint", script), ("language", language.name())];
    let files = files.map(|(key, value)| (key.to_owned(), Value::from(value)));
    insert("manifest", Value::Object(Map::from_iter(files)));
    if let Some(name) = call {
        let config = Map::from_iter([("call".to_owned(), Value::from(name))]);
        insert("config", Value::Object(config));
    }
    // A program reads its parameters as it likes; the signature says only how a function is called.
    let signature = metadata.function.as_ref().filter(|_| call.is_some());
    let signature = signature.map(|function| &function.input_schema);
    if let Some(schema) = metadata.input_schema.as_ref().or(signature) {
        insert("input_schema", schema.clone());
    }
    write_manifest(&manifest)
}

/// Writes a manifest that is known as a value.
pub fn write_manifest(manifest: &Map<String, Value>) -> String {
    let mut text = String::new();
    write_mapping(&mut text, manifest, 0);
    text
}

fn write_mapping(text: &mut String, map: &Map<String, Value>, level: usize) {
    for (key, value) in map {
        text.extend(std::iter::repeat_n("  ", level));
        text.push_str(&write_text(key));
        text.push(':');
        write_value(text, value, level + 1);
    }
}

/// Writes what follows a key, up to the end of its lines. Values within lists are written as JSON,
/// which is YAML too.
fn write_value(text: &mut String, value: &Value, level: usize) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            text.push('\n');
            write_mapping(text, map, level);
        }
        Value::String(value) => {
            let _ = writeln!(text, " {}", write_text(value));
        }
        value => {
            let _ = writeln!(text, " {value}");
        }
    }
}

/// Writes a text: as it is if it is a plain word that no YAML parser takes for another value.
fn write_text(text: &str) -> String {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let special = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"];
    let lower = text.to_ascii_lowercase();
    if is_word && !text.is_empty() && !special.contains(&lower.as_str()) {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}
