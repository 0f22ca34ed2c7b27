//! What hits must have: each filter for the types that have it, flat and by type.

use serde_json::{Value, json};

use crate::search::queries::{entry, ids, search};
use crate::support::harness::Stage;
use crate::support::samples::tool;
use crate::support::searches::full_search;

/// Items of every type in two categories, with and without what filters ask for.
fn stage() -> Stage {
    let stage = Stage::new();
    let tiered = |id: &str, tier: &str| {
        format!(
            "<directive name=\"{id}\" version=\"1.0.0\">\n<metadata><description>Word.</description>\
             <model tier=\"{tier}\"/></metadata>\n<process><step name=\"one\"><action>Act.</action>\
             </step></process>\n</directive>\n"
        )
    };
    let other = tool("other").replace("script", "api").replace("subprocess", "curl");
    for (path, text) in [
        ("directives/ops/small.md", tiered("small", "fast")),
        ("directives/ops/deep/large.md", tiered("large", "Reasoning")),
        ("tools/ops/clean.yaml", tool("clean")),
        ("tools/other.yaml", other),
        (
            "knowledge/ops/first.md",
            entry("first", "title: First\ntags: [a, b]\nentry_type: pattern", "One."),
        ),
        (
            "knowledge/web/second.md",
            entry(
                "second",
                "title: Second\ntags: [a]\nentry_type: reference\nextends: [first]",
                "Two.",
            ),
        ),
        ("knowledge/web/third.md", entry("third", "title: Third", "Three.")),
        ("memory/ops/kept.md", "---\ntags: [A]\n---\nKept.\n".to_owned()),
        ("memory/free.md", "Free.\n".to_owned()),
    ] {
        stage.file(&format!("project/.ai/{path}"), &text);
    }
    stage
}

/// What passes the filters.
fn pass(stage: &Stage, filters: &Value) -> Vec<String> {
    let data = search(stage, &json!({ "query": "", "filters": filters, "limit": 100 }));
    let mut found = ids(&data);
    assert_eq!(data["total"], found.len(), "{filters}");
    found.sort();
    found
}

const ALL: [&str; 9] =
    ["clean", "first", "free", "kept", "large", "other", "second", "small", "third"];

#[test]
fn a_filter_asks_the_types_that_have_it_and_lets_others_pass() {
    let stage = stage();
    assert_eq!(pass(&stage, &json!({})), ALL);
    for (filters, gone) in [
        (json!({ "category": "ops" }), &["free", "other", "second", "third"][..]),
        (
            json!({ "category": "ops/deep" }),
            &["clean", "first", "free", "kept", "other", "second", "small", "third"],
        ),
        (json!({ "tags": ["a"] }), &["free", "third"]),
        (json!({ "tags": "a" }), &["free", "third"]),
        (json!({ "tags": ["a", "B"] }), &["free", "kept", "second", "third"]),
        (json!({ "entry_type": "pattern" }), &["second", "third"]),
        (json!({ "related_to": "first" }), &["first", "third"]),
        (json!({ "related_to": "web/second" }), &["second", "third"]),
        (json!({ "tool_type": "script" }), &["other"]),
        (json!({ "executor": "curl" }), &["clean"]),
        (json!({ "model_tier": "reasoning" }), &["small"]),
        (
            json!({ "model_tier": "none", "tool_type": "none" }),
            &["clean", "large", "other", "small"],
        ),
    ] {
        let left = ALL.iter().filter(|id| !gone.contains(id)).copied().collect::<Vec<_>>();
        assert_eq!(pass(&stage, &filters), left, "{filters}");
    }
}

#[test]
fn a_filter_by_type_asks_that_type_alone() {
    let stage = stage();
    for (filters, gone) in [
        (json!({ "knowledge": { "category": "ops" } }), &["second", "third"][..]),
        (json!({ "knowledge": { "tags": ["a"], "entry_type": "reference" } }), &["first", "third"]),
        (json!({ "memory": { "tags": ["a"] } }), &["free"]),
        (json!({ "memories": { "category": "ops" } }), &["free"]),
        (json!({ "tool": { "category": "ops", "tool_type": "script" } }), &["other"]),
        (json!({ "directive": { "category": "ops/deep" } }), &["small"]),
        (
            json!({ "knowledge": { "related_to": "first" }, "category": "web" }),
            &["clean", "first", "free", "kept", "large", "other", "small", "third"],
        ),
        (json!({ "knowledge": {} }), &[]),
    ] {
        let left = ALL.iter().filter(|id| !gone.contains(id)).copied().collect::<Vec<_>>();
        assert_eq!(pass(&stage, &filters), left, "{filters}");
    }
}

#[test]
fn a_filter_that_makes_no_sense_is_no_filter() {
    let stage = stage();
    for filters in [
        json!({ "colour": "red" }),
        json!({ "category": 7 }),
        json!({ "category": "../x" }),
        json!({ "category": ["ops"] }),
        json!({ "tags": [7] }),
        json!({ "tags": { "a": 1 } }),
        json!({ "related_to": "no such name" }),
        json!({ "knowledge": { "tool_type": "script" } }),
        json!({ "tool": { "tags": ["a"] } }),
        json!({ "directive": { "executor": "x" } }),
        json!({ "memory": { "entry_type": "x" } }),
        json!({ "knowledge": "ops" }),
        json!({ "lockfile": { "category": "ops" } }),
        json!("ops"),
        json!([]),
    ] {
        let arguments = full_search(json!({ "query": "", "filters": filters }));
        let answer = stage.call_text("search", &arguments.to_string());
        assert_eq!(
            (answer.code(), answer.status),
            ("MCP-ARG-I-001", 1),
            "{filters}: {}",
            answer.reply
        );
    }
    for wrong in [
        &["--type", "lockfile"][..],
        &["--type", "poem"],
        &["--category", "../x"],
        &["--limit", "0"],
        &["--limit", "101"],
        &["--mode", "magic"],
        &["--cursor", "!"],
    ] {
        let output = stage.person(&[&["search", "x"], wrong].concat());
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{wrong:?}");
    }
    assert_eq!(stage.person(&["search"]).status.code(), Some(2), "nothing to look for");
}
