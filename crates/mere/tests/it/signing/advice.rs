//! What a person is told about signing is true, is said once, and can be typed as it stands.

use serde_json::Value;

use crate::support::harness::Stage;
use crate::support::typist::Typist;
use crate::trust::keys::{done, run, text};

/// A stage with a new space whose user signs without being asked.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    done(&stage, &["init"]);
    stage
}

/// What `mere verify` says about the item at an address.
fn verified(stage: &Stage, address: &str) -> Value {
    let (_, reply) = run(stage, &["verify"]);
    let items = reply["data"]["items"].as_array().expect("a list");
    items.iter().find(|item| item["address"] == address).cloned().unwrap_or_default()
}

/// Types each command that stands in a text between backticks.
fn type_commands(stage: &Stage, advice: &str) {
    for command in advice.split('`').filter(|part| part.starts_with("mere sign ")) {
        done(stage, &command.split(' ').skip(1).collect::<Vec<_>>());
    }
}

#[test]
fn the_advice_about_an_item_of_ones_own_signs_that_one() {
    let stage = stage();
    let own = "ROOT_USER:/knowledge/api/paging.md";
    done(&stage, &["new", "note", "api/paging"]);
    done(&stage, &["copy", "note", "paging", "--to", "user"]);
    // The project has an item of that name too, so the bare command would sign the project's.
    let before = verified(&stage, own);
    assert_eq!(before["status"], "unsigned");
    assert!(text(&before["fix"]).contains("mere sign knowledge api/paging --scope user`"));
    type_commands(&stage, text(&before["fix"]));
    assert_eq!(verified(&stage, own), Value::Null, "it is verified");
    let project = verified(&stage, "ROOT_PROJECT:/.ai/knowledge/api/paging.md");
    assert_eq!(project["status"], "unsigned", "the other one is not touched");
    assert!(!text(&project["fix"]).contains("--scope"), "{project}");
    stage.file("home/.ai/knowledge/api/paging.md", "---\nid: paging\ntitle: Other\n---\n");
    type_commands(&stage, text(&verified(&stage, own)["fix"]));
    assert_eq!(verified(&stage, own), Value::Null, "it is verified again");
}

#[test]
fn a_new_item_of_ones_own_is_signed_by_what_is_said_about_it() {
    let stage = stage();
    for (kind, id) in [("tool", "t/mine"), ("directive", "d/mine")] {
        let (status, reply) = run(&stage, &["new", kind, id, "--user"]);
        assert_eq!(status, 0, "{reply}");
        assert!(text(&reply["hint"]).contains("--scope user"), "{reply}");
        type_commands(&stage, text(&reply["hint"]));
    }
    let (status, reply) = run(&stage, &["verify", "--scope", "user"]);
    assert_eq!((status, &reply["data"]["counts"]["verified"]), (0, &Value::from(2)), "{reply}");
}

#[test]
fn a_draft_without_changes_is_shown_as_a_draft() {
    let stage = stage();
    done(&stage, &["draft", "note", "how-items-work"]);
    let plan = done(&stage, &["sign", "--all", "--dry-run"]);
    assert_eq!(plan["items"][0]["status"], "draft", "{plan}");
    assert_eq!(plan["count"], 1, "{plan}");
}

#[test]
fn a_warning_is_shown_once_with_what_differs() {
    let stage = stage();
    let knowledge = stage.path("project/.ai/knowledge");
    std::fs::rename(knowledge.join("examples"), knowledge.join("team")).expect("moved");
    let typist = Typist::start(&stage, "sign knowledge team/how-items-work --color never");
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    assert_eq!(shown.matches("its file states another category").count(), 1, "{shown}");
    // Where nothing is shown before, it is still said.
    std::fs::rename(knowledge.join("team"), knowledge.join("others")).expect("moved");
    let output = stage.person(&["sign", "knowledge", "others/how-items-work"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("its file states another category"), "{said}");
}

#[test]
fn plain_sign_counts_what_it_does_not_offer() {
    let stage = stage();
    done(&stage, &["new", "note", "loose"]);
    done(&stage, &["new", "directive", "strict"]);
    let mut typist = Typist::start(&stage, "sign --color never");
    typist.answer("Sign it?", "y");
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("1 item is unsigned, which is permitted here"), "{shown}");
}
