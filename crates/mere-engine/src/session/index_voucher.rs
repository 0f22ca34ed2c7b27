//! Vouching for the search index of a lasting session to other processes of the user.
//!
//! It answers one question after the other, beside the calls of the session. While it cannot vouch,
//! it refuses at once, and prepares itself a moment later.

use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use mere_core::request::{Caller, Reader};

use super::snapshot::Snapshot;
use super::{Session, run_upkeep};
use crate::error::tool_error::ToolError;
use crate::items::ItemReader;
use crate::policy::RunPermit;
use crate::search::{CallSignals, SearchContext, VouchOutcome};
use mere_host::{VouchListener, VouchQuestion};

/// How long one round waits for a question.
const ROUND: Duration = Duration::from_millis(500);
/// How long after a refusal everything is compared: until then, whoever was refused does the same.
const PREPARATION_DELAY: Duration = Duration::from_secs(1);
/// How long a session that cannot prepare itself goes without trying again at most.
const MAX_PREPARATION_DELAY: Duration = Duration::from_mins(1);

/// Answers the questions of other processes about the search index of a session.
#[derive(Default)]
pub struct IndexVoucher {
    listener: Option<VouchListener>,
    /// The number of the configuration for which the socket was opened.
    config: Option<u64>,
    /// When to compare everything.
    prepare_at: Option<Instant>,
    /// How often in a row that was in vain.
    failures: u32,
}

impl IndexVoucher {
    /// Waits a moment for a question and answers it. Without one, it prepares what later answers
    /// need.
    pub fn run_round(&mut self, session: &Session) {
        run_upkeep(|| self.try_round(session));
    }

    fn try_round(&mut self, session: &Session) {
        let config = session.generation.load(Ordering::Acquire);
        let is_in_place = self.listener.as_ref().is_some_and(VouchListener::is_in_place);
        if self.config != Some(config) || !is_in_place {
            let snapshot = session.snapshot();
            let database = session.context.search_database(snapshot.landmarks_digest());
            self.listener = None;
            self.listener = VouchListener::open(&database).ok();
            self.config = Some(config);
        }
        let received = self.listener.as_ref().map(|listener| listener.wait_for_question(ROUND));
        let question = if let Some(Ok(question)) = received {
            question
        } else {
            thread::sleep(ROUND);
            None
        };
        if let Some(question) = question {
            self.answer(session, question);
        }
        self.prepare(session);
    }

    fn answer(&mut self, session: &Session, question: VouchQuestion) {
        let outcome = session.with_voucher_context(|context| context.vouch(question.subject()));
        let vouched = match outcome {
            Some(Ok(VouchOutcome::Vouched(generation))) => Some(generation),
            Some(Ok(VouchOutcome::Unknown)) => {
                self.prepare_later();
                None
            }
            Some(Ok(VouchOutcome::OtherSubject)) | None => None,
            Some(Err(error)) => {
                tracing::debug!(%error, "a question about the search index is not answered");
                None
            }
        };
        question.answer(vouched);
    }

    /// Compares everything, if that is due.
    fn prepare(&mut self, session: &Session) {
        if session.searches.relies_on_others() {
            self.prepare_later();
        }
        if self.prepare_at.is_none_or(|due| Instant::now() < due) {
            return;
        }
        let is_ready =
            session.with_voucher_context(|context| matches!(context.prepare_to_vouch(), Ok(true)));
        self.prepare_at = None;
        if is_ready == Some(true) {
            self.failures = 0;
        } else {
            self.failures = self.failures.saturating_add(1);
        }
    }

    /// Lets everything be compared after a while, unless that is planned already.
    fn prepare_later(&mut self) {
        let delay = PREPARATION_DELAY.saturating_mul(1 << self.failures.min(6));
        let due = Instant::now() + delay.min(MAX_PREPARATION_DELAY);
        self.prepare_at.get_or_insert(due);
    }
}

impl Session {
    /// Makes what a search by nobody needs, and passes it to `ask`. Returns none where the
    /// configuration is invalid.
    fn with_voucher_context<T>(&self, ask: impl FnOnce(&SearchContext<'_>) -> T) -> Option<T> {
        self.refresh();
        let snapshot = self.snapshot();
        self.try_with_voucher_context(&snapshot, ask).ok()
    }

    fn try_with_voucher_context<T>(
        &self,
        snapshot: &Snapshot,
        ask: impl FnOnce(&SearchContext<'_>) -> T,
    ) -> Result<T, ToolError> {
        let caller = Caller::default();
        let view = self.view(snapshot, &caller, RunPermit::unbound())?;
        let sources = self.item_sources(snapshot)?;
        let trust_policy = snapshot.trust_policy()?;
        let reader = Reader::Agent;
        let items = ItemReader { view: &view, sources: &sources, trust_policy, reader };
        let signals = CallSignals { progress: &|_, _| {}, is_cancelled: &|| false };
        Ok(ask(&self.search_context(snapshot, items, signals)?))
    }
}
