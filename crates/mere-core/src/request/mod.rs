//! What a caller asks for: who asks, and one verb of a closed set.
//!
//! Making a request from a tool's name and its JSON arguments always succeeds: a call that makes
//! no sense is a verb too ([`Verb::Misspoken`]), so that every answer, that one included, leaves
//! through the same door.

mod arguments;
mod category;
mod change;
mod dir;
mod execute;
mod glob;
mod grep;
mod help;
mod keep;
mod keys;
mod load;
mod memory;
mod models;
mod read;
mod run;
mod search;
mod secret;
mod sign;
mod signers;
mod stores;
mod team;
mod tool;

use serde_json::{Map, Value};

use crate::item::ItemType;
use crate::name::AgentName;
use crate::root::Root;
use crate::trace::TraceId;
use crate::turn::{Answer, Resume};

pub use arguments::{ArgumentError, Need, Parameter, ParameterKind};
pub use category::{CategoryCall, CategoryChange};
pub use change::{FileChange, FileChangeKind};
pub use dir::Dir;
pub use execute::{Execute, ItemAction, ItemContent};
pub use glob::Glob;
pub use grep::Grep;
pub use help::TOPICS;
pub use keep::{
    AuthorChoice, DoctorMode, DrawingFormat, GitHook, GraphCommand, IndexCommand, InitSpace,
    ListItems, PersonCommand, ReviewDecision, StarterItems,
};
pub use keys::{KeyArgument, KeyName, KeyNameError, KeysCommand, Passphrase, PersonFile};
pub use load::{Load, LookupScope};
pub use memory::{ExpiredMemories, ListMemories, MemoryCall, MemorySort};
pub use models::ModelCommand;
pub use read::Read;
pub use run::{LockCommand, LockfilePolicy, RunTool, UnsignedPolicy};
pub use search::{RankMode, Search, SearchCondition, SearchFilter, SearchMode, SearchSource};
pub use secret::Secret;
pub use sign::{
    GitStaging, ItemMatcher, ItemSelection, ItemWork, SelectedItems, ShownItem, SignCommand,
    VerifyCommand, WorkMode,
};
pub use signers::{SignerKey, SignerName, SignerNameError, SignerSelector, TrustCommand};
pub use stores::{DryRun, NewStore, StoreCommand, StoreTemplate};
pub use team::{JoinCommand, JoinConsent, NewMember, NewTeam, TeamCommand, TeamRole};
pub use tool::{Availability, Effect, TOOLS, Tool, Toolset};

/// What every tool takes: where bare paths begin.
const HOME: Parameter = Parameter {
    name: "home",
    kind: ParameterKind::Text,
    need: Need::Optional,
    about: "For this call only.",
};

/// What tools with pages take.
const CURSOR: Parameter = Parameter {
    name: "cursor",
    kind: ParameterKind::Text,
    need: Need::Optional,
    about: "`next` of the page before.",
};

/// Who makes a call.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The agent's name.
    pub agent: AgentName,
    /// The home root for this call; the session's when absent.
    pub home: Option<Root>,
    /// The trace this call belongs to, where the caller said so.
    pub trace: Option<TraceId>,
    /// Who reads the answer.
    pub reader: Reader,
}

/// Who reads an answer, and so who asked: only the command line speaks for a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// An agent, who must see no host path.
    #[default]
    Agent,
    /// The person who owns the machine, at the command line.
    Person,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tool that was called; `None` when it is none we know.
    pub tool: Option<&'static str>,
    /// Who calls.
    pub caller: Caller,
    /// What for.
    pub verb: Verb,
    /// The answer to a question this call asked before.
    pub answer: Option<(Resume, Answer)>,
    /// What unlocks the person's key, where a person has said it.
    pub key_passphrase: Option<Secret>,
}

/// Everything that can be asked for.
#[derive(Clone, Debug)]
pub enum Verb {
    /// Where am I, and what is here?
    Dir(Dir),
    /// What is in this file?
    Read(Read),
    /// Which files look like this?
    Glob(Glob),
    /// Which lines look like this?
    Grep(Grep),
    /// Let this file be so.
    ChangeFile(FileChange),
    /// Which items say this?
    Search(Search),
    /// What is this item?
    Load(Load),
    /// Run this item, or let it be so.
    Execute(Execute),
    /// Let this category be so.
    Category(CategoryCall),
    /// What is remembered, and what should be?
    Memory(MemoryCall),
    /// Which stores are there, and what do they hold by configuration?
    Stores,
    /// What a person does with items.
    Person(PersonCommand),
    /// How is this used?
    Help {
        /// About what; everything if nothing was said.
        topic: Option<&'static str>,
    },
    /// Nothing we understand.
    InvalidCall(CallError),
}

impl Verb {
    /// Whether it needs no disk, so that an edge need not send it to another thread.
    pub fn is_instant(&self) -> bool {
        matches!(
            self,
            Self::Dir(Dir::Pwd | Dir::Cd { .. }) | Self::InvalidCall(_) | Self::Help { .. }
        )
    }

    /// Whether it takes as long as a tool runs, or as a person's command takes.
    pub fn is_long_running(&self) -> bool {
        match self {
            Self::Execute(Execute {
                kind: ItemType::Tool, action: ItemAction::Run { .. }, ..
            }) => true,
            Self::Person(asked) => {
                matches!(asked, PersonCommand::Run(_) | PersonCommand::Prepare { .. })
            }
            _ => false,
        }
    }
}

/// Why a call could not be understood. None of these repeats what was said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// There is no such tool.
    #[error("no such tool")]
    Tool,
    /// The arguments are not one JSON object.
    #[error("the arguments of `{tool}` are not one JSON object")]
    Json {
        /// The tool that was called.
        tool: &'static str,
    },
    /// An argument does not fit.
    #[error("{error}")]
    Argument {
        /// The tool that was called.
        tool: &'static str,
        /// What does not fit.
        error: ArgumentError,
    },
    /// A path is no accepted form.
    #[error("a path is malformed")]
    Path {
        /// The tool that was called.
        tool: &'static str,
    },
    /// A cursor is none.
    #[error("a cursor is malformed")]
    Cursor {
        /// The tool that was called.
        tool: &'static str,
    },
}

impl Request {
    /// What a person asks for by a command of its own.
    pub fn from_person(agent: AgentName, tool: &'static str, verb: Verb) -> Self {
        let caller = Caller { agent, reader: Reader::Person, ..Caller::default() };
        Self { tool: Some(tool), caller, verb, answer: None, key_passphrase: None }
    }

    /// The same with what unlocks the person's key. Nobody else's request takes one.
    #[must_use]
    pub fn with_key_passphrase(self, unlock: Option<Secret>) -> Self {
        match self.caller.reader {
            Reader::Person => Self { key_passphrase: unlock, ..self },
            Reader::Agent => self,
        }
    }

    /// The request for calling `tool` with JSON text, as a person types it.
    pub fn from_text(caller: Caller, tool: &str, arguments: &str) -> Self {
        match crate::json::parse(arguments.as_bytes()) {
            Ok(Value::Object(map)) => Self::new(caller, tool, &map),
            _ => Self::from_parsed(caller, tool, |tool| Err(CallError::Json { tool: tool.name })),
        }
    }

    /// The request for calling `tool` with parsed arguments.
    pub fn new(caller: Caller, tool: &str, arguments: &Map<String, Value>) -> Self {
        Self::from_parsed(caller, tool, |tool| tool.parse_arguments(arguments))
    }

    fn from_parsed(
        mut caller: Caller,
        tool: &str,
        understand: impl FnOnce(&'static Tool) -> Result<(Verb, Option<Root>), CallError>,
    ) -> Self {
        let tool = Tool::find(tool);
        let verb = match tool.ok_or(CallError::Tool).and_then(understand) {
            Ok((verb, home)) => {
                caller.home = home.or(caller.home);
                verb
            }
            Err(error) => Verb::InvalidCall(error),
        };
        Self { tool: tool.map(|tool| tool.name), caller, verb, answer: None, key_passphrase: None }
    }
}
