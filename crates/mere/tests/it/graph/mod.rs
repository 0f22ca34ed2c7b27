//! The knowledge graph.

pub(crate) mod bounds;
pub(crate) mod load;
pub(crate) mod names;
pub(crate) mod rename;
