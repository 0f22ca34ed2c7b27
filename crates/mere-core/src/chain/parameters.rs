//! A tool's parameters, turned into the one JSON Schema that calls are checked against.
//!
//! Authors write a JSON Schema or a list of names. Anything else is refused, because a value that
//! was mistaken for a schema would accept every call.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::schema::{InputSpec, input_schema};
use crate::text::json;

const LISTED_KEYS: [&str; 6] = ["name", "type", "required", "description", "default", "enum"];

/// The reason why a manifest does not define its parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParametersFault {
    /// The parameters are defined twice.
    #[error("`input_schema` and `parameters` are both given; use only one of them")]
    DuplicateSchema,
    /// A part of the definition is malformed.
    #[error("`{field}` is not {expected}")]
    Malformed {
        /// The field.
        field: String,
        /// A description of the expected value.
        expected: &'static str,
    },
    /// Two parameters have the same name.
    #[error("`{field}` is already the name of another parameter")]
    DuplicateName {
        /// The field.
        field: String,
    },
}

/// Returns the schema of a tool's parameters. A tool that defines none accepts none.
pub fn tool_input_schema(manifest: &Map<String, Value>) -> Result<Value, ParametersFault> {
    match (manifest.get("input_schema"), manifest.get("parameters")) {
        (Some(_), Some(_)) => Err(ParametersFault::DuplicateSchema),
        (Some(schema), None) if schema.is_object() => Ok(schema.clone()),
        (Some(_), None) => Err(malformed("input_schema", "a JSON Schema that is an object")),
        (None, Some(Value::Array(list))) => schema_from_list(list),
        (None, Some(schema)) if is_schema(schema) => Ok(schema.clone()),
        (None, Some(_)) => {
            let expected = "a list, or a JSON Schema with `type: object` or `properties`";
            Err(malformed("parameters", expected))
        }
        (None, None) => Ok(input_schema(None, &[])),
    }
}

/// Adds the default of every missing parameter that has one at the top level of the schema.
pub fn with_defaults(schema: &Value, mut parameters: Map<String, Value>) -> Map<String, Value> {
    for (name, property) in
        schema.get("properties").and_then(Value::as_object).into_iter().flatten()
    {
        if let Some(default) = property.get("default")
            && !parameters.contains_key(name)
        {
            parameters.insert(name.clone(), default.clone());
        }
    }
    parameters
}

/// Reports whether a mapping is a schema, and not parameters by their names.
fn is_schema(value: &Value) -> bool {
    value.get("type").is_some_and(|kind| kind == "object")
        || value.get("properties").is_some_and(Value::is_object)
}

/// Builds the schema for a list of parameters.
fn schema_from_list(list: &[Value]) -> Result<Value, ParametersFault> {
    let mut names = BTreeSet::new();
    let mut specs = Vec::with_capacity(list.len());
    for (index, entry) in list.iter().enumerate() {
        let spec = parse_parameter(entry, &format!("parameters[{index}]"))?;
        if !names.insert(spec.name) {
            return Err(ParametersFault::DuplicateName {
                field: format!("parameters[{index}].name"),
            });
        }
        specs.push(spec);
    }
    let mut schema = input_schema(None, &specs);
    for (entry, spec) in list.iter().zip(specs) {
        for key in ["default", "enum"] {
            if let Some(value) = entry.get(key) {
                schema["properties"][spec.name][key] = value.clone();
            }
        }
    }
    Ok(schema)
}

fn parse_parameter<'a>(entry: &'a Value, field: &str) -> Result<InputSpec<'a>, ParametersFault> {
    let is_known = |key: &String| LISTED_KEYS.contains(&key.as_str());
    let map = entry.as_object().filter(|map| map.keys().all(is_known));
    let expected = "a mapping of name, type, required, description, default and enum";
    let map = map.ok_or_else(|| malformed(field, expected))?;
    let below = |key| format!("{field}.{key}");
    let text = |key| match map.get(key) {
        None => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| malformed(&below(key), "a text")),
    };
    let name = text("name")?.filter(|name| !name.is_empty());
    let required = match map.get("required") {
        None => false,
        Some(value) => {
            value.as_bool().ok_or_else(|| malformed(&below("required"), "true or false"))?
        }
    };
    if map.get("enum").is_some_and(|options| options.as_array().is_none_or(Vec::is_empty)) {
        return Err(malformed(&below("enum"), "a list of values"));
    }
    Ok(InputSpec {
        name: name.ok_or_else(|| malformed(&below("name"), "a name"))?,
        kind: text("type")?,
        required,
        about: text("description")?.unwrap_or_default(),
        schema: None,
    })
}

fn malformed(field: &str, expected: &'static str) -> ParametersFault {
    ParametersFault::Malformed { field: field.to_owned(), expected }
}

/// Adds parameters that a person typed. A value is parsed as JSON if the schema does not call it a
/// string and it is valid JSON. Of two with the same name, the last counts.
pub fn with_text_values(
    schema: &Value,
    mut parameters: Map<String, Value>,
    texts: &[(String, String)],
) -> Map<String, Value> {
    for (name, text) in texts {
        let kind = schema.get("properties").and_then(|all| all.get(name)?.get("type"));
        let is_text = match kind {
            Some(Value::String(kind)) => kind == "string",
            Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
            _ => false,
        };
        let read = if is_text { None } else { json::parse(text.as_bytes()).ok() };
        parameters.insert(name.clone(), read.unwrap_or_else(|| Value::String(text.clone())));
    }
    parameters
}
