//! Receipts: what was run, or refused, in a chain that is signed by a key of the machine.
//!
//! Each [`Receipt`] has a number, and the digest of the one before it. A [`ReceiptHead`], which is
//! stored elsewhere, says how far the chain goes. [`ReceiptChainCheck`] compares the two and names
//! what was edited, dropped or reordered. Nothing here signs, asks a clock or opens a file.

mod chain_check;
mod head;
mod id;
mod run_record;
mod signed_receipt;

pub use chain_check::{ReceiptChainCheck, ReceiptFault, ReceiptFinding};
pub use head::{HeadFault, RECEIPT_HEAD_BYTES, ReceiptHead, ReceiptPosition};
pub use id::{ReceiptId, ReceiptIdError};
pub use run_record::{ReceiptLink, RunOutcome, RunRecord};
pub use signed_receipt::{MAX_RECEIPT_BYTES, Receipt, SignedReceipt};

#[cfg(test)]
mod tests;
