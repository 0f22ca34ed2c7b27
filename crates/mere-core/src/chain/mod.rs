//! How a tool is run: by another, which is run by another, down to a primitive.
//!
//! A [`Chain`] is the proof that its tools fit together; that each of them is what was signed is
//! said elsewhere (`trust`). [`Chain::config`] merges what they say, [`Config::environment`] says
//! which variables need values, [`Config::fill`] puts values in, and [`Filled::subprocess`] checks
//! it all and says what to run: one is made of the other, so none is left out. Nothing is run here.

pub mod builtin;
mod config;
mod entrypoint;
mod environment;
mod fault;
mod fill;
mod pair;
mod parameters;
pub mod pin;
mod subprocess;
mod template;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

pub use config::{Config, ConfigFault};
pub use entrypoint::{Entrypoint, EntrypointFault};
pub use environment::EnvSource;
pub use fault::{ChainFault, PairFault};
pub use fill::{FillFault, Filled, MAX_ARGUMENT_BYTES, MAX_ARGUMENTS, Values};
pub use parameters::{ParametersFault, input_schema_of, with_defaults, with_texts};
pub use subprocess::{Stdin, Subprocess, SubprocessFault};

use crate::digest::Sha256;
use crate::item::{ItemId, Link, ScopedPath, ToolManifest};

/// How many tools a chain may have.
pub const MAX_DEPTH: usize = 10;

/// One tool of a chain: what a lockfile says of it, and its manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// What it is pinned to.
    pub pin: Link,
    /// All of its manifest.
    pub manifest: Map<String, Value>,
}

/// Tools that fit together, the one that is asked for first and a primitive last.
#[derive(Clone, Debug)]
pub struct Chain {
    /// At least one.
    members: Vec<Member>,
}

impl Member {
    /// The tool that lies at `at`, with its canonical hash.
    pub fn new(tool: ToolManifest, at: &ScopedPath, integrity: Sha256) -> Self {
        let pin = Link {
            id: at.id.clone(),
            version: tool.version,
            scope: Some(at.scope),
            category: at.category.clone(),
            integrity,
            executor: tool.executor,
        };
        Self { pin, manifest: tool.manifest }
    }

    fn is_primitive(&self) -> bool {
        self.manifest.get("tool_type").is_some_and(|kind| kind == "primitive")
    }
}

impl Chain {
    /// The tools as a chain, if they are one: leaf first.
    pub fn new(members: Vec<Member>) -> Result<Self, ChainFault> {
        check_length(&members)?;
        members.iter().try_for_each(check_name)?;
        members.iter().try_for_each(check_stated)?;
        for pair in members.windows(2) {
            check_link(&pair[0], &pair[1])?;
        }
        members.last().map_or(Err(ChainFault::Empty), check_end)?;
        for pair in members.windows(2) {
            let (child, parent) = (&pair[0], &pair[1]);
            pair::check(parent, child).map_err(|fault| ChainFault::Pair {
                parent: parent.pin.id.clone(),
                child: child.pin.id.clone(),
                fault,
            })?;
        }
        Ok(Self { members })
    }

    /// All of its tools, the one that is asked for first.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The tool that is asked for.
    pub fn leaf(&self) -> &Member {
        &self.members[0]
    }

    /// What runs all the others.
    pub fn primitive(&self) -> &Member {
        &self.members[self.members.len() - 1]
    }

    /// What each tool is pinned to, in their order.
    pub fn pins(&self) -> impl DoubleEndedIterator<Item = &Link> + ExactSizeIterator {
        self.members.iter().map(|member| &member.pin)
    }
}

/// A cycle comes first: whoever follows one has a list that is too long, too.
fn check_length(members: &[Member]) -> Result<(), ChainFault> {
    let mut seen = BTreeSet::new();
    if let Some(again) = members.iter().find(|member| !seen.insert(&member.pin.id)) {
        return Err(ChainFault::Cycle { link: again.pin.id.clone() });
    }
    match members.len() {
        0 => Err(ChainFault::Empty),
        1..=MAX_DEPTH => Ok(()),
        found => Err(ChainFault::TooDeep { found }),
    }
}

/// What ships in the binary is what it says, and nothing else has its names.
fn check_name(member: &Member) -> Result<(), ChainFault> {
    let link = member.pin.id.clone();
    let is_reserved = builtin::is_reserved(&link);
    match (member.pin.scope, builtin::find(&link)) {
        (Some(scope), _) if is_reserved => Err(ChainFault::Reserved { link, scope }),
        (Some(_), _) => Ok(()),
        (None, Some(shipped)) if shipped == *member => Ok(()),
        (None, None) if is_reserved => Err(ChainFault::NotRunYet { executor: link.clone(), link }),
        (None, _) => Err(ChainFault::NotShipped { link }),
    }
}

/// A manifest says what its pin says.
fn check_stated(member: &Member) -> Result<(), ChainFault> {
    let Member { pin, manifest } = member;
    let wrong = |field, expected| Err(ChainFault::Stated { link: pin.id.clone(), field, expected });
    let said = |field| match manifest.get(field) {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_str().map(Some),
    };
    let version = pin.version.to_string();
    for (field, expected) in [("tool_id", pin.id.as_str()), ("version", version.as_str())] {
        if said(field) != Some(Some(expected)) {
            return wrong(field, format!("`{expected}`"));
        }
    }
    let executor = pin.executor.as_ref().map(ItemId::as_str);
    if said("executor_id") != Some(executor) {
        let expected = executor.map_or("left out".to_owned(), |executor| format!("`{executor}`"));
        return wrong("executor_id", expected);
    }
    let category = pin.category.as_str();
    if !matches!(said("category"), Some(stated) if stated.is_none_or(|one| one == category)) {
        return wrong("category", format!("`{category}`"));
    }
    match said("tool_type") {
        Some(Some(_)) => Ok(()),
        _ => wrong("tool_type", "a kind of tools".to_owned()),
    }
}

fn check_link(child: &Member, parent: &Member) -> Result<(), ChainFault> {
    let (link, found) = (child.pin.id.clone(), parent.pin.id.clone());
    match &child.pin.executor {
        _ if child.is_primitive() => Err(ChainFault::PrimitiveWithin { link }),
        Some(executor) if *executor == found => Ok(()),
        Some(executor) => Err(ChainFault::Unlinked { link, expected: executor.clone(), found }),
        None => {
            let expected = format!("`{found}`");
            Err(ChainFault::Stated { link, field: "executor_id", expected })
        }
    }
}

fn check_end(last: &Member) -> Result<(), ChainFault> {
    let link = last.pin.id.clone();
    match &last.pin.executor {
        None if last.is_primitive() && last.pin.scope.is_none() => Ok(()),
        Some(executor) if !last.is_primitive() => {
            let executor = executor.clone();
            if builtin::is_reserved(&executor) && builtin::find(&executor).is_none() {
                return Err(ChainFault::NotRunYet { link, executor });
            }
            Err(ChainFault::Unfinished { link, executor })
        }
        _ => Err(ChainFault::NoPrimitive { link }),
    }
}
