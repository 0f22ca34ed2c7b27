//! Configurations as people write them, with numbered comments that know what they are about.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A text and its comments, by number.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) comments: Vec<Comment>,
}

/// What a comment is about.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    path: Vec<String>,
    /// Whether it is inside the value of that path.
    is_inner: bool,
}

impl Comment {
    /// Whether it is about this path or inside its value.
    pub(crate) fn is_about(&self, path: &[String]) -> bool {
        self.path.starts_with(path)
    }

    /// Whether it is inside the value of this path.
    pub(crate) fn is_inside(&self, path: &[String]) -> bool {
        self.is_about(path) && (self.is_inner || self.path.len() > path.len())
    }
}

/// A line ahead of a key or at the end of a mapping.
#[derive(Clone, Copy, Debug)]
enum Line {
    Blank,
    /// A comment in the column of the keys.
    Same,
    /// A comment that is further in.
    Deeper,
    /// A comment in the first column.
    First,
}

#[derive(Clone, Debug)]
struct Key {
    ahead: Vec<Line>,
    /// The key, and what is around it.
    name: (&'static str, &'static str),
    value: Shape,
    has_comment: bool,
}

#[derive(Clone, Debug)]
enum Shape {
    /// On the line of the key.
    Inline(&'static str),
    /// Lines further in.
    Lines(&'static [&'static str]),
    List,
    Block {
        step: usize,
        keys: Vec<Key>,
        end: Vec<Line>,
    },
    Flow {
        is_lined: bool,
        keys: Vec<Key>,
        has_comma: bool,
    },
}

/// The first would need quotes in braces.
const INLINE: [&str; 11] = [
    "words, and more",
    "",
    "~",
    "null",
    "{}",
    "{ }",
    "1",
    "'it''s'",
    "\"a: b # no\"",
    "http://x/#y",
    "[1, '}']",
];
const LINES: [&[&str]; 5] = [
    &["|", "# no comment", "", "  more"],
    &[">-", "", "folded"],
    &["'one", "", "two # no'"],
    &["one", "two"],
    &["", "'below'"],
];

fn keys(value: BoxedStrategy<Shape>) -> impl Strategy<Value = Vec<Key>> {
    let line = prop_oneof![
        3 => Just(Line::Blank), 3 => Just(Line::Same), 1 => Just(Line::Deeper),
        1 => Just(Line::First),
    ];
    let name = select(vec!["a", "b", "c", "d", "x y", "é", "new-er", "on"]);
    let quote = prop_oneof![3 => Just(""), 1 => Just("'"), 1 => Just("\"")];
    let key = (vec(line, 0..3), (name, quote), value, any::<bool>());
    let key =
        key.prop_map(|(ahead, name, value, has_comment)| Key { ahead, name, value, has_comment });
    vec(key, 1..4).prop_map(|mut keys| {
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(key.name.0));
        keys
    })
}

fn flow(depth: u32) -> BoxedStrategy<Shape> {
    let inline = select(&INLINE[1..]).prop_map(Shape::Inline);
    if depth == 0 {
        return inline.boxed();
    }
    let inner = keys(flow(depth - 1));
    let inner = (any::<bool>(), inner, any::<bool>());
    let inner =
        inner.prop_map(|(is_lined, keys, has_comma)| Shape::Flow { is_lined, keys, has_comma });
    prop_oneof![inline, inner].boxed()
}

fn shape(depth: u32) -> BoxedStrategy<Shape> {
    let leaf = prop_oneof![
        4 => select(&INLINE[..]).prop_map(Shape::Inline),
        2 => select(&LINES[..]).prop_map(Shape::Lines),
        1 => Just(Shape::List),
        3 => flow(2),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    prop_oneof![leaf, block(depth - 1), block(depth - 1)].boxed()
}

fn block(depth: u32) -> BoxedStrategy<Shape> {
    let line = prop_oneof![Just(Line::Blank), Just(Line::Same), Just(Line::Deeper)];
    let parts = (1..5_usize, keys(shape(depth)), vec(line, 0..3));
    parts.prop_map(|(step, keys, end)| Shape::Block { step, keys, end }).boxed()
}

/// Any configuration, with any line end, with or without the last one, a mark and `---`.
pub(crate) fn config() -> impl Strategy<Value = Written> {
    let around = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (block(3), around).prop_map(|(shape, (has_mark, has_dashes, is_open, is_dos))| {
        let mut writer = Writer { text: String::new(), comments: Vec::new(), last: Vec::new() };
        if has_mark {
            writer.text.push('\u{feff}');
        }
        if has_dashes {
            writer.text.push_str("---\n");
        }
        let Shape::Block { keys, end, .. } = shape else { unreachable!("a block") };
        writer.block(&keys, &end, 0, &[]);
        let mut text = writer.text;
        if is_open {
            text.truncate(text.trim_end().len());
        }
        let text = if is_dos { text.replace('\n', "\r\n") } else { text };
        Written { text, comments: writer.comments }
    })
}

struct Writer {
    text: String,
    comments: Vec<Comment>,
    /// The keys that are not over yet, with their columns.
    last: Vec<(usize, Vec<String>)>,
}

impl Writer {
    fn comment(&mut self, path: &[String], is_inner: bool) {
        self.text.extend(["# c", &self.comments.len().to_string()]);
        self.comments.push(Comment { path: path.to_vec(), is_inner });
    }

    fn pad(&mut self, column: usize) {
        self.text.push_str(&" ".repeat(column));
    }

    /// Lines in a mapping, ahead of the next key.
    fn lines(&mut self, lines: &[Line], column: usize, [mapping, next]: [&[String]; 2]) {
        for line in lines {
            match line {
                Line::Blank => {}
                Line::Same => {
                    self.pad(column);
                    self.comment(next, next == mapping);
                }
                Line::Deeper => {
                    self.pad(column + 3);
                    // The innermost key that it is further in than.
                    self.last.truncate(self.last.partition_point(|last| last.0 < column + 3));
                    let last = self.last.last().map(|last| last.1.clone());
                    self.comment(&last.unwrap_or_default(), true);
                }
                Line::First => self.comment(if column == 0 { next } else { mapping }, column > 0),
            }
            self.text.push('\n');
        }
    }

    fn block(&mut self, keys: &[Key], end: &[Line], column: usize, path: &[String]) {
        for key in keys {
            let own = [path, &[key.name.0.to_owned()]].concat();
            self.lines(&key.ahead, column, [path, &own]);
            self.last.truncate(self.last.partition_point(|last| last.0 < column));
            self.last.push((column, own.clone()));
            self.pad(column);
            self.key(key);
            self.value(key, column, &own);
            self.text.push('\n');
        }
        self.lines(end, column, [path, path]);
    }

    fn key(&mut self, key: &Key) {
        let (name, quote) = key.name;
        self.text.extend([quote, name, quote, ":"]);
    }

    /// What follows a colon, without the last line end.
    fn value(&mut self, key: &Key, column: usize, path: &[String]) {
        match &key.value {
            Shape::Inline("") | Shape::List | Shape::Block { .. } => {}
            Shape::Inline(text) => self.text.extend([" ", text]),
            Shape::Flow { .. } => {
                self.text.push(' ');
                self.flow(&key.value, column, path);
            }
            Shape::Lines(lines) => {
                let pad = " ".repeat(column + 2);
                let lines = lines.iter().enumerate().map(|(index, line)| match (index, *line) {
                    (0, line) => format!(" {line}"),
                    (_, "") => "\n".to_owned(),
                    (_, line) => format!("\n{pad}{line}"),
                });
                self.text.push_str(&lines.collect::<String>());
                return;
            }
        }
        if key.has_comment {
            self.text.push_str("  ");
            self.comment(path, false);
        }
        match &key.value {
            Shape::Block { step, keys, end } => {
                self.text.push('\n');
                self.block(keys, end, column + step, path);
                self.text.truncate(self.text.len() - 1);
            }
            Shape::List => {
                let pad = " ".repeat(column);
                self.text.extend(["\n", &pad, "- 1\n", &pad, "- a: "]);
                self.comment(path, true);
            }
            _ => {}
        }
    }

    fn flow(&mut self, shape: &Shape, column: usize, path: &[String]) {
        let Shape::Flow { is_lined, keys, has_comma } = shape else { return };
        self.text.push('{');
        for (index, key) in keys.iter().enumerate() {
            let own = [path, &[key.name.0.to_owned()]].concat();
            if *is_lined {
                self.text.push('\n');
                if matches!(key.ahead[..], [.., Line::Same]) {
                    self.pad(column + 2);
                    self.comment(&own, false);
                    self.text.push('\n');
                }
                self.pad(column + 2);
            }
            self.key(key);
            self.text.push(' ');
            match &key.value {
                Shape::Inline(text) => self.text.push_str(text),
                inner => self.flow(inner, column + 2, &own),
            }
            if *has_comma || index + 1 < keys.len() {
                self.text.push_str(if *is_lined { "," } else { ", " });
            }
            if *is_lined && key.has_comment {
                self.text.push(' ');
                self.comment(&own, false);
            }
        }
        if *is_lined {
            self.text.push('\n');
            self.pad(column + 1);
        }
        self.text.push('}');
    }
}
