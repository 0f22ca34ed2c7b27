//! A picture for a terminal: a tree around an entry, or a list of all entries with their links.
//!
//! In a tree each entry is described once and each link drawn once: what was come to on another way
//! is named, and not followed again.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use crate::graph::label;
use crate::graph::walk::{Reached, Step};
use crate::graph::{Direction, NodeId, Picture, Trouble};
use crate::item::Relation;

/// The longest title in columns.
const TITLE: usize = 56;
/// The longest name of something that is not there.
const TARGET: usize = 80;

impl Picture<'_> {
    /// The picture for a terminal.
    pub fn text(&self) -> String {
        let mut out = match self.focus {
            Some(focus) => Tree::new(self, focus).draw(focus),
            None => self.listing(),
        };
        if self.left_out > 0 {
            let _ = writeln!(out, "… and {} more", self.left_out);
        }
        out
    }

    fn listing(&self) -> String {
        let mut out = String::new();
        let mut strokes = self.strokes.iter().peekable();
        for (index, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(out, "{}", self.described(*node));
            while let Some(stroke) = strokes.next_if(|stroke| stroke.from == index) {
                let arrow = if stroke.relation.is_symmetric() { '↔' } else { '→' };
                let _ = writeln!(out, "  {} {arrow} {}", stroke.relation, self.node(stroke.to));
            }
            for line in self.loose_lines(*node) {
                let _ = writeln!(out, "  {line}");
            }
        }
        out
    }

    fn described(&self, node: NodeId) -> String {
        let entry = self.graph.node(node);
        let mut line = entry.to_string();
        let title = label::fit(&entry.title, TITLE);
        if !title.is_empty() && title != entry.id.as_str() {
            let _ = write!(line, " · {title}");
        }
        if let Some(entry_type) = &entry.entry_type {
            let _ = write!(line, " ({})", label::fit(entry_type, TITLE));
        }
        if self.graph.is_superseded(node) {
            line.push_str(" [superseded]");
        }
        line
    }

    fn loose_lines(&self, node: NodeId) -> Vec<String> {
        let loose = self.graph.loose(node).iter();
        let loose = loose.filter(|loose| self.walk.relations.contains(loose.relation));
        let lines = loose.map(|loose| {
            let why = match loose.trouble {
                Trouble::Dangling => "not there",
                Trouble::Ambiguous => "fits several",
            };
            format!("{} → {} [{why}]", loose.relation, label::fit(&loose.target, TARGET))
        });
        lines.collect()
    }
}

/// A link, whichever end it is seen from.
type Seen = (NodeId, NodeId, Relation);

/// A tree of what a walk found.
struct Tree<'a> {
    picture: &'a Picture<'a>,
    found: HashMap<NodeId, (Step, Reached)>,
    drawn: HashSet<Seen>,
}

/// A line of a tree that is still to be written.
enum Line {
    Entry { indent: String, is_last: bool, step: Step, from: NodeId },
    Words { indent: String, is_last: bool, words: String },
}

impl<'a> Tree<'a> {
    fn new(picture: &'a Picture<'a>, focus: NodeId) -> Self {
        let found = picture.graph.reach(focus, &picture.walk).into_iter().take(picture.walk.limit);
        let found = found.map(|(step, reached)| (reached.node, (step, reached)));
        let found = found.collect::<HashMap<_, _>>();
        let drawn = found.values().map(|(step, reached)| seen(reached.via, *step)).collect();
        Self { picture, found, drawn }
    }

    fn draw(mut self, focus: NodeId) -> String {
        let mut out = format!("{}\n", self.picture.described(focus));
        let mut lines = self.below(focus, "");
        let loose = self.picture.loose_lines(focus);
        if let (Some(Line::Entry { is_last, .. }), false) = (lines.last_mut(), loose.is_empty()) {
            *is_last = false;
        }
        let count = loose.len();
        lines.extend(loose.into_iter().enumerate().map(|(at, words)| Line::Words {
            indent: String::new(),
            is_last: at + 1 == count,
            words,
        }));
        lines.reverse();
        while let Some(line) = lines.pop() {
            match line {
                Line::Words { indent, is_last, words } => {
                    let _ = writeln!(out, "{indent}{} {words}", branch(is_last));
                }
                Line::Entry { indent, is_last, step, from } => {
                    let words = self.link(step, from);
                    let _ = writeln!(out, "{indent}{} {words}", branch(is_last));
                    if self.is_child(from, step) {
                        let indent = indent + if is_last { "   " } else { "│  " };
                        lines.extend(self.below(step.to, &indent).into_iter().rev());
                    }
                }
            }
        }
        out
    }

    /// The lines below an entry: what hangs there, and links to what hangs elsewhere.
    fn below(&mut self, from: NodeId, indent: &str) -> Vec<Line> {
        let steps = self.picture.graph.steps(from, &self.picture.walk).into_iter();
        let steps = steps.filter(|step| {
            let is_shown = self.found.contains_key(&step.to) || self.picture.focus == Some(step.to);
            self.is_child(from, *step) || is_shown && self.drawn.insert(seen(from, *step))
        });
        let steps = steps.collect::<Vec<_>>();
        let count = steps.len();
        let lines = steps.into_iter().enumerate().map(|(at, step)| Line::Entry {
            indent: indent.to_owned(),
            is_last: at + 1 == count,
            step,
            from,
        });
        lines.collect()
    }

    fn is_child(&self, from: NodeId, step: Step) -> bool {
        let found = self.found.get(&step.to);
        found.is_some_and(|(first, reached)| reached.via == from && *first == step)
    }

    fn link(&self, step: Step, from: NodeId) -> String {
        let relation = step.relation;
        let link = match step.direction {
            Direction::Outgoing => format!("{relation} →"),
            Direction::Incoming => format!("← {relation}"),
            Direction::Both => format!("{relation} ↔"),
        };
        if self.is_child(from, step) {
            format!("{link} {}", self.picture.described(step.to))
        } else {
            format!("{link} {} ^", self.picture.graph.node(step.to))
        }
    }
}

fn branch(is_last: bool) -> &'static str {
    if is_last { "└─" } else { "├─" }
}

fn seen(from: NodeId, step: Step) -> Seen {
    let (from, to) = match step.direction {
        Direction::Outgoing => (from, step.to),
        Direction::Incoming => (step.to, from),
        Direction::Both => (from.min(step.to), from.max(step.to)),
    };
    (from, to, step.relation)
}
