//! Creating an item from a template, copying it, moving it to another category, and renaming it.
//!
//! The new item is durable before the old one is removed, so at worst both exist.

use mere_core::address::{Address, Spoken};
use mere_core::item::{
    Category, CategoryBase, ItemForm, ItemId, ItemRef, ItemType, Scope, ScopedPath, template_files,
};
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::{AuthorChoice, ItemContent, LookupScope, Reader};

use super::link_updates;
use super::relocation::{Relocation, new_file_name};
use crate::error::tool_error::ToolError;
use crate::items::apply_permit::{WriteContext, apply_permit};
pub(crate) use crate::items::change::{ExecutionMode, ItemCall, check_destination, put_item};
use crate::items::find::find;
use crate::items::new_item::{NewItem, main_file_name, place_in_space};
use crate::items::{CheckedItem, ItemChangeError, ItemError, LoadedItem};
use crate::policy::{
    self, ExpectedState, ItemChange, ItemOperation, SignatureState, SigningReason,
};

/// Creates an item from its type's template.
pub(super) fn create_from_template(
    desk: &ItemCall<'_>,
    (kind, item): (ItemType, &ItemRef),
    (scope, form): (Scope, ItemForm),
) -> Result<Draft, ToolError> {
    let place = place_in_space(scope, kind, item, form);
    let mut files =
        template_files(&place).ok_or(ItemChangeError::UnsupportedType(kind))?.into_iter();
    check_destination(desk, &place)?;
    let (_, content) = files.next().ok_or(ItemChangeError::UnsupportedType(kind))?;
    let files = files
        .map(|(name, text)| Ok((name.parse().map_err(|_| ItemChangeError::InvalidPlace)?, text)));
    let text = ItemContent { main_file: content, files: files.collect::<Result<_, ItemError>>()? };
    let prospect = NewItem::new((desk.sources, desk.view), place, &text)?;
    let draft = put_item(desk, prospect, ExpectedState::Nothing, ExecutionMode::Real)?;
    let words = format!("{kind} {item}");
    Ok(if kind == ItemType::Tool {
        draft.hint(Prose::words(format!(
            "It runs once it is signed: edit its files, then `mere sign {words}`. At a terminal \
             `mere run --allow-unsigned {item}` tries it before."
        )))
    } else if desk.trust_policy.requires_signature(kind) {
        draft.hint(Prose::words(format!(
            "Agents use it once it is signed: `mere edit {words}` opens and signs it. While you \
             work on it otherwise, `mere draft {words}`; then `mere sign {words}`."
        )))
    } else {
        draft
    })
}

/// Copies an item from the other scope.
pub(super) fn copy_by_name(
    desk: &ItemCall<'_>,
    (kind, item): (ItemType, &ItemRef),
    (to, author): (Scope, AuthorChoice),
) -> Result<Draft, ToolError> {
    let from = if to == Scope::User { Scope::Project } else { Scope::User };
    let place = find(desk.sources, desk.view, (kind, item), LookupScope::Only(from))?.place;
    let opened = CheckedItem::read_and_verify(desk.view, desk.trust_policy, place)?;
    let address = copy_item(desk, &opened, (to, author))?;
    let data = Fields::default()
        .with("address", opened.loaded.address.clone())
        .with("copied_to", address.clone());
    let message = Prose::words("Copied to ").address(address).and(".");
    Ok(Draft::success(codes::COPIED, message).data(data))
}

/// Copies an item into another scope and returns its address there. The author's signature is kept;
/// the placement is signed by whoever copies the item.
pub(crate) fn copy_item(
    desk: &ItemCall<'_>,
    opened: &CheckedItem,
    (to, author): (Scope, AuthorChoice),
) -> Result<Address, ToolError> {
    let loaded = &opened.loaded;
    if loaded.place.kind == ItemType::Memory {
        return Err(ItemChangeError::UnsupportedType(ItemType::Memory).into());
    }
    let place = ScopedPath { scope: to, base: CategoryBase::Space, ..loaded.place.clone() };
    policy::check_install(desk.reader, desk.agents).map_err(ItemChangeError::from)?;
    check_destination(desk, &place)?;
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let errand = match desk.reader {
        Reader::Person => SigningReason::Requested,
        Reader::Agent => SigningReason::Install,
    };
    let anchoring = Relocation { call: desk, item: opened, to: &place, author, reason: errand };
    let files = anchoring.build_files()?;
    let to_place = place.clone();
    let change = ItemChange {
        place,
        operation: ItemOperation::Put { files, before: ExpectedState::Nothing },
    };
    let permit =
        policy::permit_install(desk.reader, desk.agents, change).map_err(ItemChangeError::from)?;
    apply_permit(permit, &WriteContext { context: desk.context, is_cancelled: desk.is_cancelled })?;
    copy_permissions(desk, loaded, &to_place);
    Ok(address)
}

/// Gives the files at the new place the permissions they had, where possible.
fn copy_permissions(desk: &ItemCall<'_>, loaded: &LoadedItem, to: &ScopedPath) {
    let folder = |address: Address| desk.view.resolve(&Spoken::Rooted(address)).ok();
    let old = folder(loaded.address.clone());
    let new = to.address().and_then(folder);
    let (Some(old), Some(new)) = (old, new) else { return };
    let (Some(old), Some(new)) = (old.parent_folder(), new.parent_folder()) else { return };
    let others =
        loaded.files.iter().map(|file| (file.path.clone(), new_file_name(&file.path, loaded, to)));
    let main =
        main_file_name(to).map(|main| (loaded.main_file_name().to_owned(), main.to_string()));
    for (from, to) in others.chain(main) {
        let mode = old.symlink_metadata(from).map(|metadata| metadata.permissions());
        let _ = mode.and_then(|mode| new.set_permissions(to, mode));
    }
}

/// Moves an item to another category.
pub(super) fn change_category(
    desk: &ItemCall<'_>,
    (kind, item): (ItemType, &ItemRef),
    category: &Category,
    (source, author): (LookupScope, AuthorChoice),
) -> Result<Draft, ToolError> {
    let place = find(desk.sources, desk.view, (kind, item), source)?.place;
    let opened = CheckedItem::read_and_verify(desk.view, desk.trust_policy, place)?;
    let to = ScopedPath { category: category.clone(), ..opened.loaded.place.clone() };
    move_item(desk, &opened, &to, author)
}

/// Gives an item another id.
pub(super) fn rename_item(
    desk: &ItemCall<'_>,
    (kind, item): (ItemType, &ItemRef),
    id: &ItemId,
    (source, author): (LookupScope, AuthorChoice),
) -> Result<Draft, ToolError> {
    if kind == ItemType::Lockfile {
        return Err(ItemChangeError::UnsupportedType(kind).into());
    }
    let place = find(desk.sources, desk.view, (kind, item), source)?.place;
    let opened = CheckedItem::read_and_verify(desk.view, desk.trust_policy, place)?;
    let to = ScopedPath { id: id.clone(), ..opened.loaded.place.clone() };
    move_item(desk, &opened, &to, author)
}

/// Writes an item to `to`, removes it from its old place, and updates the links to it.
fn move_item(
    desk: &ItemCall<'_>,
    opened: &CheckedItem,
    to: &ScopedPath,
    author: AuthorChoice,
) -> Result<Draft, ToolError> {
    let loaded = &opened.loaded;
    let address = to.address().ok_or(ItemChangeError::InvalidPlace)?;
    if *to == loaded.place {
        return Err(ItemChangeError::AlreadyExists(address).into());
    }
    check_destination(desk, to)?;
    let files =
        Relocation { call: desk, item: opened, to, author, reason: SigningReason::Requested }
            .build_files()?;
    let placing = WriteContext { context: desk.context, is_cancelled: desk.is_cancelled };
    let spend = |place: ScopedPath, how: ItemOperation| {
        let change = ItemChange { place, operation: how };
        let permit =
            policy::permit_item(desk.reader, desk.agents, change, SignatureState::Unsigned);
        apply_permit(permit, &placing)
    };
    spend(to.clone(), ItemOperation::Put { files, before: ExpectedState::Nothing })?;
    copy_permissions(desk, loaded, to);
    spend(loaded.place.clone(), ItemOperation::Remove { whole: loaded.item_digest() })?;
    let links = link_updates::update_links(desk, &loaded.place, to);
    let standing = CheckedItem::read_and_verify(desk.view, desk.trust_policy, to.clone());
    let data = Fields::default()
        .with("address", address.clone())
        .with("from", loaded.address.clone())
        .with_some("trust", standing.ok().map(|opened| opened.trust_fields()));
    let from = Prose::words("Moved ").address(loaded.address.clone());
    let message = from.and(" to ").address(address).and(".");
    Ok(Draft::success(codes::MOVED, message).data(links.add_to(data)))
}
