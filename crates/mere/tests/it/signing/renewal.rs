//! `mere space renew`: a copied space gets an id of its own, and says what no longer holds.

use serde_json::{Value, json};

use crate::matrix::items::{SPACE, Signed, done, kinds, read};
use crate::signing::daily::status;
use crate::support::harness::Stage;
use crate::support::typist::Typist;

fn space(stage: &Stage) -> Value {
    serde_json::from_str(&read(stage, "project/.ai/space.json")).expect("JSON")
}

fn renew(stage: &Stage) -> Value {
    let output = stage.person(&["space", "renew", "--yes", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{reply}");
    reply
}

#[test]
fn a_renewed_space_is_another_one() {
    let stage = Signed::new().copy();
    let reply = renew(&stage);
    assert_eq!(reply["code"], "IT-SPACE-S-001", "{reply}");
    let data = &reply["data"];
    assert_eq!((&data["old_space_id"], &data["scope"]), (&json!(SPACE), &json!("project")));
    assert_eq!((&data["to_sign"], &data["to_lock"]), (&json!(6), &json!(1)), "{reply}");
    let now = space(&stage);
    assert_ne!(now["space_id"], SPACE);
    assert_eq!((&now["space_id"], &now["name"]), (&data["space_id"], &json!("project")));
    assert_eq!(now["format"], 1);
    let hint = reply["hint"].as_str().expect("a hint");
    for words in ["mere sign --all", "mere lock TOOL", "mere trust project"] {
        assert!(hint.contains(words), "{hint}");
    }
    for item in kinds() {
        assert_eq!(status(&stage, &item), "wrong-location", "{}", item.address());
    }
    let output = stage.person(&["sign", "--all", "--yes"]);
    assert!(!output.status.success(), "the lockfile is not signed");
    for item in kinds() {
        let expected = if item.kind == "lockfile" { "wrong-location" } else { "verified" };
        assert_eq!(status(&stage, &item), expected, "{}", item.address());
    }
    // Every renewal makes another one.
    let before = space(&stage);
    renew(&stage);
    assert_ne!(space(&stage)["space_id"], before["space_id"]);
}

#[test]
fn a_draft_was_signed_for_the_old_id_too() {
    for change in [false, true] {
        let stage = Signed::new().copy();
        let item = kinds()[0].clone();
        done(&stage, &["draft", item.kind, &item.reference()]);
        if change {
            stage.file(&item.main(), &item.text("BODY of a draft"));
        }
        let reply = renew(&stage);
        assert_eq!(reply["data"]["to_sign"], 6, "changed: {change}, {reply}");
    }
}

#[test]
fn nobody_renews_a_space_by_the_way() {
    let stage = Signed::new().copy();
    let before = read(&stage, "project/.ai/space.json");
    let output = stage.person(&["space", "renew"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(&stage, "project/.ai/space.json"), before);
    let mut typist = Typist::start(&stage, "space renew");
    typist.answer("an id of its own?", "n");
    assert_ne!(typist.finish().0, 0);
    assert_eq!(read(&stage, "project/.ai/space.json"), before);
    let mut typist = Typist::start(&stage, "space renew");
    typist.answer("an id of its own?", "y");
    let (ended, printed) = typist.finish();
    assert_eq!(ended, 0, "{printed}");
    assert_ne!(read(&stage, "project/.ai/space.json"), before);
}

#[test]
fn a_space_without_an_id_or_of_a_newer_format_stays_as_it_is() {
    for (text, code) in [
        (None, "IT-SPACE-I-001"),
        (Some("{\"format\": 2, \"space_id\": \"x\"}"), "IT-CHANGE-I-006"),
        (Some("{\"format\": 1}"), "IT-SPACE-I-001"),
        (Some("junk"), "IT-CHANGE-I-006"),
    ] {
        let stage = Stage::new();
        stage.file("project/.ai/config.yaml", "");
        if let Some(text) = text {
            stage.file("project/.ai/space.json", text);
        }
        let output = stage.person(&["space", "renew", "--yes", "--json"]);
        let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(reply["code"], code, "{text:?}: {reply}");
        let after = std::fs::read_to_string(stage.path("project/.ai/space.json")).ok();
        assert_eq!(after.as_deref(), text);
    }
}

#[test]
fn the_users_own_space_has_an_id_too() {
    let stage = Signed::new().copy();
    let before = read(&stage, "home/.ai/space.json");
    done(&stage, &["space", "renew", "--user", "--yes"]);
    assert_ne!(read(&stage, "home/.ai/space.json"), before);
    assert_eq!(space(&stage)["space_id"], SPACE);
    for item in kinds() {
        assert_eq!(status(&stage, &item), "verified");
    }
}

#[test]
fn a_team_of_the_old_id_decides_nothing_any_more() {
    let stage = Signed::new().copy();
    done(&stage, &["team", "init"]);
    assert_eq!(status(&stage, &kinds()[0]), "verified");
    let reply = renew(&stage);
    assert_eq!(reply["data"]["team"], true, "{reply}");
    let message = reply["message"].as_str().expect("a message");
    assert!(message.contains("team of the old id no longer decides"), "{reply}");
    // The person's own key counts again, although they were the team's admin.
    done(&stage, &["sign", "directive", "api/deploy"]);
    assert_eq!(status(&stage, &kinds()[0]), "verified");
    let output = stage.person(&["team", "show"]);
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words).into_owned();
    assert!(words.contains("another space"), "{words}");
}

#[test]
fn signatures_of_the_old_id_that_lost_their_item_accuse_nobody() {
    let stage = Signed::new().copy();
    let item = &kinds()[0];
    let to = item.category("ops");
    item.moved_without_sidecar(&stage, &to);
    assert_eq!(status(&stage, &to), "wrong-location");
    renew(&stage);
    assert_eq!(status(&stage, &to), "unsigned");
}

#[test]
fn nothing_is_signed_to_a_space_that_says_no_id() {
    let items = Signed::new();
    for text in ["{\"format\": 1}", "{\"format\": 1, \"space_id\": \"\"}"] {
        let stage = items.copy();
        let item = kinds()[0].clone();
        stage.file("project/.ai/space.json", text);
        assert_eq!(status(&stage, &item), "wrong-location", "{text}");
        let output = stage.person(&["sign", item.kind, &item.reference(), "--yes", "--json"]);
        let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_ne!(output.status.code(), Some(0), "{text}: {reply}");
        assert!(reply.to_string().contains("The space has no id."), "{text}: {reply}");
        assert_eq!(status(&stage, &item), "wrong-location", "{text}");
        assert_eq!(read(&stage, "project/.ai/space.json"), text);
    }
}
