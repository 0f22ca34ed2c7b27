//! The schema of a directive's inputs: the author's own, or one made from the description of each
//! input.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

/// The keywords with which a schema itself says of which type a value is, or where that stands.
const TYPE_KEYWORDS: [&str; 10] =
    ["type", "enum", "const", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if"];

/// An author's description of one input.
#[derive(Clone, Copy, Debug)]
pub struct InputSpec<'a> {
    /// The name.
    pub name: &'a str,
    /// The type, as written.
    pub kind: Option<&'a str>,
    /// Tells whether it must be given.
    pub required: bool,
    /// The description.
    pub about: &'a str,
    /// The input's own schema.
    pub schema: Option<&'a Value>,
}

/// Returns the schema of all inputs together.
///
/// A schema for the whole is kept as it is; inputs that it does not mention are added to its
/// properties, and required ones to its `required`. An input that has a schema of its own, too, must
/// match both. The type of an input holds unless one of these schemas says what its values are.
/// Without a schema for the whole, the inputs are all that is allowed, and any other
/// name is an error.
pub fn input_schema(whole: Option<&Value>, inputs: &[InputSpec<'_>]) -> Value {
    let has_own_schema = inputs.iter().any(|input| input.schema.is_some());
    let mut schema = match whole {
        Some(Value::Object(map)) => map.clone(),
        Some(other) if has_own_schema => Map::from_iter([("allOf".to_owned(), json!([other]))]),
        Some(other) => return other.clone(),
        None => Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), json!({})),
            ("additionalProperties".to_owned(), json!(false)),
        ]),
    };
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        for input in inputs {
            let Some(property) = properties.get_mut(input.name) else {
                properties.insert(input.name.to_owned(), property_schema(input));
                continue;
            };
            if let Value::Object(property) = property {
                add_type(property, input);
            }
            if let Some(own) = input.schema {
                *property = match_both(property.take(), own);
            }
        }
        if properties.is_empty() && whole.is_some() {
            schema.shift_remove("properties");
        }
    }
    add_required(&mut schema, inputs);
    Value::Object(schema)
}

/// Returns a schema that values match if they match both.
fn match_both(first: Value, second: &Value) -> Value {
    match first {
        Value::Object(mut map) if !map.contains_key("allOf") => {
            map.insert("allOf".to_owned(), json!([second]));
            Value::Object(map)
        }
        first => json!({ "allOf": [first, second] }),
    }
}

/// Returns the default value that the schema of all inputs has for one of them.
pub fn input_default<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let property = schema.get("properties")?.get(name)?;
    let both = property.get("allOf").and_then(Value::as_array);
    let both = both.into_iter().flatten();
    property.get("default").or_else(|| both.into_iter().find_map(|one| one.get("default")))
}

/// Adds the required inputs. A malformed schema stays as it is, and is refused when it is compiled.
fn add_required(schema: &mut Map<String, Value>, inputs: &[InputSpec<'_>]) {
    let mut needed = inputs.iter().filter(|input| input.required).peekable();
    if needed.peek().is_none() {
        return;
    }
    if let Value::Array(required) = schema.entry("required").or_insert_with(|| json!([])) {
        let known = required.iter().filter_map(Value::as_str).map(str::to_owned);
        let mut known = known.collect::<HashSet<_>>();
        for input in needed {
            if known.insert(input.name.to_owned()) {
                required.push(json!(input.name));
            }
        }
    }
}

fn property_schema(input: &InputSpec<'_>) -> Value {
    let mut property = match input.schema {
        Some(Value::Object(map)) => map.clone(),
        Some(other) => return other.clone(),
        None => Map::new(),
    };
    add_type(&mut property, input);
    if !input.about.is_empty() {
        property.entry("description").or_insert_with(|| json!(input.about));
    }
    Value::Object(property)
}

/// Adds the type of an input to the schema of its values, unless that schema or the input's own
/// says what the values are.
fn add_type(property: &mut Map<String, Value>, input: &InputSpec<'_>) {
    let own = input.schema.and_then(Value::as_object);
    let says_type = |keyword: &&str| {
        property.contains_key(*keyword) || own.is_some_and(|own| own.contains_key(*keyword))
    };
    if let Some(kind) = input.kind.and_then(json_type)
        && !TYPE_KEYWORDS.iter().any(says_type)
    {
        property.insert("type".to_owned(), json!(kind));
    }
}

/// Returns the JSON type that people mean by a word; other words do not restrict the value.
fn json_type(word: &str) -> Option<&'static str> {
    match word.trim().to_ascii_lowercase().as_str() {
        "string" | "text" => Some("string"),
        "integer" | "int" => Some("integer"),
        "number" | "float" => Some("number"),
        "boolean" | "bool" => Some("boolean"),
        "array" | "list" => Some("array"),
        "object" => Some("object"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input<'a>(name: &'a str, kind: &'a str, about: &'a str) -> InputSpec<'a> {
        InputSpec { name, kind: Some(kind), required: false, about, schema: None }
    }

    #[test]
    fn words_become_types() {
        for (word, expected) in [
            ("string", json!({"type": "string"})),
            ("Text", json!({"type": "string"})),
            ("int", json!({"type": "integer"})),
            ("integer", json!({"type": "integer"})),
            ("float", json!({"type": "number"})),
            ("number", json!({"type": "number"})),
            ("bool", json!({"type": "boolean"})),
            ("boolean", json!({"type": "boolean"})),
            ("list", json!({"type": "array"})),
            ("array", json!({"type": "array"})),
            ("object", json!({"type": "object"})),
            ("json", json!({})),
            ("any", json!({})),
            ("path", json!({})),
        ] {
            let built = input_schema(None, &[input("x", word, "")]);
            assert_eq!(built["properties"]["x"], expected, "{word}");
            assert_eq!(built["additionalProperties"], false);
        }
    }

    #[test]
    fn each_input_says_what_it_is() {
        let own = json!({"enum": ["shallow", "deep"]});
        let described = json!({"type": "string", "description": "theirs"});
        let inputs = [
            InputSpec { required: true, ..input("topic", "string", "What to find out") },
            InputSpec { schema: Some(&own), ..input("depth", "string", "How far") },
            InputSpec { schema: Some(&described), ..input("style", "int", "ours") },
            InputSpec { kind: None, ..input("rest", "", "") },
        ];
        let expected = json!({
            "type": "object",
            "properties": {
                "topic": {"type": "string", "description": "What to find out"},
                "depth": {"enum": ["shallow", "deep"], "description": "How far"},
                "style": {"type": "string", "description": "theirs"},
                "rest": {},
            },
            "additionalProperties": false,
            "required": ["topic"],
        });
        assert_eq!(input_schema(None, &inputs), expected);
    }

    #[test]
    fn the_type_of_an_input_holds_beside_a_schema_that_names_none() {
        let (at_least, of_text) = (json!({"minimum": 1}), json!({"type": "string"}));
        let (one_of, either) = (json!({"enum": [1, 2]}), json!({"anyOf": [{"type": "string"}]}));
        for (own, whole, expected) in [
            (Some(&at_least), None, json!({"minimum": 1, "type": "integer"})),
            (Some(&of_text), None, of_text.clone()),
            (Some(&one_of), None, one_of.clone()),
            (Some(&either), None, either.clone()),
            (None, Some(&at_least), json!({"minimum": 1, "type": "integer"})),
            (None, Some(&of_text), of_text.clone()),
            (Some(&of_text), Some(&at_least), json!({"minimum": 1, "allOf": [of_text]})),
        ] {
            let whole = whole.map(|property| json!({"properties": {"count": property}}));
            let count = InputSpec { schema: own, ..input("count", "int", "") };
            let built = input_schema(whole.as_ref(), &[count]);
            assert_eq!(built["properties"]["count"], expected);
        }
    }

    #[test]
    fn an_input_matches_the_whole_schema_and_its_own() {
        let own = json!({"minLength": 5, "default": "owls"});
        let topic = InputSpec { schema: Some(&own), ..input("topic", "string", "") };
        for (whole, expected) in [
            (
                json!({"properties": {"topic": {"type": "string"}}}),
                json!({"properties": {"topic": {"type": "string", "allOf": [own]}}}),
            ),
            (
                json!({"properties": {"topic": {"allOf": [{"maxLength": 9}]}}}),
                json!({"properties": {"topic": {"allOf": [{"allOf": [{"maxLength": 9}]}, own]}}}),
            ),
            (
                json!({"properties": {"topic": false}}),
                json!({"properties": {"topic": {"allOf": [false, own]}}}),
            ),
            (
                json!(true),
                json!({"allOf": [true], "properties": {"topic":
                    {"minLength": 5, "default": "owls", "type": "string"}}}),
            ),
        ] {
            let both = input_schema(Some(&whole), &[topic]);
            assert_eq!(both, expected);
            assert_eq!(input_default(&both, "topic"), Some(&json!("owls")));
            assert_eq!(input_default(&both, "other"), None);
        }
    }

    #[test]
    fn the_whole_schema_goes_first() {
        let topic = InputSpec { required: true, ..input("topic", "string", "") };
        let depth = InputSpec { required: true, ..input("depth", "int", "") };
        for (whole, inputs, expected) in [
            (json!({"minProperties": 1}), vec![], json!({"minProperties": 1})),
            (json!(true), vec![topic], json!(true)),
            (
                json!({"properties": {"topic": {"minLength": 3}}, "required": ["topic"]}),
                vec![topic, depth],
                json!({
                    "properties": {
                        "topic": {"minLength": 3, "type": "string"},
                        "depth": {"type": "integer"},
                    },
                    "required": ["topic", "depth"],
                }),
            ),
            (
                json!({"properties": {}, "required": "wrong"}),
                vec![topic],
                json!({"properties": {"topic": {"type": "string"}}, "required": "wrong"}),
            ),
        ] {
            assert_eq!(input_schema(Some(&whole), &inputs), expected);
        }
    }
}
