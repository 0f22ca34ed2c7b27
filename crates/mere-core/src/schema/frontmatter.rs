//! The schema of a knowledge entry's frontmatter: the standard keys, and the entry's own schema.

use serde_json::{Map, Value, json};

use crate::item::Relation;

/// The keys that hold one text, or nothing.
const TEXT_KEYS: [&str; 9] = [
    "id",
    "zettel_id",
    "entry_type",
    "category",
    "author",
    "created_at",
    "updated_at",
    "source_type",
    "source_url",
];

/// Returns the schema of the standard keys, combined with an entry's own schema.
///
/// It allows everything that the parser of entries allows, including `null` and single texts, so
/// an entry that could be parsed has only the problems that its own schema finds. The own schema
/// stays at the top of the document, because its references are relative to it.
pub fn frontmatter_schema(own: Option<&Value>) -> Value {
    let base = standard_schema();
    match own {
        None => base,
        Some(Value::Object(own)) => {
            let mut schema = own.clone();
            match schema.entry("allOf").or_insert_with(|| json!([])) {
                Value::Array(all) => all.push(base),
                // It is malformed, and is refused as such when it is compiled.
                all => *all = json!([{"allOf": all.take()}, base]),
            }
            Value::Object(schema)
        }
        Some(other) => json!({"allOf": [base, other]}),
    }
}

fn standard_schema() -> Value {
    let text = |key: &&str| ((*key).to_owned(), json!({"type": ["string", "null"]}));
    let texts = |key: &&str| {
        let items = json!({"type": "string"});
        ((*key).to_owned(), json!({"type": ["string", "array", "null"], "items": items}))
    };
    let mut properties = TEXT_KEYS.iter().map(text).collect::<Map<_, _>>();
    // The title must have at least one character that is not a space.
    properties.insert("title".to_owned(), json!({"type": "string", "pattern": "\\S"}));
    properties.insert("version".to_owned(), json!({"type": "string"}));
    // An id may look like a whole number.
    let ids = |key: &&str| {
        let items = json!({"type": ["string", "integer"]});
        ((*key).to_owned(), json!({"type": ["string", "integer", "array", "null"], "items": items}))
    };
    let relations = Relation::ALL.map(Relation::name);
    properties.extend(["tags"].iter().map(texts));
    properties.extend(relations.iter().map(ids));
    let stated = |key: &str| json!({"required": [key], "properties": {key: {"type": "string"}}});
    json!({
        "type": "object",
        "required": ["title"],
        "properties": properties,
        "anyOf": [stated("id"), stated("zettel_id")],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Schema;

    fn problems(own: Option<&Value>, frontmatter: &Value) -> Vec<(String, String)> {
        let schema = Schema::compile(&frontmatter_schema(own)).expect("compiles");
        let problems = schema.problems(frontmatter).into_iter();
        problems.map(|problem| (problem.pointer, problem.message)).collect()
    }

    fn check(own: Option<&Value>, frontmatter: &Value, expected: &[(&str, &str)]) {
        let found = problems(own, frontmatter);
        let found = found.iter().map(|(at, what)| (at.as_str(), what.as_str())).collect::<Vec<_>>();
        assert_eq!(found, expected, "{frontmatter}");
    }

    #[test]
    fn standard_keys() {
        for (frontmatter, expected) in [
            (json!({"id": "a", "title": "A"}), vec![]),
            (json!({"zettel_id": "a", "title": "A", "complexity": 3}), vec![]),
            (
                json!({"id": "a", "title": "A", "tags": null, "author": null, "category": null}),
                vec![],
            ),
            (
                json!({"id": "a", "title": "A", "tags": "x", "extends": ["b"], "related": "c"}),
                vec![],
            ),
            (json!({"id": "a"}), vec![("", "`title` is missing")]),
            (json!({"id": "a", "title": " "}), vec![("/title", "must match the pattern `\\S`")]),
            (json!({"id": "a", "title": null}), vec![("/title", "must be a string")]),
            (
                json!({"id": null, "title": "A"}),
                vec![("", "must match one of the forms the schema allows")],
            ),
            (
                json!({"id": "a", "title": "A", "version": 1}),
                vec![("/version", "must be a string")],
            ),
            (
                json!({"id": "a", "title": "A", "created_at": 2026}),
                vec![("/created_at", "must be null or a string")],
            ),
            (
                json!({"id": "a", "title": "A", "tags": ["b", 1]}),
                vec![("/tags/1", "must be a string")],
            ),
            // An id may look like a number.
            (json!({"id": "a", "title": "A", "depends_on": ["b", 1]}), vec![]),
            (
                json!({"id": "a", "title": "A", "depends_on": ["b", true]}),
                vec![("/depends_on/1", "must be an integer or a string")],
            ),
        ] {
            check(None, &frontmatter, &expected);
        }
    }

    #[test]
    fn an_entry_asks_for_more() {
        let own = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://example.org/entry",
            "type": "object",
            "properties": {"complexity": {"$ref": "#/$defs/level"}},
            "allOf": [{"required": ["complexity"]}],
            "$defs": {"level": {"enum": ["beginner", "advanced"]}},
        });
        let entry = |complexity: Value| json!({"id": "a", "title": "A", "complexity": complexity});
        check(Some(&own), &entry(json!("beginner")), &[]);
        let expected = [("/complexity", "must be one of `beginner`, `advanced`")];
        check(Some(&own), &entry(json!("secret")), &expected);
        let missing = json!({"id": "a", "title": "A"});
        check(Some(&own), &missing, &[("", "`complexity` is missing")]);
        check(Some(&json!(true)), &missing, &[]);
        check(Some(&json!({})), &json!({"id": "a"}), &[("", "`title` is missing")]);
        for wrong in [json!("text"), json!({"allOf": 3}), json!({"allOf": []})] {
            let compiled = Schema::compile(&frontmatter_schema(Some(&wrong)));
            assert!(wrong == json!({"allOf": []}) || compiled.is_err(), "{wrong}");
        }
    }
}
