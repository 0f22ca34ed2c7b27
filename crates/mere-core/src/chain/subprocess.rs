//! The program that a chain runs in the end, with its arguments; never a shell.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use super::PrimitiveFault;
use super::primitive::parse_timeout;

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

impl Subprocess {
    /// Reads the program from a configuration that every tool of the chain has accepted.
    pub(super) fn from_config(config: &Value) -> Result<Self, PrimitiveFault> {
        let mut argv = parse_texts(&config["command"], "config.command")?;
        argv.extend(parse_texts(&config["args"], "config.args")?);
        let stdin = match config["stdin"].as_str() {
            Some("json") => Ok(Stdin::Json),
            Some("none") => Ok(Stdin::None),
            _ => Err(PrimitiveFault::InvalidField {
                field: "config.stdin",
                expected: "json or none",
            }),
        };
        Ok(Self { argv, stdin: stdin?, timeout: parse_timeout(&config["timeout_s"])? })
    }
}

pub(super) fn parse_texts(
    value: &Value,
    field: &'static str,
) -> Result<Vec<String>, PrimitiveFault> {
    let texts = value.as_array().and_then(|items| {
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    texts.ok_or(PrimitiveFault::InvalidField { field, expected: "a list of strings" })
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
