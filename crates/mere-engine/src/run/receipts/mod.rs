//! Receipts: every run of a tool, and every refusal to run one, is recorded in the user's state
//! folder, in a chain that the machine's key signs.
//!
//! [`PendingReceipt`] goes along with a run. [`ReceiptBook`] writes and reads the chain, and
//! compares it with its head. Inputs are kept apart, are never exported, and are sent nowhere.

mod book;
mod kept_inputs;
mod pending;
mod reading;

use std::io;

use mere_host::WriteError;

use crate::trust::approvals::records::RecordError;
use crate::trust::keys::KeyFault;

pub(crate) use book::ReceiptBook;
pub(super) use pending::PendingReceipt;
pub(crate) use reading::ChainReport;

/// Why receipts cannot be written or read. For people: it may name a host path.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReceiptError {
    #[error(transparent)]
    Folder(#[from] RecordError),
    #[error("the machine's key cannot be used: {0}")]
    Key(#[from] KeyFault),
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Whether a tool had run when its receipt could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunStage {
    /// Nothing was run.
    Before,
    /// The tool has run.
    After,
}
