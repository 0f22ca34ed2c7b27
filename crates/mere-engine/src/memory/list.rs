//! Listings: the configured stores, and the memories of a category, page by page.
//!
//! Memories and categories that the caller may not see are left out.

use mere_core::category::{ConfiguredCategory, Description, InvalidChange, StoreView};
use mere_core::cursor::Cursor;
use mere_core::item::{Category, MemoryPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::ListMemories;

use super::locked_store::category_path;
use super::reply::{description_content, time_data};
use super::store_view::StoreOnDisk;
use super::sync::category_address;
use super::table::{MemoryPage, MemoryQuery, MemoryRow};
use super::{FolderAccess, Store, StoreCall, StoreError, category_file};
use crate::files::masking::mask_secrets;
use crate::files::view::{count_phrase, cursor_data, nonzero, page_reply};
use crate::space::ItemChangeError;
use crate::trust::now;
use mere_host::FolderWriter;

/// Lists the stores, each with the category hierarchy that its configuration defines.
pub(crate) fn list_stores(call: &StoreCall<'_>) -> Draft {
    let served = call.stores.served_store().ok();
    let stores = call.stores.all().iter().map(|store| {
        let is_served = served.is_some_and(|served| std::ptr::eq(served, store));
        let unavailable = describe_unavailable(store);
        let fields = store_fields(store).with_some("unavailable", unavailable);
        Data::from(fields.with_some("current", is_served.then_some(true)))
    });
    let data = Fields::default().with("stores", stores.collect::<Data>());
    let message = match call.stores.all().len() {
        1 => "One store is configured.".to_owned(),
        many => format!("{many} stores are configured."),
    };
    Draft::success(codes::STORE_LIST, Prose::words(message)).data(data)
}

/// Says why a store cannot be used, if it cannot.
fn describe_unavailable(store: &Store) -> Option<&'static str> {
    match store.folder_access {
        FolderAccess::AwaitsTrust => Some("It awaits `mere trust project`."),
        FolderAccess::SwitchedOff => Some("`--no-mods` switches it off."),
        FolderAccess::Missing => Some("Its folder does not exist."),
        FolderAccess::Inside | FolderAccess::Outside(_) => None,
    }
}

fn store_fields(store: &Store) -> Fields {
    Fields::default()
        .with("name", store.name_data())
        .with("path", store.address.clone())
        .with("description", Content::mention(mask_secrets(&store.description)))
        .with("categoryMode", store.rules.mode().name())
        .with("categories", category_data(&store.rules.hierarchy().top_categories))
}

fn category_data(defined: &[ConfiguredCategory]) -> Data {
    let rows = defined.iter().map(|one| {
        Fields::default()
            .with("path", ParsedName::from(&one.category))
            .with("description", description_content(&one.description))
            .with("subcategories", category_data(&one.subcategories))
    });
    rows.map(Data::from).collect()
}

/// The most subcategories that a reply lists.
const MAX_SUBCATEGORIES: usize = 1000;

/// Lists one page of the memories in a category and below.
pub(super) fn list_memories(
    call: &StoreCall<'_>,
    request: &ListMemories,
) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let category = &request.category;
    store.check_visible(call, category)?;
    let unreadable = |cause| StoreError::Unreadable { store: store.name.clone(), cause };
    let folder = store.folder(call.context).map_err(unreadable)?;
    if folder.is_none() {
        store.check_unobstructed(call.context)?;
    }
    if !category.is_empty()
        && !StoreOnDisk(folder.as_ref()).has_category(category).map_err(unreadable)?
    {
        let (path, configured) = (category.clone(), store.rules.hierarchy().configured(category));
        let missing = InvalidChange::CategoryMissing { what: "list", path, configured };
        return Err(StoreError::Invalid(missing));
    }
    let target = category_address(&store.address, category).ok_or(ItemChangeError::InvalidPlace)?;
    let cursor_call = format!("list_memories {:?} {:?}", request.sort, request.expired);
    let after = request.cursor.as_ref().map(|cursor| cursor.position(&cursor_call, &target));
    let after = after.map(|position| position.ok_or(StoreError::ForeignCursor)).transpose()?;
    let query = MemoryQuery {
        category,
        sort: request.sort,
        limit: request.limit,
        expired: request.expired,
        now: now(),
        after,
        is_visible: &|path| store.is_visible(&call.view.world, &format!("{path}.md")),
        is_stray_visible: &|path| store.is_visible(&call.view.world, path),
    };
    let found = folder.map(|folder| call.tables.with_table(&folder, |table| table.page(&query)));
    let found = match found.transpose().map_err(unreadable)? {
        Some(page) => page.ok_or(StoreError::ForeignCursor)?,
        None => MemoryPage::default(),
    };
    let (count, next) = (found.count, found.next.clone());
    let unreadable = found.unreadable.iter().any(|path| store.check_visible(call, path).is_ok());
    let data = page_fields(call, store, (found, request));
    let next = next.map(|position| Cursor::new(&cursor_call, &target, &position));
    let data = data.with_some("next", next.as_ref().map(cursor_data));
    let message = count_phrase(count, "memory", "memories");
    let draft = page_reply(codes::MEMORY_LIST, message, next.as_ref());
    let draft = if unreadable {
        draft.hint(
            "The categories in `unreadable` cannot be read, so what is in them is not counted. Ask \
             a person to check their permissions.",
        )
    } else {
        draft
    };
    Ok(draft.data(data))
}

/// Builds the data of a reply for one page.
fn page_fields(
    call: &StoreCall<'_>,
    store: &Store,
    (page, request): (MemoryPage, &ListMemories),
) -> Fields {
    let rows = page.rows.iter().filter_map(|row| row_data(call, store, row));
    // Only the first page lists the subcategories.
    let below = if request.cursor.is_none() { page.subcategories } else { Vec::new() };
    let left = below.len().saturating_sub(MAX_SUBCATEGORIES) as u64;
    let below = below.into_iter().filter(|(path, _)| store.check_visible(call, path).is_ok());
    let below = below.take(MAX_SUBCATEGORIES).map(|(path, count)| {
        let description = store.category_description(call, &path);
        Data::from(
            Fields::default()
                .with("path", ParsedName::from(&path))
                .with("description", description_content(&description))
                .with("memory_count", count),
        )
    });
    let unreadable = page.unreadable.iter().filter(|path| store.check_visible(call, path).is_ok());
    let unreadable =
        unreadable.take(MAX_SUBCATEGORIES).map(|path| Data::from(ParsedName::from(path)));
    let unreadable = unreadable.collect::<Vec<_>>();
    let unreadable = (!unreadable.is_empty()).then(|| unreadable.into_iter().collect::<Data>());
    Fields::default()
        .with("store", store.name_data())
        .with("category", ParsedName::from(&request.category))
        .with("count", page.count)
        .with("memories", rows.collect::<Data>())
        .with("subcategories", below.collect::<Data>())
        .with_some("more_subcategories", nonzero(left))
        .with_some("other_files", nonzero(page.other_files))
        .with_some("other_folders", nonzero(page.other_folders))
        .with_some("unreadable", unreadable)
}

fn row_data(call: &StoreCall<'_>, store: &Store, row: &MemoryRow) -> Option<Data> {
    let path = row.path.parse::<MemoryPath>().ok()?;
    let address = store.memory_address(&path).ok()?;
    if !call.view.world.may_show(&address) {
        return None;
    }
    let tags = row.tags.iter().map(|tag| Data::from(Content::mention(mask_secrets(tag))));
    let fields = Fields::default()
        .with("path", ParsedName::from(&path))
        .with("address", address)
        .with("title", Content::mention(mask_secrets(&row.title)))
        .with("tags", tags.collect::<Data>())
        .with("updated_at", time_data(row.updated_at))
        .with_some("expires_at", row.expires_at.map(time_data))
        .with("token_estimate", row.bytes.div_ceil(4))
        .with_some("fault", row.is_faulty.then_some(true));
    Some(fields.into())
}

impl Store {
    /// Returns the description of a category, from the configuration or else from the file in its
    /// folder.
    fn category_description(&self, call: &StoreCall<'_>, category: &Category) -> Description {
        if let Some(named) = self.rules.hierarchy().find(category) {
            return named.description.clone();
        }
        let folder = self.folder(call.context).ok().flatten();
        let path = category_path(category).ok();
        let folder =
            folder.zip(path).map(|(folder, path)| FolderWriter::open_folder_below(&folder, &path));
        let folder = folder.and_then(|found| found.ok().flatten());
        folder.map(|folder| category_file::read_description(&folder)).unwrap_or_default()
    }
}
