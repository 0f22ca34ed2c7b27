//! The program that a chain runs in the end, with its arguments; never a shell.
//!
//! It is built only from a filled configuration, after every tool of the chain that has a
//! `config_schema` has accepted that configuration, the primitive first.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::fault::join_problems;
use super::{ChainTool, FilledConfig};
use crate::item::ItemId;
use crate::schema::{Problem, Schema, SchemaError};

/// A program to run. Its `Debug` does not print the arguments, because they may contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Subprocess {
    /// The program and its arguments; the program is always there.
    pub argv: Vec<String>,
    /// The standard input of the program.
    pub stdin: Stdin,
    /// How long the program may run.
    pub timeout: Duration,
}

/// The standard input of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// The parameters, as one JSON object.
    Json,
    /// Nothing.
    None,
}

/// The reason why a filled configuration cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubprocessFault {
    /// The `config_schema` of a tool is invalid.
    #[error("`config_schema` of `{link}` cannot be used: {error}")]
    InvalidSchema {
        /// The tool.
        link: ItemId,
        /// What is wrong with the schema.
        error: SchemaError,
    },
    /// The `config_schema` of a tool refuses the configuration.
    #[error("`config_schema` of `{link}` refuses the config: {}", join_problems(.problems))]
    SchemaMismatch {
        /// The tool.
        link: ItemId,
        /// What is wrong with the configuration.
        problems: Vec<Problem>,
    },
    /// A field that is needed to run a program is missing or malformed.
    #[error("`{field}` is not {expected}")]
    InvalidField {
        /// The field.
        field: &'static str,
        /// A description of the expected value.
        expected: &'static str,
    },
}

impl FilledConfig<'_> {
    /// Returns the program to run, if every tool of the chain accepts the configuration.
    pub fn subprocess(&self) -> Result<Subprocess, SubprocessFault> {
        let config = Value::Object(self.value.clone());
        for member in self.chain.tools().iter().rev() {
            check_config(member, &config)?;
        }
        let mut argv = parse_texts(&config["command"], "config.command")?;
        argv.extend(parse_texts(&config["args"], "config.args")?);
        let stdin = match config["stdin"].as_str() {
            Some("json") => Ok(Stdin::Json),
            Some("none") => Ok(Stdin::None),
            _ => Err(SubprocessFault::InvalidField {
                field: "config.stdin",
                expected: "json or none",
            }),
        };
        Ok(Subprocess { argv, stdin: stdin?, timeout: parse_timeout(&config["timeout_s"])? })
    }
}

fn check_config(member: &ChainTool, config: &Value) -> Result<(), SubprocessFault> {
    let Some(schema) = member.manifest.get("config_schema") else { return Ok(()) };
    let link = || member.pin.id.clone();
    let schema = Schema::compile(schema)
        .map_err(|error| SubprocessFault::InvalidSchema { link: link(), error })?;
    match schema.problems(config) {
        problems if problems.is_empty() => Ok(()),
        problems => Err(SubprocessFault::SchemaMismatch { link: link(), problems }),
    }
}

fn parse_texts(value: &Value, field: &'static str) -> Result<Vec<String>, SubprocessFault> {
    let texts = value.as_array().and_then(|items| {
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    texts.ok_or(SubprocessFault::InvalidField { field, expected: "a list of strings" })
}

/// Parses the timeout. A number so small that it rounds to zero is refused as well.
fn parse_timeout(value: &Value) -> Result<Duration, SubprocessFault> {
    let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.filter(|time| !time.is_zero());
    let expected = "a number of seconds greater than 0";
    seconds.ok_or(SubprocessFault::InvalidField { field: "config.timeout_s", expected })
}

impl fmt::Debug for Subprocess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subprocess")
            .field("arguments", &self.argv.len())
            .field("stdin", &self.stdin)
            .field("timeout", &self.timeout)
            .finish()
    }
}
