//! `<inputs>`: what a directive takes, described element by element, by a schema, or both.

use std::collections::HashSet;

use roxmltree::Node;
use serde_json::{Map, Value};

use super::Reader;
use super::part::{ContentRun, Part, content_runs};
use super::process::take_attribute;
use crate::item::fault::ItemFault;
use crate::item::xml::{self, XmlAttributes};
use crate::text::json::{self, StrictValue};
use crate::text::yaml;

/// The key below which the schema of a directive may stand.
const SCHEMA_KEY: &str = "input_schema";

/// One input of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveInput {
    /// Its name.
    pub name: String,
    /// Its type, as written.
    pub kind: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// A description of the input.
    pub about: String,
    /// Its JSON Schema, if the author wrote one.
    pub schema: Option<Value>,
    /// Its other attributes.
    pub attributes: XmlAttributes,
    /// Its whole content in order but for its schema, if it has elements.
    pub parts: Vec<Part>,
}

/// All that `<inputs>` says.
#[derive(Default)]
pub(super) struct DirectiveInputs {
    /// Each input, those that only the schema names last.
    pub(super) inputs: Vec<DirectiveInput>,
    /// The schema of all inputs together.
    pub(super) schema: Option<Value>,
    /// What stands between the inputs.
    pub(super) notes: Vec<Part>,
}

impl DirectiveInputs {
    /// Parses the whole of `<inputs>`.
    pub(super) fn parse(reader: &Reader<'_>, element: Node<'_, '_>) -> Result<Self, ItemFault> {
        let is_input = |node: &Node<'_, '_>| node.has_tag_name("input");
        let inputs = element.children().filter(is_input).map(|input| parse_input(reader, input));
        let mut inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        check_names(reader, element, &inputs)?;
        let notes = content_runs(element).into_iter().filter(|run| match run {
            ContentRun::Element(child) => !is_input(child),
            ContentRun::Text(_) => true,
        });
        let own = Part::attributes_only(element);
        let notes = own.into_iter().chain(notes.filter_map(part_without_schema)).collect();
        let schema = parse_schema(reader, element)?;
        let schema = schema.map(|(node, value)| unwrap_schema(reader, node, value)).transpose()?;
        inputs.extend(schema_inputs(schema.as_ref(), &inputs));
        Ok(Self { inputs, schema, notes })
    }
}

/// Refuses two inputs of one name: a value could be meant for either.
fn check_names(
    reader: &Reader<'_>,
    element: Node<'_, '_>,
    inputs: &[DirectiveInput],
) -> Result<(), ItemFault> {
    let mut names = HashSet::new();
    let nodes = element.children().filter(|node| node.has_tag_name("input"));
    let mut pairs = nodes.zip(inputs);
    match pairs.find(|(_, input)| !names.insert(input.name.as_str())) {
        Some((second, _)) => {
            let fix = "Rename one of them, or remove it.";
            Err(reader.fault(second, "two inputs have the same name", fix))
        }
        None => Ok(()),
    }
}

/// Converts a part of the content. A schema is kept as data, so only its attributes become a part.
fn part_without_schema(run: ContentRun<'_, '_>) -> Option<Part> {
    match run {
        ContentRun::Text(text) => Some(Part::Text(text)),
        ContentRun::Element(child) if child.has_tag_name("schema") => Part::attributes_only(child),
        ContentRun::Element(child) => Some(Part::element(child)),
    }
}

fn parse_input(reader: &Reader<'_>, input: Node<'_, '_>) -> Result<DirectiveInput, ItemFault> {
    let mut attributes = xml::attributes(input);
    let name = take_attribute(&mut attributes, "name").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| reader.fault(input, "an input has no name", "Add `name`."))?;
    let required = take_attribute(&mut attributes, "required");
    let parts = content_runs(input).into_iter().filter_map(part_without_schema);
    let parts = parts.collect::<Vec<_>>();
    let has_elements = parts.iter().any(|part| matches!(part, Part::Element(_)));
    Ok(DirectiveInput {
        name,
        kind: take_attribute(&mut attributes, "type"),
        required: parse_required(reader, input, required.as_deref())?,
        about: xml::strip_layout(&xml::raw_text(input)),
        schema: parse_schema(reader, input)?.map(|(_, value)| value),
        attributes,
        parts: if has_elements { parts } else { Vec::new() },
    })
}

/// Parses whether an input is required. A value that is neither true nor false is a fault, because
/// it must not pass for false.
fn parse_required(
    reader: &Reader<'_>,
    input: Node<'_, '_>,
    stated: Option<&str>,
) -> Result<bool, ItemFault> {
    match stated {
        Some("true") => Ok(true),
        None | Some("false") => Ok(false),
        Some(_) => {
            let fix = "Write `required=\"true\"` or `required=\"false\"`.";
            Err(reader.fault(input, "`required` is neither true nor false", fix))
        }
    }
}

/// Parses the `<schema>` child of an element, which is JSON or a YAML mapping.
fn parse_schema<'a, 'i>(
    reader: &Reader<'_>,
    element: Node<'a, 'i>,
) -> Result<Option<(Node<'a, 'i>, Value)>, ItemFault> {
    let mut schemas = element.children().filter(|node| node.has_tag_name("schema"));
    let Some(schema) = schemas.next() else { return Ok(None) };
    if let Some(second) = schemas.next() {
        return Err(reader.fault(second, "`<schema>` appears twice", "Keep one of them."));
    }
    if let Some(child) = schema.first_element_child() {
        let fix = "Write JSON or YAML, between `<![CDATA[` and `]]>` if it contains `<`.";
        return Err(reader.fault(child, "`<schema>` contains an element", fix));
    }
    let text = xml::raw_text(schema);
    let json = json::parse(text.trim().as_bytes());
    let fix = "Write one JSON Schema object, or the same as a YAML mapping.";
    let value = match json {
        Ok(value) => value,
        Err(_) if text.trim_start().starts_with(['{', '[', '"', '\u{feff}']) => {
            return Err(reader.fault(schema, "`<schema>` is not JSON", fix));
        }
        Err(_) => {
            let value = yaml::parse::<StrictValue>(&text).map(|value| value.0).ok();
            value.filter(Value::is_object).ok_or_else(|| {
                let what = "`<schema>` is not JSON and not one plain YAML mapping";
                reader.fault(schema, what, fix)
            })?
        }
    };
    Ok(Some((schema, value)))
}

/// Returns the schema itself where it stands below the key `input_schema`. Beside that key, only
/// the directive's own name and version may be repeated.
fn unwrap_schema(
    reader: &Reader<'_>,
    node: Node<'_, '_>,
    value: Value,
) -> Result<Value, ItemFault> {
    let Value::Object(mut map) = value else { return Ok(value) };
    let Some(schema) = map.shift_remove(SCHEMA_KEY) else { return Ok(Value::Object(map)) };
    let root = node.document().root_element();
    for (key, attribute) in [("directive", "name"), ("version", "version")] {
        let Some(stated) = map.shift_remove(key) else { continue };
        if stated.as_str() != root.attribute(attribute) {
            let what = "`<schema>` names another directive or version";
            return Err(reader.fault(node, what, "Correct it, or remove it from `<schema>`."));
        }
    }
    if map.is_empty() {
        return Ok(schema);
    }
    let fix = "Write the schema alone, or all of it below `input_schema`.";
    Err(reader.fault(node, "there are other keys beside `input_schema` in `<schema>`", fix))
}

/// Returns the inputs that a schema has and no `<input>` describes.
fn schema_inputs(schema: Option<&Value>, described: &[DirectiveInput]) -> Vec<DirectiveInput> {
    let required = schema.and_then(|schema| schema.get("required")?.as_array());
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let required = required.collect::<HashSet<_>>();
    let described = described.iter().map(|input| input.name.as_str()).collect::<HashSet<_>>();
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let properties = properties.into_iter().flat_map(Map::iter);
    let undescribed = properties.filter(|(name, _)| !described.contains(name.as_str()));
    undescribed
        .map(|(name, property)| DirectiveInput {
            name: name.clone(),
            kind: property.get("type").and_then(type_name),
            required: required.contains(name.as_str()),
            about: property
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            schema: None,
            attributes: Vec::new(),
            parts: Vec::new(),
        })
        .collect()
}

/// Returns the `type` of a JSON Schema as one text: its name, or several names with `|` between
/// them.
fn type_name(kind: &Value) -> Option<String> {
    match kind {
        Value::String(name) => Some(name.clone()),
        Value::Array(names) => {
            let names = names.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
            Some(names.join("|"))
        }
        _ => None,
    }
}
