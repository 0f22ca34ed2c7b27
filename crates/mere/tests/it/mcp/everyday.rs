//! Ten everyday tasks of an agent that knows nothing but `tools/list` and what it is told: how many
//! calls they take, and how many bytes the agent reads. `docs/mcp.md` has the table.
//!
//! The agent is a script. It takes its arguments from what earlier replies said, and where a call is
//! refused, the next one follows the hint. A call that was not needed is one whose reply the agent
//! could have done without, had it guessed right.

use serde_json::{Value, json};

use super::offered::space;
use crate::support::harness::{Mcp, Stage};
use crate::support::tools;

/// The most bytes of replies that each task may take. A reply varies by a few digits of a duration.
const MOST_BYTES: [usize; 10] = [1400, 1600, 2400, 1100, 1400, 1000, 1000, 1300, 900, 1200];

/// A scripted agent, and what its current task has cost.
struct ScriptedAgent<'a> {
    mcp: Mcp<'a>,
    tools: Vec<Value>,
    calls: usize,
    refused: usize,
    bytes: usize,
}

/// What a task cost.
#[derive(Debug, PartialEq, Eq)]
struct TaskCost {
    task: &'static str,
    calls: usize,
    /// Calls that were not needed.
    spare: usize,
    bytes: usize,
}

impl<'a> ScriptedAgent<'a> {
    fn new(stage: &'a Stage) -> Self {
        let mut mcp = Mcp::greeted(stage, &[]);
        let listed = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
        let tools = listed.as_array().expect("tools").clone();
        Self { mcp, tools, calls: 0, refused: 0, bytes: 0 }
    }

    /// Calls a tool as its schema says, and returns the reply.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.check_arguments(tool, arguments);
        let result = self.mcp.tool(tool, arguments);
        self.calls += 1;
        // A client shows its model one of the two, and the reply is the longer one.
        self.bytes += result["structuredContent"].to_string().len();
        let reply = result["structuredContent"].clone();
        self.refused += usize::from(reply["reply_type"] != "S");
        reply
    }

    /// The agent knows the arguments from the schema alone: their names, which are required, and
    /// which words they take.
    fn check_arguments(&self, tool: &str, arguments: &Value) {
        let listed = self.tools.iter().find(|one| one["name"] == tool);
        let schema = &listed.unwrap_or_else(|| panic!("{tool} is not listed"))["inputSchema"];
        for (name, value) in arguments.as_object().expect("arguments") {
            let property = &schema["properties"][name];
            assert!(property.is_object(), "{tool} has no {name}");
            if let Some(words) = property["enum"].as_array() {
                assert!(words.contains(value), "{tool} {name}: {value}");
            }
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(arguments.get(name.as_str().expect("a name")).is_some(), "{tool} needs {name}");
        }
    }

    fn finish(&mut self, task: &'static str) -> TaskCost {
        let cost = TaskCost { task, calls: self.calls, spare: self.refused, bytes: self.bytes };
        (self.calls, self.refused, self.bytes) = (0, 0, 0);
        cost
    }
}

fn text<'v>(reply: &'v Value, pointer: &str) -> &'v str {
    reply.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer}: {reply:#}"))
}

/// Reads what the project knows about signing keys.
fn find_and_read(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let found = agent.call("search", &json!({ "query": "signing keys" }));
    let reference = text(&found, "/data/knowledge/0/ref");
    let loaded = agent.call("load", &json!({ "item_type": "knowledge", "item_id": reference }));
    assert!(text(&loaded, "/data/content").contains("Rotate them."));
    agent.finish("find a note and read it")
}

/// Loads a directive whose category it does not know.
fn load_by_bare_id(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let loaded = agent.call("load", &json!({ "item_type": "directive", "item_id": "deploy" }));
    assert_eq!(loaded["data"]["category"], "ops");
    agent.finish("load a skill by its bare id")
}

/// Follows a directive, and leaves out an input that it needs.
fn follow_directive(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let mut run = json!({ "item_type": "directive", "item_id": "release" });
    let refused = agent.call("execute", &run);
    run["parameters"] = refused["data"]["example"].clone();
    let ready = agent.call("execute", &run);
    assert_eq!(ready["data"]["status"], "ready", "{ready:#}");
    agent.finish("follow a directive without knowing its inputs")
}

/// Runs a tool.
fn run_tool(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let run =
        json!({ "item_type": "tool", "item_id": "hello_tool", "parameters": { "name": "Ada" } });
    let ran = agent.call("execute", &run);
    assert_eq!(ran["reply_type"], "S", "{ran:#}");
    agent.finish("run a tool")
}

/// Saves a memory in a category that does not exist yet.
fn save_memory(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let note = json!({ "path": "decisions/ports", "content": "The service listens on 7421." });
    let refused = agent.call("create_memory", &note);
    assert!(text(&refused, "/message").contains("create_category"), "{refused:#}");
    agent.call("create_category", &json!({ "path": "decisions" }));
    let saved = agent.call("create_memory", &note);
    assert_eq!(saved["reply_type"], "S", "{saved:#}");
    agent.finish("save a memory in a new category")
}

/// Gets a memory of which it remembers the name alone.
fn get_memory(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let refused = agent.call("get_memory", &json!({ "path": "ports" }));
    let path = text(&refused, "/data/similar/0");
    let got = agent.call("get_memory", &json!({ "path": path }));
    assert!(text(&got, "/data/content").contains("7421"), "{got:#}");
    agent.finish("get a memory without its category")
}

/// Changes a memory that it has found by searching.
fn update_memory(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let found =
        agent.call("search", &json!({ "query": "service listens", "item_types": ["memory"] }));
    let path = text(&found, "/data/memories/0/ref");
    let change = json!({ "path": path, "content": "The service listens on 7422." });
    let changed = agent.call("update_memory", &change);
    assert_eq!(changed["reply_type"], "S", "{changed:#}");
    agent.finish("find a memory and change it")
}

/// Writes a note whose form it does not know.
fn create_note(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let mut note = json!({
        "item_type": "knowledge", "action": "create", "item_id": "ports", "category": "api",
        "content": "The service listens on 7422."
    });
    let refused = agent.call("execute", &note);
    note["content"] = refused["data"]["template"].clone();
    let made = agent.call("execute", &note);
    assert_eq!(made["reply_type"], "S", "{made:#}");
    agent.finish("write a note without knowing its form")
}

/// Reads a file after looking where it is.
fn read_file(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let listed = agent.call("dir", &json!({ "command": "list", "path": "src" }));
    let address = text(&listed, "/data/entries/0/path");
    let read = agent.call("read", &json!({ "path": address }));
    assert!(text(&read, "/data/content").contains("main"), "{read:#}");
    agent.finish("look into a folder and read a file")
}

/// Changes to another root, which it first takes for a folder.
fn change_root(agent: &mut ScriptedAgent<'_>) -> TaskCost {
    let refused = agent.call("dir", &json!({ "command": "cd", "path": "src" }));
    assert!(text(&refused, "/message").starts_with("`cd` takes a root"), "{refused:#}");
    let moved = agent.call("dir", &json!({ "command": "cd", "path": "ROOT_WORKSPACE" }));
    assert_eq!(moved["reply_type"], "S", "{moved:#}");
    agent.finish("make the workspace the home root")
}

#[test]
fn ten_everyday_tasks_take_at_most_one_call_too_many() {
    let stage = space();
    let mut agent = ScriptedAgent::new(&stage);
    let tasks = [
        find_and_read,
        load_by_bare_id,
        follow_directive,
        run_tool,
        save_memory,
        get_memory,
        update_memory,
        create_note,
        read_file,
        change_root,
    ];
    let document = tools::script("../../../../docs/mcp.md");
    let document = std::fs::read_to_string(document).expect("the document");
    for (task, most_bytes) in tasks.into_iter().zip(MOST_BYTES) {
        let cost = task(&mut agent);
        assert!(cost.spare <= 1, "{cost:?}");
        assert!(cost.bytes <= most_bytes, "{cost:?} is more than {most_bytes} bytes");
        let TaskCost { task, calls, spare, .. } = cost;
        let row = format!("| {task} | {calls} | {spare} | {most_bytes} |");
        assert!(document.contains(&row), "docs/mcp.md lacks {row}");
    }
}
