//! How a change of an item ended, and the reply about it.

use mere_core::address::Address;
use mere_core::digest::ShownDigest;
use mere_core::item::ScopedPath;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::trust::TrustStatus;

use super::tool_lockfiles::{DeletedLockfiles, describe_deletion};
use super::trust_status_fields;
use crate::policy::ChangeRoute;

/// What the reply to a change reports.
pub(super) struct ChangeReport {
    pub(super) address: Address,
    pub(super) integrity: Option<ShownDigest>,
    pub(super) warnings: Vec<Content>,
    pub(super) verb: &'static str,
    /// The lockfiles that are deleted with a tool.
    pub(super) lockfiles: Vec<ScopedPath>,
}

/// How a change ended.
pub(super) enum ChangeOutcome {
    /// A dry run, and what a real one would do.
    WouldBe(ChangeRoute),
    Applied,
    /// The change waits for a person, at this address.
    Proposed(Address),
}

impl ChangeReport {
    /// Writes the reply about a change.
    pub(super) fn draft(self, outcome: &ChangeOutcome, lockfiles: &DeletedLockfiles) -> Draft {
        let subject = Prose::words("").address(self.address.clone());
        let verb = self.verb;
        let draft = match outcome {
            ChangeOutcome::WouldBe(ChangeRoute::Direct) => {
                let words = format!(" would be {verb}. This is a dry run: nothing was changed.");
                Draft::success(codes::CHANGE_DRY, subject.and(words))
            }
            ChangeOutcome::WouldBe(ChangeRoute::Propose) => {
                let words = format!(" would be proposed to be {verb}. Nothing was changed.");
                Draft::success(codes::CHANGE_DRY, subject.and(words))
            }
            ChangeOutcome::Applied => {
                let message = subject.and(format!(" was {verb}."));
                Draft::success(codes::CHANGE_DONE, message.append(&describe_deletion(lockfiles)))
            }
            ChangeOutcome::Proposed(proposal) => {
                let message = Prose::words("The change was proposed: ");
                Draft::success(codes::CHANGE_PROPOSED, message.address(proposal.clone()).and("."))
                    .hint("Nothing else was changed. A person accepts it with `mere review`.")
            }
        };
        draft.data(self.fields(outcome, lockfiles))
    }

    fn fields(self, outcome: &ChangeOutcome, lockfiles: &DeletedLockfiles) -> Fields {
        let deleted = lockfiles.deleted.iter().cloned().map(Data::from).collect::<Vec<_>>();
        let proposal = match outcome {
            ChangeOutcome::Proposed(proposal) => Some(proposal.clone()),
            ChangeOutcome::WouldBe(_) | ChangeOutcome::Applied => None,
        };
        let is_dry_run = matches!(outcome, ChangeOutcome::WouldBe(_));
        Fields::default()
            .with("address", self.address)
            .with_some("lockfiles", (!deleted.is_empty()).then_some(Data::List(deleted)))
            .with_some("proposal", proposal)
            .with_some("dry_run", is_dry_run.then_some(true))
            .with("integrity", self.integrity)
            .with("trust", trust_status_fields(&TrustStatus::Unsigned(())))
            .with(
                "validation_warnings",
                self.warnings.into_iter().map(Data::from).collect::<Data>(),
            )
    }
}
