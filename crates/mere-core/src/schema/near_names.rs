//! Guesses which name of a schema a misspelt one means.
//!
//! A guess repeats names of the schema, and of the instance only those that are plain.

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};
use strsim::osa_distance;

use super::messages::{is_plain, quote};

/// The longest name that is compared with others, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// The most names that a guess is made from.
const MAX_NAMES: usize = 200;

/// Returns what to add to a problem with the names of an object, if one of them is near to what the
/// part of the schema in which the problem arose lists.
pub(super) fn hint(kind: &Kind, part: &Value, object: &Map<String, Value>) -> Option<String> {
    let listed = part.get("properties").and_then(Value::as_object)?;
    match kind {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let unknown = unexpected.iter().take(MAX_NAMES);
            let mut meant = unknown
                .filter_map(|name| find_nearest(name, listed.keys().take(MAX_NAMES)))
                .collect::<Vec<_>>();
            meant.dedup();
            let meant = meant.into_iter().map(|name| quote(name)).collect::<Vec<_>>();
            (!meant.is_empty()).then(|| format!("; did you mean {}?", meant.join(", ")))
        }
        // Where other names are allowed, a misspelt one is only noticed by the one that is missing.
        Kind::Required { property } if part.get("additionalProperties").is_none() => {
            let given = object.keys().filter(|name| !listed.contains_key(*name)).take(MAX_NAMES);
            let near = find_nearest(property.as_str()?, given)?;
            Some(format!("; did you mean it by {}?", quote(near)))
        }
        _ => None,
    }
}

/// Returns the plain name that differs least from another, and in few letters.
fn find_nearest<'a>(name: &str, others: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let is_short = |name: &str| name.len() <= MAX_NAME_BYTES && is_plain(name);
    let most = (name.chars().count() / 3).clamp(1, 3);
    let near = others.filter(|other| is_short(other) && is_short(name)).filter_map(|other| {
        let edits = osa_distance(name, other);
        (edits <= most && edits < other.chars().count()).then_some((edits, other))
    });
    near.min().map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::super::Schema;
    use serde_json::{Value, json};

    fn check(closed: &Value, instance: &Value, expected: &[&str]) {
        let mut schema = json!({
            "properties": { "name": {}, "language": {}, "n": {} }, "required": ["name"]
        });
        schema["additionalProperties"] = closed.clone();
        if closed.is_null() {
            schema.as_object_mut().map(|map| map.remove("additionalProperties"));
        }
        let problems = Schema::compile(&schema).expect("a schema").problems(instance);
        let found = problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>();
        assert_eq!(found, expected, "{instance}");
    }

    #[test]
    fn a_misspelt_name_is_answered_with_the_near_one() {
        let (open, closed) = (Value::Null, json!(false));
        let missing = "`name` is missing";
        check(&closed, &json!({ "nam": 1 }), &["`nam` is unknown; did you mean `name`?", missing]);
        check(
            &closed,
            &json!({ "name": 1, "lang": 1, "langauge": 1 }),
            &["`lang`, `langauge` are unknown; did you mean `language`?"],
        );
        // A single letter is near to everything. A name that is there may be a default.
        let near = "`nam`, `x` are unknown; did you mean `name`?";
        check(&closed, &json!({ "name": 1, "nam": 1, "x": 1 }), &[near]);
        check(&open, &json!({ "nam": 1 }), &["`name` is missing; did you mean it by `nam`?"]);
        check(&open, &json!({ "other": 1, "n": 1 }), &[missing]);
        check(&open, &json!({ "nam`": 1 }), &[missing]);
    }
}
