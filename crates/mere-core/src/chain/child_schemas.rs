//! Checks whether one tool may run another, by its `validation.child_schemas`.
//!
//! The whole list is parsed before anything is looked up in it, so that a malformed list never
//! permits anything. The first entry that matches decides; if none matches, the answer is no.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::ChainTool;
use super::fault::PairFault;
use crate::schema::Schema;

const FIELD: &str = "validation.child_schemas";

/// The largest number of entries in the list.
const MAX_ENTRIES: usize = 64;

/// One entry of the list.
struct ChildSchema<'a> {
    /// The expected values in the child's manifest, by paths of names joined by dots. An empty map
    /// matches every manifest.
    expected: &'a Map<String, Value>,
    schema: Arc<Schema>,
}

/// Refuses a pair that the parent does not accept.
pub(super) fn check_pair(parent: &ChainTool, child: &ChainTool) -> Result<(), PairFault> {
    let entries = parse_child_schemas(&parent.manifest)?;
    let fits = |entry: &ChildSchema<'_>| {
        entry.expected.iter().all(|(path, value)| value_at(&child.manifest, path) == Some(value))
    };
    let index = entries.iter().position(fits).ok_or(PairFault::NoMatch)?;
    let problems = entries[index].schema.problems(&Value::Object(child.manifest.clone()));
    if problems.is_empty() {
        return Ok(());
    }
    Err(PairFault::SchemaMismatch { field: format!("{FIELD}[{index}].schema"), problems })
}

/// Checks that the list of a manifest is well-formed. A tool that runs no other has none.
pub fn check_child_schemas(manifest: &Map<String, Value>) -> Result<(), PairFault> {
    match parse_child_schemas(manifest) {
        Ok(_) | Err(PairFault::NoChildSchemas) => Ok(()),
        Err(fault) => Err(fault),
    }
}

fn parse_child_schemas(manifest: &Map<String, Value>) -> Result<Vec<ChildSchema<'_>>, PairFault> {
    let Some(validation) = manifest.get("validation") else {
        return Err(PairFault::NoChildSchemas);
    };
    let Some(list) = expect_mapping(validation, "validation")?.get("child_schemas") else {
        return Err(PairFault::NoChildSchemas);
    };
    let list = list.as_array().filter(|list| list.len() <= MAX_ENTRIES);
    let list = list.ok_or_else(|| malformed(FIELD, "a list of at most 64 entries"))?;
    if list.is_empty() {
        return Err(PairFault::NoChildSchemas);
    }
    let entries = list.iter().enumerate();
    entries.map(|(index, entry)| parse_child_schema(entry, &format!("{FIELD}[{index}]"))).collect()
}

fn parse_child_schema<'a>(entry: &'a Value, field: &str) -> Result<ChildSchema<'a>, PairFault> {
    let entry = expect_mapping(entry, field)?;
    let (Some(wanted), Some(schema), 2) = (entry.get("match"), entry.get("schema"), entry.len())
    else {
        return Err(malformed(field, "a mapping of `match` and `schema`, and nothing else"));
    };
    let match_field = format!("{field}.match");
    let wanted = expect_mapping(wanted, &match_field)?;
    if wanted.keys().any(|path| path.split('.').any(str::is_empty)) {
        return Err(malformed(&match_field, "a mapping whose keys are names joined by dots"));
    }
    let schema = Schema::compile_once(schema)
        .map_err(|error| PairFault::InvalidSchema { field: format!("{field}.schema"), error })?;
    Ok(ChildSchema { expected: wanted, schema })
}

fn expect_mapping<'a>(value: &'a Value, field: &str) -> Result<&'a Map<String, Value>, PairFault> {
    value.as_object().ok_or_else(|| malformed(field, "a mapping"))
}

fn malformed(field: &str, expected: &'static str) -> PairFault {
    PairFault::Malformed { field: field.to_owned(), expected }
}

/// Returns the value at a path of names joined by dots.
fn value_at<'a>(manifest: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let mut names = path.split('.');
    let top = manifest.get(names.next()?)?;
    names.try_fold(top, |value, name| value.as_object()?.get(name))
}
