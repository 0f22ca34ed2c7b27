//! Sidecars: the file beside an item that holds both signatures.
//!
//! It is `<file>.sig`, or `.sig` in the folder of a folder item. It ends with its last brace, so a
//! truncated sidecar is never valid. An item that came from a registry may also have the proof that
//! it is in the registry's log. Nobody signs that proof here: it is worth what its own check says.

use serde_json::{Value, json};

use super::envelope::{Envelope, PayloadType};
use super::placement::Placement;
use super::signed_data::{ClosedObject, SignedDataError};
use super::statement::Statement;
use crate::digest::Sha256;
use crate::text::conflict_markers::find_conflict;
use crate::text::json;

/// The largest sidecar that is read, in bytes.
pub const MAX_SIDECAR_BYTES: u64 = 1024 * 1024;

/// The reason why a sidecar is not valid in which git left both sides of a merge.
pub const CONFLICT_MARKERS: &str = "git left its conflict markers in the signature file";

/// What lies at the path of an item's sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SidecarFile {
    /// There is nothing.
    None,
    /// The bytes of the sidecar.
    Bytes(Vec<u8>),
    /// There is something that is not a file, or is too large for a sidecar.
    Unreadable,
}

impl SidecarFile {
    /// Returns the bytes of the sidecar, if there is one that can be read.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::None | Self::Unreadable => None,
        }
    }
}

/// Both envelopes and their parsed payloads. The signatures themselves are not checked here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// The author's envelope.
    pub author: Envelope,
    /// The installer's envelope.
    pub installer: Envelope,
    /// The author's statement.
    pub statement: Statement,
    /// The installer's placement.
    pub placement: Placement,
    /// The proof that the item is in the log of the registry it came from, not checked.
    pub log_proof: Option<Value>,
}

impl Sidecar {
    /// Creates a sidecar that nobody has signed yet. The placement is bound to the statement.
    pub fn new(statement: Statement, placement: Placement) -> Self {
        let author = Envelope::new(PayloadType::Statement, statement.payload());
        Self::with_signed_statement(author, statement, placement)
    }

    /// Creates a sidecar from a statement that is already signed and a placement that is not.
    pub fn with_signed_statement(
        author: Envelope,
        statement: Statement,
        placement: Placement,
    ) -> Self {
        let placement = Placement { statement: Sha256::digest(author.payload()), ..placement };
        let installer = Envelope::new(PayloadType::Placement, placement.payload());
        Self { author, installer, statement, placement, log_proof: None }
    }

    /// Parses a sidecar.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignedDataError> {
        let value = json::parse(bytes).map_err(|_| invalid_json(bytes))?;
        let fields = ClosedObject::new(&value, &["statement", "placement", "proof"])?;
        let author = Envelope::parse(fields.get("statement")?, PayloadType::Statement)?;
        let installer = Envelope::parse(fields.get("placement")?, PayloadType::Placement)?;
        let statement = Statement::parse(author.payload())?;
        let placement = Placement::parse(installer.payload())?;
        if placement.statement != Sha256::digest(author.payload()) {
            return Err(SignedDataError("the placement belongs to another statement"));
        }
        let log_proof = fields.get_optional("proof").cloned();
        Ok(Self { author, installer, statement, placement, log_proof })
    }

    /// Formats the sidecar as the text of its file.
    pub fn to_text(&self) -> String {
        let mut value =
            json!({ "statement": self.author.to_json(), "placement": self.installer.to_json() });
        if let Some(proof) = &self.log_proof {
            value["proof"] = proof.clone();
        }
        format!("{value:#}")
    }
}

fn invalid_json(bytes: &[u8]) -> SignedDataError {
    match find_conflict(&String::from_utf8_lossy(bytes)) {
        Some(_) => SignedDataError(CONFLICT_MARKERS),
        None => SignedDataError("it is not valid JSON without duplicate keys"),
    }
}
