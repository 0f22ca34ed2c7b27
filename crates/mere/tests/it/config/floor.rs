//! A rule is a floor: a strict store has no free one in its place, and a project's own rules do not
//! become less strict by an edit of its config until a person accepts that.

use serde_json::{Value, json};

use crate::config::stores::{PROJECT, USER, checked, text};
use crate::support::harness::{Mcp, Stage};

pub(crate) fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

pub(crate) fn make(stage: &Stage, path: &str) -> String {
    let reply = call(stage, "create_category", &json!({ "path": path }));
    reply["code"].as_str().expect("a code").to_owned()
}

pub(crate) fn trust(stage: &Stage) -> String {
    let output = stage.person(&["trust", "project", "--yes"]);
    assert!(output.status.success(), "{}", text(&output));
    text(&output)
}

/// The store of a project in a mode.
pub(crate) fn store(mode: &str) -> String {
    format!("stores: {{cortex: {{path: ./memory, categoryMode: {mode}}}}}\n")
}

pub(crate) const MADE: &str = "IT-CATEGORY-S-001";
pub(crate) const STRICT: &str = "EN-CATEGORY-D-002";
pub(crate) const UNAVAILABLE: &str = "IT-STORE-E-005";

#[test]
fn a_strict_store_that_awaits_trust_has_no_free_one_in_its_place() {
    let stage = Stage::new();
    stage.folder("beside/notes");
    stage.file(
        PROJECT,
        "stores: {notes: {path: ../../beside/notes, categoryMode: strict, categories: {a: {}}}}\n",
    );
    let memory = json!({ "path": "note", "content": "x" });
    for (tool, arguments) in [
        ("create_category", json!({ "path": "x" })),
        ("create_memory", memory.clone()),
        ("list_memories", json!({})),
        ("get_memory", json!({ "path": "note" })),
        ("delete_category", json!({ "path": "a", "recursive": true })),
    ] {
        let reply = call(&stage, tool, &arguments);
        assert_eq!(reply["code"], UNAVAILABLE, "{tool}: {reply}");
        let message = "The store `notes` lies outside the project, and awaits trust.";
        assert_eq!(reply["message"], message);
        assert!(reply["hint"].as_str().expect("a hint").contains("`mere trust project`"));
    }
    assert!(!stage.path("project/.ai/memory").exists(), "nothing is written elsewhere");
    let listed = call(&stage, "list_stores", &json!({}));
    let stores = listed["data"]["stores"].as_array().expect("stores");
    assert_eq!(stores.len(), 1, "{listed}");
    assert_eq!(stores[0]["unavailable"], "It awaits `mere trust project`.");
    assert_eq!(
        (&stores[0]["categoryMode"], &stores[0]["current"]),
        (&json!("strict"), &json!(null))
    );
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(mcp.call("create_memory", &memory)["code"], UNAVAILABLE);

    trust(&stage);
    assert_eq!(call(&stage, "create_memory", &memory)["reply_type"], "S");
    assert_eq!(mcp.call("list_memories", &json!({}))["data"]["count"], 1, "the server too");
    assert_eq!(make(&stage, "x"), STRICT);
}

#[test]
fn no_other_store_takes_the_place_of_one_that_cannot_be_served() {
    let stage = Stage::new();
    stage.folder("beside/notes");
    stage.file(USER, "stores: {mine: {path: mine}}\n");
    let config = "stores:\n  notes: {path: ../../beside/notes}\n  inner: {path: ./memory}\n";
    stage.file(PROJECT, config);
    assert_eq!(make(&stage, "x"), UNAVAILABLE);
    stage.file(PROJECT, &format!("settings: {{defaultStore: inner}}\n{config}"));
    assert_eq!(make(&stage, "x"), MADE);
    // An edit of a trusted store makes it wait again, and nothing takes its place.
    stage.file(PROJECT, config);
    trust(&stage);
    assert_eq!(make(&stage, "x"), MADE);
    stage.file(PROJECT, &config.replace("notes}", "notes, description: Other}"));
    assert_eq!(make(&stage, "y"), UNAVAILABLE);
    // A folder that is missing, and one that is switched off.
    let stage = Stage::new();
    stage.file(USER, "stores: {away: {path: ~/away}, inner: {path: memory}}\n");
    assert_eq!(make(&stage, "x"), "IT-STORE-E-001");
    assert_eq!(call(&stage, "list_memories", &json!({}))["code"], "IT-STORE-E-001");
    stage.folder("home/away");
    let off = ["call", "--no-mods", "create_category", r#"{"path":"x"}"#];
    let reply = stage.answer(stage.command("project").args(off)).reply;
    assert_eq!(reply["code"], UNAVAILABLE, "{reply}");
    assert!(!stage.path("home/.ai/memory").exists());
}

#[test]
fn a_store_stays_as_strict_as_it_was_until_a_person_accepts_less() {
    let stage = Stage::new();
    stage.file(PROJECT, &store("strict"));
    assert_eq!(make(&stage, "x"), STRICT);
    for mode in ["free", "subcategories"] {
        stage.file(PROJECT, &store(mode));
        assert_eq!(make(&stage, "x"), STRICT, "{mode}");
    }
    let (status, file) = checked(&stage, PROJECT);
    let note = "`categoryMode` (which is less strict than before) does not take effect until you \
                run `mere trust project`";
    assert_eq!((status, &file["note"]), (0, &note.into()));
    let where_ = text(&stage.person(&["where"]));
    assert!(where_.contains("`categoryMode` (which is less strict than before)"), "{where_}");
    assert!(text(&stage.person(&["doctor"])).contains("less strict than before"));
    let stores = call(&stage, "list_stores", &json!({}));
    assert_eq!(stores["data"]["stores"][0]["categoryMode"], "strict", "what holds is told");

    let shown = trust(&stage);
    assert!(shown.contains("store `cortex`: subcategories instead of strict"), "{shown}");
    assert_eq!(make(&stage, "x"), "EN-CATEGORY-D-001");
    assert_eq!(checked(&stage, PROJECT).1["note"], Value::Null);
    // Stricter holds at once, and then it is the floor again.
    stage.file(PROJECT, &store("strict"));
    assert_eq!(make(&stage, "x"), STRICT);
    stage.file(PROJECT, &store("subcategories"));
    assert_eq!(make(&stage, "x"), STRICT);
}

#[test]
fn a_running_server_holds_the_floor_and_hears_of_the_yes() {
    let stage = Stage::new();
    stage.file(PROJECT, &store("strict"));
    let mut mcp = Mcp::greeted(&stage, &[]);
    let x = json!({ "path": "x" });
    assert_eq!(mcp.call("create_category", &x)["code"], STRICT);
    stage.file(PROJECT, &store("free"));
    assert_eq!(mcp.call("create_category", &x)["code"], STRICT);
    trust(&stage);
    assert_eq!(mcp.call("create_category", &x)["code"], MADE);
}

#[test]
fn categories_of_items_have_a_floor_too() {
    let stage = Stage::new();
    let config = |mode: &str| format!("items: {{knowledge: {{categoryMode: {mode}}}}}\n");
    let content = "---\nid: a\ntitle: A\n---\nText.\n";
    let create = |category: &str| {
        let arguments = json!({
            "item_type": "knowledge", "item_id": "a", "action": "create",
            "content": content, "category": category,
        });
        call(&stage, "execute", &arguments)["code"].as_str().expect("a code").to_owned()
    };
    stage.file(PROJECT, &config("strict"));
    let refused = create("new");
    assert!(refused.starts_with("EN-"), "{refused}");
    for loosened in [config("free"), String::new()] {
        stage.file(PROJECT, &loosened);
        assert_eq!(create("new"), refused, "{loosened:?}");
    }
    assert!(trust(&stage).contains("items.knowledge: free instead of strict"));
    let made = create("new");
    assert!(made.contains("-S-"), "{made}");
}

#[test]
fn required_signatures_stay_required_until_a_person_accepts_less() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/a.md", "---\nid: a\ntitle: A\n---\nText.\n");
    let load = || {
        let arguments = json!({ "item_type": "knowledge", "item_id": "a" });
        call(&stage, "load", &arguments)["reply_type"].as_str().expect("a type").to_owned()
    };
    assert_eq!(load(), "S");
    stage.file(PROJECT, "require_signed: [knowledge, tool]\n");
    assert_eq!(load(), "D");
    for loosened in ["require_signed: [tool]\n", "require_signed: []\n", ""] {
        stage.file(PROJECT, loosened);
        assert_eq!(load(), "D", "{loosened:?}");
    }
    std::fs::remove_file(stage.path(PROJECT)).expect("removed");
    assert_eq!(load(), "D", "a config that is gone demands nothing either");
    let note = checked(&stage, PROJECT).1["note"].as_str().expect("a note").to_owned();
    assert!(note.starts_with("`require_signed` (which demands less than before)"), "{note}");
    let shown = trust(&stage);
    assert!(shown.contains("require_signed: no longer names `tool`"), "{shown}");
    assert_eq!(load(), "S");
    // What the user demands holds whatever the project says, trusted or not.
    stage.file(USER, "require_signed: [knowledge]\n");
    assert_eq!(load(), "D");
    let nothing = text(&stage.person(&["trust", "project", "--yes"]));
    assert!(nothing.contains("nothing to trust"), "{nothing}");
    assert_eq!(load(), "D");
}

#[test]
fn accepting_less_does_not_touch_what_else_is_trusted() {
    let stage = Stage::new();
    stage.folder("beside/mod");
    let mods = "mods: [{id: m, name: m, path: ../../beside/mod}]\n";
    stage.file(PROJECT, &format!("{mods}{}", store("strict")));
    trust(&stage);
    let sees_mod = || stage.list("mod:m:/").status == 0;
    assert!(sees_mod());
    stage.file(PROJECT, &format!("{mods}{}", store("free")));
    assert!(sees_mod(), "only what changed waits");
    assert_eq!(make(&stage, "x"), STRICT);
    let declined = stage.person(&["trust", "project"]);
    assert_eq!(declined.status.code(), Some(1), "{}", text(&declined));
    assert_eq!(make(&stage, "x"), STRICT);
    trust(&stage);
    assert!(sees_mod());
    assert_eq!(make(&stage, "x"), MADE);
    assert!(stage.person(&["trust", "project", "--revoke"]).status.success());
    assert!(!sees_mod());
    assert_eq!(make(&stage, "y"), MADE, "revoking takes back what was widened");
}

#[test]
fn memories_of_a_store_that_cannot_be_served_are_not_just_missing() {
    let stage = Stage::new();
    stage.file("beside/notes/a.md", "# Alpha\n");
    stage.file(PROJECT, "stores: {notes: {path: ../../beside/notes}}\n");
    let load = json!({ "item_type": "memory", "item_id": "a" });
    assert_eq!(call(&stage, "load", &load)["code"], UNAVAILABLE);
    let search = json!({ "query": "alpha" });
    let found = call(&stage, "search", &search);
    assert!(found["hint"].as_str().expect("a hint").starts_with("Memories were not searched"));
    let others = json!({ "query": "alpha", "item_type": "knowledge" });
    let hint = call(&stage, "search", &others)["hint"].to_string();
    assert!(!hint.contains("Memories"), "{hint}");
    trust(&stage);
    assert_eq!(call(&stage, "load", &load)["reply_type"], "S");
    let found = call(&stage, "search", &search);
    assert!(!found["hint"].to_string().contains("Memories"), "{found}");
}

#[test]
fn what_was_accepted_is_the_floor_before_anything_else_reads_the_config() {
    let stage = Stage::new();
    stage.file(PROJECT, &store("strict"));
    assert_eq!(make(&stage, "x"), STRICT);
    stage.file(PROJECT, &store("subcategories"));
    trust(&stage);
    // The person said yes to subcategories, and no command came between.
    stage.file(PROJECT, &store("free"));
    assert_eq!(make(&stage, "x"), "EN-CATEGORY-D-001");
    assert!(trust(&stage).contains("store `cortex`: free instead of subcategories"));
    assert_eq!(make(&stage, "x"), MADE);
}

#[test]
fn a_strict_store_makes_no_other_store_strict() {
    let stage = Stage::new();
    let stores = "stores: {a: {path: ./a, categoryMode: strict}, b: {path: ./b}}\n";
    stage.file(PROJECT, stores);
    assert_eq!(make(&stage, "x"), STRICT, "the first store is served");
    let in_b = |path: &str| {
        let arguments = json!({ "path": path }).to_string();
        let words = ["call", "--store", "b", "create_category", &arguments];
        stage.answer(stage.command("project").args(words)).reply["code"].clone()
    };
    assert_eq!(in_b("x"), MADE);
    stage.file(PROJECT, &format!("settings: {{defaultStore: a}}\n{stores}"));
    assert_eq!((make(&stage, "y"), in_b("y")), (STRICT.to_owned(), MADE.into()));
    assert_eq!(checked(&stage, PROJECT).1["note"], Value::Null, "nothing is loosened");
}
