//! A request: its caller, and one verb of a closed set.
//!
//! Building a request from a tool's name and its JSON arguments always succeeds. A call that makes
//! no sense becomes a verb too ([`Verb::InvalidCall`]), so that every answer, including that one,
//! leaves through the same door.

mod arguments;
mod category;
mod dir;
mod entry_change;
mod execute;
mod export;
mod file_change;
mod glob;
mod grep;
mod help;
mod import_mcp;
mod keys;
mod load;
mod memory;
mod minimum_versions;
mod models;
mod offer;
mod person_command;
mod read;
mod receipts;
mod registry;
mod resource_uri;
mod run;
mod run_handle;
mod search;
mod secret;
mod secrets;
mod sign;
mod signers;
mod stores;
mod team;
mod tool;
mod verb;
mod workspace;

use serde_json::{Map, Value};

use crate::address::{AgentName, Root};
use crate::trace::TraceId;
use crate::turn::{Answer, Resume};

pub use arguments::{ArgumentError, Need, Parameter, ParameterKind};
pub use category::{CategoryCall, CategoryChange};
pub use dir::Dir;
pub use entry_change::EntryChange;
pub use execute::{Execute, ItemAction, ItemContent, RunItem};
pub use export::{ExportFormat, ExportItems, ExportMode};
pub use file_change::{FileChange, FileChangeKind};
pub use glob::Glob;
pub use grep::Grep;
pub use help::TOPICS;
pub use import_mcp::{ImportMcp, ImportStep};
pub use keys::{KeyArgument, KeyName, KeyNameError, KeysCommand, Passphrase, PersonFile};
pub use load::{Load, LookupScope};
pub use memory::{ExpiredMemories, ListMemories, MemoryCall, MemorySort};
pub use minimum_versions::{
    MAX_MINIMUM_VERSIONS_BYTES, MinimumVersionsError, parse_minimum_versions,
};
pub use models::ModelCommand;
pub use offer::{OfferCall, OfferList};
pub use person_command::{
    AuthorChoice, DoctorMode, DrawingFormat, GitCommand, GitHook, GraphCommand, IndexCommand,
    InitSpace, ItemCommand, ListItems, PersonCommand, ReviewCommand, ReviewDecision, ReviewScope,
    ScriptChoice, SignatureRule, StarterItems,
};
pub use read::Read;
pub use receipts::{ReceiptCommand, ReceiptCursor, ReceiptScope};
pub use registry::{Login, PublishItem, PublishMode, PullItem, RegistryAction, RegistryCommand};
pub use resource_uri::{ResourceUri, ResourceUriError};
pub use run::{GrantTool, LockCommand, LockfilePolicy, RunTool, ToolCommand, UnsignedPolicy};
pub use run_handle::RunHandle;
pub use search::{
    HitDetail, HitLimit, RankMode, RelatedHits, Search, SearchCondition, SearchFilter, SearchMode,
    SearchSource,
};
pub use secret::Secret;
pub use secrets::{SecretInput, SecretsCommand};
pub use sign::{
    AfterSigning, GitStaging, ItemMatcher, ItemSelection, ItemWork, Relocking, SelectedItems,
    ShownItem, SignCommand, VerifyCommand, WorkMode,
};
pub use signers::{SignerKey, SignerName, SignerNameError, SignerSelector, TrustCommand};
pub use stores::{DryRun, NewStore, StoreCommand, StoreTemplate, StrayRename};
pub use team::{JoinCommand, JoinConsent, NewMember, NewTeam, TeamCommand, TeamRole};
use tool::ParsedCall;
pub use tool::{Availability, Effect, TOOLS, Tool, Toolset};
pub use verb::{FileVerb, ItemVerb, StoreVerb, Verb};
pub use workspace::WorkspaceCommand;

/// The parameter of every file tool: the root where bare paths begin.
const HOME: Parameter = Parameter {
    name: "home",
    kind: ParameterKind::Text,
    need: Need::Optional,
    about: "For this call only.",
};

/// The handle of the run that a call belongs to. Every tool takes it; it is listed with those that
/// need it most, because what is listed costs each agent attention.
const RUN: Parameter =
    Parameter { name: "run", kind: ParameterKind::Text, need: Need::Optional, about: "" };

/// The parameter of every tool that changes or removes a file.
const EXPECT_SHA256: Parameter = Parameter {
    name: "expect_sha256",
    kind: ParameterKind::Digest,
    need: Need::Optional,
    about: "The `sha256` you read: nothing is changed if the file has changed since.",
};

/// The parameter of every tool whose results have pages.
const CURSOR: Parameter = Parameter {
    name: "cursor",
    kind: ParameterKind::Text,
    need: Need::Optional,
    about: "`next` of the previous page.",
};

/// The caller of a request.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The agent's name.
    pub agent: AgentName,
    /// The home root for this call, or `None` for that of the session.
    pub home: Option<Root>,
    /// The run of a directive that this call belongs to, if the caller named one.
    pub run: Option<RunHandle>,
    /// The trace that this call belongs to, if the caller named one.
    pub trace: Option<TraceId>,
    /// The reader of the answer.
    pub reader: Reader,
    /// Whether a person can be asked while the call waits.
    pub person: PersonPresence,
    /// The toolsets whose tools the caller was not shown, so that they are not recommended.
    pub unlisted: Vec<Toolset>,
}

/// Whether somebody can answer a question about a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PersonPresence {
    /// Nobody can be asked, so nothing is looked up for a question.
    #[default]
    Absent,
    /// A person can be asked.
    Present,
}

/// The reader of an answer, who is also the one who asked: only the command line acts for a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// An agent, who must not see a host path.
    #[default]
    Agent,
    /// The person who owns the machine, at the command line.
    Person,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Request {
    /// The tool that was called, or `None` if it is not a known one.
    pub tool: Option<&'static str>,
    /// The caller.
    pub caller: Caller,
    /// The operation that is asked for.
    pub verb: Verb,
    /// The answer to a question that this call asked before.
    pub answer: Option<(Resume, Answer)>,
    /// The passphrase of the person's key, if they entered it.
    pub key_passphrase: Option<Secret>,
}

/// The reason why a call could not be understood. It never repeats anything of the call.
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
    /// An argument is not valid.
    #[error("{error}")]
    Argument {
        /// The tool that was called.
        tool: &'static str,
        /// The problem with the argument.
        error: ArgumentError,
    },
    /// A path does not have an accepted form.
    #[error("a path is malformed")]
    Path {
        /// The tool that was called.
        tool: &'static str,
    },
    /// An argument that takes a root is anything else.
    #[error("`{argument}` is not a root")]
    Root {
        /// The argument.
        argument: &'static str,
    },
    /// A cursor is malformed.
    #[error("a cursor is malformed")]
    Cursor {
        /// The tool that was called.
        tool: &'static str,
    },
}

impl Request {
    /// Makes the request of a person who uses a command of the command line.
    pub fn from_person(agent: AgentName, tool: &'static str, verb: Verb) -> Self {
        let caller = Caller { agent, reader: Reader::Person, ..Caller::default() };
        Self { tool: Some(tool), caller, verb, answer: None, key_passphrase: None }
    }

    /// Makes the request of an agent's client that calls no tool.
    pub fn from_client(caller: Caller, verb: Verb) -> Self {
        Self { tool: None, caller, verb, answer: None, key_passphrase: None }
    }

    /// Adds the passphrase of the person's key. Requests of agents ignore it.
    #[must_use]
    pub fn with_key_passphrase(self, passphrase: Option<Secret>) -> Self {
        match self.caller.reader {
            Reader::Person => Self { key_passphrase: passphrase, ..self },
            Reader::Agent => self,
        }
    }

    /// Returns what a person who watches calls it: the tool, or the method of the protocol.
    pub fn name(&self) -> &'static str {
        match (self.tool, &self.verb) {
            (Some(tool), _) => tool,
            (None, Verb::Items(ItemVerb::Offer(call))) => call.method(),
            (None, Verb::Items(_) | Verb::Files(_)) => "resources/read",
            (None, _) => "?",
        }
    }

    /// Makes the request for calling `tool` with JSON text, as a person types it.
    pub fn from_text(caller: Caller, tool: &str, arguments: &str) -> Self {
        match crate::text::json::parse(arguments.as_bytes()) {
            Ok(Value::Object(map)) => Self::new(caller, tool, &map),
            _ => Self::from_parsed(caller, tool, |tool| Err(CallError::Json { tool: tool.name })),
        }
    }

    /// Makes the request for calling `tool` with parsed arguments.
    pub fn new(caller: Caller, tool: &str, arguments: &Map<String, Value>) -> Self {
        Self::from_parsed(caller, tool, |tool| tool.parse_arguments(arguments))
    }

    fn from_parsed(
        mut caller: Caller,
        tool: &str,
        understand: impl FnOnce(&'static Tool) -> Result<ParsedCall, CallError>,
    ) -> Self {
        let tool = Tool::find(tool);
        let verb = match tool.ok_or(CallError::Tool).and_then(understand) {
            Ok(ParsedCall { verb, home, run }) => {
                caller.home = home.or(caller.home);
                caller.run = run;
                verb
            }
            Err(error) => Verb::InvalidCall(error),
        };
        Self { tool: tool.map(|tool| tool.name), caller, verb, answer: None, key_passphrase: None }
    }
}
