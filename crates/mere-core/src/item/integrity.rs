//! The canonical hash of an item, for each type.
//!
//! It is the SHA-256 of the canonical JSON of a payload that depends on the type. It covers what an
//! item says, not how its file is laid out around that.

use serde_json::{Map, Value, json};

use super::ItemId;
use super::version::Version;
use crate::digest::Sha256;
use crate::text::canonical;

/// The digest of one file of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDigest {
    /// The path from the item's folder.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Its size in bytes.
    pub size: u64,
}

/// An item's id and version.
#[derive(Clone, Copy, Debug)]
pub struct ItemIdentity<'a> {
    /// Its id.
    pub id: &'a ItemId,
    /// Its version.
    pub version: &'a Version,
}

/// Hashes a directive: the bytes of its element, and its metadata.
pub fn hash_directive(identity: ItemIdentity<'_>, content: &[u8], metadata: &Value) -> Sha256 {
    hash_payload(&json!({
        "directive_name": identity.id.as_str(), "version": identity.version.to_string(),
        "content_hash": Sha256::digest(content).to_string(), "metadata": metadata
    }))
}

/// Hashes an Agent Skill: its content, its frontmatter, and every other file of its folder.
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

/// Hashes a knowledge entry: the bytes after its frontmatter, and the whole frontmatter.
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

/// Hashes a tool: its manifest, and every other file.
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

/// Hashes a lockfile: its whole value.
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
