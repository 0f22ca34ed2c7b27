//! Golden vectors: canonical JSON and integrity, function by function and for whole files.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::integrity::{self, FileDigest, ItemIdentity};
use mere_core::item::{
    Directive, ItemForm, ItemId, Knowledge, Scope, ScopedPath, Skill, ToolManifest, Version,
};
use mere_core::text::canonical;
use serde_json::{Map, Value};

const INTEGRITY: &str = include_str!("vectors/integrity.json");
const FILES: &str = include_str!("vectors/files.json");

fn vectors(text: &str, key: &str) -> Vec<Value> {
    let value: Value = serde_json::from_str(text).expect("JSON");
    value[key].as_array().expect("vectors").clone()
}

fn text<'a>(vector: &'a Value, key: &str) -> &'a str {
    vector[key].as_str().expect(key)
}

fn map(vector: &Value, key: &str) -> Map<String, Value> {
    vector[key].as_object().expect(key).clone()
}

fn identity(vector: &Value, key: &str) -> (ItemId, Version) {
    let id = text(vector, key).parse().expect("an id");
    (id, text(vector, "version").parse().expect("a version"))
}

#[test]
fn canonical_json_is_what_python_writes() {
    for vector in vectors(INTEGRITY, "canonical") {
        let written = canonical::to_text(&vector["value"]);
        assert_eq!(written, text(&vector, "canonical"));
        assert_eq!(Sha256::digest(written.as_bytes()).to_string(), text(&vector, "sha256"));
    }
}

#[test]
fn integrity_function_by_function() {
    for vector in vectors(INTEGRITY, "directive") {
        let (id, version) = identity(&vector, "directive_name");
        let identity = ItemIdentity { id: &id, version: &version };
        let content = text(&vector, "xml_content").as_bytes();
        let hash = integrity::hash_directive(identity, content, &vector["metadata"]);
        assert_eq!(hash.to_string(), text(&vector, "integrity"));
    }
    for vector in vectors(INTEGRITY, "knowledge") {
        let (id, version) = identity(&vector, "zettel_id");
        let identity = ItemIdentity { id: &id, version: &version };
        let content = text(&vector, "content").as_bytes();
        let hash = integrity::hash_knowledge(identity, content, &map(&vector, "frontmatter"));
        assert_eq!(hash.to_string(), text(&vector, "integrity"));
    }
    for vector in vectors(INTEGRITY, "tool") {
        let (id, version) = identity(&vector, "tool_id");
        let identity = ItemIdentity { id: &id, version: &version };
        let files = vector["files"].as_array().expect("files").iter().map(|file| FileDigest {
            path: text(file, "path").to_owned(),
            sha256: text(file, "sha256").parse().expect("a digest"),
            size: 0,
        });
        let files = files.collect::<Vec<_>>();
        let hash = integrity::hash_tool(identity, &map(&vector, "manifest"), &files);
        assert_eq!(hash.to_string(), text(&vector, "integrity"));
    }
}

#[test]
fn whole_files_parse_and_hash_as_python_has_it() {
    for vector in vectors(FILES, "files") {
        let path = text(&vector, "path").parse::<RelPath>().expect("a path");
        let at = ScopedPath::from_space_path(Scope::Project, &path).expect("an item");
        let file = text(&vector, "text");
        let others = vector.get("files").and_then(Value::as_object).into_iter().flatten();
        let others = others.map(|(path, text)| {
            let bytes = text.as_str().expect("a text").as_bytes();
            let (sha256, size) = (Sha256::digest(bytes), bytes.len() as u64);
            FileDigest { path: path.clone(), sha256, size }
        });
        let others = others.collect::<Vec<_>>();
        let (hash, content) = match (text(&vector, "type"), at.form) {
            ("directive", ItemForm::Flat) => {
                let parsed = Directive::parse(file, &at).expect("a directive");
                assert_eq!(parsed.metadata, vector["metadata"]);
                (parsed.integrity(file, &at), Some(parsed.content))
            }
            ("directive", ItemForm::Folder) => {
                let parsed = Skill::parse(file, &at).expect("a skill");
                assert_eq!(Value::Object(parsed.frontmatter.clone()), vector["metadata"]);
                (parsed.integrity(file, &at, &others), Some(parsed.content))
            }
            ("knowledge", _) => {
                let parsed = Knowledge::parse(file, &at).expect("an entry");
                assert_eq!(Value::Object(parsed.frontmatter.clone()), vector["frontmatter"]);
                (parsed.integrity(file, &at), Some(parsed.content))
            }
            (_, _) => {
                let parsed = ToolManifest::parse(file, &at).expect("a tool");
                assert_eq!(Value::Object(parsed.manifest.clone()), vector["manifest"]);
                (parsed.integrity(&at, &others), None)
            }
        };
        assert_eq!(hash.to_string(), text(&vector, "integrity"), "{path}");
        if let Some(content) = content {
            let content = Sha256::digest(&file.as_bytes()[content]).to_string();
            assert_eq!(content, text(&vector, "content_sha256"), "{path}");
        }
    }
}
