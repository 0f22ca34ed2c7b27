//! Detours around a store's mode: the commands for items, the tools for files, a project's config,
//! a flag. None of them leads anywhere.

use serde_json::json;

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::person;
use crate::support::store_fixture::{
    CONFIG, MODES, STORE, Surface, USER_CONFIG, configured, cortex, disk, outcome, words,
};

fn store_with_memories(mode: &str) -> Stage {
    let stage = configured(&cortex(mode));
    stage.file(&format!("{STORE}/todo/one.md"), "# One\n");
    stage.file(&format!("{STORE}/alone.md"), "# Alone\n");
    stage
}

#[test]
fn the_commands_for_items_keep_to_the_rules_of_the_store() {
    for mode in MODES {
        let stage = store_with_memories(mode);
        let before = disk(&stage);
        for (words, code) in [
            (&["new", "memory", "none/x"][..], "IT-MEMORY-I-004"),
            (&["new", "memory", "todo/none/x"], "IT-MEMORY-I-004"),
            (&["new", "memory", "todo"], "IT-MEMORY-I-005"),
            (&["new", "memory", "standards/testing"], "IT-MEMORY-I-005"),
            (&["new", "memory", "todo/one"], "IT-MEMORY-I-003"),
            (&["new", "memory", "mine", "--user"], "IT-CHANGE-I-001"),
            (&["move", "memory", "todo/one", "none"], "IT-MEMORY-I-004"),
            (&["move", "memory", "alone", "todo/none"], "IT-MEMORY-I-004"),
            (&["rename", "memory", "alone", "todo"], "IT-MEMORY-I-005"),
            (&["rename", "memory", "todo/one", "one"], "IT-MEMORY-I-003"),
            (&["copy", "memory", "alone", "--to", "user"], "IT-CHANGE-I-001"),
            (&["copy", "memory", "todo/one", "--to", "user"], "IT-CHANGE-I-001"),
            (&["sign", "memory", "alone"], "IT-SIGN-I-006"),
            (&["edit", "memory", "alone"], "IT-SIGN-I-006"),
        ] {
            assert_eq!(person(&stage, words)["code"], code, "{mode} {words:?}");
        }
        assert_eq!(disk(&stage), before, "{mode}");
        let moved = person(&stage, &["move", "memory", "alone", "todo"]);
        let message = "The memory 'alone' was moved to 'todo/alone'.";
        assert_eq!(outcome(&moved), ["S", "IT-MEMORY-S-004", message], "{mode}");
    }
}

#[test]
fn the_tools_for_items_and_files_make_no_memory() {
    for mode in MODES {
        let stage = store_with_memories(mode);
        stage.file(USER_CONFIG, "agents: {may_install: true, write: {knowledge: direct}}\n");
        let before = disk(&stage);
        let mut mcp = Mcp::greeted(&stage, &[]);
        for action in ["create", "update", "delete"] {
            for id in ["todo/one", "todo/two", "none/two", "two"] {
                let arguments = json!({
                    "item_type": "memory", "item_id": id, "action": action, "content": "# Two\n"
                });
                let arguments = match action {
                    "delete" => json!({ "item_type": "memory", "item_id": id, "action": action }),
                    _ => arguments,
                };
                let reply = mcp.call("execute", &arguments);
                assert_eq!(reply["code"], "IT-CHANGE-I-001", "{mode} {arguments}: {reply}");
            }
        }
        for path in ["todo/two.md", "todo/one.md", "new/two.md", "todo/.category.yaml", "x"] {
            let path = format!("ROOT_PROJECT:/.ai/memory/{path}");
            let write = json!({ "path": path, "content": "# Two\n" });
            assert_eq!(mcp.call("write", &write)["code"], "EN-WRITE-D-001", "{mode} {path}");
        }
        let edit = json!({
            "path": "ROOT_PROJECT:/.ai/memory/alone.md", "old": "Alone", "new": "Two"
        });
        assert_eq!(mcp.call("edit", &edit)["reply_type"], "D");
        let config = json!({ "path": "ROOT_PROJECT:/.ai/config.yaml", "content": "{}" });
        assert_eq!(mcp.call("write", &config)["code"], "EN-WRITE-D-001");
        let load = json!({ "item_type": "memory", "item_id": "alone", "destination": "user" });
        assert_eq!(mcp.call("load", &load)["code"], "IT-CHANGE-I-001");
        assert_eq!(disk(&stage), before, "{mode}");
    }
}

#[test]
fn force_is_for_a_terminal() {
    for mode in MODES {
        let stage = store_with_memories(mode);
        let before = disk(&stage);
        for (tool, path) in [
            ("create_category", "new"),
            ("create_category", "todo/new"),
            ("delete_category", "todo"),
        ] {
            let mut words =
                words(tool, &json!({ "path": path, "recursive": tool != "create_category" }));
            words.push("--force".to_owned());
            let output = stage.command("project").args(&words).output().expect("mere runs");
            let printed = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(2), "{words:?}");
            assert!(printed.contains("MCP-COMMAND-I-001"), "{words:?}: {printed}");
        }
        for (tool, arguments) in [
            ("create_category", json!({ "path": "new", "force": true })),
            ("delete_category", json!({ "path": "todo", "recursive": true, "force": true })),
        ] {
            let reply = Surface::Mcp.ask(&stage, tool, &arguments);
            assert_eq!(reply["code"], "MCP-ARG-I-001", "agents have no such argument");
        }
        assert_eq!(disk(&stage), before, "{mode}");
    }
}

/// What becomes of a new category in each of the two ways a mode can forbid it.
fn mode_of(stage: &Stage, surface: Surface) -> &'static str {
    let before = disk(stage);
    let reply = surface.ask(stage, "create_category", &json!({ "path": "new-root" }));
    match reply["code"].as_str().expect("a code") {
        "IT-CATEGORY-S-001" => {
            let gone = surface.ask(stage, "delete_category", &json!({ "path": "new-root" }));
            assert_eq!(gone["code"], "IT-CATEGORY-S-003", "{gone}");
            return "free";
        }
        "EN-CATEGORY-D-001" => assert_eq!(disk(stage), before),
        "EN-CATEGORY-D-002" => {
            assert_eq!(disk(stage), before);
            return "strict";
        }
        other => panic!("{other}: {reply}"),
    }
    "subcategories"
}

#[test]
fn the_variable_only_makes_stricter() {
    for (at, config) in MODES.into_iter().enumerate() {
        for (floor, variable) in MODES.into_iter().enumerate() {
            let mut stage = configured(&cortex(config));
            stage.setting("MERE_CATEGORY_MODE", variable);
            let expected = MODES[at.max(floor)];
            for surface in Surface::ALL {
                assert_eq!(mode_of(&stage, surface), expected, "{config} {variable} {surface:?}");
                let stores = surface.done(&stage, "list_stores", &json!({}));
                assert_eq!(stores["stores"][0]["categoryMode"], expected);
            }
            let mut mcp = Mcp::greeted(&stage, &[]);
            let tools = mcp.request("tools/list", &json!({}))["result"]["tools"].to_string();
            assert_eq!(tools.contains("create_category"), expected != "strict");
        }
    }
    // The store that is there without a configuration, too.
    let mut stage = Stage::new();
    stage.setting("MERE_CATEGORY_MODE", "strict");
    assert_eq!(mode_of(&stage, Surface::Call), "strict");
    assert!(!stage.path("project/.ai").exists());
}

/// Every call says that the configuration is wrong, and nothing else.
fn all_calls_fail(stage: &Stage, words: &str) {
    let before = disk(stage);
    for (tool, arguments) in [
        ("create_category", json!({ "path": "new" })),
        ("create_memory", json!({ "path": "new", "content": "x" })),
        ("list_memories", json!({})),
        ("list_stores", json!({})),
    ] {
        for surface in Surface::ALL {
            let reply = surface.ask(stage, tool, &arguments);
            assert_eq!(reply["code"], "WA-CONFIG-E-001", "{surface:?} {tool}: {reply}");
        }
    }
    assert_eq!(disk(stage), before);
    let output = stage.person(&["config", "check"]);
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.contains(words), "{output}");
}

#[test]
fn a_project_does_not_take_over_a_store_of_the_user() {
    let mine = "stores: {mine: {path: ./notes, categoryMode: strict}}\n";
    let stage = Stage::new();
    stage.file(USER_CONFIG, mine);
    assert_eq!(mode_of(&stage, Surface::Call), "strict");
    stage.file(CONFIG, "stores: {mine: {path: ./memory, categoryMode: free}}\n");
    all_calls_fail(&stage, "both config files define a store `mine`: rename one of them");

    // Under another name: it lies outside the project, and nobody has said yes.
    let free_store =
        |path: &str| format!("stores: {{loose: {{path: {path}, categoryMode: free}}}}\n");
    stage.file(CONFIG, &free_store("~/.ai/notes"));
    let nothing_is_served = || {
        let stores = Surface::Call.done(&stage, "list_stores", &json!({}));
        let stores = stores["stores"].as_array().expect("stores");
        let names = stores.iter().map(|store| store["name"].as_str().expect("a name"));
        assert_eq!(names.collect::<Vec<_>>(), ["loose", "mine"]);
        assert!(stores.iter().all(|store| store["current"].is_null()), "{stores:?}");
        let reply = Surface::Call.ask(&stage, "create_category", &json!({ "path": "x" }));
        assert_eq!(reply["code"], "IT-STORE-E-005", "{reply}");
    };
    nothing_is_served();
    assert_eq!(stage.person(&["trust", "project", "--yes"]).status.code(), Some(4));
    nothing_is_served();

    // A store of the user that lies in the project.
    let path = stage.folder("project/notes");
    stage.file(USER_CONFIG, &mine.replace("./notes", path.to_str().expect("UTF-8")));
    stage.file(CONFIG, &free_store("../notes"));
    all_calls_fail(&stage, "the folders of the stores `mine` and `loose` overlap");
}

#[test]
fn a_store_outside_the_project_waits_for_trust() {
    for mode in MODES {
        let stage = Stage::new();
        stage.file("beside/notes/todo/one.md", "# One\n");
        let config = format!(
            "stores: {{away: {{path: ../../beside/notes, categoryMode: {mode}, \
             categories: {{made: {{}}}}}}, near: {{path: ./memory}}}}\n"
        );
        stage.file(CONFIG, &config);
        let before = disk(&stage);
        for words in [&["mcp", "--store", "away"][..], &["call", "--store", "away", "dir"]] {
            assert_eq!(stage.person(words).status.code(), Some(2), "{words:?}");
        }
        for (words, status) in [
            (&["store", "sync"][..], 0),
            (&["memory", "list"], 4),
            (&["category", "list"], 4),
            (&["store", "reindex"], 4),
            (&["memory", "list", "--store", "near"], 0),
        ] {
            assert_eq!(stage.person(words).status.code(), Some(status), "{words:?}");
        }
        drop(Mcp::greeted(&stage, &[]));
        assert_eq!(disk(&stage), before, "{mode}");
        let stores = Surface::Mcp.done(&stage, "list_stores", &json!({}));
        let away = &stores["stores"][0];
        assert_eq!((&away["name"], &away["current"]), (&json!("away"), &json!(null)));
        assert_eq!(away["unavailable"], "It awaits `mere trust project`.");
        let reply = Surface::Mcp.ask(&stage, "list_memories", &json!({}));
        assert_eq!(reply["code"], "IT-STORE-E-005", "{reply}");

        assert_eq!(stage.person(&["trust", "project", "--yes"]).status.code(), Some(0));
        let listed = Surface::Mcp.done(&stage, "list_memories", &json!({}));
        assert_eq!((&listed["store"], &listed["count"]), (&json!("away"), &json!(1)));
        assert!(stage.path("beside/notes/made/.category.yaml").is_file(), "the server made it");
    }
}
