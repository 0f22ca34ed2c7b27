//! Checks whether runs can be recorded, and whether the audit sink takes receipts.
//!
//! Whether the receipts are whole is what `mere runs verify` says.

use super::{Finding, FindingState};
use crate::config::RunConfig;
use crate::run::receipts::{ReceiptBook, ReceiptError};
use crate::trust::MachineKey;
use mere_host::Environment;

/// Checks the folder, the machine's key and the sink.
pub(super) fn check_receipts(environment: &Environment, config: &RunConfig) -> Vec<Finding> {
    let mut found = vec![match check_folder(environment) {
        Ok(()) => Finding::new("receipts", FindingState::Right, "runs can be recorded"),
        Err(error) => {
            let what = format!("runs cannot be recorded, so no tool is run: {error}");
            let fix = "Make the folders `runs` and `machine` in your state folder your own, for \
                       nobody else to read.";
            Finding::new("receipts", FindingState::Wrong, what).with_fix(fix)
        }
    }];
    if let Some(sink) = &config.audit {
        found.push(match sink.check(environment) {
            Ok(()) => Finding::new("audit", FindingState::Right, "receipts are sent to the sink"),
            Err(error) => {
                let what = format!("receipts are not sent to the audit sink: {error}");
                let fix = "Correct `audit` in your own config.yaml, or what it names.";
                Finding::new("audit", FindingState::Wrong, what).with_fix(fix)
            }
        });
    }
    found
}

fn check_folder(environment: &Environment) -> Result<(), ReceiptError> {
    ReceiptBook::of_user(environment)?.check_writable()?;
    MachineKey::read(environment)?;
    Ok(())
}
