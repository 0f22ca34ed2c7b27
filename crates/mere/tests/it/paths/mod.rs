//! Roots, paths and boundaries: what is visible, and that there is no way out.

pub(crate) mod attacks;
pub(crate) mod cuts;
pub(crate) mod deleted_project;
pub(crate) mod disks;
pub(crate) mod file_systems;
pub(crate) mod hidden_characters;
pub(crate) mod hidden_or_absent;
pub(crate) mod ignore;
pub(crate) mod landmarks;
pub(crate) mod limits;
pub(crate) mod masked_digests;
pub(crate) mod mods;
pub(crate) mod monorepo;
pub(crate) mod names;
pub(crate) mod paging;
pub(crate) mod path_spellings;
pub(crate) mod payloads;
pub(crate) mod permissions;
pub(crate) mod person_answers;
pub(crate) mod project;
pub(crate) mod secret_values;
pub(crate) mod sensitive;
pub(crate) mod traversal;
pub(crate) mod visibility;
pub(crate) mod wide_roots;
pub(crate) mod workspaces;
