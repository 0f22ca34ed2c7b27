//! Offline proofs: everything that shows that an event is in the log, in one document.
//!
//! It is stored beside an installed item and verifies with the pinned key of the log alone. It says
//! nothing about how old it is, or whether the version was yanked since.

use serde_json::{Value, json};

use super::checkpoint::SignedCheckpoint;
use super::checkpoint_policy::{CheckpointRefusal, IncludedEntry, TrustedCheckpoint};
use super::disclosure::EntryDisclosure;
use super::entry::RegistryEvent;
use super::note::MAX_NOTE_BYTES;
use super::proof::{InclusionProof, MAX_PROOF_HASHES, ProofError};
use super::verifier_key::VerifierKey;
use crate::text::json;
use crate::trust::SignedDataError;
use crate::trust::signed_data::{self, ClosedObject};

/// The size of the largest offline proof in bytes.
pub const MAX_OFFLINE_PROOF_BYTES: usize = 2 * MAX_NOTE_BYTES;

/// The proof that an event is in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfflineProof {
    /// The event.
    pub disclosure: EntryDisclosure,
    /// The proof that it is in the log.
    pub inclusion: InclusionProof,
    /// The checkpoint of the log.
    pub checkpoint: SignedCheckpoint,
}

/// The reason why an offline proof shows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OfflineProofError {
    /// The checkpoint is not one of this log.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointRefusal),
    /// The entry is not in the log.
    #[error(transparent)]
    Inclusion(#[from] ProofError),
}

impl OfflineProof {
    /// Parses a proof.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignedDataError> {
        if bytes.len() > MAX_OFFLINE_PROOF_BYTES {
            return Err(SignedDataError("it is too long"));
        }
        let value = json::parse(bytes)
            .map_err(|_| SignedDataError("it is not valid JSON without duplicate keys"))?;
        let known = ["v", "entry", "nonce", "index", "inclusion", "checkpoint"];
        let fields = ClosedObject::new(&value, &known)?;
        fields.check_version(1)?;
        let nonce = fields.get_optional("nonce").map(|_| fields.parse("nonce")).transpose()?;
        let hashes = signed_data::parse_list(fields.get("inclusion")?)?;
        if hashes.len() > MAX_PROOF_HASHES {
            return Err(SignedDataError("it is too long"));
        }
        let checkpoint = SignedCheckpoint::parse(fields.text("checkpoint")?.as_bytes())
            .map_err(|_| SignedDataError("it has no valid checkpoint"))?;
        let event = RegistryEvent::from_json(fields.get("entry")?)?;
        Ok(Self {
            disclosure: EntryDisclosure { event, nonce },
            inclusion: InclusionProof { index: fields.number("index")?, hashes },
            checkpoint,
        })
    }

    /// Returns the text of its file.
    pub fn to_text(&self) -> String {
        let hashes = self.inclusion.hashes.iter().map(ToString::to_string);
        let mut value = json!({
            "v": 1,
            "entry": self.disclosure.event.to_json(),
            "index": self.inclusion.index,
            "inclusion": hashes.collect::<Vec<_>>(),
            "checkpoint": self.checkpoint.to_string(),
        });
        if let Some(nonce) = &self.disclosure.nonce {
            value["nonce"] = Value::from(nonce.to_string());
        }
        format!("{value:#}\n")
    }

    /// Verifies the proof with the key of the log.
    pub fn verify(&self, key: &VerifierKey) -> Result<IncludedEntry, OfflineProofError> {
        let trusted = TrustedCheckpoint::signed_by(self.checkpoint.clone(), key)?;
        Ok(trusted.verify_inclusion(self.disclosure.clone(), &self.inclusion)?)
    }
}
