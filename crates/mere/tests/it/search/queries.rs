//! `search`: what is found by which words, in which order, page by page. Filters are in
//! `search/filters.rs`, what hits tell in `search/seen.rs`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{directive, note, tool};
use crate::support::searches::full_search;

/// The lists of a reply, and the type of what is in each.
pub(crate) const LISTS: [(&str, &str); 4] = [
    ("directives", "directive"),
    ("tools", "tool"),
    ("knowledge", "knowledge"),
    ("memories", "memory"),
];

/// A knowledge entry with a title and more frontmatter.
pub(crate) fn entry(id: &str, front: &str, body: &str) -> String {
    format!("---\nid: {id}\n{front}\n---\n{body}\n")
}

/// What an agent at the keyboard is told who asks for everything; it must be a success.
pub(crate) fn search(stage: &Stage, arguments: &Value) -> Value {
    let arguments = full_search(arguments.clone()).to_string();
    let answer = stage.call_text("search", &arguments);
    assert_eq!((answer.code(), answer.status), ("IT-SEARCH-S-001", 0), "{}", answer.reply);
    answer.reply["data"].clone()
}

/// Every hit of a reply, list by list.
pub(crate) fn hits(data: &Value) -> Vec<Value> {
    let lists = LISTS.iter().map(|(name, _)| *name).chain(["results"]);
    lists.flat_map(|name| data[name].as_array().cloned().unwrap_or_default()).collect()
}

/// The ids of all hits.
pub(crate) fn ids(data: &Value) -> Vec<String> {
    hits(data).iter().map(|hit| hit["id"].as_str().expect("an id").to_owned()).collect()
}

/// What a query finds by words alone.
pub(crate) fn by_words(stage: &Stage, query: &str) -> Vec<String> {
    ids(&search(stage, &json!({ "query": query, "mode": "text" })))
}

/// Some items of every type.
pub(crate) fn stage() -> Stage {
    let stage = Stage::new();
    for (path, text) in [
        (
            "knowledge/api/retries.md",
            entry(
                "retries",
                "title: Retries with backoff\ntags: [http, Resilience]\nentry_type: pattern",
                "Retry idempotent requests with exponential backoff and jitter.",
            ),
        ),
        (
            "knowledge/api/deep/breaker.md",
            entry(
                "breaker",
                "title: Circuit breaker\ntags: [http]\nentry_type: pattern\nrelates_to: [retries]",
                "The circuit breaker opens after five failures. A breaker of another circuit stays.",
            ),
        ),
        (
            "knowledge/ops/database.md",
            entry(
                "database",
                "title: Databases\ntags: [sql]\nentry_type: reference",
                "Every database has a backup; retries are a draft.",
            ),
        ),
        ("directives/release/deploy.md", directive("deploy")),
        ("tools/data/clean.yaml", tool("clean")),
        ("memory/decisions/tokens.md", "---\ntags: [auth]\n---\n# Token format\n\nJWT.\n".into()),
    ] {
        stage.file(&format!("project/.ai/{path}"), &text);
    }
    stage
}

#[test]
fn what_says_a_word_is_found_with_everything_about_it() {
    let stage = stage();
    let data = search(&stage, &json!({ "query": "idempotent" }));
    let hit = &data["knowledge"][0];
    for (key, expected) in [
        ("item_type", "knowledge"),
        ("id", "retries"),
        ("category", "api"),
        ("scope", "project"),
        ("address", "ROOT_PROJECT:/.ai/knowledge/api/retries.md"),
        ("title", "Retries with backoff"),
        ("preview", "Retry **idempotent** requests with exponential backoff and jitter."),
        ("version", "1.0.0"),
    ] {
        assert_eq!(hit[key], expected, "{key} of {hit}");
    }
    assert_eq!(hit["trust"], json!({ "status": "unsigned" }));
    assert!(hit["score"].as_f64().is_some_and(|score| score > 0.0), "{hit}");
    assert!(hit["updated_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{hit}");
    for key in ["superseded_by", "shadowed_by"] {
        assert_eq!(hit.get(key), Some(&Value::Null), "{key} of {hit}");
    }
    for (query, list) in
        [("deploy", "directives"), ("clean", "tools"), ("backup", "knowledge"), ("jwt", "memories")]
    {
        let data = search(&stage, &json!({ "query": query, "mode": "text" }));
        assert_eq!((&data["total"], &data["mode"]), (&json!(1), &json!("text")), "{query}");
        for (name, kind) in LISTS {
            let found = data[name].as_array().expect("a list").iter();
            let kinds = found.map(|hit| hit["item_type"].clone()).collect::<Vec<_>>();
            let expected = if name == list { vec![json!(kind)] } else { Vec::new() };
            assert_eq!(kinds, expected, "{query} {name}");
        }
    }
    let nothing = search(&stage, &json!({ "query": "xylophone", "mode": "text" }));
    assert_eq!((hits(&nothing).len(), &nothing["total"]), (0, &json!(0)));
}

#[test]
fn what_is_called_exactly_so_comes_first() {
    let stage = stage();
    for number in 0..5 {
        let body = "Circuit breaker. ".repeat(20);
        let name = format!("project/.ai/knowledge/x/much-{number}.md");
        stage.file(&name, &note(&format!("much-{number}"), &body));
    }
    for query in ["circuit breaker", "Circuit Breaker", "breaker", "api/deep/breaker"] {
        for mode in ["hybrid", "text"] {
            let data = search(&stage, &json!({ "query": query, "mode": mode }));
            assert_eq!(ids(&data)[0], "breaker", "{query} {mode}");
        }
    }
}

#[test]
fn a_query_has_phrases_beginnings_exclusions_and_operators() {
    let stage = stage();
    for (query, expected) in [
        ("\"circuit breaker\"", &["breaker"][..]),
        ("\"breaker circuit\"", &[]),
        ("idemp*", &["retries"]),
        ("datab*", &["database"]),
        ("retry -draft", &["retries"]),
        ("-draft retry", &["retries"]),
        ("retry -\"exponential backoff\"", &["database"]),
        ("tag:http", &["breaker", "retries"]),
        ("tag:resilience", &["retries"]),
        ("tag:http -tag:resilience", &["breaker"]),
        ("category:api", &["breaker", "retries"]),
        ("category:api/deep", &["breaker"]),
        ("type:memory", &["tokens"]),
        ("type:note tag:sql", &["database"]),
        ("type:tool type:directive", &["clean", "deploy"]),
        ("retry category:ops", &["database"]),
    ] {
        let mut found = by_words(&stage, query);
        found.sort();
        assert_eq!(found, expected, "{query}");
    }
}

#[test]
fn what_is_excluded_does_not_come_back_by_its_meaning() {
    let stage = stage();
    for mode in ["hybrid", "vector"] {
        for (query, not) in [
            ("retry -draft", "database"),
            ("retries with backoff -idempotent", "retries"),
            ("retries backoff category:ops", "retries"),
            ("retries backoff tag:sql", "retries"),
            ("\"circuit breaker\" retries", "retries"),
        ] {
            let data = search(&stage, &json!({ "query": query, "mode": mode }));
            assert!(!ids(&data).contains(&not.to_owned()), "{mode} {query}: {data:#}");
        }
    }
}

#[test]
fn slips_are_forgiven_where_nobody_says_the_word() {
    let stage = stage();
    for (query, expected) in [
        ("idmepotent", "retries"),
        ("exponental", "retries"),
        ("cirkuit", "breaker"),
        ("bakcup", "database"),
    ] {
        assert_eq!(by_words(&stage, query).first().map(String::as_str), Some(expected), "{query}");
    }
    let everything = by_words(&stage, "");
    assert_eq!(by_words(&stage, "-bakcup"), everything, "nothing is excluded by a slip");
}

#[test]
fn a_slip_in_a_word_that_is_not_written_like_its_stem_is_forgiven() {
    let stage = Stage::new();
    for (id, body) in [("a", "Paging by cursor."), ("b", "We retry it."), ("c", "Caching answers.")]
    {
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(id, body));
    }
    for (query, id) in
        [("pagnig", "a"), ("pagng", "a"), ("retyr", "b"), ("rtery", "b"), ("cachign", "c")]
    {
        assert_eq!(by_words(&stage, query), [id], "{query}");
    }
    // Segments that are merged keep how words are written.
    let mut server = Mcp::greeted(&stage, &[]);
    for number in 0..40 {
        let id = format!("n{number}");
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(&id, "Something else."));
        server.tool("search", &json!({ "query": "something" }));
    }
    drop(server);
    assert_eq!(by_words(&stage, "pagnig"), ["a"]);
}

#[test]
fn a_slip_in_the_ending_of_a_word_is_forgiven_too() {
    let stage = stage();
    for (query, expected) in [("idempotnet", "retries"), ("exponentail", "retries")] {
        assert_eq!(by_words(&stage, query).first().map(String::as_str), Some(expected), "{query}");
    }
}

#[test]
fn what_cannot_be_understood_is_not_found_and_not_counted() {
    let stage = stage();
    stage.file("project/.ai/knowledge/broken.md", "---\ntitle: [\n---\nIdempotent.\n");
    for query in ["idempotent", "broken", "", "-draft"] {
        let data = search(&stage, &json!({ "query": query, "mode": "text" }));
        assert!(!ids(&data).contains(&"broken".to_owned()), "{query}");
        assert_eq!(data["total"], ids(&data).len(), "{query}");
    }
}

#[test]
fn any_text_is_a_query() {
    let stage = stage();
    for query in
        ["", "\"", "-", "*", "tag:", "((((", "'; DROP TABLE x; --", "\u{202e}\0", "🦀", "a:b:c"]
    {
        search(&stage, &json!({ "query": query }));
    }
    search(&stage, &json!({ "query": "word ".repeat(20_000) }));
    let all = search(&stage, &json!({ "query": "" }));
    assert_eq!(all["total"], 6, "no words ask for everything");
    for wrong in [
        json!({}),
        json!({ "query": 7 }),
        json!({ "query": "x", "limit": 0 }),
        json!({ "query": "x", "limit": 101 }),
        json!({ "query": "x", "mode": "magic" }),
        json!({ "query": "x", "rank": "best" }),
        json!({ "query": "x", "source": "web" }),
        json!({ "query": "x", "item_types": [] }),
        json!({ "query": "x", "item_types": ["lockfile"] }),
        json!({ "query": "x", "colour": "red" }),
    ] {
        let answer = stage.call_text("search", &wrong.to_string());
        assert_eq!((answer.code(), answer.status), ("MCP-ARG-I-001", 1), "{wrong}");
    }
    let cursor = json!({ "query": "x", "cursor": "AAAA" });
    assert_eq!(stage.call_text("search", &cursor.to_string()).reply["reply_type"], "I");
}

/// Notes and memories that say the same word, some more often.
fn repeated_word() -> Stage {
    let stage = Stage::new();
    for number in 0..17 {
        let body = "alpha ".repeat(1 + number % 4);
        let id = format!("k{number}");
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(&id, &body));
    }
    for number in 0..9 {
        stage.file(&format!("project/.ai/memory/m{number}.md"), "Alpha and omega.\n");
    }
    stage
}

#[test]
fn all_pages_together_are_everything_once() {
    let stage = repeated_word();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for rank in ["by_type", "unified"] {
        for mode in ["text", "hybrid"] {
            let mut arguments =
                full_search(json!({ "query": "alpha", "limit": 4, "rank": rank, "mode": mode }));
            let (mut all, mut pages) = (Vec::new(), 0);
            loop {
                let data = mcp.call("search", &arguments)["data"].clone();
                assert_eq!(data["total"], 26, "{rank} {mode}");
                assert_eq!(search(&stage, &arguments), data, "a cursor is anybody's");
                all.extend(ids(&data));
                pages += 1;
                match data.get("next") {
                    Some(next) => arguments["cursor"] = next.clone(),
                    None => break,
                }
            }
            assert_eq!(pages, if rank == "unified" { 7 } else { 5 }, "{mode}");
            assert_eq!(all.len(), 26, "{rank} {mode}");
            assert_eq!(all.into_iter().collect::<BTreeSet<_>>().len(), 26, "{rank} {mode}");
            // Another question has another cursor.
            arguments["query"] = "omega".into();
            assert_eq!(mcp.call("search", &arguments)["code"], "WA-DIR-I-002");
        }
    }
}

#[test]
fn a_limit_is_for_each_type_or_for_all() {
    let stage = repeated_word();
    let by_type = search(&stage, &json!({ "query": "alpha", "limit": 3, "mode": "text" }));
    let count = |name: &str| by_type[name].as_array().map(Vec::len);
    assert_eq!((count("knowledge"), count("memories")), (Some(3), Some(3)));
    assert_eq!((count("tools"), count("results")), (Some(0), None));
    assert_eq!(by_type["total"], 26);
    let one = json!({ "query": "alpha", "limit": 3, "mode": "text", "rank": "unified" });
    let one = search(&stage, &one);
    assert_eq!(one["results"].as_array().map(Vec::len), Some(3));
    assert_eq!((&one["total"], one.get("knowledge")), (&json!(26), None));
    let only = json!({ "query": "alpha", "limit": 100, "item_types": ["memories"] });
    assert_eq!(search(&stage, &only)["total"], 9);
}

#[test]
fn one_list_has_the_best_first() {
    let stage = repeated_word();
    let all = json!({ "query": "alpha", "limit": 100, "mode": "text", "rank": "unified" });
    let data = search(&stage, &all);
    let scores = hits(&data).iter().map(|hit| hit["score"].as_f64()).collect::<Vec<_>>();
    assert!(scores.is_sorted_by(|one, other| one >= other), "{scores:?}");
}

#[test]
fn of_equal_hits_the_type_that_the_config_puts_first_is_first() {
    let stage = Stage::new();
    stage.file(
        "project/.ai/knowledge/same.md",
        &entry("same", "title: Same\ntags: [same]", "Alpha."),
    );
    stage.file("project/.ai/memory/same.md", "---\ntags: [same]\n---\nAlpha.\n");
    let kinds = |stage: &Stage| {
        let data = search(stage, &json!({ "query": "tag:same", "rank": "unified" }));
        let found = hits(&data);
        assert_eq!(found[0]["score"], found[1]["score"], "{data:#}");
        found.iter().map(|hit| hit["item_type"].clone()).collect::<Vec<_>>()
    };
    for order in [["memory", "knowledge"], ["knowledge", "memory"]] {
        let config = format!("search:\n  typePriority: [{}, {}]\n", order[0], order[1]);
        stage.file("home/.ai/config.yaml", &config);
        assert_eq!(kinds(&stage), order);
    }
}

#[test]
fn where_no_registry_is_it_is_said_that_it_was_not_asked() {
    let stage = stage();
    let all = json!({ "query": "idempotent", "source": "all", "rank": "unified" });
    let all = stage.call_text("search", &full_search(all).to_string()).reply;
    assert_eq!(all["data"]["unavailable"], json!(["registry"]));
    assert_eq!(ids(&all["data"])[0], "retries");
    let only = full_search(json!({ "query": "idempotent", "source": "registry" }));
    let only = stage.call_text("search", &only.to_string()).reply;
    assert_eq!(only["data"]["unavailable"], json!(["registry"]));
    assert_eq!((hits(&only["data"]).len(), &only["data"]["total"]), (0, &json!(0)));
    assert_eq!(only["hint"], "No registry is configured: nothing was searched.");
    for local in [json!({ "query": "idempotent" }), json!({ "query": "x", "source": "local" })] {
        assert!(search(&stage, &local).get("unavailable").is_none(), "{local}");
    }
}
