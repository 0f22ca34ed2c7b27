//! The file beside an item that holds both signatures.
//!
//! `<file>.sig`, or `.sig` in the folder of a folder item. It ends with its last brace: whatever is
//! cut off, it is no sidecar any more.

use serde_json::json;

use super::closed::{ClosedObject, SignedDataError};
use super::envelope::{Envelope, PayloadType};
use super::placement::Placement;
use super::statement::Statement;
use crate::digest::Sha256;
use crate::json;

/// The largest sidecar that is read.
pub const MAX_SIDECAR_BYTES: u64 = 1024 * 1024;

/// Both envelopes, and what they say. Whether anybody made the signatures is not looked at here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// The author's envelope.
    pub author: Envelope,
    /// The installer's envelope.
    pub installer: Envelope,
    /// What the author says.
    pub statement: Statement,
    /// What the installer says.
    pub placement: Placement,
}

impl Sidecar {
    /// Nobody has signed these yet. A placement is always of its own statement.
    pub fn new(statement: Statement, placement: Placement) -> Self {
        let author = Envelope::new(PayloadType::Statement, statement.payload());
        Self::with_signed_statement(author, statement, placement)
    }

    /// A statement that somebody signed, and a placement that nobody has signed yet.
    pub fn with_signed_statement(
        author: Envelope,
        statement: Statement,
        placement: Placement,
    ) -> Self {
        let placement = Placement { statement: Sha256::digest(author.payload()), ..placement };
        let installer = Envelope::new(PayloadType::Placement, placement.payload());
        Self { author, installer, statement, placement }
    }

    /// Reads a sidecar.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignedDataError> {
        let value =
            json::parse(bytes).map_err(|_| SignedDataError("it is not JSON with each key once"))?;
        let fields = ClosedObject::new(&value, &["statement", "placement"])?;
        let author = Envelope::parse(fields.get("statement")?, PayloadType::Statement)?;
        let installer = Envelope::parse(fields.get("placement")?, PayloadType::Placement)?;
        let statement = Statement::parse(author.payload())?;
        let placement = Placement::parse(installer.payload())?;
        if placement.statement != Sha256::digest(author.payload()) {
            return Err(SignedDataError("the placement is of another statement"));
        }
        Ok(Self { author, installer, statement, placement })
    }

    /// As it is written.
    pub fn to_text(&self) -> String {
        let value =
            json!({ "statement": self.author.to_json(), "placement": self.installer.to_json() });
        format!("{value:#}")
    }
}
