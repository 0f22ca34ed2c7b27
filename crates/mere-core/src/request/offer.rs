//! What clients are offered besides tools: directives as prompts, items as resources, and skills
//! with all their files.
//!
//! The calls are made by the protocol's own methods, so they have no parameters in the table of
//! tools.

use crate::address::RelPath;
use crate::cursor::Cursor;
use crate::item::{ItemRef, ItemType};

/// One call about what is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfferCall {
    /// Lists a page of what is offered.
    List {
        /// The list.
        list: OfferList,
        /// The cursor of the page.
        cursor: Option<Cursor>,
    },
    /// Returns the text of a directive, to be followed with these inputs.
    Prompt {
        /// The directive.
        directive: ItemRef,
        /// The inputs as texts.
        inputs: Vec<(String, String)>,
    },
    /// Returns the values that an input of a directive can have.
    InputValues {
        /// The directive.
        directive: ItemRef,
        /// The name of the input.
        input: String,
        /// What was typed so far.
        typed: String,
    },
    /// Returns the names of items that begin with what was typed so far.
    ItemNames {
        /// The type of the items.
        kind: ItemType,
        /// What was typed so far.
        typed: String,
    },
    /// Describes one skill.
    Skill {
        /// The skill.
        skill: ItemRef,
    },
    /// Returns a file of a skill, byte for byte.
    SkillFile {
        /// The name of the skill, and the path from its folder.
        path: RelPath,
    },
    /// Lists what is directly in a folder of a skill.
    SkillFolder {
        /// The name of the skill, and the path from its folder.
        path: RelPath,
    },
}

impl OfferCall {
    /// Returns the method of the protocol that makes the call.
    pub fn method(&self) -> &'static str {
        match self {
            Self::List { list: OfferList::Prompts, .. } => "prompts/list",
            Self::List { list: OfferList::Resources, .. } => "resources/list",
            Self::List { list: OfferList::Skills, .. } => "skills/list",
            Self::Prompt { .. } => "prompts/get",
            Self::InputValues { .. } | Self::ItemNames { .. } => "completion/complete",
            Self::Skill { .. } => "skills/get",
            Self::SkillFile { .. } => "resources/read",
            Self::SkillFolder { .. } => "resources/directory/read",
        }
    }
}

/// A list of what is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferList {
    /// The directives.
    Prompts,
    /// The skills, the knowledge entries and the memories.
    Resources,
    /// The skills, with the digests of all their files.
    Skills,
}

impl OfferList {
    /// Returns the name of the list.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Skills => "skills",
        }
    }
}
