//! Large directories, a page at a time.

use std::collections::BTreeSet;

use serde_json::json;

use crate::support::harness::{Answer, Stage};

/// Every page of a call, each at most 500 long.
fn drain(stage: &Stage, command: &str, path: &str) -> Vec<String> {
    let mut arguments = json!({ "command": command, "path": path, "depth": 16 });
    let mut paths = Vec::new();
    loop {
        let answer = stage.call(&arguments);
        let page = answer.paths();
        assert!(page.len() <= 500 && answer.reply["data"]["count"] == page.len(), "{command}");
        paths.extend(page);
        match answer.reply["data"].get("next") {
            Some(next) => arguments["cursor"] = next.clone(),
            None => return paths,
        }
    }
}

#[test]
fn pages_of_a_list_are_complete_in_order_and_without_repeats() {
    let stage = Stage::new();
    for number in 0..700 {
        stage.file(&format!("project/many/f{number:04}"), "");
        stage.folder(&format!("project/many/d{number:04}"));
    }
    let paths = drain(&stage, "list", "many");
    let folders = (0..700).map(|n| format!("ROOT_PROJECT:/many/d{n:04}/"));
    let files = (0..700).map(|n| format!("ROOT_PROJECT:/many/f{n:04}"));
    assert_eq!(paths, folders.chain(files).collect::<Vec<_>>());
}

#[test]
fn pages_of_a_tree_are_complete_in_order_and_without_repeats() {
    let stage = Stage::new();
    let mut expected = BTreeSet::new();
    for (a, b, c) in
        (0..12).flat_map(|a| (0..12).flat_map(move |b| (0..12).map(move |c| (a, b, c))))
    {
        stage.folder(&format!("project/big/a{a:02}/b{b:02}/c{c:02}"));
        expected.insert(format!("ROOT_PROJECT:/big/a{a:02}/"));
        expected.insert(format!("ROOT_PROJECT:/big/a{a:02}/b{b:02}/"));
        expected.insert(format!("ROOT_PROJECT:/big/a{a:02}/b{b:02}/c{c:02}/"));
    }
    let paths = drain(&stage, "tree", "big");
    assert_eq!(paths, expected.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_wide_tree_is_complete_too() {
    let stage = Stage::new();
    for number in 0..1203 {
        stage.folder(&format!("project/wide/{number:04}"));
    }
    assert_eq!(drain(&stage, "tree", "wide").len(), 1203);
}

#[test]
fn a_cursor_of_another_call_is_refused() {
    let stage = Stage::new();
    for number in 0..501 {
        stage.file(&format!("project/many/f{number}"), "");
    }
    stage.folder("project/other");
    let next = stage.list("many").reply["data"]["next"].clone();
    let check = |arguments: &serde_json::Value| {
        let answer: Answer = stage.call(arguments);
        assert_eq!((answer.code(), answer.status), ("WA-DIR-I-002", 1), "{arguments}");
    };
    check(&json!({ "command": "list", "path": "other", "cursor": next }));
    check(&json!({ "command": "tree", "path": "many", "cursor": next }));
    for cursor in ["", "x", "../../etc", "AAAA"] {
        check(&json!({ "command": "list", "path": "many", "cursor": cursor }));
    }
}
