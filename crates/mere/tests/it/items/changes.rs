//! Making and changing items: what is refused, what is expected before, and what many writers and
//! killed ones leave behind.

use std::time::Duration;

use serde_json::{Value, json};

use crate::items::proposals::{create, stage_files};
use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{directive, note, person, skill, tool};

#[test]
fn what_is_there_in_either_form_is_not_made_again() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "agents: {write: {directive: direct, tool: direct}}\n");
    for (path, text) in [
        ("tools/flat.yaml", tool("flat")),
        ("tools/kit/manifest.yaml", tool("kit")),
        ("directives/d.md", directive("d")),
        ("directives/s/SKILL.md", skill("s")),
        ("knowledge/n.md", note("n", "")),
        ("tools/broken.yaml", "[".to_owned()),
        ("tools/script.py", "no manifest\n".to_owned()),
    ] {
        stage.file(&format!("project/.ai/{path}"), &text);
    }
    let before = stage_files(&stage);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let mut check = |mut arguments: Value, files: Value, code: &str| {
        arguments["files"] = files;
        let reply = mcp.call("execute", &arguments);
        assert_eq!(reply["code"], code, "{arguments} {reply}");
        assert!(!code.contains("-I-") || stage_files(&stage) == before, "{arguments}");
    };
    let other = json!([{ "path": "lib/x.py", "content": "" }]);
    for id in ["flat", "kit", "broken"] {
        check(create("tool", id, &tool(id)), json!([]), "IT-ITEM-I-007");
        check(create("tool", id, &tool(id)), other.clone(), "IT-ITEM-I-007");
    }
    for id in ["d", "s"] {
        check(create("directive", id, &directive(id)), json!([]), "IT-ITEM-I-007");
        check(create("directive", id, &skill(id)), json!([]), "IT-ITEM-I-007");
    }
    check(create("knowledge", "n", &note("n", "")), json!([]), "IT-ITEM-I-007");
    // A stray file of the same name is not written over either.
    let script = json!([{ "path": "script.py", "content": "mine" }]);
    check(create("tool", "script", &tool("script")), script, "IT-ITEM-I-007");
}

#[test]
fn what_cannot_be_placed_is_refused() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/kit/manifest.yaml", &tool("kit"));
    stage.file("project/.ai/directives/s/SKILL.md", &skill("s"));
    let before = stage_files(&stage);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let mut check = |kind: &str, id: &str, content: &str, files: Value, code: &str| {
        let mut arguments = create(kind, id, content);
        arguments["files"] = files;
        let reply = mcp.call("execute", &arguments);
        assert_eq!(reply["code"], code, "{arguments} {reply}");
        assert_eq!(stage_files(&stage), before, "{arguments}");
    };
    let file = |path: &str| json!([{ "path": path, "content": "x" }]);
    let twice = json!([{ "path": "t.py", "content": "" }, { "path": "t.py", "content": "" }]);
    check("tool", "t", &tool("t"), twice, "IT-CHANGE-I-003");
    for path in [".env", "t.yaml.sig", "a/.hidden", "manifest.yaml", "t.sig"] {
        check("tool", "t", &tool("t"), file(path), "IT-CHANGE-I-003");
    }
    for path in ["../x", "/etc/passwd", "", "a/../b", "a//b", "a\\b"] {
        check("tool", "t", &tool("t"), file(path), "MCP-ARG-I-001");
    }
    check("knowledge", "n", &note("n", ""), file("n.py"), "IT-CHANGE-I-003");
    check("knowledge", "n", &note("n", &"x".repeat(1024 * 1024)), json!([]), "IT-CHANGE-I-002");
    check("knowledge", "n", &note("m", ""), json!([]), "IT-CHANGE-I-002");
    check("memory", "m", "a thought", json!([]), "IT-CHANGE-I-001");
    check("lockfile", "l@1.0.0", "{}", json!([]), "IT-CHANGE-I-001");
    // What lies in the folder of an item is that item's, and may be signed.
    for (kind, id, text) in [
        ("tool", "kit/inner", tool("inner")),
        ("tool", "kit/deep/inner", tool("inner")),
        ("directive", "s/inner", directive("inner")),
        ("directive", "s/deep/inner", skill("inner")),
    ] {
        check(kind, id, &text, json!([]), "IT-CHANGE-I-004");
    }
    let many = (0..65).map(|n| json!({ "path": format!("t.{n}"), "content": "" }));
    check("tool", "t", &tool("t"), many.collect(), "IT-CHANGE-I-003");
}

#[test]
fn an_item_that_is_another_by_now_is_not_changed() {
    let stage = Stage::new();
    let file = stage.file("project/.ai/knowledge/n.md", &note("n", "one"));
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let load = json!({ "item_type": "knowledge", "item_id": "n" });
    let seen = mcp.call("load", &load)["data"]["files"][0]["sha256"].clone();
    std::fs::write(&file, note("n", "two")).expect("changed");
    for action in ["update", "delete"] {
        let arguments = json!({
            "item_type": "knowledge", "item_id": "n", "action": action,
            "content": note("n", "three"), "expect_sha256": seen
        });
        let reply = mcp.call("execute", &arguments);
        assert_eq!(reply["code"], "IT-ITEM-I-008", "{reply}");
        let now = mere_core::digest::Sha256::digest(note("n", "two").as_bytes()).to_string();
        assert_eq!(reply["data"]["sha256"], now);
        assert_eq!(std::fs::read_to_string(&file).expect("it"), note("n", "two"));
    }
    let seen = mcp.call("load", &load)["data"]["files"][0]["sha256"].clone();
    let arguments = json!({
        "item_type": "knowledge", "item_id": "n", "action": "delete", "expect_sha256": seen
    });
    assert_eq!(mcp.call("execute", &arguments)["code"], "IT-CHANGE-S-001");
    assert!(!file.exists());
    assert_eq!(mcp.call("load", &load)["code"], "IT-ITEM-I-001");
}

#[test]
fn a_hundred_notes_in_one_breath_are_a_hundred_notes() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let text = |number: usize| note(&format!("n{number}"), &"x".repeat(number * 10));
    let name = |number: usize| format!("c{}/n{number}", number % 7);
    let calls =
        (0..100).map(|number| ("execute", create("knowledge", &name(number), &text(number))));
    for reply in mcp.pipeline(&calls.collect::<Vec<_>>()) {
        assert_eq!(reply["code"], "IT-CHANGE-S-001", "{reply}");
    }
    for number in 0..100 {
        let path = format!("project/.ai/knowledge/{}.md", name(number));
        assert_eq!(std::fs::read_to_string(stage.path(&path)).expect("a note"), text(number));
        let load = json!({ "item_type": "knowledge", "item_id": format!("n{number}") });
        assert_eq!(mcp.call("load", &load)["data"]["content"], text(number));
    }
    assert_eq!(person(&stage, &["list", "knowledge"])["data"]["count"], 100);
    assert_eq!(unfinished(&stage), 0);
}

#[test]
fn of_many_who_make_one_item_one_does() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "agents: {write: {tool: direct}}\n");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let calls = (0..40).map(|number| {
        let mut arguments = create("tool", "t", &(tool("t") + &format!("number: {number}\n")));
        // Every other one would be a folder.
        let name = if number % 2 == 0 { "t.py" } else { "run.py" };
        arguments["files"] = json!([{ "path": name, "content": number.to_string() }]);
        ("execute", arguments)
    });
    let replies = mcp.pipeline(&calls.collect::<Vec<_>>());
    let done = replies.iter().filter(|reply| reply["code"] == "IT-CHANGE-S-001").count();
    let taken = replies.iter().filter(|reply| reply["code"] == "IT-ITEM-I-007").count();
    assert_eq!((done, taken), (1, 39), "{replies:?}");
    let loaded = mcp.call("load", &json!({ "item_type": "tool", "item_id": "t" }));
    assert_eq!(loaded["code"], "IT-LOAD-S-001", "{loaded}");
}

/// How many half-written files lie at the top of the space.
fn unfinished(stage: &Stage) -> usize {
    let names = std::fs::read_dir(stage.path("project/.ai")).expect("a space");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".new-")).count()
}

#[test]
fn eight_processes_make_notes_at_once_and_lose_none() {
    const EACH: usize = 25;
    let stage = Stage::new();
    let text = |who: usize, number: usize| note(&format!("n{number}"), &format!("by {who}"));
    std::thread::scope(|threads| {
        for who in 0..8 {
            let (stage, text) = (&stage, &text);
            threads.spawn(move || {
                for number in 0..EACH {
                    let id = format!("p{who}/n{number}");
                    let arguments = create("knowledge", &id, &text(who, number)).to_string();
                    let answer = stage.call_text("execute", &arguments);
                    assert_eq!(answer.code(), "IT-CHANGE-S-001", "{}", answer.reply);
                }
            });
        }
    });
    for who in 0..8 {
        for number in 0..EACH {
            let path = stage.path(&format!("project/.ai/knowledge/p{who}/n{number}.md"));
            assert_eq!(std::fs::read_to_string(path).expect("a note"), text(who, number));
        }
    }
    assert_eq!(person(&stage, &["list", "knowledge"])["data"]["count"], 8 * EACH);
    assert_eq!(person(&stage, &["index", "--check"])["code"], "IT-INDEX-S-002");
    assert_eq!(unfinished(&stage), 0);
}

#[test]
fn a_maker_that_is_killed_leaves_whole_items() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "agents: {write: {tool: direct}}\n");
    let body = "print('whole')\n".repeat(5_000);
    let arguments = |round: usize, number: usize| {
        let id = format!("r{round}/t{number}");
        let mut arguments = create("tool", &id, &tool(&format!("t{number}")));
        arguments["files"] = json!([
            { "path": "a.py", "content": body }, { "path": "lib/b.py", "content": body }
        ]);
        arguments
    };
    let mut made = 0;
    for round in 0..20 {
        let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
        assert_eq!(mcp.call("execute", &arguments(round, 0))["code"], "IT-CHANGE-S-001");
        for number in 1..30 {
            let params = json!({ "name": "execute", "arguments": arguments(round, number) });
            let call =
                json!({ "jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params });
            mcp.send(call.to_string().as_bytes());
        }
        let moment = uuid::Uuid::new_v4().as_u128() % 120;
        std::thread::sleep(Duration::from_millis(u64::try_from(moment).expect("small")));
        // Dropped means killed, by a signal that no process can catch.
        drop(mcp);
        for number in 0..30 {
            let folder = stage.path(&format!("project/.ai/tools/r{round}/t{number}"));
            if !folder.exists() {
                continue;
            }
            made += 1;
            for (name, text) in [
                ("manifest.yaml", &tool(&format!("t{number}"))),
                ("a.py", &body),
                ("lib/b.py", &body),
            ] {
                let found = std::fs::read_to_string(folder.join(name)).expect(name);
                assert!(found == *text, "r{round}/t{number}/{name}: {} bytes", found.len());
            }
        }
    }
    assert!(made < 20 * 30, "no maker was killed in time");
    // What they left is no item, and in nobody's way.
    let listed = person(&stage, &["list", "tools"]);
    assert_eq!(listed["data"]["count"], made, "half-made items are none");
    let faults = listed["data"]["items"].as_array().expect("items").iter();
    assert_eq!(faults.filter(|one| one.get("fault").is_some()).count(), 0);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    assert_eq!(mcp.call("execute", &arguments(99, 0))["code"], "IT-CHANGE-S-001");
}
