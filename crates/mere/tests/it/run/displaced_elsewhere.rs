//! Lockfiles where no lockfile can be: they pinned a tool all the same.

use serde_json::{Value, json};

use super::pinned::{LOCK, SIDECAR, locked, mv};
use crate::support::workshop::{Who, Workshop};

fn run(workshop: &Workshop, id: &str) -> Value {
    workshop.call(id, &json!({}))
}

#[test]
fn a_lockfile_moved_to_where_it_is_no_item_stops_the_run_and_is_a_finding() {
    for to in [
        "project/.ai/tools/t/a@1.0.0.lock.json",
        "project/.ai/knowledge/t/a@1.0.0.lock.json",
        "project/.ai/a@1.0.0.lock.json",
        "project/.ai/lockfiles/t/a@1.0.0.lock.json.bak",
        "project/.ai/lockfiles/Old Stuff/a@1.0.0.lock.json",
        "project/.ai/lockfiles/Old Stuff/deeper/a@1.0.0.lock.json",
        "project/.ai/lockfiles/.hidden/a@1.0.0.lock.json",
        "project/.ai/lockfiles/t/.a@1.0.0.lock.json",
    ] {
        let workshop = locked();
        mv(&workshop, LOCK, to);
        mv(&workshop, SIDECAR, &format!("{to}.sig"));
        let reply = run(&workshop, "a");
        assert_eq!(reply["reply_type"], "E", "{to}: {reply:#}");
        let message = reply["message"].as_str().unwrap_or_default();
        assert!(message.contains("is missing, but its signature was left"), "{to}: {reply:#}");
        let verified = workshop.command().args(["verify", "--all", "--json"]).output();
        let verified = verified.expect("mere runs");
        let text = String::from_utf8_lossy(&verified.stdout).into_owned();
        assert_eq!(verified.status.code(), Some(4), "{to}: {text}");
        assert!(text.contains("orphaned-signature"), "{to}: {text}");
    }
}

#[test]
fn an_unsigned_lockfile_in_the_other_scope_says_itself_where_it_belongs() {
    let workshop = locked();
    std::fs::remove_file(workshop.stage.path(SIDECAR)).expect("removed");
    mv(&workshop, LOCK, "home/.ai/lockfiles/z/a@1.0.0.lock.json");
    let reply = run(&workshop, "a");
    assert_ne!(reply["reply_type"], "S", "{reply:#}");
}

#[test]
fn a_signature_of_another_kind_beside_a_file_that_is_no_item_is_nobodys_business() {
    let workshop = locked();
    workshop.stage.file("project/.ai/knowledge/t/data.tar", "not an item");
    workshop.stage.file("project/.ai/knowledge/t/data.tar.sig", "-----BEGIN PGP SIGNATURE-----");
    workshop.stage.file("project/.ai/roster.bin.sig", "untrusted comment: signature");
    workshop.person(&["verify", "--all"]);
    assert_eq!(run(&workshop, "a")["data"]["success"], true);
}

#[test]
fn a_tool_moved_by_hand_and_signed_again_does_not_lose_its_lockfile() {
    let workshop = locked();
    for file in ["a.yaml", "a.yaml.sig", "a.sh"] {
        let from = format!("project/.ai/tools/t/{file}");
        mv(&workshop, &from, &format!("project/.ai/tools/u/{file}"));
    }
    workshop.person(&["sign", "tool", "u/a"]);
    let reply = run(&workshop, "u/a");
    assert_eq!(reply["reply_type"], "E", "{reply:#}");
    let address = "ROOT_PROJECT:/.ai/lockfiles/t/a@1.0.0.lock.json";
    assert_eq!(reply["data"]["lockfile"], address, "{reply:#}");
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("mere lock u/a")));
    // A tool that exists has a lockfile of its own.
    workshop.tool("a", "bash_runtime", "echo other\n");
    assert_eq!(run(&workshop, "u/a")["data"]["success"], true);
}

#[test]
fn hints_name_the_tool_with_its_category() {
    let workshop = locked();
    workshop.tool("a", "bash_runtime", "echo changed\n");
    let reply = run(&workshop, "t/a");
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("mere lock t/a")), "{reply:#}");
}

#[test]
fn accepting_the_deletion_of_a_tool_deletes_its_lockfiles() {
    let workshop = locked();
    let delete = json!({ "item_type": "tool", "item_id": "t/a", "action": "delete" }).to_string();
    let proposed = workshop.stage.answer(workshop.command().args(["call", "execute", &delete]));
    assert!(proposed.reply["data"]["proposal"].is_string(), "{:#}", proposed.reply);
    let listed = workshop.command().args(["review", "--json"]).output().expect("mere runs");
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let name = listed["data"]["proposals"][0]["proposal"].as_str().expect("a name").to_owned();
    let output = workshop.person(&["review", "--accept", &name]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("lockfiles/t/a@1.0.0.lock.json"), "{printed}");
    assert!(!workshop.stage.path(LOCK).exists() && !workshop.stage.path(SIDECAR).exists());
}

/// An item that was moved without its signature cannot be turned into an unsigned one by putting
/// something else in its old place.
#[test]
fn a_decoy_at_the_old_place_does_not_make_a_moved_item_unsigned() {
    let workshop = Workshop::new(Who::Tester);
    let note = "---\nid: k\ntitle: Tides\n---\nThe moon.\n";
    workshop.stage.file("project/.ai/knowledge/a/k.md", note);
    workshop.person(&["sign", "knowledge", "a/k"]);
    mv(&workshop, "project/.ai/knowledge/a/k.md", "project/.ai/knowledge/b/k.md");
    let load = json!({ "item_type": "knowledge", "item_id": "b/k" }).to_string();
    let loaded = || workshop.stage.answer(workshop.command().args(["call", "load", &load])).reply;
    assert_eq!(loaded()["reply_type"], "E");
    let execute = |arguments: Value| {
        let arguments = arguments.to_string();
        workshop.stage.answer(workshop.command().args(["call", "execute", &arguments])).reply
    };
    // What an agent changes there waits for a person, as does whatever it puts in the old place.
    for (id, action) in [("b/k", "update"), ("a/k", "create")] {
        let reply = execute(json!({
            "item_type": "knowledge", "item_id": id, "action": action,
            "content": note.replace("moon", "sun"),
        }));
        assert!(reply["data"]["proposal"].is_string(), "{action}: {reply:#}");
        assert_eq!(loaded()["reply_type"], "E", "{action}");
    }
    // Whoever puts it there by hand changes nothing either.
    for decoy in ["", &note.replace("moon", "sun")] {
        workshop.stage.file("project/.ai/knowledge/a/k.md", decoy);
        let reply = loaded();
        assert_eq!(reply["reply_type"], "E", "{decoy:?}: {reply:#}");
    }
}
