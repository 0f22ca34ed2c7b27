//! Proposals that an agent wrote by hand: whatever they say, nothing happens that a person did not
//! see and accept, and nothing outside the spaces happens at all.

use std::process::Command;

use serde_json::{Value, json};

use crate::items::proposals::{stage_files, tree};
use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{note, person, skill, tool};

/// What an honest proposal to make the note `x` says.
fn honest() -> Value {
    json!({
        "v": 1, "action": "create", "item_type": "knowledge", "id": "x", "category": "",
        "scope": "project", "base": null, "form": "flat", "before": null, "files": ["x.md"]
    })
}

/// The honest one with some keys changed.
fn forged(keys: &Value) -> String {
    let mut proposal = honest();
    for (key, value) in keys.as_object().expect("keys") {
        proposal[key] = value.clone();
    }
    proposal.to_string()
}

/// Writes a proposal as an agent can, with a note as its one file.
fn forge(stage: &Stage, about: &str) {
    let mut mcp = Mcp::greeted(stage, &["--agent", "a"]);
    for (name, content) in [("proposal.json", about), ("item/x.md", &note("x", "forged"))] {
        let path = format!("ROOT_WORKSPACE:/proposals/p/{name}");
        let write = json!({ "path": path, "content": content, "create_dirs": true });
        assert_eq!(mcp.call("write", &write)["reply_type"], "S");
    }
}

/// Lists, shows and accepts the proposal; nothing but the workspace may change.
fn refused(stage: &Stage, waits: usize, what: &str) {
    let before = stage_files(stage);
    let listed = person(stage, &["review", "--list"]);
    assert_eq!(listed["data"]["count"], waits, "{what} {listed}");
    for verdict in ["--show", "--accept"] {
        let reply = person(stage, &["review", verdict, "a/p"]);
        let shown = verdict == "--show" && waits == 1;
        assert!(shown || reply["reply_type"] == "I", "{what} {reply}");
        assert_eq!(stage_files(stage), before, "{verdict} {what}");
    }
}

#[test]
fn an_honest_one_by_hand_is_as_good_as_any() {
    let stage = Stage::new();
    forge(&stage, &honest().to_string());
    assert_eq!(person(&stage, &["review", "--accept", "a/p"])["code"], "IT-REVIEW-S-003");
    let kept = std::fs::read_to_string(stage.path("project/.ai/knowledge/x.md")).expect("a note");
    assert_eq!(kept, note("x", "forged"));
}

#[test]
fn what_is_no_proposal_is_not_listed() {
    for about in [
        forged(&json!({ "scope": "registry" })),
        forged(&json!({ "item_type": "lockfile" })),
        forged(&json!({ "item_type": "memory", "scope": "user" })),
        forged(&json!({ "scope": "builtin" })),
        forged(&json!({ "files": ["../x.md"] })),
        forged(&json!({ "files": ["/etc/passwd"] })),
        forged(&json!({ "files": ["a/../../x.md"] })),
        forged(&json!({ "files": "x.md" })),
        forged(&json!({ "id": "../x" })),
        forged(&json!({ "id": "X" })),
        forged(&json!({ "category": "../../src" })),
        forged(&json!({ "category": "/etc" })),
        forged(&json!({ "base": "../beside" })),
        forged(&json!({ "base": "/etc" })),
        forged(&json!({ "base": "" })),
        forged(&json!({ "base": "src" })),
        forged(&json!({ "base": ".git" })),
        forged(&json!({ "base": ".ai/workspaces/b", "item_type": "directive" })),
        forged(&json!({ "base": ".github/workflows", "item_type": "tool" })),
        forged(&json!({ "base": ".claude/skills", "item_type": "directive", "form": "folder" })),
        forged(&json!({ "base": ".claude/skills", "scope": "user", "item_type": "directive" })),
        forged(&json!({ "v": 2 })),
        forged(&json!({ "v": "1" })),
        forged(&json!({ "action": "sign" })),
        forged(&json!({ "action": "update" })),
        forged(&json!({ "action": "create", "before": "0".repeat(64) })),
        forged(&json!({ "action": "delete", "before": "x" })),
        forged(&json!({ "form": "link" })),
        forged(&json!({ "item_type": "secret" })),
        honest().to_string().replacen('{', "{\"scope\":\"user\",", 1),
        "not JSON".to_owned(),
        "[".repeat(50_000),
        String::new(),
        honest().to_string() + &" ".repeat(70_000),
    ] {
        let stage = Stage::new();
        stage.file("project/src/main.rs", "");
        forge(&stage, &about);
        refused(&stage, 0, &about[..about.len().min(200)]);
    }
}

#[test]
fn what_is_not_whole_is_not_placed() {
    let signed = mere_core::digest::Sha256::digest(note("old", "").as_bytes()).to_string();
    let other = mere_core::digest::Sha256::digest(b"other").to_string();
    for keys in [
        json!({ "files": [] }),
        json!({ "files": ["missing.md", "x.md"] }),
        json!({ "files": ["missing.md"] }),
        json!({ "files": ["x.md", "x.md"] }),
        json!({ "id": "y" }),
        json!({ "item_type": "tool", "files": ["x.md"] }),
        json!({ "item_type": "directive", "form": "folder" }),
        json!({ "id": "old", "action": "update", "before": other }),
        json!({ "id": "old", "action": "delete", "before": other, "files": [] }),
        json!({ "id": "old", "action": "update", "before": signed }),
        json!({ "id": "gone", "action": "delete", "before": signed, "files": [] }),
        json!({ "category": "a", "id": "x", "form": "folder", "item_type": "tool" }),
    ] {
        let stage = Stage::new();
        stage.file("project/.ai/knowledge/old.md", &note("old", ""));
        forge(&stage, &forged(&keys));
        refused(&stage, 1, &keys.to_string());
    }
}

#[test]
fn files_that_are_large_or_none_are_not_placed() {
    let stage = Stage::new();
    forge(&stage, &honest().to_string());
    let file = stage.path("project/.ai/workspaces/a/proposals/p/item/x.md");
    let large = std::fs::File::create(&file).expect("a file");
    large.set_len(200 * 1024 * 1024).expect("a hole");
    refused(&stage, 1, "a large file");
    std::fs::write(&file, b"---\nid: x\ntitle: \xff\n---\n").expect("written");
    refused(&stage, 1, "no text");
    std::fs::remove_file(&file).expect("gone");
    stage.file("beside/x.md", &note("x", "hush-hush"));
    std::os::unix::fs::symlink(stage.path("beside/x.md"), &file).expect("a link");
    refused(&stage, 1, "a link");
    std::fs::remove_file(&file).expect("gone");
    assert!(Command::new("mkfifo").arg(&file).status().expect("mkfifo").success());
    refused(&stage, 1, "a pipe");
    std::fs::remove_file(&file).expect("gone");
    std::fs::create_dir(&file).expect("a folder");
    refused(&stage, 1, "a folder");
}

#[test]
fn a_file_that_nobody_named_is_not_placed() {
    let stage = Stage::new();
    forge(&stage, &honest().to_string());
    stage.file("project/.ai/workspaces/a/proposals/p/item/evil.sh", "true\n");
    stage.file("project/.ai/workspaces/a/proposals/p/item/x.md.sig", "{}");
    let before = stage_files(&stage);
    assert_eq!(person(&stage, &["review", "--accept", "a/p"])["code"], "IT-REVIEW-S-003");
    let new = stage_files(&stage).into_keys().filter(|path| !before.contains_key(path));
    assert_eq!(new.collect::<Vec<_>>(), ["project/.ai/knowledge/x.md"]);
    // Nor is a signature that was named.
    let stage = Stage::new();
    let about = forged(&json!({
        "item_type": "tool", "form": "folder", "files": [".sig", "manifest.yaml"]
    }));
    forge(&stage, &about);
    let folder = "project/.ai/workspaces/a/proposals/p/item";
    stage.file(&format!("{folder}/.sig"), "{}");
    stage.file(&format!("{folder}/manifest.yaml"), &tool("x"));
    refused(&stage, 1, "a signature");
    // What is shown as another file does not become the main one.
    let keys = json!({ "item_type": "tool", "form": "folder", "files": ["README.md"] });
    stage.file("project/.ai/workspaces/a/proposals/p/proposal.json", &forged(&keys));
    stage.file(&format!("{folder}/README.md"), &tool("x"));
    refused(&stage, 1, "a manifest by another name");
}

#[test]
fn two_agents_may_call_their_proposals_alike() {
    let stage = Stage::new();
    for agent in ["a", "b"] {
        let folder = format!("project/.ai/workspaces/{agent}/proposals/same");
        let about = forged(&json!({ "id": agent, "files": [format!("{agent}.md")] }));
        stage.file(&format!("{folder}/proposal.json"), &about);
        stage.file(&format!("{folder}/item/{agent}.md"), &note(agent, "mine"));
    }
    let listed = person(&stage, &["review", "--list"]);
    let names = listed["data"]["proposals"].as_array().expect("proposals").iter();
    let names = names.map(|one| one["proposal"].as_str().expect("a name"));
    assert_eq!(names.collect::<Vec<_>>(), ["a/same", "b/same"]);
    let before = tree(&stage.path("project/.ai/workspaces"));
    for verdict in ["--show", "--accept", "--reject"] {
        let reply = person(&stage, &["review", verdict, "same"]);
        assert_eq!(reply["code"], "IT-REVIEW-I-001", "which one is not clear");
    }
    assert_eq!(tree(&stage.path("project/.ai/workspaces")), before);
    assert_eq!(person(&stage, &["review", "--accept", "b/same"])["code"], "IT-REVIEW-S-003");
    assert!(stage.path("project/.ai/knowledge/b.md").is_file());
    assert!(!stage.path("project/.ai/knowledge/a.md").exists());
    assert_eq!(person(&stage, &["review", "--reject", "same"])["code"], "IT-REVIEW-S-004");
    assert_eq!(person(&stage, &["review"])["data"]["count"], 0);
}

#[test]
fn a_folder_that_is_taken_in_place_takes_proposals() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "folders: {directives: [.claude/skills]}\n");
    stage.file("project/.claude/skills/s/SKILL.md", &skill("s"));
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let text = skill("s") + "More.\n";
    let arguments = json!({
        "item_type": "directive", "action": "update", "item_id": "s", "content": text
    });
    assert_eq!(mcp.call("execute", &arguments)["code"], "IT-CHANGE-S-002");
    let listed = person(&stage, &["review", "--list"]);
    let name = listed["data"]["proposals"][0]["proposal"].as_str().expect("a name");
    assert_eq!(person(&stage, &["review", "--accept", name])["code"], "IT-REVIEW-S-003");
    let kept = std::fs::read_to_string(stage.path("project/.claude/skills/s/SKILL.md"));
    assert_eq!(kept.expect("the skill"), text);
}

#[test]
fn a_proposal_does_not_steer_the_terminal_it_is_read_at() {
    let stage = Stage::new();
    forge(&stage, &honest().to_string());
    let hidden = "\u{1b}[8mhidden\u{1b}[0m \u{1b}]0;title\u{7} \r over \u{202e}";
    let file = "project/.ai/workspaces/a/proposals/p/item/x.md";
    stage.file(file, &note("x", hidden));
    let mere = stage.command("project").get_program().to_owned();
    let line = format!("{} review --show a/p --color never", mere.to_str().expect("UTF-8"));
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("HOME", stage.path("home"));
    let output = script.current_dir(stage.path("project")).output().expect("script");
    let shown = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    assert!(shown.contains("hidden"), "{shown:?}");
    for steering in ['\u{1b}', '\u{7}', '\r', '\u{202e}'] {
        assert!(!shown.contains(steering), "{steering:?} in {shown:?}");
    }
}

#[test]
fn what_is_accepted_is_what_was_shown() {
    let stage = Stage::new();
    forge(&stage, &honest().to_string());
    let shown = person(&stage, &["review", "--show", "a/p"]);
    let digest = shown["data"]["digest"].as_str().expect("a digest").to_owned();
    stage.file("project/.ai/workspaces/a/proposals/p/item/x.md", &note("x", "swapped"));
    let before = stage_files(&stage);
    let accept = ["review", "--accept", "a/p", "--digest", &digest];
    assert_eq!(person(&stage, &accept)["code"], "IT-REVIEW-I-003");
    assert_eq!(stage_files(&stage), before);
    stage.file("project/.ai/workspaces/a/proposals/p/item/x.md", &note("x", "forged"));
    assert_eq!(person(&stage, &accept)["code"], "IT-REVIEW-S-003");
}
