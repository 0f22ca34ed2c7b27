//! Lockfiles: made and signed by a person, found by scope, required where a config says so.

use serde_json::json;

use crate::support::workshop::{Who, Workshop};

const LOCK: &str = "project/.ai/lockfiles/t/a@1.0.0.lock.json";

fn workshop() -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("a", "bash_runtime", "echo ran\n");
    workshop
}

#[test]
fn a_lockfile_pins_every_link_and_is_signed() {
    let workshop = workshop();
    workshop.person(&["lock", "a"]);
    let text = std::fs::read_to_string(workshop.stage.path(LOCK)).expect("a lockfile");
    let lock: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(lock["lockfile_version"], 1);
    assert_eq!(lock["root"]["integrity"], lock["resolved_chain"][0]["integrity"]);
    let links = lock["resolved_chain"].as_array().expect("links").iter();
    let links =
        links.map(|one| (one["tool_id"].clone(), one["scope"].clone(), one["executor"].clone()));
    assert_eq!(
        links.collect::<Vec<_>>(),
        [
            (json!("a"), json!("project"), json!("bash_runtime")),
            (json!("bash_runtime"), json!("builtin"), json!("subprocess")),
            (json!("subprocess"), json!("builtin"), json!(null)),
        ]
    );
    assert_eq!(lock["metadata"]["category"], "t");
    workshop.person(&["verify", "lockfile", "t/a"]);
    let (reply, status) = workshop.run("a", &["--locked"]);
    assert_eq!((status, reply["data"]["success"].clone()), (0, json!(true)));
    // Locking again is no other lockfile.
    workshop.person(&["lock", "a"]);
    let again = std::fs::read_to_string(workshop.stage.path(LOCK)).expect("a lockfile");
    assert_eq!(text, again);
}

#[test]
fn who_asks_for_a_lockfile_gets_no_run_without() {
    let workshop = workshop();
    let (reply, status) = workshop.run("a", &["--locked"]);
    assert_eq!((reply["code"].as_str(), status), (Some("EN-RUN-D-002"), 3), "{reply:#}");
    for config in ["home/.ai/config.yaml", "project/.ai/config.yaml"] {
        let before = std::fs::read_to_string(workshop.stage.path(config)).expect("a config");
        workshop.stage.file(config, &format!("{before}\nrequire_lock: true\n"));
        let reply = workshop.call("a", &json!({}));
        assert_eq!(reply["code"], "EN-RUN-D-002", "{config}");
        workshop.stage.file(config, &before);
    }
    // A project cannot take back what the user asks for.
    let own = "sign: {unattended: true}\nrequire_lock: true\n";
    workshop.stage.file("home/.ai/config.yaml", own);
    workshop.stage.file("project/.ai/config.yaml", "require_lock: false\n");
    assert_eq!(workshop.call("a", &json!({}))["code"], "EN-RUN-D-002");
    workshop.person(&["lock", "a"]);
    assert_eq!(workshop.call("a", &json!({}))["code"], "EX-RUN-S-001");
}

#[test]
fn the_projects_lockfile_counts_before_the_users() {
    let workshop = workshop();
    workshop.person(&["lock", "a", "--scope", "user"]);
    let reply = workshop.call("a", &json!({}));
    let users = "ROOT_USER:/lockfiles/t/a@1.0.0.lock.json";
    assert_eq!(reply["data"]["lockfile"], users, "{reply:#}");
    workshop.person(&["lock", "a"]);
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["data"]["lockfile"], "ROOT_PROJECT:/.ai/lockfiles/t/a@1.0.0.lock.json");
    // A broken one is not skipped in favour of the other.
    workshop.stage.file(LOCK, "{}");
    assert_eq!(workshop.call("a", &json!({}))["reply_type"], "E");
}

#[test]
fn all_lockfiles_are_compared_with_what_is_there() {
    let workshop = workshop();
    workshop.tool("b", "bash_runtime", "echo b\n");
    workshop.person(&["lock", "a"]);
    workshop.person(&["lock", "b", "--scope", "user"]);
    let output = workshop.person(&["lock", "--check"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2 lockfiles match.\n");
    workshop.tool("b", "bash_runtime", "echo other\n");
    let from = workshop.stage.path(LOCK);
    std::fs::create_dir_all(workshop.stage.path("project/.ai/lockfiles/u")).expect("a folder");
    for ending in ["", ".sig"] {
        let name = format!("a@1.0.0.lock.json{ending}");
        let from = from.with_file_name(&name);
        std::fs::rename(from, workshop.stage.path("project/.ai/lockfiles/u").join(&name))
            .expect("moved");
    }
    let output = workshop.command().args(["lock", "--check", "--json"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(4));
    let reply: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&reply["code"], &reply["data"]["findings"]), (&json!("EX-LOCK-E-001"), &json!(2)));
    let found = reply["data"]["lockfiles"].as_array().expect("findings");
    let why = |at: usize| found[at]["why"].as_str().unwrap_or_default();
    assert!(why(0).contains("Item a at wrong location."), "{reply:#}");
    assert!(why(1).contains("integrity"), "{reply:#}");
}

#[test]
fn nothing_unsigned_is_pinned_and_nobody_pins_unseen() {
    let workshop = workshop();
    std::fs::remove_file(workshop.stage.path("project/.ai/tools/t/a.yaml.sig")).expect("removed");
    let output = workshop.command().args(["lock", "a"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(3));
    workshop.sign("a");
    // Nobody is there who could sign.
    workshop.stage.file("home/.ai/config.yaml", "");
    let output = workshop.command().args(["lock", "a"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!workshop.stage.path(LOCK).exists());
}

#[test]
fn a_person_sees_which_lockfile_does_not_hold_and_why() {
    let workshop = workshop();
    workshop.person(&["lock", "a"]);
    let manifest = "project/.ai/tools/t/a.yaml";
    let text = std::fs::read_to_string(workshop.stage.path(manifest)).expect("a manifest");
    // A pin of an earlier version is no finding.
    workshop.stage.file(manifest, &text.replace("version: 1.0.0", "version: 2.0.0"));
    workshop.sign("a");
    workshop.person(&["lock", "a"]);
    let output = workshop.person(&["lock", "--check"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with("2 lockfiles match; 1 of them is for a version"), "{printed}");
    workshop.tool("a", "bash_runtime", "echo another\n");
    let output = workshop.command().args(["lock", "--check"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(4));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with("✗ .ai/lockfiles/t/a@1.0.0.lock.json\n    "), "{printed}");
    assert!(printed.contains("`integrity`"), "{printed}");
}
