//! Whose keys the user trusts: added, limited, removed, revoked, succeeded.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::trust::keys::{done, fingerprint, refused, run, ssh_keygen, text};

const STORE: &str = "home/.config/merestone/trust.json";

/// A key of somebody else: its public file, its line, its fingerprint.
fn somebody(stage: &Stage, name: &str) -> (String, String, String) {
    let file = ssh_keygen(stage, name, "ed25519", "") + ".pub";
    let line = std::fs::read_to_string(&file).expect("a key").trim().to_owned();
    let key = fingerprint(stage, &file);
    (file, line, key)
}

fn listed(stage: &Stage) -> Value {
    done(stage, &["trust", "list"])["keys"].clone()
}

#[test]
fn a_key_counts_for_what_a_person_says() {
    let stage = Stage::new();
    assert_eq!(listed(&stage), json!([]));
    assert!(!stage.path(STORE).exists(), "looking makes nothing");
    let (file, line, key) = somebody(&stage, "ada");
    let added = done(&stage, &["trust", "add", &file, "--name", "Ada Lovelace"]);
    assert_eq!((text(&added["key"]), &added["name"]), (key.as_str(), &json!("Ada Lovelace")));
    assert!(!text(&added["public"]).contains("ada@engine"), "the comment is not kept");
    let limited = [
        "trust",
        "add",
        &line,
        "--scope",
        "project",
        "--scope",
        "user",
        "--type",
        "skill",
        "--type",
        "tool",
        "--category",
        "api/auth",
    ];
    done(&stage, &limited);
    let expected = json!([{
        "key": key, "public": added["public"], "name": "Ada Lovelace",
        "scopes": ["project", "user"], "types": ["directive", "tool"], "categories": ["api/auth"],
        "revoked": false,
    }]);
    assert_eq!(listed(&stage), expected, "one record, the new limits, the name it had");
    let shown = stage.person(&["trust", "list"]);
    let shown = String::from_utf8(shown.stdout).expect("UTF-8");
    let line =
        "Ada Lovelace  scope project, user; type directive, tool; category api/auth".to_owned();
    assert_eq!(shown, format!("{key}  {line}\n"));
    done(&stage, &["trust", "remove", "Ada Lovelace"]);
    assert_eq!(listed(&stage), json!([]));
    assert_eq!(refused(&stage, &["trust", "remove", &key]), "IT-SIGNER-I-001");
}

#[test]
fn what_is_no_public_key_is_not_added() {
    let stage = Stage::new();
    let private = ssh_keygen(&stage, "private", "ed25519", "");
    let rsa = ssh_keygen(&stage, "rsa", "rsa", "") + ".pub";
    for file in [private.as_str(), &rsa] {
        assert_eq!(refused(&stage, &["trust", "add", file]), "IT-SIGNER-I-003", "{file}");
    }
    let (_, one, _) = somebody(&stage, "one");
    let (_, two, _) = somebody(&stage, "two");
    let both = stage.file("beside/both.pub", &format!("{one}\n{two}\n"));
    let both = both.to_str().expect("UTF-8");
    assert_eq!(refused(&stage, &["trust", "add", both]), "IT-SIGNER-I-003", "one key each");
    assert_eq!(refused(&stage, &["trust", "add", "../beside/none.pub"]), "IT-SIGNER-I-006");
    assert_eq!(refused(&stage, &["trust", "add", "../beside"]), "IT-SIGNER-E-002");
    // Weak keys sign anything for anybody.
    let weak = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let usage = [
        &["trust", "add", weak][..],
        &["trust", "add", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAA"],
        &["trust", "add", &one, "--type", "spell"],
        &["trust", "add", &one, "--scope", "registry"],
        &["trust", "add", &one, "--name", "a\u{202e}b"],
        &["trust", "revoke", "SHA256:short"],
        &["trust", "add"],
    ];
    for arguments in usage {
        assert_eq!(stage.person(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert!(!stage.path(STORE).exists());
}

#[test]
fn a_revoked_key_stays_revoked_until_a_person_takes_that_back() {
    let stage = Stage::new();
    let (file, line, key) = somebody(&stage, "ada");
    done(&stage, &["trust", "add", &file, "--name", "Ada"]);
    let revoked = done(&stage, &["trust", "revoke", "Ada"]);
    assert_eq!((&revoked["revoked"], text(&revoked["key"])), (&json!(true), key.as_str()));
    let (status, reply) = run(&stage, &["trust", "add", &line]);
    assert_eq!((status, text(&reply["code"])), (1, "IT-SIGNER-I-002"));
    assert!(text(&reply["hint"]).contains(&format!("`mere trust remove {key}`")), "{reply}");
    done(&stage, &["trust", "revoke", &key]);
    assert_eq!(listed(&stage).as_array().map(Vec::len), Some(1), "once is enough");
    done(&stage, &["trust", "remove", &key]);
    done(&stage, &["trust", "add", &line]);
    assert_eq!(listed(&stage)[0]["revoked"], false);
}

#[test]
fn any_key_can_be_revoked_however_it_is_named() {
    let stage = Stage::new();
    let (_, line, by_line) = somebody(&stage, "line");
    let (file, _, by_file) = somebody(&stage, "file");
    let (_, later, by_name) = somebody(&stage, "fingerprint");
    let own = done(&stage, &["keys", "generate", "--no-passphrase"]);
    for (name, key, is_known) in [
        (line.as_str(), by_line.as_str(), true),
        (file.as_str(), by_file.as_str(), true),
        (by_name.as_str(), by_name.as_str(), false),
        (text(&own["key"]), text(&own["key"]), true),
    ] {
        let (_, reply) = run(&stage, &["trust", "revoke", name]);
        let revoked = &reply["data"];
        assert_eq!((text(&revoked["key"]), &revoked["revoked"]), (key, &json!(true)));
        assert_eq!(revoked["public"].is_string(), is_known, "{name}");
        assert_eq!(reply["hint"].is_string(), name == text(&own["key"]), "one's own: {reply}");
    }
    assert_eq!(listed(&stage).as_array().map(Vec::len), Some(4));
    assert_eq!(refused(&stage, &["trust", "add", &later]), "IT-SIGNER-I-002");
    assert_eq!(refused(&stage, &["trust", "revoke", "Nobody"]), "IT-SIGNER-I-001");
    // A name that was given wins over a file of that name.
    let (other, _, other_key) = somebody(&stage, "other");
    std::fs::copy(&other, stage.path("project/Ada")).expect("a file called Ada");
    let (ada, _, ada_key) = somebody(&stage, "ada");
    done(&stage, &["trust", "add", &ada, "--name", "Ada"]);
    assert_eq!(text(&done(&stage, &["trust", "revoke", "Ada"])["key"]), ada_key);
    done(&stage, &["trust", "remove", "Ada"]);
    assert_eq!(text(&done(&stage, &["trust", "revoke", "Ada"])["key"]), other_key);
}

/// Rotates the user's own key, and returns the old one, the new one and the proof.
fn rotated(stage: &Stage) -> (Value, Value, String) {
    let old = done(stage, &["keys", "generate", "--no-passphrase"]);
    done(stage, &["keys", "use", text(&old["key"])]);
    let new = done(stage, &["keys", "rotate", "--no-passphrase"]);
    let proof = text(&new["rotation"]).to_owned();
    (old, new, proof)
}

#[test]
fn a_successor_counts_like_the_key_before_it() {
    let stage = Stage::new();
    let (old, new, proof) = rotated(&stage);
    stage.file("project/proof", &proof);
    let rotate = ["trust", "rotate", "proof"];
    assert_eq!(refused(&stage, &rotate), "IT-SIGNER-I-001", "the old key is not trusted");
    let limited = ["--name", "Ada", "--type", "tool", "--scope", "project"];
    done(&stage, &[&["trust", "add", text(&old["public"])][..], &limited].concat());
    let data = done(&stage, &rotate);
    assert_eq!((&data["key"], &data["old"]), (&new["key"], &old["key"]));
    let keys = listed(&stage);
    for field in ["name", "scopes", "types", "categories", "revoked"] {
        assert_eq!(keys[0][field], keys[1][field], "{field}");
    }
    let (status, reply) = run(&stage, &["trust", "remove", "Ada"]);
    assert_eq!((status, text(&reply["code"])), (1, "IT-SIGNER-I-005"));
    assert_eq!(reply["data"]["keys"], json!([old["key"], new["key"]]));
    done(&stage, &["trust", "revoke", text(&old["key"])]);
    assert_eq!(refused(&stage, &rotate), "IT-SIGNER-I-002", "a revoked key names no successor");
    done(&stage, &["trust", "remove", text(&old["key"])]);
    done(&stage, &["trust", "add", text(&old["public"])]);
    done(&stage, &["trust", "revoke", text(&new["key"])]);
    assert_eq!(refused(&stage, &rotate), "IT-SIGNER-I-002", "nor does it bring one back");
}

#[test]
fn a_forged_rotation_changes_nothing() {
    let stage = Stage::new();
    let (old, _, proof) = rotated(&stage);
    let (_, _, other) = rotated(&stage);
    done(&stage, &["trust", "add", text(&old["public"])]);
    let before = std::fs::read(stage.path(STORE)).expect("a store");
    let parsed: Value = serde_json::from_str(&proof).expect("JSON");
    let strange: Value = serde_json::from_str(&other).expect("JSON");
    let changed = |edit: &dyn Fn(&mut Value)| {
        let mut forged = parsed.clone();
        edit(&mut forged["rotation"]);
        forged.to_string()
    };
    let forged = [
        String::new(),
        "{}".to_owned(),
        proof[..proof.len() - 3].to_owned(),
        changed(&|one| one["signatures"] = json!([one["signatures"][0]])),
        changed(&|one| one["signatures"] = json!([one["signatures"][1]])),
        changed(&|one| one["signatures"] = strange["rotation"]["signatures"].clone()),
        changed(&|one| one["payload"] = strange["rotation"]["payload"].clone()),
        changed(&|one| one["payloadType"] = "application/vnd.merestone.roster.v1+json".into()),
        changed(&|one| one["more"] = json!(1)),
    ];
    for forged in forged {
        stage.file("project/proof", &forged);
        assert_eq!(refused(&stage, &["trust", "rotate", "proof"]), "IT-SIGNER-I-004", "{forged}");
    }
    assert_eq!(refused(&stage, &["trust", "rotate", "none"]), "IT-SIGNER-I-006");
    assert_eq!(std::fs::read(stage.path(STORE)).expect("a store"), before);
}

#[test]
fn a_damaged_store_is_never_written_over() {
    let stage = Stage::new();
    let (file, line, key) = somebody(&stage, "ada");
    done(&stage, &["trust", "add", &file, "--name", "Ada"]);
    done(&stage, &["trust", "revoke", "Ada"]);
    let good = std::fs::read_to_string(stage.path(STORE)).expect("a store");
    let damages = [
        String::new(),
        good[..good.len() / 2].to_owned(),
        good.replace("\"revoked\": true", "\"revoked\": \"true\""),
        good.replace("\"revoked\": true", "\"revoked\": true, \"revoked\": false"),
        good.replace("\"revoked\"", "\"revokes\""),
        good.replace("\"name\"", "\"until\": 1, \"name\""),
        good.replace(&key, "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU"),
        good.replace("\"types\": []", "\"types\": [\"spell\"]"),
    ];
    let (_, other, _) = somebody(&stage, "other");
    for damage in damages {
        assert_ne!(damage, good);
        stage.file(STORE, &damage);
        for command in [
            &["trust", "list"][..],
            &["trust", "add", &other],
            &["trust", "add", &line],
            &["trust", "remove", "Ada"],
            &["trust", "revoke", &key],
        ] {
            assert_eq!(refused(&stage, command), "IT-SIGNER-E-001", "{damage} {command:?}");
        }
        assert_eq!(std::fs::read_to_string(stage.path(STORE)).expect("there"), damage);
    }
}

#[test]
fn a_store_that_cannot_be_read_does_not_pass_for_an_empty_one() {
    let stage = Stage::new();
    let (file, ..) = somebody(&stage, "ada");
    done(&stage, &["trust", "add", &file]);
    let mut command = stage.unprivileged("project");
    let closed = std::os::unix::fs::PermissionsExt::from_mode(0o000);
    std::fs::set_permissions(stage.path(STORE), closed).expect("closed");
    let output = command.args(["trust", "list", "--json"]).output().expect("mere runs");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(reply["code"], "IT-SIGNER-E-001");
}
