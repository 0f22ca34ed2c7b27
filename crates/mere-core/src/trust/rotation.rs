//! One key in the place of another, signed by both.

use serde_json::json;

use super::closed::{self, ClosedObject, SignedDataError};
use super::envelope::{Envelope, PayloadType};
use super::key::PublicKey;
use super::statement::ClaimedTime;
use crate::canonical;
use crate::json;

/// A rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The key so far.
    pub old: PublicKey,
    /// The key from now on.
    pub new: PublicKey,
    /// The owner's claim.
    pub created: ClaimedTime,
}

impl Rotation {
    /// An envelope that nobody has signed yet.
    pub fn envelope(&self) -> Envelope {
        let value = json!({
            "v": 1,
            "old": self.old.to_string(),
            "new": self.new.to_string(),
            "created": self.created.to_string(),
        });
        Envelope::new(PayloadType::Rotation, canonical::to_text(&value).into_bytes())
    }

    /// Reads a rotation that both keys signed.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignedDataError> {
        let value =
            json::parse(bytes).map_err(|_| SignedDataError("it is not JSON with each key once"))?;
        let envelope = ClosedObject::new(&value, &["rotation"])?.get("rotation")?;
        let envelope = Envelope::parse(envelope, PayloadType::Rotation)?;
        let value = closed::parse_canonical(envelope.payload())?;
        let fields = ClosedObject::new(&value, &["v", "old", "new", "created"])?;
        fields.check_version(1)?;
        let (old, new) = (fields.parse("old")?, fields.parse("new")?);
        let rotation = Self { old, new, created: fields.parse("created")? };
        if rotation.old == rotation.new {
            return Err(SignedDataError("it puts a key in its own place"));
        }
        if !envelope.is_signed_by(&rotation.old) || !envelope.is_signed_by(&rotation.new) {
            return Err(SignedDataError("it is not signed by both keys"));
        }
        Ok(rotation)
    }

    /// As a signed envelope is written.
    pub fn to_file_text(envelope: &Envelope) -> String {
        format!("{:#}\n", json!({ "rotation": envelope.to_json() }))
    }
}
