//! `mere sign`: selects what a person is asked to sign, and shows it.
//!
//! What is shown of an item is what would be signed, together with its digest.

use mere_core::address::is_invisible;
use mere_core::digest::ShownDigest;
use mere_core::item::ItemType;
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::{ItemSelection, SelectedItems};
use mere_core::trust::TrustStatus;

use super::CommandCall;
use super::difference::differences;
use super::item_report::{ItemReport, ItemTrouble, verify_all};
use super::list::fault_data;
use super::select::select;
use super::sign::{check_lockfile_space, reason_of};
use crate::error::tool_error::ToolError;
use crate::files::view::count_phrase;
use crate::items::item_name;
use crate::items::item_to_sign::ItemToSign;
use crate::items::tool_check::tool_warnings;
use crate::items::validation::check_own_schema;

/// Shows what would be signed.
pub(super) fn plan_signing(
    call: &CommandCall<'_>,
    selection: &ItemSelection,
) -> Result<Draft, ToolError> {
    let places = select(call.change, selection)?;
    let strict = call.items.trust_policy.without_drafts();
    let trust_policy = match selection.which {
        SelectedItems::Unfinished | SelectedItems::Unsigned => call.items.trust_policy,
        _ => &strict,
    };
    let mut reports = verify_all(call, trust_policy, &places);
    for one in &mut reports {
        // A draft of which nothing was changed is still a draft.
        if one.is_verified() && call.items.trust_policy.is_draft(&one.place) {
            *one = ItemReport::check(call.items, &one.place);
        }
    }
    let is_selected = |one: &&ItemReport| match selection.which {
        SelectedItems::Unfinished => is_unfinished(one),
        SelectedItems::Unsigned => is_offered(one),
        _ => !one.is_verified() || call.items.trust_policy.is_draft(&one.place),
    };
    let selected = reports.iter().filter(is_selected).collect::<Vec<_>>();
    // Nobody reads the differences of very many items at once, so those are only listed.
    let detail = match selection.which {
        SelectedItems::All if selected.len() > MAX_SHOWN_AT_ONCE => CandidateDetail::Listed,
        _ => CandidateDetail::WithDifference,
    };
    let rows = selected.iter().map(|one| candidate_fields(call, one, detail)).collect::<Vec<_>>();
    let (total, verified) = (rows.len() as u64, (reports.len() - rows.len()) as u64);
    let is_permitted = |one: &&ItemReport| {
        !is_selected(one) && matches!(one.trust_status, Ok(TrustStatus::Unsigned(())))
    };
    let unsigned = reports.iter().filter(is_permitted).filter(|one| is_signed_type(one)).count();
    let data = Fields::default()
        .with("items", Data::List(rows))
        .with("count", total)
        .with("verified", verified)
        .with("unsigned", unsigned as u64);
    let message = count_phrase(total, "item is to be signed", "items are to be signed").and(".");
    Ok(Draft::success(codes::SIGN_PLAN, message).data(data))
}

/// The largest number of items whose differences are shown when everything is to be signed.
const MAX_SHOWN_AT_ONCE: usize = 200;

fn is_signed_type(report: &ItemReport) -> bool {
    report.place.kind != ItemType::Memory
}

/// Returns whether a person has to decide about an item. An item that a stranger signed is not
/// signed in passing.
fn is_unfinished(report: &ItemReport) -> bool {
    match &report.trust_status {
        Ok(TrustStatus::Draft(())) | Err(ItemTrouble::Broken(_)) => true,
        Ok(TrustStatus::Unsigned(())) => report.is_finding,
        Ok(TrustStatus::Verified(_) | TrustStatus::UnknownKey(..))
        | Err(ItemTrouble::Invalid | ItemTrouble::Unreadable) => false,
    }
}

/// Returns whether an item is among those that a person is offered to sign when a folder becomes a
/// space: the unfinished ones, and all that nobody has signed.
pub(super) fn is_offered(report: &ItemReport) -> bool {
    is_unfinished(report) || matches!(report.trust_status, Ok(TrustStatus::Unsigned(())))
}

/// How much of an item is shown before it is signed.
#[derive(Clone, Copy)]
enum CandidateDetail {
    Listed,
    WithDifference,
}

fn candidate_fields(call: &CommandCall<'_>, report: &ItemReport, detail: CandidateDetail) -> Data {
    let fields = report.to_fields();
    match ItemToSign::read(call.items, report.place.clone()) {
        Ok(to_sign) => {
            let loaded = &to_sign.loaded;
            let space_id = call.items.trust_policy.space_id(loaded.place.scope);
            if check_lockfile_space(loaded, space_id).is_err() {
                let unfit = "it was made for another space; `mere lock` makes one for this space";
                return fields.with("unfit", Content::mention(unfit)).into();
            }
            let (changes, base) = match detail {
                CandidateDetail::WithDifference => differences(call.change, &to_sign),
                CandidateDetail::Listed => Default::default(),
            };
            let names_folder = call.agent_gate.has_escaped_folder_in(&loaded.text);
            let hides = loaded.text.contains(is_invisible);
            let warning = match (names_folder, hides) {
                (_, true) => Some("it contains invisible characters"),
                (true, false) => Some("it names a folder on this machine"),
                (false, false) => None,
            };
            let misstated = to_sign.misstated.map(|_| {
                let name = item_name(&loaded.place);
                let words = format!(
                    "its file states another category or id; signing it writes those of `{name}` \
                     into the file"
                );
                Content::mention(words)
            });
            let warnings = misstated.into_iter().chain(warning.map(Content::mention));
            let warnings = warnings.chain(tool_warnings(call.items, loaded));
            let unfit = check_own_schema(call.items.view, loaded).err();
            fields
                .with_some("unfit", unfit.map(|error| reason_of(&error.into())))
                .with("digest", ShownDigest::for_people(loaded.item_digest()))
                .with("changes", Data::List(changes))
                .with_some("base", base)
                .with_some("warning", join_warnings(warnings))
                .into()
        }
        Err(error) => fields.with("unfit", fault_data(&error)).into(),
    }
}

/// Joins warnings into one, or returns `None` if there are none.
pub(super) fn join_warnings(warnings: impl Iterator<Item = Content>) -> Option<Content> {
    let warnings = warnings.map(|warning| warning.text().to_owned());
    let joined = warnings.reduce(|before, warning| {
        let separator = if before.ends_with('.') { " " } else { "; " };
        before + separator + &warning
    });
    joined.map(Content::mention)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_joined_as_sentences_are() {
        let join = |warnings: &[&'static str]| {
            let joined = join_warnings(warnings.iter().map(|words| Content::mention(*words)));
            joined.map(|joined| joined.text().to_owned())
        };
        assert_eq!(join(&[]), None);
        assert_eq!(join(&["a", "b. B.", "c. C.", "d"]).as_deref(), Some("a; b. B. c. C. d"));
    }
}
