//! The sentences for categories and memories. A refusal by a rule uses the rule's own words.
//!
//! Causes that may name host paths go to the log.

use std::io;

use mere_core::address::ModName;
use mere_core::category::{CategoryMode, CategoryOwner, Configured, Denial, InvalidChange};
use mere_core::item::{Category, ItemFault, MemoryPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};

use super::item::problems_data as problems_of;
use super::quote_names;
use crate::files::masking::mask_problems;
use crate::files::view::nonzero;
use crate::memory::with_left;
use crate::memory::{
    ConfigureError, NoServedStore, RenameError, StoreError, UnavailableReason, UnavailableStore,
    UnknownStore,
};
use mere_host::LockHeld;

/// Answers a call about a store that failed.
pub(super) fn store_error_reply(error: &StoreError) -> Draft {
    match error {
        StoreError::Denied(denial) => category_denial_reply(denial),
        StoreError::CategoryKept { denial, left } => {
            category_denial_reply(denial).data(with_left(Fields::default(), left))
        }
        StoreError::Invalid(invalid) => invalid_change_reply(invalid),
        StoreError::Missing { path, elsewhere } => missing_memory_reply(path, elsewhere),
        StoreError::Expired { path, at } => {
            let message = format!("The memory at '{path}' expired at {at}.");
            Draft::invalid(codes::MEMORY_EXPIRED, prose_with_names(&message, &[path.into()])).hint(
                "get_memory with `include_expired` shows it; update_memory with a later \
                 `expires_at` restores it.",
            )
        }
        StoreError::MemoryExists(path) => memory_exists_reply(path),
        StoreError::NoServedStore(NoServedStore::Unknown(unknown)) => unknown_store_reply(unknown),
        StoreError::NoServedStore(NoServedStore::Unavailable(store)) => {
            unavailable_store_reply(store)
        }
        StoreError::NewerFormat => super::item_change::newer_space_reply(),
        StoreError::Configure(error) => configure_error_reply(error),
        StoreError::Rename(error) => rename_error_reply(*error),
        StoreError::InvalidFile(fault) => invalid_file_reply(fault),
        StoreError::ForeignCursor => super::wrong_cursor_reply(),
        StoreError::Faulty { address, fault } => super::item::faulty_item_reply(address, fault),
        StoreError::Change(error) => super::item_change::item_change_error_reply(error),
        StoreError::File(error) => super::file_error_reply(error),
        StoreError::LockTimeout(name) => {
            let message = format!("Another process is changing the store `{name}`.");
            Draft::fault(codes::CALL_TIMED_OUT, Prose::words(message))
                .hint("Nothing was changed. Try again.")
        }
        StoreError::NoFolder(name) => missing_folder_reply(name),
        StoreError::Obstructed(name) => obstructed_folder_reply(name),
        StoreError::Unreadable { store, cause } => {
            unreadable_reply(&format!("The store `{store}`"), cause)
        }
        StoreError::WriteFailed { store, cause } => {
            unwritable_reply(&format!("The store `{store}`"), cause)
        }
        StoreError::CategoriesUnreadable { kind, cause } => {
            unreadable_reply(&format!("The folder `{}`", kind.folder()), cause)
        }
        StoreError::CategoriesNotCreated { kind, cause } => {
            unwritable_reply(&format!("The folder `{}`", kind.folder()), cause)
        }
    }
}

/// Answers a call about a memory that does not exist, and names those of its slug elsewhere.
fn missing_memory_reply(path: &MemoryPath, elsewhere: &[MemoryPath]) -> Draft {
    let message = prose_with_names(&format!("There is no memory at '{path}'."), &[path.into()]);
    let draft = Draft::invalid(codes::MEMORY_MISSING, message);
    if elsewhere.is_empty() {
        return draft.hint("list_memories shows the existing memories.");
    }
    let names = elsewhere.iter().map(ParsedName::from).collect::<Vec<_>>();
    let quoted = elsewhere.iter().map(|path| format!("'{path}'")).collect::<Vec<_>>().join(" or ");
    let similar = names.iter().cloned().map(Data::from).collect();
    draft
        .hint(prose_with_names(&format!("Did you mean {quoted}?"), &names))
        .data(Fields::default().with("similar", Data::List(similar)))
}

fn memory_exists_reply(path: &MemoryPath) -> Draft {
    let message = format!("There is already a memory at '{path}'.");
    Draft::invalid(codes::MEMORY_TAKEN, prose_with_names(&message, &[path.into()]))
        .hint("Nothing was overwritten. Change it with update_memory, or choose another path.")
}

/// Answers a renaming of a file that would not be a valid memory.
fn invalid_file_reply(fault: &ItemFault) -> Draft {
    let place = format!("line {}, column {}: ", fault.line, fault.column);
    let message = Prose::words("The file is not a valid memory at ").and(place);
    let words = Content::mention(fault.what.render_for_person());
    Draft::invalid(codes::STORE_RENAME, message.content(words).and("."))
        .hint("Nothing was renamed. Correct the file, and try again.")
}

fn missing_folder_reply(store: &ModName) -> Draft {
    let message = format!("The folder of the store `{store}` does not exist.");
    Draft::fault(codes::STORE_FOLDER, Prose::words(message))
        .hint("Ask a person to create the folder, or correct `path` in config.yaml.")
}

fn obstructed_folder_reply(store: &ModName) -> Draft {
    let message = format!("The folder of the store `{store}` is a link or a file.");
    Draft::fault(codes::STORE_FOLDER, Prose::words(message)).hint(
        "Links are not followed. Ask a person to put a folder there, or correct `path` in \
         config.yaml.",
    )
}

fn unknown_store_reply(unknown: &UnknownStore) -> Draft {
    let message = Prose::words(format!("There is no store called `{}`.", unknown.name));
    let hint = if unknown.known.is_empty() {
        "No store can be served; list_stores says why.".to_owned()
    } else {
        format!("Available stores: {}.", quote_names(&unknown.known))
    };
    Draft::invalid(codes::STORE_UNKNOWN, message).hint(Prose::words(hint))
}

/// Answers a call about a store that the configuration names and that cannot be served. No other
/// store takes its place.
fn unavailable_store_reply(store: &UnavailableStore) -> Draft {
    let UnavailableStore { name, reason } = store;
    let (words, hint) = match reason {
        UnavailableReason::AwaitsTrust => (
            format!("The store `{name}` lies outside the project, and awaits trust."),
            "Ask a person to run `mere trust project`, which shows where it lies. Until then there \
             is no store in its place.",
        ),
        UnavailableReason::SwitchedOff => (
            format!(
                "The store `{name}` lies outside the project, and `--no-mods` switches it off."
            ),
            "Ask a person to start the server without `--no-mods`, or with `--store` and another \
             store.",
        ),
        UnavailableReason::Replaced(mode) => (
            format!(
                "The store `{name}` was served in '{mode}' mode, and the project's config would \
                 now serve a less strict store in its place."
            ),
            "Ask a person to restore the config, or accept the change with `mere trust \
             project`. Until then no store is served.",
        ),
    };
    Draft::fault(codes::STORE_UNAVAILABLE, Prose::words(words)).hint(hint)
}

/// Answers when something cannot be read. The cause may name host paths, so it goes to the log.
fn unreadable_reply(what: &str, cause: &io::Error) -> Draft {
    tracing::error!(what, %cause, "it cannot be read");
    Draft::fault(codes::STORE_UNREADABLE, Prose::words(format!("{what} cannot be read.")))
        .hint("Ask a person to check the permissions of its folder; the log says more.")
}

/// Answers when something cannot be written.
fn unwritable_reply(what: &str, cause: &io::Error) -> Draft {
    if LockHeld::is_cause_of(cause) {
        return super::lock_held_reply(Prose::words(format!("{what} was not changed")));
    }
    tracing::error!(what, %cause, "it could not be written");
    let message = format!("{what} could not be written. The existing content was not changed.");
    Draft::fault(codes::STORE_UNWRITTEN, Prose::words(message)).hint(
        "Ask a person to check the disk space and the permissions of its folder; the log says \
         more.",
    )
}

/// Answers a change that the store's rules forbid.
fn category_denial_reply(denial: &Denial) -> Draft {
    let code = match denial {
        Denial::NewTopCategory { .. } => codes::CATEGORY_ROOT,
        Denial::CreateInStrictMode { .. } => codes::CATEGORY_CREATE,
        Denial::DeleteInStrictMode { .. } => codes::CATEGORY_DELETE,
        Denial::Protected { .. } => codes::CATEGORY_PROTECTED,
        Denial::ProtectedDescription { .. } => codes::CATEGORY_FIXED,
        Denial::UndeletableMemories { .. } => codes::CATEGORY_KEPT,
        Denial::ForeignFiles { .. } => codes::CATEGORY_FOREIGN,
        Denial::NoCategories { .. } => codes::MEMORY_NO_CATEGORIES,
        Denial::OperationDenied { .. } => codes::MEMORY_DENIED,
        Denial::ContentTooLong { .. } => codes::MEMORY_LENGTH,
        Denial::CategoryFull { .. } => codes::MEMORY_COUNT,
        Denial::ExpiryTooLate { .. } => codes::MEMORY_EXPIRY,
    };
    let draft = Draft::denied(code, denial.prose());
    match denial {
        Denial::CreateInStrictMode { known, .. } => draft.hint(known_categories(known).and(
            "Ask a person for another in config.yaml; a looser mode counts after `mere trust project`.",
        )),
        Denial::DeleteInStrictMode { owner, .. }
        | Denial::NoCategories { owner, .. } => draft.hint(match owner {
            CategoryOwner::Store => {
                "list_stores shows the defined categories. Ask a person to change config.yaml; a \
                 looser mode counts after `mere trust project`."
            }
            CategoryOwner::Items(_) => {
                "Use an existing category, or ask a person to change config.yaml; a looser mode \
                 counts after `mere trust project`."
            }
        }),
        _ => draft,
    }
}

/// Answers a call that is not valid for the store.
fn invalid_change_reply(invalid: &InvalidChange) -> Draft {
    let message = invalid.prose();
    match invalid {
        InvalidChange::MemoryCategoryMissing { category, configured: Configured::Yes, .. } => {
            Draft::invalid(codes::MEMORY_CATEGORY, message).data(missing_category(category))
        }
        InvalidChange::MemoryCategoryMissing { category, mode, known, .. } => {
            let hint = known_categories(known).and(match (mode, known.is_empty()) {
                (CategoryMode::Free, false) => {
                    "Use an existing one, or create the one that is missing."
                }
                (CategoryMode::Free, true) => "Create the one that is missing.",
                (CategoryMode::Subcategories, false) => {
                    "New ones can be created below existing ones."
                }
                (CategoryMode::Strict, false) => "Use an existing one.",
                (_, true) => "Ask a person to add one to config.yaml.",
            });
            let draft = Draft::invalid(codes::MEMORY_CATEGORY, message).hint(hint);
            draft.data(missing_category(category))
        }
        InvalidChange::NameIsCategory { .. } => Draft::invalid(codes::MEMORY_NAMED, message),
        InvalidChange::NotExpired { .. } => Draft::invalid(codes::MEMORY_UNEXPIRED, message),
        InvalidChange::Obstructed { .. } => Draft::invalid(codes::CATEGORY_OBSTRUCTED, message)
            .hint("Choose another name, or ask a person to look at the store's folder."),
        InvalidChange::CategoryMissing { configured, .. } => {
            Draft::invalid(codes::CATEGORY_MISSING, message).hint(match configured {
                Configured::Yes => {
                    "It is in the config but not on disk: `mere store sync` creates it."
                }
                Configured::No => "list_memories shows the existing categories and memories.",
            })
        }
        InvalidChange::NotEmpty { contents, .. } => {
            let data = Fields::default()
                .with("memories", contents.memories)
                .with("subcategories", contents.categories)
                .with("other_files", contents.other_files)
                .with_some("other_folders", nonzero(contents.other_folders));
            Draft::invalid(codes::CATEGORY_NOT_EMPTY, message).data(data)
        }
        InvalidChange::SchemaMismatch { problems, .. } => {
            let problems = problems_of(&mask_problems(problems.clone()));
            let data = Fields::default().with("problems", problems);
            Draft::invalid(codes::MEMORY_SCHEMA, message).data(data)
        }
    }
}

/// Returns the data of a refusal for want of a category.
fn missing_category(category: &Category) -> Fields {
    Fields::default().with("category", ParsedName::from(category))
}

/// Names the categories that there are, so that nobody has to ask for them.
fn known_categories(known: &[Category]) -> Prose {
    let names = known.iter().take(MAX_NAMED_CATEGORIES).map(ParsedName::from).collect::<Vec<_>>();
    if names.is_empty() {
        return Prose::words("There are no categories yet. ");
    }
    let listed = names.iter().map(ParsedName::as_str).collect::<Vec<_>>().join(", ");
    let more = match known.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    prose_with_names(&format!("Categories: {listed}{more}. "), &names)
}

/// The most categories that a hint names.
const MAX_NAMED_CATEGORIES: usize = 40;

/// Answers a change to the configuration that was not made.
fn configure_error_reply(error: &ConfigureError) -> Draft {
    let words = |text: String| Prose::words(text);
    match error {
        ConfigureError::NameTaken(name) => {
            let message = format!("There is already a store called `{name}`.");
            Draft::invalid(codes::STORE_TAKEN, words(message))
                .hint("Choose another name; `mere category define` adds a category to a store.")
        }
        ConfigureError::Unconfigured(name) => {
            let message = format!("The store `{name}` exists but is not configured.");
            Draft::invalid(codes::STORE_CONFIG, words(message))
                .hint(words(format!("`mere store init {name}` adds it to config.yaml.")))
        }
        ConfigureError::AlreadyDefined(path) => {
            let message = format!("The configuration already defines the category '{path}'.");
            Draft::invalid(codes::STORE_CONFIG, prose_with_names(&message, &[path.into()]))
                .hint("Change it in config.yaml.")
        }
        ConfigureError::NotDefined(path) => {
            let message = format!("The configuration does not define the category '{path}'.");
            Draft::invalid(codes::STORE_CONFIG, prose_with_names(&message, &[path.into()]))
                .hint("`mere store list` shows the defined categories.")
        }
        ConfigureError::HasSubcategories(path) => {
            let message = format!("The configuration defines categories below '{path}'.");
            Draft::invalid(codes::STORE_CONFIG, prose_with_names(&message, &[path.into()]))
                .hint("Undefine those first.")
        }
        ConfigureError::Unusable { address, reason } => {
            let message = Prose::words("").address(address.clone());
            let message =
                message.and(" cannot be changed in this way: ").content(Content::mention(reason));
            Draft::invalid(codes::STORE_CONFIG, message.and("."))
                .hint("The file was not changed. Choose another name or path.")
        }
        ConfigureError::Amend { address, error } => {
            let message = Prose::words("").address(address.clone());
            let message = message.and(format!(
                " cannot be changed without affecting other parts of the file: {error}."
            ));
            Draft::invalid(codes::STORE_CONFIG, message).hint(
                "Nothing was changed. Edit the file by hand; docs/config.md describes every key.",
            )
        }
    }
}

/// Answers a renaming that was not done.
fn rename_error_reply(error: RenameError) -> Draft {
    let hint = match error {
        RenameError::Missing => {
            "Type its path from the folder of the store, as `mere doctor` does."
        }
        RenameError::NeitherFileNorFolder => "Links and special files are never memories.",
        RenameError::IsMemory => "`mere memory move` moves a memory.",
        RenameError::IsCategory => "It has a valid name.",
        RenameError::NoCategory => "Categories have at most eight levels.",
        RenameError::CategoryExists => {
            "Choose another name, or move what is in the folder into that category."
        }
    };
    let message = format!("Nothing was renamed: {error}.");
    Draft::invalid(codes::STORE_RENAME, Prose::words(message)).hint(hint)
}

/// Builds a sentence of ours that contains names.
fn prose_with_names(words: &str, names: &[ParsedName]) -> Prose {
    Prose::with_names(words, names)
}
