//! Which item a name means, and what `load` tells of it: the same over MCP and from the keyboard.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::samples::{Pair, directive, lockfile, note, person, skill, tool};

/// The values at `key` in a list of objects.
fn each<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    let list = list.as_array().unwrap_or_else(|| panic!("no list in {list}"));
    list.iter().map(|one| one[key].as_str().expect("a text")).collect()
}

#[test]
fn an_item_is_told_whole() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/data/clean.yaml", &tool("clean"));
    stage.file("project/.ai/tools/data/clean.py", "print()\n");
    stage.file("project/.ai/tools/data/cleaner.py", "not its own\n");
    let reply = Pair::new(&stage).load("tool", "clean");
    let data = &reply["data"];
    assert_eq!(reply["code"], "IT-LOAD-S-001");
    assert_eq!(
        reply["message"],
        "The tool `data/clean` 1.0.0 is ROOT_PROJECT:/.ai/tools/data/clean.yaml."
    );
    for (key, expected) in [
        ("item_type", json!("tool")),
        ("id", json!("clean")),
        ("version", json!("1.0.0")),
        ("category", json!("data")),
        ("scope", json!("project")),
        ("address", json!("ROOT_PROJECT:/.ai/tools/data/clean.yaml")),
        ("content", json!(tool("clean"))),
        ("trust", json!({ "status": "unsigned" })),
    ] {
        assert_eq!(data[key], expected, "{key}");
    }
    assert_eq!(data["metadata"]["executor_id"], "subprocess");
    assert_eq!(each(&data["files"], "path"), ["clean.yaml", "clean.py"]);
    assert_eq!(data["files"][1]["size"], 8);
    let digest = mere_core::digest::Sha256::digest(b"print()\n").to_string();
    assert_eq!(data["files"][1]["sha256"], digest);
    assert_eq!(data["integrity"].as_str().map(str::len), Some(64));
    for absent in ["shadows", "masked", "redacted", "validation_warnings", "copied_to"] {
        assert!(data.get(absent).is_none(), "{absent}");
    }
}

#[test]
fn the_project_wins_over_the_user_and_says_what_it_hides() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/api/style.md", &note("style", "ours"));
    stage.file("home/.ai/knowledge/api/style.md", &note("style", "mine"));
    stage.file("home/.ai/knowledge/other/style.md", &note("style", "another"));
    stage.file("home/.ai/knowledge/alone.md", &note("alone", "mine"));
    let mut pair = Pair::new(&stage);
    let mut check = |arguments: Value, scope: &str, shadows: &[&str]| {
        let reply = pair.ask("load", &arguments);
        assert_eq!(reply["data"]["scope"], scope, "{reply}");
        let shadows = if shadows.is_empty() { Value::Null } else { json!(shadows) };
        assert_eq!(reply["data"]["shadows"], shadows, "{arguments}");
    };
    let ask = |id: &str| json!({ "item_type": "knowledge", "item_id": id });
    let from = |id: &str, source: &str| json!({ "item_type": "knowledge", "item_id": id, "source": source });
    let (same, other) =
        ("ROOT_USER:/knowledge/api/style.md", "ROOT_USER:/knowledge/other/style.md");
    check(ask("api/style"), "project", &[same]);
    check(ask("style"), "project", &[same, other]);
    check(from("style", "all"), "project", &[same, other]);
    check(from("style", "project"), "project", &[]);
    check(from("api/style", "user"), "user", &[]);
    check(ask("other/style"), "user", &[]);
    check(ask("alone"), "user", &[]);
    let missing = pair.ask("load", &from("alone", "project"));
    assert_eq!(missing["code"], "IT-ITEM-I-001");
    assert_eq!(missing["message"], "There is no knowledge entry `alone` in the project space.");
}

#[test]
fn a_bare_id_means_one_item_of_the_scope_that_wins() {
    let stage = Stage::new();
    for category in ["", "api/", "web/deep/"] {
        stage.file(&format!("home/.ai/knowledge/{category}style.md"), &note("style", category));
    }
    let mut pair = Pair::new(&stage);
    let reply = pair.load("knowledge", "style");
    assert_eq!((&reply["code"], &reply["reply_type"]), (&"IT-ITEM-I-002".into(), &"I".into()));
    let addresses = each(&reply["data"]["candidates"], "address");
    assert_eq!(
        addresses,
        [
            "ROOT_USER:/knowledge/style.md",
            "ROOT_USER:/knowledge/api/style.md",
            "ROOT_USER:/knowledge/web/deep/style.md"
        ]
    );
    for (id, category) in [("/style", ""), ("api/style", "api"), ("web/deep/style", "web/deep")] {
        assert_eq!(pair.load("knowledge", id)["data"]["category"], category, "{id}");
    }
    for id in ["web/style", "other/style"] {
        assert_eq!(pair.load("knowledge", id)["code"], "IT-ITEM-I-001", "{id}");
    }
    // One in the project ends the doubt.
    stage.file("project/.ai/knowledge/new/style.md", &note("style", "ours"));
    let reply = pair.load("knowledge", "style");
    assert_eq!(reply["data"]["category"], "new");
    assert_eq!(reply["data"]["shadows"].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_lies_there_twice_counts_for_nothing() {
    for (kind, one, text, other, more) in [
        ("tool", "tools/a/x.yaml", tool("x"), "tools/a/x/manifest.yaml", tool("x")),
        ("directive", "directives/a/x.md", directive("x"), "directives/a/x/SKILL.md", skill("x")),
    ] {
        let stage = Stage::new();
        stage.file(&format!("project/.ai/{one}"), &text);
        stage.file(&format!("home/.ai/{one}"), &text);
        let mut pair = Pair::new(&stage);
        assert_eq!(pair.load(kind, "x")["data"]["scope"], "project");
        stage.file(&format!("project/.ai/{other}"), &more);
        for id in ["x", "a/x"] {
            let reply = pair.load(kind, id);
            assert_eq!(reply["code"], "IT-ITEM-I-003", "{reply}");
            let mut addresses = each(&reply["data"]["candidates"], "address");
            addresses.sort_unstable();
            let mut both = [one, other].map(|path| format!("ROOT_PROJECT:/.ai/{path}"));
            both.sort_unstable();
            assert_eq!(addresses, both, "{id}");
        }
        // One of them in another category is another item.
        std::fs::remove_file(stage.path(&format!("project/.ai/{one}"))).expect("gone");
        stage.file(&format!("project/.ai/{}", one.replace("/a/", "/b/")), &text);
        assert_eq!(pair.load(kind, "x")["code"], "IT-ITEM-I-002", "{kind}");
    }
}

#[test]
fn a_broken_item_of_the_project_is_told_and_the_users_is_not_taken() {
    let stage = Stage::new();
    stage.file("home/.ai/knowledge/a/x.md", &note("x", "mine, and well"));
    stage.file("project/.ai/knowledge/a/x.md", "---\nid: x\ntitle: [\n---\n");
    let mut pair = Pair::new(&stage);
    for id in ["x", "a/x"] {
        for tool in ["load", "execute"] {
            let reply = pair.ask(tool, &json!({ "item_type": "knowledge", "item_id": id }));
            assert_eq!(reply["code"], "IT-ITEM-I-004", "{reply}");
            assert_eq!(reply["data"]["address"], "ROOT_PROJECT:/.ai/knowledge/a/x.md");
            assert!(reply["data"]["line"].is_u64() && reply["data"]["column"].is_u64());
            assert!(!reply.to_string().contains("mine, and well"), "{reply}");
        }
    }
    let why = person(&stage, &["why", "knowledge", "x"]);
    assert_eq!(why["data"]["winner"], "ROOT_PROJECT:/.ai/knowledge/a/x.md");
    assert!(why["data"]["candidates"][0]["fault"].is_string(), "{why}");
    let listed = person(&stage, &["list", "knowledge"]);
    let faults = listed["data"]["items"].as_array().expect("items").iter();
    let faults = faults.map(|one| (one["scope"].as_str(), one["fault"].is_string()));
    assert_eq!(faults.collect::<Vec<_>>(), [(Some("project"), true), (Some("user"), false)]);
}

#[test]
fn a_version_that_is_not_there_is_not_given() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/deploy.md", &directive("deploy"));
    stage.file("project/.ai/memory/plain.md", "just a thought\n");
    let mut pair = Pair::new(&stage);
    let ask = |kind: &str, id: &str, version: &str| json!({ "item_type": kind, "item_id": id, "version": version });
    let mut check = |arguments: Value, code: &str| {
        let reply = pair.ask("load", &arguments);
        assert_eq!(reply["code"], code, "{reply}");
        reply
    };
    check(ask("directive", "deploy", "1.2.0"), "IT-LOAD-S-001");
    let other = check(ask("directive", "deploy", "1.2.1"), "IT-ITEM-I-005");
    assert_eq!(other["message"], "ROOT_PROJECT:/.ai/directives/deploy.md has version 1.2.0.");
    check(ask("memory", "plain", "1.0.0"), "IT-ITEM-I-005");
    for version in ["latest", "1.2", "v1.2.0", "^1.2.0", ""] {
        check(ask("directive", "deploy", version), "MCP-ARG-I-001");
    }
    let registry = json!({ "item_type": "directive", "item_id": "deploy", "source": "registry" });
    check(registry, "IT-ITEM-I-006");
    let copy = json!({ "item_type": "directive", "item_id": "deploy", "destination": "user" });
    check(copy, "EN-ITEM-D-001");
    assert!(!stage.path("home/.ai").exists(), "nothing was copied");
}

#[test]
fn what_is_no_id_names_nothing() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/a.md", &note("a", ""));
    stage.file("project/secret.md", &note("secret", "hush-hush"));
    let mut pair = Pair::new(&stage);
    for id in [
        "",
        "/",
        "A",
        "../secret",
        "a/../a",
        "./a",
        "a.md",
        "/a/",
        "//a",
        "a b",
        "a\0",
        "..",
        "manifest",
        "nul",
        "ROOT_PROJECT:/.ai/knowledge/a.md",
        "/etc/passwd/",
        "a@1",
        "é",
        "a/b/c/d/e/f/g/h/i/j",
    ] {
        let reply = pair.load("knowledge", id);
        assert_eq!(reply["code"], "MCP-ARG-I-001", "{id:?} {reply}");
        assert!(!reply.to_string().contains("hush-hush"), "{reply}");
    }
    for item in [
        json!({ "item_type": "note", "item_id": "/nope" }),
        json!({ "item_type": "skill", "item_id": "/nope" }),
    ] {
        assert_eq!(pair.ask("load", &item)["code"], "IT-ITEM-I-001", "{item}");
    }
    let long = "x".repeat(64);
    assert_eq!(pair.load("knowledge", &long)["code"], "IT-ITEM-I-001");
    assert_eq!(pair.load("knowledge", &(long + "x"))["code"], "MCP-ARG-I-001");
    for arguments in [
        json!({ "item_id": "a" }),
        json!({ "item_type": "script", "item_id": "a" }),
        json!({ "item_type": "knowledge" }),
        json!({ "item_type": "knowledge", "item_id": 5 }),
        json!({ "item_type": "knowledge", "item_id": "a", "source": "elsewhere" }),
        json!({ "item_type": "knowledge", "item_id": "a", "more": 1 }),
    ] {
        assert_eq!(pair.ask("load", &arguments)["code"], "MCP-ARG-I-001", "{arguments}");
    }
}

#[test]
fn memories_and_lockfiles_are_loaded_too() {
    let stage = Stage::new();
    stage.file("project/.ai/memory/plain.md", "# A thought\n\nKeep it.\n");
    stage.file("home/.ai/memory/team/plain.md", "---\ntags: [x]\nmood: good\n---\nMine.\n");
    for version in ["1.0.0", "1.1.0-rc.1"] {
        let path = format!("project/.ai/lockfiles/data/clean@{version}.lock.json");
        stage.file(&path, &lockfile("clean", version, "data"));
    }
    let mut pair = Pair::new(&stage);
    let memory = pair.load("memory", "plain");
    assert_eq!(memory["data"]["content"], "# A thought\n\nKeep it.\n");
    assert_eq!(
        (&memory["data"]["version"], &memory["data"]["integrity"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(memory["data"]["shadows"], json!(["ROOT_USER:/memory/team/plain.md"]));
    let memory = pair.load("memory", "team/plain");
    assert_eq!(memory["data"]["metadata"], json!({ "tags": ["x"], "mood": "good" }));
    let reply = pair.load("lockfile", "clean");
    assert_eq!(reply["code"], "IT-ITEM-I-002");
    let ids = each(&reply["data"]["candidates"], "id");
    assert_eq!(ids, ["data/clean@1.0.0", "data/clean@1.1.0-rc.1"]);
    for id in ["clean@1.1.0-rc.1", "data/clean@1.1.0-rc.1"] {
        let data = pair.load("lockfile", id)["data"].clone();
        assert_eq!(
            (&data["version"], &data["metadata"]["lockfile_version"]),
            (&"1.1.0-rc.1".into(), &1.into())
        );
        assert_eq!(data["integrity"].as_str().map(str::len), Some(64));
    }
    assert_eq!(pair.load("lockfile", "clean@2.0.0")["code"], "IT-ITEM-I-001");
}

#[test]
fn what_lies_in_the_folder_of_a_tool_is_the_tools() {
    let stage = Stage::new();
    for (path, text) in [
        ("outer/manifest.yaml", tool("outer")),
        ("outer/inner/manifest.yaml", tool("inner")),
        ("outer/inner/run.py", String::new()),
        ("outer/flat.yaml", tool("flat")),
        ("outer/.hidden/x", String::new()),
    ] {
        stage.file(&format!("project/.ai/tools/{path}"), &text);
    }
    stage.file("project/.ai/directives/s/SKILL.md", &skill("s"));
    stage.file("project/.ai/directives/s/deep/d.md", &directive("d"));
    let mut pair = Pair::new(&stage);
    let files = pair.load("tool", "outer")["data"]["files"].clone();
    let own = ["manifest.yaml", ".hidden/x", "flat.yaml", "inner/manifest.yaml", "inner/run.py"];
    assert_eq!(each(&files, "path"), own);
    for (kind, id) in [
        ("tool", "inner"),
        ("tool", "outer/inner"),
        ("tool", "flat"),
        ("tool", "outer/flat"),
        ("directive", "d"),
        ("directive", "s/deep/d"),
    ] {
        assert_eq!(pair.load(kind, id)["code"], "IT-ITEM-I-001", "{id}");
    }
    assert_eq!(each(&person(&stage, &["list"])["data"]["items"], "id"), ["s", "outer"]);
}

#[test]
fn keys_that_nobody_knows_are_kept() {
    let stage = Stage::new();
    let manifest = tool("api").replace("config: {command: [echo]}\n", "")
        + "config:\n  routes:\n    /users/{id}: read\n    /etc/hosts: [1, 2.5, null, true]\n\
           odd key: \"/var/log\"\n";
    stage.file("project/.ai/tools/api.yaml", &manifest);
    let text = "---\nid: n\ntitle: N\nentry_type: haiku\n/home/{user}: x\nnested: {a: {b: c}}\n---\nBody\n";
    stage.file("project/.ai/knowledge/n.md", text);
    let mut pair = Pair::new(&stage);
    let metadata = pair.load("tool", "api")["data"]["metadata"].clone();
    assert_eq!(metadata["config"]["routes"]["/users/{id}"], "read");
    assert_eq!(metadata["config"]["routes"]["/etc/hosts"], json!([1, 2.5, null, true]));
    assert_eq!(metadata["odd key"], "/var/log");
    let reply = pair.load("knowledge", "n");
    assert_eq!(reply["data"]["metadata"]["nested"], json!({ "a": { "b": "c" } }));
    assert_eq!(reply["data"]["metadata"]["/home/{user}"], "x");
    assert_eq!(
        reply["data"]["validation_warnings"],
        json!([
            "`entry_type` is none of pattern, learning, reference, concept, api_fact, experiment, template, workflow, decision, insight, procedure"
        ])
    );
}

#[test]
fn a_slip_of_the_pen_is_told_what_was_probably_meant() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/api/paging.md", &note("paging", ""));
    stage.file("project/.ai/knowledge/other.md", &note("other", ""));
    let mut pair = Pair::new(&stage);
    for (kind, id, similar) in [
        ("knowledge", "pagin", json!(["api/paging"])),
        ("knowledge", "pgaing", json!(["api/paging"])),
        ("knowledge", "nope/paging", json!(["api/paging"])),
        ("tool", "paging", json!(["knowledge api/paging"])),
        ("knowledge", "nothing-like-it", Value::Null),
    ] {
        let reply = pair.load(kind, id);
        assert_eq!(reply["code"], "IT-ITEM-I-001", "{reply}");
        assert_eq!(reply["data"]["similar"], similar, "{id}");
    }
}
