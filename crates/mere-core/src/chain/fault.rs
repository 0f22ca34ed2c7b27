//! The reason why tools do not form a chain: which tool, which field, and what was expected there.
//!
//! Manifests are other people's texts, so a fault repeats ids and our own field names, never values
//! that nobody has checked.

use super::MAX_CHAIN_LENGTH;
use crate::item::{ItemId, Scope};
use crate::schema::{Problem, SchemaError};

/// The reason why a list of tools is not a chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainFault {
    /// The list is empty.
    #[error("a chain has at least one tool")]
    Empty,
    /// The list has more tools than a chain may have.
    #[error("a chain has at most {MAX_CHAIN_LENGTH} tools, and this one has {found}")]
    TooDeep {
        /// How many tools there are.
        found: usize,
    },
    /// A tool is run by itself, directly or through others.
    #[error("`{link}` is in the chain twice")]
    Cycle {
        /// The tool.
        link: ItemId,
    },
    /// A manifest contradicts the pin of its tool.
    #[error("`{field}` of `{link}` is not {expected}")]
    ManifestMismatch {
        /// The tool.
        link: ItemId,
        /// The field of its manifest.
        field: &'static str,
        /// A description of the expected value.
        expected: String,
    },
    /// The next tool is not the one that the manifest names as executor.
    #[error("`executor_id` of `{link}` is `{expected}`, but `{found}` comes next")]
    WrongExecutor {
        /// The tool that is run.
        link: ItemId,
        /// The executor its manifest names.
        expected: ItemId,
        /// The tool that comes next.
        found: ItemId,
    },
    /// The executor of the last tool is not in the chain.
    #[error("`executor_id` of `{link}` is `{executor}`, which is not in the chain")]
    MissingExecutor {
        /// The last tool.
        link: ItemId,
        /// The executor its manifest names.
        executor: ItemId,
    },
    /// A tool of some scope has a name that is reserved for the binary.
    #[error("`{link}` is a reserved name; a tool in scope {scope} must not use it")]
    ReservedName {
        /// The reserved name.
        link: ItemId,
        /// The scope of the tool.
        scope: Scope,
    },
    /// A tool claims to ship in the binary but does not, or differs from the one that does.
    #[error("`{link}` is not a tool that ships in the binary")]
    NotBuiltin {
        /// The tool.
        link: ItemId,
    },
    /// A primitive is not the last tool of the chain. Nothing runs a primitive, so it must be.
    #[error("`tool_type` of `{link}` is primitive, but it is not the last tool of the chain")]
    PrimitiveNotLast {
        /// The tool.
        link: ItemId,
    },
    /// The last tool is not a primitive that ships in the binary.
    #[error("the chain ends with `{link}`, but it must end with a primitive that ships with mere")]
    EndsWithoutPrimitive {
        /// The tool.
        link: ItemId,
    },
    /// One tool refuses to run another.
    #[error("`{parent}` does not run `{child}`: {fault}")]
    Pair {
        /// The tool that would run the other.
        parent: ItemId,
        /// The tool that would be run.
        child: ItemId,
        /// The reason.
        fault: PairFault,
    },
}

/// The reason why a tool does not run another. The fields are those of the tool that would run it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairFault {
    /// The manifest has no `validation.child_schemas`, so the tool runs no other.
    #[error("its `validation.child_schemas` is missing or empty")]
    NoChildSchemas,
    /// A field is malformed.
    #[error("its `{field}` is not {expected}")]
    Malformed {
        /// The field.
        field: String,
        /// A description of the expected value.
        expected: &'static str,
    },
    /// A schema is invalid.
    #[error("its `{field}` cannot be used: {error}")]
    InvalidSchema {
        /// The field.
        field: String,
        /// What is wrong with the schema.
        error: SchemaError,
    },
    /// No entry matches the other tool.
    #[error("no `match` in its `validation.child_schemas` matches")]
    NoMatch,
    /// An entry matches the other tool, but its schema refuses the manifest.
    #[error("its `{field}` refuses the manifest: {}", join_problems(.problems))]
    SchemaMismatch {
        /// The field of the schema.
        field: String,
        /// What is wrong with the other tool's manifest.
        problems: Vec<Problem>,
    },
}

/// Joins problems into one line.
pub(super) fn join_problems(problems: &[Problem]) -> String {
    let one = |problem: &Problem| match problem.pointer.as_str() {
        "" => problem.message.clone(),
        at => format!("`{at}` {}", problem.message),
    };
    problems.iter().map(one).collect::<Vec<_>>().join("; ")
}
