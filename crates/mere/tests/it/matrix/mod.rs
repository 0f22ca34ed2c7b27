//! Attacks on signed items, each kind of item against each attack.

pub(crate) mod attacks;
pub(crate) mod copies;
pub(crate) mod files;
pub(crate) mod items;
pub(crate) mod left_behind;
pub(crate) mod sidecars;
pub(crate) mod trust;
