//! DSSE envelopes, version 1: a payload, its type, and signatures over both.
//!
//! The pre-authentication encoding is what is signed, never the JSON around it, so the spelling of
//! the envelope decides nothing. A key id is only a hint: the key that is found by it must have
//! made the signature.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use serde_json::{Value, json};

use super::key::{Fingerprint, PublicKey};
use super::signed_data::{ClosedObject, SignedDataError};

/// How many signatures one envelope may have.
const MAX_SIGNATURES: usize = 32;

/// The type of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadType {
    /// An author's statement about an item.
    Statement,
    /// An installer's placement of an item.
    Placement,
    /// A team's roster.
    Roster,
    /// The replacement of one key by another.
    Rotation,
    /// A receipt of a run.
    Receipt,
    /// The head of the chain of receipts.
    ReceiptHead,
}

impl PayloadType {
    fn name(self) -> &'static str {
        match self {
            Self::Statement => "application/vnd.merestone.statement.v1+json",
            Self::Placement => "application/vnd.merestone.placement.v1+json",
            Self::Roster => "application/vnd.merestone.roster.v1+json",
            Self::Rotation => "application/vnd.merestone.rotation.v1+json",
            Self::Receipt => "application/vnd.merestone.receipt.v1+json",
            Self::ReceiptHead => "application/vnd.merestone.receipt-head.v1+json",
        }
    }
}

/// One signature of an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopeSignature {
    /// The key that it claims to be from. DSSE lets this be left out; here it is required, because
    /// a signature that names no key would have to be tried with every key, and a revoked key could
    /// hide.
    pub key: Fingerprint,
    /// The signature.
    pub signature: [u8; 64],
}

/// A payload with its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    kind: PayloadType,
    payload: Vec<u8>,
    signatures: Vec<EnvelopeSignature>,
}

impl Envelope {
    /// Creates an envelope that nobody has signed yet.
    pub fn new(kind: PayloadType, payload: Vec<u8>) -> Self {
        Self { kind, payload, signatures: Vec::new() }
    }

    /// Parses an envelope whose payload must be of this type.
    pub fn parse(value: &Value, kind: PayloadType) -> Result<Self, SignedDataError> {
        let fields = ClosedObject::new(value, &["payload", "payloadType", "signatures"])?;
        if fields.text("payloadType")? != kind.name() {
            return Err(SignedDataError("the payload has the wrong type"));
        }
        let payload = decode_base64(fields.text("payload")?)?;
        let signatures = fields.list("signatures")?;
        if signatures.is_empty() || signatures.len() > MAX_SIGNATURES {
            return Err(SignedDataError("an envelope has between 1 and 32 signatures"));
        }
        let signatures = signatures.iter().map(parse_signature).collect::<Result<_, _>>()?;
        Ok(Self { kind, payload, signatures })
    }

    /// Returns the envelope as JSON.
    pub fn to_json(&self) -> Value {
        let marks = self.signatures.iter().map(|mark| {
            let signature = BASE64_STANDARD.encode(mark.signature);
            json!({ "keyid": mark.key.to_string(), "sig": signature })
        });
        json!({
            "payloadType": self.kind.name(),
            "payload": BASE64_STANDARD.encode(&self.payload),
            "signatures": marks.collect::<Vec<_>>(),
        })
    }

    /// Returns the signed payload.
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Returns the bytes that are signed: DSSE's pre-authentication encoding.
    pub fn message(&self) -> Vec<u8> {
        let kind = self.kind.name();
        let head = format!("DSSEv1 {} {kind} {} ", kind.len(), self.payload.len());
        [head.as_bytes(), &self.payload].concat()
    }

    /// Returns the signatures.
    pub fn signatures(&self) -> &[EnvelopeSignature] {
        &self.signatures
    }

    /// Adds a signature of [`Envelope::message`]. It replaces an earlier one by the same key.
    pub fn add_signature(&mut self, key: Fingerprint, signature: [u8; 64]) {
        self.signatures.retain(|mark| mark.key != key);
        self.signatures.push(EnvelopeSignature { key, signature });
    }

    /// Removes every signature that none of these keys made.
    pub fn retain_signed_by(&mut self, keys: &[PublicKey]) {
        let message = self.message();
        let is_theirs = |mark: &EnvelopeSignature| {
            let mut named = keys.iter().filter(|key| mark.key == key.fingerprint());
            named.any(|key| key.is_signature_valid(&mark.signature, &message))
        };
        self.signatures.retain(is_theirs);
    }

    /// Reports whether this key signed the envelope.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        let name = key.fingerprint();
        let mut marks = self.signatures.iter().filter(|mark| mark.key == name);
        marks.any(|mark| key.is_signature_valid(&mark.signature, &self.message()))
    }
}

fn parse_signature(value: &Value) -> Result<EnvelopeSignature, SignedDataError> {
    let fields = ClosedObject::new(value, &["keyid", "sig"])?;
    let key = fields.parse("keyid")?;
    let signature = decode_base64(fields.text("sig")?)?;
    let signature =
        signature.try_into().map_err(|_| SignedDataError("a signature has 64 bytes"))?;
    Ok(EnvelopeSignature { key, signature })
}

/// Decodes base64. DSSE allows both alphabets.
fn decode_base64(text: &str) -> Result<Vec<u8>, SignedDataError> {
    let decoded = BASE64_STANDARD.decode(text).or_else(|_| BASE64_URL_SAFE.decode(text));
    decoded.map_err(|_| SignedDataError("a field is not base64"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_dsses_encoding() {
        let envelope = Envelope::new(PayloadType::Statement, b"hello".to_vec());
        let expected = "DSSEv1 43 application/vnd.merestone.statement.v1+json 5 hello";
        assert_eq!(String::from_utf8(envelope.message()).as_deref(), Ok(expected));
    }

    #[test]
    fn reads_what_it_writes_and_nothing_around_it() {
        let mut envelope = Envelope::new(PayloadType::Placement, b"{}".to_vec());
        let key =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFhmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZm";
        let key = key.parse::<PublicKey>().expect("the base point is a key").fingerprint();
        envelope.add_signature(key, [7; 64]);
        let value = envelope.to_json();
        assert_eq!(Envelope::parse(&value, PayloadType::Placement), Ok(envelope));
        let broken = [
            ("payloadType", json!("application/vnd.merestone.statement.v1+json")),
            ("payload", json!("*")),
            ("payload", json!(1)),
            ("signatures", json!([])),
            ("signatures", json!([{ "keyid": "x", "sig": "" }])),
            ("signatures", json!([{ "sig": "AAAA" }])),
            ("more", json!(1)),
        ];
        for (key, changed) in broken {
            let mut value = value.clone();
            value[key] = changed;
            assert!(Envelope::parse(&value, PayloadType::Placement).is_err(), "{value}");
        }
    }

    #[test]
    fn an_envelope_has_at_most_32_signatures() {
        let key = "SHA256:Ux/7fR3O16Cl8WSn7lBPixr0VnQ4FC16a0mr4XdhqQs".parse().expect("a name");
        let mut envelope = Envelope::new(PayloadType::Roster, b"{}".to_vec());
        envelope.add_signature(key, [7; 64]);
        let mut value = envelope.to_json();
        for (count, is_taken) in [(31, true), (32, true), (33, false), (64, false)] {
            value["signatures"] = vec![value["signatures"][0].clone(); count].into();
            let parsed = Envelope::parse(&value, PayloadType::Roster);
            assert_eq!(parsed.is_ok(), is_taken, "{count}");
        }
    }
}
