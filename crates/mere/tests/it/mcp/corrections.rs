//! A wrong call is answered with what would be right, so that the next one is.

use serde_json::{Value, json};

use super::offered::space;
use crate::support::harness::{Mcp, Stage, timeless};

fn reply(mcp: &mut Mcp<'_>, tool: &str, arguments: &Value) -> Value {
    mcp.tool(tool, arguments)["structuredContent"].clone()
}

#[test]
fn cd_takes_a_root_whatever_else_it_is_given() {
    let stage = space();
    stage.file("project/.env", "KEY=1\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut cd =
        |path: &str| timeless(&reply(&mut mcp, "dir", &json!({ "command": "cd", "path": path })));
    let first = cd("src");
    assert_eq!(first["message"], "`cd` takes a root, and nothing below one.", "{first}");
    for path in
        ["ROOT_PROJECT:/src", "nope", ".env", "/etc", "../x", "ROOT_NOPE", "mod:nope", "~", ""]
    {
        assert_eq!(cd(path), first, "{path}");
    }
    assert_eq!(cd("ROOT_WORKSPACE")["reply_type"], "S");
}

#[test]
fn a_missing_path_says_the_same_as_a_hidden_one() {
    let stage = space();
    stage.file("project/.env", "KEY=1\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let absent = timeless(&reply(&mut mcp, "read", &json!({ "path": "absent.txt" })));
    let hidden = timeless(&reply(&mut mcp, "read", &json!({ "path": ".env" })));
    assert_eq!(absent, hidden);
    let hint = absent["hint"].as_str().expect("a hint");
    assert!(
        hint.ends_with("Files that are hidden from you are answered in this way too."),
        "{hint}"
    );
}

#[test]
fn a_refused_category_comes_with_those_that_there_are() {
    let stage = Stage::new();
    let stores = "stores: {cortex: {path: ./memory, categoryMode: strict, categories: {ops: {}, api: {}}}}\n";
    stage.file("project/.ai/config.yaml", stores);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let note = json!({ "path": "web/x", "content": "x" });
    let refused = reply(&mut mcp, "create_memory", &note);
    let hint = refused["hint"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(
        hint.contains("Categories: ") && hint.contains("ops") && hint.contains("api"),
        "{refused}"
    );
    let refused = reply(&mut mcp, "create_category", &json!({ "path": "web" }));
    assert!(refused["hint"].to_string().contains("ops"), "{refused}");
}

#[test]
fn a_memory_is_found_by_its_slug_and_another_agent_s_secret_is_not() {
    let stage = space();
    stage.file("project/.ai/memory/ops/limits.md", "# Limits\n\nx\n");
    stage.file("project/.ai/memory/web/limits.md", "# Limits\n\ny\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    for tool in ["get_memory", "remove_memory"] {
        let refused = reply(&mut mcp, tool, &json!({ "path": "limits" }));
        assert_eq!(refused["data"]["similar"], json!(["ops/limits", "web/limits"]), "{refused}");
        assert_eq!(refused["message"], "There is no memory at 'limits'.");
    }
    let refused = reply(&mut mcp, "load", &json!({ "item_type": "memory", "item_id": "limits" }));
    assert!(refused.to_string().contains("web/limits"), "{refused}");
}

#[test]
fn the_same_proposal_twice_is_one() {
    let stage = space();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut propose = |text: &str| {
        let content = format!("---\nid: jwt\ntitle: Keys\nversion: \"1.1.0\"\n---\n{text}\n");
        let change = json!({
            "item_type": "knowledge", "action": "update", "item_id": "jwt", "content": content
        });
        let proposed = reply(&mut mcp, "execute", &change);
        proposed["data"]["proposal"].as_str().unwrap_or_else(|| panic!("{proposed}")).to_owned()
    };
    let first = propose("one");
    assert_eq!(propose("one"), first);
    assert_ne!(propose("two"), first);
    let waiting = std::fs::read_dir(stage.path("project/.ai/workspaces/Test-Client/proposals"));
    assert_eq!(waiting.expect("proposals").count(), 2);
}

#[test]
fn arguments_that_take_words_list_them() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--toolsets", "items,memory,files"]);
    let tools = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
    let tools = tools.as_array().expect("tools");
    let property = |tool: &str, name: &str| {
        let tool = tools.iter().find(|one| one["name"] == tool).expect("a tool");
        tool["inputSchema"]["properties"][name].clone()
    };
    for (tool, name) in [
        ("search", "source"),
        ("search", "mode"),
        ("search", "rank"),
        ("search", "detail"),
        ("load", "item_type"),
        ("load", "source"),
        ("load", "destination"),
        ("load", "direction"),
        ("execute", "item_type"),
        ("execute", "action"),
        ("list_memories", "sort"),
        ("help", "topic"),
        ("dir", "command"),
    ] {
        assert!(property(tool, name)["enum"].is_array(), "{tool} {name}");
    }
    for (tool, name) in [("search", "item_types"), ("load", "types")] {
        assert!(property(tool, name)["items"]["enum"].is_array(), "{tool} {name}");
    }
}

#[test]
fn toolsets_list_exactly_what_they_name() {
    let stage = Stage::new();
    let listed = |sets: &str| {
        let mut mcp = Mcp::greeted(&stage, &["--toolsets", sets]);
        let tools = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
        let names = tools.as_array().expect("tools").iter().map(|tool| tool["name"].clone());
        names.map(|name| name.as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed("items"), ["search", "load", "execute", "help"]);
    assert_eq!(
        listed("files"),
        [
            "help",
            "dir",
            "read",
            "glob",
            "grep",
            "write",
            "edit",
            "patch_section",
            "delete",
            "move",
            "mkdir"
        ]
    );
    let memory = listed("memory");
    assert!(memory.contains(&"get_memory".to_owned()) && memory.contains(&"help".to_owned()));
    assert!(!memory.contains(&"dir".to_owned()) && !memory.contains(&"search".to_owned()));
}

#[test]
fn help_names_only_the_tools_that_are_listed() {
    let stage = Stage::new();
    let names = |mcp: &mut Mcp<'_>| {
        let tools = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
        let names = tools.as_array().expect("tools").iter().map(|tool| tool["name"].clone());
        names.map(|name| name.as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let all = names(&mut Mcp::greeted(&stage, &["--toolsets", "items,memory,files"]));
    for sets in
        [&[][..], &["--toolsets", "items"], &["--toolsets", "memory"], &["--toolsets", "files"]]
    {
        let mut mcp = Mcp::greeted(&stage, sets);
        let listed = names(&mut mcp);
        let help = mcp.call("help", &json!({}))["data"]["topics"].to_string();
        for name in &all {
            // `delete` is an action of `execute` too.
            let is_told = help.contains(&format!("`{name}`")) && name != "delete";
            assert!(!is_told || listed.contains(name), "{sets:?}: {name} in {help}");
        }
        let told = listed.iter().filter(|name| help.contains(&format!("`{name}`")));
        assert!(told.count() >= 3, "{sets:?}: {help}");
    }
}
