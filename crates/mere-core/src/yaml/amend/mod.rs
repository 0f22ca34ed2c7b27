//! Edits of one key of a YAML text that people write by hand, such as `config.yaml`.
//!
//! Every other line stays as it is, comments, blank lines, order and spelling included. The text is
//! edited by bytes and proved by values: it is read strictly before and after, and the new value is
//! the old one with exactly that change, the keys in the same order. What cannot be proved is
//! refused, so that a person edits it.
//!
//! What goes with a key: its lines, the comments further in below them, and the comment right above
//! it in the same column. The comment that begins the file stays. Blank lines stay.

mod block;
mod flow;
mod place;
mod tree;
mod write;

use serde_json::{Map, Value};

use crate::edit::{self, Edit};
use crate::json::StrictValue;
use crate::lines;
use tree::{DocumentTree, KeyValue, MappingStyle, NodeShape, ValueNode};

/// Why a text is not edited. The text is never repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AmendError {
    /// The text cannot be read strictly: it is no YAML, or has tags, anchors, aliases, merge keys,
    /// a key twice or more than one document.
    #[error("it is not one plain YAML document (line {line})")]
    Unreadable {
        /// The one-based line.
        line: u64,
    },
    /// There is no such key, or no key was named.
    #[error("there is no such key")]
    Missing,
    /// The key to be added is there, whatever its value is.
    #[error("the key is there already")]
    AlreadyExists,
    /// A list or a scalar is where keys are looked for.
    #[error("there is something other than a mapping on the way to the key")]
    NotAMapping,
    /// It is written in a way that cannot be edited with proof.
    #[error("it is written in a way that only a person can edit")]
    UnsupportedLayout,
}

/// Gives the key at the end of a path a value, and makes the mappings on the way that are missing
/// or empty. A new key is the last of its mapping.
///
/// An object becomes a block mapping, two spaces further in than its key; in braces, and as part of
/// a list, it is in braces as well. The comments inside a value that is replaced go with it.
pub fn set(text: &str, path: &[&str], value: &Value) -> Result<String, AmendError> {
    let file = ParsedFile::parse(text)?;
    let found = file.find(path)?;
    let edits = match found.rest {
        [] => found.last_step()?.replace(text, value),
        [key, below @ ..] => file.insert(&found, key, &nest(below, value)),
    };
    file.apply_and_check(edits, |whole| set_value(whole, path, value))
}

/// Gives a key that is not there a value, in the way of [`set`].
pub fn add(text: &str, path: &[&str], value: &Value) -> Result<String, AmendError> {
    if ParsedFile::parse(text)?.find(path)?.rest.is_empty() {
        return Err(AmendError::AlreadyExists);
    }
    set(text, path, value)
}

/// Takes a key away, with its value. The mapping that had it stays, and is `{}` if it was the last.
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
            block::remove(text, &file.tree, (step.pairs, step.index), owner)
        }
    };
    file.apply_and_check(edits, |whole| remove_value(whole, path))
}

/// A text that was read.
struct ParsedFile<'a> {
    text: &'a str,
    tree: DocumentTree,
    value: Value,
}

/// A key on the way, in the mapping that has it.
struct PathStep<'a> {
    node: &'a ValueNode,
    style: MappingStyle,
    pairs: &'a [KeyValue],
    index: usize,
}

/// How much of a path is there.
struct FoundPath<'a> {
    steps: Vec<PathStep<'a>>,
    /// What the keys that are there lead to.
    node: &'a ValueNode,
    /// The keys that are not.
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

    /// A new key in what was found.
    fn insert(&self, found: &FoundPath<'_>, key: &str, value: &Value) -> Option<Vec<Edit>> {
        let (text, node) = (self.text, found.node);
        let pairs = match &node.shape {
            NodeShape::Mapping(MappingStyle::Block, pairs) => {
                return block::append(text, pairs, key, value);
            }
            NodeShape::Mapping(MappingStyle::Flow, pairs) => Some(&**pairs),
            _ => None,
        };
        let in_braces = || flow::append(text, (node, pairs?), key, value);
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

    /// The edited text, if it says what it said with that one change.
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
        // As texts, since maps are equal in any order of their keys.
        let (value, expected) = (value.to_string(), expected.to_string());
        if value == expected { Ok(edited) } else { Err(AmendError::UnsupportedLayout) }
    }
}

impl<'a> FoundPath<'a> {
    /// The key that is there.
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

/// A value below keys.
fn nest(path: &[&str], value: &Value) -> Value {
    let below = |value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), value)]));
    path.iter().rev().fold(value.clone(), below)
}

/// What is proved of [`set`].
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

/// What is proved of [`remove`].
fn remove_value(whole: &mut Value, path: &[&str]) -> Option<()> {
    let (last, on_the_way) = path.split_last()?;
    let parent = on_the_way.iter().try_fold(whole, |value, key| value.get_mut(*key))?;
    parent.as_object_mut()?.shift_remove(*last).map(|_| ())
}
