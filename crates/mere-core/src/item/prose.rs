//! The prose of an item: what it says in sentences, without markup, keys and code.
//!
//! Models embed it. A table of word vectors would take every `<step>` and `executor_id` for
//! something that the item is about.

use std::borrow::Cow;

use roxmltree::Node;
use serde_json::Value;

use super::directive::Directive;
use super::tool::ToolManifest;
use super::{Item, xml};

/// How deep descriptions are looked for in a manifest.
const MAX_DEPTH: usize = 16;

impl Item {
    /// Returns what the item says beside its title, its tags and its own description. `text` is the
    /// file that it was parsed from.
    pub fn prose<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self {
            Self::Directive(directive) => Cow::Owned(directive_prose(directive, text)),
            Self::Tool(tool) => Cow::Owned(tool_prose(tool, text)),
            Self::Skill(_) | Self::Knowledge(_) | Self::Memory(_) | Self::Lockfile(_) => {
                let content = self.content_range().and_then(|content| text.get(content));
                Cow::Borrowed(content.unwrap_or(text))
            }
        }
    }
}

/// Returns the texts of the elements, except the metadata.
fn directive_prose(directive: &Directive, text: &str) -> String {
    let content = text.get(directive.content.clone()).unwrap_or_default();
    let Ok(document) = xml::parse(content) else { return content.to_owned() };
    let is_metadata = |node: Node<'_, '_>| node.has_tag_name("metadata");
    let parts = document.root_element().children().filter(|part| !is_metadata(*part));
    let texts = parts.flat_map(|part| part.descendants()).filter(Node::is_text);
    let texts = texts.filter_map(|node| node.text()).map(str::trim).filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the descriptions in the manifest but the tool's own, and the comments of a script.
fn tool_prose(tool: &ToolManifest, text: &str) -> String {
    let mut prose = Vec::new();
    for (name, value) in &tool.manifest {
        if name != "description" {
            collect_descriptions(value, MAX_DEPTH, &mut prose);
        }
    }
    prose.extend(text.lines().filter_map(comment));
    prose.join("\n")
}

fn collect_descriptions<'a>(value: &'a Value, depth: usize, found: &mut Vec<&'a str>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match member.as_str().filter(|_| name == "description") {
                    Some(description) => found.push(description),
                    None => collect_descriptions(member, depth, found),
                }
            }
        }
        Value::Array(entries) => {
            for entry in entries {
                collect_descriptions(entry, depth, found);
            }
        }
        _ => {}
    }
}

/// Returns the text of a line that is a comment of Python, a shell, YAML or JavaScript.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line.strip_prefix('#').or_else(|| line.strip_prefix("//"))?;
    let text = text.trim_start_matches(['#', '/']).trim();
    (!text.is_empty() && !text.starts_with('!')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::RelPath;
    use crate::item::{Scope, ScopedPath};

    fn prose(file: &str, text: &str) -> String {
        let file = file.parse::<RelPath>().expect("a path");
        let place = ScopedPath::from_space_path(Scope::Project, &file).expect("an item");
        Item::parse(text, &place).expect("an item").prose(text).into_owned()
    }

    #[test]
    fn a_directive_has_no_markup() {
        let text = "Read me.\n<directive name=\"tidy\" version=\"1.0.0\">\n<metadata><description>Tidy \
                    up</description><author>a</author></metadata>\n<process><step name=\"s\">\
                    <description>Sort &amp; fold</description><action><![CDATA[Put a < b \
                    away]]></action></step></process></directive>\n";
        assert_eq!(prose("directives/tidy.md", text), "Sort & fold\nPut a < b away");
    }

    #[test]
    fn a_tool_has_its_descriptions_and_comments() {
        let text = "# Counts lines.\ntool_id: count\ntool_type: script\nexecutor_id: \
                    python_runtime\nversion: 1.0.0\ndescription: Counts\nconfig_schema:\n  type: \
                    object\n  properties:\n    deep: {type: string, description: How deep}\n";
        assert_eq!(prose("tools/count.yaml", text), "How deep\nCounts lines.");
        assert_eq!(comment("#!/bin/sh"), None);
        assert_eq!(comment("  // see"), Some("see"));
    }

    #[test]
    fn a_note_is_its_content() {
        let text = "---\nid: n\ntitle: N\n---\n# N\n\nBody.\n";
        assert!(prose("knowledge/n.md", text).ends_with("Body.\n"));
    }
}
