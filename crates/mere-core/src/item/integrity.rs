//! The canonical hash of an item, type by type.
//!
//! It covers what an item says, not how its file is laid out around that: SHA-256 over the
//! canonical JSON of a payload that each type has.

use serde_json::{Map, Value, json};

use super::ItemId;
use super::version::Version;
use crate::canonical;
use crate::digest::Sha256;

/// A file of an item beside its main one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// Its path from the item's folder.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// How many bytes it has.
    pub size: u64,
}

/// An item's own name and version.
#[derive(Clone, Copy, Debug)]
pub struct ItemIdentity<'a> {
    /// Its id.
    pub id: &'a ItemId,
    /// Its version.
    pub version: &'a Version,
}

/// Of a directive: the bytes of its element, and its metadata.
pub fn hash_directive(identity: ItemIdentity<'_>, content: &[u8], metadata: &Value) -> Sha256 {
    hash_payload(&json!({
        "directive_name": identity.id.as_str(), "version": identity.version.to_string(),
        "content_hash": Sha256::digest(content).to_string(), "metadata": metadata
    }))
}

/// Of an Agent Skill: the same, and every other file of its folder.
pub fn hash_skill(
    identity: ItemIdentity<'_>,
    content: &[u8],
    metadata: &Value,
    files: &[FileDigest],
) -> Sha256 {
    hash_payload(&json!({
        "directive_name": identity.id.as_str(), "version": identity.version.to_string(),
        "content_hash": Sha256::digest(content).to_string(), "metadata": metadata,
        "files": file_list(files)
    }))
}

/// Of a knowledge entry: the bytes after its frontmatter, and all of that.
pub fn hash_knowledge(
    identity: ItemIdentity<'_>,
    content: &[u8],
    frontmatter: &Map<String, Value>,
) -> Sha256 {
    hash_payload(&json!({
        "zettel_id": identity.id.as_str(), "version": identity.version.to_string(),
        "content_hash": Sha256::digest(content).to_string(), "frontmatter": frontmatter
    }))
}

/// Of a tool: its manifest, and every other file.
pub fn hash_tool(
    identity: ItemIdentity<'_>,
    manifest: &Map<String, Value>,
    files: &[FileDigest],
) -> Sha256 {
    hash_payload(&json!({
        "tool_id": identity.id.as_str(), "version": identity.version.to_string(),
        "manifest": manifest, "files": file_list(files)
    }))
}

/// Of a lockfile: all of it.
pub fn hash_lockfile(value: &Value) -> Sha256 {
    hash_payload(value)
}

fn file_list(files: &[FileDigest]) -> Vec<Value> {
    let mut files = files.iter().collect::<Vec<_>>();
    files.sort_by(|left, right| left.path.cmp(&right.path));
    let listed = files.into_iter();
    listed.map(|file| json!({ "path": file.path, "sha256": file.sha256.to_string() })).collect()
}

fn hash_payload(payload: &Value) -> Sha256 {
    Sha256::digest(canonical::to_text(payload).as_bytes())
}
