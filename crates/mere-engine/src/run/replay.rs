//! Running a tool again as a receipt says: the same tools, byte for byte, on the same inputs.
//!
//! A run is repeated only if the machine's key signed its receipt, and if every tool of the chain
//! is still the one that was run. What the tool finds in the workspace may differ.

use mere_core::chain::Chain;
use mere_core::item::{ItemId, ItemRef};
use mere_core::reply::{Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{LockfilePolicy, UnsignedPolicy};
use mere_core::trust::{Receipt, ReceiptId, ReceiptLink, RunOutcome};
use serde_json::{Map, Value};

use super::execution::{ExecutionMode, RunRequest, run_recorded};
use super::receipts::{ReceiptBook, ReceiptError};
use super::{RunCall, RunError};
use crate::trust::MachineKey;

/// A run that is to be repeated.
pub(crate) struct RecordedRun {
    pub(crate) id: ReceiptId,
    chain: Vec<ReceiptLink>,
    outcome: RunOutcome,
    inputs: Map<String, Value>,
}

/// Why a run is not repeated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplayFault {
    #[error("there is no such receipt")]
    Unknown,
    #[error("the receipt is not what was signed")]
    Forged,
    #[error("nothing was run")]
    NothingRan,
    #[error("it was run in another project")]
    OtherProject,
    #[error("the inputs are not kept")]
    NoInputs,
    #[error("the tool `{0}` has changed")]
    ToolChanged(ItemId),
    #[error(transparent)]
    Unreadable(#[from] ReceiptError),
}

impl RecordedRun {
    fn find(call: &RunCall<'_>, id: ReceiptId) -> Result<Self, ReplayFault> {
        let environment = &call.context.environment;
        let book = ReceiptBook::of_user(environment)?;
        let key = MachineKey::read(environment).map_err(ReceiptError::Key)?;
        let found = book.find(id, key.as_ref().map(MachineKey::public))?;
        let found = found.ok_or(ReplayFault::Unknown)?;
        let key = key.filter(|_| found.is_authentic).ok_or(ReplayFault::Forged)?;
        let Receipt { run, .. } = found.signed.receipt();
        let (Some(outcome), false) = (run.outcome.clone(), run.chain.is_empty()) else {
            return Err(ReplayFault::NothingRan);
        };
        let folder = call.context.project_folder().and_then(|folder| folder.canonical_text());
        if folder.map(|folder| key.project_key(folder)) != run.project {
            return Err(ReplayFault::OtherProject);
        }
        let inputs = book.find_inputs(found.signed.receipt())?.ok_or(ReplayFault::NoInputs)?;
        Ok(Self { id, chain: run.chain.clone(), outcome, inputs })
    }

    /// Fails unless a chain consists of exactly the tools that were run.
    pub(super) fn check_chain(&self, chain: &Chain) -> Result<(), ReplayFault> {
        let mut now = chain.pins().map(ReceiptLink::from);
        for link in &self.chain {
            if now.next().as_ref() != Some(link) {
                return Err(ReplayFault::ToolChanged(link.id.clone()));
            }
        }
        now.next().map_or(Ok(()), |link| Err(ReplayFault::ToolChanged(link.id)))
    }

    fn tool(&self) -> Option<ItemRef> {
        let leaf = self.chain.first()?;
        let category = Some(leaf.category.clone()).filter(|category| !category.is_empty());
        Some(ItemRef { category, id: leaf.id.clone(), version: None })
    }
}

/// Repeats a run, and compares the outputs.
pub(crate) fn replay(call: &RunCall<'_>, id: ReceiptId) -> Result<Draft, RunError> {
    let recorded = RecordedRun::find(call, id).map_err(RunError::Replay)?;
    let item = recorded.tool().ok_or(RunError::Replay(ReplayFault::NothingRan))?;
    let request = RunRequest {
        remote_tools: None,
        item: &item,
        parameters: (&recorded.inputs, &[]),
        locking: LockfilePolicy::Optional,
        unsigned: UnsignedPolicy::Refuse,
        mode: ExecutionMode::Real,
        replay: Some(&recorded),
    };
    let (_, receipt) = run_recorded(call, &request)?;
    let outcome = receipt.run.outcome.ok_or(RunError::Replay(ReplayFault::NothingRan))?;
    Ok(replay_reply(&recorded, &item, receipt.id, &outcome))
}

fn replay_reply(
    recorded: &RecordedRun,
    item: &ItemRef,
    receipt: ReceiptId,
    outcome: &RunOutcome,
) -> Draft {
    let before = &recorded.outcome;
    let is_same = before.has_same_result(outcome);
    let has_same_end = (outcome.exit_code, &outcome.end) == (before.exit_code, &before.end);
    let differences = [
        ("end", has_same_end),
        ("stdout", outcome.stdout == before.stdout),
        ("stderr", outcome.stderr == before.stderr),
    ];
    let differences = differences.into_iter().filter(|(_, is_same)| !is_same);
    let message = Prose::words("The tool `").name(ParsedName::from(item)).and(if is_same {
        "` ran again, with the same outputs."
    } else {
        "` ran again, and its outputs differ."
    });
    let data = Fields::default()
        .with("same", is_same)
        .with("differences", differences.map(|(name, _)| Data::from(name)).collect::<Data>())
        .with("replayed", Data::Words(recorded.id.to_string().into()))
        .with("receipt", Data::Words(receipt.to_string().into()));
    Draft::success(codes::RUNS_REPLAYED, message).data(data)
}
