//! The file beside an item that holds both signatures.
//!
//! `<file>.sig`, or `.sig` in the folder of a folder item. It ends with its last brace: whatever is
//! cut off, it is no sidecar any more.

use serde_json::json;

use super::closed::{Closed, FormError};
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
        Self::placing(author, statement, placement)
    }

    /// A statement that somebody signed, and a placement that nobody has signed yet.
    pub fn placing(author: Envelope, statement: Statement, placement: Placement) -> Self {
        let placement = Placement { statement: Sha256::of(author.payload()), ..placement };
        let installer = Envelope::new(PayloadType::Placement, placement.payload());
        Self { author, installer, statement, placement }
    }

    /// Reads a sidecar.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormError> {
        let value =
            json::parse(bytes).map_err(|_| FormError("it is not JSON with each key once"))?;
        let fields = Closed::of(&value, &["statement", "placement"])?;
        let author = Envelope::parse(fields.get("statement")?, PayloadType::Statement)?;
        let installer = Envelope::parse(fields.get("placement")?, PayloadType::Placement)?;
        let statement = Statement::parse(author.payload())?;
        let placement = Placement::parse(installer.payload())?;
        if placement.statement != Sha256::of(author.payload()) {
            return Err(FormError("the placement is of another statement"));
        }
        Ok(Self { author, installer, statement, placement })
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let value =
            json!({ "statement": self.author.value(), "placement": self.installer.value() });
        format!("{value:#}")
    }
}
