//! `mere init` over a folder that has items already.

use serde_json::json;

use crate::support::harness::Stage;
use crate::support::typist::Typist;
use crate::trust::keys::{done, run};

const DIRECTIVE: &str = "<directive name=\"deploy\" version=\"1.0.0\">\n<metadata>\
    <description>Deploys</description></metadata>\n<process><step name=\"go\">\
    <action>ship it</action></step></process>\n</directive>\n";

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/.ai/directives/release/deploy.md", DIRECTIVE);
    stage.file("project/.ai/knowledge/torn.md", "no frontmatter\n");
    stage
}

fn config(stage: &Stage) -> String {
    std::fs::read_to_string(stage.path("project/.ai/config.yaml")).expect("a config")
}

fn requires_signatures(stage: &Stage) -> bool {
    config(stage).lines().any(|line| line.starts_with("require_signed"))
}

/// Whether an agent may follow the directive, with what it says about trust.
fn agent_runs(stage: &Stage) -> (String, String) {
    let call = json!({ "item_type": "directive", "item_id": "release/deploy" });
    let reply = stage.call_text("execute", &call.to_string()).reply;
    let status = reply["data"]["trust"]["status"].as_str().unwrap_or_default();
    (reply["reply_type"].as_str().expect("a type").to_owned(), status.to_owned())
}

#[test]
fn where_nobody_can_be_asked_signatures_are_not_required_and_that_is_said() {
    let stage = stage();
    let (status, reply) = run(&stage, &["init"]);
    assert_eq!(status, 0, "{reply}");
    assert!(!requires_signatures(&stage));
    let hint = reply["hint"].as_str().expect("a hint");
    assert!(hint.contains("require_signed") && hint.contains("mere sign"), "{hint}");
    assert_eq!(agent_runs(&stage), ("S".to_owned(), "unsigned".to_owned()));
    assert!(!stage.path("project/.ai/directives/examples").exists(), "no examples among theirs");
    let text = std::fs::read_to_string(stage.path("project/.ai/directives/release/deploy.md"));
    assert_eq!(text.expect("the directive"), DIRECTIVE);
}

#[test]
fn a_person_sees_what_is_there_and_signs_it_and_agents_can_use_it() {
    let stage = stage();
    let mut typist = Typist::start(&stage, "init --color never");
    typist.wait_for("0 signed, 1 unsigned, 1 broken");
    typist.wait_for("directive release/deploy · unsigned");
    typist.wait_for("knowledge torn · invalid");
    typist.answer("Make this folder a space?", "y");
    typist.answer("sign the unsigned items now", "y");
    typist.wait_for("ship it");
    typist.answer("Sign it?", "y");
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    assert!(requires_signatures(&stage));
    assert_eq!(agent_runs(&stage), ("S".to_owned(), "verified".to_owned()));
}

#[test]
fn a_person_may_leave_everything_as_it_is() {
    let stage = stage();
    let mut typist = Typist::start(&stage, "init --color never");
    typist.answer("Make this folder a space?", "n");
    let (_, shown) = typist.finish();
    assert!(shown.contains("nothing was changed"), "{shown}");
    assert!(!stage.path("project/.ai/space.json").exists());
    let mut typist = Typist::start(&stage, "init --color never");
    typist.answer("Make this folder a space?", "y");
    typist.answer("sign the unsigned items now", "n");
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    assert!(!requires_signatures(&stage), "{}", config(&stage));
    assert_eq!(agent_runs(&stage), ("S".to_owned(), "unsigned".to_owned()));
}

#[test]
fn an_empty_folder_and_a_space_are_not_asked_about() {
    let stage = Stage::new();
    done(&stage, &["init"]);
    assert!(requires_signatures(&stage));
    let mut typist = Typist::start(&stage, "init --color never");
    typist.wait_for("is already a space; nothing was changed.");
    assert_eq!(typist.finish().0, 0);
}
