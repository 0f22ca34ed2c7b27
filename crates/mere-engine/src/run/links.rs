//! The links of a chain. Each is found by precedence, read once, and verified.
//!
//! Following the links does not compare them with a lockfile; `lock` does that.

use mere_core::chain::{Chain, ChainTool, MAX_CHAIN_LENGTH, builtin};
use mere_core::item::{Item, ItemId, ItemRef, ItemType, ScopedPath};
use mere_core::request::{LookupScope, Reader, UnsignedPolicy};

use super::RunError;
use crate::commands::read_verified_bytes;
use crate::error::tool_error::ToolError;
use crate::items::find::find;
use crate::items::{CheckedItem, ItemCall, ItemError, LoadedItem};
use crate::policy;
use mere_core::address::{RelPath, Spoken};
use mere_host::has_terminal;

/// A chain whose links were read, and who vouches for each.
pub(super) struct Linked {
    pub(super) chain: Chain,
    /// In the same order as the links; `None` for a tool that is built into the binary.
    pub(super) checked_items: Vec<Option<CheckedItem>>,
}

/// What a link must satisfy to be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkRequirement {
    /// It needs a trusted signature, unless a person at a terminal allows an unsigned tool.
    ToRun(UnsignedPolicy),
    /// It must not be broken: if it was signed, it must match its signature.
    ToShow,
}

impl Linked {
    /// Follows the links of a tool down to a primitive.
    pub(super) fn follow(
        desk: &ItemCall<'_>,
        item: &ItemRef,
        demand: LinkRequirement,
    ) -> Result<Self, ToolError> {
        let found = find(desk.sources, desk.view, (ItemType::Tool, item), LookupScope::Local)?;
        let mut place = Some(found.place);
        let (mut members, mut opened) = (Vec::<ChainTool>::new(), Vec::new());
        while let Some(next) = place.take() {
            let link = open_link(desk, next, demand)?;
            let member = chain_member(&link)?;
            let executor = member.pin.executor.clone();
            let seen = members.iter().any(|one| one.pin.id == member.pin.id);
            let child = member.pin.id.clone();
            members.push(member);
            opened.push(Some(link));
            let Some(executor) = executor.filter(|_| !seen && members.len() <= MAX_CHAIN_LENGTH)
            else {
                break;
            };
            if builtin::is_reserved(&executor) {
                push_builtins(&executor, &mut members);
                break;
            }
            place = Some(find_executor(desk, child, executor)?);
        }
        opened.resize_with(members.len(), || None);
        let chain = Chain::new(members).map_err(RunError::Chain)?;
        Ok(Self { chain, checked_items: opened })
    }

    /// Checks that every link may be run.
    pub(super) fn permit_run(&self) -> Result<(), RunError> {
        let opened = self.checked_items.iter().flatten();
        let mut permits = opened.map(|opened| policy::permit_run(opened, false));
        permits.try_for_each(|permit| permit).map_err(RunError::Unsigned)
    }

    /// Reads the verified files of a link, with paths relative to its folder.
    pub(super) fn read_files(
        &self,
        desk: &ItemCall<'_>,
        link: usize,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, ToolError> {
        let Some(Some(opened)) = self.checked_items.get(link) else { return Ok(Vec::new()) };
        let loaded = &opened.loaded;
        let changed = || RunError::FileChanged(loaded.address.clone());
        let main = desk.view.resolve(&Spoken::Rooted(loaded.address.clone()))?;
        let folder = main.parent_folder().ok_or_else(changed)?;
        let mut files = Vec::new();
        for file in &loaded.files {
            // Only the exact bytes that were hashed during verification are accepted.
            let bytes = read_verified_bytes(folder, file).map_err(|cause| {
                tracing::warn!(%cause, path = file.path, "a file of a tool changed");
                changed()
            })?;
            files.push((file.path.parse().map_err(|_| changed())?, bytes));
        }
        let name = loaded.main_file_name().parse().map_err(|_| changed())?;
        files.push((name, loaded.text.clone().into_bytes()));
        Ok(files)
    }

    /// Returns the tool that was asked for.
    pub(super) fn leaf(&self) -> Option<&LoadedItem> {
        self.checked_items.first().and_then(Option::as_ref).map(|opened| &opened.loaded)
    }
}

/// Appends the built-in tools, down to the primitive.
fn push_builtins(id: &ItemId, members: &mut Vec<ChainTool>) {
    let mut next = builtin::find(id);
    while let Some(member) = next.take() {
        next = member.pin.executor.as_ref().and_then(builtin::find);
        members.push(member);
    }
}

fn find_executor(
    desk: &ItemCall<'_>,
    link: ItemId,
    executor: ItemId,
) -> Result<ScopedPath, ToolError> {
    let item = ItemRef { category: None, id: executor.clone(), version: None };
    let found = find(desk.sources, desk.view, (ItemType::Tool, &item), LookupScope::Local);
    let missing = |error| RunError::ExecutorNotFound { link, executor, error: Box::new(error) };
    Ok(found.map_err(missing)?.place)
}

fn open_link(
    desk: &ItemCall<'_>,
    place: ScopedPath,
    demand: LinkRequirement,
) -> Result<CheckedItem, ToolError> {
    let opened = CheckedItem::read_and_verify(desk.view, desk.trust_policy, place)?;
    let LinkRequirement::ToRun(unsigned) = demand else { return Ok(opened) };
    let is_meant =
        desk.reader == Reader::Person && unsigned == UnsignedPolicy::Allow && has_terminal();
    policy::permit_run(&opened, is_meant).map_err(RunError::Unsigned)?;
    Ok(opened)
}

fn chain_member(opened: &CheckedItem) -> Result<ChainTool, ToolError> {
    let loaded = &opened.loaded;
    match (&loaded.item, loaded.integrity) {
        (Item::Tool(tool), Some(integrity)) => {
            Ok(ChainTool::new(tool.clone(), &loaded.place, integrity))
        }
        _ => Err(ItemError::NotRunnable(loaded.place.kind).into()),
    }
}
