//! Tests with schemas as people write them, and as an attacker would.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{MAX_PROBLEMS, Schema, SchemaError};

/// Returns the problems of an instance, one per line.
fn problem_lines(schema: &Value, instance: &Value) -> String {
    let schema = Schema::compile(schema).expect("the schema compiles");
    let mut text = String::new();
    for problem in schema.problems(instance) {
        let _ = writeln!(text, "{}: {}", problem.pointer, problem.message);
    }
    text.trim_end().to_owned()
}

fn compile_error(schema: &Value) -> SchemaError {
    Schema::compile(schema).expect_err("the schema is refused")
}

/// Returns a value nested in `levels` lists.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!("x"), |value, _| json!([value]))
}

/// Makes a chain of definitions: `d0` refers to `d1` and so on, each through `link`.
fn chain(length: usize, link: impl Fn(Value) -> Value) -> Value {
    let next = |n: usize| link(json!({"$ref": format!("#/$defs/d{}", n + 1)}));
    let mut definitions = (0..length).map(|n| (format!("d{n}"), next(n))).collect::<Map<_, _>>();
    definitions.insert(format!("d{length}"), json!({"type": "integer"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn problems_say_what_was_expected() {
    for (schema, instance, expected) in [
        (json!({"required": ["topic"]}), json!({}), ": `topic` is missing"),
        (json!({"type": "string"}), json!(1), ": must be a string"),
        (json!({"type": "integer"}), json!(1.5), ": must be an integer"),
        (json!({"type": "array"}), json!(1), ": must be a list"),
        (json!({"type": "boolean"}), json!(1), ": must be true or false"),
        (json!({"type": ["object", "null"]}), json!(1), ": must be null or an object"),
        (json!({"enum": ["a", 2, null]}), json!("b"), ": must be one of `a`, `2`, `null`"),
        (json!({"const": "a"}), json!("b"), ": must be `a`"),
        (json!({"minLength": 1}), json!(""), ": must have at least 1 character"),
        (json!({"maxLength": 2}), json!("abc"), ": must have at most 2 characters"),
        (json!({"minimum": 2}), json!(1), ": must be at least 2"),
        (json!({"maximum": 2.5}), json!(3), ": must be at most 2.5"),
        (json!({"exclusiveMinimum": 2}), json!(2), ": must be more than 2"),
        (json!({"exclusiveMaximum": 2}), json!(2), ": must be less than 2"),
        (json!({"multipleOf": 3}), json!(4), ": must be a multiple of 3"),
        (json!({"pattern": "^a+$"}), json!("b"), ": must match the pattern `^a+$`"),
        (json!({"format": "email"}), json!("b"), ": must be in the format `email`"),
        (json!({"format": "regex"}), json!("("), ": must be in the format `regex`"),
        (json!({"format": "regex"}), json!("(?:a{1000}){1000}"), ""),
        (json!({"format": "nobody knows"}), json!("b"), ""),
        (json!({"minItems": 1}), json!([]), ": must have at least 1 item"),
        (json!({"maxItems": 1}), json!([1, 2]), ": must have at most 1 item"),
        (json!({"minProperties": 2}), json!({}), ": must have at least 2 keys"),
        (json!({"maxProperties": 0}), json!({"a": 1}), ": must have at most 0 keys"),
        (json!({"uniqueItems": true}), json!([1, 1]), ": must not contain duplicate items"),
        (json!({"not": {}}), json!(1), ": must not match the form the schema excludes"),
        (json!(false), json!(1), ": is not allowed"),
    ] {
        assert_eq!(problem_lines(&schema, &instance), expected, "{schema} {instance}");
    }
}

#[test]
fn problems_of_parts_say_where() {
    for (schema, instance, expected) in [
        (
            json!({"anyOf": [{"type": "null"}, {"type": "string"}]}),
            json!(1),
            ": must match one of the forms the schema allows",
        ),
        (
            json!({"oneOf": [{}, {}]}),
            json!(1),
            ": must match exactly one of the forms the schema allows, but matches several",
        ),
        (
            json!({"contains": {"type": "string"}}),
            json!([1]),
            ": must have the number of items that match `contains` that the schema requires",
        ),
        (
            json!({"propertyNames": {"maxLength": 1}}),
            json!({"ab": 1}),
            ": has an invalid name: must have at most 1 character",
        ),
        (json!({"prefixItems": [{}], "items": false}), json!([1, 2]), "/1: is not allowed"),
        (
            json!({"prefixItems": [{}], "unevaluatedItems": false}),
            json!([1, 2]),
            ": has more items than the schema allows",
        ),
        (
            json!({"properties": {"a": {"items": {"type": "string"}}}}),
            json!({"a": ["x", 1]}),
            "/a/1: must be a string",
        ),
        (
            json!({"properties": {"a/b~": {"type": "string"}}}),
            json!({"a/b~": 1}),
            "/a~1b~0: must be a string",
        ),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}),
            json!({"a": 1}),
            ": `b` is missing\n/a: must be a string",
        ),
    ] {
        assert_eq!(problem_lines(&schema, &instance), expected, "{schema} {instance}");
    }
}

#[test]
fn names_are_repeated_only_if_plain() {
    let closed = json!({"properties": {"topic": {}}, "additionalProperties": false});
    let open = json!({"additionalProperties": {"type": "string"}});
    let long = "a".repeat(65);
    for (name, unknown, at) in [
        ("topik", "`topik` is unknown; did you mean `topic`?", "/topik"),
        ("größe 2", "`größe 2` is unknown", "/größe 2"),
        ("a`b", "1 name is unknown", "/…"),
        ("a\nb", "1 name is unknown", "/…"),
        ("a\u{202e}b", "1 name is unknown", "/…"),
        (long.as_str(), "1 name is unknown", "/…"),
    ] {
        let instance = json!({name: 1});
        assert_eq!(problem_lines(&closed, &instance), format!(": {unknown}"));
        assert_eq!(problem_lines(&open, &instance), format!("{at}: must be a string"));
    }
    let several = json!({"a": 1, "topic": 2, "b": 3, "c\n": 4});
    assert_eq!(problem_lines(&closed, &several), ": `a`, `b`, 1 name are unknown");
    for none in [
        json!({"additionalProperties": false}),
        json!({"properties": {}, "additionalProperties": false}),
    ] {
        assert_eq!(problem_lines(&none, &json!({"a": 1, "b": {}})), ": `a`, `b` are unknown");
    }
    let nested = json!({"additionalProperties": {"additionalProperties": false}});
    assert_eq!(problem_lines(&nested, &json!({"a": {"b": 1}})), "/a: `b` is unknown");
    let unevaluated = json!({"unevaluatedProperties": false});
    assert_eq!(problem_lines(&unevaluated, &json!({"a": 1})), ": `a` is unknown");
}

#[test]
fn values_are_never_repeated() {
    let secret = "hunter2-hunter2";
    let values =
        [json!(secret), json!([secret, secret]), json!({"key": secret}), json!([[secret]])];
    let wrong = json!({"type": "integer"});
    for schema in [
        json!({"type": "integer"}),
        json!({"enum": [1], "const": 2, "not": {}}),
        json!({"pattern": "^a$", "maxLength": 1, "minLength": 90, "format": "uuid"}),
        json!({"items": wrong, "uniqueItems": true, "maxItems": 0, "contains": wrong}),
        json!({"anyOf": [wrong, {"items": wrong}]}),
        json!({"oneOf": [{}, {}]}),
        json!({"unevaluatedItems": false, "unevaluatedProperties": false}),
        json!({"additionalProperties": wrong, "propertyNames": wrong, "maxProperties": 0}),
        json!({"items": false, "if": {"type": "string"}, "then": false}),
        json!({"dependentRequired": {"key": ["other"]}, "dependentSchemas": {"key": false}}),
    ] {
        for value in &values {
            assert!(!problem_lines(&schema, value).contains("hunter2"), "{schema} {value}");
        }
    }
}

#[test]
fn long_lists_are_cut() {
    let options = (0..1_000).collect::<Vec<_>>();
    let words = problem_lines(&json!({"enum": options}), &json!("x"));
    assert!(words.ends_with("`11`, 988 more"), "{words}");
    let problems = Schema::compile(&json!({"items": {"type": "string"}})).expect("compiles");
    assert_eq!(problems.problems(&json!(options)).len(), MAX_PROBLEMS);
    let words = problem_lines(&json!({"const": "x".repeat(500)}), &json!("y"));
    assert!(words.chars().count() < 100, "{words}");
}

#[test]
fn only_this_draft_and_this_document() {
    use SchemaError::{Cycle, DuplicateAnchor, NestedId, OtherDraft, Unresolved};
    let remote = "https://json-schema.org/draft/2020-12/schema";
    for (schema, expected) in [
        (json!({"$schema": "http://json-schema.org/draft-07/schema#"}), OtherDraft),
        (json!({"$schema": 7}), OtherDraft),
        (json!({"items": {"$schema": "http://json-schema.org/draft-07/schema#"}}), OtherDraft),
        (json!({"items": {"$id": "https://example.org/a"}}), NestedId),
        (json!({"x": {"$id": "b"}, "$ref": "#/x"}), NestedId),
        (json!({"$ref": remote}), Unresolved),
        (json!({"$ref": "file:///etc/passwd"}), Unresolved),
        (json!({"$ref": "other.json"}), Unresolved),
        (json!({"items": {"$ref": "#/$defs/none"}}), Unresolved),
        (json!({"$ref": "#none"}), Unresolved),
        (json!({"$ref": "#/a%2Fb", "a/b": {}}), Unresolved),
        (json!({"$ref": "#/title", "title": "text"}), Unresolved),
        (json!({"$dynamicRef": "#none"}), Unresolved),
        (json!({"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}), DuplicateAnchor),
        (json!({"$ref": "#"}), Cycle),
        (json!({"allOf": [{"$ref": "#"}]}), Cycle),
        (json!({"not": {"$ref": "#"}}), Cycle),
        (json!({"items": {"$ref": "#/items"}}), Cycle),
        (json!({"$dynamicAnchor": "a", "anyOf": [{"$dynamicRef": "#a"}]}), Cycle),
        (json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}), Cycle),
    ] {
        assert_eq!(compile_error(&schema), expected, "{schema}");
    }
}

#[test]
fn references_inside_the_document_work() {
    let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
    let anchored = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.org/tree",
        "items": {"$ref": "#node"},
        "$defs": {"a/b": {"$anchor": "node", "type": "array", "items": {"$ref": "#/$defs/a~1b"}}},
    });
    let dynamic = json!({"$dynamicAnchor": "n", "type": "array", "items": {"$dynamicRef": "#n"}});
    for (schema, instance, expected) in [
        (&tree, json!({"next": {"next": {}}}), ""),
        (&tree, json!({"next": {"next": 1}}), "/next/next: must be an object"),
        (&anchored, json!([[[]]]), ""),
        (&anchored, json!([[1]]), "/0/0: must be a list"),
        (&dynamic, json!([[1]]), "/0/0: must be a list"),
    ] {
        assert_eq!(problem_lines(schema, &instance), expected, "{instance}");
    }
}

#[test]
fn what_is_no_schema_is_refused_in_words() {
    let pattern = "must be a small pattern without look-around and back-references";
    for (schema, at, what) in [
        (json!({"minLength": -1}), "/minLength", "must be at least 0"),
        (json!({"required": "a"}), "/required", "must be a list"),
        (json!({"properties": {"a": 3}}), "/properties/a", "must be true or false or an object"),
        (json!(3), "", "must be true or false or an object"),
        (json!({"pattern": "("}), "/pattern", pattern),
        (json!({"pattern": "(?=a)b"}), "/pattern", pattern),
        (json!({"pattern": "(a)\\1"}), "/pattern", pattern),
        (json!({"pattern": "(?:a{1000}){1000}"}), "/pattern", pattern),
    ] {
        let expected = SchemaError::Invalid { at: at.to_owned(), what: what.to_owned() };
        assert_eq!(compile_error(&schema), expected, "{schema}");
    }
    for schema in [
        json!({"type": "strin"}),
        json!({"allOf": {}}),
        json!({"patternProperties": {"(?:a{1000}){1000}": {}}}),
        json!({"patternProperties": {"(?=a)": {}}}),
    ] {
        assert!(matches!(compile_error(&schema), SchemaError::Invalid { .. }), "{schema}");
    }
}

#[test]
fn large_schemas_are_refused() {
    let deep = (0..40).fold(json!({}), |schema, _| json!({"allOf": [schema]}));
    let very_deep = (0..20_000).fold(Value::Null, |value, _| Value::Array(vec![value]));
    let patterns = (0..101).map(|n| (format!("a{n}"), json!({}))).collect::<Map<_, _>>();
    for (schema, limit) in [
        (deep, 32),
        (json!({"enum": (0..5_000).collect::<Vec<_>>()}), 2_000),
        (json!({"description": "x".repeat(70_000)}), 64 * 1024),
        (json!({"pattern": "a".repeat(5_000)}), 4 * 1024),
        (json!({"patternProperties": patterns}), 100),
        (chain(30, |next| json!({"allOf": [next, next]})), 4_000),
        (chain(12, |next| json!({"anyOf": [next, next, next]})), 4_000),
        (chain(300, |next| next), 64),
    ] {
        let error = compile_error(&schema);
        assert!(matches!(error, SchemaError::TooLarge { limit: l, .. } if l == limit), "{error}");
    }
    assert!(matches!(compile_error(&very_deep), SchemaError::TooLarge { .. }));
    // Dropping it would recurse once for each level.
    std::mem::forget(very_deep);
}

#[test]
fn work_is_bounded() {
    const TOO_MUCH: &str = ": is too expensive to check against the schema";
    let again = json!({"$ref": "#"});
    let flat = Value::Array(vec![json!("x"); 9_000]);
    let wide = (0..3_000).map(|n| (format!("k{n}"), json!(n))).collect::<Map<_, _>>();
    let unevaluated = json!({"allOf": [{"propertyNames": {"minLength": 1}}],
        "unevaluatedProperties": false});
    for (schema, instance, expected) in [
        (json!({"items": {"allOf": [again, again]}}), nested(30), TOO_MUCH),
        (json!({"items": {"anyOf": [again, again]}}), nested(30), TOO_MUCH),
        (json!({"items": again, "contains": again}), nested(30), TOO_MUCH),
        (json!({"items": {"oneOf": [again, {"not": again}]}}), nested(30), TOO_MUCH),
        (chain(200, |next| json!({"items": next})), nested(60), ""),
        (json!({"items": {"allOf": [{"anyOf": [again]}]}}), nested(60), ""),
        (unevaluated, Value::Object(wide), TOO_MUCH),
        (json!({"items": {"type": "string"}, "uniqueItems": false}), flat.clone(), ""),
        (json!({"uniqueItems": true}), flat.clone(), ": must not contain duplicate items"),
        (json!({"pattern": "(a+)+$"}), json!("a".repeat(90_000)), ""),
        (json!({"pattern": "(a+)+$"}), json!("a".repeat(110_000)), TOO_MUCH),
        (json!({"pattern": "[ab]*a[ab]{999}c"}), json!("a".repeat(10_000)), TOO_MUCH),
        (json!({"pattern": "(?:[ab]{30}){30}c"}), json!("a".repeat(10_000)), TOO_MUCH),
        (json!({"patternProperties": {"a{999}": {}}}), json!({"a".repeat(10_000): 1}), TOO_MUCH),
        (json!({"pattern": "^\\d{4}-\\d{2}$"}), json!("2026-01"), ""),
        (json!({"anyOf": vec![json!({"type": "integer"}); 600]}), flat.clone(), TOO_MUCH),
        (json!({"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}), flat, ""),
        (json!({}), nested(70), ": must have at most 64 levels"),
        (json!({}), json!(vec![0; 10_000]), ": must have at most 10000 values"),
        (json!({"multipleOf": 1e-300}), json!(1.7e308), ""),
    ] {
        assert_eq!(problem_lines(&schema, &instance), expected, "{schema}");
    }
}
