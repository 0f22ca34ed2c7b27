//! Creating, deleting and describing a category.
//!
//! Policy is always checked before it is checked whether the category exists.

use mere_core::category::{DeletableContents, Description, InvalidChange, StoreChange};
use mere_core::item::Category;
use mere_core::reply::{Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{CategoryCall, CategoryChange, Reader};

use super::locked_store::LockedStore;
use super::reply::description_content;
use super::{Store, StoreCall, StoreError};

/// Runs a call about a category of the served store.
pub(super) fn run_category_call(
    call: &StoreCall<'_>,
    category_call: &CategoryCall,
) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let path = &category_call.path;
    store.check_visible(call, path)?;
    match &category_call.change {
        CategoryChange::Create { description } => {
            create(call, store, category_call, description.as_ref())
        }
        CategoryChange::Delete { depth } => {
            // Outside a space a folder may hold anything, so an agent may delete only memories
            // there.
            let depth = match (call.reader, depth) {
                (Reader::Agent, DeletableContents::Visible) if !store.is_in_space() => {
                    DeletableContents::Memories
                }
                _ => *depth,
            };
            let change = StoreChange::DeleteCategory { path: path.clone(), deletable: depth };
            let verb = "delete";
            PendingCategoryChange { store, category: category_call, change, verb }.apply(call)?;
            let data = category_fields(store, path, &Description::EMPTY).with("deleted", true);
            let message = Prose::with_names(
                &format!("The category '{path}' was deleted."),
                &[ParsedName::from(path)],
            );
            Ok(Draft::success(codes::CATEGORY_DELETED, message).data(data))
        }
        CategoryChange::Describe { description } => {
            let description = description.clone();
            let change = StoreChange::DescribeCategory {
                path: path.clone(),
                description: description.clone(),
            };
            let verb = "describe";
            PendingCategoryChange { store, category: category_call, change, verb }.apply(call)?;
            let data = category_fields(store, path, &description);
            let message = Prose::with_names(
                &format!("The description of the category '{path}' was changed."),
                &[ParsedName::from(path)],
            );
            Ok(Draft::success(codes::CATEGORY_DESCRIBED, message).data(data))
        }
    }
}

fn create(
    call: &StoreCall<'_>,
    store: &Store,
    category_call: &CategoryCall,
    requested: Option<&Description>,
) -> Result<Draft, StoreError> {
    let path = &category_call.path;
    let description = requested.cloned().unwrap_or_default();
    let change = StoreChange::CreateCategory { path: path.clone(), description };
    let locked = LockedStore::open_or_create(store, call.access(), &change, category_call.force)?;
    let made = locked.apply(locked.permit(change, category_call.force)?)?;
    // A link or a file with this name is not a category.
    let Some(written) = locked.description(path)? else {
        return Err(StoreError::Invalid(InvalidChange::Obstructed { path: path.clone() }));
    };
    let named = store.rules.hierarchy().find(path);
    let description = named.map_or(written, |named| named.description.clone());
    drop(locked);
    let is_other = requested.is_some_and(|requested| *requested != description);
    let data = category_fields(store, path, &description).with("created", made);
    let (code, words) = if made {
        (codes::CATEGORY_CREATED, "is made")
    } else {
        (codes::CATEGORY_THERE, "already exists")
    };
    let draft = Draft::success(
        code,
        Prose::with_names(&format!("The category '{path}' {words}."), &[ParsedName::from(path)]),
    );
    let draft = if is_other {
        draft.hint(
            "Its description is unchanged; use set_category_description to change a description \
             that is not in config.yaml.",
        )
    } else {
        draft
    };
    Ok(draft.data(data))
}

/// A change to an existing category.
struct PendingCategoryChange<'a> {
    store: &'a Store,
    category: &'a CategoryCall,
    change: StoreChange,
    /// What the change does, for the message.
    verb: &'static str,
}

impl PendingCategoryChange<'_> {
    fn apply(self, call: &StoreCall<'_>) -> Result<(), StoreError> {
        let Self { store, category, change, verb } = self;
        let missing = InvalidChange::CategoryMissing { what: verb, path: category.path.clone() };
        let Some(locked) = LockedStore::open(store, call.access())? else {
            // Policy decides before existence does, whether or not there is a folder.
            LockedStore::check_without_folder(store, call.access(), change, category.force)?;
            return Err(StoreError::Invalid(missing));
        };
        if locked.apply(locked.permit(change, category.force)?)? {
            return Ok(());
        }
        Err(StoreError::Invalid(missing))
    }
}

fn category_fields(store: &Store, path: &Category, description: &Description) -> Fields {
    Fields::default()
        .with("store", store.name_data())
        .with("path", ParsedName::from(path))
        .with("description", description_content(description))
}
