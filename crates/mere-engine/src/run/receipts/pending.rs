//! The receipt of a run that is going on.
//!
//! It is begun before anything else, so that a tool does not run if nothing can be recorded, and
//! finished after the tool has ended and before anybody is told. What is known by then is noted on
//! the way.

use std::io;
use std::time::Duration;

use jiff::Timestamp;
use mere_core::chain::{Chain, HostReach};
use mere_core::digest::Sha256;
use mere_core::reply::{CodeId, codes};
use mere_core::request::UnsignedPolicy;
use mere_core::trust::{Receipt, ReceiptId, ReceiptLink, RunOutcome, RunRecord};

use super::book::NewReceipt;
use super::kept_inputs::KeptInputs;
use super::{ReceiptBook, ReceiptError, RunStage};
use crate::files::masking::mask_secrets;
use crate::run::ready::ReadyTool;
use crate::run::{RunCall, RunError, RunRequest};
use crate::trust::MachineKey;
use mere_host::{
    Exit, FinishedRequest, FinishedRun, RequestEnd, RunEnd, new_sortable_id, now_nanoseconds,
};

/// The name of the approval to run a tool that nobody signed.
const UNSIGNED: &str = "unsigned";

/// The receipt of a run that has not ended. If the run breaks down, it is written all the same.
pub(in crate::run) struct PendingReceipt<'a> {
    call: &'a RunCall<'a>,
    book: ReceiptBook,
    key: MachineKey,
    id: ReceiptId,
    /// What is known so far; `None` once it was written.
    run: Option<RunRecord>,
    inputs: Option<KeptInputs>,
}

impl<'a> PendingReceipt<'a> {
    /// Begins a receipt. Fails if it could not be written.
    pub(in crate::run) fn begin(
        call: &'a RunCall<'a>,
        request: &RunRequest<'_>,
    ) -> Result<Self, RunError> {
        Self::try_begin(call, request)
            .map_err(|cause| RunError::NoReceipt { stage: RunStage::Before, cause })
    }

    fn try_begin(call: &'a RunCall<'a>, request: &RunRequest<'_>) -> Result<Self, ReceiptError> {
        let environment = &call.context.environment;
        let book = ReceiptBook::of_user(environment)?;
        book.check_writable()?;
        let key = MachineKey::read_or_create(environment)?;
        let folder = call.context.project_folder().and_then(|project| project.canonical_text());
        let approvals = match request.unsigned {
            UnsignedPolicy::Allow => vec![UNSIGNED.to_owned()],
            UnsignedPolicy::Refuse => Vec::new(),
        };
        let began = current_time();
        let run = RunRecord {
            began,
            ended: began,
            project: folder.map(|folder| key.project_key(folder)),
            agent: call.items.view.agent.clone(),
            reader: call.items.reader,
            tool: mask_secrets(&request.item.to_string()),
            chain: Vec::new(),
            lockfile: None,
            approvals,
            inputs: None,
            outcome: None,
            refused: None,
            replays: request.replay.map(|replay| replay.id),
        };
        let id = new_sortable_id().into();
        Ok(Self { call, book, key, id, run: Some(run), inputs: None })
    }

    /// Returns the id that the receipt will have.
    pub(in crate::run) fn id(&self) -> ReceiptId {
        self.id
    }

    /// Notes the links of the chain.
    pub(in crate::run) fn note_chain(&mut self, chain: &Chain) {
        if let Some(run) = &mut self.run {
            run.chain = chain.pins().map(ReceiptLink::from).collect();
        }
    }

    /// Notes what the tool is given: its inputs, and what a person granted.
    pub(in crate::run) fn note_ready(&mut self, ready: &ReadyTool) {
        let Some(run) = &mut self.run else { return };
        let inputs = self.inputs.insert(KeptInputs::new(ready.parameters()));
        run.inputs = Some(inputs.digest);
        run.lockfile = ready.locked().lockfile().cloned();
        let grant = ready.granted().grant();
        run.approvals.extend(grant.project.map(|access| format!("project:{}", access.as_str())));
        run.approvals.extend(grant.hosts.iter().map(|host| match host.reach {
            HostReach::Public => format!("net:{}", host.target),
            HostReach::Private => format!("net-private:{}", host.target),
        }));
        run.approvals.extend(grant.secrets.iter().map(|secret| format!("secret:{secret}")));
    }

    /// Notes how the tool ended.
    pub(in crate::run) fn note_outcome(&mut self, finished: &FinishedRun) {
        let Some(run) = &mut self.run else { return };
        let (exit_code, end) = match finished.end {
            RunEnd::Exit(Exit::Code(code)) => (Some(i64::from(code)), None),
            RunEnd::Exit(Exit::Signal(signal)) => (None, Some(format!("signal {signal}"))),
            RunEnd::Timeout => (None, Some("timeout".to_owned())),
            RunEnd::Cancelled => (None, Some("cancelled".to_owned())),
            RunEnd::Exceeded(limit) => (None, Some(limit.name().to_owned())),
            RunEnd::SessionOver => (None, Some("answered".to_owned())),
            RunEnd::SessionFault(_) => (None, Some("protocol".to_owned())),
        };
        run.outcome = Some(RunOutcome {
            exit_code,
            end,
            duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            stdout: Sha256::digest(&finished.stdout.bytes),
            stderr: Sha256::digest(&finished.stderr.bytes),
            truncated: finished.stdout.truncated || finished.stderr.truncated,
        });
    }

    /// Notes how a request ended, and what came back.
    pub(in crate::run) fn note_response(&mut self, finished: &FinishedRequest, end: &str) {
        let Some(run) = &mut self.run else { return };
        let end = match finished.status {
            Some(status) if finished.end == RequestEnd::Response => format!("status {status}"),
            _ => end.to_owned(),
        };
        run.outcome = Some(RunOutcome {
            exit_code: None,
            end: Some(end),
            duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
            stdout: Sha256::digest(&finished.body),
            stderr: Sha256::digest(b""),
            truncated: finished.truncated,
        });
    }

    /// Notes how a session with a server on the web ended.
    pub(in crate::run) fn note_session(&mut self, duration: Duration, end: &str) {
        let Some(run) = &mut self.run else { return };
        run.outcome = Some(RunOutcome {
            exit_code: None,
            end: Some(end.to_owned()),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            stdout: Sha256::digest(b""),
            stderr: Sha256::digest(b""),
            truncated: false,
        });
    }

    /// Notes what a server answered.
    pub(in crate::run) fn note_answer(&mut self, answer: &[u8]) {
        if let Some(outcome) = self.run.as_mut().and_then(|run| run.outcome.as_mut()) {
            outcome.stdout = Sha256::digest(answer);
        }
    }

    /// Writes the receipt of a run or of a refusal. A result whose receipt cannot be written is not
    /// told; a refusal stays what it is.
    pub(in crate::run) fn finish<T>(
        mut self,
        ended: Result<T, RunError>,
    ) -> Result<(T, Receipt), RunError> {
        let refused = ended.as_ref().err().map(self.call.refusal_code);
        let stage = match self.run.as_ref().and_then(|run| run.outcome.as_ref()) {
            Some(_) => RunStage::After,
            None => RunStage::Before,
        };
        match (ended, self.write(refused)) {
            (Ok(value), Ok(receipt)) => Ok((value, receipt)),
            (Ok(_), Err(cause)) => Err(RunError::NoReceipt { stage, cause }),
            (Err(error), Ok(_)) => Err(error),
            (Err(_), Err(cause)) if stage == RunStage::After => {
                Err(RunError::NoReceipt { stage, cause })
            }
            (Err(error), Err(cause)) => {
                tracing::error!(%cause, "the refusal of a run could not be recorded");
                Err(error)
            }
        }
    }

    fn write(&mut self, refused: Option<CodeId>) -> Result<Receipt, ReceiptError> {
        let written_already = || io::Error::from(io::ErrorKind::AlreadyExists);
        let run = self.run.take().ok_or_else(written_already)?;
        let refused = refused.map(|code| code.to_string());
        let run = RunRecord { ended: current_time(), refused, ..run };
        let inputs = self.inputs.as_ref().map(|inputs| inputs.text.as_str());
        let signed = self.book.append(&self.key, NewReceipt { id: self.id, run, inputs })?;
        if let Some(sink) = &self.call.run_config.audit
            && let Err(error) = sink.send(&self.call.context.environment, &signed.to_line())
        {
            tracing::warn!(%error, receipt = %self.id, "a receipt could not be sent to the audit sink");
        }
        Ok(signed.receipt().clone())
    }
}

impl Drop for PendingReceipt<'_> {
    fn drop(&mut self) {
        if self.run.is_some()
            && let Err(cause) = self.write(Some(codes::CALL_PANIC.id()))
        {
            tracing::error!(%cause, "a run that broke down could not be recorded");
        }
    }
}

/// Returns the time by the machine's clock, in milliseconds.
fn current_time() -> Timestamp {
    Timestamp::from_millisecond(now_nanoseconds() / 1_000_000).unwrap_or_default()
}
