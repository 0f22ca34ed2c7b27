//! The tools that ship in the binary, written as data in the same format as any other tool.
//!
//! They need no signature, so no other tool may have their names: whoever could shadow a runtime
//! would take over every tool that it runs.

use std::sync::OnceLock;

use super::ChainTool;
use crate::item::{
    Category, CategoryBase, ItemForm, ItemId, ItemType, Scope, ScopedPath, ToolManifest,
};

/// The manifests by tool id.
const MANIFESTS: [(&str, &str); 8] = [
    ("subprocess", include_str!("builtin/subprocess.yaml")),
    ("http_client", include_str!("builtin/http_client.yaml")),
    ("mcp_client", include_str!("builtin/mcp_client.yaml")),
    ("mcp_stdio", include_str!("builtin/mcp_stdio.yaml")),
    ("mcp_http", include_str!("builtin/mcp_http.yaml")),
    ("python_runtime", include_str!("builtin/python_runtime.yaml")),
    ("node_runtime", include_str!("builtin/node_runtime.yaml")),
    ("bash_runtime", include_str!("builtin/bash_runtime.yaml")),
];

/// The tools, each parsed when it is first needed: a chain has two or three of them.
static TOOLS: [OnceLock<Option<ChainTool>>; MANIFESTS.len()] =
    [const { OnceLock::new() }; MANIFESTS.len()];

/// Returns the built-in tool with this id.
pub fn find(id: &ItemId) -> Option<ChainTool> {
    let at = MANIFESTS.iter().position(|(name, _)| *name == id.as_str())?;
    let (name, text) = MANIFESTS[at];
    TOOLS[at].get_or_init(|| parse_builtin(name, text)).clone()
}

/// Returns the text of the manifest of a built-in tool.
pub fn manifest_text(id: &ItemId) -> Option<&'static str> {
    MANIFESTS.iter().find(|(name, _)| *name == id.as_str()).map(|(_, text)| *text)
}

/// Reports whether an id is reserved, so that no other tool may have it.
pub fn is_reserved(id: &ItemId) -> bool {
    MANIFESTS.iter().any(|(name, _)| *name == id.as_str())
}

/// Parses a built-in manifest. Returns `None` if the text is not a manifest; a test reads them all.
fn parse_builtin(id: &str, text: &str) -> Option<ChainTool> {
    // The format requires a location. Built-in tools have none, so their pins have no scope.
    let at = ScopedPath {
        scope: Scope::User,
        kind: ItemType::Tool,
        base: CategoryBase::Space,
        category: Category::default(),
        id: id.parse().ok()?,
        version: None,
        form: ItemForm::Flat,
    };
    let tool = ToolManifest::parse_builtin(text, &at).ok()?;
    let integrity = tool.integrity(&at, &[]);
    let mut member = ChainTool::new(tool, &at, integrity);
    member.pin.scope = None;
    Some(member)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    const PRIMITIVES: [&str; 3] = ["subprocess", "http_client", "mcp_client"];

    fn id(text: &str) -> ItemId {
        text.parse().expect("an id")
    }

    /// Lockfiles pin these digests. Whoever changes a built-in tool must also change its version.
    #[test]
    fn what_ships_is_what_lockfiles_pin() {
        for (name, digest) in [
            ("subprocess", "aa4de8d3dcee115259dde98ce1b413967015fc6c62f12aafb9a77778dd2e0e71"),
            ("http_client", "412c6b7403deed2e2885803b8d867399c8a36e3c4b38f505741c21389ff83646"),
            ("mcp_client", "0b5b4ca21581f843f088537c8c7d9dde809e0a88e1c809b4c87aa996eac68d44"),
            ("mcp_stdio", "90a4bcdf006252fcadc8f2194f05606727b7444182a545b4eff7d14ccebcfd9f"),
            ("mcp_http", "8fde08c7748df91c30fb2ce714c54399be97aead0a6374fd96c431dc7d5db34a"),
            ("python_runtime", "106b7ad9467a8db2df14217ec2fdb9d6f6c0c9d020f3c9e1a1a1e77e011225be"),
            ("node_runtime", "8b4ac172aa66c1cb7a680c9ffa6727cee91fb2f7b5a6c11959c949c306fa923e"),
            ("bash_runtime", "db59eef5154784a6df0e96f6ae9a47f2e6c3001a4e836060422d797de71962c4"),
        ] {
            let member = find(&id(name)).expect(name);
            assert_eq!((member.pin.scope, member.pin.category.as_str()), (None, ""), "{name}");
            let calls_functions = ["python_runtime", "node_runtime"].contains(&name);
            let version = if calls_functions { "1.1.0" } else { "1.0.0" };
            assert_eq!(member.pin.version.to_string(), version, "{name}");
            let executor = member.pin.executor.map(|executor| executor.to_string());
            let primitive = if name.starts_with("mcp_") { "mcp_client" } else { "subprocess" };
            let expected = (!PRIMITIVES.contains(&name)).then_some(primitive);
            assert_eq!(executor.as_deref(), expected, "{name}");
            assert!(member.manifest["description"].is_string(), "{name}");
            assert_eq!(member.pin.integrity.to_string(), digest, "{name}");
        }
    }

    #[test]
    fn their_schemas_are_schemas() {
        for (name, _) in MANIFESTS {
            let member = find(&id(name)).expect(name);
            let entries = member.manifest["validation"]["child_schemas"].as_array();
            let entries = entries.expect("a list").iter().map(|entry| &entry["schema"]);
            for schema in entries.chain(member.manifest.get("config_schema")) {
                Schema::compile(schema).expect("a schema");
            }
        }
    }

    #[test]
    fn the_names_of_what_ships_are_reserved() {
        for (name, _) in MANIFESTS {
            assert!(is_reserved(&id(name)), "{name}");
        }
        assert!(!is_reserved(&id("ruby_runtime")) && find(&id("ruby_runtime")).is_none());
    }
}
