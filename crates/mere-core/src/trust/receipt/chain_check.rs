//! Compares a chain of receipts with its head, line by line and in bounded memory.
//!
//! A receipt that was edited is named once: what follows it is not blamed for it. The chain may go
//! on after the head, because a process can be killed after it has written a receipt and before it
//! has moved the head.

use super::head::{HeadFault, ReceiptHead, ReceiptPosition};
use super::{ReceiptId, SignedReceipt};
use crate::digest::Sha256;
use crate::trust::key::PublicKey;

/// How many findings and gaps are kept.
const MAX_KEPT: usize = 100;

/// What is wrong with a receipt, or with the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptFault {
    /// A line is not a receipt.
    Unreadable,
    /// The receipt is not what was signed.
    Edited,
    /// Another key than the machine's signed it.
    WrongKey,
    /// Receipts up to this number are missing.
    Dropped {
        /// The number of the last one that is missing.
        to: u64,
    },
    /// Receipts up to this number are missing at the end.
    TailDropped {
        /// The number of the last one that is missing.
        to: u64,
    },
    /// The receipt stands behind one with a higher number.
    Reordered,
    /// The receipt before it is not the one that it follows.
    Unlinked,
    /// The head was missing or damaged when the receipt was written.
    WithoutHead(HeadFault),
    /// The head is missing.
    NoHead,
    /// The head is not signed by the machine's key.
    DamagedHead,
    /// The head names another receipt of this number.
    OtherHead,
}

/// One finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptFinding {
    /// The receipt, if it can be read.
    pub id: Option<ReceiptId>,
    /// Its number, or the first of those that are missing.
    pub sequence: Option<u64>,
    /// What is wrong.
    pub fault: ReceiptFault,
}

/// The comparison of a chain with its head. Lines are given to it in their order.
pub struct ReceiptChainCheck<'a> {
    key: &'a PublicKey,
    head: Result<ReceiptHead, HeadFault>,
    /// The highest number so far.
    last: u64,
    /// The digest that the next receipt must carry, unless the one before it is at fault.
    expected: Option<Sha256>,
    /// How many lines just before could not be read: each may have been a receipt.
    unreadable: u64,
    /// The ranges of numbers that were skipped so far.
    gaps: Vec<(u64, u64)>,
    count: u64,
    findings: Vec<ReceiptFinding>,
    left_out: u64,
}

impl<'a> ReceiptChainCheck<'a> {
    /// Begins to check a chain.
    pub fn new(key: &'a PublicKey, head: Result<ReceiptHead, HeadFault>) -> Self {
        Self {
            key,
            head,
            last: 0,
            expected: None,
            unreadable: 0,
            gaps: Vec::new(),
            count: 0,
            findings: Vec::new(),
            left_out: 0,
        }
    }

    /// Checks the next line.
    pub fn add_line(&mut self, line: &[u8]) {
        self.count += 1;
        let parsed = SignedReceipt::parse(line);
        if self.count == 1 {
            self.begin_at(parsed.as_ref().ok().map(|signed| signed.receipt().sequence));
        }
        let Ok(signed) = parsed else {
            self.unreadable += 1;
            self.expected = None;
            let sequence = self.last.saturating_add(self.unreadable);
            return self.add(None, Some(sequence), ReceiptFault::Unreadable);
        };
        let position = signed.position();
        let (id, sequence) = (Some(signed.receipt().id), Some(position.sequence));
        let is_in_order = self.check_order(&signed);
        let fault = if signed.key() != self.key.fingerprint() {
            Some(ReceiptFault::WrongKey)
        } else if !signed.is_signed_by(self.key) {
            Some(ReceiptFault::Edited)
        } else {
            signed.receipt().head_fault.map(ReceiptFault::WithoutHead)
        };
        let is_authentic = matches!(fault, None | Some(ReceiptFault::WithoutHead(_)));
        if let Some(fault) = fault {
            self.add(id, sequence, fault);
        }
        let named = self.head.ok().map(|head| head.last);
        let named = named.filter(|last| last.sequence == position.sequence);
        if is_authentic && named.is_some_and(|last| last.digest != position.digest) {
            self.add(id, sequence, ReceiptFault::OtherHead);
        }
        if is_in_order {
            self.expected = is_authentic.then_some(position.digest);
        }
    }

    /// Decides what the first receipt must follow: nothing, or the last one that was removed.
    fn begin_at(&mut self, first: Option<u64>) {
        let removed = self.head.map_or(ReceiptPosition::start(), |head| head.removed);
        match first {
            // The process was ended before it had removed what the head says is removed.
            Some(first) if first <= removed.sequence => self.last = first.saturating_sub(1),
            _ => {
                self.last = removed.sequence;
                self.expected = Some(removed.digest);
            }
        }
    }

    /// Checks that a receipt has the next number and follows the one before it. Returns whether it
    /// is behind all that came so far.
    fn check_order(&mut self, signed: &SignedReceipt) -> bool {
        let receipt = signed.receipt();
        let (id, sequence) = (Some(receipt.id), receipt.sequence);
        let unreadable = std::mem::take(&mut self.unreadable);
        // Nobody has checked who signed it: the number may be any, also the largest.
        if sequence <= self.last {
            self.fill_gap(sequence);
            self.add(id, Some(sequence), ReceiptFault::Reordered);
            return false;
        }
        // Lines that could not be read may have been the receipts in between.
        let next = self.last.saturating_add(1).saturating_add(unreadable);
        if sequence > next {
            self.gaps.push((next, sequence - 1));
            self.gaps.truncate(MAX_KEPT);
        } else if unreadable == 0
            && self.expected.is_some_and(|expected| expected != receipt.previous)
        {
            self.add(id, Some(sequence), ReceiptFault::Unlinked);
        }
        self.last = sequence;
        true
    }

    /// Notes that a number which was skipped has come after all.
    fn fill_gap(&mut self, sequence: u64) {
        let Some(at) = self.gaps.iter().position(|(from, to)| (*from..=*to).contains(&sequence))
        else {
            return;
        };
        let (from, to) = self.gaps.remove(at);
        let rest = [(from, sequence - 1), (sequence + 1, to)];
        self.gaps.extend(rest.into_iter().filter(|(from, to)| from <= to));
    }

    fn add(&mut self, id: Option<ReceiptId>, sequence: Option<u64>, fault: ReceiptFault) {
        if self.findings.len() < MAX_KEPT {
            self.findings.push(ReceiptFinding { id, sequence, fault });
        } else {
            self.left_out += 1;
        }
    }

    /// Returns how many receipts there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns how many findings are left out of the list.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Ends the check, and returns what was found.
    pub fn finish(&mut self) -> Vec<ReceiptFinding> {
        for (from, to) in std::mem::take(&mut self.gaps) {
            self.add(None, Some(from), ReceiptFault::Dropped { to });
        }
        match self.head {
            Ok(head) => {
                let last = self.last.max(head.removed.sequence).saturating_add(self.unreadable);
                if head.last.sequence > last {
                    let to = head.last.sequence;
                    self.add(None, Some(last + 1), ReceiptFault::TailDropped { to });
                }
            }
            Err(HeadFault::Missing) if self.count == 0 => {}
            Err(HeadFault::Missing) => self.add(None, None, ReceiptFault::NoHead),
            Err(HeadFault::Damaged) => self.add(None, None, ReceiptFault::DamagedHead),
        }
        std::mem::take(&mut self.findings)
    }
}
