//! The tables of each type. Their names are constants, so that no text of a caller is ever part of
//! a statement.

use mere_core::registry::RegistryType;

/// The names of one type's tables and columns.
pub(crate) struct ItemTable {
    /// The table of items.
    pub(crate) items: &'static str,
    /// The table of their versions.
    pub(crate) versions: &'static str,
    /// The column of the id.
    pub(crate) id: &'static str,
    /// The column of the name.
    pub(crate) name: &'static str,
    /// The columns that only this type has.
    pub(crate) special: &'static [&'static str],
}

const DIRECTIVES: ItemTable = ItemTable {
    items: "directives",
    versions: "directive_versions",
    id: "directive_id",
    name: "name",
    special: &["permissions_xml", "model_tier", "form"],
};
const TOOLS: ItemTable = ItemTable {
    items: "tools",
    versions: "tool_versions",
    id: "tool_id",
    name: "name",
    special: &["executor_id", "tool_type"],
};
const KNOWLEDGE: ItemTable = ItemTable {
    items: "knowledge_entries",
    versions: "knowledge_versions",
    id: "zettel_id",
    name: "title",
    special: &["entry_type", "source_type"],
};
const LOCKFILES: ItemTable = ItemTable {
    items: "lockfiles",
    versions: "lockfile_versions",
    id: "lockfile_id",
    name: "name",
    special: &[],
};

impl ItemTable {
    /// Returns the tables of a type.
    pub(crate) fn of(kind: RegistryType) -> &'static Self {
        match kind {
            RegistryType::Directive => &DIRECTIVES,
            RegistryType::Tool => &TOOLS,
            RegistryType::Knowledge => &KNOWLEDGE,
            RegistryType::Lockfile => &LOCKFILES,
        }
    }
}
