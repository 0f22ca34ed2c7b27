//! Makes a small instance of a schema, to show to somebody whose own instance does not fit.
//!
//! It is a guess: required values are filled in, and the rest is left out. Patterns and conditions
//! are not solved, so the caller may want to check the example before showing it.

use serde_json::{Map, Number, Value, json};

const MAX_DEPTH: usize = 8;
/// The number of schemas that are visited; everything after that becomes `null`.
const MAX_STEPS: usize = 500;
/// The longest text that is made to satisfy a `minLength`.
const MAX_TEXT: u64 = 256;
/// The longest list that is made to satisfy a `minItems`.
const MAX_ITEMS: u64 = 8;

/// Makes a smallest plausible instance.
pub fn example(schema: &Value) -> Value {
    ExampleMaker { root: schema, steps_left: MAX_STEPS }.make(schema, MAX_DEPTH)
}

struct ExampleMaker<'a> {
    root: &'a Value,
    steps_left: usize,
}

impl ExampleMaker<'_> {
    fn make(&mut self, schema: &Value, depth: usize) -> Value {
        let mut merged = Map::new();
        self.merge(schema, &mut merged, depth);
        if self.steps_left == 0 || depth == 0 {
            return Value::Null;
        }
        if let Some(value) = author_value(&merged) {
            return value.clone();
        }
        match value_type(&merged) {
            "object" => self.make_object(&merged, depth),
            "array" => self.make_list(&merged, depth),
            "string" => json!(example_text(&merged)),
            "boolean" => json!(false),
            "integer" | "number" => example_number(&merged),
            _ => Value::Null,
        }
    }

    /// Collects the keywords of a schema, its references and its parts. The first value of a
    /// keyword wins, but `required` and `properties` are joined.
    fn merge(&mut self, schema: &Value, into: &mut Map<String, Value>, depth: usize) {
        let Some(map) = schema.as_object().filter(|_| self.steps_left > 0 && depth > 0) else {
            return;
        };
        self.steps_left -= 1;
        for (keyword, value) in map {
            match (into.get_mut(keyword), value) {
                (None, value) => {
                    into.insert(keyword.clone(), value.clone());
                }
                (Some(Value::Array(all)), Value::Array(more)) if keyword == "required" => {
                    all.extend(more.iter().cloned());
                }
                (Some(Value::Object(all)), Value::Object(more)) if keyword == "properties" => {
                    for (name, property) in more {
                        all.entry(name).or_insert_with(|| property.clone());
                    }
                }
                _ => {}
            }
        }
        let target = map.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
        if let Some(target) = target.and_then(|at| self.root.pointer(at)) {
            self.merge(&target.clone(), into, depth - 1);
        }
        let list = |keyword: &str| map.get(keyword).and_then(Value::as_array);
        for part in list("allOf").into_iter().flatten() {
            self.merge(part, into, depth - 1);
        }
        if let Some(first) = list("anyOf").or_else(|| list("oneOf")).and_then(|all| all.first()) {
            self.merge(first, into, depth - 1);
        }
    }

    fn make_object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let required = schema.get("required").and_then(Value::as_array);
        let mut object = Map::new();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let property = schema.get("properties").and_then(|all| all.get(name));
            let value = self.make(property.unwrap_or(&json!({"type": "string"})), depth - 1);
            object.insert(name.to_owned(), value);
        }
        Value::Object(object)
    }

    fn make_list(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let prefix = schema.get("prefixItems").and_then(Value::as_array);
        let mut items = prefix.into_iter().flatten();
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(MAX_ITEMS);
        let others = schema.get("items").cloned().unwrap_or_else(|| json!({"type": "string"}));
        (0..least).map(|_| self.make(items.next().unwrap_or(&others), depth - 1)).collect()
    }
}

/// Returns a value that the author gives in the schema.
fn author_value(schema: &Map<String, Value>) -> Option<&Value> {
    let first = |keyword: &str| schema.get(keyword)?.as_array()?.first();
    schema
        .get("default")
        .or_else(|| schema.get("const"))
        .or_else(|| first("enum"))
        .or_else(|| first("examples"))
}

/// Returns the type of the value: the one that is stated, or the one that the keywords imply.
fn value_type(schema: &Map<String, Value>) -> &str {
    let name = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None => None,
    };
    let about = |keywords: &[&str]| keywords.iter().any(|keyword| schema.contains_key(*keyword));
    name.unwrap_or_else(|| {
        if about(&["properties", "required"]) {
            "object"
        } else if about(&["items", "prefixItems", "minItems"]) {
            "array"
        } else if about(&["minimum", "maximum", "exclusiveMinimum", "multipleOf"]) {
            "number"
        } else {
            "string"
        }
    })
}

fn example_text(schema: &Map<String, Value>) -> String {
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("time") => "12:00:00Z",
        Some("email") => "someone@example.org",
        Some("uri" | "iri") => "https://example.org/",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        _ => "text",
    };
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    let least = bound("minLength").unwrap_or(0).min(MAX_TEXT);
    let most = bound("maxLength").unwrap_or(MAX_TEXT);
    let length = (text.len() as u64).max(least).min(most);
    let padded = text.chars().chain(std::iter::repeat('x'));
    padded.take(usize::try_from(length).unwrap_or_default()).collect()
}

fn example_number(schema: &Map<String, Value>) -> Value {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|least| least + 1.0));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|most| most - 1.0));
    let is_integer = value_type(schema) == "integer";
    let mut number = least.unwrap_or(1.0);
    if is_integer {
        number = number.ceil();
    }
    if let Some(most) = most.filter(|most| *most < number) {
        number = if is_integer { most.floor() } else { most };
    }
    if let Some(step) = bound("multipleOf").filter(|step| *step > 0.0) {
        number = (number / step).ceil() * step;
    }
    // Whole numbers are written without a fraction as long as a float represents them exactly.
    let whole = (number.fract() == 0.0 && number.abs() < 9e15).then(|| format!("{number:.0}"));
    match whole.and_then(|text| text.parse::<i64>().ok()) {
        Some(whole) => json!(whole),
        None => Number::from_f64(number).map_or(Value::Null, Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_small_and_fit() {
        for (schema, expected) in [
            (json!({"type": "object", "properties": {"a": {}}}), json!({})),
            (json!({"required": ["a"], "properties": {"a": {}}}), json!({"a": "text"})),
            (json!({"required": ["a"]}), json!({"a": "text"})),
            (json!({"default": 3, "enum": [4, 3]}), json!(3)),
            (json!({"const": 4, "enum": [5, 4]}), json!(4)),
            (json!({"enum": ["deep", "shallow"]}), json!("deep")),
            (json!({"type": "string", "examples": ["rust"]}), json!("rust")),
            (json!({"type": "string", "minLength": 6}), json!("textxx")),
            (json!({"type": "string", "maxLength": 2}), json!("te")),
            (json!({"type": "string", "format": "date"}), json!("2026-01-31")),
            (json!({"type": "integer", "minimum": 2.5}), json!(3)),
            (json!({"type": "integer", "exclusiveMinimum": 7}), json!(8)),
            (json!({"type": "integer", "maximum": -2}), json!(-2)),
            (json!({"type": "number", "minimum": 0.5}), json!(0.5)),
            (json!({"type": "integer", "minimum": 10, "multipleOf": 4}), json!(12)),
            (json!({"type": ["boolean", "null"]}), json!(false)),
            (json!({"type": "null"}), json!(null)),
            (json!({"type": "array"}), json!([])),
            (json!({"items": {"type": "integer"}, "minItems": 2}), json!([1, 1])),
            (json!({"prefixItems": [{"const": 1}], "minItems": 2}), json!([1, "text"])),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), json!(1)),
            (json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}), json!(1)),
            (
                json!({"allOf": [
                    {"required": ["a"], "properties": {"a": {"type": "integer"}}},
                    {"required": ["b"], "properties": {"b": {"type": "boolean"}}},
                ]}),
                json!({"a": 1, "b": false}),
            ),
        ] {
            assert_eq!(example(&schema), expected, "{schema}");
            let compiled = crate::schema::Schema::compile(&schema).expect("compiles");
            assert!(compiled.problems(&expected).is_empty(), "{schema}");
        }
    }

    #[test]
    fn hostile_schemas_end() {
        let again = json!({"$ref": "#"});
        for schema in [
            again.clone(),
            json!({"allOf": [again, again], "required": ["a"], "properties": {"a": again}}),
            json!({"required": ["a", "b"], "properties": {"a": again, "b": again}}),
            json!({"items": again, "minItems": u64::MAX}),
            json!({"type": "string", "minLength": u64::MAX}),
            json!({"type": "number", "minimum": 1e308, "multipleOf": 1e-308}),
            json!({"type": 3, "required": 4, "properties": 5, "enum": 6}),
            json!(true),
        ] {
            assert!(example(&schema).to_string().len() < 64 * 1024);
        }
    }
}
