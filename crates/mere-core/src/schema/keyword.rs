//! The keywords that hold schemas, and where what they hold is applied.
//!
//! The graph of a schema and the work of a check are both read from this one table.

use serde_json::{Map, Value};

/// Where a schema is applied, seen from the schema that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// To the same value.
    Here,
    /// To values inside it.
    Below,
    /// Nowhere, unless a reference leads there.
    Apart,
}

/// How a keyword holds schemas.
#[derive(Clone, Copy)]
enum Shape {
    One,
    List,
    Map,
}

/// A schema inside another.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// The keyword that holds it.
    pub(super) keyword: &'static str,
    /// Its name or its place in the list, where the keyword holds several.
    pub(super) key: Key<'a>,
    /// Where it is applied.
    pub(super) place: Place,
    /// The schema.
    pub(super) schema: &'a Value,
}

/// Which of a keyword's schemas.
#[derive(Clone, Copy)]
pub(super) enum Key<'a> {
    Only,
    Index(usize),
    Name(&'a str),
}

/// The keywords that name a schema elsewhere.
const REFERENCES: [&str; 2] = ["$ref", "$dynamicRef"];

const KEYWORDS: [(&str, Shape, Place); 21] = [
    ("allOf", Shape::List, Place::Here),
    ("anyOf", Shape::List, Place::Here),
    ("oneOf", Shape::List, Place::Here),
    ("not", Shape::One, Place::Here),
    ("if", Shape::One, Place::Here),
    ("then", Shape::One, Place::Here),
    ("else", Shape::One, Place::Here),
    ("dependentSchemas", Shape::Map, Place::Here),
    ("dependencies", Shape::Map, Place::Here),
    ("properties", Shape::Map, Place::Below),
    ("patternProperties", Shape::Map, Place::Below),
    ("additionalProperties", Shape::One, Place::Below),
    ("unevaluatedProperties", Shape::One, Place::Below),
    ("propertyNames", Shape::One, Place::Below),
    ("prefixItems", Shape::List, Place::Below),
    ("items", Shape::One, Place::Below),
    ("contains", Shape::One, Place::Below),
    ("unevaluatedItems", Shape::One, Place::Below),
    ("contentSchema", Shape::One, Place::Apart),
    ("$defs", Shape::Map, Place::Apart),
    ("definitions", Shape::Map, Place::Apart),
];

/// Whether a value can be a schema.
pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// The schemas inside a schema, one level down. What is malformed is left to the library.
pub(super) fn parts(schema: &Map<String, Value>) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for (keyword, shape, place) in KEYWORDS {
        let Some(value) = schema.get(keyword) else { continue };
        match (shape, value) {
            (Shape::One, schema) => parts.push(Part { keyword, key: Key::Only, place, schema }),
            (Shape::List, Value::Array(list)) => {
                let list = list.iter().enumerate();
                parts.extend(list.map(|(index, schema)| Part {
                    keyword,
                    key: Key::Index(index),
                    place,
                    schema,
                }));
            }
            (Shape::Map, Value::Object(map)) => {
                parts.extend(map.iter().map(|(name, schema)| Part {
                    keyword,
                    key: Key::Name(name),
                    place,
                    schema,
                }));
            }
            (Shape::List | Shape::Map, _) => {}
        }
    }
    parts.retain(|part| is_schema(part.schema));
    parts
}

/// The references a schema makes.
pub(super) fn references(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    REFERENCES.into_iter().filter_map(|keyword| schema.get(keyword)?.as_str())
}
