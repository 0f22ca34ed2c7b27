//! The items of a space: directives, tools, knowledge, memories and lockfiles.
//!
//! Ids, categories, types and versions are parsed types that reject invalid text and never repair
//! it. Paths are built from them in one place only ([`ScopedPath`]).

mod any_item;
pub mod bounds;
mod directive;
mod edit;
mod fault;
mod frontmatter;
mod id;
pub mod integrity;
mod item_name;
mod json_pointer;
mod kind;
mod knowledge;
mod leftover;
mod lockfile;
mod memory;
mod memory_merge;
mod memory_path;
mod memory_text;
mod old_signature;
mod path;
mod prose;
mod reference;
mod relation;
mod relink;
mod rewrite_location;
mod script;
mod skill;
mod template;
mod tool;
mod tool_permissions;
mod version;
mod wikilink;
mod xml;
mod xml_bounds;
mod xml_tag;

pub use any_item::{Item, MAX_ITEM_BYTES, decode_text};
pub use directive::{
    Directive, DirectiveInput, DirectivePermission, Part, PartElement, PermittedAccess,
    PermittedResource, ProcessEntry, StepGroup,
};
pub use fault::ItemFault;
pub use id::{Category, IdError, ItemId};
pub use item_name::{ItemName, ItemNameError};
pub use kind::{ItemType, ItemTypeError, Scope, ScopeError};
pub use knowledge::Knowledge;
pub use leftover::is_leftover;
pub use lockfile::{Lockfile, PinnedTool};
pub use memory::{Memory, parse_rfc3339};
pub use memory_merge::MergeableMemory;
pub use memory_path::MemoryPath;
pub use memory_text::{MemoryExpiry, MemoryRevision, MemoryText, NewMemory};
pub use old_signature::{OLD_SIGNATURE_WARNING, has_old_signature};
pub use path::{CategoryBase, ItemForm, MANIFEST_FILE, SIDECAR_SUFFIX, SKILL_FILE, ScopedPath};
pub use reference::ItemRef;
pub use relation::{Relation, RelationError};
pub use relink::{BareLinks, EntryName, EntryRename, RelinkedNote, relink};
pub use rewrite_location::{restate_location, rewrite_location};
pub use script::{
    ScriptFile, ScriptFunction, ScriptLanguage, ScriptMetadata, ScriptStyle, draft_manifest,
    read_script, write_manifest,
};
pub use skill::Skill;
pub use template::{ToolTemplate, template_files};
pub use tool::ToolManifest;
pub use tool_permissions::{
    ProjectAccess, ProjectAccessError, SecretName, SecretNameError, ToolPermissions,
    ToolPermissionsFault,
};
pub use version::{Version, VersionError};
pub use wikilink::find_wikilinks;
pub use xml::XmlAttributes;
