//! The rules of categories, and the ways around them.

pub(crate) mod bypass;
pub(crate) mod decisions;
pub(crate) mod deleting;
pub(crate) mod detours;
pub(crate) mod races;
pub(crate) mod tables;
