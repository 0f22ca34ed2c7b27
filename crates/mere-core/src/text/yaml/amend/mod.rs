//! Edits one key of a YAML text that people write by hand, such as `config.yaml`.
//!
//! Every other line stays as it is. The text is edited by bytes and checked by values: it is parsed
//! strictly before and after, and must differ by exactly that change, with the keys in the same
//! order. What cannot be checked is refused, so that a person edits it.
//!
//! With a key go its lines, the comments indented further below them, and the comment directly
//! above it in the same column. Blank lines and the comment that begins the file stay.

mod block;
mod flow;
mod position;
mod tree;
mod writer;

use serde_json::{Map, Value};

use crate::text::edit::Edit;
use crate::text::json::StrictValue;
use crate::text::{edit, lines};
use tree::{DocumentTree, KeyValue, MappingStyle, NodeShape, ValueNode};

/// The reason why a text cannot be edited. The error never repeats the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmendError {
    /// The text cannot be parsed strictly: it is not YAML, or it has tags, anchors, aliases, merge
    /// keys, a duplicate key or more than one document.
    #[error("it is not one plain YAML document (line {line})")]
    Unreadable {
        /// The line, from 1.
        line: u64,
    },
    /// The key does not exist, or no key was named.
    #[error("there is no such key")]
    Missing,
    /// The key to be added exists already, whatever its value is.
    #[error("the key already exists")]
    AlreadyExists,
    /// There is a list or a scalar where a mapping is expected.
    #[error("something on the path to the key is not a mapping")]
    NotAMapping,
    /// The text is laid out in a way that cannot be edited and checked.
    #[error("it is written in a way that only a person can edit safely")]
    UnsupportedLayout,
}

/// Sets the key at the end of a path, and creates the mappings on the way that are missing or
/// empty. A new key becomes the last of its mapping.
///
/// An object becomes a block mapping, indented two spaces more than its key; inside braces, or as
/// part of a list, it is written in braces as well. The comments inside a replaced value are
/// removed with it.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<String, AmendError> {
    let file = ParsedFile::parse(text)?;
    let found = file.find(path)?;
    let edits = match found.rest {
        [] => found.last_step()?.replace(text, value),
        [key, below @ ..] => file.insert(&found, key, &nest(below, value)),
    };
    file.apply_and_check(edits, |whole| set_value(whole, path, value))
}

/// Adds a key that does not exist yet, in the way of [`set`].
pub fn add(text: &str, path: &[&str], value: &Value) -> Result<String, AmendError> {
    if ParsedFile::parse(text)?.find(path)?.rest.is_empty() {
        return Err(AmendError::AlreadyExists);
    }
    set(text, path, value)
}

/// Removes a key with its value. The mapping that had it stays, and becomes `{}` if the key was its
/// last.
pub fn remove(text: &str, path: &[&str]) -> Result<String, AmendError> {
    let file = ParsedFile::parse(text)?;
    let found = file.find(path)?;
    if !found.rest.is_empty() {
        return Err(AmendError::Missing);
    }
    let step = found.last_step()?;
    let edits = match step.style {
        MappingStyle::Flow => flow::remove(text, step.node, step.pairs, step.index),
        MappingStyle::Block => {
            let owner = found.steps.iter().nth_back(1).map(PathStep::pair);
            block::remove(text, &file.tree, step, owner)
        }
    };
    file.apply_and_check(edits, |whole| remove_value(whole, path))
}

/// A text that was parsed.
struct ParsedFile<'a> {
    text: &'a str,
    tree: DocumentTree,
    value: Value,
}

/// One key of a path, in the mapping that has it.
struct PathStep<'a> {
    node: &'a ValueNode,
    style: MappingStyle,
    pairs: &'a [KeyValue],
    index: usize,
}

/// The part of a path that exists.
struct FoundPath<'a> {
    steps: Vec<PathStep<'a>>,
    /// The node that the existing keys lead to.
    node: &'a ValueNode,
    /// The keys that do not exist.
    rest: &'a [&'a str],
}

impl<'a> ParsedFile<'a> {
    fn parse(text: &'a str) -> Result<Self, AmendError> {
        let value = super::parse::<StrictValue>(text);
        let value = value.map_err(|error| AmendError::Unreadable { line: error.line })?;
        let tree = DocumentTree::parse(text).ok_or(AmendError::UnsupportedLayout)?;
        Ok(Self { text, tree, value: value.0 })
    }

    fn find<'b>(&'b self, path: &'b [&'b str]) -> Result<FoundPath<'b>, AmendError> {
        let mut found = FoundPath { steps: Vec::new(), node: &self.tree.root, rest: path };
        if path.is_empty() {
            return Err(AmendError::Missing);
        }
        while let [key, rest @ ..] = found.rest {
            let (style, pairs) = match &found.node.shape {
                NodeShape::Null => break,
                NodeShape::Other => return Err(AmendError::NotAMapping),
                NodeShape::Mapping(style, pairs) => (*style, &**pairs),
            };
            let Some(index) = pairs.iter().position(|pair| pair.name == *key) else { break };
            found.steps.push(PathStep { node: found.node, style, pairs, index });
            found.node = &pairs[index].value;
            found.rest = rest;
        }
        Ok(found)
    }

    /// Returns the edits that add a key below the existing part of a path.
    fn insert(&self, found: &FoundPath<'_>, key: &str, value: &Value) -> Option<Vec<Edit>> {
        let (text, node) = (self.text, found.node);
        let pairs = match &node.shape {
            NodeShape::Mapping(MappingStyle::Block, pairs) => {
                return block::append(text, pairs, key, value);
            }
            NodeShape::Mapping(MappingStyle::Flow, pairs) => Some(&**pairs),
            _ => None,
        };
        let in_braces = || flow::append(text, node, key, value);
        if pairs.is_some_and(|pairs| !pairs.is_empty()) {
            return in_braces();
        }
        let map = || Map::from_iter([(key.to_owned(), value.clone())]);
        match found.steps.last() {
            None => block::insert_first(text, &self.tree, key, value).or_else(in_braces),
            Some(step) if step.style == MappingStyle::Block => {
                block::fill_empty(text, step.pair(), map()).or_else(in_braces)
            }
            Some(step) => in_braces().or_else(|| step.replace(text, &Value::Object(map()))),
        }
    }

    /// Applies the edits and checks that the result has the old value with exactly that one change.
    fn apply_and_check(
        self,
        edits: Option<Vec<Edit>>,
        change: impl FnOnce(&mut Value) -> Option<()>,
    ) -> Result<String, AmendError> {
        let mut expected = self.value;
        let edits = edits.zip(change(&mut expected)).ok_or(AmendError::UnsupportedLayout)?.0;
        let edited = edit::apply_edits(self.text, edits);
        let value =
            super::parse::<StrictValue>(&edited).map_err(|_| AmendError::UnsupportedLayout)?.0;
        // The values are compared as texts, because maps are equal in any order of their keys.
        let (value, expected) = (value.to_string(), expected.to_string());
        if value == expected { Ok(edited) } else { Err(AmendError::UnsupportedLayout) }
    }
}

impl<'a> FoundPath<'a> {
    /// Returns the last key of the path that exists.
    fn last_step(&self) -> Result<&PathStep<'a>, AmendError> {
        self.steps.last().ok_or(AmendError::Missing)
    }
}

impl<'a> PathStep<'a> {
    fn pair(&self) -> &'a KeyValue {
        &self.pairs[self.index]
    }

    fn replace(&self, text: &str, value: &Value) -> Option<Vec<Edit>> {
        match self.style {
            MappingStyle::Block => block::replace(text, self.pair(), value),
            MappingStyle::Flow => Some(flow::replace(self.pair(), value)),
        }
    }
}

/// Wraps a value in mappings, one for each key.
fn nest(path: &[&str], value: &Value) -> Value {
    let below = |value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), value)]));
    path.iter().rev().fold(value.clone(), below)
}

/// Makes the change of [`set`] to a parsed value, for the check.
fn set_value(whole: &mut Value, path: &[&str], value: &Value) -> Option<()> {
    let [key, rest @ ..] = path else {
        *whole = value.clone();
        return Some(());
    };
    if whole.is_null() {
        *whole = Value::Object(Map::new());
    }
    set_value(whole.as_object_mut()?.entry(*key).or_insert(Value::Null), rest, value)
}

/// Makes the change of [`remove`] to a parsed value, for the check.
fn remove_value(whole: &mut Value, path: &[&str]) -> Option<()> {
    let (last, on_the_way) = path.split_last()?;
    let parent = on_the_way.iter().try_fold(whole, |value, key| value.get_mut(*key))?;
    parent.as_object_mut()?.shift_remove(*last).map(|_| ())
}
