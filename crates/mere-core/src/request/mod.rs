//! What a caller asks for: who asks, and one verb of a closed set.
//!
//! Making a request from a tool's name and its JSON arguments always succeeds: a call that makes
//! no sense is a verb too ([`Verb::Misspoken`]), so that every answer, that one included, leaves
//! through the same door.

mod arguments;
mod dir;
mod tool;

use serde_json::{Map, Value};

use crate::name::AgentName;
use crate::root::Root;
use crate::trace::TraceId;
use crate::turn::{Answer, Resume};

pub use arguments::{ArgumentError, Kind, Parameter};
pub use dir::Dir;
pub use tool::{Effect, TOOLS, Tool};

/// Who makes a call.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The agent's name.
    pub agent: AgentName,
    /// The home root for this call; the session's when absent.
    pub home: Option<Root>,
    /// The trace this call belongs to, where the caller said so.
    pub trace: Option<TraceId>,
}

/// One call.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who calls.
    pub caller: Caller,
    /// What for.
    pub verb: Verb,
    /// The answer to a question this call asked before.
    pub answered: Option<(Resume, Answer)>,
}

/// Everything that can be asked for.
#[derive(Clone, Debug)]
pub enum Verb {
    /// Where am I, and what is here?
    Dir(Dir),
    /// Nothing we understand.
    Misspoken(CallError),
}

impl Verb {
    /// Whether the session is another one after it.
    pub fn changes_session(&self) -> bool {
        matches!(self, Self::Dir(Dir::Cd { .. }))
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
    /// The request for calling `tool` with JSON text, as a person types it.
    pub fn from_text(caller: Caller, tool: &str, arguments: &str) -> Self {
        let Some(known) = Tool::find(tool) else {
            return Self::misspoken(caller, CallError::Tool);
        };
        match crate::json::parse(arguments.as_bytes()) {
            Ok(Value::Object(map)) => Self::new(caller, tool, &map),
            _ => Self::misspoken(caller, CallError::Json { tool: known.name }),
        }
    }

    /// The request for calling `tool` with parsed arguments.
    pub fn new(mut caller: Caller, tool: &str, arguments: &Map<String, Value>) -> Self {
        let Some(tool) = Tool::find(tool) else {
            return Self::misspoken(caller, CallError::Tool);
        };
        match tool.understand(arguments) {
            Ok((verb, home)) => {
                caller.home = home.or(caller.home);
                Self { caller, verb, answered: None }
            }
            Err(error) => Self::misspoken(caller, error),
        }
    }

    /// The tool this request calls, if it named one.
    pub fn tool(&self) -> Option<&'static str> {
        match &self.verb {
            Verb::Dir(_) => Some("dir"),
            Verb::Misspoken(CallError::Tool) => None,
            Verb::Misspoken(
                CallError::Json { tool }
                | CallError::Argument { tool, .. }
                | CallError::Path { tool }
                | CallError::Cursor { tool },
            ) => Some(tool),
        }
    }

    fn misspoken(caller: Caller, error: CallError) -> Self {
        Self { caller, verb: Verb::Misspoken(error), answered: None }
    }
}
