//! The item commands for memories. The rules of the memory's store decide.
//!
//! Only memories in the store that is served can be created or changed here.

use mere_core::item::{
    ItemRef, ItemType, MemoryPath, NewMemory, Scope, ToolTemplate, template_files,
};
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::{LookupScope, MemoryCall};

use super::CommandCall;
use crate::error::tool_error::ToolError;
pub(crate) use crate::items::change::ExecutionMode;
use crate::items::find::NamedItem;
use crate::memory;
use crate::space::ItemChangeError;

/// Creates a memory from the template.
pub(super) fn create(
    call: &CommandCall<'_>,
    item: &ItemRef,
    scope: Scope,
) -> Result<Draft, ToolError> {
    let store = call.store_call.served_store()?;
    // A memory can only be created in the store that is served.
    if scope != store.scope {
        return Err(ItemChangeError::UnsupportedType(ItemType::Memory).into());
    }
    let category = item.category.clone().unwrap_or_default();
    let path = MemoryPath { category, slug: item.id.clone() };
    let files =
        template_files(&store.scoped_path(&path), ToolTemplate::default()).unwrap_or_default();
    let content = files.into_iter().next().map(|(_, text)| text).unwrap_or_default();
    let wording = NewMemory { content, ..NewMemory::default() };
    Ok(memory::run_memory_call(call.store_call, &MemoryCall::Create { path, wording })?)
}

/// Moves a memory to another path.
pub(super) fn move_memory(
    call: &CommandCall<'_>,
    (item, source): (&ItemRef, LookupScope),
    to: impl FnOnce(MemoryPath) -> MemoryPath,
) -> Result<Draft, ToolError> {
    let from = find_memory(call, item, source)?;
    let to = to(from.clone());
    Ok(memory::run_memory_call(call.store_call, &MemoryCall::Move { from, to })?)
}

/// Deletes a memory. In a dry run, says which one would be deleted.
pub(crate) fn delete(
    call: &CommandCall<'_>,
    (item, source): (&ItemRef, LookupScope),
    mode: ExecutionMode,
) -> Result<Draft, ToolError> {
    let path = find_memory(call, item, source)?;
    if mode == ExecutionMode::Real {
        return Ok(memory::run_memory_call(call.store_call, &MemoryCall::Remove { path })?);
    }
    let address = call
        .store_call
        .served_store()?
        .scoped_path(&path)
        .address()
        .ok_or(ItemChangeError::InvalidPlace)?;
    let message = Prose::words("").address(address.clone());
    let message = message.and(" would be deleted. Nothing was changed: a dry run.");
    let data = Fields::default().with("address", address).with("dry_run", true);
    Ok(Draft::success(codes::CHANGE_DRY, message).data(data))
}

/// Finds the memory that a reference means.
fn find_memory(
    call: &CommandCall<'_>,
    item: &ItemRef,
    source: LookupScope,
) -> Result<MemoryPath, ToolError> {
    let place = call.items.find(NamedItem { kind: ItemType::Memory, item, source })?.place;
    let path = MemoryPath { category: place.category.clone(), slug: place.id.clone() };
    // Only the store that is served can be changed.
    if place == call.store_call.served_store()?.scoped_path(&path) {
        return Ok(path);
    }
    Err(ItemChangeError::UnsupportedType(ItemType::Memory).into())
}
