//! What search tells of items, and what it never does: trust, secrets, real folders, what is gone.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::search::queries::{by_words, entry, hits, ids, search};
use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{note, person, token};
use crate::support::searches::full_search;
use crate::support::store_fixture::in_seconds;
use crate::support::typist::Typist;

/// The hits of a query by words and meaning.
fn found(stage: &Stage, query: &str) -> Value {
    search(stage, &json!({ "query": query, "limit": 100 }))
}

#[test]
fn an_expired_memory_is_not_found() {
    let stage = Stage::new();
    let until = |time: jiff::Timestamp| format!("---\nexpires_at: {time}\n---\nZeppelin.\n");
    stage.file("project/.ai/memory/over.md", &until(in_seconds(-60)));
    stage.file("project/.ai/memory/lasting.md", &until(in_seconds(3600)));
    let soon = in_seconds(2);
    stage.file("project/.ai/memory/soon.md", &until(soon));
    let before = found(&stage, "zeppelin");
    if in_seconds(1) < soon {
        assert_eq!((ids(&before).len(), &before["total"]), (2, &json!(2)), "{before:#}");
    }
    while in_seconds(0) <= soon {
        std::thread::sleep(Duration::from_millis(100));
    }
    let after = found(&stage, "zeppelin");
    assert_eq!((ids(&after), &after["total"]), (vec!["lasting".to_owned()], &json!(1)));
}

#[test]
fn a_hit_says_what_took_its_place() {
    let stage = Stage::new();
    let new = entry("new", "title: New\nsupersedes: [old]", "Zeppelins fly.");
    stage.file("project/.ai/knowledge/a/new.md", &new);
    stage.file("project/.ai/knowledge/a/old.md", &entry("old", "title: Old", "Zeppelins flew."));
    stage.file("home/.ai/knowledge/a/both.md", &note("both", "Zeppelin of mine."));
    stage.file("project/.ai/knowledge/a/both.md", &note("both", "Zeppelin of ours."));
    stage.file("home/.ai/knowledge/b/new.md", &note("new", "Zeppelin, another category."));
    let data = found(&stage, "zeppelin");
    assert_eq!(data["total"], 5, "{data:#}");
    for hit in hits(&data) {
        let address = hit["address"].as_str().expect("an address");
        let superseded = (address == "ROOT_PROJECT:/.ai/knowledge/a/old.md").then_some("a/new");
        assert_eq!(hit.get("superseded_by"), Some(&json!(superseded)), "{hit}");
        let shadowed = (address == "ROOT_USER:/knowledge/a/both.md")
            .then_some("ROOT_PROJECT:/.ai/knowledge/a/both.md");
        assert_eq!(hit.get("shadowed_by"), Some(&json!(shadowed)), "{hit}");
    }
    let output = stage.person(&["search", "zeppelin", "--limit", "10"]);
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(shown.contains("\n    superseded by a/new\n"), "{shown}");
    assert!(shown.contains("\n    shadowed by ROOT_PROJECT:/.ai/knowledge/a/both.md\n"), "{shown}");
}

#[test]
fn a_hit_says_who_vouches_for_it_and_what_was_changed_shows_no_text() {
    let stage = Stage::new();
    assert!(stage.person(&["init"]).status.success());
    stage.file("project/.ai/knowledge/free.md", &note("free", "Zeppelin, everything an agent."));
    let hit = |id: &str, query: &str| {
        let data = found(&stage, query);
        let all = hits(&data);
        let hit = all.iter().find(|hit| hit["id"] == id);
        hit.unwrap_or_else(|| panic!("no {id} in {data:#}")).clone()
    };
    assert_eq!(hit("free", "zeppelin")["trust"], json!({ "status": "unsigned" }));
    let signed = hit("how-items-work", "everything an agent uses");
    assert_eq!(
        (&signed["trust"]["status"], &signed["trust"]["signer"]),
        (&json!("verified"), &json!("you"))
    );
    assert!(signed["preview"].as_str().is_some_and(|text| text.contains("**agent**")), "{signed}");
    let path = "project/.ai/knowledge/examples/how-items-work.md";
    let text = std::fs::read_to_string(stage.path(path)).expect("a note");
    stage.file(path, &(text + "\nA quokka slipped in.\n"));
    let changed = hit("how-items-work", "quokka");
    assert_eq!(changed["trust"]["status"], "changed");
    for key in ["title", "description", "preview"] {
        assert_eq!(changed.get(key), Some(&Value::Null), "{key} in {changed}");
    }
    assert!(!changed.to_string().contains("quokka"), "{changed}");
    let shown = stage.person(&["search", "quokka", "--limit", "10"]);
    let shown = String::from_utf8(shown.stdout).expect("UTF-8");
    assert!(
        shown.contains("· changed ·") && shown.contains("(text not shown: not trusted)"),
        "{shown}"
    );
}

#[test]
fn what_is_changed_is_found_at_once() {
    let stage = Stage::new();
    let path = "project/.ai/knowledge/a.md";
    stage.file(path, &note("a", "First zeppelin."));
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let mut both = |query: &str| {
        let arguments = full_search(json!({ "query": query, "mode": "text" }));
        let server = ids(&mcp.call("search", &arguments)["data"]);
        assert_eq!(by_words(&stage, query), server, "{query}");
        server
    };
    assert_eq!(both("zeppelin"), ["a"]);
    stage.file(path, &note("a", "Second balloon."));
    assert_eq!(both("balloon"), ["a"]);
    assert!(both("zeppelin").is_empty());
    // Of the same length, in the same instant.
    stage.file(path, &note("a", "Second bassoon."));
    assert_eq!(both("bassoon"), ["a"]);
    stage.file("project/.ai/knowledge/new/deep/b.md", &note("b", "Another bassoon."));
    assert_eq!(both("another"), ["b"]);
    std::fs::rename(
        stage.path("project/.ai/knowledge/new"),
        stage.path("project/.ai/knowledge/old"),
    )
    .expect("moved");
    assert_eq!(both("category:old"), ["b"]);
    assert!(both("category:new").is_empty());
    std::fs::remove_file(stage.path(path)).expect("removed");
    assert_eq!(both("bassoon"), ["b"]);
}

#[test]
fn what_an_agent_keeps_is_found_by_the_next_search() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let count = |mcp: &mut Mcp<'_>, query: &str| {
        let arguments = full_search(json!({ "query": query, "mode": "text" }));
        let data = mcp.call("search", &arguments)["data"].clone();
        assert_eq!(data, search(&stage, &arguments), "{query}");
        (data["total"].clone(), ids(&data))
    };
    assert_eq!(count(&mut mcp, "zeppelin").0, 0);
    for (tool, arguments, query, expected) in [
        (
            "create_memory",
            json!({ "path": "one", "content": "A zeppelin." }),
            "zeppelin",
            &["one"][..],
        ),
        ("update_memory", json!({ "path": "one", "content": "A balloon." }), "zeppelin", &[]),
        ("update_memory", json!({ "path": "one", "tags": ["sky"] }), "balloon tag:sky", &["one"]),
        ("move_memory", json!({ "from": "one", "to": "two" }), "balloon", &["two"]),
        ("remove_memory", json!({ "path": "two" }), "balloon", &[]),
        (
            "execute",
            json!({ "item_type": "knowledge", "action": "create", "item_id": "sky/three",
                    "content": note("three", "A balloon.") }),
            "balloon",
            &["three"],
        ),
        (
            "execute",
            json!({ "item_type": "knowledge", "action": "delete", "item_id": "sky/three" }),
            "balloon",
            &[],
        ),
    ] {
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["reply_type"], "S", "{reply}");
        let (total, found) = count(&mut mcp, query);
        assert_eq!(
            (found, total),
            (expected.iter().map(|id| (*id).to_owned()).collect(), json!(expected.len())),
            "{tool}"
        );
    }
}

#[test]
fn what_is_sensitive_is_not_there_and_not_counted() {
    let stage = Stage::new();
    for name in ["open", "hidden"] {
        stage.file(&format!("project/.ai/knowledge/{name}.md"), &note(name, "A zeppelin."));
        stage.file(&format!("project/.ai/memory/{name}-too.md"), "A zeppelin.\n");
    }
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let arguments = full_search(json!({ "query": "zeppelin" }));
    assert_eq!(found(&stage, "zeppelin")["total"], 4);
    assert_eq!(mcp.call("search", &arguments)["data"]["total"], 4);
    stage.file("project/.ai/config.yaml", "sensitive: ['hidden*']\n");
    for query in ["zeppelin", "hidden", "note hidden", ""] {
        let data = found(&stage, query);
        let all = ids(&data);
        assert!(all.iter().all(|id| id.starts_with("open")), "{query}: {all:?}");
        assert_eq!(data["total"], all.len(), "{query}");
    }
    // A server follows the config within a second, and says so in between.
    let until = Instant::now() + Duration::from_secs(5);
    for id in 100.. {
        let params = json!({ "name": "search", "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        mcp.send(call.to_string().as_bytes());
        let answers = std::iter::repeat_with(|| mcp.receive());
        let answer = answers.into_iter().find(|answer| answer["id"] == id).expect("an answer");
        if answer["result"]["structuredContent"]["data"]["total"] == 2 {
            break;
        }
        assert!(Instant::now() < until, "the server still tells: {answer}");
        std::thread::sleep(Duration::from_millis(50));
    }
    stage.file("project/.ai/config.yaml", "");
    assert_eq!(found(&stage, "zeppelin")["total"], 4, "shown again");
}

#[test]
fn a_secret_is_found_by_no_part_of_it_and_shown_nowhere() {
    let stage = Stage::new();
    let secret = token('x');
    let body = format!("The zeppelin key is {secret} for now.");
    stage.file("project/.ai/knowledge/keys.md", &note("keys", &body));
    stage.file("project/.ai/memory/kept.md", &format!("zeppelin token = \"{secret}\"\n"));
    let inner = &secret[4..];
    for query in [
        secret.clone(),
        inner.to_owned(),
        inner[..12].to_owned(),
        format!("{}*", &inner[..8]),
        format!("{}*", &secret[..8]),
        "0123456789*".to_owned(),
        format!("\"{secret}\""),
        "ghp".to_owned(),
    ] {
        let found = by_words(&stage, &query);
        assert!(found.is_empty(), "{query}: {found:?}");
    }
    for query in ["zeppelin", "key", "now", "token"] {
        let data = found(&stage, query);
        assert!(!hits(&data).is_empty(), "{query}");
        let reply_text = data.to_string();
        assert!(!reply_text.contains(&inner[..8]), "{query}: {reply_text}");
    }
    assert!(
        !String::from_utf8_lossy(&stage.person(&["search", "zeppelin", "--limit", "10"]).stdout)
            .contains(&inner[..8])
    );
}

#[test]
fn a_real_folder_is_in_no_preview_whatever_is_asked() {
    let stage = Stage::new();
    let root = stage.path("project").display().to_string();
    let home = stage.path("home").display().to_string();
    let body = format!("See {root}/src/main.rs and {home}/notes.txt, a zeppelin.");
    stage.file("project/.ai/knowledge/paths.md", &note("paths", &body));
    stage.file("project/.ai/memory/paths-too.md", &format!("# At {root}/x\n\n{body}\n"));
    // The harness looks at every reply for these folders; marks must not hide them from it.
    let parts = root.split('/').filter(|part| !part.is_empty()).map(str::to_owned);
    let mut queries = parts.collect::<Vec<_>>();
    queries.extend([
        root.clone(),
        home,
        format!("\"{root}\""),
        "zeppelin".into(),
        "main".into(),
        "notes txt".into(),
    ]);
    let folder = root.split('/').rev().nth(1).expect("a folder").to_owned();
    for query in queries {
        let data = found(&stage, &query);
        let reply_text = data.to_string().replace("**", "");
        stage.check(&reply_text);
        assert!(!reply_text.contains(&folder), "{query}: {reply_text}");
    }
    let hit = hits(&found(&stage, "zeppelin"))[0].clone();
    let preview = hit["preview"].as_str().expect("a preview");
    assert!(preview.contains("ROOT_PROJECT:/src/main.rs"), "{preview}");
    assert_eq!(by_words(&stage, &folder), Vec::<String>::new(), "nobody can find out by asking");
}

#[test]
fn a_store_is_chosen_like_everywhere() {
    let stage = Stage::new();
    let config = "stores:\n  one: {path: ./memory}\n  two: {path: ./second}\n";
    stage.file("project/.ai/config.yaml", config);
    stage.file("project/.ai/memory/first.md", "A zeppelin.\n");
    stage.file("project/.ai/second/other.md", "A zeppelin.\n");
    for (words, expected) in
        [(&["--store", "one"][..], "first"), (&["--store", "two"], "other"), (&[], "first")]
    {
        let reply = person(&stage, &[&["search", "zeppelin"], words].concat());
        assert_eq!(ids(&reply["data"]), [expected], "{words:?}");
    }
}

#[test]
fn a_person_at_a_terminal_sees_groups_colours_and_nothing_that_steers() {
    let stage = Stage::new();
    let evil = entry("evil", "title: \"Evil \\e[2J title\"", "A zeppelin \u{1b}[31mred\u{202e}.");
    stage.file("project/.ai/knowledge/sky/evil.md", &evil);
    stage.file("project/.ai/memory/kept.md", "Zeppelin kept.\n");
    let show = |words: &str, variables: &[(&str, &str)]| {
        let (status, shown) = Typist::start_with(&stage, words, variables).finish();
        assert_eq!(status, 0, "{shown}");
        shown
    };
    let coloured = show("search zeppelin", &[("TERM", "xterm")]);
    assert!(coloured.contains("\u{1b}[1m\u{1b}[33mzeppelin\u{1b}[0m"), "{coloured:?}");
    assert!(!coloured.contains("\u{1b}[2J") && !coloured.contains("\u{1b}[31mred"), "{coloured:?}");
    let plain = show("search zeppelin", &[("TERM", "xterm"), ("NO_COLOR", "1")]);
    assert!(!plain.contains(['\u{1b}', '\u{202e}', '*']), "{plain:?}");
    let lines = plain.lines().map(str::trim_end).collect::<Vec<_>>();
    assert_eq!((lines[0], lines.contains(&"Memories")), ("Knowledge", true), "{plain}");
    assert!(lines[1].contains("sky/evil · project · unsigned · 0."), "{plain}");
    assert!(plain.ends_with("2 matches (hybrid).\n"), "{plain}");
    let none = show("search xylophone --mode text", &[]);
    assert!(none.contains("No matches.") && none.contains("`mere list`"), "{none}");
    let page = show("search zeppelin --unified --limit 1", &[("NO_COLOR", "1")]);
    let cursor = page.rsplit_once("--cursor ").expect("a next page").1.trim_end_matches("`\n");
    let next = show(
        &format!("search zeppelin --unified --limit 1 --cursor {cursor}"),
        &[("NO_COLOR", "1")],
    );
    assert_ne!(page.lines().next(), next.lines().next(), "{page}{next}");
    assert!(next.contains("1 of 2 matches (hybrid).\n"), "{next}");
}

#[test]
fn the_first_search_says_how_far_it_is_at_a_terminal_alone() {
    let stage = Stage::new();
    for number in 0..1000 {
        let id = format!("n{number}");
        let body = format!("A zeppelin. {}", "Words of another kind. ".repeat(20));
        stage.file(&format!("project/.ai/knowledge/c{}/{id}.md", number % 9), &note(&id, &body));
    }
    let began = Instant::now();
    let output = stage.person(&["search", "zeppelin", "--limit", "1"]);
    let took = began.elapsed();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    std::fs::remove_dir_all(stage.path("home/.cache")).expect("the index can be deleted");
    let typist = Typist::start_with(&stage, "search zeppelin --limit 1", &[("NO_COLOR", "1")]);
    let (status, shown) = typist.finish();
    assert_eq!(status, 0);
    assert!(shown.contains("1 of 1000 matches (hybrid)."), "{shown}");
    if took > Duration::from_millis(900) {
        assert!(shown.contains(" of 1000 items\u{1b}[K"), "{took:?} {shown:?}");
        let (bar, rest) = shown.rsplit_once("\r\u{1b}[K").expect("it is taken away");
        assert!(bar.contains('#') && rest.starts_with("Knowledge\n"), "{shown:?}");
    }
    // What was written just before it was read is read once more; then the index is enough.
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let words = "search zeppelin --limit 1";
        let (_, again) = Typist::start_with(&stage, words, &[("NO_COLOR", "1")]).finish();
        if again.starts_with("Knowledge\n") {
            break;
        }
        assert!(Instant::now() < until, "it is read again and again: {again:?}");
    }
}
