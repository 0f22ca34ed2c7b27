//! `mere space renew`: gives a space an id of its own.
//!
//! A project that was copied as a whole, from a template for instance, is the same space as the
//! original: what is signed there verifies here, and a team that was joined there decides here.
//! With a new id nothing of that holds any more.

use mere_core::address::{Address, RelPath, Root};
use mere_core::item::{ItemType, Scope};
use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::trust::VerificationFailure;

use super::CommandCall;
use super::item_report::{ItemReport, ItemTrouble, verify_all};
use super::select::all_items;
use crate::config;
use crate::error::tool_error::ToolError;
use crate::files::view::count_phrase;
use crate::items::ItemError;
use crate::space::ItemChangeError;
use crate::trust;
use crate::trust::{Membership, project_key};
use mere_host::SPACE_FOLDER;

/// Gives the space of a scope a new id, and says what no longer holds.
pub(super) fn renew(call: &CommandCall<'_>, scope: Scope) -> Result<Draft, ToolError> {
    let scope = call.change.effective_scope(scope);
    let (items, context) = (call.items, call.change.context);
    let space = items.sources.space(scope).and_then(|space| space.folder());
    let space = space.ok_or(ItemChangeError::NoSpaceId)?;
    if project_key::space_format(space.dir()) > project_key::SPACE_FORMAT {
        return Err(ItemChangeError::NewerFormat.into());
    }
    let old = items.trust_policy.space_id(scope).ok_or(ItemChangeError::NoSpaceId)?.to_owned();
    let places = all_items(call.change, Some(scope))?;
    let signed = verify_all(call, &items.trust_policy.without_drafts(), &places).into_iter();
    let signed = signed.filter(is_signed_here).collect::<Vec<_>>();
    let locks = signed.iter().filter(|one| one.place.kind == ItemType::Lockfile).count() as u64;
    let others = signed.len() as u64 - locks;
    let has_roster = scope == Scope::Project
        && (items.trust_policy.membership(scope) != Membership::NoTeam
            || space.dir().exists(trust::ROSTER_FILE));
    let address = space_address(scope);
    let failed = |cause| ItemChangeError::WriteFailed { address: address.clone(), cause };
    // Whoever renews the id knows that this folder is no longer the team's. The team itself stays
    // joined where its own id is.
    if has_roster && let Some(folder) = context.project()?.canonical_text() {
        trust::forget_folder(&context.environment, folder).map_err(ItemError::Record)?;
    }
    let new = context.renew_space_id(scope, call.change.is_cancelled).map_err(failed)?;
    let new =
        new.ok_or_else(|| ItemChangeError::Stale { address: address.clone(), current: None })?;
    let data = Fields::default()
        .with("scope", scope.name())
        .with("address", address.clone())
        .with("old_space_id", Content::mention(old))
        .with("space_id", Content::mention(new.as_str()))
        .with("to_sign", others)
        .with("to_lock", locks)
        .with("team", has_roster);
    let message = Prose::words("The space has an id of its own now: ");
    let message = message.content(Content::mention(new)).and(".");
    let message = if has_roster {
        message.and(
            " The team of the old id no longer decides here, and .ai/signers.json counts for nothing.",
        )
    } else {
        message
    };
    Ok(Draft::success(codes::SPACE_RENEWED, message).hint(next_steps(others, locks)).data(data))
}

/// Returns whether an item is signed for the place where it lies, whatever became of its content.
fn is_signed_here(report: &ItemReport) -> bool {
    match &report.trust_status {
        Err(ItemTrouble::Broken(failure)) => matches!(
            failure,
            VerificationFailure::Changed(_) | VerificationFailure::WrongFiles { .. }
        ),
        _ => report.is_verified(),
    }
}

/// Says what must be done again, because it was for the old id.
fn next_steps(items: u64, lockfiles: u64) -> Prose {
    let mut words = Prose::words("");
    if items > 0 {
        words = words
            .append(&count_phrase(items, "item was", "items were"))
            .and(" signed for the old id: read what you keep and run `mere sign --all`. ");
    }
    if lockfiles > 0 {
        words = words
            .append(&count_phrase(lockfiles, "lockfile was", "lockfiles were"))
            .and(" made for it: run `mere lock TOOL` for each. ");
    }
    words.and(
        "What you approved with `mere trust project`, `mere allow` or `mere draft` was for the old \
         id, too. A roster of the old id can be deleted; `mere team init` makes a team here.",
    )
}

/// Returns the address of the file that holds the id.
fn space_address(scope: Scope) -> Address {
    let (root, names) = match scope {
        Scope::Project => (Root::Project, &[SPACE_FOLDER, config::SPACE_FILE][..]),
        Scope::User | Scope::Registry => (Root::User, &[config::SPACE_FILE][..]),
    };
    let path = names.iter().filter_map(|name| name.parse().ok()).collect::<RelPath>();
    Address::file(root, path)
}
