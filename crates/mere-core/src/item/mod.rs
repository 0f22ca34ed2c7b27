//! What a space holds: directives, tools, knowledge, memories and lockfiles.
//!
//! Ids, categories, types and versions are parsed types that reject and never repair; a path is
//! made of them in one place ([`ScopedPath`]).

mod id;
pub mod integrity;
mod kind;
mod path;
mod version;

pub use id::{Category, IdError, ItemId};
pub use kind::{ItemType, Scope, ScopeError, TypeError};
pub use path::{Base, Form, MANIFEST_FILE, SKILL_FILE, ScopedPath};
pub use version::{Version, VersionError};
