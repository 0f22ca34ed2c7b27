//! Categories and memories: agents that want what the configuration does not allow.

use serde_json::{Value, json};

use super::case::{AttackCase, Expectation, case, tool, write};
use super::runner::Runner;
use super::world::World;
use crate::support::samples;

const AREA: &str = "policies";

const CONFIG: &str = "\
stores:
  cortex:
    path: ./memory
    categoryMode: strict
    policies: {maxContentLength: 200}
    categories:
      standards: {subcategories: {testing: {}}}
      todo: {policies: {maxMemories: 1, defaultTtl: 3}}
      fixed: {policies: {permissions: {create: false, update: false, delete: false}}}
      formal: {policies: {schema: {required: [source]}}}
items:
  knowledge: {categoryMode: strict, categories: {k: {}}}
  tools: {categoryMode: subcategories, categories: {k: {}}}
";

/// Calls under these rules.
#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<(&'static str, &'static str, Value, &'static str)> {
    let memory = |path: &str| json!({ "path": path, "content": "x" });
    let note = |id: &str, category: &str| {
        json!({ "item_type": "knowledge", "action": "create", "item_id": id, "category": category,
            "content": format!("---\nid: {id}\ntitle: A\n---\nx\n") })
    };
    vec![
        (
            "a category made in a strict store",
            "create_category",
            json!({"path": "mine"}),
            "EN-CATEGORY-D-002",
        ),
        (
            "a subcategory made in a strict store",
            "create_category",
            json!({"path": "standards/mine"}),
            "EN-CATEGORY-D-002",
        ),
        (
            "a category deleted in a strict store",
            "delete_category",
            json!({"path": "standards", "recursive": true}),
            "EN-CATEGORY-D-003",
        ),
        (
            "a configured category described",
            "set_category_description",
            json!({"path": "todo", "description": "x"}),
            "EN-CATEGORY-D-005",
        ),
        (
            "a memory in a category that is not there",
            "create_memory",
            memory("mine/a"),
            "IT-MEMORY-I-004",
        ),
        (
            "a memory that makes its category by a path",
            "create_memory",
            memory("standards/../mine/a"),
            "MCP-ARG-I-001",
        ),
        (
            "a memory with a capital in its path",
            "create_memory",
            memory("Standards/a"),
            "MCP-ARG-I-001",
        ),
        (
            "a memory with an encoded slash",
            "create_memory",
            memory("standards%2fa"),
            "MCP-ARG-I-001",
        ),
        (
            "a memory whose name is a dot file",
            "create_memory",
            memory("standards/.hidden"),
            "MCP-ARG-I-001",
        ),
        (
            "a memory that is too long",
            "create_memory",
            json!({"path": "standards/a", "content": "x".repeat(201)}),
            "EN-MEMORY-D-002",
        ),
        ("a memory where none may be made", "create_memory", memory("fixed/a"), "EN-MEMORY-D-001"),
        (
            "a memory changed where none may be",
            "update_memory",
            memory("fixed/old"),
            "EN-MEMORY-D-001",
        ),
        (
            "a memory removed where none may be",
            "remove_memory",
            json!({"path": "fixed/old"}),
            "EN-MEMORY-D-001",
        ),
        (
            "a memory moved out where none may be removed",
            "move_memory",
            json!({"from": "fixed/old", "to": "standards/old"}),
            "EN-MEMORY-D-001",
        ),
        (
            "a memory moved in where none may be made",
            "move_memory",
            json!({"from": "standards/own", "to": "fixed/own"}),
            "EN-MEMORY-D-001",
        ),
        ("a memory too many", "create_memory", memory("todo/second"), "EN-MEMORY-D-003"),
        (
            "a memory moved where it is one too many",
            "move_memory",
            json!({"from": "standards/own", "to": "todo/own"}),
            "EN-MEMORY-D-003",
        ),
        (
            "a memory kept for too long",
            "update_memory",
            json!({"path": "todo/first", "expires_at": "2999-01-01T00:00:00Z"}),
            "EN-MEMORY-D-004",
        ),
        (
            "a memory kept for ever",
            "update_memory",
            json!({"path": "todo/first", "expires_at": null}),
            "EN-MEMORY-D-004",
        ),
        (
            "a memory without what its schema demands",
            "create_memory",
            memory("formal/a"),
            "IT-MEMORY-I-006",
        ),
        (
            "a memory moved past its schema",
            "move_memory",
            json!({"from": "standards/own", "to": "formal/own"}),
            "IT-MEMORY-I-006",
        ),
        (
            "a memory in the place of a category",
            "create_memory",
            memory("standards"),
            "IT-MEMORY-I-005",
        ),
        (
            "a memory written as a file",
            "write",
            json!({"path": ".ai/memory/mine/a.md", "content": "x", "create_dirs": true}),
            "EN-WRITE-D-001",
        ),
        (
            "a category made as a folder",
            "mkdir",
            json!({"path": ".ai/memory/mine"}),
            "EN-WRITE-D-001",
        ),
        (
            "a memory deleted as a file",
            "delete",
            json!({"path": ".ai/memory/fixed/old.md"}),
            "EN-WRITE-D-001",
        ),
        (
            "the rules written as a file",
            "write",
            json!({"path": ".ai/config.yaml", "content": "{}"}),
            "EN-WRITE-D-001",
        ),
        (
            "the rules edited as a file",
            "edit",
            json!({"path": ".ai/config.yaml", "old": "strict", "new": "free"}),
            "EN-WRITE-D-001",
        ),
        (
            "a note in a new category of a strict type",
            "execute",
            note("a", "mine"),
            "EN-CATEGORY-D-002",
        ),
        ("a note in a new category below", "execute", note("a", "k/mine"), "EN-CATEGORY-D-002"),
        (
            "a tool in a new top category",
            "execute",
            json!({
                "item_type": "tool", "action": "create", "item_id": "a", "category": "mine",
                "content": samples::tool("a")
            }),
            "EN-CATEGORY-D-001",
        ),
        (
            "an item made as a memory",
            "execute",
            json!({"item_type": "memory", "action": "create", "item_id": "mine/a", "content": "x"}),
            "IT-CHANGE-I-001",
        ),
    ]
}

/// Edits of the project's rules that would make them less strict.
fn loosened() -> Vec<(&'static str, String)> {
    vec![
        (
            "a strict store made free by a branch",
            CONFIG
                .replace("categoryMode: strict\n    policies", "categoryMode: free\n    policies"),
        ),
        (
            "a strict store replaced by another",
            CONFIG.replace("cortex", "other").replace("strict\n    policies", "free\n    policies"),
        ),
        ("all rules removed by a branch", "{}\n".to_owned()),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let rows = rows().into_iter();
    let rows = rows.map(|(name, verb, given, code)| {
        case(AREA, name, tool(verb, given), Expectation::Code(code))
    });
    let loosened = loosened().into_iter().map(|(name, text)| {
        let request = tool("create_category", json!({ "path": "mine" }));
        let expects = Expectation::OneOf(&["EN-CATEGORY-D-002", "IT-STORE-E-005"]);
        case(AREA, name, request, expects).after([write("project/.ai/config.yaml", text)])
    });
    rows.chain(loosened).collect()
}

#[test]
fn no_agent_loosens_a_rule() {
    let world = World::new();
    let open = CONFIG.replace("{create: false, update: false, delete: false}", "{}");
    world.stage.file("project/.ai/config.yaml", &open);
    world.person("store sync");
    for (path, content) in [("fixed/old", "old"), ("standards/own", "own"), ("todo/first", "first")]
    {
        let given = json!({ "path": path, "content": content }).to_string();
        assert_eq!(world.stage.call_text("create_memory", &given).code(), "IT-MEMORY-S-001");
    }
    world.stage.file("project/.ai/config.yaml", CONFIG);
    Runner::new(&world).run(&cases());
}
