//! What a schema is like with its references followed, before there is an instance.
//!
//! Refused are references that lead nowhere, loops that never look into the instance, and
//! schemas that are short as text but long when written out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::keyword::{self, Place};
use super::references::{self, References};
use super::{SchemaError, bounds};

/// How many schemas may be applied to one value, with references written out.
const MAX_EXPANDED: usize = 4_000;
/// How many schemas may be nested around one value, with references written out.
const MAX_CHAIN: usize = 64;
/// How many patterns a schema may have: each takes memory when compiled.
const MAX_PATTERNS: usize = 100;

/// Refuses a document that is not safe to compile.
pub(super) fn check(references: &References) -> Result<(), SchemaError> {
    let mut expansion = Expansion { references, known: BTreeMap::new() };
    let mut seen = BTreeSet::new();
    let mut waiting = vec![references.root()];
    let mut patterns = 0;
    while let Some(schema) = waiting.pop() {
        let Some(map) = schema.as_object().filter(|_| seen.insert(address(schema))) else {
            continue;
        };
        references::check_ground(map)?;
        patterns += count_patterns(map)?;
        if patterns > MAX_PATTERNS {
            return Err(SchemaError::TooLarge { limit: MAX_PATTERNS, unit: "patterns" });
        }
        expansion.size(schema, 0)?;
        for reference in keyword::references(map) {
            waiting.push(references.resolve(reference).ok_or(SchemaError::Unresolved)?);
        }
        waiting.extend(keyword::parts(map).iter().map(|part| part.schema));
    }
    Ok(())
}

/// Two schemas of one document are the same one exactly if they lie at the same address.
fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

fn count_patterns(schema: &Map<String, Value>) -> Result<usize, SchemaError> {
    let own = schema.get("pattern").and_then(Value::as_str);
    let names = schema.get("patternProperties").and_then(Value::as_object);
    let names = names.into_iter().flat_map(Map::keys).map(String::as_str);
    let mut count = 0;
    for pattern in own.into_iter().chain(names) {
        if pattern.len() > bounds::PATTERN_LENGTH {
            let unit = "bytes in a pattern";
            return Err(SchemaError::TooLarge { limit: bounds::PATTERN_LENGTH, unit });
        }
        count += 1;
    }
    Ok(count)
}

/// Counts how many schemas one schema applies to one value.
struct Expansion<'a> {
    references: &'a References,
    /// What was counted; `None` while it is being counted.
    known: BTreeMap<usize, Option<usize>>,
}

impl<'a> Expansion<'a> {
    fn size(&mut self, schema: &'a Value, chain: usize) -> Result<usize, SchemaError> {
        let Some(map) = schema.as_object() else { return Ok(1) };
        match self.known.get(&address(schema)) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => return Err(SchemaError::Cycle),
            None => {}
        }
        if chain > MAX_CHAIN {
            return Err(SchemaError::TooLarge { limit: MAX_CHAIN, unit: "schemas in a chain" });
        }
        self.known.insert(address(schema), None);
        let mut size = 1;
        for reference in keyword::references(map) {
            let target = self.references.resolve(reference).ok_or(SchemaError::Unresolved)?;
            size += self.size(target, chain + 1)?;
        }
        for part in keyword::parts(map) {
            if part.place == Place::Here {
                size += self.size(part.schema, chain + 1)?;
            }
        }
        if size > MAX_EXPANDED {
            let unit = "schemas for one value once its references are written out";
            return Err(SchemaError::TooLarge { limit: MAX_EXPANDED, unit });
        }
        self.known.insert(address(schema), Some(size));
        Ok(size)
    }
}
