//! What a space holds: directives, tools, knowledge, memories and lockfiles.
//!
//! Ids, categories, types and versions are parsed types that reject and never repair; a path is
//! made of them in one place ([`ScopedPath`]).

mod any;
mod directive;
mod edit;
mod fault;
mod frontmatter;
mod id;
pub mod integrity;
mod kind;
mod knowledge;
mod links;
mod lockfile;
mod markup;
mod memory;
mod memory_path;
mod note;
mod outline;
mod path;
mod reference;
mod relation;
mod restate;
mod skill;
mod template;
mod tool;
mod version;
mod wikilink;
mod xml;

pub use any::{Item, MAX_BYTES, decode};
pub use directive::{Directive, Input, Step};
pub use fault::Fault;
pub use id::{Category, IdError, ItemId};
pub use kind::{ItemType, Scope, ScopeError, TypeError};
pub use knowledge::Knowledge;
pub use links::{Bare, EntryName, Relinked, Renaming, relink};
pub use lockfile::{Link, Lockfile};
pub use memory::{Memory, rfc3339};
pub use memory_path::MemoryPath;
pub use note::{Expiry, Note, Revision, Wording};
pub use path::{Base, Form, MANIFEST_FILE, SIGNATURE, SKILL_FILE, ScopedPath};
pub use reference::ItemRef;
pub use relation::{Relation, RelationError};
pub use restate::restate;
pub use skill::Skill;
pub use template::template;
pub use tool::ToolManifest;
pub use version::{Version, VersionError};
pub use wikilink::wikilinks;
