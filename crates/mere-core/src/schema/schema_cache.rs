//! Schemas that were compiled before: a server compiles the schemas of a chain once, not for every
//! run.
//!
//! What compiling gives depends on the text of a schema alone, so the text is the key. Only schemas
//! that compile are kept, and what they can take in memory is bounded.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{Schema, SchemaError, bounds};

/// The largest number of schemas that are kept: those of a few chains.
const MAX_SCHEMAS: usize = 24;
/// The longest text of a schema that is kept, in bytes.
const MAX_TEXT_BYTES: usize = 8 * 1024;
/// The largest number of patterns in a schema that is kept. What they compile to is most of its
/// memory.
const MAX_PATTERNS: usize = 8;

/// The schemas that this process has compiled.
static COMPILED: SchemaCache = SchemaCache { schemas: Mutex::new(Vec::new()) };

/// Compiled schemas by their texts.
struct SchemaCache {
    /// The one that was used last is at the end.
    schemas: Mutex<Vec<(String, Arc<Schema>)>>,
}

impl Schema {
    /// Returns a compiled schema, or the reason why it is refused. A schema that was compiled not
    /// long ago is not compiled again.
    pub fn compile_once(schema: &Value) -> Result<Arc<Self>, SchemaError> {
        COMPILED.compile(schema)
    }
}

impl SchemaCache {
    fn compile(&self, schema: &Value) -> Result<Arc<Schema>, SchemaError> {
        // The depth is checked before anything walks through it.
        bounds::check_schema(schema)?;
        let text = schema.to_string();
        if let Some(known) = self.find(&text) {
            return Ok(known);
        }
        let compiled = Arc::new(Schema::compile_bounded(schema)?);
        if is_small(&text) {
            self.keep(text, &compiled);
        }
        Ok(compiled)
    }

    /// Returns the schema with this text, if it is kept.
    fn find(&self, text: &str) -> Option<Arc<Schema>> {
        let mut schemas = self.lock();
        let at = schemas.iter().position(|(known, _)| known == text)?;
        let used = schemas.remove(at);
        let schema = Arc::clone(&used.1);
        schemas.push(used);
        Some(schema)
    }

    /// Keeps a schema, if there are too many instead of the one that was not used for longest.
    fn keep(&self, text: String, schema: &Arc<Schema>) {
        let mut schemas = self.lock();
        if schemas.len() >= MAX_SCHEMAS {
            schemas.remove(0);
        }
        schemas.push((text, Arc::clone(schema)));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(String, Arc<Schema>)>> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks whether a schema with this text takes little memory. The names of `patternProperties` are
/// patterns that are not counted, so it is not kept.
fn is_small(text: &str) -> bool {
    text.len() <= MAX_TEXT_BYTES
        && !text.contains("\"patternProperties\"")
        && text.matches("\"pattern\"").count() <= MAX_PATTERNS
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn empty() -> SchemaCache {
        SchemaCache { schemas: Mutex::default() }
    }

    /// Compiles a schema twice, and tells whether it was kept.
    fn is_kept(cache: &SchemaCache, schema: &Value) -> bool {
        let [one, other] = [(); 2].map(|()| cache.compile(schema).expect("the schema compiles"));
        Arc::ptr_eq(&one, &other)
    }

    #[test]
    fn a_schema_is_compiled_once() {
        let (cache, schema) = (empty(), json!({"type": "string"}));
        assert!(is_kept(&cache, &schema) && is_kept(&cache, &schema));
        let other = cache.compile(&json!({"type": "integer"})).expect("the schema compiles");
        assert!(!other.problems(&json!("a")).is_empty());
        let schema = cache.compile(&schema).expect("the schema compiles");
        assert!(schema.problems(&json!("a")).is_empty());
    }

    #[test]
    fn what_is_refused_stays_refused() {
        let (cache, schema) = (empty(), json!({"type": 5}));
        let refused = Schema::compile(&schema).expect_err("the schema is refused");
        for _ in 0..2 {
            assert_eq!(cache.compile(&schema).expect_err("it is refused"), refused);
        }
    }

    #[test]
    fn what_may_take_much_memory_is_not_kept() {
        let patterns = |count: usize| {
            let properties = (0..count).map(|n| (n.to_string(), json!({"pattern": "^a+$"})));
            json!({"properties": properties.collect::<Value>()})
        };
        let named = json!({"patternProperties": {"^a+$": true}});
        let long = json!({"title": "x".repeat(MAX_TEXT_BYTES)});
        for (schema, expected) in [
            (patterns(MAX_PATTERNS), true),
            (patterns(MAX_PATTERNS + 1), false),
            (named, false),
            (long, false),
        ] {
            assert_eq!(is_kept(&empty(), &schema), expected, "{schema}");
        }
    }

    #[test]
    fn what_was_not_used_for_longest_is_dropped() {
        let cache = empty();
        let titled = |title: usize| json!({"title": title.to_string()});
        for title in 0..MAX_SCHEMAS {
            assert!(is_kept(&cache, &titled(title)));
        }
        let [first, second] = [0, 1].map(|title| titled(title).to_string());
        assert!(cache.find(&first).is_some());
        assert!(is_kept(&cache, &titled(MAX_SCHEMAS)));
        assert_eq!(cache.lock().len(), MAX_SCHEMAS);
        assert!(cache.find(&first).is_some() && cache.find(&second).is_none());
    }
}
