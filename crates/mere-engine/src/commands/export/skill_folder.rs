//! A directive as an Agent Skill, by the rules of the reference validator.
//!
//! A skill is exported byte for byte. A directive of another form becomes a `SKILL.md` whose
//! frontmatter holds its category and version.

use mere_core::item::Item;
use serde_json::Value;

use crate::items::LoadedItem;

/// The longest name of a skill, in characters.
const MAX_NAME: usize = 64;
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 1024;
/// The fields that the frontmatter of a skill may have.
const ALLOWED_FIELDS: [&str; 6] =
    ["name", "description", "license", "allowed-tools", "metadata", "compatibility"];
/// The line by which a file that was exported is recognised.
pub(in crate::commands) const EXPORT_MARK: &str = "exported-by: mere";

/// Returns the name that an id has as a skill: lower case, digits and single hyphens.
pub(super) fn skill_name(id: &str) -> String {
    let parts = id.split(['_', '-']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").chars().take(MAX_NAME).collect()
}

/// Returns why a skill is not one by the rules of the reference validator, if it is not.
pub(super) fn skill_fault(loaded: &LoadedItem) -> Option<&'static str> {
    let Item::Skill(skill) = &loaded.item else { return None };
    let is_allowed = |field: &String| ALLOWED_FIELDS.contains(&field.as_str());
    if skill_name(loaded.place.id.as_str()) != loaded.place.id.as_str() {
        return Some("Agent Skills have names of lower-case letters, digits and single hyphens");
    }
    if !skill.frontmatter.keys().all(is_allowed) {
        return Some("its frontmatter has a field that Agent Skills do not have");
    }
    (skill.description.chars().count() > MAX_DESCRIPTION)
        .then_some("its description has more than 1024 characters")
}

/// Returns the description of a directive, on one line and not too long.
pub(super) fn describe(item: &Item) -> String {
    let text = match item {
        Item::Skill(skill) => &skill.description,
        Item::Directive(directive) => &directive.description,
        _ => return String::new(),
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_DESCRIPTION).collect()
}

/// Returns the part of an item's text that an agent follows.
pub(super) fn instructions(loaded: &LoadedItem) -> &str {
    let range = match &loaded.item {
        Item::Skill(skill) => skill.content.clone(),
        Item::Directive(directive) => directive.content.clone(),
        _ => 0..loaded.text.len(),
    };
    loaded.text.get(range).unwrap_or_default().trim()
}

/// Writes a directive as the `SKILL.md` of a skill.
pub(super) fn render_skill(loaded: &LoadedItem, name: &str) -> String {
    let description = match describe(&loaded.item) {
        text if text.is_empty() => format!("The directive {name}."),
        text => text,
    };
    let version = loaded.item.version().map(ToString::to_string).unwrap_or_default();
    let category = loaded.place.category.as_str();
    format!(
        "---\nname: {name}\ndescription: {}\nmetadata:\n  category: {}\n  version: {}\n  \
         {EXPORT_MARK}\n---\n\n{}\n",
        quote(&description),
        quote(category),
        quote(&version),
        instructions(loaded)
    )
}

/// Writes a directive as a rule of Cursor.
pub(super) fn render_rule(loaded: &LoadedItem) -> String {
    let description = describe(&loaded.item);
    let category = quote(loaded.place.category.as_str());
    format!(
        "---\ndescription: {}\nalwaysApply: false\nmetadata:\n  category: {category}\n  \
         {EXPORT_MARK}\n---\n\n{}\n",
        quote(&description),
        instructions(loaded)
    )
}

/// Quotes a text for YAML. JSON's form of a string is one of YAML's.
fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_the_validator_accepts() {
        for (id, expected) in
            [("deploy", "deploy"), ("code_review", "code-review"), ("a__b-_c_", "a-b-c")]
        {
            assert_eq!(skill_name(id), expected);
        }
    }
}
