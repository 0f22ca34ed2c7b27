//! The bounds of an item's fields, in one table.
//!
//! A new item that exceeds one is refused. An item that lies on disk already can still be read: it
//! has a warning, and lists show the beginning of the text. A version is part of names and hashes,
//! so one that is too long is none.

use std::fmt;

use serde_json::Value;

use super::any_item::Item;
use super::fault::ItemFault;
use crate::reply::Prose;

/// What one field may have at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldBound {
    /// What the field is called.
    pub field: &'static str,
    /// How many characters or entries it may have.
    pub most: usize,
    /// What is counted.
    pub unit: &'static str,
}

const fn characters(field: &'static str, most: usize) -> FieldBound {
    FieldBound { field, most, unit: "characters" }
}

const fn entries(field: &'static str, most: usize) -> FieldBound {
    FieldBound { field, most, unit: "entries" }
}

/// The title of a knowledge entry or a memory.
pub const TITLE: FieldBound = characters("title", 200);
/// What a directive, a skill or a tool does.
pub const DESCRIPTION: FieldBound = characters("description", 1024);
/// How much of a description a list of items shows.
pub const SHOWN_DESCRIPTION: FieldBound = characters("description", 400);
/// A version.
pub const VERSION: FieldBound = characters("version", 128);
/// Who wrote it.
pub const AUTHOR: FieldBound = characters("author", 200);
/// The type of a knowledge entry.
pub const ENTRY_TYPE: FieldBound = characters("entry_type", 64);
/// How many tags there may be.
pub const TAGS: FieldBound = entries("tags", 64);
/// One tag.
pub const TAG: FieldBound = characters("a tag", 100);
/// How many citations a memory may have.
pub const CITATIONS: FieldBound = entries("citations", 64);
/// A citation, or the source of a memory.
pub const CITATION: FieldBound = characters("a citation or the source", 1000);
/// How many entries all relations of a knowledge entry may name together.
pub const RELATIONS: FieldBound = entries("the relations", 256);
/// The name of an entry in a relation.
pub const RELATION_TARGET: FieldBound = characters("a name in a relation", 256);
/// How many inputs a directive may take.
pub const INPUTS: FieldBound = entries("inputs", 100);
/// The name of an input.
pub const INPUT_NAME: FieldBound = characters("the name of an input", 100);
/// How many steps a directive may have.
pub const STEPS: FieldBound = entries("process", 1000);

/// A field that exceeds its bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldExcess {
    /// The bound.
    pub bound: FieldBound,
    /// How much the field has.
    pub found: usize,
}

impl fmt::Display for FieldExcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FieldBound { field, most, unit } = self.bound;
        write!(f, "{field}: {} {unit}, and at most {most} are allowed", self.found)
    }
}

impl FieldExcess {
    /// Creates the fault for a new item.
    pub fn into_fault(self) -> ItemFault {
        ItemFault::whole_file(Prose::words(self.to_string()), "Shorten it.")
    }
}

impl FieldBound {
    fn check_text(self, text: &str) -> Option<FieldExcess> {
        // No text has more characters than bytes.
        let found = if text.len() <= self.most { 0 } else { text.chars().count() };
        self.check_count(found)
    }

    fn check_count(self, found: usize) -> Option<FieldExcess> {
        (found > self.most).then_some(FieldExcess { bound: self, found })
    }

    /// Returns the first text that is too long.
    fn check_each<'a>(self, texts: impl IntoIterator<Item = &'a String>) -> Option<FieldExcess> {
        texts.into_iter().find_map(|text| self.check_text(text))
    }
}

impl Item {
    /// Returns the fields that exceed their bounds, each once.
    pub fn field_excesses(&self) -> Vec<FieldExcess> {
        let common = [
            DESCRIPTION.check_text(self.description()),
            TAGS.check_count(self.tags().len()),
            TAG.check_each(self.tags()),
            AUTHOR.check_text(self.author().as_deref().unwrap_or_default()),
        ];
        let own = match self {
            Self::Directive(directive) => vec![
                INPUTS.check_count(directive.inputs.len()),
                INPUT_NAME.check_each(directive.inputs.iter().map(|input| &input.name)),
                STEPS.check_count(directive.process.len()),
            ],
            Self::Knowledge(entry) => {
                let targets = || entry.relations.iter().flat_map(|(_, ids)| ids);
                let entry_type = entry.frontmatter.get("entry_type").and_then(Value::as_str);
                vec![
                    TITLE.check_text(&entry.title),
                    ENTRY_TYPE.check_text(entry_type.unwrap_or_default()),
                    RELATIONS.check_count(targets().count()),
                    RELATION_TARGET.check_each(targets()),
                ]
            }
            Self::Memory(memory) => vec![
                CITATIONS.check_count(memory.citations.len()),
                CITATION.check_each(memory.citations.iter().chain(&memory.source)),
            ],
            Self::Skill(_) | Self::Tool(_) | Self::Lockfile(_) => Vec::new(),
        };
        common.into_iter().chain(own).flatten().collect()
    }

    /// Returns who wrote it, if it says so.
    fn author(&self) -> Option<String> {
        let text = |value: &Value| value.get("author").and_then(Value::as_str).map(str::to_owned);
        let metadata = match self {
            Self::Lockfile(_) => return None,
            Self::Directive(directive) => return text(&directive.metadata),
            Self::Skill(skill) => &skill.frontmatter,
            Self::Tool(tool) => &tool.manifest,
            Self::Knowledge(entry) => &entry.frontmatter,
            Self::Memory(memory) => &memory.frontmatter,
        };
        let stated = metadata.get("author").and_then(Value::as_str).map(str::to_owned);
        stated.or_else(|| metadata.get("metadata").and_then(text))
    }
}
