//! Typed access to a call's JSON arguments, based on the tool's table of parameters.
//!
//! The same table makes the schema that clients see, so the two cannot drift apart. Errors name
//! the parameter and what it takes; they never repeat the value, which nobody has checked.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use super::tool::Tool;
use super::{CallError, RUN};
use crate::address::{RelPath, Spoken};
use crate::cursor::Cursor;
use crate::digest::ShownDigest;
use crate::item::{MemoryExpiry, parse_rfc3339};
use crate::text::pattern::{Pattern, PatternError};

/// One named argument of a tool.
#[derive(Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The kind of value that it takes.
    pub kind: ParameterKind,
    /// Tells whether the argument may be left out.
    pub need: Need,
    /// A description for the caller.
    pub about: &'static str,
}

/// Tells whether an argument may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It must be there.
    Required,
    /// It may be left out.
    Optional,
}

/// The kind of value that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// Any text.
    Text,
    /// One of these words; the first is the default.
    ChoiceWithDefault(&'static [&'static str]),
    /// One of these words, without a default.
    Choice(&'static [&'static str]),
    /// A JSON object.
    Object,
    /// A list of files, each with a path and a content.
    Files,
    /// An integer.
    Integer {
        /// The minimum.
        minimum: u64,
        /// The maximum.
        maximum: u64,
        /// The value that is used if the argument is absent.
        default: Option<u64>,
    },
    /// A boolean, which is false if absent.
    Flag,
    /// The digest of a file, as a reply shows it.
    Digest,
    /// A list of texts.
    Texts,
    /// A list of some of these words.
    Choices(&'static [&'static str]),
    /// A time with its zone, in RFC 3339 format.
    Time,
    /// A time, or null for no time at all.
    TimeOrNull,
}

/// The reason why an argument is not valid for its tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// The tool has no such argument.
    #[error("an argument is unknown")]
    Unknown {
        /// The arguments that the tool has.
        known: Vec<&'static str>,
    },
    /// A required argument is missing.
    #[error("`{name}` is missing")]
    Missing {
        /// The argument.
        name: &'static str,
        /// The values that it takes.
        takes: &'static str,
    },
    /// A text does not have the form that the argument takes.
    #[error("`{name}` is malformed")]
    Malformed {
        /// The argument.
        name: &'static str,
        /// The values that it takes.
        takes: &'static str,
    },
    /// Exactly one of several arguments must be given.
    #[error("one of several arguments must be given")]
    ExactlyOneOf {
        /// The arguments.
        names: &'static [&'static str],
    },
    /// At least one of several arguments must be given.
    #[error("none of several arguments is given")]
    AtLeastOneOf {
        /// The arguments.
        names: &'static [&'static str],
    },
    /// A glob pattern is not valid.
    #[error("`{name}` is not a pattern: {error}")]
    Pattern {
        /// The argument.
        name: &'static str,
        /// The reason.
        error: PatternError,
    },
    /// The value is not one that the argument takes.
    #[error("`{name}` is wrong")]
    Wrong {
        /// The argument.
        name: &'static str,
        /// The kind of value that it takes.
        kind: ParameterKind,
    },
}

impl Parameter {
    /// Returns the JSON Schema of the parameter.
    pub(super) fn schema(&self) -> Value {
        let mut schema = self.schema_with_description();
        // A parameter whose name says everything has no description.
        if let Some(schema) = schema.as_object_mut().filter(|_| self.about.is_empty()) {
            schema.remove("description");
        }
        schema
    }

    fn schema_with_description(&self) -> Value {
        match self.kind {
            // The form of a digest is said in the refusal of another one.
            ParameterKind::Text | ParameterKind::Digest => {
                json!({ "type": "string", "description": self.about })
            }
            ParameterKind::ChoiceWithDefault(words) => {
                json!({ "enum": words, "default": words.first(), "description": self.about })
            }
            ParameterKind::Choice(words) => json!({ "enum": words, "description": self.about }),
            ParameterKind::Object => json!({ "type": "object", "description": self.about }),
            ParameterKind::Files => json!({
                "type": "array", "description": self.about, "items": {
                    "type": "object", "required": ["path", "content"],
                    "properties": { "path": { "type": "string" }, "content": { "type": "string" } }
                }
            }),
            ParameterKind::Integer { minimum, maximum, default: Some(default) } => {
                json!({
                    "type": "integer", "minimum": minimum, "maximum": maximum, "default": default,
                    "description": self.about
                })
            }
            ParameterKind::Integer { minimum, maximum, default: None } => json!({
                "type": "integer", "minimum": minimum, "maximum": maximum, "description": self.about
            }),
            ParameterKind::Flag => json!({ "type": "boolean", "description": self.about }),
            ParameterKind::Texts => json!({
                "type": "array", "items": { "type": "string" }, "description": self.about
            }),
            ParameterKind::Choices(words) => json!({
                "type": "array", "items": { "enum": words }, "description": self.about
            }),
            ParameterKind::Time => json!({
                "type": "string", "format": "date-time", "description": self.about
            }),
            ParameterKind::TimeOrNull => json!({
                "anyOf": [{ "type": "string" }, { "type": "null" }], "description": self.about
            }),
        }
    }
}

/// The arguments of one call, all of which the tool knows.
pub(super) struct Arguments<'a> {
    tool: &'static Tool,
    map: &'a Map<String, Value>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(tool: &'static Tool, map: &'a Map<String, Value>) -> Result<Self, CallError> {
        let known = || tool.parameters.iter().map(|parameter| parameter.name);
        if map.keys().all(|key| key == RUN.name || known().any(|name| name == key)) {
            return Ok(Self { tool, map });
        }
        let error = ArgumentError::Unknown { known: known().collect() };
        Err(CallError::Argument { tool: tool.name, error })
    }

    pub(super) fn tool_name(&self) -> &'static str {
        self.tool.name
    }

    /// Returns a text, or `None` if it is absent or null.
    pub(super) fn text(&self, name: &'static str) -> Result<Option<&'a str>, CallError> {
        match self.non_null(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong_value_error(name)),
        }
    }

    /// Returns one of the parameter's words, or the first of them if the argument is absent.
    pub(super) fn choice_or_default(&self, name: &'static str) -> Result<&'static str, CallError> {
        let Some(ParameterKind::ChoiceWithDefault(words)) = self.kind(name) else {
            return Err(self.wrong_value_error(name));
        };
        let choice = match self.text(name)? {
            None => words.first(),
            Some(text) => words.iter().find(|word| **word == text),
        };
        choice.copied().ok_or_else(|| self.wrong_value_error(name))
    }

    /// Returns one of the parameter's words, or `None` if the argument is absent.
    pub(super) fn choice(&self, name: &'static str) -> Result<Option<&'static str>, CallError> {
        let Some(ParameterKind::Choice(words)) = self.kind(name) else {
            return Err(self.wrong_value_error(name));
        };
        let Some(text) = self.text(name)? else { return Ok(None) };
        let choice = words.iter().find(|word| **word == text);
        choice.copied().map(Some).ok_or_else(|| self.wrong_value_error(name))
    }

    /// Returns a JSON object, which is empty if the argument is absent.
    pub(super) fn object(&self, name: &'static str) -> Result<Map<String, Value>, CallError> {
        match self.non_null(name) {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map.clone()),
            Some(_) => Err(self.wrong_value_error(name)),
        }
    }

    /// Returns files, each with a path and a content, or none if the argument is absent.
    pub(super) fn files(&self, name: &'static str) -> Result<Vec<(RelPath, String)>, CallError> {
        let list = match self.non_null(name) {
            None => return Ok(Vec::new()),
            Some(value) => value.as_array().ok_or_else(|| self.wrong_value_error(name))?,
        };
        let files = list.iter().map(|file| {
            let file = file.as_object().filter(|file| file.len() == 2)?;
            let path = file.get("path")?.as_str()?.parse::<RelPath>().ok();
            Some((path.filter(|path| !path.is_root())?, file.get("content")?.as_str()?.to_owned()))
        });
        files.collect::<Option<_>>().ok_or_else(|| self.wrong_value_error(name))
    }

    /// Parses a text, if one is given.
    pub(super) fn parse<T: FromStr>(&self, name: &'static str) -> Result<Option<T>, CallError> {
        self.text(name)?.map(str::parse).transpose().map_err(|_| self.wrong_value_error(name))
    }

    /// Returns an integer within the parameter's bounds, or its default.
    pub(super) fn integer(&self, name: &'static str) -> Result<Option<u64>, CallError> {
        let Some(ParameterKind::Integer { minimum, maximum, default }) = self.kind(name) else {
            return Err(self.wrong_value_error(name));
        };
        let Some(value) = self.non_null(name) else { return Ok(default) };
        let number = parse_integer(value).filter(|number| (minimum..=maximum).contains(number));
        number.map(Some).ok_or_else(|| self.wrong_value_error(name))
    }

    /// Like [`Self::integer`], for a count.
    pub(super) fn count(&self, name: &'static str) -> Result<usize, CallError> {
        let number = self.integer(name)?.unwrap_or_default();
        usize::try_from(number).map_err(|_| self.wrong_value_error(name))
    }

    /// Returns a text that must be given.
    pub(super) fn required_text(&self, name: &'static str) -> Result<&'a str, CallError> {
        self.text(name)?.ok_or_else(|| self.missing_error(name, "a string"))
    }

    /// Returns a boolean.
    pub(super) fn flag(&self, name: &'static str) -> Result<bool, CallError> {
        match self.non_null(name) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| self.wrong_value_error(name)),
        }
    }

    /// Returns the digest of a file, if one is given.
    pub(super) fn digest(&self, name: &'static str) -> Result<Option<ShownDigest>, CallError> {
        self.parse(name)
    }

    /// Returns a list of texts, if one is given.
    pub(super) fn texts(&self, name: &'static str) -> Result<Option<Vec<String>>, CallError> {
        let Some(value) = self.non_null(name) else { return Ok(None) };
        let list = value.as_array().ok_or_else(|| self.wrong_value_error(name))?;
        let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
        texts.collect::<Option<_>>().map(Some).ok_or_else(|| self.wrong_value_error(name))
    }

    /// Returns a time, if one is given. If the parameter takes null, null means that there is none.
    pub(super) fn time(&self, name: &'static str) -> Result<Option<MemoryExpiry>, CallError> {
        match self.map.get(name) {
            Some(Value::Null) if self.kind(name) == Some(ParameterKind::TimeOrNull) => {
                Ok(Some(MemoryExpiry::Never))
            }
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                let time = parse_rfc3339(text).ok_or_else(|| self.wrong_value_error(name))?;
                Ok(Some(MemoryExpiry::At(time)))
            }
            Some(_) => Err(self.wrong_value_error(name)),
        }
    }

    /// Makes the error that none of several arguments is given.
    pub(super) fn none_of_error(&self, names: &'static [&'static str]) -> CallError {
        CallError::Argument { tool: self.tool.name, error: ArgumentError::AtLeastOneOf { names } }
    }

    /// Returns a path that must be given.
    pub(super) fn path(&self, name: &'static str) -> Result<Spoken, CallError> {
        match self.text(name)? {
            Some(_) => self.path_or_home(name),
            None => Err(self.missing_error(name, "an address or a path from the home root")),
        }
    }

    /// Returns a path, or the home root if the argument is absent.
    pub(super) fn path_or_home(&self, name: &'static str) -> Result<Spoken, CallError> {
        let path = self.text(name)?.unwrap_or_default().parse();
        path.map_err(|_| CallError::Path { tool: self.tool.name })
    }

    /// Returns a glob pattern, if one is given.
    pub(super) fn pattern(&self, name: &'static str) -> Result<Option<Pattern>, CallError> {
        self.text(name)?.map(str::parse).transpose().map_err(|error| {
            let error = ArgumentError::Pattern { name, error };
            CallError::Argument { tool: self.tool.name, error }
        })
    }

    /// Returns the cursor of the next page, if one is given.
    pub(super) fn cursor(&self) -> Result<Option<Cursor>, CallError> {
        let cursor = self.text("cursor")?.map(str::parse).transpose();
        cursor.map_err(|_| CallError::Cursor { tool: self.tool.name })
    }

    /// Makes the error that an argument is missing, with what it takes.
    pub(super) fn missing_error(&self, name: &'static str, takes: &'static str) -> CallError {
        let error = ArgumentError::Missing { name, takes };
        CallError::Argument { tool: self.tool.name, error }
    }

    /// Makes the error that a text does not have the form that the argument takes.
    pub(super) fn malformed_error(&self, name: &'static str, takes: &'static str) -> CallError {
        let error = ArgumentError::Malformed { name, takes };
        CallError::Argument { tool: self.tool.name, error }
    }

    fn non_null(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    fn kind(&self, name: &str) -> Option<ParameterKind> {
        self.tool.parameters.iter().find(|p| p.name == name).map(|p| p.kind)
    }

    /// Makes the error that a value is not one that the argument takes.
    pub(super) fn wrong_value_error(&self, name: &'static str) -> CallError {
        let kind = self.kind(name).unwrap_or(ParameterKind::Text);
        CallError::Argument { tool: self.tool.name, error: ArgumentError::Wrong { name, kind } }
    }
}

/// Parses an integer as JSON Schema defines it: `3.0` is one.
fn parse_integer(value: &Value) -> Option<u64> {
    let text = value.as_number()?.to_string();
    text.strip_suffix(".0").unwrap_or(&text).parse().ok()
}
