//! What lies in a store and is neither a memory nor a category: counted, named, and renamed. What
//! cannot be read is told, and does not look as if it were not there.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const MEMORY: &str = "project/.ai/memory";

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

fn text(stage: &Stage, words: &[&str]) -> (i32, String) {
    let output = stage.person(words);
    let all = [output.stdout, output.stderr].concat();
    (output.status.code().expect("an exit status"), String::from_utf8(all).expect("UTF-8"))
}

/// A store from before the rules of names.
fn legacy() -> Stage {
    let stage = Stage::new();
    let file = |path: &str| stage.file(&format!("{MEMORY}/{path}"), "# Note\n");
    file("good/a.md");
    file("Research/b.md");
    file("Meeting Notes/c.md");
    file("\u{65e5}\u{672c}/d.md");
    file("good/Big Plan.md");
    file("good/old.markdown");
    file("good/picture.png");
    file(".hidden/x.md");
    stage.link(stage.path("beside"), &format!("{MEMORY}/good/link"));
    stage
}

#[test]
fn strays_are_counted_where_memories_are_listed() {
    let stage = legacy();
    let counts = |listed: &Value| {
        let data = &listed["data"];
        (data["count"].clone(), data["other_files"].clone(), data["other_folders"].clone())
    };
    let all = (json!(1), json!(4), json!(3));
    assert_eq!(counts(&call(&stage, "list_memories", &json!({}))), all);
    let below = call(&stage, "list_memories", &json!({ "category": "good" }));
    assert_eq!(counts(&below), (json!(1), json!(4), json!(null)));
    // A server notices what becomes one and what ceases to be one.
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(counts(&mcp.call("list_memories", &json!({}))), all);
    stage.file(&format!("{MEMORY}/good/Other.md"), "x");
    stage.folder(&format!("{MEMORY}/New Folder"));
    let more = (json!(1), json!(5), json!(4));
    assert_eq!(counts(&mcp.call("list_memories", &json!({}))), more);
    std::fs::rename(
        stage.path(&format!("{MEMORY}/good/Other.md")),
        stage.path(&format!("{MEMORY}/good/other.md")),
    )
    .expect("renamed");
    std::fs::remove_dir(stage.path(&format!("{MEMORY}/New Folder"))).expect("removed");
    assert_eq!(counts(&mcp.call("list_memories", &json!({}))), (json!(2), json!(4), json!(3)));
    let (_, shown) = text(&stage, &["memory", "list"]);
    assert!(shown.contains("4 other files, 3 other folders; see `mere doctor`"), "{shown}");
    // What agents may not see is not counted for them.
    stage.file("project/.ai/config.yaml", "sensitive: ['picture*', 'Research']\n");
    let listed = call(&stage, "list_memories", &json!({}));
    assert_eq!(counts(&listed), (json!(2), json!(3), json!(2)));
}

#[test]
fn strays_are_named_with_the_command_that_renames_them() {
    let stage = legacy();
    for words in [&["config", "check"][..], &["doctor"]] {
        let (_, shown) = text(&stage, words);
        for line in [
            "the folder `Research` is not a category, because its name is not a valid category: run \
             `mere store rename Research research`",
            "run `mere store rename 'Meeting Notes' meeting-notes`",
            "run `mere store rename \u{65e5}\u{672c} new-name`",
            "the file `good/Big Plan.md` is not a memory, because its name is not a valid slug: run \
             `mere store rename 'good/Big Plan.md' good/big-plan`",
            "run `mere store rename good/old.markdown good/old`",
            "`good/link` is not a memory, because links are not followed",
            "the file `good/picture.png` is not a memory: memories are files `name.md`",
        ] {
            assert!(shown.contains(line), "{words:?} {line}: {shown}");
        }
    }
}

#[test]
fn the_command_renames_and_loses_nothing() {
    let stage = legacy();
    for (from, to) in [
        ("Research", "research"),
        ("Meeting Notes", "meeting-notes"),
        ("\u{65e5}\u{672c}", "good/japan"),
        ("good/Big Plan.md", "good/big-plan"),
        ("good/old.markdown", "good/old"),
    ] {
        let (status, shown) = text(&stage, &["store", "rename", from, to]);
        assert_eq!(status, 0, "{from}: {shown}");
    }
    for path in ["research/b", "meeting-notes/c", "good/japan/d", "good/big-plan", "good/old"] {
        let reply = call(&stage, "get_memory", &json!({ "path": path }));
        assert_eq!(reply["data"]["title"], "Note", "{path}: {reply}");
    }
    let listed = call(&stage, "list_memories", &json!({}));
    assert_eq!((&listed["data"]["count"], &listed["data"]["other_files"]), (&json!(6), &json!(2)));
    assert_eq!(listed["data"]["other_folders"], json!(null));
    let (_, shown) = text(&stage, &["doctor"]);
    assert!(!shown.contains("mere store rename"), "{shown}");
}

#[test]
fn a_renaming_overwrites_nothing_leads_nowhere_else_and_obeys_the_rules() {
    let stage = legacy();
    stage.file(&format!("{MEMORY}/research/own.md"), "# Own\n");
    for (from, to, status) in [
        ("Research", "research", 1),
        ("Big Plan.md", "good/x", 1),
        ("good/Big Plan.md", "good/a", 1),
        ("good/Big Plan.md", "none/x", 1),
        ("good/Big Plan.md", "good", 1),
        ("good/link", "good/x", 1),
        ("good/a.md", "good/x", 1),
        ("good", "better", 1),
        ("good/picture.png", "good/picture", 0),
        ("../config.yaml", "x", 2),
        ("/etc/passwd", "x", 2),
        ("Meeting Notes", "Meeting", 2),
        ("Meeting Notes", "../x", 2),
    ] {
        let (ended, shown) = text(&stage, &["store", "rename", from, to]);
        assert_eq!(ended, status, "{from} {to}: {shown}");
    }
    let own = std::fs::read_to_string(stage.path(&format!("{MEMORY}/research/own.md")));
    assert_eq!(own.expect("it is there"), "# Own\n");
    assert!(stage.path(&format!("{MEMORY}/Research/b.md")).exists());
    // A new category is one, whatever it was before.
    let strict = "stores: {m: {path: ./memory, categoryMode: strict, categories: {named: {}}}}\n";
    stage.file("project/.ai/config.yaml", strict);
    let (status, shown) = text(&stage, &["store", "rename", "Meeting Notes", "meeting-notes"]);
    assert_eq!(status, 3, "{shown}");
    let (status, shown) = text(&stage, &["store", "rename", "Meeting Notes", "x", "--force"]);
    assert_eq!(status, 2, "only at a terminal: {shown}");
    let (status, shown) = text(&stage, &["store", "rename", "Meeting Notes", "named"]);
    assert_eq!(status, 0, "the config has it: {shown}");
    assert_eq!(call(&stage, "get_memory", &json!({ "path": "named/c" }))["reply_type"], "S");
}

#[test]
fn what_cannot_be_read_does_not_look_empty() {
    let stage = Stage::new();
    stage.file(&format!("{MEMORY}/open/a.md"), "# A\n");
    stage.file(&format!("{MEMORY}/shut/b.md"), "# B\n");
    stage.file(&format!("{MEMORY}/open/c.md"), "# C\n");
    let close = |path: &str, mode: u32| {
        let path = stage.path(&format!("{MEMORY}/{path}"));
        std::fs::set_permissions(path, Permissions::from_mode(mode)).expect("closed");
    };
    let ask = |tool: &str, arguments: &Value| {
        let mut command = stage.unprivileged("project");
        stage.answer(command.args(["call", tool, &arguments.to_string()])).reply
    };
    let _ = ask("list_memories", &json!({}));
    close("shut", 0);
    close("open/c.md", 0);
    let listed = ask("list_memories", &json!({}));
    let data = &listed["data"];
    assert_eq!((&data["count"], &data["unreadable"]), (&json!(2), &json!(["shut"])), "{listed}");
    assert!(listed["hint"].as_str().expect("a hint").contains("`unreadable`"), "{listed}");
    assert_eq!(data["memories"][1]["fault"], true, "{listed}");
    for (tool, arguments) in [
        ("list_memories", json!({ "category": "shut" })),
        ("get_memory", json!({ "path": "shut/b" })),
        ("get_memory", json!({ "path": "open/c" })),
        ("delete_category", json!({ "path": "shut", "recursive": true })),
        ("create_memory", json!({ "path": "shut/n", "content": "x" })),
    ] {
        let reply = ask(tool, &arguments);
        assert_eq!(reply["reply_type"], "E", "{tool} {arguments}: {reply}");
    }
    for words in [&["config", "check"][..], &["doctor"]] {
        let output = stage.unprivileged("project").args(words).output().expect("mere runs");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(shown.contains("category `shut` cannot be read"), "{words:?}: {shown}");
    }
    close("", 0);
    assert_eq!(ask("list_memories", &json!({}))["code"], "IT-STORE-E-002");
    let output = stage.unprivileged("project").args(["config", "check"]).output().expect("runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    close("", 0o755);
    close("shut", 0o755);
    assert!(shown.contains("store `memory` cannot be read"), "{shown}");
}

#[test]
fn a_store_in_the_place_of_a_file_or_a_link_does_not_look_empty() {
    for place in ["file", "link"] {
        let stage = Stage::new();
        stage.file("beside/out/a.md", "# A\n");
        match place {
            "file" => drop(stage.file(MEMORY, "")),
            _ => stage.link(stage.path("beside/out"), MEMORY),
        }
        let reply = call(&stage, "list_memories", &json!({}));
        assert_eq!(reply["code"], "IT-STORE-E-001", "{place}: {reply}");
        let (_, shown) = text(&stage, &["doctor"]);
        assert!(shown.contains("store `memory`: its folder is a link or a file"), "{shown}");
    }
}
