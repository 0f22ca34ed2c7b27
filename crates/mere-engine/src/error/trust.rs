//! The sentences for items whose signatures do not hold, or are missing where they are required.
//!
//! An item whose verification fails is withheld, so these sentences never quote its content.

use mere_core::address::Address;
use mere_core::item::{ItemType, ScopedPath};
use mere_core::reply::{Code, Content, Data, Draft, Fault, Fields, ParsedName, Prose, codes};
use mere_core::trust::{
    CONFLICT_MARKERS, LocationField, LocationMismatch, TrustStatus, VerificationFailure,
};

use crate::items::{
    BrokenItem, UntrustedItem, command_words, item_name, trust_advice, trust_status_fields,
};
use crate::trust::approvals::records::RecordError;
use crate::trust::{Membership, RosterTrouble};

/// Answers for an item that must not be used.
pub(super) fn integrity_failure_reply(broken: &BrokenItem) -> Draft {
    let BrokenItem { place, address, failure } = broken;
    let message = match failure {
        VerificationFailure::WrongLocation(mismatch) => wrong_location_prose(broken, mismatch),
        _ => Prose::words("Integrity verification failed: ")
            .address(address.clone())
            .and(" ")
            .append(&describe_failure(failure))
            .and("."),
    };
    let data = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", Data::Words(place.id.to_string().into()))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
        .with("address", address.clone())
        .with("trust", trust_fields(failure));
    Draft::fault(failure_code(failure), message).hint(failure_hint(place, failure)).data(data)
}

fn failure_code(failure: &VerificationFailure) -> Code<Fault> {
    match failure {
        VerificationFailure::WrongLocation(_) => codes::TRUST_LOCATION,
        VerificationFailure::Changed(_) => codes::TRUST_CHANGED,
        VerificationFailure::WrongFiles { .. } => codes::TRUST_FILES,
        VerificationFailure::BadSignature(_) => codes::TRUST_SIGNATURE,
        VerificationFailure::RevokedKey(_) => codes::TRUST_REVOKED,
        VerificationFailure::WrongVersion { .. } => codes::TRUST_VERSION,
    }
}

/// Returns the `trust` field for an item whose verification failed.
pub(crate) fn trust_fields(failure: &VerificationFailure) -> Fields {
    let mismatch = match failure {
        VerificationFailure::WrongLocation(one) => {
            Some((one.field.name(), &one.expected, &one.found))
        }
        _ => None,
    };
    let mismatch = mismatch.map(|(field, expected, found)| {
        Fields::default()
            .with("field", field)
            .with("expected", Content::mention(expected.as_str()))
            .with("found", Content::mention(found.as_str()))
    });
    let key = match failure {
        VerificationFailure::RevokedKey(key) => Some(Content::mention(key.to_string())),
        _ => None,
    };
    Fields::default()
        .with("status", failure.status())
        .with_some("key", key)
        .with_some("mismatch", mismatch)
        .with_some("signature", displaced_signature(failure).cloned())
}

/// Returns the address of an item's signature if the item was moved without it.
fn displaced_signature(failure: &VerificationFailure) -> Option<&Address> {
    match failure {
        VerificationFailure::WrongLocation(mismatch) => mismatch.signature.as_ref(),
        _ => None,
    }
}

fn wrong_location_prose(broken: &BrokenItem, mismatch: &LocationMismatch) -> Prose {
    let id = Content::mention(broken.place.id.to_string());
    let message = Prose::words("Item ").content(id).and(" at wrong location. Expected: ");
    let home = mismatch.expected_path.as_ref().and_then(ScopedPath::address);
    let message = match home {
        Some(home) => message.address(home),
        None => message
            .and(format!("{} ", mismatch.field))
            .content(Content::mention(mismatch.expected.as_str())),
    };
    // In another space the same place has the same address, so the space is named.
    let space = |message: Prose, id: &str| match mismatch.field {
        LocationField::Space if id.is_empty() => message.and(" in a space without an id"),
        LocationField::Space => message.and(" in the space ").content(Content::mention(id)),
        _ => message,
    };
    let message = space(message, &mismatch.expected).and(". Found: ");
    let message = space(message.address(broken.address.clone()), &mismatch.found).and(".");
    match &mismatch.signature {
        Some(signature) => {
            message.and(" Its signature lies at ").address(signature.clone()).and(".")
        }
        None => message,
    }
}

/// Describes what is wrong, as a phrase that follows the item's name.
pub(crate) fn describe_failure(failure: &VerificationFailure) -> Prose {
    let names = |words: &'static str, files: &[String]| {
        let files = files.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        Prose::words(words).content(Content::mention(files))
    };
    match failure {
        VerificationFailure::WrongLocation(one) => {
            let words = Prose::words(format!("was signed for another {}", one.field));
            match &one.signature {
                Some(signature) => words.and("; its signature lies at ").address(signature.clone()),
                None => words,
            }
        }
        VerificationFailure::BadSignature(why) => {
            Prose::words(format!("has no valid signature: {why}"))
        }
        VerificationFailure::RevokedKey(_) => Prose::words("is signed by a key that was revoked"),
        VerificationFailure::WrongVersion { expected, .. } => {
            Prose::words(format!("was signed as version {expected}"))
        }
        VerificationFailure::Changed(files) if files.is_empty() => {
            Prose::words("is not what was signed")
        }
        VerificationFailure::Changed(files) => {
            names("is not what was signed; changed files: ", files)
        }
        VerificationFailure::WrongFiles { extra, missing }
            if extra.is_empty() && missing.is_empty() =>
        {
            Prose::words("has files that were not signed")
        }
        VerificationFailure::WrongFiles { extra, .. } if failure.is_only_leftovers() => {
            names("has files beside it that an editor or a system left behind: ", extra)
        }
        VerificationFailure::WrongFiles { extra, missing } if missing.is_empty() => {
            names("has files that were not signed: ", extra)
        }
        VerificationFailure::WrongFiles { missing, .. } => {
            names("is missing files that were signed: ", missing)
        }
    }
}

/// Returns what to do about it.
pub(crate) fn failure_hint(place: &ScopedPath, failure: &VerificationFailure) -> Prose {
    let item = command_words(place);
    let words = match failure {
        VerificationFailure::WrongLocation(_) if place.kind == ItemType::Lockfile => format!(
            "Ask a person to put it back, or run `mere delete {item}` and then `mere lock {}`, \
             which pins the tool as it is now.",
            place.id
        ),
        VerificationFailure::WrongLocation(mismatch) if mismatch.signature.is_some() => format!(
            "Ask a person to move it back to its signature, or read it and run `mere sign \
             {item}` where it is. If it is a new item that has the id of one that is gone, signing \
             it or deleting that signature settles it."
        ),
        VerificationFailure::WrongLocation(mismatch) if mismatch.field == LocationField::Space => {
            format!(
                "Ask a person to read it and run `mere sign {item}`: it was signed for another \
                 space, and signing makes it part of this one."
            )
        }
        VerificationFailure::WrongLocation(_) => format!(
            "Ask a person to put it back, or read it and run `mere sign {item}` where it is. \
             `mere move`, `mere rename` and `mere copy` keep signatures valid."
        ),
        VerificationFailure::WrongVersion { .. } if place.kind == ItemType::Lockfile => {
            format!(
                "Ask a person to restore it, or run `mere delete {item}` and then `mere lock {}`.",
                place.id
            )
        }
        VerificationFailure::RevokedKey(_) => {
            format!("Ask a person to read it and run `mere sign {item}`, or delete it.")
        }
        VerificationFailure::BadSignature(CONFLICT_MARKERS) => format!(
            "Ask a person to settle the conflict in the item itself, and then run `mere sign {item}`, \
             which replaces the signature file. `mere git setup` keeps git from merging signatures."
        ),
        VerificationFailure::BadSignature(_) | VerificationFailure::WrongVersion { .. } => {
            format!("Ask a person to restore it, or read it and run `mere sign {item}`.")
        }
        VerificationFailure::WrongFiles { .. } if failure.is_only_leftovers() => {
            "Ask a person to remove these files; nothing has to be signed.".to_owned()
        }
        VerificationFailure::Changed(_) | VerificationFailure::WrongFiles { .. } => format!(
            "Ask a person to look at it: `mere sign --dry-run {item}` shows what differs, and \
             `mere sign {item}` signs it if the change is right; otherwise restore it.{}",
            draft_advice(place.kind, &item)
        ),
    };
    Prose::with_names(&words, &[item_name(place)])
}

/// Says how agents may use an item that is being changed, if they may: tools run only once they are
/// signed.
fn draft_advice(kind: ItemType, item: &str) -> String {
    match kind {
        ItemType::Directive | ItemType::Knowledge => {
            format!(" `mere draft {item}` lets agents use it while it is being changed.")
        }
        ItemType::Tool | ItemType::Lockfile | ItemType::Memory => String::new(),
    }
}

/// Answers for an item that must be signed but has no signature by a trusted key.
pub(super) fn untrusted_item_reply(untrusted: &UntrustedItem) -> Draft {
    let message = Prose::words("").address(untrusted.address.clone());
    let data = Fields::default()
        .with("address", untrusted.address.clone())
        .with("trust", trust_status_fields(&untrusted.status));
    let noun = untrusted.place.kind.noun();
    let draft = match untrusted.status {
        TrustStatus::UnknownKey(..) => Draft::denied(
            codes::USE_UNKNOWN_KEY,
            message.and(format!(
                " is signed by a key that is not trusted, and a {noun} must be signed here."
            )),
        ),
        _ => Draft::denied(
            codes::USE_UNSIGNED,
            message.and(format!(" is not signed, and a {noun} must be signed here.")),
        ),
    };
    let advice = trust_advice(&untrusted.status, &untrusted.place, &untrusted.standing);
    let draft = draft.data(data);
    match advice {
        Some(advice) => draft.hint(advice),
        None => draft,
    }
}

/// Answers for a tool that nobody trusted has signed.
pub(super) fn unsigned_tool_reply(untrusted: &UntrustedItem) -> Draft {
    let UntrustedItem { address, place, status, standing } = untrusted;
    let message = Prose::words("").address(address.clone());
    let message = message.and(format!(" is {}, but only signed tools may run.", status.status()));
    let data = Fields::default()
        .with("link", Data::Words(place.id.to_string().into()))
        .with("address", address.clone())
        .with("trust", trust_status_fields(status));
    let hint = format!(
        "Ask a person to read it and run `mere sign {}`; at a terminal a person can try it with \
         `mere run --allow-unsigned`.",
        command_words(place)
    );
    let hint = Prose::with_names(&hint, &[item_name(place)]);
    // Whoever signed it is known here, or would be.
    let is_of_team = standing.membership == Membership::NotJoined || standing.former.is_some();
    let advice = trust_advice(status, place, standing).filter(|_| is_of_team);
    Draft::denied(codes::RUN_UNSIGNED, message).hint(advice.unwrap_or(hint)).data(data)
}

/// Answers when the team's roster does not count.
pub(super) fn roster_trouble_reply(trouble: &RosterTrouble) -> Draft {
    let (what, fix) = describe_roster_trouble(trouble);
    Draft::fault(codes::TEAM_TROUBLE, what.and(".")).hint(fix)
}

/// Returns what is wrong with a roster, and what to do.
pub(crate) fn describe_roster_trouble(trouble: &RosterTrouble) -> (Prose, Prose) {
    let words = |what: String, fix: &'static str| (Prose::words(what), Prose::words(fix));
    match trouble {
        RosterTrouble::Missing => words(
            "There is no team roster in this space".to_owned(),
            "If there never was one, `mere team init` creates a team. If there was, restore \
             .ai/signers.json and its .sig; or leave that team with `mere leave` first.",
        ),
        RosterTrouble::Broken(why) => words(
            format!("The team's roster is not valid: {why}"),
            "Restore .ai/signers.json and its .sig as an admin committed them, with `git restore` \
             for instance. If a change was interrupted, make it again after that.",
        ),
        RosterTrouble::OtherSpace => words(
            "The team's roster is for another space".to_owned(),
            "It was copied here: remove it, or create a team for this space with `mere team init`.",
        ),
        RosterTrouble::Older { serial, seen } => words(
            format!("The team's roster has serial {serial}, but {seen} was already seen"),
            "The newer one stays valid. Update .ai/signers.json from the main branch, or run `mere \
             team restore` to write back the one you saw.",
        ),
        RosterTrouble::Fork { serial } => words(
            format!(
                "The team's roster has serial {serial}, but differs from the roster seen with that \
                 serial"
            ),
            "Two changes were made at the same time. The one seen first stays valid; an admin must \
             make the other one again on top of it.",
        ),
        RosterTrouble::Incomplete { signed, threshold } => words(
            format!("The team's roster is signed by {signed} of the {threshold} admins it needs"),
            "Another admin must run `mere team sign`; until then the previous roster stays valid.",
        ),
        RosterTrouble::UnknownAdmins => words(
            "The team's roster is not signed by enough of the known admins".to_owned(),
            "Ask an admin who signs now. If the admins have changed, `mere join` shows the new \
             ones; in CI, name one that signed with `--admin`.",
        ),
        RosterTrouble::SpaceIdChanged => words(
            "This folder is a team's space, but its space.json now has another id".to_owned(),
            "Restore .ai/space.json. If the folder now belongs to another project, run `mere \
             leave`.",
        ),
        RosterTrouble::Damaged => words(
            "The list of teams that you joined is damaged, so no key is trusted here".to_owned(),
            "Move teams.json out of Merestone's folder in your config directory, and run `mere \
             join` again.",
        ),
    }
}

/// Answers when a record could not be saved.
pub(super) fn record_error_reply(error: &RecordError) -> Draft {
    tracing::error!(%error, "a record could not be kept");
    let why = Content::mention(error.to_string());
    let message = Prose::words("Your decision could not be recorded: ").content(why).and(".");
    Draft::fault(codes::RECORD_FAULT, message)
        .hint("Nothing was changed. Check the permissions of your config and state folders.")
}
