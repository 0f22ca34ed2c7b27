//! An Agent Skill: a folder with a `SKILL.md`, used as it is.
//!
//! Its name must be that of its folder, and it must have a description; a version is optional.

use std::ops::Range;

use serde_json::{Map, Value};

use super::fault::{ItemFault, place_mismatch};
use super::frontmatter::Frontmatter;
use super::integrity::{self, FileDigest, ItemIdentity};
use super::path::ScopedPath;
use super::version::Version;
use crate::digest::Sha256;
use crate::reply::Content;

/// A parsed skill.
#[derive(Clone, Debug)]
pub struct Skill {
    /// `metadata.version`, or else `0.0.0`.
    pub version: Version,
    /// What it does, and when to use it.
    pub description: String,
    /// The whole frontmatter.
    pub frontmatter: Map<String, Value>,
    /// The byte range after the frontmatter.
    pub content: Range<usize>,
    /// What is odd about it without making it invalid.
    pub warnings: Vec<Content>,
}

impl Skill {
    /// Parses the `SKILL.md` of the skill whose folder lies at `at`.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        let frontmatter = Frontmatter::parse(text)?;
        let name = frontmatter.text("name")?.unwrap_or_default();
        if name != at.id.as_str() {
            let what = place_mismatch("the name is", name, at.id.as_str());
            return Err(frontmatter.fault("name", what, "Set `name` to the folder's name."));
        }
        let description = frontmatter.text("description")?.filter(|text| !text.trim().is_empty());
        let fix = "Say in a sentence what the skill does and when to use it.";
        let description = description
            .ok_or_else(|| frontmatter.fault("description", "`description` is missing", fix))?;
        let version = match frontmatter.get("metadata").and_then(|metadata| metadata.get("version"))
        {
            None | Some(Value::Null) => Version::new(0, 0, 0),
            Some(stated) => {
                stated.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
                    let fix = "Write `version: \"1.0.0\"` below `metadata`.";
                    frontmatter.fault("metadata", "`metadata.version` is not SemVer", fix)
                })?
            }
        };
        let description = description.to_owned();
        let content = frontmatter.content_start..text.len();
        let warnings = frontmatter.old_signature_warning().into_iter().collect();
        Ok(Self { version, description, frontmatter: frontmatter.to_map(), content, warnings })
    }

    /// Computes its canonical hash, which covers every other file of its folder.
    pub fn integrity(&self, text: &str, at: &ScopedPath, files: &[FileDigest]) -> Sha256 {
        let identity = ItemIdentity { id: &at.id, version: &self.version };
        let content = text[self.content.clone()].as_bytes();
        let metadata = Value::Object(self.frontmatter.clone());
        integrity::hash_skill(identity, content, &metadata, files)
    }
}
