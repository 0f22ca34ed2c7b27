//! An agent at the keyboard, a person and an MCP client who search for the same find the same.

use serde_json::{Value, json};

use crate::search::queries::stage;
use crate::support::harness::{Mcp, Stage, timeless};
use crate::support::searches::full_search;
use crate::support::store_fixture::plain;

/// A question to an agent's tool, and the same question as a person types it.
struct Question<'a> {
    arguments: &'a Value,
    words: &'a [&'a str],
}

impl Question<'_> {
    /// Checks that all surfaces give the same answer.
    fn check(&self, mcp: &mut Mcp<'_>, stage: &Stage) {
        let Self { arguments, words } = *self;
        let keyboard = stage.call_text("search", &arguments.to_string());
        assert_eq!(timeless(&mcp.call("search", arguments)), keyboard.timeless(), "{arguments}");
        let output = stage.person(&[&["search", "--json"], words].concat());
        let person = serde_json::from_slice::<Value>(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        assert_eq!(plain(&person), plain(&keyboard.reply), "{words:?}");
        assert_eq!(output.status.code(), Some(keyboard.status), "{words:?}");
    }
}

#[test]
fn every_surface_answers_alike() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for (arguments, words) in [
        (json!({ "query": "retry" }), &["retry"][..]),
        (json!({ "query": "circuit breaker" }), &["circuit", "breaker"]),
        (
            json!({ "query": "-draft retry", "mode": "text" }),
            &["--mode", "text", "--", "-draft", "retry"],
        ),
        (json!({ "query": "retry -draft", "mode": "text" }), &["--mode=text", "retry -draft"]),
        (
            json!({ "query": "a", "mode": "vector", "rank": "unified" }),
            &["a", "--mode", "vector", "--unified"],
        ),
        (json!({ "query": "xylophone" }), &["xylophone"]),
        (json!({ "query": "retry", "limit": 1 }), &["retry"]),
        (json!({ "query": "retry", "source": "all" }), &["retry", "--source", "all"]),
        (json!({ "query": "retry", "source": "registry" }), &["retry", "--source", "registry"]),
        (
            json!({ "query": "", "item_types": ["tool", "memory"] }),
            &["", "--type", "tools", "--type", "memory"],
        ),
        (
            json!({ "query": "", "filters": {
                "category": "api", "tags": ["http", "resilience"], "entry_type": "pattern",
                "tool_type": "script", "executor": "python_runtime", "model_tier": "x"
            } }),
            &[
                "",
                "--category",
                "api",
                "--tag",
                "http",
                "--tag",
                "resilience",
                "--entry-type",
                "pattern",
                "--tool-type",
                "script",
                "--executor",
                "python_runtime",
                "--model-tier",
                "x",
            ],
        ),
        (
            json!({ "query": "", "filters": { "related_to": "retries" } }),
            &["", "--related-to", "retries"],
        ),
    ] {
        let arguments = full_search(arguments);
        let limit = ["--limit", &arguments["limit"].to_string()];
        Question { arguments: &arguments, words: &[&limit, words].concat() }
            .check(&mut mcp, &stage);
    }
}

#[test]
fn every_surface_has_the_same_best_five() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for (query, rank, words) in [
        ("retry", "by_type", &["retry"][..]),
        ("", "by_type", &[""]),
        ("", "unified", &["", "--unified"]),
        ("backup of a database", "unified", &["backup of a database", "--unified"]),
    ] {
        let arguments = json!({ "query": query, "rank": rank, "detail": "full" });
        Question { arguments: &arguments, words }.check(&mut mcp, &stage);
    }
}
