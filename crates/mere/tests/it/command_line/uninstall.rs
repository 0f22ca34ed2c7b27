//! `mere where` names every folder that the program uses, and `mere uninstall` removes them.

use serde_json::Value;

use crate::support::harness::Stage;
use crate::support::typist::Typist;

fn used_stage() -> Stage {
    let stage = Stage::new();
    stage.folder("project/.git");
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init"]).status.success());
    assert!(stage.person(&["search", "items"]).status.success());
    assert!(stage.person(&["run", "hello_tool"]).status.success());
    stage
}

fn reply(stage: &Stage, arguments: &[&str]) -> Value {
    let output = stage.person(&[arguments, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).expect("a reply")
}

#[test]
fn every_folder_is_named() {
    let stage = used_stage();
    let data = reply(&stage, &["where"])["data"].clone();
    for (name, folder) in [
        ("cache", ".cache/merestone"),
        ("state", ".local/state/merestone"),
        ("data", ".local/share/merestone"),
        ("config", ".config/merestone"),
    ] {
        let path = data[name].as_str().expect("a path");
        assert!(path.ends_with(folder), "{path}");
    }
}

#[test]
fn caches_and_state_are_removed_and_nothing_else() {
    let stage = used_stage();
    let named = reply(&stage, &["uninstall", "--dry-run"])["data"]["folders"].clone();
    let names = named.as_array().expect("folders").iter().map(|one| one["name"].clone());
    assert_eq!(names.collect::<Vec<_>>(), ["cache", "state"]);
    assert!(stage.path("home/.cache/merestone").exists());
    // Without a terminal nobody can be asked.
    let refused = stage.person(&["uninstall"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stage.path("home/.cache/merestone").exists());
    assert!(stage.person(&["uninstall", "--yes"]).status.success());
    for gone in ["home/.cache/merestone", "home/.local/state/merestone"] {
        assert!(!stage.path(gone).exists(), "{gone}");
    }
    for kept in ["home/.config/merestone", "home/.ai/config.yaml", "project/.ai/space.json"] {
        assert!(stage.path(kept).exists(), "{kept}");
    }
    // What is left still works.
    assert!(stage.person(&["verify", "--all"]).status.success());
}

#[test]
fn keys_are_removed_only_at_a_terminal() {
    let stage = used_stage();
    assert_eq!(stage.person(&["uninstall", "--all"]).status.code(), Some(1));
    assert_eq!(stage.person(&["uninstall", "--all", "--yes"]).status.code(), Some(2));
    assert!(stage.path("home/.config/merestone").exists());
    let answer = |line: &str| {
        let mut typist = Typist::start(&stage, "uninstall --all");
        typist.answer("Remove these folders", line);
        typist.finish()
    };
    let (code, screen) = answer("n");
    assert!(screen.contains("Nothing was removed.") && code == 1, "{screen}");
    let (code, screen) = answer("y");
    assert!(screen.contains("your keys") && code == 0, "{screen}");
    for gone in ["home/.config/merestone", "home/.ai", "home/.local/state/merestone"] {
        assert!(!stage.path(gone).exists(), "{gone}");
    }
    assert!(stage.path("project/.ai/space.json").exists());
}
