//! Whether a tool runs another: the list `validation.child_schemas` of the one that would.
//!
//! The whole list is read before anything is looked up in it, so that a list with a fault never
//! says yes. The first entry that fits decides; none that fits is a no.

use serde_json::{Map, Value};

use super::Member;
use super::fault::PairFault;
use crate::schema::Schema;

const LIST: &str = "validation.child_schemas";

/// The longest list.
const MAX_ENTRIES: usize = 64;

/// One entry of the list.
struct Entry<'a> {
    /// What a manifest says at paths of names joined by dots; empty for whatever it says.
    wanted: &'a Map<String, Value>,
    schema: Schema,
}

/// Refuses a pair that the parent does not accept.
pub(super) fn check(parent: &Member, child: &Member) -> Result<(), PairFault> {
    let entries = entries(&parent.manifest)?;
    let fits = |entry: &Entry<'_>| {
        entry.wanted.iter().all(|(path, value)| at(&child.manifest, path) == Some(value))
    };
    let index = entries.iter().position(fits).ok_or(PairFault::Unmatched)?;
    let problems = entries[index].schema.problems(&Value::Object(child.manifest.clone()));
    if problems.is_empty() {
        return Ok(());
    }
    Err(PairFault::Refused { field: format!("{LIST}[{index}].schema"), problems })
}

fn entries(manifest: &Map<String, Value>) -> Result<Vec<Entry<'_>>, PairFault> {
    let Some(validation) = manifest.get("validation") else {
        return Err(PairFault::Unlisted);
    };
    let Some(list) = mapping(validation, "validation")?.get("child_schemas") else {
        return Err(PairFault::Unlisted);
    };
    let list = list.as_array().filter(|list| list.len() <= MAX_ENTRIES);
    let list = list.ok_or_else(|| malformed(LIST, "a list of at most 64 entries"))?;
    if list.is_empty() {
        return Err(PairFault::Unlisted);
    }
    let entries = list.iter().enumerate();
    entries.map(|(index, entry)| read(entry, &format!("{LIST}[{index}]"))).collect()
}

fn read<'a>(entry: &'a Value, field: &str) -> Result<Entry<'a>, PairFault> {
    let entry = mapping(entry, field)?;
    let (Some(wanted), Some(schema), 2) = (entry.get("match"), entry.get("schema"), entry.len())
    else {
        return Err(malformed(field, "a mapping of `match` and `schema`, and nothing else"));
    };
    let match_field = format!("{field}.match");
    let wanted = mapping(wanted, &match_field)?;
    if wanted.keys().any(|path| path.split('.').any(str::is_empty)) {
        return Err(malformed(&match_field, "a mapping whose keys are names joined by dots"));
    }
    let schema = Schema::compile(schema)
        .map_err(|error| PairFault::NoSchema { field: format!("{field}.schema"), error })?;
    Ok(Entry { wanted, schema })
}

fn mapping<'a>(value: &'a Value, field: &str) -> Result<&'a Map<String, Value>, PairFault> {
    value.as_object().ok_or_else(|| malformed(field, "a mapping"))
}

fn malformed(field: &str, expected: &'static str) -> PairFault {
    PairFault::Malformed { field: field.to_owned(), expected }
}

/// The value at a path of names joined by dots.
fn at<'a>(manifest: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let mut names = path.split('.');
    let top = manifest.get(names.next()?)?;
    names.try_fold(top, |value, name| value.as_object()?.get(name))
}
