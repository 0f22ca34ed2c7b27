//! What is seen of memories: not the expired, not the sensitive, no secret and no real path; and
//! what cannot be read is told with its place.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{person, token};
use crate::support::store_fixture::{CONFIG, STORE, Surface, disk, in_seconds, outcome, text};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file(CONFIG, "stores: {cortex: {path: ./memory}}\n");
    stage.file(&format!("{STORE}/t/.category.yaml"), "description: \"Tests\"\n");
    stage
}

fn file(path: &str) -> String {
    format!("{STORE}/{path}.md")
}

/// The paths that are listed, and the count that is told.
fn listed(reply: &Value) -> (Vec<&str>, u64) {
    let data = &reply["data"];
    let memories = data["memories"].as_array().unwrap_or_else(|| panic!("no list: {reply}"));
    let paths = memories.iter().map(|memory| memory["path"].as_str().expect("a path"));
    (paths.collect(), data["count"].as_u64().expect("a count"))
}

#[test]
fn what_has_expired_is_hidden_and_stays() {
    let stage = stage();
    stage.file(&file("t/over"), "---\nexpires_at: 2020-01-01T00:00:00+01:00\n---\n# Over\n");
    stage.file(&file("t/later"), "---\nexpires_at: 2999-01-01T00:00:00Z\n---\n# Later\n");
    stage.file(&file("t/never"), "# Never\n");
    let before = disk(&stage);
    for surface in Surface::ALL {
        let reply = surface.ask(&stage, "list_memories", &json!({}));
        assert_eq!(listed(&reply), (vec!["t/later", "t/never"], 2), "{surface:?}");
        assert_eq!(reply["data"]["subcategories"][0]["memory_count"], 2, "{surface:?}");
        assert_eq!(reply["data"]["memories"][0]["expires_at"], "2999-01-01T00:00:00Z");
        let reply = surface.ask(&stage, "list_memories", &json!({ "include_expired": true }));
        assert_eq!(listed(&reply), (vec!["t/later", "t/never", "t/over"], 3), "{surface:?}");
        assert_eq!(reply["data"]["subcategories"][0]["memory_count"], 3, "{surface:?}");
        let reply = surface.ask(&stage, "get_memory", &json!({ "path": "t/over" }));
        let message = "The memory at 't/over' expired at 2019-12-31T23:00:00Z.";
        assert_eq!(outcome(&reply), ["I", "IT-MEMORY-I-002", message], "{surface:?}");
        assert!(!reply["data"].to_string().contains("Over"), "{reply}");
        let all = json!({ "path": "t/over", "include_expired": true });
        let reply = surface.ask(&stage, "get_memory", &all);
        let fields = (&reply["data"]["content"], &reply["data"]["expires_at"]);
        assert_eq!(fields, (&json!("# Over\n"), &json!("2019-12-31T23:00:00Z")), "{surface:?}");
    }
    assert_eq!(disk(&stage), before, "nothing is deleted");
    let taken = json!({ "path": "t/over", "content": "x" });
    assert_eq!(Surface::Call.ask(&stage, "create_memory", &taken)["code"], "IT-MEMORY-I-003");
    let revived = json!({ "path": "t/over", "expires_at": null });
    let updated = Surface::Call.done(&stage, "update_memory", &revived);
    assert_eq!(updated.get("expires_at"), None);
    let got = Surface::Call.done(&stage, "get_memory", &json!({ "path": "t/over" }));
    assert_eq!(got["content"], "# Over\n");
}

#[test]
fn the_moment_of_expiry_is_seen_by_a_running_server() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let at = in_seconds(3);
    let create = json!({ "path": "t/soon", "content": "Soon.\n", "expires_at": at.to_string() });
    assert_eq!(mcp.call("create_memory", &create)["data"]["expires_at"], at.to_string());
    assert_eq!(listed(&mcp.call("list_memories", &json!({}))).1, 1);
    assert_eq!(mcp.call("get_memory", &json!({ "path": "t/soon" }))["reply_type"], "S");
    while in_seconds(0) < at {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(mcp.call("get_memory", &json!({ "path": "t/soon" }))["code"], "IT-MEMORY-I-002");
    assert_eq!(listed(&mcp.call("list_memories", &json!({}))).1, 0);
    assert!(stage.path(&file("t/soon")).is_file());
}

#[test]
fn prune_deletes_what_has_expired_and_nothing_else() {
    let stage = stage();
    let over = "---\nexpires_at: 2020-01-01T00:00:00Z\n---\nOver.\n";
    for path in ["over", "t/over", "t/deep/over"] {
        stage.file(&file(path), over);
    }
    stage.file(&file("later"), &over.replace("2020", "2999"));
    stage.file(&file("never"), "Never.\n");
    stage.file(&file("broken"), &over.replace("Z\n", "\n"));
    let before = disk(&stage);
    let paths = json!(["over", "t/deep/over", "t/over"]);
    let dry = person(&stage, &["memory", "prune", "--dry-run"]);
    let message = "3 memories have expired.";
    assert_eq!(outcome(&dry), ["S", "IT-MEMORY-S-007", message]);
    let fields = (&dry["data"]["count"], &dry["data"]["memories"], &dry["data"]["dry_run"]);
    assert_eq!(fields, (&json!(3), &paths, &json!(true)));
    let unconfirmed = stage.person(&["memory", "prune"]);
    assert_eq!(unconfirmed.status.code(), Some(1), "nobody can be asked");
    assert_eq!(disk(&stage), before);
    let gone = person(&stage, &["memory", "prune", "--yes"]);
    assert_eq!(outcome(&gone), ["S", "IT-MEMORY-S-007", "3 expired memories were deleted."]);
    assert_eq!(gone["data"]["memories"], paths);
    let mut left = before;
    left.retain(|path, _| !path.ends_with("over.md"));
    assert_eq!(disk(&stage), left);
    let again = person(&stage, &["memory", "prune", "--yes"]);
    assert_eq!(
        (&again["data"]["count"], outcome(&again)[2]),
        (&json!(0), "No memory has expired.")
    );
}

#[test]
fn a_broken_memory_is_listed_and_told_with_line_and_fix() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for (was, line, column, what, hint) in [
        (
            "---\na: 1\ntags: [x\n---\nBody.\n",
            3,
            7,
            "the frontmatter is not one plain YAML mapping",
            "Write each key once with even indentation, and use no anchors, aliases, merge keys or \
             tags.",
        ),
        (
            "---\ntags: [x]\nBody.\n",
            1,
            1,
            "the frontmatter is not closed",
            "Begin the file with `---`, the keys, and `---`, each on a line of its own.",
        ),
        (
            "---\nexpires_at: tomorrow\n---\nBody.\n",
            2,
            1,
            "the value is not an RFC 3339 timestamp",
            "Write a time with its zone, such as `2026-01-24T09:30:00Z`.",
        ),
        (
            "---\nk: 1\ntags: 3\n---\n",
            3,
            1,
            "the value is not a list of strings",
            "Write `[a, b]`.",
        ),
        ("a\nb\0\n", 2, 2, "there is a NUL byte", "Take it out."),
    ] {
        stage.file(&file("t/broken"), was);
        let row =
            mcp.call("list_memories", &json!({ "category": "t" }))["data"]["memories"][0].clone();
        let fields =
            ["path", "title", "tags", "fault", "token_estimate"].map(|key| row[key].clone());
        let estimate = was.len().div_ceil(4);
        let expected =
            [json!("t/broken"), json!("broken"), json!([]), json!(true), json!(estimate)];
        assert_eq!(fields, expected, "{was:?}");
        let address = "ROOT_PROJECT:/.ai/memory/t/broken.md";
        let message = format!("{address} is not valid at line {line}, column {column}: {what}.");
        for (tool, arguments) in [
            ("get_memory", json!({ "path": "t/broken" })),
            ("update_memory", json!({ "path": "t/broken", "content": "x" })),
            ("move_memory", json!({ "from": "t/broken", "to": "t/other" })),
        ] {
            let reply = mcp.call(tool, &arguments);
            assert_eq!(outcome(&reply), ["I", "IT-ITEM-I-004", &message], "{tool} {was:?}");
            assert_eq!(reply["hint"], hint, "{tool} {was:?}");
            let data = json!({ "address": address, "line": line, "column": column });
            assert_eq!(reply["data"], data, "{tool} {was:?}");
        }
        assert_eq!(text(&stage, &file("t/broken")), was, "it is left alone");
    }
    let reply = mcp.call("remove_memory", &json!({ "path": "t/broken" }));
    assert_eq!(reply["reply_type"], "S", "it can be removed: {reply}");
}

#[test]
fn a_note_without_times_was_changed_when_its_file_was() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let path = stage.file(&file("t/note"), "A note.\n");
    let then = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000);
    let opened = std::fs::File::options().write(true).open(&path).expect("a file");
    opened.set_modified(then).expect("a time");
    let got = mcp.call("get_memory", &json!({ "path": "t/note" }))["data"].clone();
    assert_eq!(got["updated_at"], "2023-11-14T22:13:20Z");
    assert_eq!((&got["created_at"], &got["content"]), (&Value::Null, &json!("A note.\n")));
    let listed = mcp.call("list_memories", &json!({}));
    assert_eq!(listed["data"]["memories"][0]["updated_at"], "2023-11-14T22:13:20Z");
}

#[test]
fn reindex_reads_everything_and_names_what_is_wrong() {
    let stage = stage();
    stage.file(&file("t/right"), "# Right\n");
    let reply = person(&stage, &["store", "reindex"]);
    assert_eq!(
        outcome(&reply),
        ["S", "IT-STORE-S-004", "1 memory was read; no problems were found."]
    );
    stage.file(&file("t/broken"), "---\ntags: 3\n---\n");
    stage.file(&format!("{STORE}/t/Not A Slug.md"), "# No\n");
    stage.link("right.md", &format!("{STORE}/t/link.md"));
    let before = disk(&stage);
    let reply = person(&stage, &["store", "reindex"]);
    let message = "2 memories were read, and some have problems.";
    assert_eq!(outcome(&reply), ["E", "IT-STORE-E-004", message]);
    let faults = json!([
        { "path": "t/broken", "problem": "line 2, column 1: the value is not a list of strings" },
        { "path": "t/Not A Slug.md", "problem": "its name is not a valid slug" },
        { "path": "t/link.md", "problem": "links are not followed" },
    ]);
    assert_eq!(reply["data"]["faults"], faults);
    assert_eq!((&reply["data"]["memories"], &reply["data"]["categories"]), (&json!(2), &json!(1)));
    assert_eq!(disk(&stage), before);
}

#[test]
fn a_sensitive_name_is_not_there() {
    let stage = stage();
    stage.file(&file("id_rsa-notes"), "# Hidden\n");
    stage.file(&file("t/id_ed25519"), "# Hidden\n");
    stage.file(&file("id_rsa/inner"), "# Hidden\n");
    stage.file(&file("t/shown"), "# Shown\n");
    let before = disk(&stage);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let reply = mcp.call("list_memories", &json!({}));
    assert_eq!(listed(&reply).0, ["t/shown"]);
    assert!(!reply.to_string().contains("id_"), "{reply}");
    for path in ["id_rsa-notes", "t/id_ed25519", "id_rsa/inner"] {
        for (tool, arguments) in [
            ("get_memory", json!({ "path": path })),
            ("update_memory", json!({ "path": path, "content": "x" })),
            ("remove_memory", json!({ "path": path })),
            ("move_memory", json!({ "from": path, "to": "t/other" })),
            ("move_memory", json!({ "from": "t/shown", "to": path })),
            ("create_memory", json!({ "path": path, "content": "x" })),
        ] {
            let arrives = tool == "create_memory" || arguments["to"] == path;
            let code = if arrives { "IT-CHANGE-I-004" } else { "IT-MEMORY-I-001" };
            assert_eq!(mcp.call(tool, &arguments)["code"], code, "{tool} {path}");
        }
        let load = json!({ "item_type": "memory", "item_id": path });
        assert_eq!(mcp.call("load", &load)["code"], "IT-ITEM-I-001", "{path}");
    }
    for tool in ["create_category", "delete_category", "list_memories"] {
        let arguments = match tool {
            "list_memories" => json!({ "category": "id_rsa" }),
            _ => json!({ "path": "id_rsa" }),
        };
        assert_eq!(mcp.call(tool, &arguments)["code"], "IT-CHANGE-I-004", "{tool}");
    }
    assert_eq!(disk(&stage), before);
}

#[test]
fn real_paths_are_told_as_addresses_and_kept_as_they_were() {
    let stage = stage();
    let path = |below: &str| stage.path(below).to_str().expect("UTF-8").to_owned();
    let (own, mine) = (path("project/src/a.rs"), path("home/.ai/x"));
    let content = format!("# About {own}\n\nSee {own} and {mine}.\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let create = json!({
        "path": "t/paths", "content": content, "tags": [own], "citations": [mine], "source": own
    });
    let created = mcp.call("create_memory", &create)["data"].clone();
    assert_eq!(created["title"], "About ROOT_PROJECT:/src/a.rs");
    let got = mcp.call("get_memory", &json!({ "path": "t/paths" }))["data"].clone();
    let seen = "# About ROOT_PROJECT:/src/a.rs\n\nSee ROOT_PROJECT:/src/a.rs and ROOT_USER:/x.\n";
    assert_eq!(got["content"], seen);
    assert_eq!(got["tags"], json!(["ROOT_PROJECT:/src/a.rs"]));
    assert_eq!(
        (&got["citations"], &got["source"]),
        (&json!(["ROOT_USER:/x"]), &json!("ROOT_PROJECT:/src/a.rs"))
    );
    let row = mcp.call("list_memories", &json!({}))["data"]["memories"][0].clone();
    assert_eq!(row["title"], "About ROOT_PROJECT:/src/a.rs");
    // Whoever changes what they saw changes what is there.
    let update = json!({ "path": "t/paths", "content": format!("{seen}More.\n") });
    assert_eq!(mcp.call("update_memory", &update)["reply_type"], "S");
    let kept = text(&stage, &file("t/paths"));
    assert!(kept.ends_with(&format!("---\n{content}More.\n")), "{kept}");
    let before = disk(&stage);
    let changed = seen.replace("ROOT_USER:/x", "ROOT_USER:/y");
    let update = json!({ "path": "t/paths", "content": changed });
    assert_eq!(mcp.call("update_memory", &update)["code"], "IT-CHANGE-I-005");
    assert_eq!(disk(&stage), before);
}

#[test]
fn secrets_are_masked_and_kept() {
    let stage = stage();
    let secret = token('6');
    let content = format!("# Key {secret}\n\nUse {secret} here.\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let create = json!({
        "path": "t/key", "content": content, "tags": [secret], "citations": [secret],
        "source": secret
    });
    let replies = [
        mcp.call("create_memory", &create),
        mcp.call("get_memory", &json!({ "path": "t/key" })),
        mcp.call("list_memories", &json!({})),
    ];
    for reply in &replies {
        assert!(!reply.to_string().contains(&secret), "{reply}");
    }
    let got = &replies[1]["data"];
    assert_eq!(got["content"], "# Key [masked]\n\nUse [masked] here.\n");
    assert_eq!((&got["tags"], &got["masked"]), (&json!(["[masked]"]), &json!(5)));
    assert_eq!(replies[2]["data"]["memories"][0]["title"], "Key [masked]");
    let before = disk(&stage);
    for touched in ["[masked][masked]\n", "# Key [masked]\n\nUse [masked] there.\n"] {
        let update = json!({ "path": "t/key", "content": touched });
        assert_eq!(mcp.call("update_memory", &update)["code"], "IT-CHANGE-I-005", "{touched}");
    }
    assert_eq!(disk(&stage), before);
    let seen = "# Key [masked]\n\nUse [masked] here.\nOn Mondays.\n";
    let update = json!({ "path": "t/key", "content": seen });
    assert_eq!(mcp.call("update_memory", &update)["code"], "IT-MEMORY-S-003");
    assert!(text(&stage, &file("t/key")).ends_with(&format!("{content}On Mondays.\n")));
}
