//! What a name in a link means is the same for `load`, `search`, `mere graph` and `mere rename`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::graph::load::{entry, load, reached};
use crate::support::harness::Stage;
use crate::support::samples::person;
use crate::support::searches::full_search;

/// What `load` says took the place of an entry.
fn superseded(stage: &Stage, id: &str) -> Value {
    let arguments = json!({ "item_type": "knowledge", "item_id": id }).to_string();
    stage.call_text("load", &arguments).reply["data"]["superseded_by"].clone()
}

/// What `search` says took the place of each hit, by address.
fn superseded_hits(stage: &Stage, query: &str) -> Vec<String> {
    let arguments =
        full_search(json!({ "query": query, "rank": "unified", "mode": "text", "limit": 100 }));
    let reply = stage.call_text("search", &arguments.to_string()).reply;
    let hits = reply["data"]["results"].as_array().expect("hits").iter();
    let listed = hits.filter_map(|hit| {
        let by = hit["superseded_by"].as_str()?;
        Some(format!("{} by {by}", hit["address"].as_str().unwrap_or_default()))
    });
    let mut listed = listed.collect::<Vec<_>>();
    listed.sort();
    listed
}

/// The names of the knowledge that is related to an entry.
fn related(stage: &Stage, id: &str) -> Vec<String> {
    let filters = json!({ "related_to": id });
    let arguments =
        full_search(json!({ "query": "", "item_types": ["knowledge"], "filters": filters,
                        "rank": "unified", "mode": "text", "limit": 100 }));
    let reply = stage.call_text("search", &arguments.to_string()).reply;
    let hits = reply["data"]["results"].as_array().unwrap_or_else(|| panic!("{reply}")).iter();
    let field = |hit: &Value, name: &str| hit[name].as_str().unwrap_or_default().to_owned();
    let names = hits.map(|hit| format!("{}/{}", field(hit, "category"), field(hit, "id")));
    let mut names = names.collect::<Vec<_>>();
    names.sort();
    names
}

fn drawn(stage: &Stage, id: &str) -> String {
    let output = stage.person(&["graph", id]);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub(crate) fn own(stage: &Stage, path: &str, front: &str) {
    let id = path.rsplit('/').next().expect("an id");
    let text = format!("---\nid: {id}\ntitle: About {id}\n{front}---\n\nZeppelin of mine.\n");
    stage.file(&format!("home/.ai/knowledge/{path}.md"), &text);
}

#[test]
fn a_name_of_two_entries_supersedes_neither_of_them() {
    let stage = Stage::new();
    entry(&stage, "a/x", "", "Zeppelin.");
    entry(&stage, "b/x", "", "Zeppelin.");
    entry(&stage, "n/new", "supersedes: [x]\n", "Zeppelin.");
    for id in ["a/x", "b/x"] {
        assert_eq!(superseded(&stage, id), Value::Null, "{id}");
        assert!(!drawn(&stage, id).contains("superseded"), "{id}");
        assert_eq!(reached(&load(&stage, &json!({ "item_id": id }))), [""; 0], "{id}");
        assert_eq!(related(&stage, id), [""; 0], "{id}");
    }
    assert_eq!(superseded_hits(&stage, "zeppelin"), [""; 0]);
    assert_eq!(related(&stage, "new"), [""; 0]);
    entry(&stage, "n/new", "supersedes: [b/x]\n", "Zeppelin.");
    assert_eq!(superseded(&stage, "b/x"), "n/new");
    assert_eq!(superseded(&stage, "a/x"), Value::Null);
    let hit = "ROOT_PROJECT:/.ai/knowledge/b/x.md by n/new";
    assert_eq!(superseded_hits(&stage, "zeppelin"), [hit]);
    assert!(drawn(&stage, "b/x").contains("[superseded]"));
    assert_eq!(related(&stage, "b/x"), ["n/new"]);
    assert_eq!(related(&stage, "a/x"), [""; 0]);
    assert_eq!(related(&stage, "x"), ["n/new"], "of either");
    assert_eq!(related(&stage, "new"), ["b/x"]);
}

#[test]
fn a_bare_name_means_the_entry_of_the_project_everywhere() {
    let stage = Stage::new();
    entry(&stage, "a/x", "", "Zeppelin.");
    own(&stage, "b/x", "");
    entry(&stage, "n/new", "supersedes: [x]\nreferences: [a/x]\n", "Zeppelin.");
    assert_eq!(superseded(&stage, "a/x"), "n/new");
    assert_eq!(superseded(&stage, "b/x"), Value::Null);
    let hit = "ROOT_PROJECT:/.ai/knowledge/a/x.md by n/new";
    assert_eq!(superseded_hits(&stage, "zeppelin"), [hit]);
    assert_eq!((related(&stage, "a/x"), related(&stage, "b/x")), (vec!["n/new".into()], vec![]));
    let related_entries = reached(&load(&stage, &json!({ "item_id": "a/x" })));
    assert_eq!(related_entries, ["incoming references new 1", "incoming supersedes new 1"]);
}

#[test]
fn what_a_shadowed_entry_says_does_not_count() {
    let stage = Stage::new();
    entry(&stage, "a/old", "", "Zeppelin.");
    own(&stage, "n/new", "supersedes: [old]\n");
    assert_eq!(superseded(&stage, "old"), "n/new");
    entry(&stage, "n/new", "", "It says nothing of the old.");
    assert_eq!(superseded(&stage, "old"), Value::Null);
    assert_eq!(related(&stage, "old"), [""; 0]);
    assert_eq!(reached(&load(&stage, &json!({ "item_id": "old" }))), [""; 0]);
}

#[test]
fn what_may_not_be_known_neither_supersedes_nor_makes_a_name_unclear() {
    let stage = Stage::new();
    entry(&stage, "a/x", "", "Zeppelin.");
    entry(&stage, "b/x", "", "Zeppelin.");
    entry(&stage, "n/new", "supersedes: [x]\n", "Zeppelin.");
    entry(&stage, "n/newer", "supersedes: [a/x]\n", "Zeppelin.");
    stage.file("home/.ai/config.yaml", "sensitive: ['.ai/knowledge/b/**', newer.md]\n");
    assert_eq!(superseded(&stage, "a/x"), "n/new");
    assert_eq!(related(&stage, "a/x"), ["n/new"]);
    assert_eq!(related(&stage, "new"), ["a/x"]);
    let related_entries = reached(&load(&stage, &json!({ "item_id": "a/x" })));
    assert_eq!(related_entries, ["incoming supersedes new 1"]);
}

#[test]
fn a_rename_says_how_many_links_elsewhere_have_the_old_name() {
    let stage = Stage::new();
    entry(&stage, "a/old", "", "");
    entry(&stage, "a/note", "extends: [old]\n", "");
    own(&stage, "mine", "extends: [old]\nreferences: [a/old, other]\n");
    own(&stage, "b/other", "");
    let rename = |from: &str, to: &str| {
        let output = stage.person(&["rename", "note", from, to, "--json"]);
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["data"].clone()
    };
    let moved = rename("a/old", "new");
    assert_eq!(moved["relinked"], json!(["ROOT_PROJECT:/.ai/knowledge/a/note.md"]), "{moved}");
    assert_eq!(moved["links_elsewhere"], 2, "{moved}");
    let own = std::fs::read_to_string(stage.path("home/.ai/knowledge/mine.md")).expect("a note");
    assert!(own.contains("references: [a/old, other]"), "{own}");
    let moved = rename("a/new", "newest");
    assert_eq!(moved["links_elsewhere"], Value::Null, "{moved}");
    let moved = stage.person(&["rename", "note", "b/other", "another"]);
    let moved = String::from_utf8(moved.stdout).expect("UTF-8");
    assert!(!moved.contains("elsewhere"), "{moved}");
}

/// Entries of both scopes that share ids, with links by bare and by whole names.
fn dense_graph() -> Stage {
    let stage = Stage::new();
    let mut seed = 7_u32;
    let mut any = |below: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) % below
    };
    let relations = ["extends", "references", "contradicts", "supersedes", "related"];
    let ids = ["u", "v", "w", "x", "y", "z"];
    let categories = ["", "a/", "b/"];
    for (category, id) in categories.iter().flat_map(|one| ids.map(|id| (one, id))) {
        for is_own in [false, true] {
            if any(3) == 0 {
                continue;
            }
            let front = relations.map(|relation| {
                let links = (0..any(3)).map(|_| {
                    let place = ["", "", "", "/", "a/", "b/"][any(6) as usize];
                    format!("{place}{}", ids[any(6) as usize])
                });
                format!("{relation}: [{}]\n", links.collect::<Vec<_>>().join(", "))
            });
            let path = format!("{category}{id}");
            if is_own {
                own(&stage, &path, &front.concat());
            } else {
                entry(&stage, &path, &front.concat(), "Zeppelin.");
            }
        }
    }
    stage
}

/// The whole name of an entry.
fn named(entry: &Value) -> String {
    let field = |name: &str| entry[name].as_str().unwrap_or_default();
    format!("{}/{}", field("category"), field("id"))
}

#[test]
fn the_graph_around_an_entry_is_part_of_the_whole_graph() {
    let stage = dense_graph();
    let whole = stage.person(&["graph", "--format", "json"]).stdout;
    let whole = serde_json::from_slice::<Value>(&whole).expect("JSON");
    let nodes = whole["nodes"].as_array().expect("nodes");
    let mut links = BTreeMap::<String, BTreeSet<(String, String)>>::new();
    for edge in whole["edges"].as_array().expect("edges") {
        let end = |name: &str| {
            let at = edge[name].as_u64().and_then(|at| usize::try_from(at).ok());
            named(&nodes[at.expect("a node")])
        };
        let (from, to, relation) = (end("source"), end("target"), &edge["relation"]);
        if from != to {
            let ways = match relation.as_str() {
                Some("contradicts" | "related") => ["both", "both"],
                _ => ["outgoing", "incoming"],
            };
            let [there, back] = ways.map(|way| format!("{way} {relation}"));
            links.entry(from.clone()).or_default().insert((there, to.clone()));
            links.entry(to).or_default().insert((back, from));
        }
    }
    assert!(
        nodes.len() > 12
            && whole["loose"].as_array().is_some_and(|unresolved| unresolved.len() > 9)
    );
    let near = |name: &str| links.get(name).cloned().unwrap_or_default();
    for node in nodes {
        let name = named(node);
        let expected = near(&name);
        let arguments = json!({ "item_id": name, "source": node["scope"] });
        assert_eq!(entries_at(&load(&stage, &arguments), 1), expected, "{name}");
        let names = expected.iter().map(|(_, other)| other.clone()).collect::<BTreeSet<_>>();
        let far = names.iter().flat_map(|other| near(other)).map(|(_, other)| other);
        let far = far.filter(|other| *other != name && !names.contains(other)).collect();
        let arguments = json!({ "item_id": name, "source": node["scope"], "depth": 2 });
        let found = entries_at(&load(&stage, &arguments), 2).into_iter().map(|(_, other)| other);
        assert_eq!(found.collect::<BTreeSet<_>>(), far, "{name}");
        assert_eq!(related(&stage, &name), names.into_iter().collect::<Vec<_>>(), "{name}");
        let is_superseded = superseded(&stage, &name) != Value::Null;
        assert_eq!(Value::from(is_superseded), node["superseded"], "{name}");
    }
}

/// What `load` tells at a distance, by direction and relation.
fn entries_at(data: &Value, distance: u64) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for way in ["outgoing", "incoming", "both"] {
        let groups = data["relationships"][way].as_object().cloned().unwrap_or_default();
        for (relation, entries) in groups {
            for entry in entries.as_array().expect("entries") {
                if entry["distance"] == distance {
                    found.insert((format!("{way} \"{relation}\""), named(entry)));
                }
            }
        }
    }
    found
}

#[test]
fn what_was_changed_after_it_was_signed_says_nothing_of_others() {
    let stage = Stage::new();
    person(&stage, &["init"]);
    entry(&stage, "retries", "references: [how-items-work]\n", "See [[examples/how-items-work]].");
    let signed = "project/.ai/knowledge/examples/how-items-work.md";
    let text = std::fs::read_to_string(stage.path(signed)).expect("an example");
    let frontmatter = "---\ntitle: EVIL TITLE\nsupersedes: [retries]\nentry_type: EVIL TYPE\n";
    let changed = text
        .lines()
        .filter(|line| !line.starts_with("title:") && !line.starts_with("entry_type:"))
        .collect::<Vec<_>>();
    let changed = changed.join("\n").replacen("---\n", frontmatter, 1);
    let answers = |stage: &Stage| {
        let found = full_search(json!({ "query": "retries" })).to_string();
        let found = stage.call_text("search", &found).reply.to_string();
        // That nothing superseded a hit is said.
        let found = found.replace("\"superseded_by\":null", "");
        let graph = ["text", "dot", "json", "svg"].map(|format| {
            String::from_utf8(stage.person(&["graph", "--format", format]).stdout).expect("UTF-8")
        });
        let around = load(stage, &json!({ "item_id": "retries", "depth": 2 }));
        (around, format!("{found} {}", graph.join("\n")))
    };
    let (around, _) = answers(&stage);
    assert_eq!(around["relationships"]["outgoing"]["references"][0]["title"], "How items work");
    stage.file(signed, &changed);
    let (around, all) = answers(&stage);
    let relationships = &around["relationships"];
    let target = &relationships["outgoing"]["references"][0];
    assert_eq!((&target["id"], &target["title"]), (&json!("how-items-work"), &target["id"]));
    assert_eq!(
        (&around["superseded_by"], &relationships["incoming"]),
        (&Value::Null, &Value::Null)
    );
    for reply_text in [around.to_string(), all] {
        assert!(
            !reply_text.contains("EVIL") && !reply_text.contains("superseded_by"),
            "{reply_text}"
        );
    }
    // The same words count from one that nobody signed.
    std::fs::remove_file(stage.path(&format!("{signed}.sig"))).expect("a sidecar");
    assert_eq!(answers(&stage).0["superseded_by"], "examples/how-items-work");
}

#[test]
fn a_mistyped_relation_is_told_when_the_entry_is_loaded() {
    let stage = Stage::new();
    entry(&stage, "new", "supercedes: [old]\ndepends-on: [old]\ncreated: today\n", "");
    entry(&stage, "old", "", "");
    let arguments = json!({ "item_type": "knowledge", "item_id": "new" }).to_string();
    let warnings = stage.call_text("load", &arguments).reply["data"]["validation_warnings"].clone();
    let words = ["supercedes", "depends-on"].map(|key| {
        let relation = if key == "supercedes" { "supersedes" } else { "depends_on" };
        format!("`{key}` is not a relation; did you mean `{relation}`?")
    });
    let about_relations = warnings.as_array().expect("warnings").iter().filter_map(Value::as_str);
    let mut about_relations =
        about_relations.filter(|warning| warning.contains("is not a relation")).collect::<Vec<_>>();
    about_relations.sort_unstable_by_key(|warning| std::cmp::Reverse(*warning));
    assert_eq!(about_relations, words);
}
