//! A knowledge entry: a Markdown note with frontmatter and typed links to other entries.
//!
//! The id it states must be the name of its file, and a category it states must be its own.

use std::ops::Range;

use serde_json::{Map, Value};

use super::fault::{ItemFault, place_mismatch};
use super::frontmatter::{Frontmatter, NOTE_ID_KEYS};
use super::integrity::{self, ItemIdentity};
use super::path::ScopedPath;
use super::relation::Relation;
use super::version::{Version, VersionError};
use crate::digest::Sha256;
use crate::reply::Content;

/// The known entry types; others are kept with a warning.
const ENTRY_TYPES: [&str; 11] = [
    "pattern",
    "learning",
    "reference",
    "concept",
    "api_fact",
    "experiment",
    "template",
    "workflow",
    "decision",
    "insight",
    "procedure",
];

/// A parsed knowledge entry.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Its version; `1.0.0` if it states none.
    pub version: Version,
    /// Its title.
    pub title: String,
    /// The whole frontmatter, including unknown keys.
    pub frontmatter: Map<String, Value>,
    /// The byte range after the frontmatter.
    pub content: Range<usize>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its relations, each with the ids of the entries it names.
    pub relations: Vec<(Relation, Vec<String>)>,
    /// What is odd about it without making it invalid.
    pub warnings: Vec<Content>,
}

impl Knowledge {
    /// Parses the entry that lies at `at`.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        let frontmatter = Frontmatter::parse_note(text)?;
        check_id(&frontmatter, at)?;
        check_category(&frontmatter, at)?;
        let title = frontmatter.text("title")?.filter(|title| !title.trim().is_empty());
        let title = title.ok_or_else(|| {
            frontmatter.fault("title", "`title` is missing", "Give the note a title.")
        })?;
        let texts = |relation: Relation| Ok((relation, frontmatter.id_list(relation.name())?));
        let relations = Relation::ALL.into_iter().map(texts);
        let relations = relations.collect::<Result<Vec<_>, ItemFault>>()?;
        let entry_type = frontmatter.text("entry_type")?;
        let unknown_type = entry_type.filter(|kind| !ENTRY_TYPES.contains(kind));
        let unknown_type = unknown_type.map(|_| {
            Content::mention(format!("`entry_type` is none of {}", ENTRY_TYPES.join(", ")))
        });
        Ok(Self {
            version: version(&frontmatter)?,
            title: title.to_owned(),
            tags: frontmatter.text_list("tags")?,
            relations: relations.into_iter().filter(|(_, ids)| !ids.is_empty()).collect(),
            warnings: unknown_type.into_iter().chain(frontmatter.old_signature_warning()).collect(),
            content: frontmatter.content_start..text.len(),
            frontmatter: frontmatter.to_map(),
        })
    }

    /// Computes its canonical hash.
    pub fn integrity(&self, text: &str, at: &ScopedPath) -> Sha256 {
        let identity = ItemIdentity { id: &at.id, version: &self.version };
        let content = text[self.content.clone()].as_bytes();
        integrity::hash_knowledge(identity, content, &self.frontmatter)
    }
}

fn check_id(frontmatter: &Frontmatter<'_>, at: &ScopedPath) -> Result<(), ItemFault> {
    let fix = "Set `id` to the file's name, or rename the file.";
    let mut stated = false;
    for key in NOTE_ID_KEYS {
        let Some(id) = frontmatter.text(key)? else { continue };
        stated = true;
        if id != at.id.as_str() {
            return Err(frontmatter.fault(
                key,
                place_mismatch("the id is", id, at.id.as_str()),
                fix,
            ));
        }
    }
    if stated { Ok(()) } else { Err(frontmatter.fault("id", "`id` is missing", fix)) }
}

fn check_category(frontmatter: &Frontmatter<'_>, at: &ScopedPath) -> Result<(), ItemFault> {
    match frontmatter.text("category")? {
        Some(stated) if stated != at.category.as_str() => {
            let what = place_mismatch("the category is", stated, at.category.as_str());
            Err(frontmatter.fault("category", what, "Correct `category`, or move the file."))
        }
        _ => Ok(()),
    }
}

fn version(frontmatter: &Frontmatter<'_>) -> Result<Version, ItemFault> {
    let fix = "Write three numbers, such as `version: 1.0.0`.";
    match frontmatter.get("version") {
        None => Ok(Version::new(1, 0, 0)),
        Some(Value::String(text)) => text
            .parse()
            .map_err(|error: VersionError| frontmatter.fault("version", error.describe(), fix)),
        Some(_) => Err(frontmatter.fault("version", "`version` is not a string", fix)),
    }
}
