//! `mere log`: who signed an item, what, and when, by the history of the project and by what this
//! machine has seen.
//!
//! A signature by a key that nobody here knows cannot be checked, and the time in a signature is its
//! signer's claim; the reply says which is which.

use jiff::Timestamp;
use mere_core::item::ScopedPath;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::trust::{ClaimedTime, Sidecar, VerificationFailure, check_author};

use crate::error::tool_error::ToolError;
use crate::items::find::NamedItem;
use crate::items::reply_fields::own_text;
use crate::items::vouched_files::signature_history;
use crate::items::{ItemCall, RawItem};
use crate::trust::now;
use mere_host::Commit;

/// Lists the signatures of an item, the newest first.
pub(super) fn list_signatures(
    call: &ItemCall<'_>,
    named: NamedItem<'_>,
) -> Result<Draft, ToolError> {
    let place = call.items.find(named)?.place;
    let raw = RawItem::read(call.items.view, place.clone())?;
    let mut versions = signature_history(call.context, &place)
        .into_iter()
        .map(|version| (Some(version.commit), version.bytes))
        .collect::<Vec<_>>();
    // A merge that changed nothing repeats what is there already.
    versions.dedup_by(|older, newer| older.1 == newer.1);
    if let Some(bytes) = raw.sidecar.bytes()
        && versions.first().is_none_or(|(_, newest)| newest != bytes)
    {
        versions.insert(0, (None, bytes.to_vec()));
    }
    let rows =
        versions.iter().map(|(commit, bytes)| signature_row(call, &place, commit.as_ref(), bytes));
    let (rows, count) = (rows.collect::<Vec<_>>(), versions.len());
    let seen = call.items.trust_policy.seen_version(&place).ok().flatten();
    let data = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", own_text(&place.id))
        .with("category", own_text(&place.category))
        .with("address", place.address())
        .with_some("newest_seen", seen.map(|seen| own_text(&seen.newest)))
        .with("signatures", Data::List(rows));
    let message = match count {
        0 => Prose::words("Nobody has signed it."),
        1 => Prose::words("1 signature."),
        _ => Prose::words(format!("{count} signatures.")),
    };
    Ok(Draft::success(codes::SIGNATURE_LOG, message).data(data))
}

/// Returns when a commit was made, as its committer claims.
fn commit_time(commit: &Commit) -> Option<String> {
    let time = Timestamp::from_second(commit.time).ok()?;
    Some(ClaimedTime::from_timestamp(time).to_string())
}

/// Returns the row of one signature.
fn signature_row(
    call: &ItemCall<'_>,
    place: &ScopedPath,
    commit: Option<&Commit>,
    bytes: &[u8],
) -> Data {
    let fields = Fields::default()
        .with_some("commit", commit.map(|commit| Content::mention(commit.short_id())))
        .with_some("committed", commit.and_then(commit_time).map(Content::mention));
    let Ok(sidecar) = Sidecar::parse(bytes) else {
        return fields.with("standing", "is not a signature").into();
    };
    let keyring = call.items.trust_policy.keyring(place.scope);
    let claimed = sidecar.author.signatures().first().map(|mark| mark.key);
    let (key, name, standing) = match check_author(&sidecar.author, keyring, place, now()) {
        Ok(Ok(signer)) => (Some(signer.key), signer.name, "counts"),
        Ok(Err(signer)) => {
            let former =
                call.items.trust_policy.signer_standing(place.scope, Some(signer.key)).former;
            let standing = if former.is_some() { "left the team" } else { "does not count" };
            (Some(signer.key), former, standing)
        }
        Err(VerificationFailure::RevokedKey(key)) => (Some(key), None, "is revoked"),
        Err(_) => (claimed, None, "was not made by the key it names"),
    };
    let others = sidecar.author.signatures().len().saturating_sub(1) as u64;
    fields
        .with("signed", Content::mention(sidecar.statement.created.to_string()))
        .with("version", own_text(&sidecar.statement.version))
        .with_some("key", key.map(|key| Content::mention(key.to_string())))
        .with_some("signer", name.map(Content::mention))
        .with("standing", standing)
        .with_some("others", Some(others).filter(|others| *others > 0))
        .into()
}
