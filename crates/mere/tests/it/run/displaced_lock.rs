//! Lockfiles that are not where they belong, and lockfiles of tools that are moved or deleted.

use serde_json::{Value, json};

use super::pinned::{LOCK, SIDECAR, locked, mv};
use crate::support::workshop::Workshop;

fn refused(workshop: &Workshop, case: &str) -> Value {
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["reply_type"], "E", "{case}: {reply:#}");
    assert!(!reply.to_string().contains("ran"), "{case}: {reply:#}");
    let hint = reply["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("mere lock"), "{case}: {reply:#}");
    reply
}

fn runs(workshop: &Workshop) -> Value {
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    reply["data"]["lockfile"].clone()
}

#[test]
fn a_lockfile_or_its_signature_at_the_wrong_place_stops_the_run() {
    let elsewhere = "project/.ai/lockfiles/u/a@1.0.0.lock.json";
    let elsewhere_sidecar = format!("{elsewhere}.sig");
    let renamed = "project/.ai/lockfiles/t/b@1.0.0.lock.json";
    let renamed_sidecar = format!("{renamed}.sig");
    let newer = "project/.ai/lockfiles/t/a@2.0.0.lock.json";
    let newer_sidecar = format!("{newer}.sig");
    let cases: [(&str, &[(&str, &str)]); 8] = [
        ("moved", &[(LOCK, elsewhere), (SIDECAR, &elsewhere_sidecar)]),
        ("moved without its signature", &[(LOCK, elsewhere)]),
        ("its signature moved", &[(SIDECAR, &elsewhere_sidecar)]),
        ("renamed", &[(LOCK, renamed), (SIDECAR, &renamed_sidecar)]),
        ("renamed without its signature", &[(LOCK, renamed)]),
        ("another version", &[(LOCK, newer), (SIDECAR, &newer_sidecar)]),
        ("another version, without its signature", &[(LOCK, newer)]),
        ("taken out of the space", &[(LOCK, "elsewhere.json")]),
    ];
    for (case, moves) in cases {
        let workshop = locked();
        for (from, to) in moves {
            mv(&workshop, from, to);
        }
        refused_or_unsigned(&workshop, case);
        // Put back, it counts again.
        for (from, to) in moves {
            mv(&workshop, to, from);
        }
        assert!(runs(&workshop).is_string(), "{case}");
    }
}

/// A lockfile without its signature is denied where it lies; everything else is an error.
fn refused_or_unsigned(workshop: &Workshop, case: &str) {
    if case == "its signature moved" {
        let reply = workshop.call("a", &json!({}));
        assert!(matches!(reply["reply_type"].as_str(), Some("E" | "D")), "{case}: {reply:#}");
    } else {
        refused(workshop, case);
    }
}

#[test]
fn a_lockfile_that_says_itself_where_it_belongs_stops_the_run_without_any_signature() {
    let workshop = locked();
    std::fs::remove_file(workshop.stage.path(SIDECAR)).expect("removed");
    mv(&workshop, LOCK, "project/.ai/lockfiles/u/a@1.0.0.lock.json");
    let reply = workshop.call("a", &json!({}));
    assert_ne!(reply["reply_type"], "S", "{reply:#}");
    // One of another tool is nobody's business.
    std::fs::remove_dir_all(workshop.stage.path("project/.ai/lockfiles/u")).expect("removed");
    workshop.stage.file("project/.ai/lockfiles/u/a@1.0.0.lock.json", "{}");
    assert_eq!(runs(&workshop), Value::Null);
}

#[test]
fn what_is_left_of_a_lockfile_is_named_and_locking_again_settles_it() {
    let workshop = locked();
    std::fs::remove_file(workshop.stage.path(LOCK)).expect("removed");
    let reply = refused(&workshop, "deleted without its signature");
    let message = reply["message"].as_str().unwrap_or_default();
    let address = "ROOT_PROJECT:/.ai/lockfiles/t/a@1.0.0.lock.json";
    assert!(message.contains(&format!("{address} is missing")), "{reply:#}");
    assert_eq!(reply["data"]["signature"], format!("{address}.sig"), "{reply:#}");
    workshop.person(&["lock", "a"]);
    assert_eq!(runs(&workshop), address);
    std::fs::remove_file(workshop.stage.path(LOCK)).expect("removed");
    std::fs::remove_file(workshop.stage.path(SIDECAR)).expect("removed");
    assert_eq!(runs(&workshop), Value::Null);
}

#[test]
fn junk_beside_no_lockfile_stops_no_run() {
    let workshop = locked();
    let text = std::fs::read_to_string(workshop.stage.path(SIDECAR)).expect("a sidecar");
    for junk in ["", "{}", &text.replace("keyid\": \"SHA256:", "keyid\": \"SHA256:x")] {
        workshop.stage.file("project/.ai/lockfiles/junk/a@1.0.0.lock.json.sig", junk);
        assert!(runs(&workshop).is_string(), "{junk}");
    }
    // Another version of the same tool is another lockfile.
    let manifest = "project/.ai/tools/t/a.yaml";
    let old = std::fs::read_to_string(workshop.stage.path(manifest)).expect("a manifest");
    workshop.stage.file(manifest, &old.replace("version: 1.0.0", "version: 2.0.0"));
    workshop.sign("a");
    std::fs::remove_file(workshop.stage.path(LOCK)).expect("removed");
    assert_eq!(runs(&workshop), Value::Null);
}

fn json_of(workshop: &Workshop, arguments: &[&str]) -> Value {
    let all = [arguments, &["--json"]].concat();
    let output = workshop.command().args(&all).output().expect("mere runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_moved_or_renamed_tool_takes_its_lockfile_along() {
    for (arguments, name, to) in [
        (["move", "tool", "a", "u"], "u/a", "project/.ai/lockfiles/u/a@1.0.0.lock.json"),
        (["move", "tool", "a", ""], "/a", "project/.ai/lockfiles/a@1.0.0.lock.json"),
        (["rename", "tool", "a", "b"], "t/b", "project/.ai/lockfiles/t/b@1.0.0.lock.json"),
    ] {
        let workshop = locked();
        workshop.person(&["lock", "a", "--scope", "user"]);
        let reply = json_of(&workshop, &arguments);
        let told = reply["data"]["lockfiles"].as_array().expect("lockfiles").clone();
        assert_eq!(told.len(), 2, "{reply:#}");
        let now = format!("ROOT_PROJECT:/{}", to.strip_prefix("project/").expect("in the project"));
        assert_eq!(told[0]["now"], now, "{reply:#}");
        assert!(reply["message"].as_str().is_some_and(|words| words.contains("was re-created")));
        for gone in [LOCK, SIDECAR, "home/.ai/lockfiles/t/a@1.0.0.lock.json"] {
            assert!(!workshop.stage.path(gone).exists(), "{gone}");
        }
        let (reply, status) = workshop.run(name, &["--locked"]);
        assert_eq!((status, &reply["data"]["lockfile"]), (0, &json!(now)), "{reply:#}");
        workshop.person(&["verify", "--all"]);
        workshop.person(&["lock", "--check"]);
    }
}

#[test]
fn a_lockfile_that_cannot_be_made_anew_is_deleted_and_named() {
    // It no longer held.
    let workshop = locked();
    workshop.tool("a", "bash_runtime", "echo changed\n");
    let reply = json_of(&workshop, &["move", "tool", "a", "u"]);
    let told = &reply["data"]["lockfiles"][0];
    assert_eq!((&told["now"], told["why"].is_string()), (&Value::Null, true), "{reply:#}");
    let message = reply["message"].as_str().unwrap_or_default();
    assert!(message.contains("was deleted") && message.contains("mere lock u/a"), "{reply:#}");
    assert!(!workshop.stage.path(LOCK).exists() && !workshop.stage.path(SIDECAR).exists());
    let (_, status) = workshop.run("u/a", &[]);
    assert_eq!(status, 0);
    // The tool is not signed.
    let workshop = locked();
    std::fs::remove_file(workshop.stage.path("project/.ai/tools/t/a.yaml.sig")).expect("removed");
    let reply = json_of(&workshop, &["rename", "tool", "a", "b"]);
    assert_eq!(reply["data"]["lockfiles"][0]["now"], Value::Null, "{reply:#}");
    assert!(!workshop.stage.path(LOCK).exists());
    assert!(!workshop.stage.path("project/.ai/lockfiles/t/b@1.0.0.lock.json").exists());
}

#[test]
fn the_check_says_that_a_lockfile_was_moved_and_the_hint_settles_it() {
    let workshop = locked();
    let elsewhere = "project/.ai/lockfiles/u/a@1.0.0.lock.json";
    mv(&workshop, LOCK, elsewhere);
    mv(&workshop, SIDECAR, &format!("{elsewhere}.sig"));
    let checked = workshop.command().args(["lock", "--check", "--json"]).output().expect("runs");
    let checked: Value = serde_json::from_slice(&checked.stdout).expect("JSON");
    let why = checked["data"]["lockfiles"][0]["why"].as_str().unwrap_or_default();
    assert!(why.contains("Item a at wrong location. Expected: ROOT_PROJECT:"), "{checked:#}");
    let reply = refused(&workshop, "moved");
    let hint = reply["hint"].as_str().unwrap_or_default().to_owned();
    let commands = hint.split('`').filter(|part| part.starts_with("mere ")).collect::<Vec<_>>();
    assert_eq!(commands.len(), 2, "{hint}");
    for command in commands {
        let mut words = command.split(' ').skip(1).collect::<Vec<_>>();
        if words[0] == "delete" {
            words.push("--yes");
        }
        workshop.person(&words);
    }
    assert!(runs(&workshop).is_string());
}

#[test]
fn a_deleted_tool_takes_its_lockfiles_with_it() {
    let workshop = locked();
    workshop.tool("b", "bash_runtime", "echo b\n");
    workshop.person(&["lock", "b"]);
    workshop.person(&["lock", "a", "--scope", "user"]);
    let output = workshop.person(&["delete", "tool", "a", "--yes"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("lockfiles/t/a@1.0.0.lock.json"), "{printed}");
    for gone in [LOCK, SIDECAR, "home/.ai/lockfiles/t/a@1.0.0.lock.json"] {
        assert!(!workshop.stage.path(gone).exists(), "{gone}");
    }
    assert!(workshop.stage.path("project/.ai/lockfiles/t/b@1.0.0.lock.json").exists());
    workshop.person(&["verify", "--all"]);
}

#[test]
fn a_lockfile_of_another_space_is_not_signed_but_made() {
    let workshop = locked();
    workshop.person(&["space", "renew", "--yes"]);
    let before = std::fs::read(workshop.stage.path(SIDECAR)).expect("a sidecar");
    let lockfile = workshop.command().args(["sign", "lockfile", "t/a"]).output().expect("runs");
    let words = [lockfile.stdout, lockfile.stderr].concat();
    let words = String::from_utf8_lossy(&words).into_owned();
    assert!(!lockfile.status.success() && words.contains("mere lock"), "{words}");
    workshop.command().args(["sign", "--all", "--yes"]).output().expect("runs");
    assert_eq!(std::fs::read(workshop.stage.path(SIDECAR)).expect("a sidecar"), before);
    let call = json!({ "item_type": "lockfile", "item_id": "t/a@1.0.0" }).to_string();
    let loaded = workshop.stage.answer(workshop.command().args(["call", "load", &call])).reply;
    assert!(loaded["hint"].as_str().is_some_and(|hint| hint.contains("mere lock a")), "{loaded:#}");
    refused(&workshop, "of another space");
    workshop.person(&["lock", "a"]);
    assert!(runs(&workshop).is_string());
}
