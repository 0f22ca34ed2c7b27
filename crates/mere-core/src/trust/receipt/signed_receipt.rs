//! A receipt with its place in the chain, and the line that stores it with its signature.
//!
//! A line is canonical JSON, so a receipt has one spelling, and every byte of it is covered by the
//! signature or is the signature.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::head::{HeadFault, ReceiptPosition};
use super::{ReceiptId, RunRecord};
use crate::digest::Sha256;
use crate::text::canonical;
use crate::trust::envelope::{Envelope, PayloadType};
use crate::trust::key::{Fingerprint, PublicKey};
use crate::trust::signed_data::{self, ClosedObject, SignedDataError};

/// The longest line of a receipt, in bytes.
pub const MAX_RECEIPT_BYTES: usize = 64 * 1024;

/// A receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// Its id.
    pub id: ReceiptId,
    /// Its number, which begins at 1.
    pub sequence: u64,
    /// The digest of the receipt before it.
    pub previous: Sha256,
    /// What was wrong with the head of the chain when this was written.
    pub head_fault: Option<HeadFault>,
    /// What it says about the run.
    pub run: RunRecord,
}

/// A receipt with the signature that its line has. The signature is not checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedReceipt {
    receipt: Receipt,
    envelope: Envelope,
    key: Fingerprint,
}

impl Receipt {
    /// Creates an envelope that nobody has signed yet.
    pub fn envelope(&self) -> Envelope {
        let text = canonical::to_text(&self.to_json());
        Envelope::new(PayloadType::Receipt, text.into_bytes())
    }

    fn to_json(&self) -> Value {
        let mut value = self.run.to_json();
        value["v"] = 1.into();
        value["id"] = self.id.to_string().into();
        value["sequence"] = self.sequence.into();
        value["previous"] = self.previous.to_string().into();
        value["head"] = self.head_fault.map(HeadFault::name).into();
        value
    }

    fn parse(value: &Value) -> Result<Self, SignedDataError> {
        let known = [&["v", "id", "sequence", "previous", "head"][..], &RunRecord::FIELDS].concat();
        let fields = ClosedObject::new(value, &known)?;
        fields.check_version(1)?;
        let head_fault = fields.parse_or_null("head")?;
        Ok(Self {
            id: fields.parse("id")?,
            sequence: fields.number("sequence")?,
            previous: fields.parse("previous")?,
            head_fault,
            run: RunRecord::parse(&fields)?,
        })
    }
}

impl SignedReceipt {
    /// Adds the signature that the machine's key made of [`Envelope::message`].
    pub fn new(receipt: Receipt, key: Fingerprint, signature: [u8; 64]) -> Self {
        let mut envelope = receipt.envelope();
        envelope.add_signature(key, signature);
        Self { receipt, envelope, key }
    }

    /// Parses one line, without the line break.
    pub fn parse(line: &[u8]) -> Result<Self, SignedDataError> {
        if line.len() > MAX_RECEIPT_BYTES {
            return Err(SignedDataError("it is too long"));
        }
        let value = signed_data::parse_canonical(line)?;
        let fields = ClosedObject::new(&value, &["receipt", "key", "signature"])?;
        let receipt = Receipt::parse(fields.get("receipt")?)?;
        let (key, signature) = parse_signature(&fields)?;
        let text = canonical::to_text(fields.get("receipt")?);
        let mut envelope = Envelope::new(PayloadType::Receipt, text.into_bytes());
        envelope.add_signature(key, signature);
        Ok(Self { receipt, envelope, key })
    }

    /// Returns its line, without the line break.
    pub fn to_line(&self) -> String {
        let signature = self.envelope.signatures().first().map(|mark| mark.signature);
        let signature = signature.unwrap_or([0; 64]);
        signed_line("receipt", self.receipt.to_json(), self.key, &signature)
    }

    /// Returns the receipt.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Returns the key that it claims to be signed by.
    pub fn key(&self) -> Fingerprint {
        self.key
    }

    /// Returns its digest, which the next receipt carries, under its number.
    pub fn position(&self) -> ReceiptPosition {
        let digest = Sha256::digest(self.envelope.payload());
        ReceiptPosition { sequence: self.receipt.sequence, digest }
    }

    /// Checks whether this key signed it.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.envelope.is_signed_by(key)
    }
}

/// Writes a value with its signature as one line.
pub(super) fn signed_line(
    name: &str,
    value: Value,
    key: Fingerprint,
    signature: &[u8; 64],
) -> String {
    let mut line =
        json!({ "key": key.to_string(), "signature": BASE64_STANDARD.encode(signature) });
    line[name] = value;
    canonical::to_text(&line)
}

/// Reads the key and the signature of a line.
pub(super) fn parse_signature(
    fields: &ClosedObject<'_>,
) -> Result<(Fingerprint, [u8; 64]), SignedDataError> {
    let signature = BASE64_STANDARD.decode(fields.text("signature")?).ok();
    let signature = signature.and_then(|bytes| bytes.try_into().ok());
    let signature = signature.ok_or(SignedDataError("a signature has 64 bytes"))?;
    Ok((fields.parse("key")?, signature))
}
