//! What is configured, and what is there.

use mere_core::category::{ConfiguredCategory, Description, InvalidChange, StoreView};
use mere_core::cursor::Cursor;
use mere_core::item::{Category, MemoryPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::ListMemories;

use super::ground::Disk;
use super::ledger::{Page, Row, Wanted};
use super::shelf::category_path;
use super::sync::address_of;
use super::tell::{time, told_description};
use super::{Clerk, Store, StoreError, label};
use crate::court::now;
use crate::items::{Unmade, masked};
use crate::tool_error::ToolError;
use crate::view::{counted, cursor_data, page, some_count};
use mere_host::FolderWriter;

/// The stores, each with the hierarchy that the configuration defines.
pub(crate) fn stores(clerk: &Clerk<'_>) -> Draft {
    let served = clerk.stores.served().ok().map(|store| &store.name);
    let stores = clerk.stores.all().iter().map(|store| {
        let is_served = Some(&store.name) == served;
        Data::from(told(store).with_some("current", is_served.then_some(true)))
    });
    let data = Fields::default().with("stores", stores.collect::<Data>());
    let message = match clerk.stores.all().len() {
        1 => "One store is configured.".to_owned(),
        many => format!("{many} stores are configured."),
    };
    Draft::success(codes::STORE_LIST, Prose::words(message)).data(data)
}

fn told(store: &Store) -> Fields {
    Fields::default()
        .with("name", store.told_name())
        .with("path", store.address.clone())
        .with("description", Content::mention(masked(&store.description)))
        .with("categoryMode", store.rules.mode().name())
        .with("categories", categories(&store.rules.hierarchy().top_categories))
}

fn categories(defined: &[ConfiguredCategory]) -> Data {
    let told = defined.iter().map(|one| {
        Fields::default()
            .with("path", ParsedName::from(&one.category))
            .with("description", told_description(&one.description))
            .with("subcategories", categories(&one.subcategories))
    });
    told.map(Data::from).collect()
}

/// How many subcategories are told.
const MAX_SUBCATEGORIES: usize = 1000;

/// The memories of a category and below, a page of them.
pub(super) fn memories(clerk: &Clerk<'_>, asked: &ListMemories) -> Result<Draft, ToolError> {
    let store = clerk.served()?;
    let category = &asked.category;
    store.check_shown(clerk, category)?;
    let unreadable = |cause| StoreError::Unreadable { store: store.name.clone(), cause };
    let folder = store.folder(clerk.context).map_err(unreadable)?;
    if !category.is_empty() && !Disk(folder.as_ref()).has_category(category).map_err(unreadable)? {
        let path = category.clone();
        return Err(
            StoreError::Flawed(InvalidChange::CategoryMissing { what: "list", path }).into()
        );
    }
    let target = address_of(&store.address, category).ok_or(Unmade::Place)?;
    let call = format!("list_memories {:?} {:?}", asked.sort, asked.expired);
    let after = asked.cursor.as_ref().map(|cursor| cursor.position(&call, &target));
    let after = after.map(|position| position.ok_or(StoreError::Cursor)).transpose()?;
    let wanted = Wanted {
        category,
        sort: asked.sort,
        limit: asked.limit,
        expired: asked.expired,
        now: now(),
        after,
        shows: &|path| store.shows(&clerk.view.world, &format!("{path}.md")),
    };
    let found = folder.map(|folder| clerk.ledgers.with(&folder, |ledger| ledger.page(&wanted)));
    let found = match found.transpose().map_err(unreadable)? {
        Some(page) => page.ok_or(StoreError::Cursor)?,
        None => Page::default(),
    };
    let (count, next) = (found.count, found.next.clone());
    let data = told_page(clerk, store, (found, asked));
    let next = next.map(|position| Cursor::new(&call, &target, &position));
    let data = data.with_some("next", next.as_ref().map(cursor_data));
    let message = counted(count, "memory", "memories");
    Ok(page(codes::MEMORY_LIST, message, next.as_ref()).data(data))
}

/// What a page tells.
fn told_page(clerk: &Clerk<'_>, store: &Store, (page, asked): (Page, &ListMemories)) -> Fields {
    let rows = page.rows.iter().filter_map(|row| told_row(clerk, store, row));
    // The categories below are told once, with the first page.
    let below = if asked.cursor.is_none() { page.subcategories } else { Vec::new() };
    let left = below.len().saturating_sub(MAX_SUBCATEGORIES) as u64;
    let below = below.into_iter().filter(|(path, _)| store.check_shown(clerk, path).is_ok());
    let below = below.take(MAX_SUBCATEGORIES).map(|(path, count)| {
        let description = store.description(clerk, &path);
        Data::from(
            Fields::default()
                .with("path", ParsedName::from(&path))
                .with("description", told_description(&description))
                .with("memory_count", count),
        )
    });
    Fields::default()
        .with("store", store.told_name())
        .with("category", ParsedName::from(&asked.category))
        .with("count", page.count)
        .with("memories", rows.collect::<Data>())
        .with("subcategories", below.collect::<Data>())
        .with_some("more_subcategories", some_count(left))
}

fn told_row(clerk: &Clerk<'_>, store: &Store, row: &Row) -> Option<Data> {
    let path = row.path.parse::<MemoryPath>().ok()?;
    let address = store.memory_address(&path).ok()?;
    if !clerk.view.world.shows(&address) {
        return None;
    }
    let tags = row.tags.iter().map(|tag| Data::from(Content::mention(masked(tag))));
    let fields = Fields::default()
        .with("path", ParsedName::from(&path))
        .with("address", address)
        .with("title", Content::mention(masked(&row.title)))
        .with("tags", tags.collect::<Data>())
        .with("updated_at", time(row.updated_at))
        .with_some("expires_at", row.expires_at.map(time))
        .with("token_estimate", row.bytes.div_ceil(4))
        .with_some("fault", row.fault.then_some(true));
    Some(fields.into())
}

impl Store {
    /// What a category is for: the configuration says so, or the file in its folder.
    fn description(&self, clerk: &Clerk<'_>, category: &Category) -> Description {
        if let Some(named) = self.rules.hierarchy().find(category) {
            return named.description.clone();
        }
        let folder = self.folder(clerk.context).ok().flatten();
        let path = category_path(category).ok();
        let folder =
            folder.zip(path).map(|(folder, path)| FolderWriter::open_folder_below(&folder, &path));
        let folder = folder.and_then(|found| found.ok().flatten());
        folder.map(|folder| label::read(&folder)).unwrap_or_default()
    }
}
