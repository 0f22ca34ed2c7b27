//! What a name in a link means is the same for `load`, `search`, `mere graph` and `mere rename`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::graph::load::{entry, load, reached};
use crate::support::harness::Stage;
use crate::support::samples::person;

/// What `load` says took the place of an entry.
fn superseded(stage: &Stage, id: &str) -> Value {
    let asked = json!({ "item_type": "knowledge", "item_id": id }).to_string();
    stage.call_text("load", &asked).reply["data"]["superseded_by"].clone()
}

/// What `search` says took the place of each hit, by address.
fn superseded_hits(stage: &Stage, query: &str) -> Vec<String> {
    let asked = json!({ "query": query, "rank": "unified", "mode": "text", "limit": 100 });
    let reply = stage.call_text("search", &asked.to_string()).reply;
    let hits = reply["data"]["results"].as_array().expect("hits").iter();
    let told = hits.filter_map(|hit| {
        let by = hit["superseded_by"].as_str()?;
        Some(format!("{} by {by}", hit["address"].as_str().unwrap_or_default()))
    });
    let mut told = told.collect::<Vec<_>>();
    told.sort();
    told
}

/// The names of the knowledge that is related to an entry.
fn related(stage: &Stage, id: &str) -> Vec<String> {
    let filters = json!({ "related_to": id });
    let asked = json!({ "query": "", "item_types": ["knowledge"], "filters": filters,
                        "rank": "unified", "mode": "text", "limit": 100 });
    let reply = stage.call_text("search", &asked.to_string()).reply;
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
    let told = reached(&load(&stage, &json!({ "item_id": "a/x" })));
    assert_eq!(told, ["incoming references new 1", "incoming supersedes new 1"]);
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
    let told = reached(&load(&stage, &json!({ "item_id": "a/x" })));
    assert_eq!(told, ["incoming supersedes new 1"]);
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
    let told = rename("a/old", "new");
    assert_eq!(told["relinked"], json!(["ROOT_PROJECT:/.ai/knowledge/a/note.md"]), "{told}");
    assert_eq!(told["links_elsewhere"], 2, "{told}");
    let own = std::fs::read_to_string(stage.path("home/.ai/knowledge/mine.md")).expect("a note");
    assert!(own.contains("references: [a/old, other]"), "{own}");
    let told = rename("a/new", "newest");
    assert_eq!(told["links_elsewhere"], Value::Null, "{told}");
    let told = stage.person(&["rename", "note", "b/other", "another"]);
    let told = String::from_utf8(told.stdout).expect("UTF-8");
    assert!(!told.contains("elsewhere"), "{told}");
}

/// Entries of both scopes that share ids, with links by bare and by whole names.
fn thicket() -> Stage {
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
    let stage = thicket();
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
    assert!(nodes.len() > 12 && whole["loose"].as_array().is_some_and(|loose| loose.len() > 9));
    let near = |name: &str| links.get(name).cloned().unwrap_or_default();
    for node in nodes {
        let name = named(node);
        let expected = near(&name);
        let asked = json!({ "item_id": name, "source": node["scope"] });
        assert_eq!(told(&load(&stage, &asked), 1), expected, "{name}");
        let names = expected.iter().map(|(_, other)| other.clone()).collect::<BTreeSet<_>>();
        let far = names.iter().flat_map(|other| near(other)).map(|(_, other)| other);
        let far = far.filter(|other| *other != name && !names.contains(other)).collect();
        let asked = json!({ "item_id": name, "source": node["scope"], "depth": 2 });
        let found = told(&load(&stage, &asked), 2).into_iter().map(|(_, other)| other);
        assert_eq!(found.collect::<BTreeSet<_>>(), far, "{name}");
        assert_eq!(related(&stage, &name), names.into_iter().collect::<Vec<_>>(), "{name}");
        let is_superseded = superseded(&stage, &name) != Value::Null;
        assert_eq!(Value::from(is_superseded), node["superseded"], "{name}");
    }
}

/// What `load` tells at a distance, by direction and relation.
fn told(data: &Value, distance: u64) -> BTreeSet<(String, String)> {
    let mut told = BTreeSet::new();
    for way in ["outgoing", "incoming", "both"] {
        let groups = data["relationships"][way].as_object().cloned().unwrap_or_default();
        for (relation, entries) in groups {
            for entry in entries.as_array().expect("entries") {
                if entry["distance"] == distance {
                    told.insert((format!("{way} \"{relation}\""), named(entry)));
                }
            }
        }
    }
    told
}

#[test]
fn what_was_changed_after_it_was_signed_says_nothing_of_others() {
    let stage = Stage::new();
    person(&stage, &["init"]);
    entry(&stage, "retries", "references: [how-items-work]\n", "See [[examples/how-items-work]].");
    let signed = "project/.ai/knowledge/examples/how-items-work.md";
    let text = std::fs::read_to_string(stage.path(signed)).expect("an example");
    let said = "---\ntitle: EVIL TITLE\nsupersedes: [retries]\nentry_type: EVIL TYPE\n";
    let changed = text
        .lines()
        .filter(|line| !line.starts_with("title:") && !line.starts_with("entry_type:"))
        .collect::<Vec<_>>();
    let changed = changed.join("\n").replacen("---\n", said, 1);
    let told = |stage: &Stage| {
        let found = stage.call_text("search", r#"{"query":"retries"}"#).reply;
        let graph = ["text", "dot", "json", "svg"].map(|format| {
            String::from_utf8(stage.person(&["graph", "--format", format]).stdout).expect("UTF-8")
        });
        let around = load(stage, &json!({ "item_id": "retries", "depth": 2 }));
        (around, format!("{found} {}", graph.join("\n")))
    };
    let (around, _) = told(&stage);
    assert_eq!(around["relationships"]["outgoing"]["references"][0]["title"], "How items work");
    stage.file(signed, &changed);
    let (around, all) = told(&stage);
    let relationships = &around["relationships"];
    let target = &relationships["outgoing"]["references"][0];
    assert_eq!((&target["id"], &target["title"]), (&json!("how-items-work"), &target["id"]));
    assert_eq!(
        (&around["superseded_by"], &relationships["incoming"]),
        (&Value::Null, &Value::Null)
    );
    for told in [around.to_string(), all] {
        assert!(!told.contains("EVIL") && !told.contains("superseded_by"), "{told}");
    }
    // The same words count from one that nobody signed.
    std::fs::remove_file(stage.path(&format!("{signed}.sig"))).expect("a sidecar");
    assert_eq!(told(&stage).0["superseded_by"], "examples/how-items-work");
}

#[test]
fn a_mistyped_relation_is_told_when_the_entry_is_loaded() {
    let stage = Stage::new();
    entry(&stage, "new", "supercedes: [old]\ndepends-on: [old]\ncreated: today\n", "");
    entry(&stage, "old", "", "");
    let asked = json!({ "item_type": "knowledge", "item_id": "new" }).to_string();
    let warnings = stage.call_text("load", &asked).reply["data"]["validation_warnings"].clone();
    let words = ["supercedes", "depends-on"].map(|key| {
        let meant = if key == "supercedes" { "supersedes" } else { "depends_on" };
        format!("`{key}` is not a relation; did you mean `{meant}`?")
    });
    let told = warnings.as_array().expect("warnings").iter().filter_map(Value::as_str);
    let mut told = told.filter(|told| told.contains("is not a relation")).collect::<Vec<_>>();
    told.sort_unstable_by_key(|told| std::cmp::Reverse(*told));
    assert_eq!(told, words);
}
