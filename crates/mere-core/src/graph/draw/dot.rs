//! Renders a subgraph for Graphviz.

use std::fmt::Write;

use super::palette;
use crate::graph::subgraph::DrawnLink;
use crate::graph::{Subgraph, label};

/// The longest title in columns.
const MAX_TITLE_COLUMNS: usize = 60;

impl Subgraph<'_> {
    /// Renders the subgraph in Graphviz's language.
    pub fn to_dot(&self) -> String {
        let mut out = String::from(
            "digraph knowledge {\n  rankdir=LR;\n  bgcolor=\"transparent\";\n  \
             node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", color=\"#8b95a5\", \
             fontname=\"Helvetica\", fontsize=11];\n  \
             edge [fontname=\"Helvetica\", fontsize=9, arrowsize=0.7];\n",
        );
        for index in 0..self.nodes.len() {
            self.write_dot_node(&mut out, index);
        }
        for stroke in &self.links {
            write_dot_edge(&mut out, *stroke);
        }
        if self.omitted_count > 0 {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  label=\"{} more not shown\";", self.omitted_count);
        }
        out.push_str("}\n");
        out
    }

    fn write_dot_node(&self, out: &mut String, index: usize) {
        let node = self.node(index);
        let is_superseded = self.graph.is_superseded(self.nodes[index]);
        let title = escape_label(&label::fit_to_columns(&node.title, MAX_TITLE_COLUMNS));
        let more = match (is_superseded, self.focus.is_some() && index == 0) {
            (true, _) => ", style=\"rounded,filled,dashed\", fontcolor=\"#8b95a5\"",
            (false, true) => ", penwidth=2, color=\"#2563eb\"",
            (false, false) => "",
        };
        let _ = writeln!(out, "  n{index} [label=\"{title}\\n{node}\"{more}];");
    }
}

fn write_dot_edge(out: &mut String, stroke: DrawnLink) {
    let DrawnLink { from, to, relation } = stroke;
    let ink = palette::line_style(relation);
    let ends = if relation.is_symmetric() { ", dir=none" } else { "" };
    let dashes = if ink.dashes.is_some() { ", style=dashed" } else { "" };
    let colour = ink.light;
    let _ = writeln!(
        out,
        "  n{from} -> n{to} [label=\"{relation}\", color=\"{colour}\", fontcolor=\"{colour}\"\
         {ends}{dashes}];"
    );
}

/// Escapes a text between quotes. Graphviz reads escapes and HTML entities in labels.
fn escape_label(text: &str) -> String {
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
