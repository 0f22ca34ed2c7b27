//! Very many links: what is told of them has bounds, and what is not told is counted.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::graph::load::{entry, load};
use crate::support::harness::Stage;

/// A list for a relation.
fn list(names: impl Iterator<Item = String>) -> String {
    format!("[{}]", names.collect::<Vec<_>>().join(", "))
}

#[test]
fn a_hub_knows_its_own_targets_and_counts_what_it_leaves_out() {
    let stage = Stage::new();
    let targets = list((0..50).map(|at| format!("target-{at}")));
    entry(&stage, "hub", &format!("extends: {targets}\n"), "");
    for at in 0..50 {
        entry(&stage, &format!("z/target-{at}"), "", "");
    }
    for at in 0..5_200 {
        entry(&stage, &format!("a/spoke-{at}"), "references: [hub]\n", "");
    }
    let around = load(&stage, &json!({ "item_id": "hub" }))["relationships"].clone();
    assert_eq!(around["dangling"], Value::Null, "{}", around["dangling"]);
    assert_eq!(around["outgoing"]["extends"].as_array().map(Vec::len), Some(50));
    assert_eq!(around["incoming"]["references"].as_array().map(Vec::len), Some(950));
    assert_eq!(around["left_out"], 4_250);
    let out = json!({ "item_id": "hub", "direction": "outgoing" });
    assert_eq!(load(&stage, &out)["relationships"]["left_out"], Value::Null);
    let spoke = json!({ "item_id": "spoke-7", "depth": 2 });
    let around = load(&stage, &spoke)["relationships"].clone();
    assert_eq!(around["outgoing"]["references"][0]["id"], "hub");
    assert_eq!(around["left_out"], 4_250);
}

#[test]
fn of_many_links_to_nowhere_some_are_told_and_all_are_counted() {
    let stage = Stage::new();
    let body = (0..250).fold(String::new(), |mut body, at| {
        let _ = write!(body, "[[gone-{at}]] ");
        body
    });
    entry(&stage, "torn", "", &body);
    entry(&stage, "other", "references: [torn, nobody]\n", "");
    let around = load(&stage, &json!({ "item_id": "torn" }))["relationships"].clone();
    assert_eq!(around["dangling"].as_array().map(Vec::len), Some(100));
    assert_eq!(around["dangling_left_out"], 150);
    let around = load(&stage, &json!({ "item_id": "other" }))["relationships"].clone();
    assert_eq!(around["dangling"].as_array().map(Vec::len), Some(1));
    assert_eq!(around["dangling_left_out"], Value::Null);
}

#[test]
fn a_check_says_how_many_findings_it_does_not_list() {
    let stage = Stage::new();
    entry(&stage, "torn", &format!("extends: {}\n", list((0..203).map(|at| format!("g{at}")))), "");
    for at in 0..201 {
        entry(&stage, &format!("alone-{at}"), "", "");
    }
    let found = stage.person(&["graph", "--check", "--json"]);
    assert_eq!(found.status.code(), Some(4), "{found:?}");
    let reply = serde_json::from_slice::<Value>(&found.stdout).expect("JSON");
    let checks = reply["data"]["checks"].as_array().expect("checks");
    assert_eq!(checks.len(), 402);
    let left_out = checks.iter().filter(|check| !check["left_out"].is_null());
    assert_eq!(
        left_out.cloned().collect::<Vec<_>>(),
        [
            json!({ "check": "dangling", "state": "note", "left_out": 3,
                    "what": "3 more of this kind are not listed" }),
            json!({ "check": "orphan", "state": "note", "left_out": 1,
                    "what": "1 more of this kind are not listed" }),
        ]
    );
    let shown = String::from_utf8(stage.person(&["graph", "--check"]).stdout).expect("UTF-8");
    assert!(shown.contains("· dangling: 3 more of this kind are not listed"), "{shown}");
}

#[test]
fn among_very_many_items_the_index_of_the_last_search_says_what_superseded_one() {
    let stage = Stage::new();
    entry(&stage, "old", "", "");
    entry(&stage, "new", "supersedes: [old]\n", "");
    for at in 0..2_100 {
        entry(&stage, &format!("a/note-{at}"), "", "");
    }
    let superseded = |stage: &Stage| {
        let arguments = json!({ "item_type": "knowledge", "item_id": "old" }).to_string();
        stage.call_text("load", &arguments).reply["data"]["superseded_by"].clone()
    };
    assert_eq!(superseded(&stage), Value::Null);
    // What is younger than this may have changed and look the same.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    stage.call_text("search", r#"{"query":"old"}"#);
    assert_eq!(superseded(&stage), "new");
    // What is not as it was then says nothing.
    entry(&stage, "new", "", "It stands for itself, and has other words than before.");
    assert_eq!(superseded(&stage), Value::Null);
    stage.call_text("search", r#"{"query":"old"}"#);
    assert_eq!(superseded(&stage), Value::Null);
}
