//! The tools an agent can call: one table for every surface.

use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Need, Parameter};
use super::{CallError, Verb, change, dir, execute, glob, grep, help, load, read};
use crate::root::Root;

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It may put a copy somewhere, and changes nothing that is there.
    Adds,
    /// It makes or changes a file of the workspace, or an item.
    Writes,
}

/// A group of tools that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    /// Listed always.
    Basic,
    /// Loading and running items.
    Items,
    /// Finding and changing files: what coding agents mostly bring themselves.
    Files,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// The name it is called by.
    pub name: &'static str,
    /// A short title for people.
    pub title: &'static str,
    /// What it does and when to use it.
    pub about: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What it does to the world.
    pub effect: Effect,
    /// With which others it is listed.
    pub toolset: Toolset,
    parse: fn(&Arguments<'_>) -> Result<Verb, CallError>,
}

/// Every tool, in the order they are listed.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "load",
        title: "Load an item",
        about: load::ABOUT,
        parameters: load::PARAMETERS,
        effect: Effect::Adds,
        toolset: Toolset::Items,
        parse: load::parse,
    },
    Tool {
        name: "execute",
        title: "Run or change an item",
        about: execute::ABOUT,
        parameters: execute::PARAMETERS,
        effect: Effect::Writes,
        toolset: Toolset::Items,
        parse: execute::parse,
    },
    Tool {
        name: "help",
        title: "Help",
        about: help::ABOUT,
        parameters: help::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Basic,
        parse: help::parse,
    },
    Tool {
        name: "dir",
        title: "Directories",
        about: dir::ABOUT,
        parameters: dir::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Basic,
        parse: dir::parse,
    },
    Tool {
        name: "read",
        title: "Read a file",
        about: read::ABOUT,
        parameters: read::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Basic,
        parse: read::parse,
    },
    Tool {
        name: "glob",
        title: "Find files",
        about: glob::ABOUT,
        parameters: glob::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Files,
        parse: glob::parse,
    },
    Tool {
        name: "grep",
        title: "Find lines",
        about: grep::ABOUT,
        parameters: grep::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Files,
        parse: grep::parse,
    },
    Tool {
        name: "write",
        title: "Write a file",
        about: change::WRITE_ABOUT,
        parameters: change::WRITE,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        parse: change::write,
    },
    Tool {
        name: "edit",
        title: "Edit a file",
        about: change::EDIT_ABOUT,
        parameters: change::EDIT,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        parse: change::edit,
    },
    Tool {
        name: "patch_section",
        title: "Replace a section",
        about: change::PATCH_ABOUT,
        parameters: change::PATCH,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        parse: change::patch,
    },
];

impl Tool {
    /// The tool of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The JSON Schema of its arguments.
    pub fn input_schema(&self) -> Map<String, Value> {
        let properties = self.parameters.iter();
        let properties = properties.map(|p| (p.name.to_owned(), p.schema())).collect::<Map<_, _>>();
        let required = self.parameters.iter().filter(|p| p.need == Need::Required);
        let required = required.map(|p| Value::from(p.name)).collect::<Vec<_>>();
        let mut schema = object(&json!({
            "type": "object", "properties": properties, "additionalProperties": false
        }));
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema
    }

    /// The JSON Schema of its reply.
    pub fn output_schema(&self) -> Map<String, Value> {
        object(&json!({
            "type": "object",
            "properties": {
                "reply_type": { "enum": ["S", "I", "D", "E"] },
                "code": { "type": "string" },
                "message": { "type": "string" },
                "hint": { "type": "string" },
                "data": { "type": "object" },
                "trace": { "type": "object" },
                "meta": { "type": "object" }
            },
            "required": ["reply_type", "code", "message", "data", "trace", "meta"]
        }))
    }

    /// Turns arguments into a verb and the home root the call asks for.
    pub(super) fn understand(
        &'static self,
        arguments: &Map<String, Value>,
    ) -> Result<(Verb, Option<Root>), CallError> {
        let arguments = Arguments::new(self, arguments)?;
        let home = arguments.text("home")?.map(Root::parse_alone).transpose();
        let home = home.map_err(|_| CallError::Path { tool: self.name })?;
        Ok(((self.parse)(&arguments)?, home))
    }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
