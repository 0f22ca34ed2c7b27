//! The rooms of each crate: what its root may declare.
//!
//! A new room is a decision; it belongs in ARCHITECTURE.md.

use super::workspace;

/// The rooms of each crate, in the order of their declarations.
const ROOMS: [(&str, &[&str]); 6] = [
    (
        "mere-core/src/lib.rs",
        &[
            "address",
            "category",
            "chain",
            "cursor",
            "digest",
            "embed",
            "gate",
            "graph",
            "item",
            "log",
            "mcp",
            "media",
            "network",
            "registry",
            "reply",
            "request",
            "schema",
            "search",
            "secrets",
            "sensitive",
            "text",
            "trace",
            "trust",
            "turn",
        ],
    ),
    (
        "mere-host/src/lib.rs",
        &["environment", "folder", "net", "programs", "sandbox", "watch", "write"],
    ),
    (
        "mere-engine/src/lib.rs",
        &[
            "commands", "config", "error", "files", "items", "memory", "offers", "policy",
            "registry", "run", "search", "session", "space", "trust", "world",
        ],
    ),
    (
        "mere-http/src/lib.rs",
        &["allowed_hosts", "body", "connections", "rate_limiter", "server", "shutdown_signal"],
    ),
    (
        "mere-registry/src/lib.rs",
        &[
            "accounts",
            "api",
            "audit",
            "blobs",
            "clock",
            "database",
            "error",
            "hexadecimal",
            "items",
            "pages",
            "registry",
            "storage",
            "transparency",
            "witness_server",
            "witnesses",
        ],
    ),
    ("mere/src/lib.rs", &["arguments", "commands", "log", "mcp", "print", "ui"]),
];

#[test]
fn every_crate_has_its_rooms_and_no_others() {
    for (root, expected) in ROOMS {
        let path = workspace().join("crates").join(root);
        let text = std::fs::read_to_string(path).expect("the root of a crate");
        let rooms = text.lines().filter_map(|line| {
            let declared = line.trim_start_matches("pub ").strip_prefix("mod ")?;
            declared.strip_suffix(';')
        });
        let mut rooms = rooms.collect::<Vec<_>>();
        rooms.sort_unstable();
        assert_eq!(rooms, expected, "{root}");
    }
}
