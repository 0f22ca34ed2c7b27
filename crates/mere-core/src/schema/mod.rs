//! JSON Schema, draft 2020-12, with which authors describe their inputs and frontmatter.
//!
//! A schema comes with an item and its instance from an agent, so both are hostile until they are
//! bounded: nothing is fetched, patterns match in linear time, and the work of a check is counted
//! before the library runs. A problem repeats the schema, but never the instance's values.

mod bounds;
mod example;
mod expansion;
mod frontmatter;
mod inputs;
mod keyword;
mod messages;
mod near_names;
mod schema_cache;
mod schema_document;
#[cfg(test)]
mod tests;
mod work_budget;

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

pub use example::example;
pub use frontmatter::frontmatter_schema;
pub use inputs::{InputSpec, input_default, input_schema};
use schema_document::SchemaDocument;

/// The largest compiled pattern, in bytes.
const MAX_PATTERN_SIZE: usize = 128 * 1024;

/// The most problems that are reported at once.
pub const MAX_PROBLEMS: usize = 50;

/// A compiled schema that is safe to use.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    document: SchemaDocument,
}

/// One way in which an instance does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The JSON pointer of the value in the instance; empty for the whole.
    pub pointer: String,
    /// A description of what was expected there.
    pub message: String,
}

/// The reason why a schema is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// It is too long, too deep or has too many values.
    #[error("the schema has more than {limit} {unit}")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// The unit of the limit.
        unit: &'static str,
    },
    /// `$schema` names something other than draft 2020-12.
    #[error("`$schema` names a draft other than 2020-12")]
    OtherDraft,
    /// A part of the schema has an `$id` of its own.
    #[error("`$id` is only allowed at the top of the schema")]
    NestedId,
    /// Two parts have the same anchor.
    #[error("an `$anchor` is used twice")]
    DuplicateAnchor,
    /// A reference leads out of the document, or to nothing in it.
    #[error("a `$ref` does not lead to a schema in this document; write it as `#/$defs/name`")]
    Unresolved,
    /// A reference leads back to itself without descending into the instance.
    #[error("a `$ref` leads back to itself")]
    Cycle,
    /// It is not a valid schema.
    #[error("the schema is invalid at `{at}`: {what}")]
    Invalid {
        /// The JSON pointer of the part in the schema.
        at: String,
        /// A description of what was expected there.
        what: String,
    },
}

impl Schema {
    /// Compiles a schema, or returns the reason why it is refused.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        bounds::check_schema(schema)?;
        Self::compile_bounded(schema)
    }

    /// Does the same for a schema whose size was checked.
    fn compile_bounded(schema: &Value) -> Result<Self, SchemaError> {
        let references = SchemaDocument::parse(schema)?;
        expansion::check(&references)?;
        let patterns = PatternOptions::regex().size_limit(MAX_PATTERN_SIZE);
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .offline()
            .with_pattern_options(patterns.dfa_size_limit(2 * MAX_PATTERN_SIZE))
            .should_validate_formats(true)
            .with_format("regex", is_pattern)
            .build(references.root())
            .map_err(|error| messages::describe_schema_error(&error))?;
        Ok(Self { validator, document: references })
    }

    /// Returns every way in which the instance does not fit, up to [`MAX_PROBLEMS`].
    ///
    /// An instance that is too large to check has that one problem, so it is never let through.
    pub fn problems(&self, instance: &Value) -> Vec<Problem> {
        if let Err(problem) = bounds::check_instance(instance) {
            return vec![problem];
        }
        if !work_budget::is_within_budget(&self.document, instance) {
            let message = "is too expensive to check against the schema".to_owned();
            return vec![Problem { pointer: String::new(), message }];
        }
        let mut problems = Vec::new();
        for error in self.validator.iter_errors(instance) {
            let problem = messages::describe_problem(&error, self.document.root(), instance);
            // Two branches may report the same problem.
            if !problems.contains(&problem) {
                problems.push(problem);
            }
            if problems.len() == MAX_PROBLEMS {
                break;
            }
        }
        problems
    }
}

/// Checks whether a pattern would be accepted, without compiling it.
fn is_pattern(text: &str) -> bool {
    text.len() <= bounds::MAX_PATTERN_BYTES && regex_automata::util::syntax::parse(text).is_ok()
}
