//! Creating an item from a template, copying it, moving it to another category, and renaming it.
//!
//! The new item is durable before the old one is removed, so at worst both exist.

use mere_core::item::{
    Category, ItemId, ItemRef, ItemType, Scope, ScopedPath, ScriptLanguage, ScriptStyle,
    ToolTemplate, template_files,
};
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::{AuthorChoice, ItemContent, LookupScope, ScriptChoice};

use super::new_tool::{create_manifest, find_script};
use super::tool_lockfiles::LockfilesBefore;
use super::{CommandCall, link_updates};
use crate::error::tool_error::ToolError;
use crate::items::apply_permit::{WriteContext, apply_permit};
pub(crate) use crate::items::change::{ExecutionMode, create_item, permit_destination};
use crate::items::copy::{CopyTarget, copy_item, copy_permissions};
use crate::items::find::NamedItem;
use crate::items::new_item::NewItem;
use crate::items::relocation::Relocation;
use crate::items::{
    CheckedItem, ItemCall, ItemError, command_words, item_name, read_and_verify,
    trust_status_fields,
};
use crate::policy::{self, ItemChange, SignatureState, SigningReason};
use crate::space::ItemChangeError;

/// Creates the item that is named so from its type's template.
pub(super) fn create_from_template(
    call: &ItemCall<'_>,
    place: ScopedPath,
    choice: ScriptChoice,
) -> Result<Draft, ToolError> {
    let (kind, created) = (place.kind, place.clone());
    let tool = check_choice(kind, choice)?;
    if kind == ItemType::Tool
        && let Some(script) = find_script(call, &place, choice)?
    {
        let draft = create_manifest(call, place, &script, choice.style)?;
        return Ok(with_next_step(call, draft, &created));
    }
    let mut files =
        template_files(&place, tool).ok_or(ItemChangeError::UnsupportedType(kind))?.into_iter();
    let destination = permit_destination(call, place)?;
    let (_, content) = files.next().ok_or(ItemChangeError::UnsupportedType(kind))?;
    let files = files
        .map(|(name, text)| Ok((name.parse().map_err(|_| ItemChangeError::InvalidPlace)?, text)));
    let text = ItemContent { main_file: content, files: files.collect::<Result<_, ItemError>>()? };
    let new_item =
        NewItem::new((call.items.sources, call.items.view), destination.place().clone(), &text)?;
    let draft = create_item(call, destination, new_item, ExecutionMode::Real)?;
    Ok(with_next_step(call, draft, &created))
}

/// Returns the script that a person chose for a new tool. Only a tool has one, and Bash has no
/// functions that can be called.
fn check_choice(kind: ItemType, choice: ScriptChoice) -> Result<ToolTemplate, ItemChangeError> {
    let language = choice.language.unwrap_or_default();
    let style = choice.style.unwrap_or_default();
    if kind != ItemType::Tool && choice != ScriptChoice::default() {
        return Err(ItemChangeError::ScriptChoice {
            what: "These options do not fit what is to be made.",
            fix: "`--lang` and `--function` are for tools.",
        });
    }
    if language == ScriptLanguage::Bash && style == ScriptStyle::Function {
        return Err(ItemChangeError::ScriptChoice {
            what: "Bash has no functions that take parameters by name.",
            fix: "Leave out `--function`, or choose `--lang python` or `--lang node`.",
        });
    }
    Ok(ToolTemplate { language, style })
}

/// Says what to do with a new item next.
fn with_next_step(call: &ItemCall<'_>, draft: Draft, place: &ScopedPath) -> Draft {
    let (kind, item, words) = (place.kind, item_name(place), command_words(place));
    if kind == ItemType::Tool {
        draft.hint(Prose::words(format!(
            "It runs once it is signed: edit its files, then `mere sign {words}`. At a terminal \
             `mere run --allow-unsigned {item}` lets you try it first."
        )))
    } else if call.items.trust_policy.requires_signature(kind) {
        draft.hint(Prose::words(format!(
            "Agents use it once it is signed: `mere edit {words}` opens and signs it. To use \
             another editor, run `mere draft {words}`, then `mere sign {words}`."
        )))
    } else {
        draft.hint(Prose::words(format!("Agents find it as it is; `mere edit {words}` opens it.")))
    }
}

/// Copies an item from the other scope.
pub(super) fn copy_by_name(
    call: &ItemCall<'_>,
    kind: ItemType,
    item: &ItemRef,
    to: CopyTarget,
) -> Result<Draft, ToolError> {
    let from = if to.scope == Scope::User { Scope::Project } else { Scope::User };
    let place = call.items.find(NamedItem { kind, item, source: LookupScope::Only(from) })?.place;
    let checked = read_and_verify(&call.items, place)?;
    let address = copy_item(call, &checked, to)?;
    let data = Fields::default()
        .with("address", checked.item().address.clone())
        .with("copied_to", address.clone());
    let message = Prose::words("Copied to ").address(address).and(".");
    Ok(Draft::success(codes::COPIED, message).data(data))
}

/// Moves an item to another category.
pub(super) fn change_category(
    call: &CommandCall<'_>,
    named: NamedItem<'_>,
    category: &Category,
    author: AuthorChoice,
) -> Result<Draft, ToolError> {
    let place = call.items.find(named)?.place;
    let checked = read_and_verify(call.items, place)?;
    let to = ScopedPath { category: category.clone(), ..checked.item().place.clone() };
    move_item(call, &checked, to, author)
}

/// Gives an item another id.
pub(super) fn rename_item(
    call: &CommandCall<'_>,
    named: NamedItem<'_>,
    id: &ItemId,
    author: AuthorChoice,
) -> Result<Draft, ToolError> {
    if named.kind == ItemType::Lockfile {
        return Err(ItemChangeError::UnsupportedType(named.kind).into());
    }
    let place = call.items.find(named)?.place;
    let checked = read_and_verify(call.items, place)?;
    let to = ScopedPath { id: id.clone(), ..checked.item().place.clone() };
    move_item(call, &checked, to, author)
}

/// Writes an item to `to`, removes it from its old place, and updates the links to it.
fn move_item(
    call: &CommandCall<'_>,
    checked: &CheckedItem,
    to: ScopedPath,
    author: AuthorChoice,
) -> Result<Draft, ToolError> {
    let loaded = checked.item();
    let address = to.address().ok_or(ItemChangeError::InvalidPlace)?;
    if to == loaded.place {
        return Err(ItemChangeError::AlreadyExists(address).into());
    }
    let destination = permit_destination(call.change, to)?;
    let to = destination.place().clone();
    let reason = SigningReason::Requested;
    let files =
        Relocation { call: call.change, item: checked, to: &to, author, reason }.build_files()?;
    let placing =
        WriteContext { context: call.change.context, is_cancelled: call.change.is_cancelled };
    let spend = |change: ItemChange| {
        let permit = policy::permit_item(
            call.items.reader,
            call.change.agents,
            change,
            SignatureState::Unsigned,
        );
        apply_permit(permit, &placing)
    };
    let lockfiles = LockfilesBefore::find(call.change, &loaded.place)?;
    spend(ItemChange::create(destination, files))?;
    copy_permissions(call.items, loaded, &to);
    spend(ItemChange::remove(loaded.place.clone(), loaded.item_digest()))?;
    let links = link_updates::update_links(call, &loaded.place, &to);
    let lockfiles = lockfiles.follow(call.change, &to);
    let moved = read_and_verify(call.items, to.clone());
    let data = Fields::default()
        .with("address", address.clone())
        .with("from", loaded.address.clone())
        .with_some("trust", moved.ok().map(|moved| trust_status_fields(&moved)));
    let from = Prose::words("Moved ").address(loaded.address.clone());
    let message = from.and(" to ").address(address).and(".");
    let message = lockfiles.describe(message, &to);
    Ok(Draft::success(codes::MOVED, message).data(lockfiles.add_to(links.add_to(data))))
}
