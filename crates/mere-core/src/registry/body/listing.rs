//! Lists of items, and what is said about one item.

use serde::{Deserialize, Serialize};

use super::{ApiBody, as_text};
use crate::item::{Category, ItemId, Relation, Version};
use crate::registry::{Namespace, QualifiedId, RegistryType};
use crate::trust::ClaimedTime;

/// One row of a list of items: the columns of `unified_items`, and the namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistryItemRow {
    /// The type.
    #[serde(with = "as_text")]
    pub item_type: RegistryType,
    /// The namespace.
    #[serde(with = "as_text")]
    pub namespace: Namespace,
    /// The id.
    #[serde(with = "as_text")]
    pub item_id: ItemId,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its category.
    #[serde(with = "as_text")]
    pub category: Category,
    /// The tool that runs it, if it is a tool.
    #[serde(default, with = "as_text::optional")]
    pub executor_id: Option<ItemId>,
    /// The type of a knowledge entry.
    #[serde(default)]
    pub entry_type: Option<String>,
    /// The newest version that is not yanked.
    #[serde(with = "as_text")]
    pub latest_version: Version,
    /// When its first version was published.
    #[serde(with = "as_text")]
    pub created_at: ClaimedTime,
}

/// A page of a list or of the results of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistryItemPage {
    /// The items.
    pub items: Vec<RegistryItemRow>,
    /// How many there are on all pages, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Where the next page begins, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl ApiBody for RegistryItemPage {
    const MAX_BYTES: usize = 2 * 1024 * 1024;
}

/// An item with its versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistryItemInfo {
    /// The type.
    #[serde(rename = "type", with = "as_text")]
    pub kind: RegistryType,
    /// The namespace.
    #[serde(with = "as_text")]
    pub namespace: Namespace,
    /// The id.
    #[serde(with = "as_text")]
    pub id: ItemId,
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its category.
    #[serde(with = "as_text")]
    pub category: Category,
    /// The newest version that is not yanked, if there is one.
    #[serde(with = "as_text::optional")]
    pub latest_version: Option<Version>,
    /// All versions, the newest first.
    pub versions: Vec<VersionSummary>,
}

/// One version in the list of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionSummary {
    /// The version.
    #[serde(with = "as_text")]
    pub version: Version,
    /// When it was published.
    #[serde(with = "as_text")]
    pub published: ClaimedTime,
    /// Whether it was yanked.
    pub yanked: bool,
}

impl ApiBody for RegistryItemInfo {
    const MAX_BYTES: usize = 4 * 1024 * 1024;
}

/// The relationships of a knowledge entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationshipList {
    /// The relationships.
    pub relationships: Vec<PublishedRelationship>,
}

/// A relationship between two knowledge entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRelationship {
    /// The entry that states it.
    #[serde(with = "as_text")]
    pub from: QualifiedId,
    /// The entry that it leads to, as the author wrote it: it need not be published.
    pub to: String,
    /// The relation.
    #[serde(rename = "type", with = "as_text")]
    pub relation: Relation,
}

impl ApiBody for RelationshipList {
    const MAX_BYTES: usize = 1024 * 1024;
}
