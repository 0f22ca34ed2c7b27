//! What a category asks of its memories: how long they are kept, how large and how many they may
//! be, what may be done with them, and what their frontmatter says.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::person;
use crate::support::store_fixture::{STORE, Surface, configured, disk, in_seconds, outcome, text};

const DAY: i64 = 24 * 60 * 60;

/// A store with these categories, and more of its own keys.
fn store(more: &str, categories: &str) -> Stage {
    configured(&format!(
        "stores:\n  cortex:\n    path: ./memory\n{more}    categories: {{{categories}}}\n"
    ))
}

fn file(path: &str) -> String {
    format!("{STORE}/{path}.md")
}

/// Each call is refused by every way in, in these words, and nothing changes.
fn refused(stage: &Stage, calls: &[(&str, Value, [&str; 3])]) {
    let before = disk(stage);
    for (tool, arguments, expected) in calls {
        for surface in Surface::ALL {
            let reply = surface.ask(stage, tool, arguments);
            assert_eq!(outcome(&reply), *expected, "{surface:?} {tool} {arguments}");
        }
    }
    assert_eq!(disk(stage), before);
}

fn note(path: &str, content: &str) -> Value {
    json!({ "path": path, "content": content })
}

fn moved(from: &str, to: &str) -> Value {
    json!({ "from": from, "to": to })
}

/// When a memory expires, by its reply.
fn expiry(data: &Value) -> jiff::Timestamp {
    let time = data["expires_at"].as_str().unwrap_or_else(|| panic!("never: {data}"));
    time.parse().expect("a time")
}

/// A memory that is kept for as long as it may be.
fn is_days_from_now(data: &Value, days: i64) {
    let left = expiry(data).as_second() - in_seconds(0).as_second();
    assert!((days * DAY - 60..=days * DAY + 1).contains(&left), "{days}: {data}");
}

#[test]
fn default_ttl_is_the_default_and_the_most() {
    for surface in Surface::ALL {
        let stage = store("", "todo: {policies: {defaultTtl: 30}}, free: {}");
        is_days_from_now(&surface.done(&stage, "create_memory", &note("todo/a", "x")), 30);
        let never = surface.done(&stage, "create_memory", &note("free/a", "x"));
        assert_eq!(never.get("expires_at"), None);
        let before = disk(&stage);
        for (tool, path) in [("create_memory", "todo/b"), ("update_memory", "todo/a")] {
            let at = in_seconds(30 * DAY + 120).to_string();
            let late = json!({ "path": path, "content": "x", "expires_at": at });
            let reply = surface.ask(&stage, tool, &late);
            let [kind, code, message] = outcome(&reply);
            assert_eq!((kind, code), ("D", "EN-MEMORY-D-004"), "{surface:?} {tool}");
            let begin = format!(
                "Cannot write memory at '{path}': category 'todo' keeps memories for at most 30 \
                 days (`defaultTtl` in config.yaml). Set `expires_at` to "
            );
            let rest = message.strip_prefix(&begin).unwrap_or_else(|| panic!("{message}"));
            let latest = rest.strip_suffix(" or earlier.").expect("a time");
            is_days_from_now(&json!({ "expires_at": latest }), 30);
        }
        assert_eq!(disk(&stage), before, "{surface:?}");
        let early = in_seconds(2 * DAY).to_string();
        let soon = json!({ "path": "todo/soon", "content": "x", "expires_at": early });
        let created = surface.done(&stage, "create_memory", &soon);
        assert_eq!(created["expires_at"], early, "what is earlier holds");
        let kept = surface.done(&stage, "update_memory", &note("todo/soon", "y"));
        assert_eq!(kept["expires_at"], early, "a change of the content leaves it");
    }
}

#[test]
fn default_ttl_holds_for_what_is_changed_and_moved() {
    let stage = store("", "todo: {policies: {defaultTtl: 30}}, free: {}");
    stage.file(&file("todo/by-hand"), "No time.\n");
    stage.file(&file("free/never"), "No time.\n");
    let late = format!("---\nexpires_at: {}\n---\nLate.\n", in_seconds(31 * DAY));
    stage.file(&file("free/late"), &late);
    let soon = format!("---\nexpires_at: {}\n---\nSoon.\n", in_seconds(29 * DAY));
    stage.file(&file("free/soon"), &soon);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let updated = mcp.call("update_memory", &note("todo/by-hand", "Changed.\n"));
    is_days_from_now(&updated["data"], 30);
    let before = disk(&stage);
    for path in ["free/never", "free/late"] {
        let reply = mcp.call("move_memory", &moved(path, "todo/here"));
        assert_eq!(reply["code"], "EN-MEMORY-D-004", "{path}: {reply}");
        let words =
            "Cannot write memory at 'todo/here': category 'todo' keeps memories for at most";
        assert!(outcome(&reply)[2].starts_with(words), "{reply}");
    }
    // "Never" is later than any time.
    let null = json!({ "path": "todo/by-hand", "expires_at": null });
    assert_eq!(mcp.call("update_memory", &null)["code"], "EN-MEMORY-D-004");
    assert_eq!(disk(&stage), before);
    assert_eq!(mcp.call("move_memory", &moved("free/soon", "todo/here"))["reply_type"], "S");
    assert_eq!(text(&stage, &file("todo/here")), soon, "not a byte is another");
    assert_eq!(mcp.call("move_memory", &moved("todo/by-hand", "free/x"))["reply_type"], "S");
}

#[test]
fn max_content_length_counts_bytes() {
    let stage = store("", "short: {policies: {maxContentLength: 10}}, free: {}");
    for surface in Surface::ALL {
        let path = format!("short/{surface:?}").to_lowercase();
        surface.done(&stage, "create_memory", &note(&path, "éééé\n"));
        // What is not content does not count.
        let tags = json!({ "path": path, "tags": ["a long tag", "another long tag"] });
        surface.done(&stage, "update_memory", &tags);
    }
    stage.file(&file("free/long"), "12345678901");
    let message = |path: &str, bytes: usize| {
        format!(
            "Cannot write memory at '{path}': its content has {bytes} bytes and category 'short' \
             allows 10 (`maxContentLength` in config.yaml)."
        )
    };
    let (new, call, here) =
        (message("short/new", 11), message("short/call", 11), message("short/here", 11));
    let code = "EN-MEMORY-D-002";
    refused(
        &stage,
        &[
            ("create_memory", note("short/new", "ééééé\n"), ["D", code, &new]),
            ("update_memory", note("short/call", "1234567890\n"), ["D", code, &call]),
            ("move_memory", moved("free/long", "short/here"), ["D", code, &here]),
        ],
    );
}

#[test]
fn max_memories_counts_what_lies_right_in_the_category() {
    let stage = store("", "few: {policies: {maxMemories: 2}}, free: {}");
    stage.file(&file("few/sub/deep"), "Deep.\n");
    stage.file(&file("few/one"), "One.\n");
    stage.file(&format!("{STORE}/few/picture.png"), "");
    stage.file(&file("free/other"), "Other.\n");
    let over = "---\nexpires_at: 2020-01-01T00:00:00Z\n---\nOver.\n";
    stage.file(&file("few/over"), over);
    let full = |path: &str, category: &str| {
        format!(
            "Cannot create memory at '{path}': category '{category}' holds 2 memories already and \
             may hold 2 (`maxMemories` in config.yaml)."
        )
    };
    let (new, other) = (full("few/new", "few"), full("few/other", "few"));
    let code = "EN-MEMORY-D-003";
    refused(
        &stage,
        &[
            ("create_memory", note("few/new", "x"), ["D", code, &new]),
            ("move_memory", moved("free/other", "few/other"), ["D", code, &other]),
        ],
    );
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(mcp.call("move_memory", &moved("few/one", "few/uno"))["reply_type"], "S");
    assert_eq!(mcp.call("update_memory", &note("few/uno", "Uno.\n"))["reply_type"], "S");
    // A subcategory inherits the number for itself.
    assert_eq!(mcp.call("create_memory", &note("few/sub/two", "x"))["reply_type"], "S");
    let reply = mcp.call("create_memory", &note("few/sub/three", "x"));
    assert_eq!(outcome(&reply)[2], full("few/sub/three", "few/sub"));
    assert!(stage.person(&["memory", "prune", "--yes"]).status.success());
    assert_eq!(mcp.call("move_memory", &moved("free/other", "few/other"))["reply_type"], "S");
    assert_eq!(mcp.call("create_memory", &note("few/new", "x"))["code"], code);
    assert_eq!(mcp.call("remove_memory", &json!({ "path": "few/uno" }))["reply_type"], "S");
    assert_eq!(mcp.call("create_memory", &note("few/new", "x"))["reply_type"], "S");
}

fn forbidden(what: &str, path: &str, category: &str) -> String {
    format!(
        "Cannot {what} memory at '{path}': category '{category}' does not permit it \
         (`permissions.{what}` in config.yaml)."
    )
}

/// A store where one thing each is forbidden, with memories.
fn guarded() -> Stage {
    let stage = store(
        "",
        "nocreate: {policies: {permissions: {create: false}}}, \
         noupdate: {policies: {permissions: {update: false}}}, \
         nodelete: {policies: {permissions: {delete: false}}}, free: {}",
    );
    for path in ["nocreate/a", "noupdate/a", "nodelete/a", "nodelete/sub/deep/b", "free/a"] {
        stage.file(&file(path), "# A\n");
    }
    stage
}

#[test]
fn permissions_hold_for_every_way_to_do_it() {
    let stage = guarded();
    let no_create = forbidden("create", "nocreate/b", "nocreate");
    let no_update = forbidden("update", "noupdate/a", "noupdate");
    let no_delete = forbidden("delete", "nodelete/a", "nodelete");
    let kept = |path: &str| {
        format!(
            "Cannot delete category '{path}': it holds 1 memory that may not be removed \
             (`permissions.delete` in config.yaml)."
        )
    };
    let (sub, deep) = (kept("nodelete/sub"), kept("nodelete/sub/deep"));
    let code = "EN-MEMORY-D-001";
    let all = |path: &str| json!({ "path": path, "recursive": true });
    refused(
        &stage,
        &[
            ("create_memory", note("nocreate/b", "x"), ["D", code, &no_create]),
            ("move_memory", moved("free/a", "nocreate/b"), ["D", code, &no_create]),
            ("update_memory", note("noupdate/a", "x"), ["D", code, &no_update]),
            ("move_memory", moved("noupdate/a", "noupdate/b"), ["D", code, &no_update]),
            ("remove_memory", json!({ "path": "nodelete/a" }), ["D", code, &no_delete]),
            ("move_memory", moved("nodelete/a", "free/b"), ["D", code, &no_delete]),
            ("move_memory", moved("nodelete/a", "b"), ["D", code, &no_delete]),
            ("delete_category", all("nodelete/sub"), ["D", "EN-CATEGORY-D-006", &sub]),
            ("delete_category", all("nodelete/sub/deep"), ["D", "EN-CATEGORY-D-006", &deep]),
        ],
    );
}

#[test]
fn the_commands_for_items_ask_for_permission_too() {
    let stage = guarded();
    let before = disk(&stage);
    for words in [
        &["new", "memory", "nocreate/b"][..],
        &["move", "memory", "free/a", "nocreate"],
        &["rename", "memory", "noupdate/a", "b"],
        &["move", "memory", "nodelete/a", "free"],
        &["delete", "memory", "nodelete/a", "--yes"],
    ] {
        assert_eq!(stage.person(words).status.code(), Some(3), "{words:?}");
    }
    assert_eq!(disk(&stage), before);
}

#[test]
fn what_is_not_forbidden_may_be_done() {
    let stage = guarded();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for (tool, arguments) in [
        ("update_memory", note("nocreate/a", "x")),
        ("move_memory", moved("nocreate/a", "nocreate/b")),
        ("move_memory", moved("nocreate/b", "noupdate/b")),
        ("remove_memory", json!({ "path": "noupdate/b" })),
        ("update_memory", note("nodelete/a", "x")),
        ("move_memory", moved("nodelete/a", "nodelete/c")),
        ("create_memory", note("nodelete/b", "x")),
        ("create_category", json!({ "path": "nodelete/empty" })),
        ("delete_category", json!({ "path": "nodelete/empty" })),
    ] {
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["reply_type"], "S", "{tool} {arguments}: {reply}");
    }
    // Pruning asks, too.
    for path in ["nodelete/over", "nodelete/sub/over", "free/over"] {
        stage.file(&file(path), "---\nexpires_at: 2020-01-01T00:00:00Z\n---\n");
    }
    let pruned = person(&stage, &["memory", "prune", "--yes"]);
    assert_eq!(pruned["data"]["memories"], json!(["free/over"]));
    let hint = "2 are kept, because `permissions.delete` of the category forbids deletion.";
    assert_eq!(pruned["hint"], hint);
    let is_there = |path| stage.path(&file(path)).exists();
    assert!(is_there("nodelete/over") && is_there("nodelete/sub/over") && !is_there("free/over"));
}

#[test]
fn a_schema_tells_what_does_not_fit_and_is_inherited() {
    let stage = store(
        "",
        "formed: {policies: {schema: {required: [source], properties: {source: {enum: [a, b]}, \
         tags: {minItems: 1}}}}, subcategories: {sub: {}, open: {policies: {schema: {}}}}}",
    );
    stage.file(&file("plain"), "Plain.\n");
    let check = |tool: &str, arguments: &Value, (path, category): (&str, &str), problems: Value| {
        let before = disk(&stage);
        let message = format!(
            "Cannot write memory at '{path}': its frontmatter does not fit the schema of category \
             '{category}'."
        );
        for surface in Surface::ALL {
            let reply = surface.ask(&stage, tool, arguments);
            assert_eq!(outcome(&reply), ["I", "IT-MEMORY-I-006", &message], "{surface:?}");
            assert_eq!(reply["data"], json!({ "problems": problems }), "{surface:?}");
        }
        assert_eq!(disk(&stage), before);
    };
    let missing = json!([{ "at": "", "what": "`source` is missing" }]);
    let wrong = json!([{ "at": "/source", "what": "must be one of `a`, `b`" }]);
    let few = json!([{ "at": "/tags", "what": "must have at least 1 item" }]);
    check("create_memory", &note("formed/a", "x"), ("formed/a", "formed"), missing.clone());
    let other = json!({ "path": "formed/a", "content": "x", "source": "c" });
    check("create_memory", &other, ("formed/a", "formed"), wrong);
    check("move_memory", &moved("plain", "formed/a"), ("formed/a", "formed"), missing.clone());
    let below = note("formed/sub/a", "x");
    check("create_memory", &below, ("formed/sub/a", "formed/sub"), missing);
    let right = json!({ "path": "formed/a", "content": "x", "source": "a", "tags": ["t"] });
    Surface::Call.done(&stage, "create_memory", &right);
    let fewer = json!({ "path": "formed/a", "tags": [] });
    check("update_memory", &fewer, ("formed/a", "formed"), few);
    Surface::Call.done(&stage, "create_memory", &note("formed/open/a", "x"));
}

#[test]
fn a_child_says_more_than_its_parent_and_the_store_least() {
    let stage = store(
        "    policies: {defaultTtl: 100, maxContentLength: 20, permissions: {delete: false}}\n",
        "a: {policies: {defaultTtl: 10, permissions: {create: false}}, subcategories: {\
           b: {policies: {maxContentLength: 5}, subcategories: {\
             c: {policies: {defaultTtl: 50, permissions: {create: true, delete: true}}}}}}}, \
         other: {}",
    );
    stage.folder(&format!("{STORE}/a/b/c/legacy"));
    stage.folder(&format!("{STORE}/legacy"));
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut create =
        |path: &str, bytes: usize| mcp.call("create_memory", &note(path, &"x".repeat(bytes)));
    // Without a category, in one that says nothing, and in one that no config names: the store.
    for path in ["alone", "other/a", "legacy/a"] {
        is_days_from_now(&create(path, 20)["data"], 100);
        let reply = create(&format!("{path}2"), 21);
        assert_eq!(reply["code"], "EN-MEMORY-D-002", "{path}");
    }
    let reply = create("alone2", 21);
    let message = "Cannot write memory at 'alone2': its content has 21 bytes and the store allows \
                   20 (`maxContentLength` in config.yaml).";
    assert_eq!(outcome(&reply)[2], message);
    for path in ["a/x", "a/b/x"] {
        let category = path.strip_suffix("/x").expect("a category");
        assert_eq!(outcome(&create(path, 1))[2], forbidden("create", path, category));
    }
    for path in ["a/b/c/x", "a/b/c/legacy/x"] {
        is_days_from_now(&create(path, 5)["data"], 50);
        assert_eq!(create(&format!("{path}2"), 6)["code"], "EN-MEMORY-D-002", "{path}");
    }
    for (path, code) in [
        ("alone", "EN-MEMORY-D-001"),
        ("other/a", "EN-MEMORY-D-001"),
        ("a/b/c/legacy/x", "IT-MEMORY-S-005"),
        ("a/b/c/x", "IT-MEMORY-S-005"),
    ] {
        assert_eq!(mcp.call("remove_memory", &json!({ "path": path }))["code"], code, "{path}");
    }
    let message = "Cannot delete memory at 'alone': the store does not permit it \
                   (`permissions.delete` in config.yaml).";
    let reply = mcp.call("remove_memory", &json!({ "path": "alone" }));
    assert_eq!(outcome(&reply)[2], message);
}
