//! What a chain does in the end, by its primitive.
//!
//! It is built only from a filled configuration, after every tool of the chain that has a
//! `config_schema` has accepted that configuration, the primitive first.

use std::time::Duration;

use serde_json::Value;

use super::fault::join_problems;
use super::{ChainTool, FilledConfig, HttpRequest, McpCall, Subprocess};
use crate::item::ItemId;
use crate::network::HttpUrlFault;
use crate::schema::{Problem, Schema, SchemaError};

/// The primitive that speaks to another MCP server.
pub(super) const MCP_CLIENT: &str = "mcp_client";

/// What a chain does in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolAction {
    /// It runs a program.
    Subprocess(Subprocess),
    /// It sends a request.
    Http(Box<HttpRequest>),
    /// It speaks to another MCP server.
    Mcp(Box<McpCall>),
}

/// The reason why a filled configuration cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrimitiveFault {
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
    /// A field that is needed is missing or malformed.
    #[error("`{field}` is not {expected}")]
    InvalidField {
        /// The field.
        field: &'static str,
        /// A description of the expected value.
        expected: &'static str,
    },
    /// The URL of a request cannot be used.
    #[error("`config.url` cannot be used: {0}")]
    Url(HttpUrlFault),
}

impl FilledConfig<'_> {
    /// Returns what to do, if every tool of the chain accepts the configuration.
    pub fn action(&self) -> Result<ToolAction, PrimitiveFault> {
        let config = Value::Object(self.value.clone());
        for member in self.chain.tools().iter().rev() {
            check_config(member, &config)?;
        }
        Ok(match self.chain.primitive().pin.id.as_str() {
            "http_client" => ToolAction::Http(Box::new(HttpRequest::from_config(&config)?)),
            MCP_CLIENT => ToolAction::Mcp(Box::new(McpCall::from_config(&config)?)),
            _ => ToolAction::Subprocess(Subprocess::from_config(&config)?),
        })
    }
}

fn check_config(member: &ChainTool, config: &Value) -> Result<(), PrimitiveFault> {
    let Some(schema) = member.manifest.get("config_schema") else { return Ok(()) };
    let link = || member.pin.id.clone();
    let schema = Schema::compile_once(schema)
        .map_err(|error| PrimitiveFault::InvalidSchema { link: link(), error })?;
    match schema.problems(config) {
        problems if problems.is_empty() => Ok(()),
        problems => Err(PrimitiveFault::SchemaMismatch { link: link(), problems }),
    }
}

/// Parses the timeout. A number so small that it rounds to zero is refused as well.
pub(super) fn parse_timeout(value: &Value) -> Result<Duration, PrimitiveFault> {
    let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let seconds = seconds.filter(|time| !time.is_zero());
    let expected = "a number of seconds greater than 0";
    seconds.ok_or(PrimitiveFault::InvalidField { field: "config.timeout_s", expected })
}
