//! The chain of receipts in the user's state folder, and how it grows.
//!
//! Under the lock of the folder, a receipt is appended and synced, and then the head is moved. A
//! process that is killed in between leaves a head that lags behind, which is no finding. The head
//! never moves back: if receipts were dropped from the end, the next one follows the head, and the
//! gap stays visible.

use mere_core::trust::{
    HeadFault, MAX_RECEIPT_BYTES, PublicKey, Receipt, ReceiptHead, ReceiptId, ReceiptPosition,
    RunRecord, SignedReceipt,
};

use super::ReceiptError;
use super::kept_inputs::KeptInputs;
use crate::trust::approvals::records::RecordError;
use crate::trust::{MachineKey, machine_folder};
use mere_host::{Durability, Environment, LineLog, LockedFolder, LogEnd, StateFolder};

/// The folder in the state folder that holds the receipts.
const FOLDER: &str = "runs";
/// The file of the head, which lies in another folder than the receipts.
const HEAD_FILE: &str = "receipts-head";
/// The files of the receipts.
pub(super) const RECEIPTS: LineLog =
    LineLog { name: "receipts", segment_bytes: 3 * 1024 * 1024, max_line: MAX_RECEIPT_BYTES };
/// How many of them are kept: some hundred thousand receipts.
const MAX_SEGMENTS: usize = 128;

/// The receipts of the user who runs this process.
pub(crate) struct ReceiptBook {
    pub(super) runs: StateFolder,
    machine: StateFolder,
}

/// A receipt that is to be written.
pub(super) struct NewReceipt<'a> {
    pub(super) id: ReceiptId,
    pub(super) run: RunRecord,
    /// The inputs, as JSON.
    pub(super) inputs: Option<&'a str>,
}

impl ReceiptBook {
    /// Finds the folders. Nothing is created.
    pub(crate) fn of_user(environment: &Environment) -> Result<Self, ReceiptError> {
        let runs = environment.state_folder(FOLDER).ok_or(RecordError::NoFolder)?;
        Ok(Self { runs, machine: machine_folder(environment)? })
    }

    /// Fails if no receipt could be written now.
    pub(crate) fn check_writable(&self) -> Result<(), ReceiptError> {
        Ok(self.runs.check_writable()?)
    }

    /// Reads the head, or says what is wrong with it.
    pub(super) fn read_head(
        &self,
        key: &PublicKey,
    ) -> Result<Result<ReceiptHead, HeadFault>, ReceiptError> {
        let bytes = self.machine.read(HEAD_FILE)?.ok_or(HeadFault::Missing);
        Ok(bytes.and_then(|bytes| {
            ReceiptHead::parse(&bytes, key).map_err(|error| {
                tracing::error!(%error, "the head of the receipts is damaged");
                HeadFault::Damaged
            })
        }))
    }

    /// Appends a receipt durably, and moves the head.
    pub(super) fn append(
        &self,
        key: &MachineKey,
        new: NewReceipt<'_>,
    ) -> Result<SignedReceipt, ReceiptError> {
        let folder = self.runs.lock()?;
        let mut end = RECEIPTS.open_end(&folder)?;
        let last_line = end.last_line()?;
        let head = match self.read_head(key.public())? {
            // A first run that was killed leaves no receipt without a head.
            Err(HeadFault::Missing) if last_line.is_none() => {
                self.create_head(key, ReceiptHead::empty())?;
                Ok(ReceiptHead::empty())
            }
            head => head,
        };
        let position = next_position(head, last_line.as_deref(), key.public());
        let signed = key.sign_receipt(Receipt {
            id: new.id,
            sequence: position.sequence + 1,
            previous: position.digest,
            head_fault: head.err(),
            run: new.run,
        });
        if let Some(inputs) = new.inputs {
            KeptInputs::append(&folder, new.id, inputs)?;
        }
        end.append(&signed.to_line(), Durability::Synced)?;
        let removed = head.map_or(ReceiptPosition::start(), |head| head.removed);
        let head = ReceiptHead { last: signed.position(), removed };
        self.move_head(key, head, Durability::Buffered)?;
        self.remove_oldest(key, head, &mut end)?;
        Ok(signed)
    }

    fn move_head(
        &self,
        key: &MachineKey,
        head: ReceiptHead,
        durability: Durability,
    ) -> Result<(), ReceiptError> {
        let text = key.sign_head(head);
        match self.machine.overwrite(HEAD_FILE, text.as_bytes(), durability) {
            Ok(()) => Ok(()),
            // It is missing or damaged, which the receipt says.
            Err(_) => self.create_head(key, head),
        }
    }

    fn create_head(&self, key: &MachineKey, head: ReceiptHead) -> Result<(), ReceiptError> {
        let folder: LockedFolder = self.machine.lock()?;
        Ok(folder.replace(HEAD_FILE, key.sign_head(head).as_bytes())?)
    }

    /// Removes the oldest receipts if there are too many, after the head says that they are gone.
    fn remove_oldest(
        &self,
        key: &MachineKey,
        head: ReceiptHead,
        end: &mut LogEnd<'_>,
    ) -> Result<(), ReceiptError> {
        let Some((segment, text)) = end.excess_segment(MAX_SEGMENTS)? else { return Ok(()) };
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let last = lines.filter_map(|line| SignedReceipt::parse(line).ok()).next_back();
        let own = last.filter(|last| last.is_signed_by(key.public()));
        let removed = own.map_or(head.removed, |last| last.position());
        self.move_head(key, ReceiptHead { removed, ..head }, Durability::Synced)?;
        Ok(end.remove_segment(segment)?)
    }
}

/// Decides what the next receipt follows: the head, or what a killed process wrote after it.
fn next_position(
    head: Result<ReceiptHead, HeadFault>,
    last_line: Option<&[u8]>,
    key: &PublicKey,
) -> ReceiptPosition {
    let last = last_line.and_then(|line| SignedReceipt::parse(line).ok());
    let known = head.map_or(ReceiptPosition::start(), |head| head.last);
    let later = last.filter(|last| last.receipt().sequence > known.sequence);
    // Whoever cannot sign must not choose the next number.
    let later = later.filter(|last| last.is_signed_by(key));
    later.map_or(known, |last| last.position())
}
