//! The tools that an agent can call, in one table for every surface.

use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Need, Parameter};
use super::{
    CallError, RunHandle, StoreVerb, Verb, category, dir, entry_change, execute, file_change, glob,
    grep, help, load, memory, read, search, stores,
};
use crate::address::Root;
use crate::category::CategoryMode;

/// The effect of a tool on the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only reads.
    Reads,
    /// It may add something, but changes nothing that exists.
    Adds,
    /// It creates or changes a file of the workspace, an item or a memory.
    Writes,
}

/// A group of tools that are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toolset {
    /// The tool that is always listed.
    Basic,
    /// Tools to search, load, run and change items.
    Items,
    /// Tools for categories and memories.
    Memory,
    /// Tools to look at files, which are listed unless the operator chooses otherwise.
    Reading,
    /// Tools to find and change files, which coding agents mostly bring themselves.
    Files,
}

impl Toolset {
    /// All toolsets.
    pub const ALL: [Self; 5] = [Self::Basic, Self::Items, Self::Memory, Self::Reading, Self::Files];
}

/// The stores in which a tool is available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Availability {
    /// Every store.
    Always,
    /// Stores in which categories may be created and deleted.
    UnlessStrict,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    /// The name it is called by.
    pub name: &'static str,
    /// A short title for people.
    pub title: &'static str,
    /// A description of what it does and when to use it.
    pub about: &'static str,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// The effect on the world.
    pub effect: Effect,
    /// The group with which it is listed.
    pub toolset: Toolset,
    /// The stores in which it is available.
    pub availability: Availability,
    parse: fn(&Arguments<'_>) -> Result<Verb, CallError>,
}

/// Every tool, in the order in which they are listed.
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
        title: "Store a memory",
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
        title: "Create a category",
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
        parse: |_| Ok(Verb::Stores(StoreVerb::List)),
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
        toolset: Toolset::Reading,
        availability: Availability::Always,
        parse: dir::parse,
    },
    Tool {
        name: "read",
        title: "Read a file",
        about: read::ABOUT,
        parameters: read::PARAMETERS,
        effect: Effect::Reads,
        toolset: Toolset::Reading,
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
        about: file_change::WRITE_ABOUT,
        parameters: file_change::WRITE,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: file_change::parse_write,
    },
    Tool {
        name: "edit",
        title: "Edit a file",
        about: file_change::EDIT_ABOUT,
        parameters: file_change::EDIT,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: file_change::parse_edit,
    },
    Tool {
        name: "patch_section",
        title: "Replace a section",
        about: file_change::PATCH_ABOUT,
        parameters: file_change::PATCH,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: file_change::parse_patch,
    },
    Tool {
        name: "delete",
        title: "Delete a file",
        about: entry_change::DELETE_ABOUT,
        parameters: entry_change::DELETE,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: entry_change::parse_delete,
    },
    Tool {
        name: "move",
        title: "Move a file",
        about: entry_change::MOVE_ABOUT,
        parameters: entry_change::MOVE,
        effect: Effect::Writes,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: entry_change::parse_move,
    },
    Tool {
        name: "mkdir",
        title: "Make a directory",
        about: entry_change::MAKE_ABOUT,
        parameters: entry_change::MAKE,
        effect: Effect::Adds,
        toolset: Toolset::Files,
        availability: Availability::Always,
        parse: entry_change::parse_make,
    },
];

/// What the arguments of a call say.
pub(super) struct ParsedCall {
    pub(super) verb: Verb,
    /// The home root that the call asks for.
    pub(super) home: Option<Root>,
    /// The run that the call belongs to.
    pub(super) run: Option<RunHandle>,
}

impl Tool {
    /// Finds the tool of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Checks whether the tool is available for a store in this mode.
    pub fn is_available(&self, mode: CategoryMode) -> bool {
        match self.availability {
            Availability::Always => true,
            Availability::UnlessStrict => mode != CategoryMode::Strict,
        }
    }

    /// Returns the JSON Schema of the tool's arguments.
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

    /// Returns the JSON Schema of the tool's reply, which is the same for every tool. Each listed
    /// tool carries it, and each client reads all of them, so it says no more than it must.
    pub fn output_schema(&self) -> Map<String, Value> {
        to_object(&json!({
            "type": "object", "required": ["reply_type"]
        }))
    }

    /// Parses arguments into a verb, and what the call says about its caller.
    pub(super) fn parse_arguments(
        &'static self,
        arguments: &Map<String, Value>,
    ) -> Result<ParsedCall, CallError> {
        let arguments = Arguments::new(self, arguments)?;
        let home = arguments.text("home")?.map(Root::parse_bare).transpose();
        let home = home.map_err(|_| CallError::Root { argument: "home" })?;
        let run = arguments.text("run")?.map(RunHandle::new);
        Ok(ParsedCall { verb: (self.parse)(&arguments)?, home, run })
    }
}

fn to_object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
