//! Files that decide whom a person trusts: nobody else may be able to change them, as with ssh.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::foreign_owner::with_foreign;
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
