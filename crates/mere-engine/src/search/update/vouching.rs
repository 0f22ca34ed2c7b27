//! Vouching for an index: a process that watches the files tells another one that the index is up
//! to date, so that the other need not compare every file.
//!
//! The process that watches first takes all reported changes from the system and applies them. What
//! changed before the question was asked is among them, so the answer is true when it arrives. It
//! names one generation of the index, and the other process uses that one or checks everything
//! itself. Any doubt is a refusal (ADR 31).

use std::time::Duration;

use mere_core::digest::Sha256;

use super::coverage::Coverage;
use super::live_index::{LiveIndex, OtherProcesses, Patience, UpdateContext};
use crate::search::context::SearchContext;
use crate::search::error::SearchError;
use mere_host::{ask_for_vouch, describe_process_view};

/// How long a query waits for a process that may vouch.
const MAX_VOUCH_WAIT: Duration = Duration::from_millis(50);

/// The outcome of a question whether the index is up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VouchOutcome {
    /// Everything is in this generation.
    Vouched(i64),
    /// The question is about something else than this index as it is indexed here.
    OtherSubject,
    /// This process does not know, until it has compared everything again.
    Unknown,
}

impl SearchContext<'_> {
    /// Answers a question of another process about an index, without much work.
    pub(crate) fn vouch(&self, subject: &[u8; 32]) -> Result<VouchOutcome, SearchError> {
        let target = self.sources.index_target()?;
        self.session_index.vouch(target, &self.own_update(), subject)
    }

    /// Compares everything with the index, and returns whether this process can vouch for it from
    /// now on.
    pub(crate) fn prepare_to_vouch(&self) -> Result<bool, SearchError> {
        self.session_index.prepare_to_vouch(self.sources.index_target()?, &self.own_update())
    }

    /// Returns the inputs of an update in which no other process is believed.
    fn own_update(&self) -> UpdateContext<'_> {
        let context = self.update_context(Patience::Limited);
        UpdateContext { other_processes: OtherProcesses::Ignore, ..context }
    }
}

impl LiveIndex {
    /// Returns whether the file of the index is still the one that was opened, and not removed or
    /// replaced.
    pub(super) fn has_its_file(&self) -> bool {
        self.file_identity == self.database.file_identity()
    }

    /// Returns whether this process can vouch for the index by these rules, as far as it knows now.
    pub(super) fn can_vouch(&mut self, rules: &Sha256) -> Result<bool, SearchError> {
        Ok(self.scanned_rules.as_ref() == Some(rules)
            && self.detector.watch_gap().is_none()
            && self.index.known_generation()?.is_some())
    }

    /// Returns a digest of everything that two processes must agree on before one believes the
    /// other: the program, its view of the machine, the file of the index, the folders, and the
    /// rules. Returns none where nobody can vouch.
    fn vouch_subject(&self, rules: &Sha256) -> Option<Sha256> {
        let opened = self.file_identity.filter(|_| self.is_persistent() && self.has_its_file())?;
        let corpora = self.detector.corpora.iter().map(|corpus| corpus.describe() + "\n");
        let corpora = corpora.collect::<String>();
        let view = describe_process_view().ok()?;
        Some(Sha256::digest(format!("{view}\n{opened:?}\n{rules}\n{corpora}").as_bytes()))
    }

    /// Asks the processes that watch the files, and checks that the index is loaded in the
    /// generation that one of them vouches for.
    pub(super) fn is_vouched_for(
        &mut self,
        context: &UpdateContext<'_>,
    ) -> Result<bool, SearchError> {
        if context.patience == Patience::Unlimited {
            return Ok(false);
        }
        let Some(subject) = self.vouch_subject(&context.rules) else { return Ok(false) };
        let vouched = ask_for_vouch(&self.database, subject.as_bytes(), MAX_VOUCH_WAIT);
        let Some(generation) = vouched else { return Ok(false) };
        self.refresh()?;
        if self.index.generation() != generation {
            return Ok(false);
        }
        tracing::debug!(generation, "another process vouches for the search index");
        self.vouched_generation = Some(generation);
        self.relies_on_others = true;
        Ok(true)
    }

    /// Applies everything that changed so far, and returns the generation of the index that is up
    /// to date, if that is certain.
    pub(super) fn vouch(
        &mut self,
        subject: &[u8; 32],
        context: &UpdateContext<'_>,
    ) -> Result<VouchOutcome, SearchError> {
        let own = self.vouch_subject(&context.rules);
        if own.is_none_or(|own| own.as_bytes() != subject) {
            return Ok(VouchOutcome::OtherSubject);
        }
        self.refresh()?;
        // What others have written was not compared with the disk by this process.
        if !self.can_vouch(&context.rules)? {
            return Ok(VouchOutcome::Unknown);
        }
        let coverage = self.update(context)?;
        let gap = self.detector.watch_gap();
        let generation = self.index.known_generation()?;
        tracing::debug!(?coverage, ?gap, ?generation, "asked to vouch for the search index");
        Ok(match generation {
            Some(generation) if coverage == Coverage::Complete && gap.is_none() => {
                VouchOutcome::Vouched(generation)
            }
            _ => VouchOutcome::Unknown,
        })
    }
}
