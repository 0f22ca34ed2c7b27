//! Small valid items, and a pair of voices that must be answered alike: a keyboard and an MCP client.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage, timeless};

/// A knowledge entry.
pub(crate) fn note(id: &str, body: &str) -> String {
    format!("---\nid: {id}\ntitle: The note {id}\n---\n{body}\n")
}

/// A directive without inputs.
pub(crate) fn directive(id: &str) -> String {
    directive_with(id, "")
}

/// A directive with more parts.
pub(crate) fn directive_with(id: &str, parts: &str) -> String {
    format!(
        "# For people\n\n<directive name=\"{id}\" version=\"1.2.0\">\n\
         <metadata><description>Does {id}.</description></metadata>\n{parts}\n\
         <process><step name=\"one\"><description>First.</description>\
         <action>Act.</action></step></process>\n</directive>\n"
    )
}

/// The `SKILL.md` of an Agent Skill.
pub(crate) fn skill(id: &str) -> String {
    format!("---\nname: {id}\ndescription: Skilled at {id}.\n---\n# {id}\n\nFollow me.\n")
}

/// The manifest of a tool that needs no other file.
pub(crate) fn tool(id: &str) -> String {
    format!(
        "tool_id: {id}\ntool_type: script\nexecutor_id: subprocess\nversion: \"1.0.0\"\n\
         description: Does {id}.\nconfig: {{command: [echo]}}\n"
    )
}

/// A lockfile for a tool of a category of the project.
pub(crate) fn lockfile(id: &str, version: &str, category: &str) -> String {
    let integrity = "0".repeat(64);
    let lock = json!({
        "lockfile_version": 1,
        "root": { "tool_id": id, "version": version, "integrity": integrity },
        "resolved_chain": [],
        "registry": null,
        "metadata": {
            "tool_id": id, "version": version, "category": category, "scope": "project",
            "space_id": "6f2d7c1e-5d0b-4a56-9c1f-1d2a3b4c5d6e"
        }
    });
    format!("{lock:#}\n")
}

/// A token of a known form, in pieces so that it stands nowhere whole; each letter another one.
pub(crate) fn token(last: char) -> String {
    ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ01234"].concat() + &last.to_string()
}

/// Every call is made from the keyboard and over MCP, and both must be answered alike.
pub(crate) struct Pair<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) mcp: Mcp<'a>,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(stage: &'a Stage) -> Self {
        Self { stage, mcp: Mcp::greeted(stage, &["--agent", "default"]) }
    }

    /// A call that changes nothing; the reply without its trace.
    pub(crate) fn ask(&mut self, tool: &str, arguments: &Value) -> Value {
        let over_mcp = timeless(&self.mcp.call(tool, arguments));
        if over_mcp["data"]["run"].is_string() {
            let closed = self.mcp.call("execute", &json!({ "action": "close" }));
            assert_eq!(closed["reply_type"], "S", "{closed}");
        }
        let keyboard = self.stage.call_text(tool, &arguments.to_string());
        assert_eq!(over_mcp, keyboard.timeless(), "{arguments}");
        let status = match over_mcp["reply_type"].as_str() {
            Some("S") => 0,
            Some("I") => 1,
            Some("D") => 3,
            _ => 4,
        };
        assert_eq!(keyboard.status, status, "{arguments}");
        if over_mcp["reply_type"] == "S" {
            assert_eq!(over_mcp["data"]["trust"]["status"], "unsigned", "{over_mcp}");
        }
        over_mcp
    }

    /// Loads an item.
    pub(crate) fn load(&mut self, kind: &str, id: &str) -> Value {
        self.ask("load", &json!({ "item_type": kind, "item_id": id }))
    }

    /// Runs an item.
    pub(crate) fn run(&mut self, kind: &str, id: &str, parameters: &Value) -> Value {
        let arguments = json!({ "item_type": kind, "item_id": id, "parameters": parameters });
        self.ask("execute", &arguments)
    }
}

/// A reply for a person, as JSON.
pub(crate) fn person(stage: &Stage, arguments: &[&str]) -> Value {
    let output = stage.person(&[arguments, &["--json"]].concat());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text:?} {:?}", String::from_utf8_lossy(&output.stderr))
    })
}
