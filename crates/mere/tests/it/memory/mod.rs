//! Memories and their stores.

pub(crate) mod create;
pub(crate) mod faults;
pub(crate) mod holes;
pub(crate) mod list;
pub(crate) mod parity;
pub(crate) mod policies;
pub(crate) mod races;
pub(crate) mod seen;
pub(crate) mod storm;
pub(crate) mod strays;
mod torture;
pub(crate) mod words;
