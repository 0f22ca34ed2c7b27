//! The registry as a tree of folders: `ROOT_REGISTRY:/<namespace>/<type folder>/<category>/<id>`.
//!
//! There is no folder behind it. What is listed is what the registry says; an item is checked when it
//! is loaded.

use std::collections::BTreeSet;

use mere_core::address::{Address, RelPath, Root};
use mere_core::item::ItemType;
use mere_core::registry::{
    MAX_PAGE_ITEMS, Namespace, RegistryItemRow, RegistryQuery, RegistryType,
};
use mere_core::reply::{Content, Data, Draft, Fields, codes};

use super::connection::PATIENCE;
use super::listing::list_items;
use super::{RegistryChoice, RegistryError};
use crate::files::view::count_phrase;

/// The most entries that are listed.
const MAX_ENTRIES: usize = 1_000;

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum RegistryEntry {
    Folder(String),
    Item(String),
}

/// Lists a folder of the registry.
pub(crate) fn list_folder(
    choice: RegistryChoice<'_>,
    folder: &Address,
) -> Result<Draft, RegistryError> {
    let names = folder.path().names().collect::<Vec<_>>();
    let query = folder_query(&names).ok_or(RegistryError::Absent)?;
    let registry = choice.open(PATIENCE)?;
    let rows = list_items(&registry.connection, &query)?;
    let entries = rows.iter().filter_map(|row| entry_below(row, &names));
    let mut entries = entries.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    if entries.is_empty() && !names.is_empty() {
        return Err(RegistryError::Absent);
    }
    let total = entries.len();
    entries.truncate(MAX_ENTRIES);
    let target = Address::directory(Root::Registry, folder.path().clone());
    let shown = entries.iter().filter_map(|entry| entry_fields(entry, folder.path()));
    let shown = shown.collect::<Vec<Data>>();
    let count = shown.len() as u64;
    let omitted = Some(total.saturating_sub(MAX_ENTRIES) as u64).filter(|omitted| *omitted > 0);
    let data = Fields::default()
        .with("target", target.clone())
        .with("entries", Data::List(shown))
        .with("count", count)
        .with_some("left_out", omitted);
    let message = count_phrase(count, "entry", "entries").and(" in ").address(target);
    Ok(Draft::success(codes::DIR_LIST, message).data(data))
}

/// Returns the query for what lies below a folder, or `None` if there can be no such folder.
fn folder_query(names: &[&str]) -> Option<RegistryQuery> {
    let mut query = RegistryQuery { limit: Some(MAX_PAGE_ITEMS), ..RegistryQuery::default() };
    let Some((namespace, below)) = names.split_first() else { return Some(query) };
    query.namespace = Some(namespace.parse::<Namespace>().ok()?);
    if let Some((folder, category)) = below.split_first() {
        let kind = RegistryType::ALL.into_iter().find(|kind| type_folder(*kind) == *folder)?;
        query.types = vec![kind];
        if !category.is_empty() {
            query.category = Some(category.join("/").parse().ok()?);
        }
    }
    Some(query)
}

fn type_folder(kind: RegistryType) -> &'static str {
    ItemType::from(kind).folder()
}

/// Returns the entry of a folder through which an item is reached.
fn entry_below(row: &RegistryItemRow, names: &[&str]) -> Option<RegistryEntry> {
    let namespace = row.namespace.to_string();
    let category = row.category.as_str().split('/').filter(|name| !name.is_empty());
    let folders = [namespace.as_str(), type_folder(row.item_type)].into_iter().chain(category);
    let folders = folders.collect::<Vec<_>>();
    let below = folders.strip_prefix(names)?;
    Some(match below.first() {
        Some(folder) => RegistryEntry::Folder((*folder).to_owned()),
        None => RegistryEntry::Item(row.item_id.to_string()),
    })
}

fn entry_fields(entry: &RegistryEntry, folder: &RelPath) -> Option<Data> {
    let (name, kind) = match entry {
        RegistryEntry::Folder(name) => (name, "dir"),
        RegistryEntry::Item(name) => (name, "file"),
    };
    let path = folder.child(name)?;
    let address = match entry {
        RegistryEntry::Folder(_) => Address::directory(Root::Registry, path),
        RegistryEntry::Item(_) => Address::file(Root::Registry, path),
    };
    let fields = Fields::default()
        .with("name", Content::mention(name.clone()))
        .with("path", address)
        .with("type", kind);
    Some(fields.into())
}
