//! The links of a chain: each found by precedence, read once, and vouched for.

use mere_core::chain::{Chain, ChainTool, MAX_CHAIN_LENGTH, builtin};
use mere_core::item::{Item, ItemId, ItemRef, ItemType, ScopedPath};
use mere_core::request::{LookupScope, Reader, UnsignedPolicy};

use super::super::find::find;
use super::super::keep::bytes_of;
use super::super::{ItemError, Loaded, Opened};
use super::RunError;
use crate::enforce;
use crate::items::Desk;
use crate::tool_error::ToolError;
use mere_core::address::RelPath;
use mere_core::spoken::Spoken;
use mere_host::has_terminal;

/// A chain whose links were read, and who vouches for each.
pub(super) struct Linked {
    pub(super) chain: Chain,
    /// In the same order; none for what ships in the binary.
    pub(super) opened: Vec<Option<Opened>>,
}

/// What links must have to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// A signature that counts, but for what a person at a terminal lets pass.
    ToRun(UnsignedPolicy),
    /// To be what it was signed as, if it was signed.
    ToLook,
}

impl Linked {
    /// Follows the links of a tool down to a primitive.
    pub(super) fn follow(
        desk: &Desk<'_>,
        item: &ItemRef,
        demand: Demand,
    ) -> Result<Self, ToolError> {
        let found = find(desk.stock, desk.view, (ItemType::Tool, item), LookupScope::Local)?;
        let mut place = Some(found.place);
        let (mut members, mut opened) = (Vec::<ChainTool>::new(), Vec::new());
        while let Some(next) = place.take() {
            let link = open(desk, next, demand)?;
            let member = member(&link)?;
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
                ship(&executor, &mut members);
                break;
            }
            place = Some(find_executor(desk, child, executor)?);
        }
        opened.resize_with(members.len(), || None);
        let chain = Chain::new(members).map_err(RunError::Chain)?;
        Ok(Self { chain, opened })
    }

    /// Whether all of it may be run.
    pub(super) fn permit(&self) -> Result<(), RunError> {
        let opened = self.opened.iter().flatten();
        let mut permits = opened.map(|opened| enforce::permit_run(opened, false));
        permits.try_for_each(|permit| permit).map_err(RunError::Unsigned)
    }

    /// The verified files of a link, by their paths from its folder.
    pub(super) fn files(
        &self,
        desk: &Desk<'_>,
        link: usize,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, ToolError> {
        let Some(Some(opened)) = self.opened.get(link) else { return Ok(Vec::new()) };
        let loaded = &opened.loaded;
        let changed = || RunError::Changed(loaded.address.clone());
        let main = desk.view.resolve(&Spoken::Rooted(loaded.address.clone()))?;
        let folder = main.parent_folder().ok_or_else(changed)?;
        let mut files = Vec::new();
        for file in &loaded.files {
            // Exactly the bytes that were hashed when the item was judged, or nothing.
            let bytes = bytes_of(folder, file).map_err(|cause| {
                tracing::warn!(%cause, path = file.path, "a file of a tool changed");
                changed()
            })?;
            files.push((file.path.parse().map_err(|_| changed())?, bytes));
        }
        let name = loaded.main_name().parse().map_err(|_| changed())?;
        files.push((name, loaded.text.clone().into_bytes()));
        Ok(files)
    }

    /// The tool that was asked for.
    pub(super) fn leaf(&self) -> Option<&Loaded> {
        self.opened.first().and_then(Option::as_ref).map(|opened| &opened.loaded)
    }
}

/// What ships in the binary, down to the primitive.
fn ship(id: &ItemId, members: &mut Vec<ChainTool>) {
    let mut next = builtin::find(id);
    while let Some(member) = next.take() {
        next = member.pin.executor.as_ref().and_then(builtin::find);
        members.push(member);
    }
}

fn find_executor(desk: &Desk<'_>, link: ItemId, executor: ItemId) -> Result<ScopedPath, ToolError> {
    let item = ItemRef { category: None, id: executor.clone(), version: None };
    let found = find(desk.stock, desk.view, (ItemType::Tool, &item), LookupScope::Local);
    let missing = |error| RunError::Executor { link, executor, error: Box::new(error) };
    Ok(found.map_err(missing)?.place)
}

fn open(desk: &Desk<'_>, place: ScopedPath, demand: Demand) -> Result<Opened, ToolError> {
    let opened = Opened::judge(desk.view, desk.court, place)?;
    let Demand::ToRun(unsigned) = demand else { return Ok(opened) };
    let is_meant =
        desk.who == Reader::Person && unsigned == UnsignedPolicy::Allow && has_terminal();
    enforce::permit_run(&opened, is_meant).map_err(RunError::Unsigned)?;
    Ok(opened)
}

fn member(opened: &Opened) -> Result<ChainTool, ToolError> {
    let loaded = &opened.loaded;
    match (&loaded.item, loaded.integrity) {
        (Item::Tool(tool), Some(integrity)) => {
            Ok(ChainTool::new(tool.clone(), &loaded.place, integrity))
        }
        _ => Err(ItemError::NotRun(loaded.place.kind).into()),
    }
}
