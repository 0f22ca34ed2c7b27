//! The tools for files, as agents and people use them.

pub(crate) mod calls;
pub(crate) mod changes;
pub(crate) mod huge;
mod locks;
pub(crate) mod people;
pub(crate) mod reading;
pub(crate) mod rearranging;
pub(crate) mod workspaces;
pub(crate) mod workspaces_of_people;
