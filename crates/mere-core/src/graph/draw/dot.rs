//! A picture for Graphviz.

use std::fmt::Write;

use super::palette;
use crate::graph::Picture;
use crate::graph::label;
use crate::graph::picture::Stroke;

/// The longest title in columns.
const TITLE: usize = 60;

impl Picture<'_> {
    /// The picture in Graphviz' language.
    pub fn dot(&self) -> String {
        let mut out = String::from(
            "digraph knowledge {\n  rankdir=LR;\n  bgcolor=\"transparent\";\n  \
             node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", color=\"#8b95a5\", \
             fontname=\"Helvetica\", fontsize=11];\n  \
             edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n",
        );
        for index in 0..self.nodes.len() {
            self.dot_node(&mut out, index);
        }
        for stroke in &self.strokes {
            dot_edge(&mut out, *stroke);
        }
        if self.left_out > 0 {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  label=\"{} more are not shown\";", self.left_out);
        }
        out.push_str("}\n");
        out
    }

    fn dot_node(&self, out: &mut String, index: usize) {
        let node = self.node(index);
        let is_superseded = self.graph.is_superseded(self.nodes[index]);
        let title = quoted(&label::fit(&node.title, TITLE));
        let more = match (is_superseded, self.focus.is_some() && index == 0) {
            (true, _) => ", style=\"rounded,filled,dashed\", fontcolor=\"#8b95a5\"",
            (false, true) => ", penwidth=2, color=\"#2563eb\"",
            (false, false) => "",
        };
        let _ = writeln!(out, "  n{index} [label=\"{title}\\n{node}\"{more}];");
    }
}

fn dot_edge(out: &mut String, stroke: Stroke) {
    let Stroke { from, to, relation } = stroke;
    let ink = palette::ink(relation);
    let ends = if relation.is_symmetric() { ", dir=none" } else { "" };
    let dashes = if ink.dashes.is_some() { ", style=dashed" } else { "" };
    let colour = ink.light;
    let _ = writeln!(
        out,
        "  n{from} -> n{to} [label=\"{relation}\", color=\"{colour}\", fontcolor=\"{colour}\"\
         {ends}{dashes}];"
    );
}

/// A text between quotes. Graphviz reads escapes in labels, and entities of HTML.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '&' => quoted.push_str("&amp;"),
            c => quoted.push(c),
        }
    }
    quoted
}
