//! The head of the chain: how far it goes, and where it begins.
//!
//! It is stored apart from the receipts, so that receipts which are dropped from the end are
//! missed. Its text always has the same length and fits into one sector, so that it can be
//! overwritten in place: after a power cut there is either the old or the new one.

use std::str::FromStr;

use serde_json::json;

use super::signed_receipt::{parse_signature, signed_line};
use crate::digest::Sha256;
use crate::text::canonical;
use crate::trust::envelope::{Envelope, PayloadType};
use crate::trust::key::{Fingerprint, PublicKey};
use crate::trust::signed_data::{self, ClosedObject, SignedDataError};

/// The length of a head's text, in bytes.
pub const RECEIPT_HEAD_BYTES: usize = 512;

/// The number and the digest of a receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptPosition {
    /// Its number.
    pub sequence: u64,
    /// Its digest.
    pub digest: Sha256,
}

impl ReceiptPosition {
    /// The position before the first receipt.
    pub fn start() -> Self {
        let zeros = "0".repeat(64);
        let digest = zeros.parse().unwrap_or_else(|_| Sha256::digest(b""));
        Self { sequence: 0, digest }
    }
}

/// The head of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptHead {
    /// The last receipt.
    pub last: ReceiptPosition,
    /// The last receipt that was removed because there were too many.
    pub removed: ReceiptPosition,
}

/// What was wrong with the head when a receipt was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadFault {
    /// There were receipts, but no head.
    Missing,
    /// There was a head that the machine's key had not signed.
    Damaged,
}

impl HeadFault {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Damaged => "damaged",
        }
    }
}

impl FromStr for HeadFault {
    type Err = SignedDataError;

    fn from_str(text: &str) -> Result<Self, SignedDataError> {
        let all = [Self::Missing, Self::Damaged];
        let found = all.into_iter().find(|fault| fault.name() == text);
        found.ok_or(SignedDataError("a field has an invalid value"))
    }
}

impl ReceiptHead {
    /// Returns the head of a chain without receipts.
    pub fn empty() -> Self {
        Self { last: ReceiptPosition::start(), removed: ReceiptPosition::start() }
    }

    fn to_json(self) -> serde_json::Value {
        json!({
            "v": 1,
            "sequence": self.last.sequence,
            "digest": self.last.digest.to_string(),
            "removed": self.removed.sequence,
            "removed_digest": self.removed.digest.to_string(),
        })
    }

    /// Creates an envelope that nobody has signed yet.
    pub fn envelope(self) -> Envelope {
        let text = canonical::to_text(&self.to_json());
        Envelope::new(PayloadType::ReceiptHead, text.into_bytes())
    }

    /// Returns the text of the head with its signature, of [`RECEIPT_HEAD_BYTES`] bytes.
    pub fn to_text(self, key: Fingerprint, signature: &[u8; 64]) -> String {
        let line = signed_line("head", self.to_json(), key, signature);
        format!("{line:<width$}\n", width = RECEIPT_HEAD_BYTES - 1)
    }

    /// Parses a head that this key must have signed.
    pub fn parse(text: &[u8], key: &PublicKey) -> Result<Self, SignedDataError> {
        if text.len() != RECEIPT_HEAD_BYTES {
            return Err(SignedDataError("it has the wrong length"));
        }
        let value = signed_data::parse_canonical(text.trim_ascii_end())?;
        let fields = ClosedObject::new(&value, &["head", "key", "signature"])?;
        let (name, signature) = parse_signature(&fields)?;
        let payload = canonical::to_text(fields.get("head")?).into_bytes();
        let mut envelope = Envelope::new(PayloadType::ReceiptHead, payload);
        envelope.add_signature(name, signature);
        if !envelope.is_signed_by(key) {
            return Err(SignedDataError("it is not signed by the machine's key"));
        }
        let known = ["v", "sequence", "digest", "removed", "removed_digest"];
        let fields = ClosedObject::new(fields.get("head")?, &known)?;
        fields.check_version(1)?;
        Ok(Self {
            last: ReceiptPosition {
                sequence: fields.number("sequence")?,
                digest: fields.parse("digest")?,
            },
            removed: ReceiptPosition {
                sequence: fields.number("removed")?,
                digest: fields.parse("removed_digest")?,
            },
        })
    }
}
