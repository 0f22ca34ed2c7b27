//! How large a schema and an instance may be, measured before anything else looks at them.

use serde_json::Value;

use super::{Problem, SchemaError};
use crate::canonical;

/// The longest schema, in bytes of canonical text.
const SCHEMA_LENGTH: usize = 64 * 1024;
const SCHEMA_DEPTH: usize = 32;
const SCHEMA_VALUES: usize = 2_000;

/// The longest pattern, in bytes.
pub(super) const PATTERN_LENGTH: usize = 4 * 1024;

const INSTANCE_DEPTH: usize = 64;
const INSTANCE_VALUES: usize = 10_000;

/// Refuses a schema that is too large.
pub(super) fn schema(value: &Value) -> Result<(), SchemaError> {
    // Depth comes first: the canonical text is written by a function that calls itself.
    let too_large = |limit, unit| Err(SchemaError::TooLarge { limit, unit });
    match measure(value, SCHEMA_DEPTH, SCHEMA_VALUES) {
        Err(Excess::Depth) => too_large(SCHEMA_DEPTH, "levels"),
        Err(Excess::Values) => too_large(SCHEMA_VALUES, "values"),
        Ok(()) if canonical::to_text(value).len() > SCHEMA_LENGTH => {
            too_large(SCHEMA_LENGTH, "bytes")
        }
        Ok(()) => Ok(()),
    }
}

/// Refuses an instance that is too large.
pub(super) fn instance(value: &Value) -> Result<(), Problem> {
    let what = match measure(value, INSTANCE_DEPTH, INSTANCE_VALUES) {
        Ok(()) => return Ok(()),
        Err(Excess::Depth) => format!("must have at most {INSTANCE_DEPTH} levels"),
        Err(Excess::Values) => format!("must have at most {INSTANCE_VALUES} values"),
    };
    Err(Problem { at: String::new(), what })
}

/// Which limit was passed.
enum Excess {
    Depth,
    Values,
}

/// Looks at no more values than are allowed, without calling itself.
fn measure(value: &Value, depth: usize, values: usize) -> Result<(), Excess> {
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
