//! Creating, deleting and describing a category.
//!
//! Policy is always checked before it is checked whether the category exists.

use mere_core::category::{
    CategoryContents, DeletableContents, Denial, Description, InvalidChange, StoreChange, StoreView,
};
use mere_core::item::Category;
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{CategoryCall, CategoryChange};

use super::category_deletion::CategoryDeletion;
use super::locked_store::LockedStore;
use super::reply::description_content;
use super::store_view::StoreOnDisk;
use super::{Store, StoreCall, StoreError};
use crate::files::view::nonzero;

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
        CategoryChange::Delete { depth } => delete(call, store, category_call, *depth),
        CategoryChange::CountContents => count_contents(call, store, path),
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
        (codes::CATEGORY_CREATED, "was created")
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

/// The most names of files and folders that a reply lists.
const MAX_NAMED: usize = 100;

fn delete(
    call: &StoreCall<'_>,
    store: &Store,
    category_call: &CategoryCall,
    deletable: DeletableContents,
) -> Result<Draft, StoreError> {
    let (path, force) = (&category_call.path, category_call.force);
    let change = StoreChange::DeleteCategory { path: path.clone(), deletable };
    let missing = InvalidChange::CategoryMissing {
        what: "delete",
        path: path.clone(),
        configured: store.rules.hierarchy().configured(path),
    };
    let Some(locked) = LockedStore::open(store, call.access())? else {
        // Policy decides before existence does, whether or not there is a folder.
        LockedStore::check_without_folder(store, call.access(), change, force)?;
        return Err(StoreError::Invalid(missing));
    };
    let deletion = match locked.permit(change, force) {
        Ok(permit) => locked.apply_deletion(permit)?,
        Err(StoreError::Denied(denial @ Denial::ForeignFiles { .. })) => {
            let left = locked.find_others(path)?;
            return Err(StoreError::CategoryKept { denial, left });
        }
        Err(error) => return Err(error),
    };
    if !deletion.is_gone && deletion.left.is_empty() {
        return Err(StoreError::Invalid(missing));
    }
    if !deletion.is_gone && deletion.memories + deletion.categories == 0 {
        let (path, left) = (path.clone(), deletion.left);
        let denial = Denial::ForeignFiles { path, others: left.len() as u64 };
        return Err(StoreError::CategoryKept { denial, left });
    }
    Ok(deletion_reply(store, path, deletion))
}

/// Says what a deletion did, and names what it left.
fn deletion_reply(store: &Store, path: &Category, deletion: CategoryDeletion) -> Draft {
    let CategoryDeletion { is_gone, memories, categories, left } = deletion;
    let data = category_fields(store, path, &Description::EMPTY).with("deleted", is_gone);
    if is_gone {
        let message = format!("The category '{path}' was deleted.");
        let message = Prose::with_names(&message, &[ParsedName::from(path)]);
        return Draft::success(codes::CATEGORY_DELETED, message).data(data);
    }
    let removed = CategoryContents { memories, categories, ..CategoryContents::default() };
    let message = format!(
        "The category '{path}' still exists: of its contents, {} {} deleted, and {} that {} \
         neither a memory nor a category {} left.",
        removed.describe(),
        if memories + categories == 1 { "was" } else { "were" },
        if left.len() == 1 { "one entry".to_owned() } else { format!("{} entries", left.len()) },
        if left.len() == 1 { "is" } else { "are" },
        if left.len() == 1 { "was" } else { "were" },
    );
    let removed = Fields::default().with("memories", memories).with("subcategories", categories);
    let data = with_left(data.with("removed", removed), &left);
    Draft::success(
        codes::CATEGORY_PARTLY_DELETED,
        Prose::with_names(&message, &[ParsedName::from(path)]),
    )
    .hint("Ask a person to look at what was left: `mere category delete --recursive` deletes it.")
    .data(data)
}

/// Adds the names of what a deletion leaves.
pub(crate) fn with_left(fields: Fields, left: &[String]) -> Fields {
    let more = left.len().saturating_sub(MAX_NAMED) as u64;
    let names = left.iter().take(MAX_NAMED).map(|path| Data::from(Content::mention(path)));
    fields.with("left", names.collect::<Data>()).with_some("more_left", nonzero(more))
}

/// Counts what is in a category, for a person who is about to delete it.
fn count_contents(
    call: &StoreCall<'_>,
    store: &Store,
    path: &Category,
) -> Result<Draft, StoreError> {
    let unreadable = |cause| StoreError::Unreadable { store: store.name.clone(), cause };
    let folder = store.folder(call.context).map_err(unreadable)?;
    let disk = StoreOnDisk(folder.as_ref());
    if !disk.has_category(path).map_err(unreadable)? {
        let (path, configured) = (path.clone(), store.rules.hierarchy().configured(path));
        let missing = InvalidChange::CategoryMissing { what: "delete", path, configured };
        return Err(StoreError::Invalid(missing));
    }
    let contents = disk.contents(path).map_err(unreadable)?;
    let words = if contents.is_empty() { "nothing".to_owned() } else { contents.describe() };
    let message = format!("The category '{path}' contains {words}.");
    let message = Prose::with_names(&message, &[ParsedName::from(path)]);
    let data = Fields::default().with("contents", Content::mention(words));
    Ok(Draft::success(codes::CATEGORY_COUNTED, message).data(data))
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
        let path = category.path.clone();
        let configured = store.rules.hierarchy().configured(&path);
        let missing = InvalidChange::CategoryMissing { what: verb, path, configured };
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
