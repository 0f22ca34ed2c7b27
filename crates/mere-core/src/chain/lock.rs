//! Lockfiles of chains: building one, and checking that a chain still matches it.
//!
//! A run must be exactly what was locked, tool by tool and field by field. The first difference is
//! reported.

use serde_json::{Value, json};

use super::Chain;
use crate::item::{ItemId, Lockfile, PinnedTool, ScopedPath, Version};

/// Stands for a value that is not told.
const WITHHELD: &str = "[withheld]";

/// The first difference between a chain and its lockfile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` of link {index}, `{id}`, is `{expected}` in the lockfile and `{found}` now")]
pub struct LockMismatch {
    /// The index of the tool in the chain, from 0 for the requested tool.
    pub index: usize,
    /// The tool's id, taken from the chain, or from the lockfile if the chain is shorter.
    pub id: ItemId,
    /// The field that differs: `tool_id`, `version`, `scope`, `category`, `integrity`, `executor`,
    /// `length` or `root.integrity`.
    pub field: &'static str,
    /// The value in the lockfile.
    pub expected: String,
    /// The value in the chain.
    pub found: String,
}

impl LockMismatch {
    /// Checks whether a digest differs.
    pub fn is_of_digest(&self) -> bool {
        matches!(self.field, "integrity" | "root.integrity")
    }

    /// Returns the difference without the two values.
    #[must_use]
    pub fn without_values(self) -> Self {
        Self { expected: WITHHELD.to_owned(), found: WITHHELD.to_owned(), ..self }
    }
}

/// Builds the lockfile of a chain, to be written at `at` in the space with this id.
///
/// [`Lockfile::parse`] accepts it if `at` is for this tool and version.
pub fn build_lockfile(chain: &Chain, at: &ScopedPath, space_id: &str) -> Value {
    let root = &chain.leaf().pin;
    let links = chain.pins().map(|pin| {
        json!({
            "tool_id": pin.id.as_str(), "version": pin.version.to_string(),
            "scope": scope_name(pin), "category": pin.category.as_str(),
            "integrity": pin.integrity.to_string(),
            "executor": pin.executor.as_ref().map(ItemId::as_str),
        })
    });
    json!({
        "lockfile_version": 1,
        "root": {
            "tool_id": root.id.as_str(), "version": root.version.to_string(),
            "integrity": root.integrity.to_string(),
        },
        "resolved_chain": links.collect::<Vec<_>>(),
        "registry": null,
        "metadata": {
            "tool_id": at.id.as_str(), "version": at.version.as_ref().map(Version::to_string),
            "category": at.category.as_str(), "scope": at.scope.name(), "space_id": space_id,
        },
    })
}

/// Refuses a chain that is not exactly what was locked.
pub fn check_lockfile(locked: &Lockfile, chain: &Chain) -> Result<(), LockMismatch> {
    let root = &chain.leaf().pin;
    let first_tool = PinField { index: 0, id: &root.id, field: "version" };
    first_tool.check_equal(locked.version.to_string(), root.version.to_string())?;
    for (index, (expected, found)) in locked.chain.iter().zip(chain.pins()).enumerate() {
        let fields = pin_fields(expected).into_iter().zip(pin_fields(found));
        for ((field, expected), (_, now)) in fields {
            PinField { index, id: &found.id, field }.check_equal(expected, now)?;
        }
    }
    let lengths = (locked.chain.len(), chain.pins().len());
    let first = lengths.0.min(lengths.1);
    if let Some(pin) = chain.pins().nth(first).or(locked.chain.get(first)) {
        let length = PinField { index: first, id: &pin.id, field: "length" };
        length.check_equal(lengths.0.to_string(), lengths.1.to_string())?;
    }
    let integrity = PinField { field: "root.integrity", ..first_tool };
    integrity.check_equal(locked.root_integrity.to_string(), root.integrity.to_string())
}

/// A field of one link that the lockfile pins.
#[derive(Clone, Copy)]
struct PinField<'a> {
    index: usize,
    id: &'a ItemId,
    field: &'static str,
}

impl PinField<'_> {
    fn check_equal(self, expected: String, found: String) -> Result<(), LockMismatch> {
        if expected == found {
            return Ok(());
        }
        let Self { index, id, field } = self;
        Err(LockMismatch { index, id: id.clone(), field, expected, found })
    }
}

/// Returns every field of a pin under its name in the lockfile.
fn pin_fields(pin: &PinnedTool) -> [(&'static str, String); 6] {
    let executor = pin.executor.as_ref().map_or("none", ItemId::as_str);
    [
        ("tool_id", pin.id.to_string()),
        ("version", pin.version.to_string()),
        ("scope", scope_name(pin).to_owned()),
        ("category", pin.category.to_string()),
        ("integrity", pin.integrity.to_string()),
        ("executor", executor.to_owned()),
    ]
}

fn scope_name(pin: &PinnedTool) -> &'static str {
    pin.scope.map_or("builtin", |scope| scope.name())
}
