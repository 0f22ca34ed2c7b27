//! Ways under the floor of a project's rules: each of them fails.

use std::process::Command;

use serde_json::json;

use crate::config::floor::{MADE, STRICT, UNAVAILABLE, call, make, store, trust};
use crate::config::stores::{PROJECT, USER, problem, text};
use crate::support::harness::Stage;

/// A project whose strict store was seen.
fn seen() -> Stage {
    let stage = Stage::new();
    stage.file(PROJECT, &store("strict"));
    assert_eq!(make(&stage, "x"), STRICT);
    stage
}

#[test]
fn no_edit_puts_a_free_store_in_the_place_of_a_strict_one() {
    for (edit, expected) in [
        // Without the store, and the default one lies in the same folder.
        ("{}\n", STRICT),
        ("stores: {}\n", STRICT),
        // Renamed, moved, or both.
        ("stores: {other: {path: ./memory}}\n", STRICT),
        ("stores: {other: {path: memory/../memory/}}\n", STRICT),
        ("stores: {other: {path: ./Memory}}\n", STRICT),
        ("stores: {cortex: {path: ./elsewhere}}\n", STRICT),
        ("stores: {other: {path: ./elsewhere}}\n", UNAVAILABLE),
        // Another one first, or as the default.
        ("stores: {a: {path: ./a}, cortex: {path: ./memory, categoryMode: strict}}\n", UNAVAILABLE),
        (
            "settings: {defaultStore: b}\n\
             stores: {cortex: {path: ./memory, categoryMode: strict}, b: {path: ./b}}\n",
            UNAVAILABLE,
        ),
        ("settings: {defaultStore: mine}\n", UNAVAILABLE),
    ] {
        let stage = seen();
        if edit.contains("mine") {
            stage.file(USER, "stores: {mine: {path: mine}}\n");
        }
        stage.file(PROJECT, edit);
        assert_eq!(make(&stage, "x"), expected, "{edit}");
        let memory = call(&stage, "create_memory", &json!({ "path": "x/a", "content": "x" }));
        assert_ne!(memory["reply_type"], "S", "{edit}");
        trust(&stage);
        assert_eq!(make(&stage, "x"), MADE, "{edit}");
    }
}

#[test]
fn the_default_store_takes_no_place_either() {
    let stage = Stage::new();
    stage.file(PROJECT, "stores: {cortex: {path: ./cortex, categoryMode: strict}}\n");
    assert_eq!(make(&stage, "x"), STRICT);
    for edit in ["", "{}\n", "stores:\n"] {
        stage.file(PROJECT, edit);
        let reply = call(&stage, "create_category", &json!({ "path": "x" }));
        assert_eq!(reply["code"], UNAVAILABLE, "{reply}");
        let message = "The store `cortex` was served in 'strict' mode, and the project's config \
                       would now serve a less strict store in its place.";
        assert_eq!(reply["message"], message);
    }
    std::fs::remove_dir_all(stage.path("project/.ai")).expect("removed");
    assert_eq!(make(&stage, "x"), UNAVAILABLE, "not even without a space");
    assert!(!stage.path("project/.ai").exists());
    // Who asks for the default store by its name gets it as strict as what was seen.
    let named = ["call", "--store", "memory", "create_category", r#"{"path":"x"}"#];
    let reply = stage.answer(stage.command("project").args(named)).reply;
    assert_eq!(reply["code"], STRICT, "{reply}");
    // A store that is as strict is no loosening.
    stage.file(PROJECT, "stores: {other: {path: ./other, categoryMode: strict}}\n");
    assert_eq!(make(&stage, "x"), STRICT);
}

#[test]
fn another_space_id_does_not_lower_the_floor() {
    let stage = seen();
    for id in ["a", "b"] {
        let space = json!({ "format": 1, "space_id": id, "name": "project" });
        stage.file("project/.ai/space.json", &space.to_string());
        stage.file(PROJECT, &store("free"));
        assert_eq!(make(&stage, "x"), STRICT, "{id}");
    }
    std::fs::remove_file(stage.path("project/.ai/space.json")).expect("removed");
    assert_eq!(make(&stage, "x"), STRICT);
}

#[test]
fn a_floor_that_cannot_be_read_opens_nothing() {
    let stage = seen();
    stage.file(PROJECT, &store("free"));
    let state = stage.path("home/.local/state/merestone/project-rules.json");
    let good = std::fs::read_to_string(&state).expect("the record");
    for damaged in ["", "{", "[]", &good.replace("strict", "loose"), &good.replace("stores", "s")] {
        std::fs::write(&state, damaged).expect("written");
        for (tool, arguments) in
            [("create_category", json!({ "path": "x" })), ("dir", json!({ "command": "list" }))]
        {
            let reply = call(&stage, tool, &arguments);
            assert_eq!(reply["code"], "WA-CONFIG-E-004", "{damaged}: {reply}");
        }
        assert!(problem(&stage, PROJECT).contains("`project-rules.json`"), "{damaged}");
        let refused = stage.person(&["trust", "project", "--yes"]);
        assert_eq!(refused.status.code(), Some(4), "{}", text(&refused));
        assert_eq!(std::fs::read_to_string(&state).expect("the record"), damaged);
    }
    std::fs::write(&state, &good).expect("written");
    assert_eq!(make(&stage, "x"), STRICT);
}

#[test]
fn a_state_that_cannot_be_written_stops_nobody() {
    let stage = Stage::new();
    stage.file(PROJECT, &store("strict"));
    stage.file("home/.local/state/merestone", "a file where a folder belongs");
    let reply = call(&stage, "create_memory", &json!({ "path": "a", "content": "x" }));
    assert_ne!(reply["reply_type"], "D", "{reply}");
    for command in ["where", "doctor", "config check"] {
        let told = stage.person(&command.split(' ').collect::<Vec<_>>());
        assert!(text(&told).contains("could not be recorded"), "{command}: {}", text(&told));
    }
}

#[test]
fn many_processes_that_see_a_project_at_once_record_one_floor() {
    let stage = Stage::new();
    stage.file(PROJECT, &store("strict"));
    let mut running = Vec::new();
    for _ in 0..8 {
        let mut command: Command = stage.command("project");
        command.args(["call", "list_memories", "{}"]).stdout(std::process::Stdio::null());
        running.push(command.spawn().expect("mere runs"));
    }
    for mut child in running {
        assert!(child.wait().expect("it ends").success());
    }
    let state = stage.path("home/.local/state/merestone/project-rules.json");
    let record = std::fs::read_to_string(state).expect("the record");
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!(record["records"].as_array().map(Vec::len), Some(1), "{record}");
    stage.file(PROJECT, &store("free"));
    assert_eq!(make(&stage, "x"), STRICT);
}

#[test]
fn the_users_own_choice_of_a_store_is_no_loosening() {
    let stage = seen();
    stage.file(USER, "settings: {defaultStore: mine}\nstores: {mine: {path: mine}}\n");
    assert_eq!(make(&stage, "x"), MADE);
    assert!(stage.path("home/.ai/mine/x").exists());
}

#[test]
fn a_copy_in_another_folder_has_a_floor_of_its_own() {
    let stage = seen();
    stage.folder("beside/clone/.git");
    stage.file("beside/clone/.ai/config.yaml", &store("free"));
    let make_there = || {
        let mut command = stage.command("beside/clone");
        let reply = stage.answer(command.args(["call", "create_category", r#"{"path":"x"}"#]));
        reply.code().to_owned()
    };
    assert_eq!(make_there(), MADE, "the first sight of a config sets its floor");
    stage.file("beside/clone/.ai/config.yaml", &store("strict"));
    stage.file(PROJECT, &store("free"));
    assert_eq!(make(&stage, "x"), STRICT);
    trust(&stage);
    assert_eq!(make(&stage, "x"), MADE);
    assert_eq!(make_there(), STRICT, "trust is for one folder");
}
