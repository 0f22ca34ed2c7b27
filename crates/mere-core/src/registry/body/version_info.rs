//! What is sent to publish a version, and what is answered about one.
//!
//! The record, the events and the envelope are signed or hashed, so they are parsed by their own
//! rules and not by those of serde.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::ApiBody;
use crate::log::{EntryDisclosure, LoggedEvent, RegistryEvent};
use crate::registry::VersionRecord;
use crate::registry::version_record::MAX_RECORD_BYTES;
use crate::text::json::StrictValue;
use crate::trust::signed_data::ClosedObject;
use crate::trust::{Envelope, PayloadType, SignedDataError};

/// What is sent to publish a version. The files were sent before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishRequest {
    /// The author's statement with its signatures.
    pub statement: Envelope,
}

/// A published version and its entries in the log. Publishing is answered with it, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionInfo {
    /// The record.
    pub record: VersionRecord,
    /// The event of its publication.
    pub published: LoggedEvent,
    /// The event by which it was yanked, if it was. Yanking is answered with a [`LoggedEvent`].
    pub yanked: Option<LoggedEvent>,
}

impl PublishRequest {
    fn to_json(&self) -> Value {
        json!({ "statement": self.statement.to_json() })
    }

    fn from_json(value: &Value) -> Result<Self, SignedDataError> {
        let fields = ClosedObject::new(value, &["statement"])?;
        let statement = Envelope::parse(fields.get("statement")?, PayloadType::Statement)?;
        Ok(Self { statement })
    }
}

impl LoggedEvent {
    fn to_json(&self) -> Value {
        let mut value = json!({
            "index": self.index,
            "entry": self.disclosure.event.to_json(),
        });
        if let Some(nonce) = &self.disclosure.nonce {
            value["nonce"] = nonce.to_string().into();
        }
        value
    }

    fn from_json(value: &Value) -> Result<Self, SignedDataError> {
        Self::from_fields(&ClosedObject::new(value, &["index", "entry", "nonce"])?)
    }

    fn from_fields(fields: &ClosedObject<'_>) -> Result<Self, SignedDataError> {
        let nonce = fields.get_optional("nonce").map(|_| fields.parse("nonce")).transpose()?;
        let event = RegistryEvent::from_json(fields.get("entry")?)?;
        let disclosure = EntryDisclosure { event, nonce };
        Ok(Self { index: fields.number("index")?, disclosure })
    }
}

impl VersionInfo {
    fn to_json(&self) -> Value {
        let mut value = self.published.to_json();
        value["record"] = self.record.to_json();
        value["yanked"] = self.yanked.as_ref().map_or(Value::Null, LoggedEvent::to_json);
        value
    }

    fn from_json(value: &Value) -> Result<Self, SignedDataError> {
        let fields = ClosedObject::new(value, &["record", "index", "entry", "nonce", "yanked"])?;
        let yanked = match fields.get("yanked")? {
            Value::Null => None,
            event => Some(LoggedEvent::from_json(event)?),
        };
        Ok(Self {
            record: VersionRecord::from_json(fields.get("record")?)?,
            published: LoggedEvent::from_fields(&fields)?,
            yanked,
        })
    }

    /// Checks that the events are about this record: its publication has its digests, and what was
    /// yanked is this version. Whether they are in the log is not checked.
    pub fn check_events(&self) -> Result<(), SignedDataError> {
        let wrong = SignedDataError("the entry of the log is about something else");
        let RegistryEvent::Publish(published) = &self.published.disclosure.event else {
            return Err(wrong);
        };
        let statement = crate::digest::Sha256::digest(self.record.statement.payload());
        let is_published = published.version == self.record.version
            && published.record == self.record.digest()
            && published.statement == statement
            && published.at == self.record.published;
        let is_yanked = self.yanked.as_ref().is_none_or(|yanked| {
            let event = &yanked.disclosure.event;
            matches!(event, RegistryEvent::Yank(event) if event.version == self.record.version)
                && yanked.index > self.published.index
        });
        if is_published && is_yanked { Ok(()) } else { Err(wrong) }
    }
}

impl ApiBody for PublishRequest {
    const MAX_BYTES: usize = MAX_RECORD_BYTES;
}

impl ApiBody for VersionInfo {
    const MAX_BYTES: usize = MAX_RECORD_BYTES + 64 * 1024;
}

impl ApiBody for LoggedEvent {
    const MAX_BYTES: usize = 16 * 1024;
}

/// Implements serde for a type that is parsed by its own rules.
macro_rules! serialize_as_json {
    ($($name:ident),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.to_json().serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let StrictValue(value) = StrictValue::deserialize(deserializer)?;
                Self::from_json(&value).map_err(D::Error::custom)
            }
        }
    )*};
}

serialize_as_json!(PublishRequest, VersionInfo, LoggedEvent);
