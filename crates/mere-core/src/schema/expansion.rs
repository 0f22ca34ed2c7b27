//! Checks a schema with its references followed, before there is an instance.
//!
//! It refuses references that lead nowhere, loops that never descend into the instance, and
//! schemas that are short as text but huge once their references are expanded.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::keyword::{self, AppliesTo};
use super::schema_document::{self, SchemaDocument};
use super::{SchemaError, bounds};

/// The most schemas that may be applied to one value, with references expanded.
const MAX_EXPANDED: usize = 4_000;
/// The most schemas that may be nested around one value, with references expanded.
const MAX_NESTING: usize = 64;
/// The most patterns of a schema, because each takes memory when it is compiled.
const MAX_PATTERNS: usize = 100;

/// Refuses a document that is not safe to compile.
pub(super) fn check(references: &SchemaDocument) -> Result<(), SchemaError> {
    let mut expansion = Expansion { references, sizes: BTreeMap::new() };
    let mut seen = BTreeSet::new();
    let mut waiting = vec![references.root()];
    let mut patterns = 0;
    while let Some(schema) = waiting.pop() {
        let Some(map) = schema.as_object().filter(|_| seen.insert(identity(schema))) else {
            continue;
        };
        schema_document::check_reference_base(map)?;
        patterns += count_patterns(map)?;
        if patterns > MAX_PATTERNS {
            return Err(SchemaError::TooLarge { limit: MAX_PATTERNS, unit: "patterns" });
        }
        expansion.expanded_size(schema, 0)?;
        for reference in keyword::references(map) {
            waiting.push(references.resolve(reference).ok_or(SchemaError::Unresolved)?);
        }
        waiting.extend(keyword::subschemas(map).iter().map(|part| part.schema));
    }
    Ok(())
}

/// Identifies a schema within its document by its address in memory.
fn identity(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

fn count_patterns(schema: &Map<String, Value>) -> Result<usize, SchemaError> {
    let own = schema.get("pattern").and_then(Value::as_str);
    let names = schema.get("patternProperties").and_then(Value::as_object);
    let names = names.into_iter().flat_map(Map::keys).map(String::as_str);
    let mut count = 0;
    for pattern in own.into_iter().chain(names) {
        if pattern.len() > bounds::MAX_PATTERN_BYTES {
            let unit = "bytes in a pattern";
            return Err(SchemaError::TooLarge { limit: bounds::MAX_PATTERN_BYTES, unit });
        }
        count += 1;
    }
    Ok(count)
}

/// Counts how many schemas one schema applies to one value.
struct Expansion<'a> {
    references: &'a SchemaDocument,
    /// The counts so far; `None` while a schema is being counted.
    sizes: BTreeMap<usize, Option<usize>>,
}

impl<'a> Expansion<'a> {
    fn expanded_size(&mut self, schema: &'a Value, chain: usize) -> Result<usize, SchemaError> {
        let Some(map) = schema.as_object() else { return Ok(1) };
        match self.sizes.get(&identity(schema)) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => return Err(SchemaError::Cycle),
            None => {}
        }
        if chain > MAX_NESTING {
            return Err(SchemaError::TooLarge { limit: MAX_NESTING, unit: "schemas in a chain" });
        }
        self.sizes.insert(identity(schema), None);
        let mut size = 1;
        for reference in keyword::references(map) {
            let target = self.references.resolve(reference).ok_or(SchemaError::Unresolved)?;
            size += self.expanded_size(target, chain + 1)?;
        }
        for part in keyword::subschemas(map) {
            if part.applies_to == AppliesTo::SameValue {
                size += self.expanded_size(part.schema, chain + 1)?;
            }
        }
        if size > MAX_EXPANDED {
            let unit = "schemas for one value once its references are expanded";
            return Err(SchemaError::TooLarge { limit: MAX_EXPANDED, unit });
        }
        self.sizes.insert(identity(schema), Some(size));
        Ok(size)
    }
}
