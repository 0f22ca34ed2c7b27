//! What agents do with what they wrote: `delete`, `move` and `mkdir` in the workspace and nowhere
//! else, past no link, with nothing lost and nothing shown that was hidden.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage, timeless};

const OWN: &str = "project/.ai/workspaces/default";

/// An agent, and the workspace it works in.
struct Desk<'a> {
    stage: &'a Stage,
    mcp: Mcp<'a>,
}

impl<'a> Desk<'a> {
    fn new(stage: &'a Stage) -> Self {
        Self { stage, mcp: Mcp::greeted(stage, &["--agent", "default"]) }
    }

    fn own(&self, below: &str) -> PathBuf {
        self.stage.path(OWN).join(below)
    }

    fn file(&self, below: &str, text: &str) -> PathBuf {
        self.stage.file(&format!("{OWN}/{below}"), text)
    }

    fn delete(&mut self, path: &str) -> Value {
        self.mcp.call("delete", &json!({ "path": format!("ROOT_WORKSPACE:/{path}") }))
    }

    fn move_to(&mut self, from: &str, to: &str) -> Value {
        let (from, to) = (format!("ROOT_WORKSPACE:/{from}"), format!("ROOT_WORKSPACE:/{to}"));
        self.mcp.call("move", &json!({ "from": from, "to": to }))
    }

    fn mkdir(&mut self, path: &str) -> Value {
        self.mcp.call("mkdir", &json!({ "path": format!("ROOT_WORKSPACE:/{path}") }))
    }
}

fn sha256(bytes: &[u8]) -> String {
    mere_core::digest::Sha256::digest(bytes).to_string()
}

#[test]
fn elsewhere_nothing_is_deleted_moved_or_made() {
    let stage = Stage::new();
    stage.file("project/there.md", "old\n");
    stage.file("home/.ai/there.md", "old\n");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let own = "ROOT_WORKSPACE:/x";
    for (path, instead) in [
        ("there.md", "there.md"),
        ("gone.md", "gone.md"),
        (".env", ".env"),
        ("ROOT_PROJECT:/", ""),
        ("ROOT_PROJECT:/.ai/workspaces/default/x", ".ai/workspaces/default/x"),
        ("ROOT_USER:/there.md", "there.md"),
        ("ROOT_REGISTRY:/x", "x"),
        ("mod:none:/x", "x"),
    ] {
        let yours = format!(
            "Only what is in ROOT_WORKSPACE is yours, such as ROOT_WORKSPACE:/{instead}; ask a \
             person to change the rest."
        );
        let write =
            format!("Write to ROOT_WORKSPACE:/{instead}, and ask a person to move it from there.");
        for (tool, arguments, hint) in [
            ("delete", json!({ "path": path }), &yours),
            ("move", json!({ "from": path, "to": own }), &yours),
            ("move", json!({ "from": own, "to": path }), &write),
            ("mkdir", json!({ "path": path }), &write),
        ] {
            let reply = timeless(&mcp.call(tool, &arguments));
            assert_eq!(reply["code"], "EN-WRITE-D-001", "{tool} {arguments}");
            assert_eq!(reply["hint"], hint.as_str(), "{tool} {arguments}");
            assert_eq!(reply["data"], json!({}), "{tool} {arguments}");
        }
    }
    for path in ["project/there.md", "home/.ai/there.md"] {
        assert_eq!(std::fs::read_to_string(stage.path(path)).expect("the file"), "old\n");
    }
    assert!(!stage.path("project/.ai").exists(), "a refusal makes no workspace");
    for arguments in [json!({ "path": "/etc/passwd" }), json!({ "path": "ROOT_WORKSPACE:/../x" })] {
        assert_eq!(mcp.call("delete", &arguments)["code"], "WA-PATH-I-001");
    }
}

#[test]
fn what_is_not_there_is_answered_as_everywhere() {
    let stage = Stage::new();
    let mut desk = Desk::new(&stage);
    assert_eq!(desk.delete("a")["code"], "WA-PATH-I-001");
    assert_eq!(desk.move_to("a", "b")["code"], "WA-PATH-I-001");
    assert!(!stage.path("project/.ai").exists(), "nothing was made");
    desk.file("file", "x");
    for path in ["a", "file/", "file/a", "a/b", ".env", "sub/.ssh/x"] {
        assert_eq!(desk.delete(path)["code"], "WA-PATH-I-001", "{path}");
        assert_eq!(desk.move_to(path, "b")["code"], "WA-PATH-I-001", "{path}");
    }
    desk.file(".env", "KEY=1\n");
    assert_eq!(desk.delete(".env")["code"], "WA-PATH-I-001", "whether or not it is there");
    assert_eq!(desk.move_to(".env", "env")["code"], "WA-PATH-I-001");
    assert_eq!(desk.move_to("file", ".env")["code"], "WA-PATH-I-001");
    assert_eq!(desk.mkdir(".ssh")["code"], "WA-PATH-I-001");
    assert!(desk.own(".env").exists());
}

#[test]
fn a_file_is_deleted_and_a_directory_only_by_its_whole_name() {
    let stage = Stage::new();
    let mut desk = Desk::new(&stage);
    desk.file("a.md", "12345");
    desk.file("d/one", "1");
    desk.file("d/e/two", "22");
    let reply = desk.delete("a.md");
    assert_eq!(reply["code"], "WA-WRITE-S-004");
    assert_eq!(reply["data"], json!({ "target": "ROOT_WORKSPACE:/a.md", "deleted": true }));
    assert!(!desk.own("a.md").exists());
    let reply = desk.delete("d");
    assert_eq!(reply["code"], "WA-WRITE-I-012");
    let hint = "To delete it with everything in it, pass ROOT_WORKSPACE:/d/.";
    assert_eq!(reply["hint"], hint);
    assert!(desk.own("d/e/two").exists());
    let reply = desk.delete("d/");
    let expected =
        json!({ "target": "ROOT_WORKSPACE:/d/", "deleted": true, "files": 3, "bytes": 3 });
    assert_eq!((&reply["code"], &reply["data"]), (&json!("WA-WRITE-S-004"), &expected));
    assert!(!desk.own("d").exists());
    desk.mkdir("empty");
    assert_eq!(desk.delete("empty")["data"]["target"], "ROOT_WORKSPACE:/empty/");
    let reply = desk.delete("");
    assert_eq!(reply["code"], "WA-WRITE-I-014", "the workspace itself stays");
    let left = std::fs::read_dir(stage.path("project/.ai/workspaces")).expect("the folder");
    let left = left.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>();
    let staged = left.iter().any(|name| name.to_string_lossy().starts_with(".new-"));
    assert!(!staged, "{left:?}");
}

#[test]
fn what_a_file_must_be_before_is_held_to() {
    let stage = Stage::new();
    let mut desk = Desk::new(&stage);
    let file = desk.file("a.md", "text\n");
    desk.file("d/x", "");
    let never = "0".repeat(64);
    let own = sha256(b"text\n");
    let path = "ROOT_WORKSPACE:/a.md";
    for (tool, arguments) in [
        ("delete", json!({ "path": path, "expect_sha256": never })),
        ("move", json!({ "from": path, "to": "ROOT_WORKSPACE:/b.md", "expect_sha256": never })),
    ] {
        let reply = desk.mcp.call(tool, &arguments);
        assert_eq!(
            (&reply["code"], &reply["data"]["sha256"]),
            (&json!("WA-WRITE-I-001"), &json!(own))
        );
        assert_eq!(std::fs::read_to_string(&file).expect("still there"), "text\n");
    }
    assert!(!desk.own("b.md").exists());
    let folder = json!({ "path": "ROOT_WORKSPACE:/d/", "expect_sha256": own });
    assert_eq!(desk.mcp.call("delete", &folder)["code"], "WA-WRITE-I-006", "no file, no digest");
    let there = json!({ "from": path, "to": "ROOT_WORKSPACE:/b.md", "expect_sha256": own });
    assert_eq!(desk.mcp.call("move", &there)["code"], "WA-WRITE-S-005");
    let gone = json!({ "path": "ROOT_WORKSPACE:/b.md", "expect_sha256": own });
    assert_eq!(desk.mcp.call("delete", &gone)["code"], "WA-WRITE-S-004");
    assert!(!desk.own("b.md").exists());
}

#[test]
fn a_move_replaces_nothing_and_keeps_everything() {
    let stage = Stage::new();
    let mut desk = Desk::new(&stage);
    let a = desk.file("a", "A");
    std::fs::set_permissions(&a, Permissions::from_mode(0o751)).expect("permissions");
    desk.file("b", "B");
    desk.file("d/x", "X");
    desk.file("e/y", "Y");
    for (from, to, code) in [
        ("a", "b", "WA-WRITE-I-010"),
        ("a", "a", "WA-WRITE-I-010"),
        ("a", "d", "WA-WRITE-I-010"),
        ("d", "e", "WA-WRITE-I-010"),
        ("d", "a", "WA-WRITE-I-010"),
        ("a", "", "WA-WRITE-I-010"),
        ("a", "gone/a", "WA-WRITE-I-007"),
        ("a", "b/a", "WA-WRITE-I-006"),
        ("a", "c/", "WA-WRITE-I-014"),
        ("", "c", "WA-WRITE-I-014"),
        ("d", "d/d", "WA-WRITE-I-014"),
        ("d/", "d/x/d", "WA-WRITE-I-014"),
        ("a", ".git/a", "EN-WRITE-D-002"),
        ("d", ".GIT", "EN-WRITE-D-002"),
    ] {
        assert_eq!(desk.move_to(from, to)["code"], code, "{from} {to}");
    }
    let texts = ["a", "b", "d/x", "e/y"].map(|path| std::fs::read_to_string(desk.own(path)));
    assert_eq!(texts.map(|text| text.expect("the file")), ["A", "B", "X", "Y"]);
    let reply = desk.move_to("a", "d/a");
    let expected = json!({
        "target": "ROOT_WORKSPACE:/d/a", "from": "ROOT_WORKSPACE:/a", "moved": true
    });
    assert_eq!((&reply["code"], &reply["data"]), (&json!("WA-WRITE-S-005"), &expected));
    let mode = desk.own("d/a").metadata().expect("the file").permissions().mode();
    assert_eq!(mode & 0o7777, 0o751);
    let reply = desk.move_to("d", "e/d2/");
    assert_eq!(reply["data"]["target"], "ROOT_WORKSPACE:/e/d2/");
    assert_eq!(std::fs::read_to_string(desk.own("e/d2/a")).expect("the file"), "A");
    assert!(!desk.own("d").exists());
    // A name that only begins like the directory is not inside it.
    assert_eq!(desk.move_to("e", "e2")["code"], "WA-WRITE-S-005");
}

#[test]
fn a_directory_is_made_with_those_above_it() {
    let stage = Stage::new();
    let mut desk = Desk::new(&stage);
    let reply = desk.mkdir("a/b/c");
    let expected = json!({ "target": "ROOT_WORKSPACE:/a/b/c/", "created": true });
    assert_eq!((&reply["code"], &reply["data"]), (&json!("WA-WRITE-S-006"), &expected));
    assert!(desk.own("a/b/c").is_dir());
    assert_eq!(desk.mkdir("a/b/")["data"]["created"], false);
    assert_eq!(desk.mkdir("")["data"]["created"], false);
    desk.file("file", "x");
    assert_eq!(desk.mkdir("file")["code"], "WA-WRITE-I-010");
    assert_eq!(desk.mkdir("file/a")["code"], "WA-WRITE-I-006");
    assert_eq!(desk.mkdir("x/.git")["code"], "EN-WRITE-D-002");
    assert!(!desk.own("x").exists());
}

#[test]
fn no_link_leads_a_deletion_or_a_move_elsewhere() {
    let stage = Stage::new();
    stage.file("beside/a", "outside");
    stage.file("project/src/a", "inside");
    let mut desk = Desk::new(&stage);
    desk.file("target/kept", "kept");
    desk.file("x", "X");
    stage.link(stage.path("beside"), &format!("{OWN}/out"));
    stage.link("../../../src", &format!("{OWN}/up"));
    stage.link("target", &format!("{OWN}/in"));
    desk.file("d/own", "");
    stage.link("../target", &format!("{OWN}/d/link"));
    stage.link(stage.path("beside"), &format!("{OWN}/d/out"));
    for link in ["out", "up", "in"] {
        assert_eq!(desk.delete(&format!("{link}/a"))["code"], "WA-PATH-I-001", "{link}");
        assert_eq!(desk.delete(&format!("{link}/"))["code"], "WA-PATH-I-001", "{link}");
        assert_eq!(desk.move_to(&format!("{link}/a"), "b")["code"], "WA-PATH-I-001", "{link}");
        assert_eq!(desk.move_to("x", &format!("{link}/x"))["code"], "WA-WRITE-I-006", "{link}");
        assert_eq!(desk.mkdir(&format!("{link}/made"))["code"], "WA-WRITE-I-006", "{link}");
        assert_eq!(desk.mkdir(link)["code"], "WA-WRITE-I-010", "{link}");
    }
    assert_eq!(desk.delete("d/")["code"], "WA-WRITE-S-004");
    // A link is moved and deleted itself.
    assert_eq!(desk.move_to("in", "in2")["code"], "WA-WRITE-S-005");
    assert!(desk.own("in2").symlink_metadata().expect("the link").is_symlink());
    for link in ["out", "up", "in2"] {
        assert_eq!(desk.delete(link)["code"], "WA-WRITE-S-004", "{link}");
    }
    for (path, text) in [
        ("beside/a", "outside"),
        ("project/src/a", "inside"),
        ("project/.ai/workspaces/default/target/kept", "kept"),
        ("project/.ai/workspaces/default/x", "X"),
    ] {
        assert_eq!(std::fs::read_to_string(stage.path(path)).expect("the file"), text, "{path}");
    }
    assert_eq!(std::fs::read_dir(stage.path("beside")).expect("the folder").count(), 1);
}

#[test]
fn a_link_in_place_of_a_folder_of_ours_is_not_followed() {
    for link in ["project/.ai", "project/.ai/workspaces", OWN] {
        let stage = Stage::new();
        stage.file("beside/a", "outside");
        stage.file("beside/default/a", "outside");
        stage.file("beside/workspaces/default/a", "outside");
        stage.link(stage.path("beside"), link);
        let mut desk = Desk::new(&stage);
        for reply in [desk.delete("a"), desk.move_to("a", "b"), desk.mkdir("made")] {
            assert!(matches!(reply["reply_type"].as_str(), Some("I" | "E")), "{link} {reply}");
        }
        for path in ["beside/a", "beside/default/a", "beside/workspaces/default/a"] {
            assert!(stage.path(path).exists(), "{link} {path}");
        }
        let made = ["beside", "beside/default", "beside/workspaces/default"];
        assert!(made.iter().all(|folder| !stage.path(folder).join("made").exists()), "{link}");
    }
}

#[test]
fn no_move_shows_what_was_hidden_or_masked() {
    let stage = Stage::new();
    let secret = "hidden-from-agents";
    let token = ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    stage.file("home/.ai/config.yaml", "sensitive: [\"vault/*.txt\"]\n");
    let mut desk = Desk::new(&stage);
    desk.file("vault/a.txt", secret);
    desk.file("box/.env", secret);
    desk.file("deep/.ssh/config", secret);
    desk.file("settings.toml", &format!("key = \"{token}\"\n"));
    assert_eq!(desk.move_to("vault/a.txt", "a.txt")["code"], "WA-PATH-I-001");
    assert_eq!(desk.move_to("vault", "open")["code"], "EN-WRITE-D-003");
    assert!(desk.own("vault/a.txt").exists());
    assert_eq!(desk.move_to("deep/.ssh", "ssh")["code"], "WA-PATH-I-001");
    // What stays hidden by its own name may be moved along.
    assert_eq!(desk.move_to("box", "box2")["code"], "WA-WRITE-S-005");
    assert_eq!(desk.move_to("deep", "box2/deep")["code"], "WA-WRITE-S-005");
    let allowed = stage.person(&["allow", "ROOT_WORKSPACE:/shown/"]);
    assert!(allowed.status.success(), "{allowed:?}");
    desk.mkdir("shown");
    let reply = desk.move_to("settings.toml", "shown/settings.toml");
    assert_eq!(reply["code"], "EN-WRITE-D-003", "{reply}");
    for path in ["box2/.env", "box2/deep/.ssh/config", "settings.toml", "shown/settings.toml"] {
        let path = format!("ROOT_WORKSPACE:/{path}");
        let text = desk.mcp.call("read", &json!({ "path": path })).to_string();
        assert!(!text.contains(secret) && !text.contains(&token), "{text}");
    }
}

#[test]
fn a_deep_or_closed_tree_is_deleted_whole() {
    let stage = Stage::new();
    let mut desk = Desk::new(&stage);
    desk.mkdir("x");
    let deep = "d/".repeat(200);
    std::fs::create_dir_all(desk.own(&format!("x/{deep}"))).expect("a deep tree");
    std::fs::write(desk.own(&format!("x/{deep}f")), "f").expect("a file");
    let closed = desk.own("x/closed");
    std::fs::create_dir_all(closed.join("inner")).expect("folders");
    std::fs::set_permissions(&closed, Permissions::from_mode(0o000)).expect("permissions");
    let reply = desk.mcp.call("write", &json!({ "path": "ROOT_WORKSPACE:/new", "content": "x" }));
    assert_eq!(reply["code"], "WA-WRITE-I-011", "what cannot be measured could hold anything");
    assert_eq!(reply["data"]["partial"], true);
    let reply = desk.delete("x/");
    assert_eq!(reply["code"], "WA-WRITE-S-004", "{reply}");
    assert!(!desk.own("x").exists());
    let staging = std::fs::read_dir(stage.path("project/.ai/workspaces")).expect("the folder");
    let names = staging.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with(".new-")), "{names:?}");
}

#[test]
fn a_path_has_at_most_so_many_levels() {
    let stage = Stage::new();
    let mut desk = Desk::new(&stage);
    let levels = |count: usize| vec!["d"; count].join("/");
    assert_eq!(desk.mkdir(&levels(65))["code"], "WA-WRITE-I-013");
    assert!(!desk.own("d").exists(), "nothing was made");
    assert_eq!(desk.mkdir(&levels(64))["code"], "WA-WRITE-S-006");
    let path = format!("ROOT_WORKSPACE:/{}/f", levels(64));
    let write = json!({ "path": path, "content": "x" });
    assert_eq!(desk.mcp.call("write", &write)["code"], "WA-WRITE-S-001");
    let path = format!("ROOT_WORKSPACE:/e/{}/f", levels(64));
    let write = json!({ "path": path, "content": "x", "create_dirs": true });
    assert_eq!(desk.mcp.call("write", &write)["code"], "WA-WRITE-I-013");
    desk.mkdir("e");
    assert_eq!(desk.move_to("d", "e/d")["code"], "WA-WRITE-I-013", "nor by a move");
}

#[test]
fn of_many_who_move_one_file_one_has_it() {
    let stage = Stage::new();
    stage.file(&format!("{OWN}/a"), "A");
    let moved = std::thread::scope(|scope| {
        let movers = (0..6).map(|number| {
            let stage = &stage;
            scope.spawn(move || {
                let to = format!("b{number}");
                (Desk::new(stage).move_to("a", &to)["code"] == "WA-WRITE-S-005").then_some(to)
            })
        });
        let movers = movers.collect::<Vec<_>>();
        movers.into_iter().filter_map(|mover| mover.join().expect("a mover")).collect::<Vec<_>>()
    });
    let [winner] = &moved[..] else { panic!("{moved:?}") };
    assert_eq!(std::fs::read_to_string(stage.path(OWN).join(winner)).expect("the file"), "A");
    assert_eq!(std::fs::read_dir(stage.path(OWN)).expect("the folder").count(), 1);
}

#[test]
fn a_write_is_not_lost_to_a_deletion_that_did_not_see_it() {
    let stage = Stage::new();
    let old = sha256(b"old");
    for round in 0..8 {
        stage.file(&format!("{OWN}/a"), "old");
        let (mut writer, mut deleter) = (Desk::new(&stage), Desk::new(&stage));
        let path = "ROOT_WORKSPACE:/a";
        let write = json!({ "path": path, "content": "new", "expect_sha256": old });
        let delete = json!({ "path": path, "expect_sha256": old });
        let (written, deleted) = std::thread::scope(|scope| {
            let written = scope.spawn(|| writer.mcp.call("write", &write)["reply_type"].clone());
            let deleted = deleter.mcp.call("delete", &delete)["reply_type"].clone();
            (written.join().expect("a writer"), deleted)
        });
        // Only one of them saw the old file.
        assert_ne!(written == "S", deleted == "S", "round {round}");
        assert_eq!(stage.path(OWN).join("a").exists(), written == "S", "round {round}");
    }
}
