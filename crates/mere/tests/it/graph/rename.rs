//! What `mere rename` and `mere move` do to links where several entries have one id.

use serde_json::{Value, json};

use crate::graph::load::{entry, load, reached};
use crate::graph::names::own;
use crate::support::harness::Stage;

/// Does what is said, and gives what it says of it.
fn run_move(stage: &Stage, arguments: &[&str]) -> Value {
    let output = stage.person(&[arguments, &["--json"]].concat());
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    assert_eq!(reply["code"], "IT-MOVE-S-001", "{reply}");
    reply["data"].clone()
}

fn text(stage: &Stage, path: &str) -> String {
    std::fs::read_to_string(stage.path(path)).expect("a note")
}

fn address(path: &str) -> String {
    format!("ROOT_PROJECT:/.ai/{path}.md")
}

/// The findings of one kind of `mere graph --check`, with what is to be done.
fn found(stage: &Stage, kind: &str) -> Vec<String> {
    let output = stage.person(&["graph", "--check", "--json"]);
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    let checks = reply["data"]["checks"].as_array().expect("checks").iter();
    let checks = checks.filter(|check| check["check"] == kind);
    checks.map(|check| check["fix"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_rename_writes_no_link_that_fits_several_entries() {
    let stage = Stage::new();
    entry(&stage, "retries", "", "");
    entry(&stage, "api/paging", "", "");
    entry(&stage, "note", "extends: [paging]\n", "[[paging|Pages]] [[paging.md#last]] ![[paging]]");
    let data = run_move(&stage, &["rename", "note", "paging", "retries"]);
    assert_eq!(data["relinked"], json!([address("knowledge/note")]), "{data}");
    let note = text(&stage, "project/.ai/knowledge/note.md");
    assert!(note.contains("extends: [api/retries]"), "{note}");
    assert!(note.contains("[[api/retries|Pages]] [[api/retries.md#last]] ![[api/retries]]"));
    assert_eq!(found(&stage, "ambiguous"), [""; 0]);
    let data = load(&stage, &json!({ "item_id": "api/retries" }));
    assert_eq!(reached(&data), ["incoming extends note 1", "incoming references note 1"]);
}

#[test]
fn an_entry_of_the_root_that_shares_its_new_id_is_linked_with_a_slash() {
    let stage = Stage::new();
    entry(&stage, "api/retries", "", "");
    entry(&stage, "paging", "", "By [[paging]] itself.");
    entry(&stage, "note", "extends: paging\n", "[[paging]]");
    run_move(&stage, &["rename", "note", "paging", "retries"]);
    let note = text(&stage, "project/.ai/knowledge/note.md");
    assert!(note.contains("extends: /retries") && note.contains("[[/retries]]"), "{note}");
    assert!(text(&stage, "project/.ai/knowledge/retries.md").contains("By [[/retries]] itself."));
    assert_eq!(found(&stage, "ambiguous"), [""; 0]);
}

#[test]
fn a_note_of_mine_says_the_category_where_the_project_has_the_new_id() {
    let stage = Stage::new();
    entry(&stage, "retries", "", "");
    own(&stage, "api/paging", "");
    own(&stage, "mine", "extends: [paging]\n");
    run_move(&stage, &["rename", "note", "paging", "retries", "--scope", "user"]);
    let mine = text(&stage, "home/.ai/knowledge/mine.md");
    assert!(mine.contains("extends: [api/retries]"), "{mine}");
}

#[test]
fn an_id_of_mine_does_not_make_a_new_name_of_the_project_unclear() {
    let stage = Stage::new();
    own(&stage, "ops/retries", "");
    entry(&stage, "api/paging", "", "");
    entry(&stage, "note", "extends: [paging]\n", "");
    let data = run_move(&stage, &["rename", "note", "paging", "retries"]);
    assert!(text(&stage, "project/.ai/knowledge/note.md").contains("extends: [retries]"));
    assert_eq!((&data["now_ambiguous"], &data["now_to_others"]), (&Value::Null, &Value::Null));
}

#[test]
fn exact_links_are_changed_although_another_entry_has_the_id() {
    let stage = Stage::new();
    entry(&stage, "api/limits", "", "");
    entry(&stage, "ops/limits", "", "");
    let body = "[[api/limits]] [[api/limits|L]] [[api/limits#p]] [[api/limits.md]] [[ops/limits]]";
    entry(&stage, "exact", "extends: [api/limits]\nrelated: [ops/limits]\n", body);
    entry(&stage, "both", "extends: [limits, api/limits]\n", "[[limits]] `[[limits]]`");
    entry(&stage, "bare", "", "[[limits|The limits]]");
    let data = run_move(&stage, &["rename", "note", "api/limits", "caps"]);
    let changed = [address("knowledge/both"), address("knowledge/exact")];
    assert_eq!(data["relinked"], json!(changed), "{data}");
    let exact = text(&stage, "project/.ai/knowledge/exact.md");
    assert!(exact.contains("extends: [api/caps]\nrelated: [ops/limits]\n"), "{exact}");
    let body = "[[api/caps]] [[api/caps|L]] [[api/caps#p]] [[api/caps.md]] [[ops/limits]]";
    assert!(exact.contains(body), "{exact}");
    let both = text(&stage, "project/.ai/knowledge/both.md");
    assert!(both.contains("extends: [limits, api/caps]"), "{both}");
    let left = [address("knowledge/bare"), address("knowledge/both")];
    assert_eq!(data["ambiguous"], json!({ "links": 3, "in": left }), "{data}");
    assert_eq!(data["now_to_others"], json!({ "links": 3, "in": left }), "{data}");
    assert_eq!(data["links_elsewhere"], Value::Null, "{data}");
}

#[test]
fn a_move_changes_exact_links_and_says_which_bare_ones_it_left() {
    let stage = Stage::new();
    for path in ["limits", "ops/limits", "web/limits"] {
        entry(&stage, path, "", "");
    }
    entry(&stage, "note", "extends: [/limits]\n", "[[limits]]");
    let data = run_move(&stage, &["move", "note", "/limits", "api"]);
    let note = text(&stage, "project/.ai/knowledge/note.md");
    assert!(note.contains("extends: [api/limits]") && note.contains("[[limits]]"), "{note}");
    let left = json!({ "links": 1, "in": [address("knowledge/note")] });
    assert_eq!(data["ambiguous"], left, "{data}");
    assert_eq!(data["now_to_others"], Value::Null, "it is as unclear as it was");
    let data = run_move(&stage, &["rename", "note", "web/limits", "bounds"]);
    assert_eq!((&data["ambiguous"], &data["now_to_others"]), (&left, &Value::Null), "{data}");
}

#[test]
fn a_rename_tells_of_links_that_fit_several_entries_from_now_on() {
    let stage = Stage::new();
    entry(&stage, "retries", "", "");
    entry(&stage, "api/paging", "", "");
    for number in 1..=7 {
        entry(&stage, &format!("n{number}"), "", "[[retries]] [[/retries]] [[paging]]");
    }
    own(&stage, "mine", "extends: [retries]\n");
    let data = run_move(&stage, &["rename", "note", "paging", "retries"]);
    let named = (1..=5).map(|number| address(&format!("knowledge/n{number}")));
    let expected = json!({ "links": 8, "in": named.collect::<Vec<_>>(), "left_out": 3 });
    assert_eq!(data["now_ambiguous"], expected, "{data}");
    assert_eq!((&data["ambiguous"], &data["now_to_others"]), (&Value::Null, &Value::Null));
    assert_eq!(found(&stage, "ambiguous").len(), 8);
    let printed = stage.person(&["rename", "note", "api/retries", "paging"]);
    let printed = String::from_utf8(printed.stdout).expect("UTF-8");
    assert!(printed.contains("  8 links now pointing to a different entry: "), "{printed}");
    assert!(printed.contains("n5.md and 3 more\n"), "{printed}");
    assert_eq!(found(&stage, "ambiguous"), [""; 0]);
}

#[test]
fn a_rename_tells_of_links_that_lead_to_another_scope_from_now_on() {
    let stage = Stage::new();
    own(&stage, "ops/retries", "");
    own(&stage, "mine", "extends: [paging]\n");
    own(&stage, "x/paging", "");
    entry(&stage, "api/paging", "", "");
    entry(&stage, "note", "extends: [retries]\n", "[[paging]]");
    let data = run_move(&stage, &["rename", "note", "paging", "retries"]);
    let mine = "ROOT_USER:/knowledge/mine.md";
    let expected = json!({ "links": 2, "in": [address("knowledge/note"), mine] });
    assert_eq!(data["now_to_others"], expected, "{data}");
    assert_eq!(data["links_elsewhere"], Value::Null, "{data}");
}

#[test]
fn an_unclear_link_is_told_names_that_are_clear() {
    let stage = Stage::new();
    entry(&stage, "retries", "", "");
    entry(&stage, "api/retries", "", "");
    entry(&stage, "note", "", "[[retries]]");
    assert_eq!(found(&stage, "ambiguous"), ["Name one of them: `/retries`, `api/retries`."]);
    entry(&stage, "note", "", "[[/retries|one]] ![[api/retries.md#two]]");
    assert_eq!(found(&stage, "ambiguous"), [""; 0]);
    let data = load(&stage, &json!({ "item_id": "note" }));
    assert_eq!(reached(&data).len(), 2, "{data}");
}

#[test]
fn numeric_ids_are_relinked_with_and_without_quotes() {
    let stage = Stage::new();
    for id in ["20260125", "0012"] {
        let text = format!("---\nzettel_id: {id}\ntitle: T\n---\n");
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &text);
    }
    entry(&stage, "note", "requires: [20260125, 0012]\n", "[[20260125]] [[0012]]");
    let data = load(&stage, &json!({ "item_id": "note" }));
    assert!(data.to_string().contains("knowledge/0012"), "{data}");
    run_move(&stage, &["rename", "note", "20260125", "20260126"]);
    run_move(&stage, &["rename", "note", "0012", "0013"]);
    let note = text(&stage, "project/.ai/knowledge/note.md");
    assert!(note.contains("requires: [\"20260126\", \"0013\"]"), "{note}");
    assert!(note.contains("[[20260126]] [[0013]]"), "{note}");
}
