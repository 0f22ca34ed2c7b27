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
use super::difference::{check_conflicts, differences};
use super::item_report::{ItemReport, ItemTrouble, verify_all};
use super::list::fault_data;
use super::secret_warning::secret_warning;
use super::select::select;
use super::sign::{check_lockfile_space, reason_of};
use crate::error::tool_error::ToolError;
use crate::files::view::count_phrase;
use crate::items::item_to_sign::ItemToSign;
use crate::items::tool_check::tool_warnings;
use crate::items::validation::check_own_schema;
use crate::items::{ItemReader, LoadedItem, item_name};
use crate::trust::Membership;

/// Says what to do where nobody's signature counts yet.
pub(super) const JOIN_HINT: &str = "The space has a team that was not joined here, so nobody's \
    signatures count yet: `mere join` shows whose would.";

/// Shows what would be signed.
pub(super) fn plan_signing(
    call: &CommandCall<'_>,
    selection: &ItemSelection,
) -> Result<Draft, ToolError> {
    let planned = PlannedItems::select(call, selection)?;
    // Nobody reads the differences of very many items at once, so those are only listed.
    let detail = match selection.which {
        SelectedItems::All if planned.selected.len() > MAX_SHOWN_AT_ONCE => CandidateDetail::Listed,
        _ => CandidateDetail::WithDifference,
    };
    let rows = planned.selected.iter().map(|one| candidate_fields(call, one, detail));
    let (rows, total) = (rows.collect::<Data>(), planned.selected.len() as u64);
    let data = Fields::default()
        .with("items", rows)
        .with("count", total)
        .with("verified", planned.others)
        .with("unsigned", planned.unsigned)
        .with("unknown_key", planned.unknown_key);
    let message = count_phrase(total, "item is to be signed", "items are to be signed").and(".");
    let draft = Draft::success(codes::SIGN_PLAN, message).data(data);
    Ok(if planned.is_unjoined { draft.hint(JOIN_HINT) } else { draft })
}

/// Returns the items that are signed by keys that do not count here, each with how it differs from
/// what a key that counts signed last; or else what to do first.
pub(super) fn items_of_strangers(call: &CommandCall<'_>) -> Result<ItemsOfStrangers, ToolError> {
    let which = SelectedItems::SignedByStrangers;
    let planned = PlannedItems::select(call, &ItemSelection { kind: None, scope: None, which })?;
    let rows = planned.selected.iter();
    let rows = rows.map(|one| candidate_fields(call, one, CandidateDetail::WithDifference));
    let hint = planned.is_unjoined.then_some(JOIN_HINT);
    Ok(ItemsOfStrangers { rows: rows.collect(), hint })
}

/// The items that are signed by keys that do not count here.
pub(super) struct ItemsOfStrangers {
    pub(super) rows: Vec<Data>,
    pub(super) hint: Option<&'static str>,
}

/// The items of a selection that a person is shown, and how many are not.
struct PlannedItems {
    selected: Vec<ItemReport>,
    /// All others.
    others: u64,
    /// Those of the others that are unsigned, which is permitted here.
    unsigned: u64,
    /// Those of the others that are signed by keys that do not count here.
    unknown_key: u64,
    /// Whether there is a team that the user has not joined, and it signed something.
    is_unjoined: bool,
}

impl PlannedItems {
    fn select(call: &CommandCall<'_>, selection: &ItemSelection) -> Result<Self, ToolError> {
        let places = select(call.change, selection)?;
        let own = call.items.trust_policy;
        let strict = own.without_drafts();
        let trust_policy = match selection.which {
            SelectedItems::All | SelectedItems::Staged | SelectedItems::Named(_) => &strict,
            _ => own,
        };
        let mut reports = verify_all(call, trust_policy, &places);
        for one in &mut reports {
            // A draft of which nothing was changed is still a draft.
            if one.is_verified() && own.is_draft(&one.place) {
                *one = ItemReport::check(call.items, &one.place);
            }
        }
        let is_unknown = |one: &ItemReport| {
            matches!(one.trust_status, Ok(TrustStatus::UnknownKey(..)))
                && own.membership(one.place.scope) != Membership::NotJoined
        };
        let is_selected = |one: &ItemReport| match selection.which {
            SelectedItems::Unfinished => is_unfinished(one),
            SelectedItems::Unsigned => is_offered(one),
            SelectedItems::Reviewable => is_unfinished(one) || is_unknown(one),
            SelectedItems::SignedByStrangers => is_unknown(one),
            SelectedItems::All | SelectedItems::Staged | SelectedItems::Named(_) => {
                !one.is_verified() || own.is_draft(&one.place)
            }
        };
        let is_unjoined = reports.iter().any(|one| {
            matches!(one.trust_status, Ok(TrustStatus::UnknownKey(..))) && !is_unknown(one)
        });
        let (selected, others) = reports.into_iter().partition::<Vec<_>, _>(is_selected);
        let is_permitted = |one: &&ItemReport| {
            matches!(one.trust_status, Ok(TrustStatus::Unsigned(()))) && is_signed_type(one)
        };
        Ok(Self {
            selected,
            unsigned: others.iter().filter(is_permitted).count() as u64,
            unknown_key: others.iter().filter(|one| is_unknown(one)).count() as u64,
            others: others.len() as u64,
            is_unjoined,
        })
    }
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
            let warnings = warnings.chain(secret_warning(call.items, loaded));
            let warnings = warnings.chain(tool_warnings(call.items, loaded));
            fields
                .with_some("unfit", unfit_reason(call.items, loaded))
                .with("digest", ShownDigest::for_people(loaded.item_digest()))
                .with("changes", Data::List(changes))
                .with_some("base", base.map(Content::mention))
                .with_some("warning", join_warnings(warnings))
                .into()
        }
        Err(error) => fields.with("unfit", fault_data(&error)).into(),
    }
}

/// Returns why an item cannot be signed although it is valid.
fn unfit_reason(items: &ItemReader<'_>, loaded: &LoadedItem) -> Option<Content> {
    let conflict = check_conflicts(items, loaded).map_err(ToolError::from);
    let checked = conflict.and_then(|()| Ok(check_own_schema(items.view, loaded)?));
    checked.err().map(|error| reason_of(&error))
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
