//! Typed access to a call's JSON arguments, by the tool's own table of parameters.
//!
//! The same table makes the schema that clients see, so the two cannot drift apart. Errors name
//! the parameter and what it takes; they never repeat the value, which nobody has checked.

use serde_json::{Map, Value, json};

use super::CallError;
use super::tool::Tool;

/// One named argument of a tool.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// What it is for.
    pub about: &'static str,
}

/// What an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// One of these words; the first is the default.
    Choice(&'static [&'static str]),
    /// A whole number.
    Whole {
        /// The smallest that is accepted.
        least: u64,
        /// The largest.
        most: u64,
        /// What absence means.
        default: u64,
    },
}

/// An argument that does not fit its tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// The tool has no such argument.
    #[error("an argument is unknown")]
    Unknown {
        /// What it has.
        known: Vec<&'static str>,
    },
    /// An argument that the command needs is not there.
    #[error("`{name}` is missing")]
    Missing {
        /// Which argument.
        name: &'static str,
        /// What it takes.
        takes: &'static str,
    },
    /// The value is not one that the argument takes.
    #[error("`{name}` is wrong")]
    Wrong {
        /// Which argument.
        name: &'static str,
        /// What it takes.
        kind: Kind,
    },
}

impl Parameter {
    /// Its JSON Schema.
    pub(super) fn schema(&self) -> Value {
        match self.kind {
            Kind::Text => json!({ "type": "string", "description": self.about }),
            Kind::Choice(words) => {
                json!({ "enum": words, "default": words.first(), "description": self.about })
            }
            Kind::Whole { least, most, default } => json!({
                "type": "integer", "minimum": least, "maximum": most, "default": default,
                "description": self.about
            }),
        }
    }
}

/// The arguments of one call, all of them known to the tool.
pub(super) struct Arguments<'a> {
    tool: &'static Tool,
    map: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(tool: &'static Tool, map: &'a Map<String, Value>) -> Result<Self, CallError> {
        let known = || tool.parameters.iter().map(|parameter| parameter.name);
        if map.keys().all(|key| known().any(|name| name == key)) {
            return Ok(Self { tool, map });
        }
        let error = ArgumentError::Unknown { known: known().collect() };
        Err(CallError::Argument { tool: tool.name, error })
    }

    pub(super) fn tool(&self) -> &'static str {
        self.tool.name
    }

    /// A text, or nothing when absent or null.
    pub(super) fn text(&self, name: &'static str) -> Result<Option<&'a str>, CallError> {
        match self.given(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name)),
        }
    }

    /// One of the parameter's words, or its first.
    pub(super) fn choice(&self, name: &'static str) -> Result<&'static str, CallError> {
        let Some(Kind::Choice(words)) = self.kind(name) else {
            return Err(self.wrong(name));
        };
        let said = match self.text(name)? {
            None => words.first(),
            Some(text) => words.iter().find(|word| **word == text),
        };
        said.copied().ok_or_else(|| self.wrong(name))
    }

    /// A whole number within the parameter's bounds, or its default.
    pub(super) fn whole(&self, name: &'static str) -> Result<u64, CallError> {
        let Some(Kind::Whole { least, most, default }) = self.kind(name) else {
            return Err(self.wrong(name));
        };
        let number = match self.given(name) {
            None => Some(default),
            Some(value) => whole(value).filter(|number| (least..=most).contains(number)),
        };
        number.ok_or_else(|| self.wrong(name))
    }

    fn given(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        self.tool.parameters.iter().find(|p| p.name == name).map(|p| p.kind)
    }

    fn wrong(&self, name: &'static str) -> CallError {
        let kind = self.kind(name).unwrap_or(Kind::Text);
        CallError::Argument { tool: self.tool.name, error: ArgumentError::Wrong { name, kind } }
    }
}

/// A whole number as JSON Schema has it: `3.0` is one.
fn whole(value: &Value) -> Option<u64> {
    let text = value.as_number()?.to_string();
    text.strip_suffix(".0").unwrap_or(&text).parse().ok()
}
