//! Writes the manifests of a server and of its tools.
//!
//! What a server says about its tools is put where it is only ever shown or checked: nothing of it
//! is filled in as a template, and nothing of it chooses what is run.

use serde_json::{Map, Value, json};

use super::{PinnedPart, RemoteTool, ToolPins};
use crate::chain::is_variable_for_secret;
use crate::item::bounds::DESCRIPTION;
use crate::item::{ItemId, ScopedPath, SecretName, ToolPermissions, Version, write_manifest};

/// Where a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpServerAddress {
    /// A program that is run in the sandbox.
    Command(Vec<String>),
    /// A URL, with the headers of every request.
    Url {
        /// The URL.
        url: String,
        /// The headers, in which `${NAME}` stands for a secret.
        headers: Vec<(String, String)>,
    },
}

/// Writes the manifest of a server.
pub fn server_manifest(
    place: &ScopedPath,
    server: &McpServerAddress,
    permissions: &ToolPermissions,
) -> String {
    let (executor, config) = match server {
        McpServerAddress::Command(command) => ("mcp_stdio", json!({ "command": command })),
        McpServerAddress::Url { url, headers } if headers.is_empty() => {
            ("mcp_http", json!({ "url": url }))
        }
        McpServerAddress::Url { url, headers } => {
            let headers = headers.iter().map(|(name, value)| (name.clone(), value.clone().into()));
            let headers = Value::Object(headers.collect());
            ("mcp_http", json!({ "url": url, "headers": headers }))
        }
    };
    let mut manifest = header(place, "mcp_server", executor);
    let mut insert = |key: &str, value: Value| drop(manifest.insert(key.to_owned(), value));
    insert("description", "Another MCP server. Running it lists its tools.".into());
    insert("config", config);
    if executor == "mcp_http" && !permissions.secrets.is_empty() {
        insert("env_config", secret_variables(&permissions.secrets));
    }
    if !permissions.is_empty() {
        insert("permissions", permissions.to_json());
    }
    let own = json!({
        "type": "object", "required": ["tool", "pinned"], "maxProperties": 2,
    });
    let schema =
        json!({ "type": "object", "required": ["config"], "properties": { "config": own } });
    let children = json!([{ "match": { "tool_type": "mcp_tool" }, "schema": schema }]);
    insert("validation", json!({ "child_schemas": children }));
    write_manifest(&manifest)
}

/// Writes the manifest of a tool of a server.
pub fn tool_manifest(
    place: &ScopedPath,
    server: &ItemId,
    tool: &RemoteTool,
    version: &Version,
) -> String {
    let mut manifest = header(place, "mcp_tool", server.as_str());
    manifest.insert("version".to_owned(), version.to_string().into());
    let mut insert = |key: &str, value: Value| drop(manifest.insert(key.to_owned(), value));
    let words = tool.words().chars().take(DESCRIPTION.most).collect::<String>();
    insert("description", words.into());
    insert("input_schema", own_schema(tool));
    let pins = ToolPins::of_tool(tool).to_json();
    insert("config", json!({ "tool": tool.name(), "pinned": pins }));
    write_manifest(&manifest)
}

/// Returns the variables by which headers name secrets.
fn secret_variables(secrets: &[SecretName]) -> Value {
    let named = secrets.iter().filter(|name| is_variable_for_secret(name));
    let variables = named.map(|name| (name.to_string(), json!({ "secret": name.as_str() })));
    Value::Object(variables.collect())
}

fn header(place: &ScopedPath, tool_type: &str, executor: &str) -> Map<String, Value> {
    let fields = [
        ("tool_id", place.id.as_str()),
        ("tool_type", tool_type),
        ("executor_id", executor),
        ("version", "1.0.0"),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect()
}

/// Returns the schema of a tool's arguments. It is read by the rules of the draft that is used
/// here, whatever draft it names; the server checks its arguments by its own rules anyway.
fn own_schema(tool: &RemoteTool) -> Value {
    let mut schema = tool.part(PinnedPart::InputSchema).cloned().unwrap_or_default();
    if let Some(schema) = schema.as_object_mut() {
        schema.shift_remove("$schema");
    }
    schema
}
