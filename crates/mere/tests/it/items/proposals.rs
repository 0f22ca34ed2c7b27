//! What agents make and change: at once or as a proposal, as the user's config says; and what a
//! person makes of proposals.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{directive, note, person, skill, tool};

/// Every file below a folder, by its path and what is in it.
pub(crate) fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_str().expect("UTF-8").to_owned();
        if path.is_symlink() || path.is_file() {
            found.insert(name, std::fs::read(&path).unwrap_or_default());
        } else if path.is_dir() {
            let below = tree(&path).into_iter();
            found.extend(below.map(|(path, bytes)| (format!("{name}/{path}"), bytes)));
        }
    }
    found
}

/// Everything on a stage but the workspaces, and the index, which says nothing by itself.
pub(crate) fn stage_files(stage: &Stage) -> BTreeMap<String, Vec<u8>> {
    let mut all = tree(&stage.path(""));
    let derived = |path: &str| path.contains("/workspaces/") || path.ends_with(".index.json");
    all.retain(|path, _| !derived(path) && !path.contains("/.cache/"));
    all
}

pub(crate) fn create(kind: &str, id: &str, content: &str) -> Value {
    json!({ "item_type": kind, "action": "create", "item_id": id, "content": content })
}

fn update(kind: &str, id: &str, content: &str) -> Value {
    json!({ "item_type": kind, "action": "update", "item_id": id, "content": content })
}

fn delete(kind: &str, id: &str) -> Value {
    json!({ "item_type": kind, "action": "delete", "item_id": id })
}

const DONE: &str = "IT-CHANGE-S-001";
const PROPOSED: &str = "IT-CHANGE-S-002";

/// Makes one of each, and says what became of them.
fn modes(stage: &Stage, id: &str) -> [String; 3] {
    let mut mcp = Mcp::greeted(stage, &["--agent", "a"]);
    let items = [("directive", directive(id)), ("tool", tool(id)), ("knowledge", note(id, ""))];
    items.map(|(kind, text)| {
        let reply = mcp.call("execute", &create(kind, id, &text));
        reply["code"].as_str().expect("a code").to_owned()
    })
}

#[test]
fn notes_are_written_and_what_others_follow_or_run_is_proposed() {
    let stage = Stage::new();
    assert_eq!(modes(&stage, "one"), [PROPOSED, PROPOSED, DONE]);
    stage.file(
        "home/.ai/config.yaml",
        "agents: {write: {directive: direct, tool: direct, knowledge: propose}}\n",
    );
    assert_eq!(modes(&stage, "two"), [DONE, DONE, PROPOSED]);
    for path in ["knowledge/one.md", "directives/two.md", "tools/two.yaml"] {
        assert!(stage.path("project/.ai").join(path).is_file(), "{path}");
    }
    for path in ["directives/one.md", "tools/one.yaml", "knowledge/two.md"] {
        assert!(!stage.path("project/.ai").join(path).exists(), "{path}");
    }
}

#[test]
fn a_repository_decides_nothing_before_a_person_trusts_it() {
    let stage = Stage::new();
    let config = "agents: {write: {directive: direct, tool: direct, knowledge: propose}}\n";
    stage.file("project/.ai/config.yaml", config);
    assert_eq!(modes(&stage, "one"), [PROPOSED, PROPOSED, DONE]);
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    assert_eq!(modes(&stage, "two"), [DONE, DONE, PROPOSED]);
    stage.file("project/.ai/config.yaml", &config.replace("propose", "direct"));
    assert_eq!(modes(&stage, "three"), [PROPOSED, PROPOSED, DONE], "what changes asks again");
    stage.file("home/.ai/config.yaml", "agents: {write: {knowledge: always}}\n");
    assert_eq!(modes(&stage, "four"), ["WA-CONFIG-E-001"; 3]);
}

#[test]
fn what_is_signed_is_never_written_over() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "agents: {write: {directive: direct, tool: direct}}\n");
    for (path, text) in [
        ("knowledge/n.md", note("n", "old")),
        ("directives/s/SKILL.md", skill("s")),
        ("tools/flat.yaml", tool("flat")),
        ("tools/kit/manifest.yaml", tool("kit")),
    ] {
        stage.file(&format!("project/.ai/{path}"), &text);
    }
    let sidecars =
        ["knowledge/n.md.sig", "directives/s/.sig", "tools/flat.yaml.sig", "tools/kit/.sig"];
    for sidecar in sidecars {
        stage.file(&format!("project/.ai/{sidecar}"), "{}");
    }
    let before = stage_files(&stage);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    for (kind, id, text) in [
        ("knowledge", "n", note("n", "new")),
        ("directive", "s", skill("s") + "more\n"),
        ("tool", "flat", tool("flat") + "x: 1\n"),
        ("tool", "kit", tool("kit") + "x: 1\n"),
    ] {
        for arguments in [update(kind, id, &text), delete(kind, id)] {
            let reply = mcp.call("execute", &arguments);
            assert_eq!(reply["code"], PROPOSED, "{arguments} {reply}");
        }
    }
    assert_eq!(stage_files(&stage), before);
    for sidecar in sidecars {
        std::fs::remove_file(stage.path("project/.ai").join(sidecar)).expect("gone");
    }
    assert_eq!(mcp.call("execute", &update("tool", "kit", &tool("kit")))["code"], DONE);
    assert_eq!(mcp.call("execute", &delete("knowledge", "n"))["code"], DONE);
}

#[test]
fn a_proposal_changes_nothing_else_until_a_person_accepts_it() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/old.yaml", &tool("old"));
    stage.file("project/.ai/tools/old.py", "print(1)\n");
    stage.file("home/.ai/directives/mine.md", &directive("mine"));
    let before = stage_files(&stage);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let mut kit = create("tool", "net/kit", &tool("kit"));
    kit["files"] = json!([{ "path": "lib/run.py", "content": "print(2)\n" }]);
    let mut change = update("tool", "old", &(tool("old") + "x: 1\n"));
    change["files"] = json!([{ "path": "old.py", "content": "print(3)\n" }]);
    for (arguments, address) in [
        (kit, "ROOT_PROJECT:/.ai/tools/net/kit/manifest.yaml"),
        (change, "ROOT_PROJECT:/.ai/tools/old.yaml"),
        (delete("directive", "mine"), "ROOT_USER:/directives/mine.md"),
        (create("directive", "new", &directive("new")), "ROOT_PROJECT:/.ai/directives/new.md"),
    ] {
        let reply = mcp.call("execute", &arguments);
        assert_eq!(
            (&reply["code"], &reply["data"]["address"]),
            (&PROPOSED.into(), &address.into())
        );
        let at = reply["data"]["proposal"].as_str().expect("where it lies");
        assert!(at.starts_with("ROOT_WORKSPACE:/proposals/"), "{at}");
    }
    assert_eq!(stage_files(&stage), before);
    let listed = person(&stage, &["review", "--list"]);
    assert_eq!((&listed["code"], &listed["data"]["count"]), (&"IT-REVIEW-S-001".into(), &4.into()));
    let mut accepted = before.clone();
    for one in listed["data"]["proposals"].as_array().expect("proposals") {
        let name = one["proposal"].as_str().expect("a name");
        let shown = person(&stage, &["review", "--show", name]);
        assert_eq!(shown["code"], "IT-REVIEW-S-002", "{shown}");
        assert!(
            shown["data"]["changes"][0]["diff"].is_string() && shown["data"].get("fault").is_none(),
            "{shown}"
        );
        let reply = person(&stage, &["review", "--accept", name]);
        assert_eq!(reply["code"], "IT-REVIEW-S-003", "{reply}");
        assert_eq!(person(&stage, &["review", "--accept", name])["code"], "IT-REVIEW-I-001");
    }
    let space = "project/.ai";
    accepted.remove("home/.ai/directives/mine.md");
    for (path, text) in [
        ("tools/net/kit/manifest.yaml", tool("kit")),
        ("tools/net/kit/lib/run.py", "print(2)\n".to_owned()),
        ("tools/old.yaml", tool("old") + "x: 1\n"),
        ("tools/old.py", "print(3)\n".to_owned()),
        ("directives/new.md", directive("new")),
    ] {
        accepted.insert(format!("{space}/{path}"), text.into_bytes());
    }
    let now = stage_files(&stage);
    assert_eq!(now.keys().collect::<Vec<_>>(), accepted.keys().collect::<Vec<_>>());
    assert!(now == accepted, "the accepted files are as they were proposed");
    let left = tree(&stage.path("project/.ai/workspaces/a"));
    assert!(left.is_empty(), "{:?}", left.keys());
}

#[test]
fn a_rejected_proposal_is_gone_and_did_nothing() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    mcp.call("execute", &create("tool", "t", &tool("t")));
    let before = stage_files(&stage);
    let listed = person(&stage, &["review", "--list"]);
    let name = listed["data"]["proposals"][0]["proposal"].as_str().expect("a name").to_owned();
    let output = stage.person(&["review", "--reject", &name]);
    assert!(output.status.success());
    assert_eq!(stage_files(&stage), before);
    assert_eq!(person(&stage, &["review"])["data"]["count"], 0);
    for verdict in ["--show", "--accept", "--reject"] {
        let output = stage.person(&["review", verdict, &name, "--json"]);
        assert_eq!(output.status.code(), Some(1), "{verdict}");
        let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(reply["code"], "IT-REVIEW-I-001");
    }
}

#[test]
fn a_proposal_for_what_has_changed_since_is_refused() {
    let stage = Stage::new();
    let file = stage.file("project/.ai/tools/t.yaml", &tool("t"));
    stage.file("project/.ai/tools/t.py", "print(1)\n");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let mut change = update("tool", "t", &(tool("t") + "x: 1\n"));
    change["files"] = json!([{ "path": "t.py", "content": "print(2)\n" }]);
    for arguments in [change, delete("tool", "t"), create("tool", "late", &tool("late"))] {
        assert_eq!(mcp.call("execute", &arguments)["code"], PROPOSED);
    }
    std::fs::write(&file, tool("t") + "mine: 1\n").expect("changed");
    stage.file("project/.ai/tools/late/manifest.yaml", &tool("late"));
    let before = stage_files(&stage);
    let listed = person(&stage, &["review", "--list"]);
    for one in listed["data"]["proposals"].as_array().expect("proposals") {
        let name = one["proposal"].as_str().expect("a name");
        let reply = person(&stage, &["review", "--accept", name]);
        let code = if one["action"] == "create" { "IT-ITEM-I-007" } else { "IT-ITEM-I-008" };
        assert_eq!(reply["code"], code, "{reply}");
        assert_eq!(stage_files(&stage), before, "{one}");
    }
    assert_eq!(person(&stage, &["review"])["data"]["count"], 3, "they still wait");
}

#[test]
fn a_dry_run_changes_nothing() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/n.md", &note("n", "old"));
    let before = tree(&stage.path(""));
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    for (mut arguments, code) in [
        (create("knowledge", "new", &note("new", "")), "IT-CHANGE-S-003"),
        (create("tool", "new", &tool("new")), "IT-CHANGE-S-003"),
        (update("knowledge", "n", &note("n", "new")), "IT-CHANGE-S-003"),
        (delete("knowledge", "n"), "IT-CHANGE-S-003"),
        (create("knowledge", "new", &note("other", "")), "IT-CHANGE-I-002"),
        (create("knowledge", "n", &note("n", "")), "IT-ITEM-I-007"),
    ] {
        arguments["dry_run"] = true.into();
        let reply = mcp.call("execute", &arguments);
        assert_eq!(reply["code"], code, "{arguments} {reply}");
        assert!(code != "IT-CHANGE-S-003" || reply["data"]["dry_run"] == true, "{reply}");
    }
    let now = tree(&stage.path("")).into_iter().filter(|(path, _)| !path.contains(".index.json"));
    let now = now.filter(|(path, _)| !path.contains("/.cache/")).collect::<BTreeMap<_, _>>();
    assert_eq!(now, before);
}

#[test]
fn a_proposal_is_for_all_of_an_item_and_shows_all_that_goes() {
    let stage = Stage::new();
    let edits: [(&str, Value); 2] = [
        ("delete", json!({ "item_type": "tool", "action": "delete", "item_id": "kit" })),
        (
            "update",
            json!({
                "item_type": "tool", "action": "update", "item_id": "kit",
                "content": tool("kit"), "files": [{ "path": "run.sh", "content": "new\n" }]
            }),
        ),
    ];
    for (what, call) in edits {
        stage.file("project/.ai/tools/kit/manifest.yaml", &tool("kit"));
        stage.file("project/.ai/tools/kit/run.sh", "old\n");
        let made = stage.call_text("execute", &call.to_string());
        assert_eq!(made.code(), "IT-CHANGE-S-002", "{}", made.reply);
        let name =
            person(&stage, &["review", "--list"])["data"]["proposals"][0]["proposal"].clone();
        let name = name.as_str().expect("a name").to_owned();
        let shown = person(&stage, &["review", "--show", &name]);
        assert_eq!(shown["data"]["stale"], false, "{shown}");
        let paths = shown["data"]["changes"].as_array().expect("changes").iter();
        let paths = paths.map(|one| one["path"].as_str().expect("a path")).collect::<Vec<_>>();
        assert_eq!(paths, ["run.sh", "manifest.yaml"], "{what}");
        stage.file("project/.ai/tools/kit/run.sh", "a person's own work\n");
        let shown = person(&stage, &["review", "--show", &name]);
        assert_eq!(shown["data"]["stale"], true, "{shown}");
        assert_eq!(person(&stage, &["review", "--accept", &name])["code"], "IT-ITEM-I-008");
        let kept = std::fs::read_to_string(stage.path("project/.ai/tools/kit/run.sh"));
        assert_eq!(kept.expect("it is there"), "a person's own work\n");
        person(&stage, &["review", "--reject", &name]);
    }
}
