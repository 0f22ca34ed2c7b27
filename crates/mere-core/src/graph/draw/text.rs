//! Renders a subgraph for a terminal: a tree around an entry, or a list of entries with their
//! links.
//!
//! In a tree, each entry is described once and each link is drawn once. An entry that was already
//! reached on another path is named, but not followed again.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use crate::graph::walk::{ReachedEntry, WalkStep};
use crate::graph::{Direction, NodeId, Subgraph, UnresolvedReason, label};
use crate::item::Relation;

/// The longest title in columns.
const MAX_TITLE_COLUMNS: usize = 56;
/// The longest name of an unresolved target in columns.
const MAX_TARGET_COLUMNS: usize = 80;

impl Subgraph<'_> {
    /// Renders the subgraph for a terminal.
    pub fn to_text(&self) -> String {
        let mut out = match self.focus {
            Some(focus) => TreeRenderer::new(self, focus).render(focus),
            None => self.render_list(),
        };
        if self.omitted_count > 0 {
            let _ = writeln!(out, "… and {} more", self.omitted_count);
        }
        out
    }

    fn render_list(&self) -> String {
        let mut out = String::new();
        let mut strokes = self.links.iter().peekable();
        for (index, node) in self.nodes.iter().enumerate() {
            let _ = writeln!(out, "{}", self.describe(*node));
            while let Some(stroke) = strokes.next_if(|stroke| stroke.from == index) {
                let arrow = if stroke.relation.is_symmetric() { '↔' } else { '→' };
                let _ = writeln!(out, "  {} {arrow} {}", stroke.relation, self.node(stroke.to));
            }
            for line in self.unresolved_lines(*node) {
                let _ = writeln!(out, "  {line}");
            }
        }
        out
    }

    fn describe(&self, node: NodeId) -> String {
        let entry = self.graph.node(node);
        let mut line = entry.to_string();
        let title = label::fit_to_columns(&entry.title, MAX_TITLE_COLUMNS);
        if !title.is_empty() && title != entry.id.as_str() {
            let _ = write!(line, " · {title}");
        }
        if let Some(entry_type) = &entry.entry_type {
            let _ = write!(line, " ({})", label::fit_to_columns(entry_type, MAX_TITLE_COLUMNS));
        }
        if self.graph.is_superseded(node) {
            line.push_str(" [superseded]");
        }
        line
    }

    fn unresolved_lines(&self, node: NodeId) -> Vec<String> {
        let links = self.graph.unresolved_links(node).iter();
        let links = links.filter(|link| self.options.relations.contains(link.relation));
        let lines = links.map(|link| {
            let why = match link.reason {
                UnresolvedReason::Dangling => "not there",
                UnresolvedReason::Ambiguous => "matches several",
            };
            format!(
                "{} → {} [{why}]",
                link.relation,
                label::fit_to_columns(&link.target, MAX_TARGET_COLUMNS)
            )
        });
        lines.collect()
    }
}

/// A link, independent of the end it is seen from.
type LinkKey = (NodeId, NodeId, Relation);

/// A tree of what a walk found.
struct TreeRenderer<'a> {
    picture: &'a Subgraph<'a>,
    found: HashMap<NodeId, (WalkStep, ReachedEntry)>,
    drawn: HashSet<LinkKey>,
}

/// A line of a tree that is still to be written.
enum TreeLine {
    Entry { indent: String, is_last: bool, step: WalkStep, from: NodeId },
    Text { indent: String, is_last: bool, words: String },
}

impl TreeLine {
    /// Returns the branch that is drawn before the line.
    fn branch(&self) -> &'static str {
        match self {
            Self::Entry { is_last: true, .. } | Self::Text { is_last: true, .. } => "└─",
            Self::Entry { .. } | Self::Text { .. } => "├─",
        }
    }
}

impl<'a> TreeRenderer<'a> {
    fn new(picture: &'a Subgraph<'a>, focus: NodeId) -> Self {
        let found = picture
            .graph
            .reachable_entries(focus, &picture.options)
            .into_iter()
            .take(picture.options.limit);
        let found = found.map(|(step, reached)| (reached.node, (step, reached)));
        let found = found.collect::<HashMap<_, _>>();
        let drawn = found.values().map(|(step, reached)| link_key(reached.via, *step)).collect();
        Self { picture, found, drawn }
    }

    fn render(mut self, focus: NodeId) -> String {
        let mut out = format!("{}\n", self.picture.describe(focus));
        let mut lines = self.lines_below(focus, "");
        let unresolved = self.picture.unresolved_lines(focus);
        if let (Some(TreeLine::Entry { is_last, .. }), false) =
            (lines.last_mut(), unresolved.is_empty())
        {
            *is_last = false;
        }
        let count = unresolved.len();
        lines.extend(unresolved.into_iter().enumerate().map(|(at, words)| TreeLine::Text {
            indent: String::new(),
            is_last: at + 1 == count,
            words,
        }));
        lines.reverse();
        while let Some(line) = lines.pop() {
            let branch = line.branch();
            match line {
                TreeLine::Text { indent, words, .. } => {
                    let _ = writeln!(out, "{indent}{branch} {words}");
                }
                TreeLine::Entry { indent, is_last, step, from } => {
                    let words = self.describe_link(step, from);
                    let _ = writeln!(out, "{indent}{branch} {words}");
                    if self.is_child(from, step) {
                        let indent = indent + if is_last { "   " } else { "│  " };
                        lines.extend(self.lines_below(step.to, &indent).into_iter().rev());
                    }
                }
            }
        }
        out
    }

    /// Returns the lines below an entry: its children, and links to entries elsewhere in the tree.
    fn lines_below(&mut self, from: NodeId, indent: &str) -> Vec<TreeLine> {
        let steps = self.picture.graph.steps(from, &self.picture.options).into_iter();
        let steps = steps.filter(|step| {
            let is_shown = self.found.contains_key(&step.to) || self.picture.focus == Some(step.to);
            self.is_child(from, *step) || is_shown && self.drawn.insert(link_key(from, *step))
        });
        let steps = steps.collect::<Vec<_>>();
        let count = steps.len();
        let lines = steps.into_iter().enumerate().map(|(at, step)| TreeLine::Entry {
            indent: indent.to_owned(),
            is_last: at + 1 == count,
            step,
            from,
        });
        lines.collect()
    }

    fn is_child(&self, from: NodeId, step: WalkStep) -> bool {
        let found = self.found.get(&step.to);
        found.is_some_and(|(first, reached)| reached.via == from && *first == step)
    }

    fn describe_link(&self, step: WalkStep, from: NodeId) -> String {
        let relation = step.relation;
        let link = match step.direction {
            Direction::Outgoing => format!("{relation} →"),
            Direction::Incoming => format!("← {relation}"),
            Direction::Both => format!("{relation} ↔"),
        };
        if self.is_child(from, step) {
            format!("{link} {}", self.picture.describe(step.to))
        } else {
            format!("{link} {} ^", self.picture.graph.node(step.to))
        }
    }
}

fn link_key(from: NodeId, step: WalkStep) -> LinkKey {
    let (from, to) = match step.direction {
        Direction::Outgoing => (from, step.to),
        Direction::Incoming => (step.to, from),
        Direction::Both => (from.min(step.to), from.max(step.to)),
    };
    (from, to, step.relation)
}
