//! The configuration and its check.

pub(crate) mod check;
pub(crate) mod drift;
pub(crate) mod floor;
pub(crate) mod floor_attacks;
pub(crate) mod outside;
pub(crate) mod outside_folders;
pub(crate) mod stores;
