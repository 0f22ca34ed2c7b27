//! What a person is told about signing can be typed as it stands.

use serde_json::Value;

use crate::support::harness::Stage;
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
