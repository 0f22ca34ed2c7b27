//! What nobody vouches for neither hides nor supersedes what somebody signed.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::searches::full_search;

/// A project and a user with a signed note `rules/style`, which says "Use tabs".
fn signed_rule() -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    done(&stage, &["init", "--template", "blank"]);
    done(&stage, &["init", "--user"]);
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    stage.file("home/.ai/knowledge/rules/style.md", &note("style", "Use tabs for tables.", ""));
    done(&stage, &["sign", "note", "rules/style", "--scope", "user"]);
    stage
}

fn done(stage: &Stage, arguments: &[&str]) {
    let output = stage.person(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {stderr}");
}

fn note(id: &str, body: &str, more: &str) -> String {
    format!("---\nid: {id}\ntitle: The note {id}\n{more}---\n{body}\n")
}

/// An agent makes a note in the project, which nobody reviews.
fn make_unasked(stage: &Stage, name: &str, text: &str) {
    let call = json!({ "item_type": "knowledge", "item_id": name, "action": "create",
        "content": text });
    let answer = stage.call_text("execute", &call.to_string()).reply;
    assert_eq!(answer["reply_type"], "S", "{answer:#}");
}

fn load(stage: &Stage, arguments: &Value) -> Value {
    stage.call_text("load", &arguments.to_string()).reply
}

fn load_note(stage: &Stage, name: &str) -> Value {
    load(stage, &json!({ "item_type": "knowledge", "item_id": name }))
}

fn hits(stage: &Stage, query: &str) -> Vec<Value> {
    let answer =
        stage.call_text("search", &full_search(json!({ "query": query })).to_string()).reply;
    answer["data"]["knowledge"].as_array().unwrap_or_else(|| panic!("{answer:#}")).clone()
}

const PROJECT: &str = "ROOT_PROJECT:/.ai/knowledge/rules/style.md";
const USER: &str = "ROOT_USER:/knowledge/rules/style.md";

#[test]
fn an_unsigned_note_of_an_agent_does_not_hide_a_signed_one_of_the_user() {
    let stage = signed_rule();
    make_unasked(&stage, "rules/style", &note("style", "Use spaces for tables.", ""));
    for name in ["rules/style", "style"] {
        let found = load_note(&stage, name);
        assert_eq!(found["data"]["address"], USER, "{found:#}");
        assert_eq!(found["data"]["trust"]["status"], "verified");
        assert_eq!(found["data"]["beside"], json!([PROJECT]));
        assert_eq!(found["data"]["shadows"], Value::Null);
    }
    let call = json!({ "item_type": "knowledge", "item_id": "style" });
    let run = stage.call_text("execute", &call.to_string()).reply;
    assert_eq!(run["data"]["address"], USER, "{run:#}");
    assert_eq!(run["data"]["beside"], json!([PROJECT]));
    let asked = json!({ "item_type": "knowledge", "item_id": "style", "source": "project" });
    let asked = load(&stage, &asked);
    assert_eq!(asked["data"]["address"], PROJECT, "{asked:#}");
    assert_eq!(asked["data"]["trust"]["status"], "unsigned");
    let why = crate::support::samples::person(&stage, &["why", "note", "rules/style"]);
    assert_eq!(why["data"]["winner"], USER, "{why:#}");
}

#[test]
fn taking_the_id_in_another_category_or_twice_does_not_help() {
    let stage = signed_rule();
    make_unasked(&stage, "evil/style", &note("style", "Use spaces for tables.", ""));
    make_unasked(&stage, "worse/style", &note("style", "Use spaces for tables.", ""));
    let found = load_note(&stage, "style");
    assert_eq!(found["data"]["address"], USER, "{found:#}");
    assert_eq!(found["data"]["beside"].as_array().map(Vec::len), Some(2), "{found:#}");
    // Links mean the same note.
    make_unasked(&stage, "rules/reader", &note("reader", "See [[style]].", ""));
    let call = json!({ "item_type": "knowledge", "item_id": "reader",
        "include_relationships": true });
    let related = load(&stage, &call);
    let link = &related["data"]["relationships"]["outgoing"]["references"][0];
    assert_eq!(link["address"], USER, "{related:#}");
}

#[test]
fn a_note_that_is_not_valid_hides_nothing_either() {
    let stage = signed_rule();
    stage.file("project/.ai/knowledge/rules/style.md", "---\nid: other\n---\nUse spaces.\n");
    let found = load_note(&stage, "rules/style");
    assert_eq!(found["data"]["address"], USER, "{found:#}");
}

#[test]
fn search_says_which_of_two_notes_is_loaded() {
    let stage = signed_rule();
    make_unasked(&stage, "rules/style", &note("style", "Use spaces for tables.", ""));
    let hits = hits(&stage, "tables");
    assert_eq!(hits.len(), 2, "{hits:#?}");
    for hit in hits {
        let shadow = if hit["address"] == USER { Value::Null } else { USER.into() };
        assert_eq!(hit["shadowed_by"], shadow, "{hit:#}");
    }
}

#[test]
fn an_unsigned_note_supersedes_no_signed_one() {
    let stage = signed_rule();
    let newer = note("newer", "Use spaces for tables.", "supersedes: [rules/style]\n");
    make_unasked(&stage, "rules/newer", &newer);
    let found = load_note(&stage, "rules/style");
    assert_eq!(found["data"]["superseded_by"], Value::Null, "{found:#}");
    for hit in hits(&stage, "tables") {
        assert_eq!(hit["superseded_by"], Value::Null, "{hit:#}");
    }
    let drawing = stage.person(&["graph", "--format", "json"]);
    let drawing = String::from_utf8_lossy(&drawing.stdout).into_owned();
    assert!(!drawing.contains("\"superseded\": true"), "{drawing}");
    // Signed, it does; and unsigned notes supersede each other as before.
    done(&stage, &["sign", "note", "rules/newer"]);
    let found = load_note(&stage, "rules/style");
    assert_eq!(found["data"]["superseded_by"], "rules/newer", "{found:#}");
    make_unasked(&stage, "own/old", &note("old", "Nobody signed it.", ""));
    make_unasked(&stage, "own/new", &note("new", "Nor this.", "supersedes: [own/old]\n"));
    let found = load_note(&stage, "own/old");
    assert_eq!(found["data"]["superseded_by"], "own/new", "{found:#}");
}

#[test]
fn a_signed_note_of_the_project_hides_the_users_as_before() {
    let stage = signed_rule();
    stage.file("project/.ai/knowledge/rules/style.md", &note("style", "Use spaces.", ""));
    done(&stage, &["sign", "note", "rules/style", "--scope", "project"]);
    let found = load_note(&stage, "style");
    assert_eq!(found["data"]["address"], PROJECT, "{found:#}");
    assert_eq!(found["data"]["shadows"], json!([USER]));
    assert_eq!(found["data"]["beside"], Value::Null);
    // A changed one is reported, and not skipped.
    stage.file("project/.ai/knowledge/rules/style.md", &note("style", "Use nothing.", ""));
    let found = load_note(&stage, "style");
    assert_eq!(found["reply_type"], "E", "{found:#}");
    assert_eq!(found["data"]["trust"]["status"], "changed");
}

#[test]
fn deleting_the_signature_of_a_note_that_was_seen_makes_way_for_no_other() {
    let stage = signed_rule();
    stage.file("project/.ai/knowledge/rules/style.md", &note("style", "Use spaces.", ""));
    done(&stage, &["sign", "note", "rules/style", "--scope", "project"]);
    std::fs::remove_file(stage.path("project/.ai/knowledge/rules/style.md.sig"))
        .expect("a sidecar");
    let found = load_note(&stage, "rules/style");
    assert_eq!(found["reply_type"], "E", "{found:#}");
    assert_eq!(found["data"]["address"], PROJECT);
    assert_eq!(found["data"]["trust"]["status"], "bad-signature");
    assert_eq!(found["data"]["content"], Value::Null);
    // Whoever asks for one of them by its scope gets that one.
    for (source, address) in [("project", PROJECT), ("user", USER)] {
        let call = json!({ "item_type": "knowledge", "item_id": "style", "source": source });
        assert_eq!(load(&stage, &call)["data"]["address"], address);
    }
}

#[test]
fn a_draft_of_the_project_still_hides_the_users_note() {
    let stage = signed_rule();
    stage.file("project/.ai/knowledge/rules/style.md", &note("style", "Use spaces.", ""));
    done(&stage, &["draft", "note", "rules/style", "--scope", "project"]);
    let found = load_note(&stage, "style");
    assert_eq!(found["data"]["address"], PROJECT, "{found:#}");
    assert_eq!(found["data"]["trust"]["status"], "draft");
}

#[test]
fn a_tool_that_nobody_signed_is_refused_and_not_skipped() {
    let stage = signed_rule();
    stage.file("home/.ai/tools/t/echoer.yaml", &crate::support::samples::tool("echoer"));
    done(&stage, &["sign", "tool", "t/echoer", "--scope", "user"]);
    stage.file("project/.ai/tools/t/echoer.yaml", &crate::support::samples::tool("echoer"));
    let call = json!({ "item_type": "tool", "item_id": "echoer", "parameters": {} });
    let run = stage.call_text("execute", &call.to_string()).reply;
    assert_eq!(run["code"], "EN-RUN-D-001", "{run:#}");
}
