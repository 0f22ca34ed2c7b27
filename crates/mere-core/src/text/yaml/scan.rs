//! Lists the scalars of a text with their positions, and refuses tags and merge keys before
//! anything is deserialized.
//!
//! The deserializer silently accepts the standard tags and would mix merged keys with written ones,
//! so the events of its own parser are checked first. A text that the parser refuses is refused.

use std::borrow::Cow;
use std::ops::Range;

use serde_saphyr::granit_parser::{Event, Marker, Parser, ScalarStyle, options};

use super::{MAX_EVENTS, MAX_NODES, YamlError};

/// The role of a scalar in the collection that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScalarRole {
    /// A key of a mapping.
    Key,
    /// The value of a key.
    Value,
    /// An item of a list, or the whole text.
    Item,
}

/// One scalar, in the order of the text.
#[derive(Debug)]
pub(crate) struct Scalar<'a> {
    /// Its value.
    pub(crate) value: Cow<'a, str>,
    /// Its byte range, including quotes.
    pub(crate) range: Range<usize>,
    /// Its role.
    pub(crate) role: ScalarRole,
    /// How many collections it is in.
    pub(crate) depth: usize,
    /// Whether it is written without quotes, so that it may be something other than a text.
    pub(super) is_plain: bool,
    pub(super) start: Marker,
}

/// An open collection.
enum OpenCollection {
    List,
    /// A mapping, with the role of what comes next in it.
    Mapping(ScalarRole),
}

/// Returns all scalars. A tag or a merge key is an error.
pub(crate) fn scan_scalars(text: &str) -> Result<Vec<Scalar<'_>>, YamlError> {
    let mut scalars = Vec::new();
    let mut open = Vec::new();
    let mut nodes = 0;
    let options = options! { emit_comments: false };
    // The deserializer stops after that many events, so later ones need no check.
    for event in Parser::new_from_str_with_options(text, options).take(MAX_EVENTS) {
        let (event, span) =
            event.map_err(|error| error_at(*error.marker(), "it is not well-formed"))?;
        if event.tag().is_some() {
            let place = span.tag_start().unwrap_or(span.start);
            return Err(error_at(place, "tags are not allowed"));
        }
        // The deserializer would refuse this as well, but only after it has read everything up to
        // here again.
        nodes += usize::from(begins_node(&event));
        if nodes > MAX_NODES {
            return Err(error_at(span.start, "there are too many values"));
        }
        let depth = open.len();
        match event {
            Event::Scalar(value, style, ..) => {
                let scalar = Scalar {
                    value,
                    range: span.byte_range().unwrap_or_default(),
                    role: next_role(&mut open),
                    depth,
                    is_plain: style == ScalarStyle::Plain,
                    start: span.start,
                };
                if scalar.is_plain && scalar.role == ScalarRole::Key && scalar.value == "<<" {
                    return Err(error_at(span.start, "merge keys are not allowed"));
                }
                scalars.push(scalar);
            }
            Event::Alias(_) => {
                next_role(&mut open);
            }
            Event::SequenceStart(..) => {
                next_role(&mut open);
                open.push(OpenCollection::List);
            }
            Event::MappingStart(..) => {
                next_role(&mut open);
                open.push(OpenCollection::Mapping(ScalarRole::Key));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                open.pop();
            }
            _ => {}
        }
    }
    Ok(scalars)
}

fn begins_node(event: &Event<'_>) -> bool {
    matches!(event, Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..))
}

/// Returns the role of the node that begins here, and advances the collection around it.
fn next_role(open: &mut [OpenCollection]) -> ScalarRole {
    let Some(OpenCollection::Mapping(next)) = open.last_mut() else { return ScalarRole::Item };
    let then = if *next == ScalarRole::Key { ScalarRole::Value } else { ScalarRole::Key };
    std::mem::replace(next, then)
}

/// Creates an error at a position of the text.
pub(super) fn error_at(place: Marker, reason: &str) -> YamlError {
    let number = |number| u64::try_from(number).unwrap_or(u64::MAX);
    YamlError {
        line: number(place.line()).max(1),
        column: number(place.col()) + 1,
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_come_with_their_bytes_and_their_role() {
        let text = "\u{feff}a: 'é' # c\r\nb: [x, {y: \"z\"}]\r\nc:\r\n- |-\r\n  foo\r\n- ü\r\n";
        let found = scan_scalars(text).expect("scalars");
        let found = found.iter().map(|scalar| {
            let raw = text.get(scalar.range.clone()).expect("bytes of the text");
            (&*scalar.value, raw, scalar.role, scalar.depth)
        });
        let expected = [
            ("a", "a", ScalarRole::Key, 1),
            ("é", "'é'", ScalarRole::Value, 1),
            ("b", "b", ScalarRole::Key, 1),
            ("x", "x", ScalarRole::Item, 2),
            ("y", "y", ScalarRole::Key, 3),
            ("z", "\"z\"", ScalarRole::Value, 3),
            ("c", "c", ScalarRole::Key, 1),
            ("foo", "foo\r\n", ScalarRole::Item, 2),
            ("ü", "ü", ScalarRole::Item, 2),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn tags_and_merge_keys_are_refused_where_they_stand() {
        for (text, place) in [
            ("a: 1\nb: !!str 2", (2, 4)),
            ("a: !!binary aGk=", (1, 4)),
            ("a: ! x", (1, 4)),
            ("a: !own [x]", (1, 4)),
            ("a: !<tag:yaml.org,2002:str> x", (1, 4)),
            ("!!map {a: 1}", (1, 1)),
            ("!!str a: 1", (1, 1)),
            ("a: [!!null ]", (1, 5)),
            ("<<: {a: 1}", (1, 1)),
            ("a:\n  - {<<: {b: 1}}", (2, 6)),
            ("? <<\n: x", (1, 3)),
        ] {
            let error = scan_scalars(text).map(|_| ()).expect_err(text);
            assert_eq!((error.line, error.column), place, "{text}: {error}");
        }
        for text in ["a: '!x'", "a: \"<<\"", "'<<': 1", "a: <<", "- <<", "a: x!y", "", "[]"] {
            assert!(scan_scalars(text).is_ok(), "{text}");
        }
    }
}
