//! The sentences for tools that were not run because of a lockfile.

use mere_core::address::Address;
use mere_core::chain::lock::LockMismatch;
use mere_core::item::{ItemRef, Version};
use mere_core::reply::{Content, Draft, Fields, ParsedName, Prose, codes};

use super::run::location_fields;
use crate::items::displaced_signature::DisplacedLockfile;
use crate::items::{UntrustedItem, item_name, trust_advice, trust_status_fields};
use crate::trust::Membership;

/// Answers for a tool that was pinned by a lockfile whose signature lies elsewhere.
pub(super) fn displaced_lockfile_reply(displaced: &DisplacedLockfile) -> Draft {
    let DisplacedLockfile { home, signature, is_home_taken } = displaced;
    let message = match home.address() {
        Some(address) => Prose::words("The lockfile ").address(address),
        None => Prose::words("The lockfile of the tool"),
    };
    let message = message.and(if *is_home_taken {
        " is there, but its signature is also where it does not belong"
    } else {
        " is missing, but its signature was left"
    });
    let message = match signature {
        Some(signature) if *is_home_taken => message.and(": ").address(signature.clone()),
        Some(signature) => message.and(" at ").address(signature.clone()),
        None => message,
    };
    let hint = if *is_home_taken {
        Prose::words("Ask a person to delete that copy of the lockfile and of its signature.")
    } else {
        Prose::words("Ask a person to restore the lockfile, or delete that signature. `mere lock ")
            .name(item_name(home))
            .and("` then pins the tool as it is now.")
    };
    let data = Fields::default().with_some("signature", signature.clone());
    Draft::fault(codes::RUN_LOCK, message.and(". Nothing was run.")).hint(hint).data(data)
}

/// Answers for a tool that was moved away from the lockfile that pinned it.
pub(super) fn left_behind_reply(lockfile: &Address, pinned: &ItemRef, tool: &ItemRef) -> Draft {
    let message = Prose::words("The lockfile ")
        .address(lockfile.clone())
        .and(" pins the tool `")
        .name(ParsedName::from(pinned))
        .and("`, which does not exist. It may be this one, moved without its lockfile. Nothing was run.");
    let hint = Prose::words("Ask a person to delete that lockfile. `mere lock ")
        .name(ParsedName::from(tool))
        .and("` then pins the tool where it is now.");
    let data = Fields::default().with("lockfile", lockfile.clone());
    Draft::fault(codes::RUN_LOCK, message).hint(hint).data(data)
}

pub(super) fn missing_lockfile_reply(tool: &ItemRef, version: &Version) -> Draft {
    let id = &tool.id;
    let words = format!("There is no lockfile for `{id}@{version}`, but one is required.");
    let name = ParsedName::from(tool);
    Draft::denied(codes::RUN_UNLOCKED, Prose::words(words)).hint(
        Prose::words("Ask a person to run `mere lock ")
            .name(name)
            .and("`, which pins it, and everything that it runs on, as it is now."),
    )
}

pub(super) fn unsigned_lockfile_reply(untrusted: &UntrustedItem) -> Draft {
    let message = Prose::words("The lockfile ").address(untrusted.address.clone());
    let status = untrusted.status.status();
    let message = message.and(format!(" is {status}, but only signed lockfiles are used."));
    let data = Fields::default()
        .with("address", untrusted.address.clone())
        .with("trust", trust_status_fields(&untrusted.status));
    let hint = Prose::words("Ask a person to run `mere lock ").name(item_name(&untrusted.place));
    let is_unjoined = untrusted.standing.membership == Membership::NotJoined;
    let advice = trust_advice(&untrusted.status, &untrusted.place, &untrusted.standing);
    let hint = advice.filter(|_| is_unjoined).unwrap_or(hint.and("` again."));
    Draft::denied(codes::RUN_UNSIGNED, message).hint(hint).data(data)
}

pub(super) fn drift_reply(tool: &ItemRef, lockfile: &Address, drift: &LockMismatch) -> Draft {
    let LockMismatch { index, id, field, expected, found } = drift;
    let message = Prose::words(format!("Link {index} of the chain, `{id}`, is not what "))
        .address(lockfile.clone())
        .and(format!(" pins: `{field}` is "))
        .content(Content::mention(found.as_str()))
        .and(", and was ")
        .content(Content::mention(expected.as_str()))
        .and(". Nothing was run.");
    let data = location_fields(Some(id), *field)
        .with("lockfile", lockfile.clone())
        .with("index", *index as u64)
        .with("expected", Content::mention(expected.as_str()))
        .with("found", Content::mention(found.as_str()));
    let hint = Prose::words("Ask a person to review the change. If it is right, `mere lock ")
        .name(ParsedName::from(tool))
        .and("` pins it.");
    Draft::fault(codes::RUN_LOCK, message).hint(hint).data(data)
}

/// Answers for a lockfile that was made for another space.
pub(super) fn foreign_space_reply(address: &Address) -> Draft {
    let message = Prose::words("The lockfile ").address(address.clone());
    Draft::fault(codes::RUN_LOCK, message.and(" was made for another space. Nothing was run."))
        .hint("Ask a person to remove it, or run `mere lock` for the tool here.")
}
