//! An item of any type: one parser for whatever lies at a location, and the questions that every
//! type can answer.

use std::ops::Range;

use serde_json::Value;

use super::directive::Directive;
use super::fault::ItemFault;
use super::integrity::FileDigest;
use super::kind::ItemType;
use super::knowledge::Knowledge;
use super::lockfile::Lockfile;
use super::memory::Memory;
use super::path::{ItemForm, ScopedPath};
use super::skill::Skill;
use super::tool::ToolManifest;
use super::version::Version;
use crate::digest::Sha256;
use crate::reply::Content;

/// The largest main file of an item, in bytes.
pub const MAX_ITEM_BYTES: usize = 1024 * 1024;

/// A parsed item.
#[derive(Clone, Debug)]
pub enum Item {
    /// A workflow.
    Directive(Box<Directive>),
    /// An Agent Skill, which is a directive too.
    Skill(Skill),
    /// A tool's manifest.
    Tool(ToolManifest),
    /// A knowledge note with typed links.
    Knowledge(Knowledge),
    /// A short note in a store.
    Memory(Memory),
    /// The pins of a tool's chain.
    Lockfile(Lockfile),
}

/// Decodes the main file of an item as UTF-8, within the size limit and without NUL bytes.
pub fn decode_text(bytes: &[u8]) -> Result<&str, ItemFault> {
    check_size(bytes.len())?;
    let text = str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let good = str::from_utf8(good).unwrap_or_default();
        ItemFault::at_offset(good, good.len(), "this byte is not UTF-8", "Save the file as UTF-8.")
    })?;
    check_no_nul(text)?;
    Ok(text)
}

pub(super) fn check_size(bytes: usize) -> Result<(), ItemFault> {
    if bytes <= MAX_ITEM_BYTES {
        return Ok(());
    }
    let fix = "Shorten the item, and move long parts into files beside it.";
    Err(ItemFault::whole_file("the file is larger than 1 MiB", fix))
}

pub(super) fn check_no_nul(text: &str) -> Result<(), ItemFault> {
    match text.find('\0') {
        None => Ok(()),
        Some(at) => Err(ItemFault::at_offset(text, at, "there is a NUL byte", "Take it out.")),
    }
}

impl Item {
    /// Parses the main file of the item that lies at `at`.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        check_size(text.len())?;
        check_no_nul(text)?;
        Self::parse_checked(text, at).map_err(|fault| fault.or_conflict(text))
    }

    fn parse_checked(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        match (at.kind, at.form) {
            (ItemType::Directive, ItemForm::Flat) => {
                Directive::parse(text, at).map(|directive| Self::Directive(Box::new(directive)))
            }
            (ItemType::Directive, ItemForm::Folder) => Skill::parse(text, at).map(Self::Skill),
            (ItemType::Tool, _) => ToolManifest::parse(text, at).map(Self::Tool),
            (ItemType::Knowledge, _) => Knowledge::parse(text, at).map(Self::Knowledge),
            (ItemType::Memory, _) => Memory::parse(text, &at.id).map(Self::Memory),
            (ItemType::Lockfile, _) => Lockfile::parse(text, at).map(Self::Lockfile),
        }
    }

    /// Returns its version; a memory has none.
    pub fn version(&self) -> Option<&Version> {
        match self {
            Self::Directive(directive) => Some(&directive.version),
            Self::Skill(skill) => Some(&skill.version),
            Self::Tool(tool) => Some(&tool.version),
            Self::Knowledge(entry) => Some(&entry.version),
            Self::Memory(_) => None,
            Self::Lockfile(lockfile) => Some(&lockfile.version),
        }
    }

    /// Returns its title if it has one, else its id.
    pub fn title<'a>(&'a self, at: &'a ScopedPath) -> &'a str {
        match self {
            Self::Knowledge(entry) => &entry.title,
            Self::Memory(memory) => &memory.title,
            _ => at.id.as_str(),
        }
    }

    /// Returns what it does, if it says so; else an empty text.
    pub fn description(&self) -> &str {
        match self {
            Self::Directive(directive) => &directive.description,
            Self::Skill(skill) => &skill.description,
            Self::Tool(tool) => &tool.description,
            Self::Knowledge(_) | Self::Memory(_) | Self::Lockfile(_) => "",
        }
    }

    /// Returns its tags. Only knowledge entries and memories have tags.
    pub fn tags(&self) -> &[String] {
        match self {
            Self::Knowledge(entry) => &entry.tags,
            Self::Memory(memory) => &memory.tags,
            _ => &[],
        }
    }

    /// Returns its metadata as data: frontmatter, manifest or `<metadata>`.
    pub fn metadata(&self) -> Value {
        match self {
            Self::Directive(directive) => directive.metadata.clone(),
            Self::Skill(skill) => Value::Object(skill.frontmatter.clone()),
            Self::Tool(tool) => Value::Object(tool.manifest.clone()),
            Self::Knowledge(entry) => Value::Object(entry.frontmatter.clone()),
            Self::Memory(memory) => Value::Object(memory.frontmatter.clone()),
            Self::Lockfile(lockfile) => lockfile.value.clone(),
        }
    }

    /// Returns what is odd about it without making it invalid.
    pub fn warnings(&self) -> &[Content] {
        match self {
            Self::Knowledge(entry) => &entry.warnings,
            Self::Directive(directive) => &directive.warnings,
            Self::Tool(tool) => &tool.warnings,
            Self::Skill(skill) => &skill.warnings,
            _ => &[],
        }
    }

    /// Returns the byte range of its content. A tool and a lockfile are only data and have none.
    pub fn content_range(&self) -> Option<Range<usize>> {
        match self {
            Self::Directive(directive) => Some(directive.content.clone()),
            Self::Skill(skill) => Some(skill.content.clone()),
            Self::Knowledge(entry) => Some(entry.content.clone()),
            Self::Memory(memory) => Some(memory.content.clone()),
            Self::Tool(_) | Self::Lockfile(_) => None,
        }
    }

    /// Computes its canonical hash, which covers its other files too. A memory is not signed and
    /// has none.
    pub fn integrity(&self, text: &str, at: &ScopedPath, files: &[FileDigest]) -> Option<Sha256> {
        match self {
            Self::Directive(directive) => Some(directive.integrity(text, at)),
            Self::Skill(skill) => Some(skill.integrity(text, at, files)),
            Self::Tool(tool) => Some(tool.integrity(at, files)),
            Self::Knowledge(entry) => Some(entry.integrity(text, at)),
            Self::Memory(_) => None,
            Self::Lockfile(lockfile) => Some(lockfile.integrity()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_are_refused_where_they_stand() {
        for (bytes, place) in [
            (&b"a\nb\xc3\xa9\xff"[..], Some((2, 3))),
            (b"a\n\0", Some((2, 1))),
            (&vec![b' '; MAX_ITEM_BYTES + 1], Some((1, 1))),
            (&vec![b' '; MAX_ITEM_BYTES], None),
        ] {
            let fault = decode_text(bytes).err();
            assert_eq!(fault.map(|fault| (fault.line, fault.column)), place);
        }
    }
}
