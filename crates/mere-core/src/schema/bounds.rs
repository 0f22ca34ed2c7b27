//! The limits on the size of schemas and instances, which are checked before anything else.

use serde_json::Value;

use super::{Problem, SchemaError};
use crate::text::canonical;

/// The longest schema, in bytes of canonical text.
const MAX_SCHEMA_BYTES: usize = 64 * 1024;
const MAX_SCHEMA_DEPTH: usize = 32;
const MAX_SCHEMA_VALUES: usize = 2_000;

/// The longest pattern, in bytes.
pub(super) const MAX_PATTERN_BYTES: usize = 4 * 1024;

const MAX_INSTANCE_DEPTH: usize = 64;
const MAX_INSTANCE_VALUES: usize = 10_000;

/// Refuses a schema that is too large.
pub(super) fn check_schema(value: &Value) -> Result<(), SchemaError> {
    // Depth is checked first, because the canonical text is written recursively.
    let too_large = |limit, unit| Err(SchemaError::TooLarge { limit, unit });
    match check_size(value, MAX_SCHEMA_DEPTH, MAX_SCHEMA_VALUES) {
        Err(Excess::Depth) => too_large(MAX_SCHEMA_DEPTH, "levels"),
        Err(Excess::Values) => too_large(MAX_SCHEMA_VALUES, "values"),
        Ok(()) if canonical::to_text(value).len() > MAX_SCHEMA_BYTES => {
            too_large(MAX_SCHEMA_BYTES, "bytes")
        }
        Ok(()) => Ok(()),
    }
}

/// Refuses an instance that is too large.
pub(super) fn check_instance(value: &Value) -> Result<(), Problem> {
    let message = match check_size(value, MAX_INSTANCE_DEPTH, MAX_INSTANCE_VALUES) {
        Ok(()) => return Ok(()),
        Err(Excess::Depth) => format!("must have at most {MAX_INSTANCE_DEPTH} levels"),
        Err(Excess::Values) => format!("must have at most {MAX_INSTANCE_VALUES} values"),
    };
    Err(Problem { pointer: String::new(), message })
}

/// The limit that was exceeded.
enum Excess {
    Depth,
    Values,
}

/// Measures a value without recursion, and stops at the limits.
fn check_size(value: &Value, depth: usize, values: usize) -> Result<(), Excess> {
    let mut waiting = vec![(value, 1)];
    let mut seen = 0;
    while let Some((value, level)) = waiting.pop() {
        seen += 1;
        let below = match value {
            Value::Array(items) => items.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        if seen + waiting.len() + below > values {
            return Err(Excess::Values);
        }
        if level > depth {
            return Err(Excess::Depth);
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(map) => waiting.extend(map.values().map(|item| (item, level + 1))),
            _ => {}
        }
    }
    Ok(())
}
