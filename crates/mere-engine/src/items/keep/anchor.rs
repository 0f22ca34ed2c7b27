//! Putting an item somewhere: new, copied, into another category, under another id.
//!
//! What is new is durable before what is old goes, so at worst both are there.

use mere_core::address::Address;
use mere_core::item::{
    Category, CategoryBase, ItemForm, ItemId, ItemRef, ItemType, Scope, ScopedPath, template_files,
};
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::{AuthorChoice, ItemContent, LookupScope, Reader};
use mere_core::spoken::Spoken;

use super::super::change::{Desk, Mode, check_arrival, put};
use super::super::find::find;
use super::super::place::{Placing, apply};
use super::super::prospect::{Prospect, in_space, main_name};
use super::super::{ItemError, Loaded, Opened, Unmade};
use super::anchoring::{Anchoring, renamed};
use super::links;
use crate::enforce::{
    self, ExpectedState, ItemChange, ItemOperation, SignatureState, SigningReason,
};
use crate::tool_error::ToolError;

/// Makes an item from its type's template.
pub(super) fn new(
    desk: &Desk<'_>,
    (kind, item): (ItemType, &ItemRef),
    (scope, form): (Scope, ItemForm),
) -> Result<Draft, ToolError> {
    let place = in_space(scope, kind, item, form);
    let mut files = template_files(&place).ok_or(Unmade::NotMade(kind))?.into_iter();
    check_arrival(desk, &place)?;
    let (_, content) = files.next().ok_or(Unmade::NotMade(kind))?;
    let files = files.map(|(name, text)| Ok((name.parse().map_err(|_| Unmade::Place)?, text)));
    let text = ItemContent { main_file: content, files: files.collect::<Result<_, ItemError>>()? };
    let prospect = Prospect::new((desk.stock, desk.view), place, &text)?;
    let draft = put(desk, prospect, ExpectedState::Nothing, Mode::Really)?;
    let words = format!("{kind} {item}");
    Ok(if kind == ItemType::Tool {
        draft.hint(Prose::words(format!(
            "It runs once it is signed: edit its files, then `mere sign {words}`. At a terminal \
             `mere run --allow-unsigned {item}` tries it before."
        )))
    } else if desk.court.requires_signature(kind) {
        draft.hint(Prose::words(format!(
            "Agents use it once it is signed: `mere edit {words}` opens and signs it. While you \
             work on it otherwise, `mere draft {words}`; then `mere sign {words}`."
        )))
    } else {
        draft
    })
}

/// Copies an item of the other scope.
pub(super) fn copy_named(
    desk: &Desk<'_>,
    (kind, item): (ItemType, &ItemRef),
    (to, author): (Scope, AuthorChoice),
) -> Result<Draft, ToolError> {
    let from = if to == Scope::User { Scope::Project } else { Scope::User };
    let place = find(desk.stock, desk.view, (kind, item), LookupScope::Only(from))?.place;
    let opened = Opened::judge(desk.view, desk.court, place)?;
    let address = copy(desk, &opened, (to, author))?;
    let data = Fields::default()
        .with("address", opened.loaded.address.clone())
        .with("copied_to", address.clone());
    let message = Prose::words("Copied to ").address(address).and(".");
    Ok(Draft::success(codes::COPIED, message).data(data))
}

/// Copies an item into another scope, and says where. The author's signature goes with it; where it
/// lies is signed anew, by whoever copies it.
pub(crate) fn copy(
    desk: &Desk<'_>,
    opened: &Opened,
    (to, author): (Scope, AuthorChoice),
) -> Result<Address, ToolError> {
    let loaded = &opened.loaded;
    if loaded.place.kind == ItemType::Memory {
        return Err(Unmade::NotMade(ItemType::Memory).into());
    }
    let place = ScopedPath { scope: to, base: CategoryBase::Space, ..loaded.place.clone() };
    enforce::check_install(desk.who, desk.agents).map_err(Unmade::from)?;
    check_arrival(desk, &place)?;
    let address = place.address().ok_or(Unmade::Place)?;
    let errand = match desk.who {
        Reader::Person => SigningReason::Requested,
        Reader::Agent => SigningReason::Install,
    };
    let anchoring = Anchoring { desk, opened, to: &place, author, errand };
    let files = anchoring.files()?;
    let to_place = place.clone();
    let change = ItemChange {
        place,
        operation: ItemOperation::Put { files, before: ExpectedState::Nothing },
    };
    let permit = enforce::permit_install(desk.who, desk.agents, change).map_err(Unmade::from)?;
    apply(permit, &Placing { context: desk.context, over: desk.over })?;
    keep_modes(desk, loaded, &to_place);
    Ok(address)
}

/// Gives the files at a new place the permissions they had, as far as that can be done.
fn keep_modes(desk: &Desk<'_>, loaded: &Loaded, to: &ScopedPath) {
    let folder = |address: Address| desk.view.resolve(&Spoken::Rooted(address)).ok();
    let old = folder(loaded.address.clone());
    let new = to.address().and_then(folder);
    let (Some(old), Some(new)) = (old, new) else { return };
    let (Some(old), Some(new)) = (old.parent_folder(), new.parent_folder()) else { return };
    let others =
        loaded.files.iter().map(|file| (file.path.clone(), renamed(&file.path, loaded, to)));
    let main = main_name(to).map(|main| (loaded.main_name().to_owned(), main.to_string()));
    for (from, to) in others.chain(main) {
        let mode = old.symlink_metadata(from).map(|metadata| metadata.permissions());
        let _ = mode.and_then(|mode| new.set_permissions(to, mode));
    }
}

/// Puts an item into another category.
pub(super) fn change_category(
    desk: &Desk<'_>,
    (kind, item): (ItemType, &ItemRef),
    category: &Category,
    (source, author): (LookupScope, AuthorChoice),
) -> Result<Draft, ToolError> {
    let place = find(desk.stock, desk.view, (kind, item), source)?.place;
    let opened = Opened::judge(desk.view, desk.court, place)?;
    let to = ScopedPath { category: category.clone(), ..opened.loaded.place.clone() };
    carry(desk, &opened, &to, author)
}

/// Calls an item by another id.
pub(super) fn rename(
    desk: &Desk<'_>,
    (kind, item): (ItemType, &ItemRef),
    id: &ItemId,
    (source, author): (LookupScope, AuthorChoice),
) -> Result<Draft, ToolError> {
    if kind == ItemType::Lockfile {
        return Err(Unmade::NotMade(kind).into());
    }
    let place = find(desk.stock, desk.view, (kind, item), source)?.place;
    let opened = Opened::judge(desk.view, desk.court, place)?;
    let to = ScopedPath { id: id.clone(), ..opened.loaded.place.clone() };
    carry(desk, &opened, &to, author)
}

/// Puts an item where `to` says, and takes it away from where it was.
fn carry(
    desk: &Desk<'_>,
    opened: &Opened,
    to: &ScopedPath,
    author: AuthorChoice,
) -> Result<Draft, ToolError> {
    let loaded = &opened.loaded;
    let address = to.address().ok_or(Unmade::Place)?;
    if *to == loaded.place {
        return Err(Unmade::Taken(address).into());
    }
    check_arrival(desk, to)?;
    let files = Anchoring { desk, opened, to, author, errand: SigningReason::Requested }.files()?;
    let placing = Placing { context: desk.context, over: desk.over };
    let spend = |place: ScopedPath, how: ItemOperation| {
        let change = ItemChange { place, operation: how };
        let permit = enforce::permit_item(desk.who, desk.agents, change, SignatureState::Unsigned);
        apply(permit, &placing)
    };
    spend(to.clone(), ItemOperation::Put { files, before: ExpectedState::Nothing })?;
    keep_modes(desk, loaded, to);
    spend(loaded.place.clone(), ItemOperation::Remove { whole: loaded.whole() })?;
    let links = links::follow(desk, &loaded.place, to);
    let standing = Opened::judge(desk.view, desk.court, to.clone());
    let data = Fields::default()
        .with("address", address.clone())
        .with("from", loaded.address.clone())
        .with_some("trust", standing.ok().map(|opened| opened.trust()));
    let from = Prose::words("Moved ").address(loaded.address.clone());
    let message = from.and(" to ").address(address).and(".");
    Ok(Draft::success(codes::MOVED, message).data(links.tell(data)))
}
