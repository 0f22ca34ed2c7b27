//! The folder of the project is deleted while it is served: one error, whatever is called.

use serde_json::{Value, json};

use crate::support::harness::{Http, Mcp, Stage};

fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("dir", json!({ "command": "list" })),
        ("dir", json!({ "command": "tree" })),
        ("dir", json!({ "command": "list", "path": "ROOT_WORKSPACE:/" })),
        ("read", json!({ "path": "a.txt" })),
        ("glob", json!({ "pattern": "**/*" })),
        ("grep", json!({ "pattern": "a" })),
        ("search", json!({ "query": "a" })),
        ("list_memories", json!({})),
        ("list_stores", json!({})),
        ("create_category", json!({ "path": "c" })),
        ("get_memory", json!({ "path": "a/b" })),
        ("create_memory", json!({ "path": "a/b", "content": "x\n" })),
        ("load", json!({ "item_type": "knowledge", "item_id": "a" })),
        ("write", json!({ "path": "ROOT_WORKSPACE:/a", "content": "" })),
    ]
}

/// A stage with a project that has something of everything.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/a.txt", "a\n");
    stage.file("project/.ai/knowledge/a.md", "---\nid: a\ntitle: A\n---\na\n");
    stage.file("project/.ai/memory/a/b.md", "a\n");
    stage
}

#[test]
fn every_call_says_that_the_project_was_deleted() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let known = calls();
    for (tool, arguments) in &known {
        assert_ne!(mcp.call(tool, arguments)["code"], "WA-PROJECT-E-001", "{tool}");
    }
    std::fs::remove_dir_all(stage.path("project")).expect("deleted");
    for (tool, arguments) in &known {
        let reply = mcp.call(tool, arguments);
        assert_eq!(reply["code"], "WA-PROJECT-E-001", "{tool} {arguments}: {reply}");
        assert!(reply["hint"].as_str().expect("a hint").contains("restore it"), "{reply}");
    }
    // Another folder of the same name is another folder.
    stage.folder("project/.git");
    stage.file("project/a.txt", "other\n");
    for (tool, arguments) in &known {
        assert_eq!(mcp.call(tool, arguments)["code"], "WA-PROJECT-E-001", "{tool}");
    }
    assert!(!stage.path("project/.ai").exists(), "nothing was written");
    assert_eq!(mcp.dir(&json!({}))["data"]["home"], "ROOT_PROJECT:/", "this looks at no disk");
}

#[test]
fn over_http_too() {
    let stage = stage();
    let http = Http::start(&stage, &[]);
    let listed = http.call(&json!({ "command": "list" }), None);
    assert!(listed.body.contains("ROOT_PROJECT:/a.txt"), "{}", listed.body);
    std::fs::remove_dir_all(stage.path("project")).expect("deleted");
    let listed = http.call(&json!({ "command": "list" }), None);
    assert!(listed.body.contains("WA-PROJECT-E-001"), "{}", listed.body);
}

#[test]
fn a_project_that_is_moved_is_served_where_it_is() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    std::fs::rename(stage.path("project"), stage.path("moved")).expect("moved");
    let read = mcp.call("read", &json!({ "path": "a.txt" }));
    assert_eq!(read["data"]["content"], "a\n", "{read}");
    // Something else in its place changes nothing.
    stage.file("project/a.txt", "other\n");
    assert_eq!(mcp.call("read", &json!({ "path": "a.txt" }))["data"]["content"], "a\n");
}
