//! The bounds of an item's fields and of replies, with content that is as large as it can be.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::searches::full_search;

/// The largest reply to a call that asks for no file's content.
const MAX_REPLY: usize = 1024 * 1024;

/// A text that is longer than any title or description may be.
fn long_text() -> String {
    "lantern ".repeat(625)
}

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

/// Calls a tool, and checks the size of the reply as it is sent.
fn call_within_limit(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    let reply = call(stage, tool, arguments);
    let size = reply.to_string().len();
    assert!(size <= MAX_REPLY, "{tool} {arguments}: {size} bytes");
    assert_eq!(reply["reply_type"], "S", "{tool} {arguments}: {}", reply["message"]);
    reply
}

fn note(id: &str, title: &str, more: &str) -> String {
    format!("---\nid: {id}\ntitle: {title}\n{more}---\n\nlantern\n")
}

fn directive(id: &str, description: &str) -> String {
    format!(
        "<directive name=\"{id}\" version=\"1.0.0\"><metadata><description>{description}\
         </description></metadata><process><step name=\"a\">Do.</step></process></directive>\n"
    )
}

#[test]
fn long_titles_and_descriptions_are_cut_in_hits_and_whole_when_loaded() {
    let stage = Stage::new();
    stage.folder("project/.git");
    let text = long_text();
    for number in 0..100 {
        let id = format!("n{number}");
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(&id, text.trim(), ""));
        stage.file(&format!("project/.ai/directives/{id}.md"), &directive(&id, text.trim()));
    }
    let arguments = full_search(json!({ "query": "lantern", "mode": "text", "limit": 100 }));
    let reply = call_within_limit(&stage, "search", &arguments);
    let data = &reply["data"];
    let hit = &data["knowledge"][0];
    let title = hit["title"].as_str().expect("a title");
    assert_eq!((title.chars().count(), title.ends_with('…')), (200, true));
    let description = data["directives"][0]["description"].as_str().expect("a description");
    assert_eq!((description.chars().count(), description.ends_with('…')), (400, true));
    let load = json!({ "item_type": "knowledge", "item_id": "n1" });
    let loaded = call(&stage, "load", &load);
    assert!(loaded["data"]["content"].as_str().expect("content").contains(text.trim()));
    let warnings = loaded["data"]["validation_warnings"].to_string();
    assert!(warnings.contains("title: 4999 characters, and at most 200 are allowed"), "{warnings}");
}

#[test]
fn a_path_at_the_end_of_a_cut_title_does_not_leave_in_part() {
    let stage = Stage::new();
    stage.folder("project/.git");
    let path = stage.path("project").display().to_string();
    // The folder lies across the place where a title is cut, at each offset.
    for offset in 0..path.len() {
        let title = format!("{} {path}/lantern/{}", "x".repeat(198 - offset), "y".repeat(300));
        let id = format!("n{offset}");
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(&id, &title, ""));
    }
    let arguments = full_search(json!({ "query": "lantern", "mode": "text", "limit": 100 }));
    // The stage checks each reply for the whole path, and here no part of it may be seen.
    let reply = call_within_limit(&stage, "search", &arguments).to_string();
    let (parent, _) = path.rsplit_once('/').expect("a parent");
    assert!(!reply.contains(&parent[..parent.len().min(5)]), "{reply}");
}

#[test]
fn a_new_item_whose_fields_are_too_long_is_refused_with_the_bound() {
    let stage = Stage::new();
    stage.folder("project/.git");
    let many = |count: usize| {
        let all = (0..count).map(|number| format!("t{number}"));
        all.collect::<Vec<_>>().join(", ")
    };
    let knowledge = |more: &str| ("knowledge", note("n", "A title", more));
    for ((kind, content), said) in [
        (("knowledge", note("n", &"x".repeat(201), "")), "title: 201 characters"),
        (knowledge(&format!("tags: [{}]\n", many(65))), "tags: 65 entries"),
        (knowledge(&format!("tags: [{}]\n", "x".repeat(101))), "a tag: 101 characters"),
        (knowledge(&format!("author: {}\n", "x".repeat(201))), "author: 201 characters"),
        (knowledge(&format!("entry_type: {}\n", "x".repeat(65))), "entry_type: 65 characters"),
        (knowledge(&format!("extends: [{}]\n", many(257))), "the relations: 257 entries"),
        (
            knowledge(&format!("version: \"1.0.0-{}\"\n", "a".repeat(200))),
            "version: 206 characters",
        ),
        (("directive", directive("n", &"x".repeat(1025))), "description: 1025 characters"),
    ] {
        let arguments = json!({
            "item_type": kind, "action": "create", "item_id": "n", "content": content
        });
        let reply = call(&stage, "execute", &arguments);
        assert_eq!(reply["reply_type"], "I", "{said}: {reply}");
        assert!(reply.to_string().contains(said), "{said}: {reply}");
        assert!(!stage.path(&format!("project/.ai/{kind}s/n.md")).exists(), "{said}");
    }
    let fits = note("n", &"x".repeat(200), &format!("tags: [{}]\n", many(64)));
    let arguments = json!({
        "item_type": "knowledge", "action": "create", "item_id": "n", "content": fits
    });
    assert_eq!(call(&stage, "execute", &arguments)["reply_type"], "S");
}

/// Follows the cursors of a call, and returns every entry of a list.
fn all_pages(stage: &Stage, tool: &str, arguments: &Value, list: &str) -> Vec<Value> {
    let mut arguments = arguments.clone();
    let mut all = Vec::new();
    loop {
        let reply = call_within_limit(stage, tool, &arguments);
        all.extend(reply["data"][list].as_array().expect("a list").iter().cloned());
        match &reply["data"]["next"] {
            Value::Null => return all,
            next => arguments["cursor"] = next.clone(),
        }
    }
}

#[test]
fn pages_of_long_names_stay_within_the_limit_and_join_without_a_gap() {
    let stage = Stage::new();
    stage.folder("project/.git");
    let deep = vec!["d".repeat(250); 12].join("/");
    let deep = format!("project/{deep}");
    for number in 0..600 {
        let name = format!("{number:03}{}", "f".repeat(245));
        stage.file(&format!("{deep}/{name}"), "match\nmatch\nmatch\nmatch\n");
        stage.folder(&format!("{deep}/{number:03}{}", "g".repeat(245)));
    }
    let folder = deep.trim_start_matches("project/");
    let list = json!({ "command": "list", "path": folder });
    assert_eq!(all_pages(&stage, "dir", &list, "entries").len(), 1200);
    let tree = json!({ "command": "tree", "path": folder });
    assert_eq!(all_pages(&stage, "dir", &tree, "directories").len(), 600);
    for path in [".", folder] {
        let glob = json!({ "pattern": "**", "path": path, "limit": 10_000 });
        assert_eq!(all_pages(&stage, "glob", &glob, "matches").len(), 600, "{path}");
        let grep = json!({ "pattern": "match", "path": path, "limit": 10_000 });
        assert_eq!(all_pages(&stage, "grep", &grep, "matches").len(), 2400, "{path}");
    }
}

#[test]
fn lines_of_control_characters_stay_within_the_limit() {
    let stage = Stage::new();
    stage.file("project/controls", &format!("match{}\n", "\u{1}".repeat(1_900)).repeat(500));
    let grep = json!({ "pattern": "match", "limit": 10_000, "context": 2 });
    assert_eq!(all_pages(&stage, "grep", &grep, "matches").len(), 500);
}

#[test]
fn a_list_of_memories_with_many_tags_is_cut_and_says_so() {
    let stage = Stage::new();
    stage.folder("project/.git");
    let tags = (0..64).map(|number| format!("{number:02}{}", "t".repeat(98)));
    let tags = tags.collect::<Vec<_>>().join(", ");
    for number in 0..300 {
        let text = format!("---\ntags: [{tags}]\n---\n# Title {number}\n");
        stage.file(&format!("project/.ai/memory/m{number}.md"), &text);
    }
    let few = call_within_limit(&stage, "list_memories", &json!({ "limit": 20 }));
    assert_eq!(few["data"]["memories"].as_array().expect("memories").len(), 20, "{few}");
    let many = call_within_limit(&stage, "list_memories", &json!({ "limit": 300 }));
    let data = &many["data"];
    assert_eq!(data["truncated"], true);
    let shown = data["memories"].as_array().expect("memories").len() as u64;
    assert_eq!(shown + data["left_out"].as_u64().expect("a number"), 300);
    assert!(many["hint"].as_str().expect("a hint").contains("smaller `limit`"));
}
