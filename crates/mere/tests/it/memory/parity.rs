//! An agent at the keyboard, a person and an MCP client who say the same are answered the same.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::store_fixture::{MODES, STORE, Surface, configured, cortex, plain, text};

/// What differs between two stores that were made one after the other.
const FLEETING: [&str; 4] = ["created_at", "updated_at", "expires_at", "sha256"];

/// A reply, with what differs from moment to moment as a mark that it was there.
fn lasting(mut reply: Value) -> Value {
    fn mark(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    if FLEETING.contains(&key.as_str()) && value.is_string() {
                        *value = json!("…");
                    }
                    mark(value);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(mark),
            _ => {}
        }
    }
    mark(&mut reply);
    reply
}

/// A stage in a mode with some memories that people wrote.
fn stage(mode: &str) -> Stage {
    let stage = configured(&cortex(mode));
    for (path, content) in [
        ("alone", "# Alone\n"),
        ("legacy/one", "---\ntags: [x]\nupdated_at: 2026-01-01T00:00:00Z\n---\nOne.\n"),
        ("legacy/deep/two", "---\nupdated_at: 2026-01-02T00:00:00Z\n---\nTwo.\n"),
        ("todo/over", "---\nexpires_at: 2020-01-01T00:00:00Z\n---\nOver.\n"),
        ("todo/broken", "---\ntags: [\n---\n"),
    ] {
        stage.file(&format!("{STORE}/{path}.md"), content);
    }
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    for path in ["alone", "todo/over", "todo/broken"] {
        let path = stage.path(&format!("{STORE}/{path}.md"));
        let file = std::fs::File::options().write(true).open(path).expect("a file");
        file.set_modified(then).expect("a time");
    }
    stage
}

#[test]
fn questions_have_one_answer_on_every_surface() {
    let questions = [
        ("list_stores", json!({})),
        ("list_memories", json!({})),
        ("list_memories", json!({ "category": "legacy" })),
        ("list_memories", json!({ "category": "none" })),
        ("list_memories", json!({ "sort": "recent" })),
        ("list_memories", json!({ "include_expired": true })),
        ("list_memories", json!({ "limit": 2 })),
        ("get_memory", json!({ "path": "alone" })),
        ("get_memory", json!({ "path": "legacy/deep/two" })),
        ("get_memory", json!({ "path": "todo/over" })),
        ("get_memory", json!({ "path": "todo/over", "include_expired": true })),
        ("get_memory", json!({ "path": "todo/broken" })),
        ("get_memory", json!({ "path": "none" })),
        // And what is refused.
        ("create_memory", json!({ "path": "none/x", "content": "x" })),
        ("create_memory", json!({ "path": "todo", "content": "x" })),
        ("create_memory", json!({ "path": "alone", "content": "x" })),
        (
            "update_memory",
            json!({ "path": "alone", "content": "x", "expect_sha256": "0".repeat(64) }),
        ),
        ("move_memory", json!({ "from": "alone", "to": "legacy/one" })),
        ("remove_memory", json!({ "path": "none" })),
        ("delete_category", json!({ "path": "todo" })),
        ("delete_category", json!({ "path": "legacy" })),
        ("set_category_description", json!({ "path": "todo", "description": "x" })),
        ("set_category_description", json!({ "path": "none", "description": "x" })),
    ];
    for mode in MODES {
        let stage = stage(mode);
        for (tool, arguments) in &questions {
            let [call, person, mcp] =
                Surface::ALL.map(|surface| plain(&surface.ask(&stage, tool, arguments)));
            assert_eq!(call, mcp, "{mode} {tool} {arguments}");
            assert_eq!(call, person, "{mode} {tool} {arguments}");
        }
    }
}

#[test]
fn changes_have_one_outcome_on_every_surface() {
    let changes = [
        ("create_category", json!({ "path": "legacy/new", "description": "New" })),
        ("create_category", json!({ "path": "legacy/new", "description": "Other" })),
        ("create_category", json!({ "path": "brand-new" })),
        ("set_category_description", json!({ "path": "legacy", "description": "Old" })),
        ("set_category_description", json!({ "path": "legacy", "description": "" })),
        (
            "create_memory",
            json!({
                "path": "legacy/three", "content": "# Three\n", "tags": ["a", "b: c"],
                "citations": ["x"], "source": "me", "expires_at": "2999-01-01T00:00:00Z"
            }),
        ),
        ("create_memory", json!({ "path": "legacy/new/four", "content": "Four.\n" })),
        ("update_memory", json!({ "path": "alone", "content": "# Changed\n" })),
        ("update_memory", json!({ "path": "legacy/three", "tags": [], "expires_at": null })),
        ("update_memory", json!({ "path": "todo/over", "citations": ["y"] })),
        ("move_memory", json!({ "from": "alone", "to": "todo/alone" })),
        ("move_memory", json!({ "from": "todo/alone", "to": "todo/renamed" })),
        ("remove_memory", json!({ "path": "legacy/one" })),
        ("delete_category", json!({ "path": "legacy/new" })),
        ("delete_category", json!({ "path": "legacy", "recursive": true })),
        ("list_memories", json!({ "include_expired": true })),
    ];
    for mode in MODES {
        let outcomes = Surface::ALL.map(|surface| {
            let stage = stage(mode);
            let replies = changes.iter().map(|(tool, arguments)| {
                (tool, lasting(plain(&surface.ask(&stage, tool, arguments))))
            });
            let replies = replies.collect::<Vec<_>>();
            let kept = text(&stage, &format!("{STORE}/todo/renamed.md"));
            assert!(kept.ends_with("---\n# Changed\n"), "{kept}");
            replies
        });
        let [call, person, mcp] = outcomes;
        for at in 0..changes.len() {
            assert_eq!(call[at], mcp[at], "{mode} {:?}", changes[at]);
            assert_eq!(call[at], person[at], "{mode} {:?}", changes[at]);
        }
    }
}
