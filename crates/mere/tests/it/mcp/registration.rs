//! Which tools a server lists, which store it serves, and what a change of the configuration does
//! while it runs.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{
    CONFIG, MODES, STORE, Surface, USER_CONFIG, configured, cortex, outcome, text,
};

/// Every tool for memories, as a server that is not strict lists them.
const MEMORY_TOOLS: [&str; 10] = [
    "create_memory",
    "get_memory",
    "update_memory",
    "move_memory",
    "remove_memory",
    "list_memories",
    "create_category",
    "delete_category",
    "set_category_description",
    "list_stores",
];

/// Those of the tools for memories that are listed.
fn listed(mcp: &mut Mcp<'_>) -> Vec<String> {
    let tools = mcp.request("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools").iter();
    let names = tools.map(|tool| tool["name"].as_str().expect("a name").to_owned());
    names.filter(|name| MEMORY_TOOLS.contains(&name.as_str())).collect()
}

fn expected(mode: &str) -> Vec<String> {
    let is_there =
        |name: &&str| mode != "strict" || !["create_category", "delete_category"].contains(name);
    MEMORY_TOOLS.into_iter().filter(is_there).map(str::to_owned).collect()
}

/// Puts another configuration in the place of the one that is there, in one moment.
fn replace(stage: &Stage, below: &str, config: &str) {
    let new = stage.file("beside/config.new", config);
    std::fs::rename(new, stage.path(below)).expect("renamed");
}

/// The same under a running server, which tells of it.
fn change(stage: &Stage, mcp: &mut Mcp<'_>, config: &str) {
    replace(stage, CONFIG, config);
    let notification = mcp.receive();
    assert_eq!(notification["method"], "notifications/tools/list_changed", "{notification}");
}

#[test]
fn strict_lists_no_tool_that_makes_or_deletes_categories() {
    for mode in MODES {
        let stage = configured(&cortex(mode));
        let mut mcp = Mcp::greeted(&stage, &[]);
        assert_eq!(listed(&mut mcp), expected(mode), "{mode}");
        // Whoever calls one all the same is refused, and not told that there is none.
        let refused = |tool: &str, mcp: &mut Mcp<'_>| {
            let reply = mcp.call(tool, &json!({ "path": "standards/x" }));
            reply["code"].as_str().expect("a code").to_owned()
        };
        let codes = ["create_category", "delete_category"].map(|tool| refused(tool, &mut mcp));
        match mode {
            "strict" => assert_eq!(codes, ["EN-CATEGORY-D-002", "EN-CATEGORY-D-003"]),
            _ => assert_eq!(codes, ["IT-CATEGORY-S-001", "IT-CATEGORY-S-003"]),
        }
    }
    // Without a configuration the store is free.
    let stage = Stage::new();
    assert_eq!(listed(&mut Mcp::greeted(&stage, &[])), expected("free"));
}

#[test]
fn a_mode_that_changes_holds_at_once_and_is_told() {
    let stage = configured(&cortex("free"));
    let mut mcp = Mcp::greeted(&stage, &[]);
    for mode in ["strict", "subcategories", "free", "strict", "free"] {
        change(&stage, &mut mcp, &cortex(mode));
        if mode != "strict" {
            // Less strict than before: a person has to accept it.
            assert!(stage.person(&["trust", "project", "--yes"]).status.success());
        }
        let stores = mcp.call("list_stores", &json!({}));
        assert_eq!(stores["data"]["stores"][0]["categoryMode"], mode);
        assert_eq!(listed(&mut mcp), expected(mode), "{mode}");
        let reply = mcp.call("create_category", &json!({ "path": "new-root" }));
        let code = match mode {
            "free" => "IT-CATEGORY-S-001",
            "subcategories" => "EN-CATEGORY-D-001",
            _ => "EN-CATEGORY-D-002",
        };
        assert_eq!(reply["code"], code, "{mode}: {reply}");
        if mode == "free" {
            let reply = mcp.call("delete_category", &json!({ "path": "new-root" }));
            assert_eq!(reply["code"], "IT-CATEGORY-S-003", "{reply}");
        }
    }
}

#[test]
fn a_mode_that_changes_holds_for_the_very_next_call() {
    let stage = configured(&cortex("free"));
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(mcp.call("list_memories", &json!({}))["reply_type"], "S");
    replace(&stage, CONFIG, &cortex("strict"));
    // Nobody has been told yet; what is received may be the news, so the answer is looked for.
    let call = json!({
        "jsonrpc": "2.0", "id": "next", "method": "tools/call",
        "params": { "name": "create_category", "arguments": { "path": "new" } }
    });
    mcp.send(call.to_string().as_bytes());
    let answer = std::iter::repeat_with(|| mcp.receive()).find(|line| line["id"] == "next");
    let reply = answer.expect("an answer")["result"]["structuredContent"].clone();
    assert_eq!(reply["code"], "EN-CATEGORY-D-002", "{reply}");
    assert!(!stage.path(&format!("{STORE}/new")).exists());
}

#[test]
fn a_configuration_that_breaks_closes_the_store_until_it_is_mended() {
    let stage = configured(&cortex("free"));
    let mut mcp = Mcp::greeted(&stage, &[]);
    change(&stage, &mut mcp, "stores: {cortex: {path: ./memory, categoryMode: loose}}\n");
    assert_eq!(listed(&mut mcp), expected("strict"), "what is not known is strict");
    for (tool, arguments) in [
        ("create_category", json!({ "path": "new" })),
        ("create_memory", json!({ "path": "new", "content": "x" })),
        ("list_memories", json!({})),
    ] {
        assert_eq!(mcp.call(tool, &arguments)["code"], "WA-CONFIG-E-001", "{tool}");
    }
    assert!(!stage.path(&format!("{STORE}/new")).exists());
    change(&stage, &mut mcp, &cortex("free"));
    assert_eq!(listed(&mut mcp), expected("free"));
    let reply = mcp.call("create_category", &json!({ "path": "new" }));
    assert_eq!(reply["code"], "IT-CATEGORY-S-001");
}

#[test]
fn categories_of_the_config_are_made_when_a_server_starts_and_when_it_changes() {
    for mode in MODES {
        let stage = Stage::new();
        stage.file(CONFIG, &cortex(mode));
        let mut mcp = Mcp::greeted(&stage, &[]);
        let label = |path: &str| text(&stage, &format!("{STORE}/{path}/.category.yaml"));
        assert_eq!(label("decisions/config"), "description: \"\"\n");
        assert_eq!(label("todo"), "description: \"Outstanding work items\"\n");
        let more = "      later: {description: Some day, subcategories: {much-later: {}}}\n";
        let changed = cortex(mode).replace("Outstanding work items", "To do") + more;
        change(&stage, &mut mcp, &changed);
        assert_eq!(label("later"), "description: \"Some day\"\n");
        assert_eq!(label("later/much-later"), "description: \"\"\n");
        assert_eq!(label("todo"), "description: To do\n", "the file says what the config says");
        let create = json!({ "path": "later/much-later/one", "content": "x" });
        assert_eq!(mcp.call("create_memory", &create)["reply_type"], "S", "{mode}");
        // What the configuration names no more stays, and can be deleted where the mode allows it.
        change(&stage, &mut mcp, &cortex(mode));
        let gone = json!({ "path": "later", "recursive": true });
        let code = if mode == "strict" { "EN-CATEGORY-D-003" } else { "IT-CATEGORY-S-003" };
        assert_eq!(mcp.call("delete_category", &gone)["code"], code, "{mode}");
    }
}

const TWO: &str =
    "stores:\n  first: {path: ./one}\n  second: {path: ./two, categoryMode: strict}\n";

/// A stage with two stores of the project and one of the user, each with a memory of one name.
fn three() -> Stage {
    let stage = Stage::new();
    stage.file(CONFIG, TWO);
    stage.file(USER_CONFIG, "stores:\n  mine: {path: ./notes}\n");
    for (folder, whose) in
        [("project/.ai/one", "first"), ("project/.ai/two", "second"), ("home/.ai/notes", "mine")]
    {
        stage.file(&format!("{folder}/same.md"), &format!("# Of {whose}\n"));
        stage.file(&format!("{folder}/c/only-{whose}.md"), &format!("# Only {whose}\n"));
    }
    stage
}

/// The store that a server of these arguments serves, by what it lists and what it says.
fn served(stage: &Stage, arguments: &[&str]) -> String {
    let mut mcp = Mcp::greeted(stage, arguments);
    let data = mcp.call("list_memories", &json!({}))["data"].clone();
    let stores = mcp.call("list_stores", &json!({}))["data"]["stores"].clone();
    let current = stores.as_array().expect("stores").iter();
    let current = current.filter(|store| store["current"] == true).collect::<Vec<_>>();
    let [current] = current.as_slice() else { panic!("one is served: {stores}") };
    assert_eq!(current["name"], data["store"]);
    let is_strict = current["categoryMode"] == "strict";
    assert_eq!(listed(&mut mcp), expected(if is_strict { "strict" } else { "free" }));
    data["store"].as_str().expect("a name").to_owned()
}

#[test]
fn the_served_store_is_asked_for_or_set_or_the_first() {
    let stage = three();
    assert_eq!(served(&stage, &[]), "first");
    for name in ["first", "second", "mine"] {
        assert_eq!(served(&stage, &["--store", name]), name);
    }
    let user = "stores:\n  mine: {path: ./notes}\n";
    stage.file(USER_CONFIG, &format!("settings: {{defaultStore: mine}}\n{user}"));
    assert_eq!(served(&stage, &[]), "mine");
    stage.file(CONFIG, &format!("settings: {{defaultStore: second}}\n{TWO}"));
    assert_eq!(served(&stage, &[]), "second", "the project's counts first");
    assert_eq!(served(&stage, &["--store", "mine"]), "mine");
    for words in
        [&["mcp", "--store"][..], &["memory", "list", "--store"], &["category", "list", "--store"]]
    {
        for (name, expected) in [
            ("none", "no store is called `none`; available stores: `first`, `second`, `mine`"),
            ("no/name", "invalid value 'no/name'"),
        ] {
            let output = stage.person(&[words, &[name]].concat());
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{words:?} {stderr}");
            assert!(stderr.contains(expected) && output.stdout.is_empty(), "{words:?} {stderr}");
        }
    }
}

#[test]
fn a_server_sees_the_memories_of_its_store_only() {
    let stage = three();
    for (name, scope) in [("first", "project"), ("second", "project"), ("mine", "user")] {
        let mut mcp = Mcp::greeted(&stage, &["--store", name]);
        let data = mcp.call("list_memories", &json!({}))["data"].clone();
        let titles = data["memories"].as_array().expect("memories").iter();
        let titles = titles.map(|memory| memory["title"].as_str().expect("a title"));
        assert_eq!(titles.collect::<Vec<_>>(), [format!("Only {name}"), format!("Of {name}")]);
        let same = mcp.call("get_memory", &json!({ "path": "same" }));
        assert_eq!(same["data"]["content"], format!("# Of {name}\n"));
        let load = |mcp: &mut Mcp<'_>, id: &str| {
            mcp.call("load", &json!({ "item_type": "memory", "item_id": id }))
        };
        let same = load(&mut mcp, "same");
        let fields = (&same["data"]["content"], &same["data"]["scope"]);
        assert_eq!(fields, (&json!(format!("# Of {name}\n")), &json!(scope)), "{same}");
        for other in ["first", "second", "mine"].into_iter().filter(|other| *other != name) {
            for id in [format!("only-{other}"), format!("c/only-{other}")] {
                assert_eq!(load(&mut mcp, &id)["code"], "IT-ITEM-I-001", "{name} {id}");
            }
            let path = format!("c/only-{other}");
            for (tool, arguments) in [
                ("get_memory", json!({ "path": path })),
                ("update_memory", json!({ "path": path, "content": "x" })),
                ("remove_memory", json!({ "path": path })),
                ("move_memory", json!({ "from": path, "to": "c/x" })),
            ] {
                assert_eq!(mcp.call(tool, &arguments)["code"], "IT-MEMORY-I-001", "{name} {tool}");
            }
        }
        let create = json!({ "path": "new", "content": "New.\n" });
        assert_eq!(mcp.call("create_memory", &create)["data"]["store"], name);
    }
    for folder in ["project/.ai/one", "project/.ai/two", "home/.ai/notes"] {
        assert!(text(&stage, &format!("{folder}/new.md")).ends_with("---\nNew.\n"));
    }
}

#[test]
fn a_store_that_goes_while_it_is_served_is_told() {
    let stage = three();
    let mut mcp = Mcp::greeted(&stage, &["--store", "second"]);
    change(&stage, &mut mcp, "stores:\n  first: {path: ./one}\n");
    assert_eq!(listed(&mut mcp), expected("strict"), "what is not known is strict");
    let create: Value = json!({ "path": "new", "content": "x" });
    for (tool, arguments) in [
        ("list_memories", json!({})),
        ("create_memory", create),
        ("create_category", json!({ "path": "x" })),
    ] {
        let reply = mcp.call(tool, &arguments);
        assert_eq!(outcome(&reply), ["I", "IT-STORE-I-001", "There is no store called `second`."]);
        let hint = "Available stores: `first`, `mine`.";
        assert_eq!(reply["hint"], hint);
    }
    change(&stage, &mut mcp, TWO);
    assert_eq!(mcp.call("list_memories", &json!({}))["data"]["count"], 2);
    assert_eq!(Surface::Call.done(&stage, "list_memories", &json!({}))["store"], "first");
}
