//! Why tools do not make a chain: which link, which field, and what was expected there.
//!
//! Manifests are other people's texts, so a fault repeats ids and our own field names, never
//! values that nobody has checked.

use super::MAX_CHAIN_LENGTH;
use crate::item::{ItemId, Scope};
use crate::schema::{Problem, SchemaError};

/// Why a list of tools is no chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainFault {
    /// There is no tool at all.
    #[error("a chain has at least one tool")]
    Empty,
    /// There are more links than a chain may have.
    #[error("a chain has at most {MAX_CHAIN_LENGTH} tools, and this one has {found}")]
    TooDeep {
        /// How many there are.
        found: usize,
    },
    /// A tool is run by itself, by way of others or not.
    #[error("`{link}` is in the chain twice")]
    Cycle {
        /// Which tool.
        link: ItemId,
    },
    /// A manifest says something else than the pin of its tool.
    #[error("`{field}` of `{link}` is not {expected}")]
    ManifestMismatch {
        /// Which tool.
        link: ItemId,
        /// Which field of its manifest.
        field: &'static str,
        /// What it should say.
        expected: String,
    },
    /// The next tool is not the one that is asked for.
    #[error("`executor_id` of `{link}` is `{expected}`, but `{found}` comes next")]
    WrongExecutor {
        /// The tool that is run.
        link: ItemId,
        /// What it says runs it.
        expected: ItemId,
        /// What comes next.
        found: ItemId,
    },
    /// The last tool is run by one that is not there.
    #[error("`executor_id` of `{link}` is `{executor}`, and the chain ends before it")]
    MissingExecutor {
        /// The last tool.
        link: ItemId,
        /// What it says runs it.
        executor: ItemId,
    },
    /// The chain leads to a reserved name that has no tool yet.
    #[error("`executor_id` of `{link}` is `{executor}`, which is not run yet")]
    NotImplemented {
        /// The tool that needs it, or itself.
        link: ItemId,
        /// The reserved name.
        executor: ItemId,
    },
    /// Somebody's tool has a name that is kept for what ships in the binary.
    #[error("`{link}` is a reserved name, and the tool of scope {scope} may not have it")]
    ReservedName {
        /// The name.
        link: ItemId,
        /// Where the tool lives.
        scope: Scope,
    },
    /// A tool is said to ship in the binary, and does not, or not so.
    #[error("`{link}` is not a tool that ships in the binary")]
    NotBuiltin {
        /// Which tool.
        link: ItemId,
    },
    /// A primitive is run by nothing else, so nothing comes after it.
    #[error("`tool_type` of `{link}` is primitive, and it is not the last of the chain")]
    PrimitiveNotLast {
        /// Which tool.
        link: ItemId,
    },
    /// The last tool is no primitive, or one that does not ship in the binary.
    #[error("`{link}` ends the chain, and only a primitive that ships in the binary may")]
    EndsWithoutPrimitive {
        /// Which tool.
        link: ItemId,
    },
    /// One tool does not take another as what it runs.
    #[error("`{parent}` does not run `{child}`: {fault}")]
    Pair {
        /// The tool that would run the other.
        parent: ItemId,
        /// The tool that would be run.
        child: ItemId,
        /// Why not.
        fault: PairFault,
    },
}

/// Why a tool does not run another; fields are those of the one that would run it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairFault {
    /// It says of no tools at all that it runs them.
    #[error("its `validation.child_schemas` lists nothing")]
    NoChildSchemas,
    /// What it says cannot be understood.
    #[error("its `{field}` is not {expected}")]
    Malformed {
        /// Which field.
        field: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A schema of it is none.
    #[error("its `{field}` cannot be used: {error}")]
    InvalidSchema {
        /// Which field.
        field: String,
        /// Why.
        error: SchemaError,
    },
    /// It does not say that it runs tools like this.
    #[error("no `match` of its `validation.child_schemas` fits")]
    NoMatch,
    /// It runs tools like this, but this one is not as it should be.
    #[error("its `{field}` refuses the manifest: {}", join_problems(.problems))]
    SchemaMismatch {
        /// Which schema.
        field: String,
        /// What is wrong with the manifest of the other.
        problems: Vec<Problem>,
    },
}

/// Problems in one line.
pub(super) fn join_problems(problems: &[Problem]) -> String {
    let one = |problem: &Problem| match problem.pointer.as_str() {
        "" => problem.message.clone(),
        at => format!("`{at}` {}", problem.message),
    };
    problems.iter().map(one).collect::<Vec<_>>().join("; ")
}
