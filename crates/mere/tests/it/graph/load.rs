//! How knowledge hangs together: `load` with relationships, `mere graph`, its drawings and its checks.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::searches::full_search;

pub(crate) fn entry(stage: &Stage, path: &str, front: &str, body: &str) {
    let id = path.rsplit('/').next().expect("an id");
    let text = format!("---\nid: {id}\ntitle: About {id}\n{front}---\n\n{body}\n");
    stage.file(&format!("project/.ai/knowledge/{path}.md"), &text);
}

fn stage() -> Stage {
    let stage = Stage::new();
    entry(&stage, "api/paging", "extends: [lists]\nsupersedes: [offsets]\n", "See [[limits]].");
    entry(&stage, "lists", "", "All lists.");
    entry(&stage, "offsets", "", "The old way.");
    entry(&stage, "limits", "references: [quota]\n", "Of everything.");
    entry(&stage, "quota", "depends_on: [api/paging]\n", "A circle of three links.");
    stage
}

pub(crate) fn load(stage: &Stage, arguments: &Value) -> Value {
    let mut request = json!({ "item_type": "knowledge", "include_relationships": true });
    let map = request.as_object_mut().expect("an object");
    map.extend(arguments.as_object().expect("an object").clone());
    let reply = stage.call_text("load", &request.to_string()).reply;
    assert_eq!(reply["code"], "IT-LOAD-S-001", "{reply}");
    reply["data"].clone()
}

/// The ids that were reached, with relation, direction and distance.
pub(crate) fn reached(data: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for direction in ["outgoing", "incoming", "both"] {
        let groups = data["relationships"][direction].as_object().cloned().unwrap_or_default();
        for (relation, entries) in groups {
            for entry in entries.as_array().expect("entries") {
                let (id, distance) = (entry["id"].as_str().expect("an id"), &entry["distance"]);
                found.push(format!("{direction} {relation} {id} {distance}"));
            }
        }
    }
    found
}

#[test]
fn an_entry_is_told_with_what_it_links_to_and_what_links_to_it() {
    let stage = stage();
    let data = load(&stage, &json!({ "item_id": "api/paging" }));
    assert_eq!(
        reached(&data),
        [
            "outgoing extends lists 1",
            "outgoing references limits 1",
            "outgoing supersedes offsets 1",
            "incoming depends_on quota 1",
        ]
    );
    let first = &data["relationships"]["outgoing"]["extends"][0];
    assert_eq!(first["title"], "About lists");
    assert_eq!(first["address"], "ROOT_PROJECT:/.ai/knowledge/lists.md");
    let plain = stage.call_text("load", r#"{"item_type":"knowledge","item_id":"lists"}"#).reply;
    assert_eq!(plain["data"]["relationships"], Value::Null);
}

#[test]
fn depth_direction_and_types_say_how_far_which_way_and_along_what() {
    let stage = stage();
    let check = |arguments: Value, expected: &[&str]| {
        assert_eq!(reached(&load(&stage, &arguments)), expected, "{arguments}");
    };
    check(json!({ "item_id": "lists" }), &["incoming extends paging 1"]);
    check(json!({ "item_id": "lists", "direction": "outgoing" }), &[]);
    let deep = json!({ "item_id": "lists", "depth": 5 });
    let all = [
        "outgoing references limits 2",
        "outgoing supersedes offsets 2",
        "incoming extends paging 1",
        "incoming depends_on quota 2",
    ];
    check(deep, &all);
    check(
        json!({ "item_id": "limits", "types": ["references"], "depth": 5 }),
        &["outgoing references quota 1", "incoming references paging 1"],
    );
    for wrong in [
        json!({ "item_id": "lists", "depth": 6 }),
        json!({ "item_id": "lists", "depth": 0 }),
        json!({ "item_id": "lists", "direction": "sideways" }),
        json!({ "item_id": "lists", "types": ["friend_of"] }),
    ] {
        let mut arguments = json!({ "item_type": "knowledge", "include_relationships": true });
        arguments.as_object_mut().expect("a map").extend(wrong.as_object().expect("a map").clone());
        let reply = stage.call_text("load", &arguments.to_string()).reply;
        assert_eq!(reply["reply_type"], "I", "{wrong}: {reply}");
    }
}

#[test]
fn a_superseded_entry_says_by_what() {
    let stage = stage();
    let reply = stage.call_text("load", r#"{"item_type":"knowledge","item_id":"offsets"}"#).reply;
    assert_eq!(reply["data"]["superseded_by"], "api/paging");
    let search_arguments =
        full_search(json!({ "query": "old way", "rank": "unified", "mode": "text" }));
    let found = stage.call_text("search", &search_arguments.to_string()).reply;
    assert_eq!(found["data"]["results"][0]["superseded_by"], "api/paging");
}

#[test]
fn links_that_lead_nowhere_are_told() {
    let stage = stage();
    entry(&stage, "torn", "extends: [nobody]\n", "[[paging]] is fine.");
    let data = load(&stage, &json!({ "item_id": "torn" }));
    assert_eq!(
        data["relationships"]["dangling"],
        json!([{ "relation": "extends", "target": "nobody" }])
    );
}

#[test]
fn what_is_sensitive_is_no_part_of_the_graph() {
    let stage = stage();
    stage.file("home/.ai/config.yaml", "sensitive: [\"quota.md\"]\n");
    let data = load(&stage, &json!({ "item_id": "api/paging", "depth": 5 }));
    assert!(!data["relationships"].to_string().contains("About quota"), "{data}");
    let drawn = stage.person(&["graph"]);
    let drawn = String::from_utf8(drawn.stdout).expect("UTF-8");
    assert!(drawn.contains("lists") && !drawn.contains("About quota"), "{drawn}");
}

fn drawn(stage: &Stage, arguments: &[&str]) -> String {
    let output = stage.person(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_graph_is_drawn_in_four_ways() {
    let stage = stage();
    let text = drawn(&stage, &["graph", "api/paging", "--depth", "1"]);
    assert!(text.starts_with("api/paging · About paging"), "{text}");
    assert!(text.contains("supersedes → offsets"), "{text}");
    let dot = drawn(&stage, &["graph", "--format", "dot"]);
    assert!(dot.starts_with("digraph") && dot.contains("->"), "{dot}");
    let data = drawn(&stage, &["graph", "--format", "json"]);
    let data = serde_json::from_str::<Value>(&data).expect("JSON");
    assert_eq!(data["nodes"].as_array().map(Vec::len), Some(5), "{data}");
    let svg = drawn(&stage, &["graph", "--format", "svg"]);
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains("About offsets") && !svg.contains("<script"), "{svg}");
    let missing = stage.person(&["graph", "nobody"]);
    assert!(!missing.status.success());
}

#[test]
fn the_links_of_a_space_are_checked() {
    let stage = stage();
    let sound = stage.person(&["graph", "--check"]);
    assert!(sound.status.success(), "{sound:?}");
    entry(&stage, "torn", "extends: [limit]\n", "");
    entry(&stage, "egg", "supersedes: [hen]\n", "");
    entry(&stage, "hen", "supersedes: [egg]\n", "");
    entry(&stage, "alone", "", "");
    let found = stage.person(&["graph", "--check", "--json"]);
    assert_eq!(found.status.code(), Some(4), "{found:?}");
    let reply = serde_json::from_slice::<Value>(&found.stdout).expect("JSON");
    assert_eq!(reply["code"], "IT-GRAPH-E-001");
    let checks = reply["data"]["checks"].as_array().expect("checks").iter();
    let checks = checks.map(|check| {
        let field = |name: &str| check[name].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", field("check"), field("address"), field("fix"))
    });
    let checks = checks.collect::<Vec<_>>();
    assert_eq!(
        checks,
        [
            "dangling ROOT_PROJECT:/.ai/knowledge/torn.md Did you mean `limits`?",
            "cycle ROOT_PROJECT:/.ai/knowledge/egg.md Remove one of these links.",
            "orphan ROOT_PROJECT:/.ai/knowledge/alone.md ",
        ]
    );
}

#[test]
fn a_secret_in_a_link_a_type_or_an_escaped_title_is_told_nowhere() {
    let stage = stage();
    let token = concat!("ghp", "_a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8");
    let front = format!("entry_type: {token}\nextends: [{token}]\nrelated: [lists]\n");
    entry(&stage, "leaky", &front, &format!("[[{token}]]"));
    let escaped =
        format!("---\nid: twist\ntitle: \"\\x67{}\"\nrelated: [lists]\n---\n", &token[1..]);
    stage.file("project/.ai/knowledge/twist.md", &escaped);
    for (id, other) in [("leaky", "About lists"), ("lists", "About leaky")] {
        let around = load(&stage, &json!({ "item_id": id, "depth": 2 }))["relationships"].clone();
        assert!(around.to_string().contains(other), "{around}");
        assert!(!around.to_string().contains(token), "{around}");
    }
    for arguments in [&["graph"][..], &["graph", "--check"], &["graph", "--format", "json"]] {
        let stdout = stage.person(arguments).stdout;
        assert!(!String::from_utf8_lossy(&stdout).contains(token), "{arguments:?}");
    }
    for query in [token, "a1b2*", &format!("tag:{token}")] {
        let search_arguments = full_search(json!({ "query": query, "mode": "text" })).to_string();
        let found = stage.call_text("search", &search_arguments).reply;
        assert_eq!(found["data"]["total"], 0, "{query}");
    }
}

#[test]
fn running_an_entry_tells_its_relationships_too() {
    let stage = stage();
    let run = |arguments: Value| stage.call_text("execute", &arguments.to_string()).reply;
    let reply = run(json!({
        "item_type": "knowledge", "item_id": "lists", "include_relationships": true,
    }));
    assert_eq!(reached(&reply["data"]), ["incoming extends paging 1"], "{reply}");
    let plain = run(json!({ "item_type": "knowledge", "item_id": "lists" }));
    assert_eq!(plain["data"]["relationships"], Value::Null);
    let other = run(json!({
        "item_type": "directive", "item_id": "lists", "include_relationships": true,
    }));
    assert_eq!(other["reply_type"], "I", "only knowledge has relationships to include: {other}");
}

#[test]
fn a_search_brings_related_entries_along_and_marks_them() {
    let stage = stage();
    entry(&stage, "secret-plans", "extends: [lists]\n", "key AKIAIOSFODNN7EXAMPLE");
    let search = |arguments: Value| {
        let reply = stage.call_text("search", &full_search(arguments).to_string()).reply;
        assert_eq!(reply["reply_type"], "S", "{reply}");
        reply["data"].clone()
    };
    let ids = |list: &Value| {
        let list = list.as_array().expect("a list").iter();
        list.map(|hit| (hit["id"].clone(), hit["related_to"] != Value::Null)).collect::<Vec<_>>()
    };
    let query = json!({ "query": "\"All lists\"", "mode": "text" });
    let plain = search(query.clone());
    assert_eq!(ids(&plain["knowledge"]), [(json!("lists"), false)]);
    for rank in ["by_type", "unified"] {
        let mut query = query.clone();
        query["include_relationships"] = true.into();
        query["rank"] = rank.into();
        let data = search(query);
        let list = if rank == "unified" { &data["results"] } else { &data["knowledge"] };
        let hits = ids(list);
        let related =
            list.as_array().and_then(|list| list.iter().find(|hit| hit["id"] == "paging"));
        let related = related.expect("the entry that extends the hit");
        assert_eq!(hits[0], (json!("lists"), false), "{data}");
        assert_eq!(hits.len(), 3, "{data}");
        assert!(hits[1..].iter().all(|(_, related)| *related), "{data}");
        assert_eq!(data["total"], 1, "what is related is no match");
        assert_eq!(
            related["related_to"],
            json!([{ "hit": "lists", "relation": "extends", "direction": "incoming" }])
        );
        assert_eq!(related["trust"]["status"], "unsigned");
        assert!(related["updated_at"].is_string(), "{related}");
        assert!(!data.to_string().contains("AKIAIOSFODNN7EXAMPLE"), "secrets are masked: {data}");
    }
}
