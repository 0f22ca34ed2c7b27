//! The keywords that hold schemas, and the values to which those schemas are applied.
//!
//! The expansion of a schema and the work of a check are both derived from this one table.

use serde_json::{Map, Value};

/// The values to which a schema is applied, seen from the schema that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AppliesTo {
    /// The same value.
    SameValue,
    /// Values inside it.
    InnerValues,
    /// No value, unless a reference leads there.
    Nothing,
}

/// The way in which a keyword holds schemas.
#[derive(Clone, Copy)]
enum KeywordShape {
    One,
    List,
    Map,
}

/// A schema inside another.
#[derive(Clone, Copy)]
pub(super) struct Subschema<'a> {
    /// The keyword that holds it.
    pub(super) keyword: &'static str,
    /// Its name or its index, if the keyword holds several.
    pub(super) key: SubschemaKey<'a>,
    /// The values to which it is applied.
    pub(super) applies_to: AppliesTo,
    /// The schema.
    pub(super) schema: &'a Value,
}

/// The position of a schema among those of a keyword.
#[derive(Clone, Copy)]
pub(super) enum SubschemaKey<'a> {
    Only,
    Index(usize),
    Name(&'a str),
}

/// The keywords that refer to a schema elsewhere.
const REFERENCE_KEYWORDS: [&str; 2] = ["$ref", "$dynamicRef"];

const SUBSCHEMA_KEYWORDS: [(&str, KeywordShape, AppliesTo); 21] = [
    ("allOf", KeywordShape::List, AppliesTo::SameValue),
    ("anyOf", KeywordShape::List, AppliesTo::SameValue),
    ("oneOf", KeywordShape::List, AppliesTo::SameValue),
    ("not", KeywordShape::One, AppliesTo::SameValue),
    ("if", KeywordShape::One, AppliesTo::SameValue),
    ("then", KeywordShape::One, AppliesTo::SameValue),
    ("else", KeywordShape::One, AppliesTo::SameValue),
    ("dependentSchemas", KeywordShape::Map, AppliesTo::SameValue),
    ("dependencies", KeywordShape::Map, AppliesTo::SameValue),
    ("properties", KeywordShape::Map, AppliesTo::InnerValues),
    ("patternProperties", KeywordShape::Map, AppliesTo::InnerValues),
    ("additionalProperties", KeywordShape::One, AppliesTo::InnerValues),
    ("unevaluatedProperties", KeywordShape::One, AppliesTo::InnerValues),
    ("propertyNames", KeywordShape::One, AppliesTo::InnerValues),
    ("prefixItems", KeywordShape::List, AppliesTo::InnerValues),
    ("items", KeywordShape::One, AppliesTo::InnerValues),
    ("contains", KeywordShape::One, AppliesTo::InnerValues),
    ("unevaluatedItems", KeywordShape::One, AppliesTo::InnerValues),
    ("contentSchema", KeywordShape::One, AppliesTo::Nothing),
    ("$defs", KeywordShape::Map, AppliesTo::Nothing),
    ("definitions", KeywordShape::Map, AppliesTo::Nothing),
];

/// Checks whether a value can be a schema.
pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// Returns the schemas directly inside a schema. Malformed ones are left to the library.
pub(super) fn subschemas(schema: &Map<String, Value>) -> Vec<Subschema<'_>> {
    let mut parts = Vec::new();
    for (keyword, shape, place) in SUBSCHEMA_KEYWORDS {
        let Some(value) = schema.get(keyword) else { continue };
        match (shape, value) {
            (KeywordShape::One, schema) => parts.push(Subschema {
                keyword,
                key: SubschemaKey::Only,
                applies_to: place,
                schema,
            }),
            (KeywordShape::List, Value::Array(list)) => {
                let list = list.iter().enumerate();
                parts.extend(list.map(|(index, schema)| Subschema {
                    keyword,
                    key: SubschemaKey::Index(index),
                    applies_to: place,
                    schema,
                }));
            }
            (KeywordShape::Map, Value::Object(map)) => {
                parts.extend(map.iter().map(|(name, schema)| Subschema {
                    keyword,
                    key: SubschemaKey::Name(name),
                    applies_to: place,
                    schema,
                }));
            }
            (KeywordShape::List | KeywordShape::Map, _) => {}
        }
    }
    parts.retain(|part| is_schema(part.schema));
    parts
}

/// Returns the references that a schema makes.
pub(super) fn references(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    REFERENCE_KEYWORDS.into_iter().filter_map(|keyword| schema.get(keyword)?.as_str())
}
