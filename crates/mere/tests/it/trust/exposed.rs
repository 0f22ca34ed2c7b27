//! Files that decide whom a person trusts: nobody else may be able to change them, as with ssh.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::foreign_owner::with_foreign;
use crate::support::harness::Stage;
use crate::support::workshop::{Who, Workshop};

const FOLDER: &str = "home/.config/merestone";
const STORE: &str = "home/.config/merestone/trust.json";

#[test]
fn a_list_of_trusted_keys_that_others_could_change_counts_for_nothing() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("a", "bash_runtime", "echo ran\n");
    workshop.stage.file(STORE, "{\"format\": 1, \"records\": []}\n");
    let run = || workshop.call("a", &json!({}));
    let set_mode = |path: &str, mode: u32| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(workshop.stage.path(path), permissions).expect("a mode");
    };
    assert_eq!(run()["data"]["success"], true);
    for (path, mode, usual) in [
        (STORE, 0o602, 0o600),
        (STORE, 0o620, 0o600),
        (FOLDER, 0o703, 0o700),
        (FOLDER, 0o730, 0o700),
    ] {
        set_mode(path, mode);
        let refused = run();
        assert_ne!(refused["reply_type"], "S", "{path} {mode:o}: {refused:#}");
        let listed = workshop.command().args(["trust", "list"]).output().expect("mere runs");
        let words = String::from_utf8_lossy(&[listed.stdout, listed.stderr].concat()).into_owned();
        assert!(!listed.status.success() && words.contains("chmod go-w"), "{words}");
        let doctor = workshop.command().arg("doctor").output().expect("mere runs");
        let words = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(words.contains("no key is trusted"), "{words}");
        // Nothing is added to what somebody else may have written.
        let added = workshop.command().args(["trust", "revoke", "SHA256:x"]).output();
        assert!(!added.expect("mere runs").status.success());
        set_mode(path, usual);
        assert_eq!(run()["data"]["success"], true, "{path} {usual:o}");
    }
}

#[test]
fn sudo_in_the_home_of_another_user_is_refused_and_leaves_nothing_there() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "mods: [{id: e, name: everything, path: /etc}]\n");
    let entries = || {
        let files = std::fs::read_dir(stage.path("home")).expect("a home");
        files.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
    };
    let refuse = |variable: (&str, String), arguments: &[&str]| {
        let output = with_foreign(&stage, "home", |mut command| {
            command.env(variable.0, &variable.1).env("SUDO_UID", "12345");
            command.args(arguments).output().expect("mere runs")
        });
        let words = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!output.status.success(), "{arguments:?}: {words}");
        let said = format!("`{}` names a folder of another user", variable.0);
        assert!(words.contains(&said) && words.contains("sudo -H"), "{arguments:?}: {words}");
        stage.check(&words);
    };
    let home = stage.path("home").display().to_string();
    for arguments in [
        &["call", "dir", r#"{"command":"list","path":"mod:everything"}"#][..],
        &["call", "write", r#"{"path":"ROOT_WORKSPACE:/a","content":"a"}"#],
        &["where"],
        &["init", "--user"],
        &["keys", "generate"],
        &["trust", "list"],
        &["doctor"],
        &["mcp"],
    ] {
        refuse(("HOME", home.clone()), arguments);
    }
    // Neither does another variable lead there, nor a folder that root would have to make.
    let own = stage.folder("own").display().to_string();
    for variable in ["USER_SPACE", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        let output = with_foreign(&stage, "home", |mut command| {
            command.env("HOME", &own).env(variable, format!("{home}/new/deep"));
            command.env("SUDO_UID", "12345");
            command.args(["call", "dir", "{}"]).output().expect("mere runs")
        });
        let words = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(words.contains(&format!("`{variable}` names a folder of another")), "{words}");
    }
    assert_eq!(entries(), [".ai"]);
    assert!(!stage.path("project/.ai").exists());
    // A container gives root a home of another user on purpose.
    let output = with_foreign(&stage, "home", |mut command| {
        command.env("HOME", &home).args(["call", "dir", "{}"]).output().expect("mere runs")
    });
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // With a home of its own, root works in a project of somebody else who became root.
    let mut command = stage.command("project");
    command.env("HOME", &own).env("SUDO_UID", "12345").args(["call", "dir", "{}"]);
    assert_eq!(stage.answer(&mut command).code(), "WA-DIR-S-001");
}

#[test]
fn a_list_of_trusted_keys_of_another_user_counts_for_nothing() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("a", "bash_runtime", "echo ran\n");
    workshop.stage.file(STORE, "{\"format\": 1, \"records\": []}\n");
    for path in [STORE, FOLDER] {
        let call = json!({ "item_type": "tool", "item_id": "a", "parameters": {} }).to_string();
        let refused = with_foreign(&workshop.stage, path, |mut command| {
            workshop.stage.answer(command.args(["call", "execute", &call])).reply
        });
        assert_ne!(refused["reply_type"], "S", "{path}: {refused}");
    }
    assert_eq!(workshop.call("a", &json!({}))["data"]["success"], true);
}
