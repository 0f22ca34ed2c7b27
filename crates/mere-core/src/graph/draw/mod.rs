//! A picture as one text: a tree for a terminal, Graphviz, JSON, or SVG.
//!
//! Whoever made the graph cleaned its texts. Here they are only made to fit, and written so that
//! they stay texts.

mod dot;
mod json;
pub(super) mod palette;
mod svg;
mod text;
