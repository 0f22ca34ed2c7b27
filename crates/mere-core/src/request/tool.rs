//! The tools an agent can call: one table for every surface.

use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Parameter};
use super::{CallError, Verb, dir};
use crate::root::Root;

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Reads,
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
    parse: fn(&Arguments<'_>) -> Result<Verb, CallError>,
}

/// Every tool, in the order they are listed.
pub const TOOLS: &[Tool] = &[Tool {
    name: "dir",
    title: "Directories",
    about: dir::ABOUT,
    parameters: dir::PARAMETERS,
    effect: Effect::Reads,
    parse: dir::parse,
}];

impl Tool {
    /// The tool of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// The JSON Schema of its arguments.
    pub fn input_schema(&self) -> Map<String, Value> {
        let properties = self.parameters.iter();
        let properties = properties.map(|p| (p.name.to_owned(), p.schema())).collect::<Map<_, _>>();
        object(&json!({
            "type": "object", "properties": properties, "additionalProperties": false
        }))
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
