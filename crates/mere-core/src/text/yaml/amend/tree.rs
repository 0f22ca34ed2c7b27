//! The positions of the mappings of a text, with all their keys.
//!
//! Values are located here, not parsed. The text has been parsed strictly before, so there are no
//! anchors, aliases and tags. Anything else that is not understood gives `None`, which means a
//! refusal.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, StructureStyle, options};

use super::{lines, position};

/// The tree of one document.
pub(super) struct DocumentTree {
    /// The offset of its first line: after a byte order mark and after `---`.
    pub(super) start: usize,
    /// The offset of its end: before `...`, if that is there.
    pub(super) end: usize,
    pub(super) root: ValueNode,
}

/// A value and its byte range. The range is empty if nothing is written.
pub(super) struct ValueNode {
    pub(super) start: usize,
    /// The end, before any blank lines and comments below it.
    pub(super) end: usize,
    pub(super) shape: NodeShape,
}

/// The shape of a value, as far as editing needs it.
pub(super) enum NodeShape {
    /// Nothing, or a word for null.
    Null,
    Mapping(MappingStyle, Vec<KeyValue>),
    /// A list, or any other scalar.
    Other,
}

/// How a mapping is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MappingStyle {
    /// One key per line.
    Block,
    /// In braces.
    Flow,
}

/// A key and its value.
pub(super) struct KeyValue {
    pub(super) name: String,
    /// The bytes of the key, quotes included.
    pub(super) key: Range<usize>,
    /// The offset after the colon.
    pub(super) colon: Option<usize>,
    pub(super) value: ValueNode,
}

impl DocumentTree {
    /// Locates everything in the only document of a text.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let parser = Parser::new_from_str_with_options(text, options! { emit_comments: false });
        let events = parser.map(|event| {
            let (event, span) = event.ok()?;
            span.byte_range().map(|range| (event, range))
        });
        let events = events.collect::<Option<Vec<_>>>()?.into_iter().peekable();
        TreeBuilder { text, events }.parse_document()
    }
}

impl ValueNode {
    /// Reports whether the value has any text.
    pub(super) fn is_written(&self) -> bool {
        self.start < self.end
    }

    /// Creates an empty value at an offset.
    fn empty_at(place: usize) -> Self {
        Self { start: place, end: place, shape: NodeShape::Null }
    }
}

struct TreeBuilder<'a> {
    text: &'a str,
    events: Peekable<IntoIter<(Event<'a>, Range<usize>)>>,
}

impl TreeBuilder<'_> {
    fn parse_document(mut self) -> Option<DocumentTree> {
        let mut start = position::after_byte_order_mark(self.text);
        let mut root = None;
        let mut end = self.text.len();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::DocumentStart(..) if root.is_some() => return None,
                Event::DocumentStart(is_marked, _) => {
                    if is_marked {
                        start = lines::next(self.text, range.end);
                    }
                    root = Some(self.parse_node(range.end)?);
                }
                Event::DocumentEnd if range.len() == 3 => end = range.start,
                _ => {}
            }
        }
        let root = root.unwrap_or_else(|| ValueNode::empty_at(end));
        Some(DocumentTree { start, end, root })
    }

    /// Takes the next value, which comes after the offset `behind`.
    fn parse_node(&mut self, behind: usize) -> Option<ValueNode> {
        let (event, range) = self.events.next()?;
        match event {
            Event::Scalar(value, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                Some(self.block_scalar(&value, range, behind))
            }
            Event::Scalar(_, ScalarStyle::Plain, ..) if range.is_empty() => {
                Some(ValueNode::empty_at(behind))
            }
            Event::Scalar(value, style, ..) => {
                let is_null = matches!(&*value, "~" | "null" | "Null" | "NULL");
                let is_null = is_null && style == ScalarStyle::Plain;
                let shape = if is_null { NodeShape::Null } else { NodeShape::Other };
                Some(ValueNode { start: range.start, end: range.end, shape })
            }
            Event::SequenceStart(..) => self.parse_list(range.start),
            Event::MappingStart(style, ..) => {
                let is_flow = style == StructureStyle::Flow;
                self.parse_mapping(
                    if is_flow { MappingStyle::Flow } else { MappingStyle::Block },
                    range.start,
                )
            }
            _ => None,
        }
    }

    /// Locates a text that begins with `|` or `>`. The parser reports the bytes of its content and
    /// of the blank lines below, which may belong to it.
    fn block_scalar(&self, value: &str, range: Range<usize>, behind: usize) -> ValueNode {
        let all = self.text.get(..range.end).unwrap_or_default();
        let keeps_blank_lines = value.ends_with("\n\n") || value == "\n";
        let end = if keeps_blank_lines {
            lines::start(self.text, all.len()).saturating_sub(1)
        } else {
            lines::trim_end(all).len()
        };
        ValueNode { start: position::skip_blank(self.text, behind), end, shape: NodeShape::Other }
    }

    fn parse_list(&mut self, start: usize) -> Option<ValueNode> {
        let mut end = start;
        loop {
            let (event, range) = self.events.peek()?;
            if matches!(event, Event::SequenceEnd) {
                end = end.max(if range.is_empty() { end } else { range.end });
                self.events.next();
                return Some(ValueNode { start, end, shape: NodeShape::Other });
            }
            let behind = range.start;
            end = self.parse_node(behind)?.end;
        }
    }

    fn parse_mapping(&mut self, style: MappingStyle, start: usize) -> Option<ValueNode> {
        let mut pairs = Vec::<KeyValue>::new();
        loop {
            let (event, range) = self.events.next()?;
            match event {
                Event::Scalar(name, ..) => {
                    let colon = position::after_colon(self.text, range.end);
                    let value = self.parse_node(colon.unwrap_or(range.end))?;
                    pairs.push(KeyValue { name: name.into_owned(), key: range, colon, value });
                }
                Event::MappingEnd => {
                    let end = pairs.last().map_or(start, |last| last.value.end);
                    let end = if range.is_empty() { end } else { range.end };
                    return Some(ValueNode { start, end, shape: NodeShape::Mapping(style, pairs) });
                }
                _ => return None,
            }
        }
    }
}
