//! Where the mappings of a text stand in it, with all their keys.
//!
//! Values are not read here, only found. The text has been read strictly before, so there are no
//! anchors, aliases and tags; what is still not understood is `None`, which is a refusal.

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use serde_saphyr::granit_parser::{Event, Parser, ScalarStyle, StructureStyle, options};

use super::{lines, place};

/// One document.
pub(super) struct Tree {
    /// Where its first line begins: after a byte order mark and after `---`.
    pub(super) start: usize,
    /// Where it ends: before `...`, if that is there.
    pub(super) end: usize,
    pub(super) root: Node,
}

/// A value and its bytes. Nothing that is written has none.
pub(super) struct Node {
    pub(super) start: usize,
    /// Blank lines and comments below it come after this.
    pub(super) end: usize,
    pub(super) shape: Shape,
}

/// What can be done with a value.
pub(super) enum Shape {
    /// Nothing, or a word for it.
    Null,
    Mapping(Style, Vec<Pair>),
    /// A list or another scalar.
    Other,
}

/// How a mapping is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// One key below the other.
    Block,
    /// In braces.
    Flow,
}

/// A key and what it has.
pub(super) struct Pair {
    pub(super) name: String,
    /// The bytes of the key, quotes included.
    pub(super) key: Range<usize>,
    /// The byte after the colon.
    pub(super) colon: Option<usize>,
    pub(super) value: Node,
}

impl Tree {
    /// Finds all of the only document.
    pub(super) fn of(text: &str) -> Option<Self> {
        let parser = Parser::new_from_str_with_options(text, options! { emit_comments: false });
        let events = parser.map(|event| {
            let (event, span) = event.ok()?;
            span.byte_range().map(|range| (event, range))
        });
        let events = events.collect::<Option<Vec<_>>>()?.into_iter().peekable();
        Builder { text, events }.document()
    }
}

impl Node {
    /// Whether there is anything to see of it.
    pub(super) fn is_written(&self) -> bool {
        self.start < self.end
    }

    /// Nothing at a place.
    fn nothing(place: usize) -> Self {
        Self { start: place, end: place, shape: Shape::Null }
    }
}

struct Builder<'a> {
    text: &'a str,
    events: Peekable<IntoIter<(Event<'a>, Range<usize>)>>,
}

impl Builder<'_> {
    fn document(mut self) -> Option<Tree> {
        let mut start = place::top(self.text);
        let mut root = None;
        let mut end = self.text.len();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::DocumentStart(..) if root.is_some() => return None,
                Event::DocumentStart(is_marked, _) => {
                    if is_marked {
                        start = lines::next(self.text, range.end);
                    }
                    root = Some(self.node(range.end)?);
                }
                Event::DocumentEnd if range.len() == 3 => end = range.start,
                _ => {}
            }
        }
        let root = root.unwrap_or_else(|| Node::nothing(end));
        Some(Tree { start, end, root })
    }

    /// The value that comes next, somewhere behind a place.
    fn node(&mut self, behind: usize) -> Option<Node> {
        let (event, range) = self.events.next()?;
        match event {
            Event::Scalar(value, ScalarStyle::Literal | ScalarStyle::Folded, ..) => {
                Some(self.block_scalar(&value, range, behind))
            }
            Event::Scalar(_, ScalarStyle::Plain, ..) if range.is_empty() => {
                Some(Node::nothing(behind))
            }
            Event::Scalar(value, style, ..) => {
                let is_null = matches!(&*value, "~" | "null" | "Null" | "NULL");
                let is_null = is_null && style == ScalarStyle::Plain;
                let shape = if is_null { Shape::Null } else { Shape::Other };
                Some(Node { start: range.start, end: range.end, shape })
            }
            Event::SequenceStart(..) => self.list(range.start),
            Event::MappingStart(style, ..) => {
                let is_flow = style == StructureStyle::Flow;
                self.mapping(if is_flow { Style::Flow } else { Style::Block }, range.start)
            }
            _ => None,
        }
    }

    /// A text that begins with `|` or `>`; the parser names the bytes of its content and of the
    /// blank lines below, which may belong to it.
    fn block_scalar(&self, value: &str, range: Range<usize>, behind: usize) -> Node {
        let all = self.text.get(..range.end).unwrap_or_default();
        let keeps_blank_lines = value.ends_with("\n\n") || value == "\n";
        let end = if keeps_blank_lines {
            lines::start(self.text, all.len()).saturating_sub(1)
        } else {
            lines::trimmed(all).len()
        };
        Node { start: place::filled(self.text, behind), end, shape: Shape::Other }
    }

    fn list(&mut self, start: usize) -> Option<Node> {
        let mut end = start;
        loop {
            let (event, range) = self.events.peek()?;
            if matches!(event, Event::SequenceEnd) {
                end = end.max(if range.is_empty() { end } else { range.end });
                self.events.next();
                return Some(Node { start, end, shape: Shape::Other });
            }
            let behind = range.start;
            end = self.node(behind)?.end;
        }
    }

    fn mapping(&mut self, style: Style, start: usize) -> Option<Node> {
        let mut pairs = Vec::<Pair>::new();
        loop {
            let (event, range) = self.events.next()?;
            match event {
                Event::Scalar(name, ..) => {
                    let colon = place::colon(self.text, range.end);
                    let value = self.node(colon.unwrap_or(range.end))?;
                    pairs.push(Pair { name: name.into_owned(), key: range, colon, value });
                }
                Event::MappingEnd => {
                    let end = pairs.last().map_or(start, |last| last.value.end);
                    let end = if range.is_empty() { end } else { range.end };
                    return Some(Node { start, end, shape: Shape::Mapping(style, pairs) });
                }
                _ => return None,
            }
        }
    }
}
