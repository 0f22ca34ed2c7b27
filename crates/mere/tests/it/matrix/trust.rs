//! Whose signature it is: trusted, trusted for something else, revoked, succeeded.

use serde_json::{Value, json};

use crate::matrix::attacks::{Expected, check_all};
use crate::matrix::items::{Signed, TestItem, copy_tree, kinds};
use crate::support::harness::Stage;
use crate::trust::keys::{done, text};

/// The items in a stage of somebody else's: another machine, another home, another folder.
fn elsewhere(signed: &Signed) -> Stage {
    let stage = Stage::new();
    copy_tree(&signed.copy().path("project"), &stage.path("project"));
    stage
}

/// The author's key: its line and its name.
fn author(signed: &Signed) -> (String, String) {
    let key = done(&signed.copy(), &["keys", "export"]);
    (text(&key["public"]).to_owned(), text(&key["key"]).to_owned())
}

/// `trust` of every item, as an agent is told of it.
fn trust_data(stage: &Stage) -> [Value; 7] {
    kinds().map(|item| crate::matrix::attacks::load(stage, &item).reply["data"]["trust"].clone())
}

fn statuses(stage: &Stage) -> Vec<String> {
    trust_data(stage).iter().map(|trust| text(&trust["status"]).to_owned()).collect()
}

#[test]
fn it_is_verified_for_everybody_who_trusts_the_key() {
    let signed = Signed::new();
    let (line, key) = author(&signed);
    let stage = elsewhere(&signed);
    let unknown = Expected::Warned("unknown-key");
    check_all(&stage, "nobody trusts it", &kinds().map(|item| (item, unknown.clone())));
    done(&stage, &["trust", "add", &line, "--name", "Ada"]);
    for trust in trust_data(&stage) {
        let expected = json!({ "status": "verified", "key": key, "signer": "Ada" });
        assert_eq!(trust, expected);
    }
    done(&stage, &["trust", "remove", "Ada"]);
    assert_eq!(statuses(&stage), ["unknown-key"; 7]);
}

#[test]
fn a_key_counts_only_for_what_it_is_trusted_for() {
    let signed = Signed::new();
    let (line, _) = author(&signed);
    let is = |is_trusted: fn(&TestItem) -> bool| {
        kinds().map(|item| if is_trusted(&item) { "verified" } else { "unknown-key" })
    };
    let cases: [(&[&str], [&str; 7]); 5] = [
        (&["--type", "tool"], is(|item| item.kind == "tool")),
        (&["--category", "api"], is(|item| item.category == "api")),
        (&["--category", "api/deep"], is(|_| false)),
        (&["--scope", "user"], is(|_| false)),
        (&["--scope", "project", "--type", "skill"], is(|item| item.kind == "directive")),
    ];
    for (limits, expected) in cases {
        let stage = elsewhere(&signed);
        done(&stage, &[&["trust", "add", &line], limits].concat());
        assert_eq!(statuses(&stage), expected, "{limits:?}");
    }
}

#[test]
fn what_a_revoked_key_signed_is_broken() {
    let signed = Signed::new();
    let (line, key) = author(&signed);
    let revoked = kinds().map(|item| (item, Expected::Broken("revoked-key")));
    let own = signed.copy();
    done(&own, &["trust", "revoke", &key]);
    check_all(&own, "one's own", &revoked);
    let trusted = elsewhere(&signed);
    done(&trusted, &["trust", "add", &line]);
    done(&trusted, &["trust", "revoke", &key]);
    check_all(&trusted, "trusted before", &revoked);
    let untrusted = elsewhere(&signed);
    done(&untrusted, &["trust", "revoke", &key]);
    check_all(&untrusted, "never trusted", &revoked);
    for trust in trust_data(&untrusted) {
        assert_eq!(trust, json!({ "status": "revoked-key", "key": key }));
    }
    done(&untrusted, &["trust", "remove", &key]);
    assert_eq!(statuses(&untrusted), ["unknown-key"; 7], "taken back");
}

#[test]
fn a_project_narrows_whose_keys_count_and_never_widens() {
    let signed = Signed::new();
    let (line, key) = author(&signed);
    let config = |stage: &Stage, keys: &str| {
        let text = format!("folders: {{directives: [.claude/skills]}}\ntrusted_keys: [{keys}]\n");
        stage.file("project/.ai/config.yaml", &text);
    };
    let stage = elsewhere(&signed);
    config(&stage, &key);
    assert_eq!(statuses(&stage), ["unknown-key"; 7], "a project cannot trust for its user");
    done(&stage, &["trust", "add", &line]);
    assert_eq!(statuses(&stage), ["verified"; 7]);
    config(&stage, "");
    assert_eq!(statuses(&stage), ["unknown-key"; 7], "none is none");
    let other = done(&stage, &["keys", "generate", "--no-passphrase"]);
    config(&stage, text(&other["key"]));
    assert_eq!(statuses(&stage), ["unknown-key"; 7]);
}

#[test]
fn a_damaged_list_of_trusted_keys_trusts_nobody() {
    let signed = Signed::new();
    let (line, _) = author(&signed);
    let stage = elsewhere(&signed);
    done(&stage, &["trust", "add", &line]);
    let store = "home/.config/merestone/trust.json";
    let whole = std::fs::read_to_string(stage.path(store)).expect("a list");
    for end in [0, 1, whole.len() / 2, whole.len() - 3] {
        stage.file(store, &whole[..end]);
        assert_eq!(statuses(&stage), ["unknown-key"; 7], "cut at {end}");
    }
}

#[test]
fn a_successor_counts_like_the_key_before_it() {
    let signed = Signed::new();
    let stage = signed.copy();
    let (line, _) = author(&signed);
    let rotated = done(&stage, &["keys", "rotate", "--no-passphrase"]);
    assert_eq!(statuses(&stage), ["verified"; 7], "what the old key signed still counts");
    for item in kinds() {
        std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
    }
    crate::matrix::items::sign_all(&stage);
    let other = Stage::new();
    copy_tree(&stage.path("project"), &other.path("project"));
    done(&other, &["trust", "add", &line]);
    assert_eq!(statuses(&other), ["unknown-key"; 7]);
    let proof = other.file("beside/rotation.json", text(&rotated["rotation"]));
    done(&other, &["trust", "rotate", proof.to_str().expect("UTF-8")]);
    assert_eq!(statuses(&other), ["verified"; 7]);
}
