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

#[test]
fn what_to_try_next_in_ones_own_space_is_made_there() {
    let stage = Stage::new();
    done(&stage, &["init", "--user", "--template", "blank"]);
    let next = done(&stage, &["init", "--user"])["next"].clone();
    for command in next.as_array().expect("a list") {
        let command = command.as_str().expect("a text");
        done(&stage, &command.split(' ').skip(1).collect::<Vec<_>>());
    }
    assert!(stage.path("home/.ai/knowledge/my-first.md").exists());
    assert!(stage.path("home/.ai/directives/code-review/SKILL.md").exists());
}

/// Types `y` to both questions, and this to each question about an item.
fn init_and_answer(stage: &Stage, command: &str, answers: &[&str]) -> String {
    let mut typist = Typist::start(stage, command);
    typist.answer("Make this folder a space?", "y");
    typist.answer("sign the unsigned items now", "y");
    for answer in answers {
        typist.answer("Sign it?", answer);
    }
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    shown
}

#[test]
fn signatures_are_not_required_while_a_directive_is_unsigned() {
    for answer in ["q", "n"] {
        let stage = stage();
        let shown = init_and_answer(&stage, "init --color never", &[answer]);
        assert!(!requires_signatures(&stage), "{answer}: {shown}");
        assert!(shown.contains("could no longer use 1 item"), "{shown}");
        assert!(shown.contains(".ai/directives/release/deploy.md"), "{shown}");
        assert!(shown.contains("mere init --require-signed"), "{shown}");
        assert_eq!(agent_runs(&stage), ("S".to_owned(), "unsigned".to_owned()));
    }
}

#[test]
fn one_command_signs_what_is_left_and_requires_signatures() {
    let stage = stage();
    done(&stage, &["init"]);
    let (status, reply) = run(&stage, &["init", "--require-signed"]);
    assert_eq!((status, &reply["code"]), (1, &json!("IT-INIT-I-001")), "{reply}");
    assert_eq!(
        reply["data"]["unsigned"],
        json!(["ROOT_PROJECT:/.ai/directives/release/deploy.md"])
    );
    assert!(!requires_signatures(&stage));
    let mut typist = Typist::start(&stage, "init --require-signed --color never");
    typist.answer("sign the unsigned items now", "y");
    typist.answer("Sign it?", "y");
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("agents may now use directives"), "{shown}");
    assert!(requires_signatures(&stage));
    assert_eq!(agent_runs(&stage), ("S".to_owned(), "verified".to_owned()));
    let (status, reply) = run(&stage, &["init", "--require-signed"]);
    assert_eq!(status, 0, "{reply}");
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("left as it is")), "{reply}");
}

#[test]
fn the_rule_is_added_to_a_config_that_exists_and_its_comments_stay() {
    let configs = [
        ("# Ours.\nsensitive: [\"*.key\"] # keep\n", "# Ours.\nsensitive: [\"*.key\"] # keep\n"),
        ("sensitive: []", "sensitive: []\n"),
        ("# nothing yet\n", "# nothing yet\n"),
    ];
    for (before, kept) in configs {
        let stage = stage();
        stage.file("project/.ai/config.yaml", before);
        let shown = init_and_answer(&stage, "init --color never", &["y"]);
        assert!(shown.contains("ship it"), "the item is shown: {shown}");
        assert!(requires_signatures(&stage), "{shown}");
        assert!(config(&stage).starts_with(kept), "{}", config(&stage));
        assert_eq!(agent_runs(&stage), ("S".to_owned(), "verified".to_owned()));
    }
}

#[test]
fn a_rule_that_the_config_has_stays_and_that_is_said() {
    let stage = stage();
    stage.file("project/.ai/config.yaml", "require_signed: [tool]\n");
    let shown = init_and_answer(&stage, "init --color never", &["y"]);
    assert!(shown.contains("`require_signed` of its own"), "{shown}");
    assert_eq!(config(&stage), "require_signed: [tool]\n");
}

#[test]
fn a_config_in_braces_gets_the_rule_as_well() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "{ sensitive: [] }\n");
    done(&stage, &["init"]);
    assert_eq!(config(&stage), "{ sensitive: [], require_signed: [directive, tool, lockfile] }\n");
}

#[test]
fn notes_alone_are_offered_for_signing_too() {
    let stage = Stage::new();
    stage.file(
        "project/.ai/knowledge/plan.md",
        "---\nid: plan\ntitle: Plan\n---\n\nMost of the plan.\n",
    );
    let shown = init_and_answer(&stage, "init --color never", &["y"]);
    assert!(shown.contains("Most of the plan."), "{shown}");
    assert!(requires_signatures(&stage));
    assert!(stage.path("project/.ai/knowledge/plan.md.sig").exists(), "{shown}");
}

#[test]
fn scripts_without_a_manifest_are_shown_and_a_folder_of_scripts_is_not_empty() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/words/counter.py", "print(1)\n");
    let mut typist = Typist::start(&stage, "init --color never");
    typist.wait_for("There are no items yet.");
    typist.wait_for(
        "not a tool: ROOT_PROJECT:/.ai/tools/words/counter.py has no manifest: \
        `mere new tool words/counter` writes its manifest",
    );
    typist.answer("Make this folder a space?", "n");
    let (_, shown) = typist.finish();
    assert!(!stage.path("project/.ai/space.json").exists(), "{shown}");
    let mut typist = Typist::start(&stage, "init --color never");
    typist.answer("Make this folder a space?", "y");
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    assert!(!stage.path("project/.ai/tools/examples").exists(), "no examples among theirs");
    assert!(requires_signatures(&stage), "{shown}");
}
