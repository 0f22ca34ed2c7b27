//! Renders a subgraph as one text: a tree for a terminal, Graphviz, JSON, or SVG.
//!
//! The texts of entries were cleaned by whoever built the graph. Here they are only cut to fit, and
//! escaped so that they stay texts.

mod dot;
mod json;
pub(super) mod palette;
mod svg;
mod text;
