//! Commands about a whole store, which only people give: sync, reindex and prune.
//!
//! Pruning needs a permit for each memory, like any other deletion.

use jiff::Timestamp;
use mere_core::address::Address;
use mere_core::category::{Force, MemoryOperation, StoreChange};
use mere_core::item::{self, MemoryPath, MemoryText};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::DryRun;

use super::locked_store::LockedStore;
use super::{Store, StoreCall, StoreError};
use crate::files::view::count_phrase;
use crate::trust::now;

/// The most faults that a reply lists.
const MAX_FAULTS: usize = 1000;

/// Builds the reply to `mere store sync` from the categories that were created.
pub(super) fn sync_reply(made: Vec<Address>) -> Draft {
    let count = made.len() as u64;
    let data = Fields::default().with("made", made.into_iter().map(Data::from).collect::<Data>());
    let message = match count {
        0 => Prose::words("All configured categories exist."),
        _ => count_phrase(count, "category was created.", "categories were created."),
    };
    Draft::success(codes::STORE_SYNCED, message).data(data)
}

/// Reads every memory again, and reports those that are faulty.
pub(super) fn reindex(call: &StoreCall<'_>) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let unreadable = |cause| StoreError::Unreadable { store: store.name.clone(), cause };
    let folder = store.folder(call.context).map_err(unreadable)?;
    if folder.is_none() {
        store.check_unobstructed(call.context)?;
    }
    let (memories, categories, faults) = match folder {
        Some(folder) => {
            call.tables.clear();
            call.tables.with_table(&folder, |table| {
                let faults = table.faulty_rows().map(|row| (row.path.clone(), None));
                let strays = table.strays().iter().filter(|(_, stray)| stray.reason.seems_meant());
                let strays =
                    strays.map(|(path, stray)| (path.clone(), Some(stray.reason.describe())));
                let unreadable = table.unreadable_categories().iter();
                let unreadable = unreadable.map(|category| {
                    (category.to_string(), Some("permission to read it was denied"))
                });
                let faults = faults.chain(strays).chain(unreadable);
                let faults = faults.take(MAX_FAULTS).collect::<Vec<_>>();
                let (memories, categories) = (table.len(), table.categories().len());
                (memories as u64, categories as u64, faults)
            })
        }
        None => Ok((0, 0, Vec::new())),
    }
    .map_err(unreadable)?;
    let count = faults.len() as u64;
    let faults = faults.into_iter().map(|(path, reason)| {
        let problem = reason.map(str::to_owned);
        let own = || path.parse().ok().and_then(|path| describe_problem(call, store, &path));
        let problem = problem.or_else(own).unwrap_or_else(|| "it cannot be read".to_owned());
        Data::from(
            Fields::default()
                .with("path", Content::mention(path))
                .with("problem", Content::mention(problem)),
        )
    });
    let data = Fields::default()
        .with("store", store.name_data())
        .with("memories", memories)
        .with("categories", categories)
        .with("faults", faults.collect::<Data>());
    let read = count_phrase(memories, "memory was read", "memories were read");
    if count == 0 {
        return Ok(
            Draft::success(codes::STORE_READ, read.and("; no problems were found.")).data(data)
        );
    }
    let bad = if count == 1 { "and one has a problem." } else { "and some have problems." };
    let message = read.and(", ").and(bad);
    Ok(Draft::fault(codes::STORE_FAULTS, message)
        .hint("The affected files are listed with their problems; fix them.")
        .data(data))
}

/// Describes in one line what is wrong with a memory.
fn describe_problem(call: &StoreCall<'_>, store: &Store, path: &MemoryPath) -> Option<String> {
    let locked = LockedStore::open(store, call.access()).ok()??;
    let stored = locked.read(path).ok()??;
    let fault = match item::decode_text(&stored.bytes) {
        Ok(text) => MemoryText::parse(text.to_owned(), &path.slug).err()?,
        Err(fault) => fault,
    };
    let fault = crate::files::masking::mask_fault(fault);
    Some(format!(
        "line {}, column {}: {}",
        fault.line,
        fault.column,
        fault.what.render_for_person()
    ))
}

/// Deletes the memories that have expired, or lists them in a dry run.
pub(super) fn prune(call: &StoreCall<'_>, dry_run: DryRun) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let now = now();
    let unreadable = |cause| StoreError::Unreadable { store: store.name.clone(), cause };
    let folder = store.folder(call.context).map_err(unreadable)?;
    let expired =
        folder.map(|folder| call.tables.with_table(&folder, |table| table.expired_paths(now)));
    let expired = expired.transpose().map_err(unreadable)?.unwrap_or_default();
    let may_go =
        |path: &MemoryPath| store.rules.policy_for(&path.category).permits(MemoryOperation::Delete);
    let (expired, kept) = expired.into_iter().partition::<Vec<_>, _>(may_go);
    let removed = match dry_run {
        DryRun::Yes => expired,
        DryRun::No if expired.is_empty() => expired,
        DryRun::No => prune_all(call, store, expired)?,
    };
    let draft = prune_reply(store, &removed, dry_run, now);
    let (count, are) = (kept.len(), if kept.len() == 1 { "is" } else { "are" });
    Ok(if kept.is_empty() {
        draft
    } else {
        let words = format!(
            "{count} {are} kept, because `permissions.delete` of the category forbids deletion."
        );
        draft.hint(Prose::words(words))
    })
}

/// Deletes expired memories, and returns those that were deleted.
fn prune_all(
    call: &StoreCall<'_>,
    store: &Store,
    expired: Vec<MemoryPath>,
) -> Result<Vec<MemoryPath>, StoreError> {
    let Some(locked) = LockedStore::open(store, call.access())? else { return Ok(Vec::new()) };
    let mut removed = Vec::new();
    for path in expired {
        if prune_one(&locked, &path)? {
            removed.push(path);
        }
    }
    Ok(removed)
}

/// Deletes a memory if it still exists and is still expired.
fn prune_one(locked: &LockedStore<'_>, path: &MemoryPath) -> Result<bool, StoreError> {
    let Some(stored) = locked.read(path)? else { return Ok(false) };
    let text = item::decode_text(&stored.bytes).map(str::to_owned);
    let Ok(note) = text.and_then(|text| MemoryText::parse(text, &path.slug)) else {
        return Ok(false);
    };
    let change =
        StoreChange::PruneMemory { path: path.clone(), memory: note, before: stored.sha256 };
    match locked.permit(change, Force::No) {
        Ok(permit) => locked.apply(permit),
        Err(StoreError::Invalid(_) | StoreError::Denied(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

fn prune_reply(store: &Store, removed: &[MemoryPath], dry_run: DryRun, now: Timestamp) -> Draft {
    let count = removed.len() as u64;
    let paths = removed.iter().map(|path| Data::from(ParsedName::from(path)));
    let is_dry = dry_run == DryRun::Yes;
    let data = Fields::default()
        .with("store", store.name_data())
        .with("count", count)
        .with("memories", paths.collect::<Data>())
        .with("now", super::reply::time_data(now))
        .with_some("dry_run", is_dry.then_some(true));
    let message = match (count, is_dry) {
        (0, _) => Prose::words("No memory has expired."),
        (_, true) => count_phrase(count, "memory has expired", "memories have expired").and("."),
        (_, false) => {
            count_phrase(count, "expired memory was", "expired memories were").and(" deleted.")
        }
    };
    Draft::success(codes::MEMORY_PRUNED, message).data(data)
}
