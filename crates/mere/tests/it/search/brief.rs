//! The answer to a search that asks for nothing special: the best five hits of all types, without
//! weak ones, each with as much as is needed to decide whether to load it. Tests that need every
//! field ask for it with `support/searches.rs`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::search::queries::{LISTS, entry, hits};
use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{directive, note, token, tool};

/// The most bytes of a default reply in a project of 60 notes.
const MAX_REPLY: usize = 2000;
/// The most characters of a summary, with the sign that there is more.
const MAX_SUMMARY: usize = 121;
/// Every field of a hit.
const ALL_FIELDS: [&str; 15] = [
    "address",
    "category",
    "description",
    "id",
    "item_type",
    "preview",
    "ref",
    "scope",
    "score",
    "shadowed_by",
    "superseded_by",
    "title",
    "trust",
    "updated_at",
    "version",
];

/// What an agent is told who passes these arguments and no others; it must be a success.
fn ask(stage: &Stage, arguments: &Value) -> Value {
    let answer = stage.call_text("search", &arguments.to_string());
    assert_eq!((answer.code(), answer.status), ("IT-SEARCH-S-001", 0), "{}", answer.reply);
    answer.reply["data"].clone()
}

/// The names by which hits are loaded, in their order.
fn refs(data: &Value) -> Vec<String> {
    hits(data).iter().map(|hit| hit["ref"].as_str().expect("a name").to_owned()).collect()
}

/// The names of the fields of a hit, sorted.
fn fields(hit: &Value) -> Vec<&str> {
    let mut names = hit.as_object().expect("a hit").keys().map(String::as_str).collect::<Vec<_>>();
    names.sort_unstable();
    names
}

/// A directive, a tool, notes and memories that all say one word.
fn lanterns() -> Stage {
    let stage = Stage::new();
    let lit = |text: String| text.replace("Does ", "A lantern for ");
    stage.file("project/.ai/directives/lamps/light.md", &lit(directive("light")));
    stage.file("project/.ai/tools/lamps/wick.yaml", &lit(tool("wick")));
    for number in 0..6 {
        let id = format!("n{number}");
        let body = format!("A lantern, number {number}.");
        stage.file(&format!("project/.ai/knowledge/lamps/{id}.md"), &note(&id, &body));
        stage.file(&format!("project/.ai/memory/m{number}.md"), &format!("# Lantern\n\n{body}\n"));
    }
    stage
}

/// A note about one thing, and others that mention a part of it among much else.
fn one_strong_note() -> Stage {
    let stage = Stage::new();
    let front = "title: Tuning the carillon\ntags: [carillon]";
    let body = "Tuning a carillon: how the bells of the carillon are tuned.";
    stage.file("project/.ai/knowledge/carillon.md", &entry("carillon", front, body));
    for (id, rest) in [
        (
            "bread",
            "Knead flour, water and salt, let the dough rest, then bake it until it is brown.",
        ),
        ("tide", "The moon moves the sea along the shore, and the harbour is dry at noon."),
        ("chess", "A rook on an open file is worth more than one behind its own pawns."),
    ] {
        let body = format!("{rest} {rest} Somebody spoke of tuning. {rest}");
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(id, &body));
    }
    stage
}

#[test]
fn the_default_answer_is_the_best_five_of_all_types_in_a_list_for_each() {
    let stage = lanterns();
    for mode in ["hybrid", "text"] {
        let grouped = ask(&stage, &json!({ "query": "lantern", "mode": mode }));
        let lists = LISTS.map(|(name, _)| grouped[name].as_array().expect("a list").len());
        assert_eq!(lists.iter().sum::<usize>(), 5, "{grouped:#}");
        assert_eq!((&grouped["total"], grouped.get("results")), (&json!(14), None));
        let unified = json!({ "query": "lantern", "mode": mode, "rank": "unified" });
        let unified = ask(&stage, &unified);
        let best = hits(&unified);
        assert_eq!(best.len(), 5, "{unified:#}");
        for (name, kind) in LISTS {
            let of_kind = best.iter().filter(|hit| hit["item_type"] == kind);
            let of_kind = of_kind.map(|hit| &hit["ref"]).collect::<Vec<_>>();
            let list = grouped[name].as_array().expect("a list").iter();
            assert_eq!(list.map(|hit| &hit["ref"]).collect::<Vec<_>>(), of_kind, "{name}");
        }
        // What a limit means does not change: so many of each type, or altogether.
        let limited = ask(&stage, &json!({ "query": "lantern", "mode": mode, "limit": 5 }));
        let lists = LISTS.map(|(name, _)| limited[name].as_array().expect("a list").len());
        assert_eq!(lists, [1, 1, 5, 5], "{limited:#}");
    }
}

#[test]
fn a_brief_hit_has_these_fields_and_no_other() {
    let stage = lanterns();
    for (query, list, expected) in [
        (
            "light",
            "directives",
            json!({ "ref": "lamps/light", "title": "light", "summary": "A lantern for light.",
                    "trust": "unsigned" }),
        ),
        (
            "number 3 type:note",
            "knowledge",
            json!({ "ref": "lamps/n3", "title": "The note n3",
                    "summary": "A lantern, **number** **3**.", "trust": "unsigned" }),
        ),
    ] {
        let data = ask(&stage, &json!({ "query": query, "mode": "text" }));
        assert_eq!(data[list][0], expected, "{data:#}");
        let unified = ask(&stage, &json!({ "query": query, "mode": "text", "rank": "unified" }));
        let mut hit = unified["results"][0].clone();
        let kind = LISTS.into_iter().find(|(name, _)| *name == list).expect("a list").1;
        let item_type = hit.as_object_mut().expect("a hit").shift_remove("item_type");
        assert_eq!((item_type, hit), (Some(json!(kind)), expected), "{unified:#}");
        let said = json!({ "query": query, "mode": "text", "detail": "brief" });
        assert_eq!(ask(&stage, &said), data, "brief is the default");
    }
    let wrong = json!({ "query": "light", "detail": "everything" });
    assert_eq!(stage.call_text("search", &wrong.to_string()).code(), "MCP-ARG-I-001");
}

#[test]
fn a_brief_hit_says_what_took_its_place() {
    let stage = Stage::new();
    let new = entry("new", "title: New\nsupersedes: [old]", "Zeppelins fly.");
    stage.file("project/.ai/knowledge/a/new.md", &new);
    stage.file("project/.ai/knowledge/a/old.md", &entry("old", "title: Old", "Zeppelins flew."));
    stage.file("home/.ai/knowledge/a/both.md", &note("both", "Zeppelin of mine."));
    stage.file("project/.ai/knowledge/a/both.md", &note("both", "Zeppelin of ours."));
    let data = ask(&stage, &json!({ "query": "zeppelin" }));
    let usual = ["ref", "summary", "title", "trust"];
    let mut seen = Vec::new();
    for hit in hits(&data) {
        let more = fields(&hit).into_iter().filter(|name| !usual.contains(name)).map(str::to_owned);
        let more = more.map(|name| format!("{} {name} {}", hit["ref"], hit[&name]));
        seen.extend(more);
    }
    seen.sort();
    let shadowed = r#""a/both" shadowed_by "ROOT_PROJECT:/.ai/knowledge/a/both.md""#;
    assert_eq!(seen, [shadowed, r#""a/old" superseded_by "a/new""#], "{data:#}");
}

#[test]
fn a_full_hit_has_every_field_and_null_for_what_it_lacks() {
    let stage = lanterns();
    for rank in ["by_type", "unified"] {
        let arguments = json!({ "query": "lantern", "detail": "full", "limit": 100, "rank": rank });
        let data = ask(&stage, &arguments);
        assert_eq!(hits(&data).len(), 14, "{data:#}");
        for hit in hits(&data) {
            assert_eq!(fields(&hit), ALL_FIELDS, "{hit:#}");
            let lacking = ALL_FIELDS.into_iter().filter(|name| hit[*name].is_null());
            let expected = match hit["item_type"].as_str().expect("a type") {
                "knowledge" => &["description", "shadowed_by", "superseded_by"][..],
                "memory" => &["description", "shadowed_by", "superseded_by", "version"],
                _ => &["shadowed_by", "superseded_by"],
            };
            assert_eq!(lacking.collect::<Vec<_>>(), expected, "{hit:#}");
        }
    }
    let best = ask(&stage, &json!({ "query": "lantern", "detail": "full" }));
    assert_eq!(hits(&best).len(), 5, "detail does not change how many there are");
}

#[test]
fn weak_hits_are_counted_and_shown_to_those_who_give_a_limit() {
    let stage = one_strong_note();
    for rank in ["by_type", "unified"] {
        let arguments = json!({ "query": "tuning the carillon", "rank": rank });
        let answer = stage.call_text("search", &arguments.to_string()).reply;
        let best = &answer["data"];
        assert_eq!(refs(best), ["carillon"], "{best:#}");
        assert_eq!((&best["total"], &best["weaker"]), (&json!(4), &json!(3)), "{best:#}");
        assert_eq!(answer["message"], "4 matches, 1 shown, 3 weaker ones not.");
        assert_eq!(best.get("next"), None, "weak hits are on no page");
        let limited = json!({ "query": "tuning the carillon", "rank": rank, "limit": 10 });
        let all = ask(&stage, &limited);
        assert_eq!((refs(&all).len(), &refs(&all)[0][..]), (4, "carillon"), "{all:#}");
        assert_eq!((&all["total"], all.get("weaker")), (&json!(4), None), "{all:#}");
    }
    let shown = stage.person(&["search", "tuning the carillon"]);
    let shown = String::from_utf8(shown.stdout).expect("UTF-8");
    assert!(shown.contains("1 of 4 matches (hybrid). 3 weaker"), "{shown}");
    let shown = stage.person(&["search", "tuning the carillon", "--limit", "10"]);
    let shown = String::from_utf8(shown.stdout).expect("UTF-8");
    assert!(shown.contains("4 matches (hybrid).") && !shown.contains("weaker"), "{shown}");
}

#[test]
fn a_default_reply_is_small() {
    let stage = Stage::new();
    let subjects = ["retries", "paging", "caching", "deploying", "logging", "tracing"];
    for number in 0..60 {
        let subject = subjects[number % subjects.len()];
        let title = format!("How {subject} works for callers of the service number {number:02}");
        let title = format!("{title:.<60}");
        let body = format!("About {subject} in the service number {number}, for its callers. ");
        let body = body.repeat(8).chars().take(300).collect::<String>();
        let id = format!("{subject}-{number}");
        let front = format!("title: {title}");
        stage.file(&format!("project/.ai/knowledge/services/{id}.md"), &entry(&id, &front, &body));
    }
    let mut mcp = Mcp::greeted(&stage, &[]);
    for query in ["how does paging work for callers", "service", "caching", ""] {
        for rank in ["by_type", "unified"] {
            let arguments = json!({ "query": query, "rank": rank });
            let reply = mcp.tool("search", &arguments)["structuredContent"].take();
            assert_eq!(hits(&reply["data"]).len(), 5, "{reply:#}");
            let size = reply.to_string().len();
            assert!(size <= MAX_REPLY, "{query} {rank}: {size} bytes: {reply:#}");
        }
    }
}

#[test]
fn a_summary_is_one_short_line_that_has_the_match_or_the_description() {
    let stage = Stage::new();
    let before = "Something else entirely, and more of it.\n\n".repeat(30);
    let body = format!("{before}Here a quokka\nsits. {before}");
    stage.file("project/.ai/knowledge/far.md", &note("far", &body));
    let description = "Feeds a quokka. ".repeat(20);
    let text = tool("feed").replace("Does feed.", description.trim());
    stage.file("project/.ai/tools/feed.yaml", &text);
    let data = ask(&stage, &json!({ "query": "quokka", "mode": "text", "limit": 10 }));
    for (list, expected) in [("knowledge", "Here a **quokka** sits."), ("tools", "Feeds a quokka.")]
    {
        let summary = data[list][0]["summary"].as_str().unwrap_or_else(|| panic!("{data:#}"));
        assert!(summary.contains(expected), "{summary}");
        assert!(summary.chars().count() <= MAX_SUMMARY, "{summary}");
        assert!(summary.ends_with('…') && !summary.contains('\n'), "{summary}");
    }
}

#[test]
fn a_query_whose_words_nobody_has_is_answered_by_meaning() {
    let stage = Stage::new();
    for (id, body) in [
        ("garage", "How the car is repaired when its engine is broken."),
        ("bread", "Flour, water and salt make a dough."),
        ("tide", "The moon moves the sea along the shore."),
    ] {
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(id, body));
    }
    let query = "automobile mechanics";
    let found = |mode: &str| ask(&stage, &json!({ "query": query, "mode": mode }));
    assert_eq!(found("text")["total"], 0, "nobody has these words");
    let (hybrid, vector) = (found("hybrid"), found("vector"));
    assert_eq!((refs(&hybrid), &hybrid["total"]), (refs(&vector), &vector["total"]));
    assert_eq!(refs(&hybrid).first().map(String::as_str), Some("garage"), "{hybrid:#}");
    assert_eq!(hybrid["mode"], "hybrid");
}

#[test]
fn the_pages_of_a_default_answer_have_each_strong_hit_once() {
    let stage = lanterns();
    // A note that is far below the others is on no page.
    let rest = "Knead flour, water and salt, let the dough rest, then bake it. ".repeat(20);
    let weak = format!("{rest} A lantern stood there. {rest}");
    stage.file("project/.ai/knowledge/bread.md", &note("bread", &weak));
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    for rank in ["by_type", "unified"] {
        let mut arguments = json!({ "query": "lantern number", "rank": rank });
        let (mut all, mut sizes) = (Vec::new(), Vec::new());
        let first = ask(&stage, &arguments);
        loop {
            let data = mcp.call("search", &arguments)["data"].clone();
            for count in ["total", "weaker"] {
                assert_eq!(data[count], first[count], "{rank} {data:#}");
            }
            let page = hits(&data);
            sizes.push(page.len());
            all.extend(page.iter().map(|hit| hit["ref"].to_string()));
            match data.get("next") {
                Some(next) => arguments["cursor"] = next.clone(),
                None => break,
            }
        }
        let weaker = first["weaker"].as_u64().expect("there are weak ones");
        let strong = first["total"].as_u64().expect("a number") - weaker;
        assert_eq!(all.len() as u64, strong, "{rank}: {all:?}");
        assert!(strong > 10 && !all.contains(&"\"bread\"".to_owned()), "{rank}: {all:?}");
        let (last, before) = sizes.split_last().expect("a page");
        assert!(*last <= 5 && before.iter().all(|size| *size == 5), "{rank}: {sizes:?}");
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{rank}: {all:?}");
        // The cursor belongs to the best hits in brief, and to no other question.
        for (name, value) in [("limit", json!(5)), ("detail", json!("full"))] {
            let mut other = arguments.clone();
            other[name] = value;
            assert_eq!(mcp.call("search", &other)["code"], "WA-DIR-I-002", "{name}");
        }
    }
}

#[test]
fn no_real_folder_and_no_secret_is_in_a_summary_wherever_it_is_cut() {
    let stage = Stage::new();
    let (root, secret) = (stage.path("project").display().to_string(), token('s'));
    let folder = root.split('/').rev().nth(1).expect("a folder").to_owned();
    let mut words = Vec::new();
    // What must not be seen lies across the end of the summary, at each offset.
    for (name, private) in [("path", format!("{root}/src")), ("key", secret.clone())] {
        for offset in (0..private.len()).step_by(3) {
            let (id, word) = (format!("{name}-{offset}"), format!("{name}x{offset}x"));
            let start = format!("{word} {}", "y ".repeat(60));
            let start = &start[..118 - offset];
            let text = format!("{start} {private} and then more of the same.");
            let described = tool(&id).replace("Does ", &format!("{text} Does "));
            stage.file(&format!("project/.ai/tools/{id}.yaml"), &described);
            stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(&id, &text));
            words.push(word);
        }
    }
    let mut mcp = Mcp::greeted(&stage, &[]);
    for word in words {
        let reply = mcp.tool("search", &json!({ "query": word, "mode": "text" }));
        let data = &reply["structuredContent"]["data"];
        assert_eq!(data["total"], 2, "{reply:#}");
        for hit in hits(data) {
            let summary = hit["summary"].as_str().expect("a summary").replace("**", "");
            assert!(summary.starts_with(&word) && !summary.contains(&root[..2]), "{summary}");
        }
        // Marks must not hide a folder from the harness.
        let told = reply.to_string().replace("**", "");
        stage.check(&told);
        assert!(!told.contains(&folder[..folder.len().min(4)]), "{told}");
        assert!(!told.contains(&secret[..8]) && !told.contains(&secret[4..12]), "{told}");
    }
}

#[test]
fn an_item_that_was_changed_has_no_title_and_no_summary() {
    let stage = Stage::new();
    assert!(stage.person(&["init"]).status.success());
    let path = "project/.ai/knowledge/examples/how-items-work.md";
    let text = std::fs::read_to_string(stage.path(path)).expect("a note");
    let signed = ask(&stage, &json!({ "query": "how items work" }));
    assert_eq!(signed["knowledge"][0]["trust"], "verified", "{signed:#}");
    assert_eq!(signed["knowledge"][0]["title"], "How items work", "{signed:#}");
    stage.file(path, &(text + "\nA quokka slipped in.\n"));
    let expected = json!({ "ref": "examples/how-items-work", "title": null, "summary": null,
                           "trust": "changed" });
    for query in ["quokka", "how items work"] {
        let changed = ask(&stage, &json!({ "query": query }));
        assert_eq!(changed["knowledge"][0], expected, "{changed:#}");
        assert!(!changed.to_string().contains("quokka"), "{changed:#}");
    }
}
