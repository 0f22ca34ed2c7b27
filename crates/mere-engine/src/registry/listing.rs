//! Lists of items, from a server or from a mirror.
//!
//! A list is what the registry says and nothing more: it only helps to find what is then checked.

use mere_core::registry::{ApiPath, RegistryItemPage, RegistryItemRow, RegistryQuery};

use super::RegistryError;
use super::connection::Connection;

/// The most pages that are read of one list.
const MAX_PAGES: usize = 100_000;

/// Reads all pages of the list of items that a query describes.
pub(super) fn list_items(
    connection: &Connection,
    query: &RegistryQuery,
) -> Result<Vec<RegistryItemRow>, RegistryError> {
    let mut query = query.clone();
    let mut rows = Vec::new();
    for _ in 0..MAX_PAGES {
        let page = read_page(connection, &query)?;
        rows.extend(page.items);
        match page.next {
            Some(next) if Some(&next) != query.cursor.as_ref() => query.cursor = Some(next),
            _ => break,
        }
    }
    Ok(rows)
}

/// Reads one page. A mirror has pages of its own, whose items are filtered here.
fn read_page(
    connection: &Connection,
    query: &RegistryQuery,
) -> Result<RegistryItemPage, RegistryError> {
    if !connection.is_folder() {
        let page = connection.query_body(&ApiPath::Items, query)?;
        return page.ok_or(RegistryError::Answer("it has no list of items"));
    }
    let number = query.cursor.as_deref().and_then(|cursor| cursor.parse().ok()).unwrap_or(1);
    let page = connection.get_parsed::<RegistryItemPage>(&mirror_page_path(number))?;
    let mut page = page.ok_or(RegistryError::Answer("the mirror has no list of items"))?;
    page.items.retain(|row| is_wanted(row, query));
    Ok(page)
}

/// Checks whether an item is one that a query asks for.
fn is_wanted(row: &RegistryItemRow, query: &RegistryQuery) -> bool {
    let text = format!("{} {} {} {}", row.item_id, row.name, row.description, row.category);
    let text = text.to_lowercase();
    (query.types.is_empty() || query.types.contains(&row.item_type))
        && query.namespace.as_ref().is_none_or(|one| one.is_same_as(&row.namespace))
        && query.category.as_ref().is_none_or(|above| above.contains(&row.category))
        && query.text.split_whitespace().all(|word| text.contains(&word.to_lowercase()))
}

/// Returns the path of a page of the list in a mirror.
pub(super) fn mirror_page_path(number: usize) -> String {
    match number {
        0 | 1 => format!("{}.json", ApiPath::Items),
        number => format!("{}.{number}.json", ApiPath::Items),
    }
}

/// Searches for items. A mirror is looked through by words.
pub(super) fn search_items(
    connection: &Connection,
    query: &RegistryQuery,
) -> Result<RegistryItemPage, RegistryError> {
    if !connection.is_folder() {
        let page = connection.query_body(&ApiPath::Search, query)?;
        return page.ok_or(RegistryError::Answer("it cannot be searched"));
    }
    let mut items = list_items(connection, query)?;
    let total = Some(items.len() as u64);
    items.truncate(usize::from(query.page_size()));
    Ok(RegistryItemPage { items, total, next: None })
}
