//! Ways around the rules of a store: in every mode each of them fails, and nothing on disk is other
//! than before.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{
    MODES, STORE, Surface, configured, cortex, disk, outcome, text, words,
};

/// A store with memories, some of them where no config says, and a server.
fn store_with_memories(mode: &str) -> Stage {
    let stage = configured(&cortex(mode));
    for path in ["todo/one", "standards/two", "legacy/three", "alone"] {
        stage.file(&format!("{STORE}/{path}.md"), &format!("# {path}\n"));
    }
    stage
}

/// Every attempt is refused by every way in with this code, and nothing changes.
fn refused(stage: &Stage, attempts: &[(&str, Value, &str)]) {
    let before = disk(stage);
    let mut mcp = Mcp::greeted(stage, &[]);
    for (tool, arguments, code) in attempts {
        let reply = mcp.call(tool, arguments);
        assert_eq!(reply["code"], *code, "{tool} {arguments}: {reply}");
        for surface in [Surface::Call, Surface::Person] {
            let reply = surface.ask(stage, tool, arguments);
            assert_eq!(reply["code"], *code, "{surface:?} {tool} {arguments}: {reply}");
        }
    }
    assert_eq!(disk(stage), before);
}

/// Paths that are none, or would be others.
fn malformed_paths() -> Vec<String> {
    let mut paths = [
        "standards/architecture/..",
        "standards/../todo",
        "standards//x",
        "/standards",
        "standards/",
        "//",
        ".",
        "..",
        "./standards",
        "standards/./x",
        "standards.",
        "standards..",
        "standards ",
        " standards",
        "standards /x",
        "Standards",
        "STANDARDS/x",
        "\u{455}tandards",
        "standard\u{17f}",
        "\u{ff53}tandards",
        "sta\u{301}ndards",
        "caf\u{e9}",
        "cafe\u{301}",
        "\u{200b}standards",
        "stan\u{ad}dards",
        "standards\0",
        "standards\0/x",
        "standards\\x",
        "standards\n",
        "\tstandards",
        "%2e%2e",
        "standards%2fx",
        "~",
        "~/x",
        "C:/x",
        "ROOT_PROJECT:/x",
        "mod:x:/y",
        ".category.yaml",
        ".new-files",
        "standards/.new-files",
        "-x",
        "_x",
        "con",
        "todo/nul",
        "com1",
        "x.md",
        "*",
        "a/b/c/d/e/f/g/h/i",
    ]
    .map(str::to_owned)
    .to_vec();
    paths.push("a".repeat(65));
    paths.push("a/".repeat(5000) + "a");
    paths
}

#[test]
fn a_path_is_taken_as_it_is_or_not_at_all() {
    for mode in MODES {
        let stage = store_with_memories(mode);
        let before = disk(&stage);
        let mut mcp = Mcp::greeted(&stage, &[]);
        for path in malformed_paths() {
            let below = format!("{path}/note");
            for (tool, arguments) in [
                ("create_category", json!({ "path": path })),
                ("delete_category", json!({ "path": path, "recursive": true })),
                ("set_category_description", json!({ "path": path, "description": "x" })),
                ("list_memories", json!({ "category": path })),
                ("create_memory", json!({ "path": below, "content": "x" })),
                ("get_memory", json!({ "path": below })),
                ("update_memory", json!({ "path": below, "content": "x" })),
                ("remove_memory", json!({ "path": below })),
                ("move_memory", json!({ "from": "todo/one", "to": below })),
                ("move_memory", json!({ "from": below, "to": "todo/none" })),
            ] {
                let reply = mcp.call(tool, &arguments);
                assert_eq!(reply["code"], "MCP-ARG-I-001", "{mode} {tool} {path:?}: {reply}");
                let reply_text = reply.to_string();
                assert!(
                    path.len() < 5 || !reply_text.contains(&path),
                    "{path:?} is said again: {reply_text}"
                );
            }
        }
        for tool in ["create_category", "delete_category"] {
            assert_eq!(mcp.call(tool, &json!({ "path": "" }))["code"], "MCP-ARG-I-001");
            assert_eq!(mcp.call(tool, &json!({ "path": ["a"] }))["code"], "MCP-ARG-I-001");
        }
        assert_eq!(disk(&stage), before, "{mode}");
    }
}

#[test]
fn a_person_types_no_crooked_path_either() {
    for mode in MODES {
        let stage = store_with_memories(mode);
        let before = disk(&stage);
        // No command line holds a NUL, and none so long.
        for path in malformed_paths().iter().filter(|path| !path.contains('\0') && path.len() < 200)
        {
            let below = format!("{path}/note");
            for (tool, arguments) in [
                ("create_category", json!({ "path": path })),
                ("create_memory", json!({ "path": below, "content": "x" })),
                ("move_memory", json!({ "from": "todo/one", "to": below })),
            ] {
                let output =
                    stage.command("project").args(words(tool, &arguments)).output().expect("runs");
                assert_eq!(output.status.code(), Some(2), "{mode} {tool} {path:?}");
                let printed = String::from_utf8_lossy(&output.stdout);
                assert!(printed.contains("MCP-COMMAND-I-001"), "{mode} {tool} {path:?}");
            }
        }
        assert_eq!(disk(&stage), before, "{mode}");
    }
}

#[test]
fn links_and_files_are_no_categories() {
    for mode in MODES {
        let stage = store_with_memories(mode);
        stage.file("beside/out/secret.md", "# Secret\n");
        stage.link("todo", &format!("{STORE}/inside"));
        stage.link(stage.path("beside/out"), &format!("{STORE}/outside"));
        stage.link(stage.path("beside/out"), &format!("{STORE}/standards/below"));
        stage.link("nowhere", &format!("{STORE}/broken"));
        stage.file(&format!("{STORE}/file"), "No category.\n");
        let mut attempts = Vec::new();
        for path in ["inside", "outside", "broken", "file", "standards/below"] {
            let create = match (mode, path.contains('/')) {
                ("strict", _) => "EN-CATEGORY-D-002",
                ("subcategories", false) => "EN-CATEGORY-D-001",
                _ => "IT-CATEGORY-I-003",
            };
            let delete = if mode == "strict" { "EN-CATEGORY-D-003" } else { "IT-CATEGORY-I-001" };
            let below = format!("{path}/{}", if path == "inside" { "one" } else { "secret" });
            attempts.extend([
                ("create_category", json!({ "path": path }), create),
                ("create_category", json!({ "path": format!("{path}/sub") }), create),
                ("delete_category", json!({ "path": path, "recursive": true }), delete),
                (
                    "set_category_description",
                    json!({ "path": path, "description": "x" }),
                    "IT-CATEGORY-I-001",
                ),
                ("list_memories", json!({ "category": path }), "IT-CATEGORY-I-001"),
                ("create_memory", json!({ "path": below, "content": "x" }), "IT-MEMORY-I-004"),
                ("move_memory", json!({ "from": "alone", "to": below }), "IT-MEMORY-I-004"),
                ("get_memory", json!({ "path": below }), "IT-MEMORY-I-001"),
                ("update_memory", json!({ "path": below, "content": "x" }), "IT-MEMORY-I-001"),
                ("remove_memory", json!({ "path": below }), "IT-MEMORY-I-001"),
                ("move_memory", json!({ "from": below, "to": "todo/two" }), "IT-MEMORY-I-001"),
            ]);
        }
        refused(&stage, &attempts);
        let listed = Surface::Call.done(&stage, "list_memories", &json!({}));
        assert!(!listed.to_string().contains("ecret"), "{listed}");
        assert_eq!(listed["count"], 4);
    }
}

#[test]
fn links_and_pipes_are_no_memories() {
    for mode in MODES {
        let stage = store_with_memories(mode);
        stage.file("beside/secret.md", "# Secret\n");
        stage.link(stage.path("beside/secret.md"), &format!("{STORE}/todo/linked.md"));
        stage.link("one.md", &format!("{STORE}/todo/near.md"));
        let pipe = stage.path(&format!("{STORE}/todo/pipe.md"));
        assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
        stage.folder(&format!("{STORE}/todo/folder.md"));
        let mut attempts = Vec::new();
        for path in ["todo/linked", "todo/near", "todo/pipe", "todo/folder"] {
            attempts.extend([
                ("get_memory", json!({ "path": path }), "IT-MEMORY-I-001"),
                ("update_memory", json!({ "path": path, "content": "x" }), "IT-MEMORY-I-001"),
                ("remove_memory", json!({ "path": path }), "IT-MEMORY-I-001"),
                ("move_memory", json!({ "from": path, "to": "todo/two" }), "IT-MEMORY-I-001"),
                ("create_memory", json!({ "path": path, "content": "x" }), "IT-MEMORY-I-003"),
                ("move_memory", json!({ "from": "alone", "to": path }), "IT-MEMORY-I-003"),
            ]);
        }
        refused(&stage, &attempts);
        let listed = Surface::Call.done(&stage, "list_memories", &json!({ "category": "todo" }));
        assert_eq!(
            (&listed["count"], &listed["memories"][0]["path"]),
            (&1.into(), &"todo/one".into())
        );
    }
}

#[test]
fn a_store_that_is_a_link_is_none() {
    for mode in MODES {
        for target in ["beside/out", "project/elsewhere", "project/.ai/elsewhere"] {
            let stage = Stage::new();
            stage.file(crate::support::store_fixture::CONFIG, &cortex(mode));
            stage.file(&format!("{target}/todo/one.md"), "# One\n");
            stage.link(stage.path(target), STORE);
            let category = if mode == "strict" { "EN-CATEGORY-D-002" } else { "IT-STORE-E-003" };
            let root = if mode == "free" { "IT-STORE-E-003" } else { "EN-CATEGORY-D-001" };
            let root = if mode == "strict" { category } else { root };
            refused(
                &stage,
                &[
                    ("create_category", json!({ "path": "todo/a" }), category),
                    ("create_category", json!({ "path": "new" }), root),
                    ("create_memory", json!({ "path": "two", "content": "x" }), "IT-STORE-E-003"),
                    (
                        "create_memory",
                        json!({ "path": "todo/two", "content": "x" }),
                        "IT-MEMORY-I-004",
                    ),
                    ("get_memory", json!({ "path": "todo/one" }), "IT-MEMORY-I-001"),
                    ("remove_memory", json!({ "path": "todo/one" }), "IT-MEMORY-I-001"),
                    ("move_memory", json!({ "from": "todo/one", "to": "two" }), "IT-MEMORY-I-001"),
                ],
            );
            let before = disk(&stage);
            assert_eq!(stage.person(&["store", "sync"]).status.code(), Some(4), "{target}");
            assert_eq!(disk(&stage), before);
            // It does not look like an empty store.
            let listed = Surface::Call.ask(&stage, "list_memories", &json!({}));
            assert_eq!(listed["code"], "IT-STORE-E-001", "{listed}");
        }
    }
}

#[test]
fn what_links_lead_to_is_neither_read_nor_deleted() {
    let stage = store_with_memories("free");
    stage.file("beside/out/kept.md", "# Kept\n");
    stage.file("beside/label.yaml", "description: Secret\n");
    stage.link(stage.path("beside/label.yaml"), &format!("{STORE}/legacy/.category.yaml"));
    stage.link(stage.path("beside/out"), &format!("{STORE}/legacy/out"));
    let listed = Surface::Call.done(&stage, "list_memories", &json!({}));
    let legacy = json!({ "path": "legacy", "description": "", "memory_count": 1 });
    assert_eq!(listed["subcategories"][1], legacy, "{listed}");
    let described = json!({ "path": "legacy", "description": "Mine" });
    Surface::Call.done(&stage, "set_category_description", &described);
    assert_eq!(text(&stage, "beside/label.yaml"), "description: Secret\n");
    let gone = json!({ "path": "legacy", "recursive": true });
    let left = Surface::Call.done(&stage, "delete_category", &gone);
    assert_eq!(left["left"], json!(["legacy/out"]), "a link is not an agent's to delete: {left}");
    Surface::Person.done(&stage, "delete_category", &gone);
    assert!(!stage.path(&format!("{STORE}/legacy")).exists());
    assert_eq!(text(&stage, "beside/out/kept.md"), "# Kept\n");
}

#[test]
fn a_memory_goes_where_a_new_one_could_be_made() {
    let missing = |mode: &str, path: &str, category: &str| {
        let remedy = match mode {
            "strict" => "Ask a person to add it to config.yaml.",
            _ => "Create the category first using create_category.",
        };
        format!("Cannot create memory at '{path}': category '{category}' does not exist. {remedy}")
    };
    for mode in MODES {
        let stage = store_with_memories(mode);
        let moved = |to: &str| json!({ "from": "alone", "to": to });
        let named = |path: &str| json!({ "path": path, "content": "x" });
        refused(
            &stage,
            &[
                ("move_memory", moved("none/alone"), "IT-MEMORY-I-004"),
                ("move_memory", moved("todo/none/alone"), "IT-MEMORY-I-004"),
                ("move_memory", moved("todo/one"), "IT-MEMORY-I-003"),
                ("move_memory", moved("legacy/three"), "IT-MEMORY-I-003"),
                ("move_memory", moved("alone"), "IT-MEMORY-I-003"),
                ("move_memory", moved("todo"), "IT-MEMORY-I-005"),
                ("move_memory", moved("legacy"), "IT-MEMORY-I-005"),
                ("move_memory", moved("standards/architecture"), "IT-MEMORY-I-005"),
                ("move_memory", json!({ "from": "none", "to": "other" }), "IT-MEMORY-I-001"),
                ("create_memory", named("todo"), "IT-MEMORY-I-005"),
                ("create_memory", named("legacy"), "IT-MEMORY-I-005"),
                ("create_memory", named("standards/testing"), "IT-MEMORY-I-005"),
                ("create_memory", named("todo/one"), "IT-MEMORY-I-003"),
            ],
        );
        let reply = Surface::Mcp.ask(&stage, "move_memory", &moved("todo/none/alone"));
        assert_eq!(outcome(&reply)[2], missing(mode, "todo/none/alone", "todo/none"));
        let reply = Surface::Mcp.ask(&stage, "create_memory", &named("standards/testing"));
        let message = "Cannot create memory at 'standards/testing': a category has that name. Add \
                       the memory's own name: 'standards/testing/name'.";
        assert_eq!(outcome(&reply)[2], message);
    }
}
