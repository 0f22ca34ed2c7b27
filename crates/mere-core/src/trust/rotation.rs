//! Key rotations: one key replaces another, signed by both.
//!
//! A rotation that is not signed by both keys cannot be parsed.

use serde_json::json;

use super::envelope::{Envelope, PayloadType};
use super::key::PublicKey;
use super::signed_data::{self, ClosedObject, SignedDataError};
use super::statement::ClaimedTime;
use crate::text::{canonical, json};

/// The replacement of one key by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The old key.
    pub old: PublicKey,
    /// The new key.
    pub new: PublicKey,
    /// When the owner claims to have signed.
    pub created: ClaimedTime,
}

impl Rotation {
    /// Creates an envelope that nobody has signed yet.
    pub fn envelope(&self) -> Envelope {
        let value = json!({
            "v": 1,
            "old": self.old.to_string(),
            "new": self.new.to_string(),
            "created": self.created.to_string(),
        });
        Envelope::new(PayloadType::Rotation, canonical::to_text(&value).into_bytes())
    }

    /// Parses a rotation that must be signed by both keys.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignedDataError> {
        let value = json::parse(bytes)
            .map_err(|_| SignedDataError("it is not valid JSON without duplicate keys"))?;
        let envelope = ClosedObject::new(&value, &["rotation"])?.get("rotation")?;
        let envelope = Envelope::parse(envelope, PayloadType::Rotation)?;
        let value = signed_data::parse_canonical(envelope.payload())?;
        let fields = ClosedObject::new(&value, &["v", "old", "new", "created"])?;
        fields.check_version(1)?;
        let (old, new) = (fields.parse("old")?, fields.parse("new")?);
        let rotation = Self { old, new, created: fields.parse("created")? };
        if rotation.old == rotation.new {
            return Err(SignedDataError("it replaces a key with itself"));
        }
        if !envelope.is_signed_by(&rotation.old) || !envelope.is_signed_by(&rotation.new) {
            return Err(SignedDataError("it is not signed by both keys"));
        }
        Ok(rotation)
    }

    /// Formats a signed envelope as the text of a rotation file.
    pub fn to_file_text(envelope: &Envelope) -> String {
        format!("{:#}\n", json!({ "rotation": envelope.to_json() }))
    }
}
