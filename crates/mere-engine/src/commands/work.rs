//! `mere draft` and `mere edit`: a person works on an item. Meanwhile its content need not match
//! its signature.

use mere_core::address::{Address, Root};
use mere_core::item::{ItemType, ScopedPath};
use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::request::{ItemWork, WorkMode};
use mere_core::trust::VerificationFailure;

use super::sign::{end_drafts, sign_item};
use crate::error::tool_error::ToolError;
use crate::items::find::NamedItem;
use crate::items::item_signer::{ItemSigner, permit_setting_aside};
use crate::items::item_to_sign::ItemToSign;
use crate::items::new_item::main_file_name;
use crate::items::signature_state::detect_signature_state;
use crate::items::vouched_files::vouched_files;
use crate::items::{BrokenItem, ItemCall, ItemError, ItemReader, LoadedItem, read_and_verify};
use crate::policy::{SignatureState, SigningPermit, SigningReason};
use crate::space::ItemChangeError;
use crate::trust;
use crate::world::Context;

/// Begins to work on an item.
pub(super) fn begin_work(call: &ItemCall<'_>, work: &ItemWork) -> Result<Draft, ToolError> {
    check_signable(work.kind)?;
    let source = call.effective_source(work.source);
    let place = call.items.find(NamedItem { kind: work.kind, item: &work.item, source })?.place;
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    check_place(&call.items, &place)?;
    match work.mode {
        WorkMode::Draft => {
            let permit = permit_setting_aside(call)?;
            let until = start_draft(call.context, &place, &address, &permit)?;
            let until = until.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            let data = Fields::default()
                .with("address", address.clone())
                .with("until", Content::mention(until));
            let words = match place.kind {
                ItemType::Tool | ItemType::Lockfile => {
                    " is now a draft: for 12 hours its changes are no finding; it runs once it is signed."
                }
                _ => " is now a draft: agents may use it as it is for 12 hours.",
            };
            let message = work_message(&address, words);
            let hint = "`mere sign` ends the draft and shows what has changed.";
            Ok(Draft::success(codes::DRAFT, message).hint(hint).data(data))
        }
        WorkMode::Edit => edit(call, &place, &address),
    }
}

/// Refuses an item that was moved or whose signature is invalid, because that is not work in
/// progress.
fn check_place(items: &ItemReader<'_>, place: &ScopedPath) -> Result<(), ToolError> {
    match read_and_verify(items, place.clone()) {
        Err(ItemError::Broken(broken)) if !is_content_change(&broken.failure) => {
            Err(ItemError::Broken(broken).into())
        }
        _ => Ok(()),
    }
}

fn start_draft(
    context: &Context,
    place: &ScopedPath,
    address: &Address,
    permit: &SigningPermit,
) -> Result<jiff::Timestamp, ItemError> {
    let key = context.approval_key(place.scope).map_err(ItemError::Unsearchable)?;
    let key = key.ok_or(ItemChangeError::InvalidPlace)?;
    let environment = &context.environment;
    trust::start_draft(environment, &key, address, permit).map_err(ItemError::Record)
}

/// Opens the person's editor, and signs the result.
fn edit(call: &ItemCall<'_>, place: &ScopedPath, address: &Address) -> Result<Draft, ToolError> {
    // An item that could not be signed afterwards must be reported before the editor opens.
    let signer = ItemSigner::unlock(call, SigningReason::Requested)?;
    let was_draft = call.items.trust_policy.is_draft(place);
    let was_unsigned = detect_signature_state(&call.items, place) == SignatureState::Unsigned;
    if let Some(broken) = find_unshown_files(&call.items, place).filter(|_| !was_draft) {
        return Err(ItemError::Broken(broken).into());
    }
    let before =
        LoadedItem::read(call.items.view, place.clone()).ok().map(|loaded| loaded.item_digest());
    start_draft(call.context, place, address, signer.permit())?;
    let folder = match address.root() {
        Root::User => call.context.environment.user_space().map_err(ItemError::Unsearchable)?,
        _ => Some(call.context.project()?.clone()),
    };
    let folder = folder.ok_or(ItemChangeError::InvalidPlace)?;
    let closed = mere_host::edit_file(&folder, address.path());
    let loaded = LoadedItem::read(call.items.view, place.clone());
    let is_same = loaded.as_ref().ok().map(LoadedItem::item_digest) == before && before.is_some();
    if is_same && !was_draft {
        // The item is unchanged, so it is no draft, however the editor ended.
        end_drafts(call.context, &[address]);
    }
    let is_done = closed.unwrap_or_else(|cause| {
        tracing::error!(%cause, "the editor could not be started");
        false
    });
    if !is_done {
        return Err(ItemChangeError::EditorFailed(address.clone()).into());
    }
    let loaded = loaded?;
    let data = Fields::default().with("address", address.clone());
    // A person who opens an unsigned item with a single file and leaves it unchanged has read all
    // that is signed.
    let is_new = was_unsigned && loaded.files.is_empty();
    if is_same && !was_draft && !is_new {
        let message = work_message(address, " is unchanged; nothing was signed.");
        return Ok(Draft::success(codes::EDITED, message).data(data));
    }
    if !is_all_shown(call, &loaded) {
        let message = work_message(address, " is a draft: it has files that were not shown.");
        let hint = "Nothing was signed. `mere sign` shows everything that differs.";
        return Ok(Draft::success(codes::EDITED, message).hint(hint).data(data));
    }
    sign_item(call, &signer, &ItemToSign::unchanged(loaded))?;
    end_drafts(call.context, &[address]);
    let message = work_message(address, " was signed.");
    let data = data.with("key", Content::mention(signer.fingerprint().to_string()));
    Ok(Draft::success(codes::EDITED, message).data(data))
}

/// Returns whether only the content differs from what was signed, so that a person may continue
/// working on it.
fn is_content_change(failure: &VerificationFailure) -> bool {
    matches!(failure, VerificationFailure::Changed(_) | VerificationFailure::WrongFiles { .. })
}

/// Checks that items of this type can be signed at all.
fn check_signable(kind: ItemType) -> Result<(), ItemChangeError> {
    if kind == ItemType::Memory { Err(ItemChangeError::MemoryNotSigned) } else { Ok(()) }
}

/// Builds the message about an item that a person works on.
fn work_message(address: &Address, words: &'static str) -> Prose {
    Prose::words("").address(address.clone()).and(words)
}

/// Returns whether everything that would be signed was shown. An editor shows only the main file,
/// so the other files must have been vouched for already.
fn is_all_shown(call: &ItemCall<'_>, loaded: &LoadedItem) -> bool {
    let trusted = vouched_files(call, &loaded.place);
    let others = trusted.iter().filter(|file| file.path != loaded.main_file_name());
    loaded.files.iter().all(|file| trusted.contains(file))
        && others.into_iter().all(|file| loaded.files.contains(file))
}

/// Returns the failure of a signed item if files besides its main one differ from what was signed.
/// The editor opens only the main file, so such changes would not be shown.
fn find_unshown_files(items: &ItemReader<'_>, place: &ScopedPath) -> Option<Box<BrokenItem>> {
    let checked =
        read_and_verify(&items.with_policy(&items.trust_policy.without_drafts()), place.clone());
    let Err(ItemError::Broken(broken)) = checked else { return None };
    let main = main_file_name(place);
    let is_main = |path: &String| main.as_ref().is_some_and(|main| main.as_str() == path);
    let is_unshown = match &broken.failure {
        VerificationFailure::Changed(files) => files.is_empty() || !files.iter().all(is_main),
        VerificationFailure::WrongFiles { .. } => true,
        _ => false,
    };
    is_unshown.then_some(broken)
}
