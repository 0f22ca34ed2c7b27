//! Reads the receipts: the newest first, one by its id, in pages for an export, and all of them to
//! compare them with the head.
//!
//! One file of the chain is in memory at a time.

use mere_core::trust::{
    HeadFault, PublicKey, ReceiptChainCheck, ReceiptFinding, ReceiptHead, ReceiptId, SignedReceipt,
};

use super::book::RECEIPTS;
use super::{ReceiptBook, ReceiptError};

/// How often a check is repeated because receipts were removed meanwhile.
const MAX_ATTEMPTS: usize = 3;

/// A receipt, and whether the machine's key signed it as it is.
pub(crate) struct VerifiedReceipt {
    pub(crate) signed: SignedReceipt,
    pub(crate) is_authentic: bool,
}

/// The result of comparing the chain with its head.
pub(crate) struct ChainReport {
    pub(crate) count: u64,
    pub(crate) head: Result<ReceiptHead, HeadFault>,
    pub(crate) findings: Vec<ReceiptFinding>,
    pub(crate) left_out: u64,
}

/// Some lines of the chain, and where the next ones begin.
pub(crate) struct ReceiptPage {
    pub(crate) lines: Vec<String>,
    /// The file and the line with which the next page begins.
    pub(crate) next: Option<(u32, u64)>,
}

impl ReceiptBook {
    /// Returns the newest receipts that `wanted` accepts, before a certain one if it is named. Lines
    /// that are no receipts are left out; `verify` names them.
    pub(crate) fn newest(
        &self,
        limit: usize,
        before: Option<ReceiptId>,
        wanted: impl Fn(&SignedReceipt) -> bool,
    ) -> Result<Vec<SignedReceipt>, ReceiptError> {
        let mut found = Vec::new();
        let mut is_reached = before.is_none();
        for segment in RECEIPTS.segments(&self.runs)?.into_iter().rev() {
            let text = RECEIPTS.read(&self.runs, segment)?;
            for signed in lines(&text).rev().filter_map(|line| SignedReceipt::parse(line).ok()) {
                if found.len() == limit {
                    return Ok(found);
                }
                if is_reached && wanted(&signed) {
                    found.push(signed);
                } else {
                    is_reached |= Some(signed.receipt().id) == before;
                }
            }
        }
        Ok(found)
    }

    /// Finds a receipt.
    pub(crate) fn find(
        &self,
        id: ReceiptId,
        key: Option<&PublicKey>,
    ) -> Result<Option<VerifiedReceipt>, ReceiptError> {
        let found = self.newest(1, None, |signed| signed.receipt().id == id)?.pop();
        Ok(found.map(|signed| VerifiedReceipt {
            is_authentic: key.is_some_and(|key| signed.is_signed_by(key)),
            signed,
        }))
    }

    /// Returns lines as they are stored, which do not hold inputs.
    pub(crate) fn page(
        &self,
        from: Option<(u32, u64)>,
        limit: usize,
    ) -> Result<ReceiptPage, ReceiptError> {
        let (first, skipped) = from.unwrap_or_default();
        let mut found = Vec::new();
        for segment in RECEIPTS.segments(&self.runs)?.into_iter().filter(|one| *one >= first) {
            let text = RECEIPTS.read(&self.runs, segment)?;
            let skipped = if segment == first { skipped } else { 0 };
            for (number, line) in (0_u64..).zip(lines(&text)) {
                if number < skipped {
                    continue;
                }
                if found.len() == limit {
                    return Ok(ReceiptPage { lines: found, next: Some((segment, number)) });
                }
                found.push(String::from_utf8_lossy(line).into_owned());
            }
        }
        Ok(ReceiptPage { lines: found, next: None })
    }

    /// Compares the whole chain with its head. Receipts may be written meanwhile: the head is read
    /// first, so it can only lag behind.
    pub(crate) fn verify(&self, key: &PublicKey) -> Result<ChainReport, ReceiptError> {
        let mut attempts = 1;
        loop {
            let head = self.read_head(key)?;
            let mut check = ReceiptChainCheck::new(key, head);
            for segment in RECEIPTS.segments(&self.runs)? {
                let text = RECEIPTS.read(&self.runs, segment)?;
                lines(&text).for_each(|line| check.add_line(line));
            }
            let findings = check.finish();
            let removed = |head: &Result<ReceiptHead, HeadFault>| head.ok().map(|one| one.removed);
            // Another process may have removed the oldest receipts after the head was read.
            let is_settled = findings.is_empty()
                || attempts == MAX_ATTEMPTS
                || removed(&self.read_head(key)?) == removed(&head);
            if is_settled {
                let (count, left_out) = (check.count(), check.left_out());
                return Ok(ChainReport { count, head, findings, left_out });
            }
            attempts += 1;
        }
    }
}

/// Splits a file into its lines. What has no end yet is being written, or was never finished.
fn lines(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let end = text.iter().rposition(|byte| *byte == b'\n');
    let whole = end.map_or(&[][..], |end| &text[..end]);
    let lines = (!whole.is_empty()).then(|| whole.split(|byte| *byte == b'\n'));
    lines.into_iter().flatten()
}
