//! Lists of memories: what is on disk now, page by page, whoever put it there.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{CONFIG, STORE, Surface, configured, cortex};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file(CONFIG, "stores: {cortex: {path: ./memory}}\n");
    stage
}

fn file(path: &str) -> String {
    format!("{STORE}/{path}.md")
}

fn listed(data: &Value) -> Vec<String> {
    let memories = data["memories"].as_array().unwrap_or_else(|| panic!("no list: {data}"));
    memories.iter().map(|memory| memory["path"].as_str().expect("a path").to_owned()).collect()
}

fn below(data: &Value) -> Vec<(String, u64)> {
    let below = data["subcategories"].as_array().expect("subcategories").iter();
    let counts = below.map(|one| {
        let path = one["path"].as_str().expect("a path").to_owned();
        (path, one["memory_count"].as_u64().expect("a count"))
    });
    counts.collect()
}

#[test]
fn a_list_tells_what_is_on_disk() {
    let stage = configured(&cortex("strict"));
    stage.file(&format!("{STORE}/legacy/.category.yaml"), "description: \"Old things\"\n");
    for (path, content) in [
        ("alone", "12345678"),
        ("legacy/one", "123456789"),
        ("legacy/deep/two", ""),
        ("todo/three", "é"),
        ("todo-list/four", "# F\n"),
    ] {
        stage.file(&file(path), content);
    }
    stage.file(&format!("{STORE}/legacy/picture.png"), "no memory");
    stage.file(&format!("{STORE}/legacy/.hidden.md"), "no memory");
    stage.file(&format!("{STORE}/legacy/UPPER.md"), "no memory");
    stage.folder(&format!("{STORE}/empty"));
    for surface in Surface::ALL {
        let data = surface.done(&stage, "list_memories", &json!({}));
        let keys = data.as_object().expect("an object").keys().collect::<Vec<_>>();
        let all = ["store", "category", "count", "memories", "subcategories", "other_files"];
        assert_eq!(keys, all);
        assert_eq!(data["other_files"], 2, "the picture, and the name that is no slug");
        assert_eq!(
            (&data["store"], &data["category"], &data["count"]),
            (&json!("cortex"), &json!(""), &json!(5))
        );
        let expected = ["alone", "legacy/deep/two", "legacy/one", "todo-list/four", "todo/three"];
        assert_eq!(listed(&data), expected, "{surface:?}");
        let estimates = data["memories"].as_array().expect("rows").iter();
        let estimates = estimates.map(|row| row["token_estimate"].as_u64().expect("a number"));
        assert_eq!(estimates.collect::<Vec<_>>(), [2, 0, 3, 1, 1], "bytes by four, rounded up");
        let row = data["memories"][4].as_object().expect("a row");
        let keys = row.keys().collect::<Vec<_>>();
        assert_eq!(keys, ["path", "address", "title", "tags", "updated_at", "token_estimate"]);
        assert_eq!(row["address"], "ROOT_PROJECT:/.ai/memory/todo/three.md");
        let tops = json!([
            { "path": "decisions", "description": "Development decisions with rationale", "memory_count": 0 },
            { "path": "empty", "description": "", "memory_count": 0 },
            { "path": "legacy", "description": "Old things", "memory_count": 2 },
            { "path": "standards", "description": "Architecture decisions and coding standards", "memory_count": 0 },
            { "path": "todo", "description": "Outstanding work items", "memory_count": 1 },
            { "path": "todo-list", "description": "", "memory_count": 1 },
        ]);
        assert_eq!(data["subcategories"], tops, "{surface:?}");
        let data = surface.done(&stage, "list_memories", &json!({ "category": "legacy" }));
        assert_eq!(listed(&data), ["legacy/deep/two", "legacy/one"]);
        assert_eq!(below(&data), [("legacy/deep".to_owned(), 1)]);
        let data = surface.done(&stage, "list_memories", &json!({ "category": "todo" }));
        assert_eq!((listed(&data), &data["count"]), (vec!["todo/three".to_owned()], &json!(1)));
    }
}

/// A memory of a store, changed at some second of one day.
fn dated(stage: &Stage, path: &str, second: usize) {
    let (minute, second) = (second / 60, second % 60);
    let front = format!("---\nupdated_at: 2026-01-01T00:{minute:02}:{second:02}Z\n---\n");
    stage.file(&file(path), &format!("{front}# {path}\n"));
}

/// All pages of a list, with something done between any two.
fn pages(mcp: &mut Mcp<'_>, arguments: &Value, between: impl Fn(usize)) -> Vec<String> {
    let (mut all, mut cursor) = (Vec::new(), Value::Null);
    for page in 0.. {
        let mut page_arguments = arguments.clone();
        page_arguments["cursor"] = cursor;
        let reply = mcp.call("list_memories", &page_arguments);
        assert_eq!(reply["code"], "IT-MEMORY-S-006", "{reply}");
        let data = &reply["data"];
        let limit = arguments["limit"].as_u64().expect("a limit");
        let rows = listed(data);
        assert!(rows.len() as u64 <= limit && !rows.is_empty(), "{data}");
        all.extend(rows);
        assert_eq!(data["subcategories"].as_array().map(Vec::is_empty), Some(page > 0), "once");
        cursor = data["next"].clone();
        if cursor.is_null() {
            return all;
        }
        let hint = "Pass `next` as `cursor` for the next page.";
        assert_eq!(reply["hint"], hint, "{reply}");
        between(page);
    }
    unreachable!("pages end")
}

#[test]
fn pages_join_in_both_orders_while_others_are_added() {
    for (sort, limit) in [("path", 1), ("path", 7), ("recent", 1), ("recent", 7), ("recent", 100)] {
        let stage = stage();
        let mut expected = Vec::new();
        for number in 0..40 {
            let path = format!("c{}/n{number:02}", number % 3);
            // Three at a time have the same moment.
            dated(&stage, &path, number / 3);
            expected.push((number / 3, path));
        }
        match sort {
            "path" => expected.sort_by(|one, other| one.1.cmp(&other.1)),
            _ => expected.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1))),
        }
        let expected = expected.into_iter().map(|(_, path)| path).collect::<Vec<_>>();
        let mut mcp = Mcp::greeted(&stage, &[]);
        let arguments = json!({ "sort": sort, "limit": limit });
        assert_eq!(pages(&mut mcp, &arguments, |_| {}), expected, "{sort} {limit}");
        // Others come before, between and after, and one that was told goes.
        let found = pages(&mut mcp, &arguments, |page| {
            dated(&stage, &format!("c0/a{page}"), 100 + page);
            dated(&stage, &format!("c1/n{page:02}x"), 5);
            dated(&stage, &format!("zz/z{page}"), page % 2);
        });
        let once = found.iter().collect::<BTreeSet<_>>();
        assert_eq!(once.len(), found.len(), "{sort} {limit}: none is told twice");
        let old = found.iter().filter(|path| expected.contains(path)).cloned();
        assert_eq!(old.collect::<Vec<_>>(), expected, "{sort} {limit}: and none is left out");
    }
}

#[test]
fn pages_join_while_what_was_told_goes() {
    for sort in ["path", "recent"] {
        let stage = stage();
        for number in 0..20 {
            dated(&stage, &format!("c/n{number:02}"), number);
        }
        let mut mcp = Mcp::greeted(&stage, &[]);
        let found = pages(&mut mcp, &json!({ "sort": sort, "limit": 5 }), |page| {
            // The last that was told, which the cursor names.
            let last = if sort == "path" { page * 5 + 4 } else { 19 - (page * 5 + 4) };
            std::fs::remove_file(stage.path(&file(&format!("c/n{last:02}")))).expect("gone");
        });
        assert_eq!(found.len(), 20, "{sort}");
    }
}

#[test]
fn a_page_has_fifty_if_nothing_is_said_and_people_get_all() {
    let stage = stage();
    for number in 0..60 {
        dated(&stage, &format!("c/n{number:02}"), number);
    }
    for surface in [Surface::Call, Surface::Mcp] {
        let data = surface.done(&stage, "list_memories", &json!({}));
        assert_eq!((listed(&data).len(), &data["count"]), (50, &json!(60)), "{surface:?}");
        let rest = json!({ "cursor": data["next"] });
        let rest = surface.done(&stage, "list_memories", &rest);
        assert_eq!((listed(&rest).len(), rest.get("next")), (10, None), "{surface:?}");
        for limit in [json!(0), json!(1001), json!(-1), json!("3")] {
            let reply = surface.ask(&stage, "list_memories", &json!({ "limit": limit }));
            assert_eq!(reply["code"], "MCP-ARG-I-001", "{surface:?} {limit}");
        }
    }
    let data = Surface::Person.done(&stage, "list_memories", &json!({}));
    assert_eq!((listed(&data).len(), data.get("next")), (60, None));
    let recent = crate::support::samples::person(&stage, &["memory", "recent", "--limit", "3"]);
    assert_eq!(listed(&recent["data"]), ["c/n59", "c/n58", "c/n57"]);
}

#[test]
fn a_cursor_is_of_one_call() {
    let stage = stage();
    for number in 0..9 {
        dated(&stage, &format!("c/n{number}"), number);
        dated(&stage, &format!("d/n{number}"), number);
    }
    let mut mcp = Mcp::greeted(&stage, &[]);
    let next = |mcp: &mut Mcp<'_>, arguments: &Value| {
        let data = mcp.call("list_memories", arguments)["data"].clone();
        assert_eq!(data["count"].as_u64().map(|count| count >= 9), Some(true), "{data}");
        data["next"].as_str().expect("more follows").to_owned()
    };
    let of_category = next(&mut mcp, &json!({ "category": "c", "limit": 2 }));
    let of_recent = next(&mut mcp, &json!({ "sort": "recent", "limit": 2 }));
    let of_all = next(&mut mcp, &json!({ "limit": 2 }));
    let of_tree = mcp.dir(&json!({ "command": "list", "path": "ROOT_PROJECT:/.ai/memory/c/" }));
    assert_eq!(of_tree["data"].get("next"), None);
    for (arguments, cursor) in [
        (json!({}), &of_category),
        (json!({ "category": "d" }), &of_category),
        (json!({ "category": "c", "sort": "recent" }), &of_category),
        (json!({ "category": "c", "include_expired": true }), &of_category),
        (json!({}), &of_recent),
        (json!({ "sort": "recent" }), &of_all),
        (json!({}), &"garbage".to_owned()),
        (json!({}), &String::new()),
    ] {
        let mut arguments = arguments;
        arguments["cursor"] = json!(cursor);
        let reply = mcp.call("list_memories", &arguments);
        let error = (&reply["code"], &reply["message"]);
        let message = json!("The cursor was not issued by this call.");
        assert_eq!(error, (&json!("WA-DIR-I-002"), &message), "{arguments}");
    }
    // How many are wanted may change on the way.
    let rest = json!({ "category": "c", "limit": 1000, "cursor": of_category });
    assert_eq!(listed(&mcp.call("list_memories", &rest)["data"]).len(), 7);
}

/// What a running server lists, and what a new process does: always the same.
fn both(stage: &Stage, mcp: &mut Mcp<'_>) -> Vec<String> {
    let served = mcp.call("list_memories", &json!({}))["data"].clone();
    let fresh = Surface::Call.done(stage, "list_memories", &json!({}));
    assert_eq!(served, fresh, "the server sees the disk");
    listed(&served)
}

#[test]
fn a_running_server_sees_at_once_what_an_editor_does() {
    let stage = stage();
    stage.file(&file("c/one"), "# One\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(both(&stage, &mut mcp), ["c/one"]);
    let at = |path: &str| stage.path(STORE).join(path);
    // Dropped in, also into folders that were not there.
    stage.file(&file("c/two"), "# Two\n");
    stage.file(&file("new/deep/three"), "# Three\n");
    assert_eq!(both(&stage, &mut mcp), ["c/one", "c/two", "new/deep/three"]);
    // Edited in place, with the same size.
    stage.file(&file("c/two"), "# Owt\n");
    let data = mcp.call("list_memories", &json!({ "category": "c" }))["data"].clone();
    assert_eq!(data["memories"][1]["title"], "Owt");
    // As editors save: another file, renamed over the first.
    let swap = stage.file(&format!("{STORE}/c/.two.md.swp"), "# Saved\n");
    std::fs::rename(swap, at("c/two.md")).expect("renamed");
    let data = mcp.call("list_memories", &json!({ "category": "c" }))["data"].clone();
    assert_eq!(data["memories"][1]["title"], "Saved");
    // Renamed, deleted, and a folder moved out, in and over.
    std::fs::rename(at("c/two.md"), at("c/2.md")).expect("renamed");
    assert_eq!(both(&stage, &mut mcp), ["c/2", "c/one", "new/deep/three"]);
    std::fs::remove_file(at("c/one.md")).expect("removed");
    assert_eq!(both(&stage, &mut mcp), ["c/2", "new/deep/three"]);
    std::fs::rename(at("new"), stage.path("beside/new")).expect("moved out");
    assert_eq!(both(&stage, &mut mcp), ["c/2"]);
    stage.file("beside/new/deep/four.md", "# Four\n");
    std::fs::rename(stage.path("beside/new"), at("c/in")).expect("moved in");
    assert_eq!(both(&stage, &mut mcp), ["c/2", "c/in/deep/four", "c/in/deep/three"]);
    stage.file(&file("c/in/deep/five"), "# Five\n");
    std::fs::rename(at("c/in/deep"), at("top")).expect("moved up");
    assert_eq!(both(&stage, &mut mcp), ["c/2", "top/five", "top/four", "top/three"]);
    std::fs::remove_dir_all(at("top")).expect("removed");
    assert_eq!(both(&stage, &mut mcp), ["c/2"]);
    // The whole store is another.
    stage.file("beside/store/other.md", "# Other\n");
    std::fs::rename(stage.path(STORE), stage.path("beside/old")).expect("moved");
    assert_eq!(both(&stage, &mut mcp), [""; 0]);
    std::fs::rename(stage.path("beside/store"), stage.path(STORE)).expect("moved");
    assert_eq!(both(&stage, &mut mcp), ["other"]);
    let got = mcp.call("get_memory", &json!({ "path": "other" }));
    assert_eq!(got["data"]["content"], "# Other\n");
}
