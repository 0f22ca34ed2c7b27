//! Rules over text alone: formats, patterns, differences and edits.
//!
//! Nothing here knows an item, an address or a reply.

pub mod canonical;
pub mod conflict_markers;
pub mod diff;
pub(crate) mod edit;
pub mod gitignore;
pub mod hidden_characters;
pub mod json;
pub mod json_edit;
mod json_tree;
pub(crate) mod lines;
pub mod markdown;
pub mod pattern;
mod pattern_reach;
pub mod shorten;
pub mod toml_edit;
pub mod workspace;
pub mod yaml;
