//! The tools an agent can call: one table for every surface.

use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Need, Parameter};
use super::{
    CallError, Verb, category, change, dir, execute, glob, grep, help, load, memory, read, search,
    stores,
};
use crate::category::CategoryMode;
use crate::root::Root;

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Reads,
    /// It may put a copy somewhere, and changes nothing that is there.
    Adds,
    /// It makes or changes a file of the workspace, an item or a memory.
    Writes,
}

/// A group of tools that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    /// Listed always.
    Basic,
    /// Loading and running items.
    Items,
    /// Categories and memories.
    Memory,
    /// Finding and changing files: what coding agents mostly bring themselves.
    Files,
}

/// In which stores a tool is there at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// In every one.
    Always,
    /// Where categories may be made and deleted.
    UnlessStrict,
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
    /// In which stores it is there.
    pub availability: Availability,
    parse: fn(&Arguments<'_>) -> Result<Verb, CallError>,
}

/// Every tool, in the order they are listed.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "search",
        title: "Search",
        about: search::ABOUT,
        parameters: search::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Items,
        availability: Availability::Always,
        parse: search::parse,
    },
    Tool {
        name: "load",
        title: "Load an item",
        about: load::ABOUT,
        parameters: load::PARAMETERS,
        effect: Effect::Adds,
        toolset: Toolset::Items,
        availability: Availability::Always,
        parse: load::parse,
    },
    Tool {
        name: "execute",
        title: "Run or change an item",
        about: execute::ABOUT,
        parameters: execute::PARAMETERS,
        effect: Effect::Writes,
        toolset: Toolset::Items,
        availability: Availability::Always,
        parse: execute::parse,
    },
    Tool {
        name: "create_memory",
        title: "Keep a memory",
        about: memory::CREATE_ABOUT,
        parameters: memory::CREATE,
        effect: Effect::Adds,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: memory::parse_create,
    },
    Tool {
        name: "get_memory",
        title: "Get a memory",
        about: memory::GET_ABOUT,
        parameters: memory::GET,
        effect: Effect::Reads,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: memory::parse_get,
    },
    Tool {
        name: "update_memory",
        title: "Change a memory",
        about: memory::UPDATE_ABOUT,
        parameters: memory::UPDATE,
        effect: Effect::Writes,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: memory::parse_update,
    },
    Tool {
        name: "move_memory",
        title: "Move a memory",
        about: memory::MOVE_ABOUT,
        parameters: memory::MOVE,
        effect: Effect::Writes,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: memory::parse_move,
    },
    Tool {
        name: "remove_memory",
        title: "Remove a memory",
        about: memory::REMOVE_ABOUT,
        parameters: memory::REMOVE,
        effect: Effect::Writes,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: memory::parse_remove,
    },
    Tool {
        name: "list_memories",
        title: "List memories",
        about: memory::LIST_ABOUT,
        parameters: memory::LIST,
        effect: Effect::Reads,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: memory::parse_list,
    },
    Tool {
        name: "create_category",
        title: "Make a category",
        about: category::CREATE_ABOUT,
        parameters: category::CREATE,
        effect: Effect::Adds,
        toolset: Toolset::Memory,
        availability: Availability::UnlessStrict,
        parse: category::parse_create,
    },
    Tool {
        name: "delete_category",
        title: "Delete a category",
        about: category::DELETE_ABOUT,
        parameters: category::DELETE,
        effect: Effect::Writes,
        toolset: Toolset::Memory,
        availability: Availability::UnlessStrict,
        parse: category::parse_delete,
    },
    Tool {
        name: "set_category_description",
        title: "Describe a category",
        about: category::DESCRIBE_ABOUT,
        parameters: category::DESCRIBE,
        effect: Effect::Writes,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: category::parse_describe,
    },
    Tool {
        name: "list_stores",
        title: "List stores",
        about: stores::ABOUT,
        parameters: stores::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Memory,
        availability: Availability::Always,
        parse: |_| Ok(Verb::Stores),
    },
    Tool {
        name: "help",
        title: "Help",
        about: help::ABOUT,
        parameters: help::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Basic,
        availability: Availability::Always,
        parse: help::parse,
    },
    Tool {
        name: "dir",
        title: "Directories",
        about: dir::ABOUT,
        parameters: dir::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Basic,
        availability: Availability::Always,
        parse: dir::parse,
    },
    Tool {
        name: "read",
        title: "Read a file",
        about: read::ABOUT,
        parameters: read::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Basic,
        availability: Availability::Always,
        parse: read::parse,
    },
    Tool {
        name: "glob",
        title: "Find files",
        about: glob::ABOUT,
        parameters: glob::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: glob::parse,
    },
    Tool {
        name: "grep",
        title: "Find lines",
        about: grep::ABOUT,
        parameters: grep::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: grep::parse,
    },
    Tool {
        name: "write",
        title: "Write a file",
        about: change::WRITE_ABOUT,
        parameters: change::WRITE,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: change::parse_write,
    },
    Tool {
        name: "edit",
        title: "Edit a file",
        about: change::EDIT_ABOUT,
        parameters: change::EDIT,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: change::parse_edit,
    },
    Tool {
        name: "patch_section",
        title: "Replace a section",
        about: change::PATCH_ABOUT,
        parameters: change::PATCH,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: change::parse_patch,
    },
];

impl Tool {
    /// The tool of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Whether it is there for a store in this mode.
    pub fn is_available(&self, mode: CategoryMode) -> bool {
        match self.availability {
            Availability::Always => true,
            Availability::UnlessStrict => mode != CategoryMode::Strict,
        }
    }

    /// The JSON Schema of its arguments.
    pub fn input_schema(&self) -> Map<String, Value> {
        let properties = self.parameters.iter();
        let properties = properties.map(|p| (p.name.to_owned(), p.schema())).collect::<Map<_, _>>();
        let required = self.parameters.iter().filter(|p| p.need == Need::Required);
        let required = required.map(|p| Value::from(p.name)).collect::<Vec<_>>();
        let mut schema = to_object(&json!({
            "type": "object", "properties": properties, "additionalProperties": false
        }));
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema
    }

    /// The JSON Schema of its reply: what every reply has. Each listed tool carries it, and each
    /// client reads all of them, so it says no more than it must.
    pub fn output_schema(&self) -> Map<String, Value> {
        to_object(&json!({
            "type": "object", "required": ["reply_type"]
        }))
    }

    /// Turns arguments into a verb and the home root the call asks for.
    pub(super) fn parse_arguments(
        &'static self,
        arguments: &Map<String, Value>,
    ) -> Result<(Verb, Option<Root>), CallError> {
        let arguments = Arguments::new(self, arguments)?;
        let home = arguments.text("home")?.map(Root::parse_bare).transpose();
        let home = home.map_err(|_| CallError::Path { tool: self.name })?;
        Ok(((self.parse)(&arguments)?, home))
    }
}

fn to_object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
