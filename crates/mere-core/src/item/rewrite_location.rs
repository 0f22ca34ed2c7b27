//! Rewrites the location that an item's file states, for a file that is moved.
//!
//! Where the file states its own id, category or scope, the new one is written; every other byte
//! stays. What the file does not state stays unstated.

use std::ops::Range;

use super::any_item::Item;
use super::edit::{self, Edit};
use super::fault::ItemFault;
use super::frontmatter::Frontmatter;
use super::kind::ItemType;
use super::path::{ItemForm, ScopedPath};
use super::{directive, json_pointer, xml, xml_bounds};
use crate::text::yaml;
use crate::text::yaml::YamlEntry;

/// Rewrites the text of the item at `from` so that it is valid at `to`, or returns a fault.
pub fn rewrite_location(
    text: &str,
    from: &ScopedPath,
    to: &ScopedPath,
) -> Result<String, ItemFault> {
    let is_skill = |at: &ScopedPath| at.kind == ItemType::Directive && at.form == ItemForm::Folder;
    if from.kind != to.kind || is_skill(from) != is_skill(to) {
        let fix = "Create a new item of that type, and copy the text by hand.";
        return Err(ItemFault::whole_file("the type of an item cannot be changed", fix));
    }
    Item::parse(text, from)?;
    restate_location(text, to)
}

/// Rewrites the text of an item so that it states the place where it lies, wherever it says it
/// belongs, or returns a fault if that alone does not make it valid.
pub fn restate_location(text: &str, at: &ScopedPath) -> Result<String, ItemFault> {
    let edits = match (at.kind, at.form) {
        (ItemType::Directive, ItemForm::Flat) => directive_edits(text, at)?,
        (ItemType::Directive, ItemForm::Folder) => {
            frontmatter_edits(&Frontmatter::parse(text)?, text, &[("name", at.id.as_str())])
        }
        (ItemType::Knowledge, _) => {
            let (id, category) = (at.id.as_str(), at.category.as_str());
            let fields = [("id", id), ("zettel_id", id), ("category", category)];
            frontmatter_edits(&Frontmatter::parse_note(text)?, text, &fields)
        }
        (ItemType::Tool, _) => tool_edits(text, at)?,
        (ItemType::Lockfile, _) => lockfile_edits(text, at),
        (ItemType::Memory, _) => Vec::new(),
    };
    let restated = edit::apply_edits(text, edits);
    Item::parse(&restated, at)?;
    Ok(restated)
}

fn directive_edits(text: &str, to: &ScopedPath) -> Result<Vec<Edit>, ItemFault> {
    let content = directive::find_element(text)?;
    let element = &text[content.clone()];
    let document = xml::parse(element).map_err(|fault| fault.relocate(text, content.start))?;
    let root = document.root_element();
    let name = root.attribute_node("name").and_then(|name| {
        let (range, new) = (name.range(), to.id.as_str());
        // The parser stores the value's own range in few bits; the position of the quotes is exact.
        let end = range.end.checked_sub(1)?;
        let quote = element[end..].chars().next()?;
        let start = range.start + element[range.start..end].rfind(quote)? + 1;
        (name.value() != new).then(|| Edit { range: start..end, text: new.to_owned() })
    });
    let category = xml::child(root, "metadata").and_then(|node| xml::child(node, "category"));
    let category = category.and_then(|node| {
        let (stated, new) = (xml::own_text(node), to.category.as_str());
        (stated != new).then(|| category_edit(element, node.range(), &stated, new))
    });
    let moved = |edit: Edit| {
        let range = content.start + edit.range.start..content.start + edit.range.end;
        Edit { range, ..edit }
    };
    Ok(name.into_iter().chain(category).map(moved).collect())
}

/// Returns the edit that puts a new category into an element, whether the old one is plain text or
/// CDATA.
fn category_edit(text: &str, element: Range<usize>, stated: &str, new: &str) -> Edit {
    let raw = &text[element.clone()];
    let Some(inner) = xml_bounds::content_range(raw) else {
        let open = raw.trim_end_matches("/>").trim_end();
        let name = open[1..].split_ascii_whitespace().next().unwrap_or("category");
        return Edit { range: element, text: format!("{open}>{new}</{name}>") };
    };
    let content = &raw[inner.clone()];
    let trimmed = content.trim();
    let data = trimmed.strip_prefix("<![CDATA[").and_then(|data| data.strip_suffix("]]>"));
    let trimmed = data.map_or(trimmed, str::trim);
    let within = match content.find(trimmed).filter(|_| trimmed == stated) {
        Some(at) if !stated.is_empty() => at..at + stated.len(),
        _ => 0..content.len(),
    };
    let start = element.start + inner.start;
    Edit { range: start + within.start..start + within.end, text: new.to_owned() }
}

fn frontmatter_edits(
    frontmatter: &Frontmatter<'_>,
    text: &str,
    fields: &[(&str, &str)],
) -> Vec<Edit> {
    scalar_edits(text, frontmatter.yaml_start, &frontmatter.entries, fields)
}

fn tool_edits(text: &str, to: &ScopedPath) -> Result<Vec<Edit>, ItemFault> {
    let entries = yaml::parse_plain_mapping(text);
    let entries = entries.map_err(|error| ItemFault::from_yaml("the manifest", text, error))?;
    let fields = [("tool_id", to.id.as_str()), ("category", to.category.as_str())];
    Ok(scalar_edits(text, 0, &entries, &fields))
}

fn scalar_edits(
    text: &str,
    start: usize,
    entries: &[YamlEntry],
    fields: &[(&str, &str)],
) -> Vec<Edit> {
    let edits = fields.iter().filter_map(|(key, new)| {
        let entry = entries.iter().find(|entry| entry.key == *key)?;
        let stated = entry.value.as_str().filter(|stated| stated != new)?;
        let range = start + entry.value_range.start..start + entry.value_range.end;
        let text = edit::respell_scalar(&text[range.clone()], stated, new);
        Some(Edit { range, text })
    });
    edits.collect()
}

fn lockfile_edits(text: &str, to: &ScopedPath) -> Vec<Edit> {
    let fields = [
        ("/root/tool_id", to.id.as_str()),
        ("/metadata/tool_id", to.id.as_str()),
        ("/metadata/category", to.category.as_str()),
        ("/metadata/scope", to.scope.name()),
    ];
    let edits = fields.into_iter().filter_map(|(pointer, new)| {
        let range = json_pointer::find_value(text, pointer)?;
        let stated = serde_json::from_str::<String>(&text[range.clone()]).ok()?;
        (stated != new).then(|| Edit { range, text: format!("\"{new}\"") })
    });
    edits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_keeps_what_is_around_it() {
        for (raw, stated, expected) in [
            ("<category>\n a </category>", "a", "<category>\n n/m </category>"),
            ("<category><![CDATA[ a ]]></category>", "a", "<category><![CDATA[ n/m ]]></category>"),
            ("<category a='>' />", "", "<category a='>'>n/m</category>"),
            ("<category></category>", "", "<category>n/m</category>"),
            ("<category>&#97;<!-- a --></category>", "a", "<category>n/m</category>"),
        ] {
            let edit = category_edit(raw, 0..raw.len(), stated, "n/m");
            let mut text = raw.to_owned();
            text.replace_range(edit.range, &edit.text);
            assert_eq!(text, expected);
        }
    }
}
