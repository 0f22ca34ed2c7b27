//! Chains and their lockfiles, and what a tool says of its parameters.

use mere_core::address::RelPath;
use mere_core::chain::lock::{LockMismatch, build_lockfile, check_lockfile};
use mere_core::chain::{Chain, ParametersFault, tool_input_schema, with_defaults};
use mere_core::digest::Sha256;
use mere_core::item::{Lockfile, Scope, ScopedPath, Version};
use mere_core::schema::Schema;
use serde_json::{Map, Value, json};

use crate::chain::{id, script, shipped};

const SPACE: &str = "0190a6c4-3b5e-7cc3-98c4-dc0c0c07398f";

fn chain() -> Chain {
    let word = script("word", "python_runtime", "word.py");
    Chain::new(vec![word, shipped("python_runtime"), shipped("subprocess")]).expect("a chain")
}

fn place() -> ScopedPath {
    let path = "lockfiles/data/word@1.2.0.lock.json".parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::User, &path).expect("an item")
}

fn locked() -> Lockfile {
    let text = build_lockfile(&chain(), &place(), SPACE).to_string();
    Lockfile::parse(&text, &place()).expect("a lockfile")
}

#[test]
fn a_lockfile_is_what_the_chain_is() {
    let locked = locked();
    let (root, pins) = (chain().leaf().pin.clone(), chain().pins().cloned().collect::<Vec<_>>());
    assert_eq!((&locked.chain, locked.root_integrity), (&pins, root.integrity));
    assert_eq!((locked.version.to_string().as_str(), locked.space_id.as_str()), ("1.2.0", SPACE));
    let value = build_lockfile(&chain(), &place(), SPACE);
    assert_eq!(
        value["resolved_chain"][2],
        json!({
            "tool_id": "subprocess", "version": "1.0.0", "scope": "builtin", "category": "",
            "integrity": pins[2].integrity.to_string(), "executor": null
        })
    );
    assert_eq!(
        value["metadata"],
        json!({
            "tool_id": "word", "version": "1.2.0", "category": "data", "scope": "user",
            "space_id": SPACE
        })
    );
    assert_eq!(value["registry"], Value::Null);
    check_lockfile(&locked, &chain()).expect("the same");
}

#[test]
fn a_lockfile_is_for_one_tool_and_version() {
    let chain = chain();
    for at in [
        ScopedPath { version: Some(Version::new(1, 2, 1)), ..place() },
        ScopedPath { version: None, ..place() },
        ScopedPath { id: id("other"), ..place() },
    ] {
        let text = build_lockfile(&chain, &at, SPACE).to_string();
        assert!(Lockfile::parse(&text, &at).is_err(), "{text}");
    }
    let text = build_lockfile(&chain, &place(), "no space").to_string();
    assert!(Lockfile::parse(&text, &place()).is_err());
}

/// The first difference to a lockfile that was changed.
fn drift(change: impl FnOnce(&mut Lockfile)) -> (usize, String, &'static str, String, String) {
    let mut locked = locked();
    change(&mut locked);
    let LockMismatch { index, id, field, expected, found } =
        check_lockfile(&locked, &chain()).expect_err("a difference");
    (index, id.to_string(), field, expected, found)
}

#[test]
fn the_first_difference_is_named() {
    let other = Sha256::digest(b"other");
    let differs = |index, id: &str, field, expected: &str, found: &str| {
        (index, id.to_owned(), field, expected.to_owned(), found.to_owned())
    };
    let word = chain().leaf().pin.integrity.to_string();
    let python = shipped("python_runtime").pin.integrity.to_string();
    let hash = other.to_string();
    for (found, expected) in [
        (
            drift(|locked| locked.chain[1].id = id("ruby_runtime")),
            differs(1, "python_runtime", "tool_id", "ruby_runtime", "python_runtime"),
        ),
        (
            drift(|locked| locked.chain[0].version = Version::new(1, 3, 0)),
            differs(0, "word", "version", "1.3.0", "1.2.0"),
        ),
        (
            drift(|locked| locked.version = Version::new(1, 3, 0)),
            differs(0, "word", "version", "1.3.0", "1.2.0"),
        ),
        (
            drift(|locked| locked.chain[0].scope = Some(Scope::User)),
            differs(0, "word", "scope", "user", "project"),
        ),
        (
            drift(|locked| locked.chain[2].scope = Some(Scope::Registry)),
            differs(2, "subprocess", "scope", "registry", "builtin"),
        ),
        (
            drift(|locked| locked.chain[0].category = "a/b".parse().expect("a category")),
            differs(0, "word", "category", "a/b", "data"),
        ),
        (
            drift(|locked| locked.chain[1].integrity = other),
            differs(1, "python_runtime", "integrity", &hash, &python),
        ),
        (
            drift(|locked| locked.chain[2].executor = Some(id("x"))),
            differs(2, "subprocess", "executor", "x", "none"),
        ),
        (drift(|locked| drop(locked.chain.pop())), differs(2, "subprocess", "length", "2", "3")),
        (
            drift(|locked| locked.chain.push(chain().leaf().pin.clone())),
            differs(3, "word", "length", "4", "3"),
        ),
        (drift(|locked| locked.chain.clear()), differs(0, "word", "length", "0", "3")),
        (
            drift(|locked| locked.root_integrity = other),
            differs(0, "word", "root.integrity", &hash, &word),
        ),
        (
            drift(|locked| {
                locked.chain[2].integrity = other;
                locked.chain[1].executor = None;
                locked.root_integrity = other;
            }),
            differs(1, "python_runtime", "executor", "none", "subprocess"),
        ),
    ] {
        assert_eq!(found, expected);
    }
    let mut locked = locked();
    locked.chain[0].scope = None;
    assert_eq!(
        check_lockfile(&locked, &chain()).expect_err("a difference").to_string(),
        "`scope` of link 0, `word`, is `builtin` in the lockfile and `project` now"
    );
}

fn manifest(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("an object") };
    map
}

#[test]
fn parameters_are_said_in_three_ways() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let open = json!({"minProperties": 1});
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    for (said, expected) in [
        (json!({}), closed.clone()),
        (json!({"parameters": []}), closed),
        (json!({ "input_schema": schema }), schema.clone()),
        (json!({ "input_schema": open }), open),
        (json!({ "parameters": schema }), schema),
        (json!({"parameters": {"properties": {}}}), json!({"properties": {}})),
        (
            json!({"parameters": [
                {"name": "a", "type": "int", "required": true, "description": "How many"},
                {"name": "b", "type": "string", "default": "x", "enum": ["x", "y"]},
                {"name": "c", "required": false},
            ]}),
            json!({
                "type": "object",
                "properties": {
                    "a": {"type": "integer", "description": "How many"},
                    "b": {"type": "string", "default": "x", "enum": ["x", "y"]},
                    "c": {},
                },
                "additionalProperties": false,
                "required": ["a"],
            }),
        ),
    ] {
        let found = tool_input_schema(&manifest(said.clone())).expect("a schema");
        assert_eq!(found, expected, "{said}");
        Schema::compile(&found).expect("a schema");
    }
}

#[test]
fn what_says_nothing_of_parameters_is_refused() {
    let both = json!({"input_schema": {}, "parameters": []});
    assert_eq!(tool_input_schema(&manifest(both)), Err(ParametersFault::DuplicateSchema));
    let list = "a list, or a JSON Schema with `type: object` or `properties`";
    let entry = "a mapping of name, type, required, description, default and enum";
    let schema = "a JSON Schema that is an object";
    for (said, field, expected) in [
        (json!({"input_schema": true}), "input_schema", schema),
        (json!({"input_schema": null}), "input_schema", schema),
        (json!({"input_schema": []}), "input_schema", schema),
        (json!({"parameters": null}), "parameters", list),
        (json!({"parameters": "a"}), "parameters", list),
        (json!({"parameters": {}}), "parameters", list),
        (json!({"parameters": {"a": {"type": "string"}}}), "parameters", list),
        (json!({"parameters": ["a"]}), "parameters[0]", entry),
        (json!({"parameters": [{"name": "a", "odd": 1}]}), "parameters[0]", entry),
        (json!({"parameters": [{"name": "a"}, {}]}), "parameters[1].name", "a name"),
        (json!({"parameters": [{"name": ""}]}), "parameters[0].name", "a name"),
        (json!({"parameters": [{"name": 1}]}), "parameters[0].name", "a text"),
        (json!({"parameters": [{"name": "a", "type": []}]}), "parameters[0].type", "a text"),
        (
            json!({"parameters": [{"name": "a", "description": 1}]}),
            "parameters[0].description",
            "a text",
        ),
        (
            json!({"parameters": [{"name": "a", "required": "yes"}]}),
            "parameters[0].required",
            "true or false",
        ),
        (
            json!({"parameters": [{"name": "a", "enum": []}]}),
            "parameters[0].enum",
            "a list of values",
        ),
    ] {
        let fault = ParametersFault::Malformed { field: field.to_owned(), expected };
        assert_eq!(tool_input_schema(&manifest(said.clone())), Err(fault), "{said}");
    }
    let twice = json!({"parameters": [{"name": "a"}, {"name": "a"}]});
    let field = "parameters[1].name".to_owned();
    assert_eq!(tool_input_schema(&manifest(twice)), Err(ParametersFault::DuplicateName { field }));
}

#[test]
fn defaults_stand_in_for_what_is_not_given() {
    let schema = json!({"properties": {
        "a": {"default": 1}, "b": {"default": null}, "c": {}, "d": true,
        "e": {"properties": {"x": {"default": 1}}}
    }});
    for (given, expected) in [
        (json!({}), json!({"a": 1, "b": null})),
        (json!({"a": null, "z": 0}), json!({"a": null, "z": 0, "b": null})),
        (json!({"e": {}}), json!({"e": {}, "a": 1, "b": null})),
    ] {
        let found = with_defaults(&schema, manifest(given));
        assert_eq!(Value::Object(found), expected);
    }
    for schema in [json!(true), json!({}), json!({"properties": []})] {
        assert_eq!(with_defaults(&schema, Map::new()), Map::new());
    }
}
