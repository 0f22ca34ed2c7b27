//! The sentences about receipts that cannot be written, read or repeated.
//!
//! Causes may name host paths, so an agent hears only that there is one; the log has it.

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use crate::run::receipts::{ReceiptError, RunStage};
use crate::run::replay::ReplayFault;

/// Answers a run whose receipt cannot be written.
pub(super) fn no_receipt_reply(stage: RunStage, cause: &ReceiptError) -> Draft {
    tracing::error!(%cause, "the receipt of a run cannot be written");
    let message = match stage {
        RunStage::Before => "The receipt of the run could not be written, so nothing was run.",
        RunStage::After => {
            "The tool ran, but its receipt could not be written, so its result is withheld."
        }
    };
    let data = Fields::default().with("ran", stage == RunStage::After);
    Draft::fault(codes::RUN_NO_RECEIPT, message)
        .hint("Ask a person to run `mere doctor`: it says what is wrong with the receipts.")
        .data(data)
}

/// Answers a person whose receipts cannot be read.
pub(crate) fn receipt_error_reply(error: &ReceiptError) -> Draft {
    let message = Prose::words("The receipts cannot be read: ");
    let message = message.content(Content::mention(error.to_string())).and(".");
    Draft::fault(codes::RUNS_BROKEN, message)
        .hint("They lie in the folders `runs` and `machine` of your state folder.")
}

/// Answers a person who asked for a receipt that does not exist.
pub(crate) fn unknown_receipt_reply() -> Draft {
    Draft::invalid(codes::RUNS_UNKNOWN, "There is no receipt with that id.")
        .hint("`mere runs --all` lists them.")
}

/// Answers a person whose run is not repeated.
pub(super) fn replay_fault_reply(fault: &ReplayFault) -> Draft {
    let refuse = |message: &'static str| Draft::invalid(codes::RUNS_NOT_REPLAYABLE, message);
    match fault {
        ReplayFault::Unknown => unknown_receipt_reply(),
        ReplayFault::Forged => {
            let message = "The receipt is not what this machine signed. Nothing was run.";
            Draft::fault(codes::RUNS_BROKEN, message).hint("`mere runs verify` checks all of them.")
        }
        ReplayFault::NothingRan => {
            refuse("The receipt is about a refusal: there is nothing to repeat.")
        }
        ReplayFault::OtherProject => {
            refuse("The tool was run in another project. Nothing was run.")
                .hint("Repeat it in the folder of that project.")
        }
        ReplayFault::NoInputs => {
            refuse("The inputs of the run are not kept any more. Nothing was run.")
                .hint("Inputs of more than 256 KiB, and those of old runs, are not kept.")
        }
        ReplayFault::ToolChanged(link) => {
            let message =
                format!("The tool `{link}` is not the one that was run. Nothing was run.");
            Draft::invalid(codes::RUNS_TOOL_CHANGED, Prose::words(message))
                .hint("`mere run` runs it as it is now.")
                .data(Fields::default().with("link", Data::Words(link.to_string().into())))
        }
        ReplayFault::Unreadable(error) => receipt_error_reply(error),
    }
}
