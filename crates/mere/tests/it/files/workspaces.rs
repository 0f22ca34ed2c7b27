//! Where agents write: their own workspace, and nowhere else, by no link, past no other agent.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage, timeless};
use crate::support::repository::Repository;

const SPACES: &str = "project/.ai/workspaces";

/// The three tools that change a file, on this path; `write` makes directories.
fn changes(path: &str) -> [(&'static str, Value); 3] {
    [
        ("write", json!({ "path": path, "content": "new\n", "create_dirs": true })),
        ("edit", json!({ "path": path, "old": "old", "new": "new" })),
        ("patch_section", json!({ "path": path, "heading": "old", "content": "new\n" })),
    ]
}

fn write(mcp: &mut Mcp<'_>, path: &str, content: &str) -> Value {
    let path = format!("ROOT_WORKSPACE:/{path}");
    mcp.call("write", &json!({ "path": path, "content": content }))
}

fn sha256(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().expect("sha256sum runs");
    String::from_utf8(output.stdout).expect("UTF-8").split(' ').next().expect("a sum").to_owned()
}

#[test]
fn the_first_write_makes_the_workspace_and_git_does_not_see_it() {
    let repository = Repository::new();
    let stage = &repository.stage;
    let mut mcp = Mcp::greeted(stage, &["--agent", "default"]);
    assert!(!stage.path("project/.ai").exists());
    let path = "ROOT_WORKSPACE:/notes/day.md";
    let arguments = json!({ "path": path, "content": "# Day\n", "create_dirs": true });
    let reply = mcp.call("write", &arguments);
    assert_eq!(reply["code"], "WA-WRITE-S-001");
    assert_eq!(reply["message"], format!("{path} was created."));
    let file = stage.path(SPACES).join("default/notes/day.md");
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), "# Day\n");
    let sha256 = sha256(&file);
    let expected = json!({ "target": path, "sha256": sha256, "bytes": 6, "created": true });
    assert_eq!(reply["data"], expected);
    assert_eq!(repository.git(&["status", "--porcelain", "-uall"]), "");
    assert_eq!(repository.git(&["status", "--porcelain", "-uall", "--", ".ai"]), "");
    let reply = mcp.call("read", &json!({ "path": path }));
    assert_eq!(
        (&reply["data"]["content"], &reply["data"]["sha256"]),
        (&json!("# Day\n"), &json!(sha256))
    );
    let reply = mcp.call("write", &arguments);
    assert_eq!(reply["data"]["created"], false);
    assert_eq!(reply["message"], format!("{path} was replaced."));
}

#[test]
fn elsewhere_is_denied_before_anything_is_looked_at() {
    let stage = Stage::new();
    stage.file("project/there.md", "old\n");
    stage.file("project/.env", "old\n");
    stage.folder("project/folder");
    stage.file("home/.ai/there.md", "old\n");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for (path, instead) in [
        ("there.md", "there.md"),
        ("gone.md", "gone.md"),
        ("./there.md", "there.md"),
        ("folder", "folder"),
        ("folder/", "folder/"),
        ("gone/", "gone/"),
        (".env", ".env"),
        (".git/config", ".git/config"),
        ("ROOT_PROJECT:/there.md", "there.md"),
        ("ROOT_PROJECT:/gone/there.md", "gone/there.md"),
        ("ROOT_PROJECT:/.ai/workspaces/default/x", ".ai/workspaces/default/x"),
        ("ROOT_PROJECT:/", ""),
        ("ROOT_USER:/there.md", "there.md"),
        ("ROOT_USER:/gone.md", "gone.md"),
        ("ROOT_REGISTRY:/x", "x"),
        ("mod:none:/x", "x"),
    ] {
        for (tool, arguments) in changes(path) {
            let reply = mcp.call(tool, &arguments);
            let hint = format!(
                "Write to ROOT_WORKSPACE:/{instead}, and ask a person to move it from there."
            );
            let expected = json!({
                "reply_type": "D", "code": "EN-WRITE-D-001",
                "message": "Agents may only write in their workspace.", "hint": hint, "data": {},
                "meta": { "layer": "EN", "tool": tool }
            });
            assert_eq!(timeless(&reply), expected, "{path}");
        }
    }
    let arguments = json!({ "path": "there.md", "content": "" }).to_string();
    assert_eq!(stage.call_text("write", &arguments).status, 3);
    let there = std::fs::read_to_string(stage.path("project/there.md")).expect("the file");
    assert_eq!(there, "old\n");
    assert!(!stage.path("project/.ai").exists(), "a refusal makes no workspace");
}

#[test]
fn directories_are_made_when_asked_for() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let mut check = |path: &str, create_dirs: bool, code: &str| {
        let path = format!("ROOT_WORKSPACE:/{path}");
        let arguments = json!({ "path": path, "content": "x", "create_dirs": create_dirs });
        assert_eq!(mcp.call("write", &arguments)["code"], code, "{path}");
    };
    check("a/b/c", false, "WA-WRITE-I-007");
    assert!(!stage.path("project/.ai").exists(), "a refusal leaves no trace");
    check("a/b/c", true, "WA-WRITE-S-001");
    check("a/b/d", false, "WA-WRITE-S-001");
    check("a/b/c/d", true, "WA-WRITE-I-006");
    check("a/b", true, "WA-WRITE-I-006");
    check("a/b/", true, "WA-WRITE-I-006");
    check("", true, "WA-WRITE-I-006");
    check(".env", true, "WA-PATH-I-001");
}

#[test]
fn a_directory_in_the_way_is_not_said_to_be_missing() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    write(&mut mcp, "file", "x");
    let arguments = json!({ "path": "ROOT_WORKSPACE:/file/a", "content": "", "create_dirs": true });
    let reply = mcp.call("write", &arguments);
    assert_ne!(reply["hint"], "Pass `create_dirs`: true to create it.", "it was passed");
}

#[test]
fn what_a_file_must_be_before_is_held_to() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let path = "ROOT_WORKSPACE:/a.md";
    let never = "0".repeat(64);
    let mut check = |tool: &str, expect: &str, code: &str| {
        let (_, mut arguments) =
            changes(path).into_iter().find(|(name, _)| *name == tool).expect("a tool");
        arguments["expect_sha256"] = expect.into();
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["code"], code, "{tool} {expect}");
        reply["data"]["sha256"].clone()
    };
    let file = stage.path(SPACES).join("default/a.md");
    assert_eq!(check("write", &never, "WA-WRITE-I-001"), Value::Null);
    assert!(!file.exists());
    for (tool, good) in [
        ("write", "WA-WRITE-S-001"),
        ("edit", "WA-WRITE-S-002"),
        ("patch_section", "WA-WRITE-S-003"),
    ] {
        stage.file(&format!("{SPACES}/default/a.md"), "# old\n");
        let (before, own) = (std::fs::read(&file).expect("the file"), sha256(&file));
        assert_eq!(check(tool, &never, "WA-WRITE-I-001"), own);
        check(tool, &own[..63], "MCP-ARG-I-001");
        check(tool, "", "MCP-ARG-I-001");
        assert_eq!(std::fs::read(&file).expect("the file"), before, "{tool}");
        assert_eq!(check(tool, &own, good), sha256(&file));
        assert_ne!(std::fs::read(&file).expect("the file"), before, "{tool}");
        assert_eq!(check(tool, &own, "WA-WRITE-I-001"), sha256(&file));
    }
}

#[test]
fn no_link_leads_a_write_elsewhere() {
    for (link, path) in [
        ("project/.ai", "a.md"),
        (SPACES, "a.md"),
        ("project/.ai/workspaces/default", "a.md"),
        ("project/.ai/workspaces/default/sub", "sub/a.md"),
        ("project/.ai/workspaces/default/deep/sub", "deep/sub/new/a.md"),
    ] {
        for outside in ["absolute", "relative"] {
            let stage = Stage::new();
            stage.file("beside/a.md", "# old\n");
            stage.folder("beside/default");
            stage.folder("beside/workspaces/default");
            let target = if outside == "absolute" {
                stage.path("beside")
            } else {
                Path::new(&"../".repeat(link.matches('/').count())).join("beside")
            };
            stage.link(target, link);
            let before = listing(&stage.path("beside"));
            let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
            for (tool, arguments) in changes(&format!("ROOT_WORKSPACE:/{path}")) {
                let reply = mcp.call(tool, &arguments);
                assert!(matches!(reply["reply_type"].as_str(), Some("I" | "E")), "{link} {reply}");
            }
            assert_eq!(listing(&stage.path("beside")), before, "{link} {outside}");
        }
    }
}

#[test]
fn a_link_in_place_of_the_lock_makes_no_file_for_another_agent() {
    let stage = Stage::new();
    stage.folder(&format!("{SPACES}/other"));
    stage.link("other/made", &format!("{SPACES}/.lock-default"));
    write(&mut Mcp::greeted(&stage, &["--agent", "default"]), "a.md", "x");
    assert!(!stage.path(SPACES).join("other/made").exists(), "the link was followed");
}

/// Every file below a folder, with what is in it.
fn listing(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        found.push((path.display().to_string(), text));
        if path.is_dir() {
            found.append(&mut listing(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn only_a_regular_file_is_replaced() {
    let stage = Stage::new();
    let own = stage.folder(&format!("{SPACES}/default"));
    stage.file("beside/a.md", "# old\n");
    stage.file(&format!("{SPACES}/default/inside.md"), "# old\n");
    stage.folder(&format!("{SPACES}/default/folder"));
    stage.link("inside.md", &format!("{SPACES}/default/link"));
    stage.link(stage.path("beside/a.md"), &format!("{SPACES}/default/out"));
    stage.link("nothing", &format!("{SPACES}/default/dangling"));
    stage.link("/dev/full", &format!("{SPACES}/default/device"));
    assert!(Command::new("mkfifo").arg(own.join("pipe")).status().expect("mkfifo").success());
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for name in ["folder", "link", "out", "dangling", "device", "pipe"] {
        let before = own.join(name).symlink_metadata().expect("it is there").file_type();
        for (tool, arguments) in changes(&format!("ROOT_WORKSPACE:/{name}")) {
            assert_eq!(mcp.call(tool, &arguments)["code"], "WA-WRITE-I-006", "{tool} {name}");
        }
        let after = own.join(name).symlink_metadata().expect("it is there").file_type();
        assert_eq!(before, after, "{name}");
    }
    for file in [own.join("inside.md"), stage.path("beside/a.md")] {
        assert_eq!(std::fs::read_to_string(file).expect("the file"), "# old\n");
    }
    assert!(!own.join("nothing").exists());
}

#[test]
fn a_replaced_file_keeps_its_permissions() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for mode in [0o600, 0o640, 0o755, 0o444] {
        let file = stage.file(&format!("{SPACES}/default/a.md"), "# old\n");
        std::fs::set_permissions(&file, Permissions::from_mode(mode)).expect("permissions");
        for (tool, arguments) in changes("ROOT_WORKSPACE:/a.md").iter().rev() {
            stage_old(&file);
            assert_eq!(mcp.call(tool, arguments)["reply_type"], "S", "{tool} {mode:o}");
            let now = file.metadata().expect("the file").permissions().mode() & 0o7777;
            assert_eq!(now, mode, "{tool}");
        }
        std::fs::remove_file(&file).expect("gone");
    }
}

/// Puts the old text back, by the same file.
fn stage_old(file: &Path) {
    let mode = file.metadata().expect("the file").permissions();
    std::fs::remove_file(file).expect("gone");
    std::fs::write(file, "# old\n").expect("back");
    std::fs::set_permissions(file, mode).expect("permissions");
}

#[test]
fn one_agent_neither_sees_nor_reaches_anothers_workspace() {
    let stage = Stage::new();
    let secret = "the-others-secret";
    write(&mut Mcp::greeted(&stage, &["--agent", "other"]), "theirs.md", secret);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "mine"]);
    write(&mut mcp, "own.md", "mine");
    for path in [
        ".ai/workspaces",
        ".ai/workspaces/other",
        ".ai/workspaces/other/theirs.md",
        "ROOT_PROJECT:/.ai/workspaces/other/theirs.md",
        "ROOT_WORKSPACE:/../other/theirs.md",
        "ROOT_WORKSPACE:/other/theirs.md",
        "ROOT_WORKSPACE:/theirs.md",
        ".ai/workspaces/.lock-other",
    ] {
        for (tool, arguments) in [
            ("dir", json!({ "command": "list", "path": path })),
            ("dir", json!({ "command": "tree", "path": path })),
            ("read", json!({ "path": path })),
            ("glob", json!({ "path": path, "pattern": "**" })),
            ("grep", json!({ "path": path, "pattern": "." })),
        ] {
            assert_eq!(mcp.call(tool, &arguments)["code"], "WA-PATH-I-001", "{tool} {path}");
        }
    }
    for (tool, arguments) in [
        ("dir", json!({ "command": "list", "path": ".ai" })),
        ("dir", json!({ "command": "tree", "depth": 16 })),
        ("glob", json!({ "pattern": "**" })),
        ("glob", json!({ "pattern": ".ai/workspaces/**" })),
        ("glob", json!({ "pattern": "*", "path": "ROOT_WORKSPACE:/" })),
        ("grep", json!({ "pattern": secret })),
        ("grep", json!({ "pattern": secret, "path": "ROOT_WORKSPACE:/" })),
        ("grep", json!({ "pattern": secret, "glob": ".ai/workspaces/other/*" })),
    ] {
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["reply_type"], "S", "{reply}");
        let text = reply.to_string();
        assert!(!text.contains("other") && !text.contains("theirs"), "{text}");
    }
}

/// What the workspace holds and may hold, as `dir list` tells it.
fn usage(mcp: &mut Mcp<'_>) -> [u64; 4] {
    let list = mcp.call("dir", &json!({ "command": "list", "path": "ROOT_WORKSPACE:/" }));
    ["bytes", "max_bytes", "files", "max_files"]
        .map(|key| list["data"]["usage"][key].as_u64().unwrap_or_else(|| panic!("{key} in {list}")))
}

fn limited(stage: &Stage, bytes: u64, files: u64) {
    let config = format!("agents: {{workspace: {{max_bytes: {bytes}, max_files: {files}}}}}\n");
    stage.file("home/.ai/config.yaml", &config);
}

#[test]
fn a_workspace_tells_what_is_used_of_it() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    assert_eq!(usage(&mut mcp), [0, 1 << 30, 0, 20_000]);
    assert!(!stage.path("project/.ai").exists(), "looking makes nothing");
    let arguments =
        json!({ "path": "ROOT_WORKSPACE:/a/b", "content": "12345", "create_dirs": true });
    mcp.call("write", &arguments);
    write(&mut mcp, "c", "1");
    assert_eq!(usage(&mut mcp), [6, 1 << 30, 3, 20_000]);
    let below = mcp.call("dir", &json!({ "command": "list", "path": "ROOT_WORKSPACE:/a/" }));
    let other = mcp.call("dir", &json!({ "command": "list" }));
    assert!(below["data"]["usage"].is_null() && other["data"]["usage"].is_null());
}

#[test]
fn what_does_not_fit_is_not_written() {
    let stage = Stage::new();
    limited(&stage, 10, 4);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let mut check = |tool: &str, arguments: Value, code: &str| {
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["code"], code, "{tool} {arguments} {reply}");
        reply
    };
    let path = |path: &str| format!("ROOT_WORKSPACE:/{path}");
    check("write", json!({ "path": path("a"), "content": "12345678" }), "WA-WRITE-S-001");
    let reply = check("write", json!({ "path": path("b"), "content": "123" }), "WA-WRITE-I-011");
    assert_eq!(
        reply["message"],
        "ROOT_WORKSPACE:/b was not written: the workspace holds 8 of 10 bytes and 1 of 4 files."
    );
    let used = json!({
        "target": path("b"), "bytes": 8, "max_bytes": 10, "files": 1, "max_files": 4
    });
    assert_eq!(reply["data"], used);
    assert!(!stage.path(SPACES).join("default/b").exists());
    check("write", json!({ "path": path("b"), "content": "12" }), "WA-WRITE-S-001");
    let longer = json!({ "path": path("a"), "old": "8", "new": "89" });
    check("edit", longer, "WA-WRITE-I-011");
    check("edit", json!({ "path": path("a"), "old": "8", "new": "9" }), "WA-WRITE-S-002");
    check("edit", json!({ "path": path("a"), "old": "9", "new": "" }), "WA-WRITE-S-002");
    let deep = json!({ "path": path("d/e/f"), "content": "", "create_dirs": true });
    check("write", deep, "WA-WRITE-I-011");
    assert!(!stage.path(SPACES).join("default/d").exists(), "not even the directories");
    check("mkdir", json!({ "path": path("d/e/f") }), "WA-WRITE-I-011");
    check("mkdir", json!({ "path": path("d/e") }), "WA-WRITE-S-006");
    check("write", json!({ "path": path("c"), "content": "" }), "WA-WRITE-I-011");
    check("move", json!({ "from": path("a"), "to": path("d/e/a") }), "WA-WRITE-S-005");
    check("delete", json!({ "path": path("d/") }), "WA-WRITE-S-004");
    check("write", json!({ "path": path("c"), "content": "12345678" }), "WA-WRITE-S-001");
    limited(&stage, 3, 1);
    check("write", json!({ "path": path("c"), "content": "1234567" }), "WA-WRITE-S-001");
    check("write", json!({ "path": path("c"), "content": "12345678" }), "WA-WRITE-I-011");
}

#[test]
fn a_project_cannot_enlarge_the_workspace() {
    let stage = Stage::new();
    limited(&stage, 1, 1);
    let config = "agents: {workspace: {max_bytes: 1000}}\n";
    stage.file("project/.ai/config.yaml", config);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    assert_eq!(write(&mut mcp, "a", "12")["code"], "WA-WRITE-I-011");
}

#[test]
fn a_proposal_needs_room_too_and_leaves_nothing_behind() {
    let stage = Stage::new();
    limited(&stage, 600, 20);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let directive = format!("---\nname: long\ndescription: x\n---\n{}\n", "words ".repeat(70));
    let arguments = json!({
        "item_type": "directive", "action": "create", "item_id": "long", "content": directive
    });
    let reply = mcp.call("execute", &arguments);
    assert_eq!(reply["code"], "WA-WRITE-I-011", "{reply}");
    assert_eq!(usage(&mut mcp)[0], 0);
    assert_eq!(std::fs::read_dir(stage.path(SPACES).join("default")).map_or(0, Iterator::count), 1);
}

#[test]
fn many_writers_at_once_stay_within_the_limits() {
    let stage = Stage::new();
    limited(&stage, 1000, 12);
    let written = std::thread::scope(|scope| {
        let writers = (0..6).map(|writer| {
            let stage = &stage;
            scope.spawn(move || {
                let mut mcp = Mcp::greeted(stage, &["--agent", "default"]);
                let replies = (0..6).map(|number| {
                    let name = format!("{writer}-{number}");
                    write(&mut mcp, &name, &"x".repeat(50))["code"].clone()
                });
                replies.filter(|code| code == "WA-WRITE-S-001").count()
            })
        });
        let writers = writers.collect::<Vec<_>>();
        writers.into_iter().map(|writer| writer.join().expect("a writer")).sum::<usize>()
    });
    assert_eq!(written, 12);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    assert_eq!(usage(&mut mcp), [600, 1000, 12, 12]);
}
