//! Entries of the log: what happened in the registry, as canonical JSON.
//!
//! An event of a public namespace is an entry as it is. Of a private namespace, the entry is only a
//! commitment to the event: whoever knows the event and the nonce can check it, and nobody else
//! learns anything from it.

use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use super::hash::TreeHash;
use crate::digest::{Sha256, Sha256Hasher};
use crate::registry::{Namespace, RegistryItemName, RegistryVersionName};
use crate::text::canonical;
use crate::trust::signed_data::{self, ClosedObject};
use crate::trust::{ClaimedTime, Fingerprint, SignedDataError};

/// The longest entry in bytes.
pub const MAX_ENTRY_BYTES: usize = 4096;
/// What a digest in an entry begins with.
const DIGEST_PREFIX: &str = "sha256:";

/// Something that happened in the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryEvent {
    /// A version was published.
    Publish(PublishEvent),
    /// A version was yanked.
    Yank(YankEvent),
    /// A key was registered for a namespace.
    KeyAdd(NamespaceKeyEvent),
    /// A key was removed from a namespace.
    KeyRemove(NamespaceKeyEvent),
}

/// The publication of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishEvent {
    /// The version.
    pub version: RegistryVersionName,
    /// The digest of the payload of the author's statement.
    pub statement: Sha256,
    /// The digest of the version's record.
    pub record: Sha256,
    /// When it was published.
    pub at: ClaimedTime,
}

/// The withdrawal of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YankEvent {
    /// The version.
    pub version: RegistryVersionName,
    /// When it was yanked.
    pub at: ClaimedTime,
}

/// A change of the keys of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceKeyEvent {
    /// The namespace.
    pub namespace: Namespace,
    /// The key.
    pub key: Fingerprint,
    /// When it was added or removed.
    pub at: ClaimedTime,
}

/// An entry of the log: a leaf of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogEntry {
    /// An event that everybody may read.
    Public(RegistryEvent),
    /// A commitment to an event of a private namespace.
    Sealed(EntryCommitment),
}

/// The digest of a nonce and an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryCommitment(Sha256);

/// Random bytes that keep an event from being guessed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EntryNonce([u8; 32]);

impl RegistryEvent {
    /// Returns its canonical bytes.
    pub fn payload(&self) -> Vec<u8> {
        canonical::to_text(&self.to_json()).into_bytes()
    }

    /// Returns it as JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Publish(event) => {
                let mut value = version_json("publish", &event.version, event.at);
                value["statement"] = format_digest(event.statement).into();
                value["record"] = format_digest(event.record).into();
                value
            }
            Self::Yank(event) => version_json("yank", &event.version, event.at),
            Self::KeyAdd(event) => key_json("key-add", event),
            Self::KeyRemove(event) => key_json("key-remove", event),
        }
    }

    /// Parses canonical bytes.
    pub fn parse(payload: &[u8]) -> Result<Self, SignedDataError> {
        match LogEntry::parse(payload)? {
            LogEntry::Public(event) => Ok(event),
            LogEntry::Sealed(_) => Err(SignedDataError("it is a sealed entry")),
        }
    }

    /// Parses JSON that may have been written in another order.
    pub fn from_json(value: &Value) -> Result<Self, SignedDataError> {
        match value.get("kind").and_then(Value::as_str) {
            Some("publish") => parse_publish(value).map(Self::Publish),
            Some("yank") => parse_yank(value).map(Self::Yank),
            Some("key-add") => parse_key_event(value).map(Self::KeyAdd),
            Some("key-remove") => parse_key_event(value).map(Self::KeyRemove),
            _ => Err(SignedDataError("it has an unknown kind")),
        }
    }

    /// Returns the namespace that it is about.
    pub fn namespace(&self) -> &Namespace {
        match self {
            Self::Publish(event) => &event.version.item.namespace,
            Self::Yank(event) => &event.version.item.namespace,
            Self::KeyAdd(event) | Self::KeyRemove(event) => &event.namespace,
        }
    }
}

fn version_json(kind: &str, version: &RegistryVersionName, at: ClaimedTime) -> Value {
    json!({
        "v": 1,
        "kind": kind,
        "type": version.item.kind.name(),
        "namespace": version.item.namespace.as_str(),
        "id": version.item.id.as_str(),
        "version": version.version.to_string(),
        "at": at.to_string(),
    })
}

fn key_json(kind: &str, event: &NamespaceKeyEvent) -> Value {
    json!({
        "v": 1,
        "kind": kind,
        "namespace": event.namespace.as_str(),
        "key": event.key.to_string(),
        "at": event.at.to_string(),
    })
}

fn parse_publish(value: &Value) -> Result<PublishEvent, SignedDataError> {
    const KEYS: [&str; 9] =
        ["v", "kind", "type", "namespace", "id", "version", "statement", "record", "at"];
    let fields = ClosedObject::new(value, &KEYS)?;
    fields.check_version(1)?;
    Ok(PublishEvent {
        version: parse_version_name(&fields)?,
        statement: parse_digest(fields.text("statement")?)?,
        record: parse_digest(fields.text("record")?)?,
        at: fields.parse("at")?,
    })
}

fn parse_yank(value: &Value) -> Result<YankEvent, SignedDataError> {
    const KEYS: [&str; 7] = ["v", "kind", "type", "namespace", "id", "version", "at"];
    let fields = ClosedObject::new(value, &KEYS)?;
    fields.check_version(1)?;
    Ok(YankEvent { version: parse_version_name(&fields)?, at: fields.parse("at")? })
}

fn parse_key_event(value: &Value) -> Result<NamespaceKeyEvent, SignedDataError> {
    let fields = ClosedObject::new(value, &["v", "kind", "namespace", "key", "at"])?;
    fields.check_version(1)?;
    Ok(NamespaceKeyEvent {
        namespace: fields.parse("namespace")?,
        key: fields.parse("key")?,
        at: fields.parse("at")?,
    })
}

fn parse_version_name(fields: &ClosedObject<'_>) -> Result<RegistryVersionName, SignedDataError> {
    let item = RegistryItemName {
        kind: fields.parse("type")?,
        namespace: fields.parse("namespace")?,
        id: fields.parse("id")?,
    };
    Ok(RegistryVersionName { item, version: fields.parse("version")? })
}

fn format_digest(digest: Sha256) -> String {
    format!("{DIGEST_PREFIX}{digest}")
}

fn parse_digest(text: &str) -> Result<Sha256, SignedDataError> {
    let digits = text.strip_prefix(DIGEST_PREFIX);
    signed_data::parse_text(digits.ok_or(SignedDataError("a digest begins with sha256:"))?)
}

impl LogEntry {
    /// Returns its canonical bytes, which are the leaf.
    pub fn payload(&self) -> Vec<u8> {
        match self {
            Self::Public(event) => event.payload(),
            Self::Sealed(commitment) => {
                let commitment = format_digest(commitment.0);
                let value = json!({ "v": 1, "kind": "sealed", "commitment": commitment });
                canonical::to_text(&value).into_bytes()
            }
        }
    }

    /// Parses a leaf.
    pub fn parse(payload: &[u8]) -> Result<Self, SignedDataError> {
        if payload.len() > MAX_ENTRY_BYTES {
            return Err(SignedDataError("it is too long"));
        }
        let value = signed_data::parse_canonical(payload)?;
        if value.get("kind").and_then(Value::as_str) != Some("sealed") {
            return RegistryEvent::from_json(&value).map(Self::Public);
        }
        let fields = ClosedObject::new(&value, &["v", "kind", "commitment"])?;
        fields.check_version(1)?;
        let commitment = parse_digest(fields.text("commitment")?)?;
        Ok(Self::Sealed(EntryCommitment(commitment)))
    }

    /// Computes the hash of the leaf.
    pub fn hash(&self) -> TreeHash {
        TreeHash::leaf(&self.payload())
    }
}

impl EntryCommitment {
    /// Commits to an event.
    pub fn new(event: &RegistryEvent, nonce: &EntryNonce) -> Self {
        let mut hasher = Sha256Hasher::default();
        hasher.update(&nonce.0);
        hasher.update(&event.payload());
        Self(hasher.digest())
    }

    /// Reports whether it commits to this event.
    pub fn is_opened_by(&self, event: &RegistryEvent, nonce: &EntryNonce) -> bool {
        *self == Self::new(event, nonce)
    }
}

impl EntryNonce {
    /// Takes 32 random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for EntryNonce {
    type Err = SignedDataError;

    fn from_str(text: &str) -> Result<Self, SignedDataError> {
        // It has the same spelling as a digest: 64 hexadecimal digits.
        signed_data::parse_text::<Sha256>(text).map(|bytes| Self(*bytes.as_bytes()))
    }
}

impl fmt::Display for EntryNonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EntryNonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EntryNonce")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISH: &str = "{\"at\":\"2026-01-31T23:59:59Z\",\"id\":\"jwt\",\"kind\":\"publish\",\
        \"namespace\":\"acme\",\"record\":\"sha256:\
        0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\",\"statement\":\"sha256:\
        fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210\",\"type\":\"tool\",\
        \"v\":1,\"version\":\"1.0.0\"}";
    const YANK: &str = "{\"at\":\"2026-01-31T23:59:59Z\",\"id\":\"jwt\",\"kind\":\"yank\",\
        \"namespace\":\"acme\",\"type\":\"tool\",\"v\":1,\"version\":\"1.0.0\"}";
    const KEY_ADD: &str = "{\"at\":\"2026-01-31T23:59:59Z\",\"key\":\
        \"SHA256:Ux/7fR3O16Cl8WSn7lBPixr0VnQ4FC16a0mr4XdhqQs\",\"kind\":\"key-add\",\
        \"namespace\":\"acme\",\"v\":1}";
    const SEALED: &str = "{\"commitment\":\"sha256:\
        0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\",\"kind\":\"sealed\",\
        \"v\":1}";

    #[test]
    fn an_entry_has_one_spelling() {
        let removed = KEY_ADD.replace("key-add", "key-remove");
        for text in [PUBLISH, YANK, KEY_ADD, &removed, SEALED] {
            let entry = LogEntry::parse(text.as_bytes()).expect("an entry");
            assert_eq!(String::from_utf8(entry.payload()).as_deref(), Ok(text));
            assert_eq!(entry.hash(), TreeHash::leaf(text.as_bytes()));
            if let LogEntry::Public(event) = &entry {
                assert_eq!(event.namespace().as_str(), "acme");
                assert_eq!(RegistryEvent::from_json(&event.to_json()).as_ref(), Ok(event));
            }
        }
        assert!(RegistryEvent::parse(SEALED.as_bytes()).is_err());
    }

    #[test]
    fn every_other_entry_is_refused() {
        for (text, from, to) in [
            (PUBLISH, "\"v\":1", "\"v\":2"),
            (PUBLISH, "\"v\":1", "\"v\":1.0"),
            (PUBLISH, "publish", "unpublish"),
            (PUBLISH, "\"tool\"", "\"memory\""),
            (PUBLISH, "acme", "Acme"),
            (PUBLISH, "\"jwt\"", "\"../jwt\""),
            (PUBLISH, "1.0.0", "1.0"),
            (PUBLISH, "sha256:0", "sha256:00"),
            (PUBLISH, "sha256:0", "sha512:0"),
            (PUBLISH, "23:59:59Z", "23:59:59+00:00"),
            (PUBLISH, "\"record\"", "\"more\""),
            (PUBLISH, ",\"v\"", ", \"v\""),
            (PUBLISH, "\"kind\"", "\"id\":\"jwt\",\"kind\""),
            (PUBLISH, "\"v\":1", "\"u\":1,\"v\":1"),
            (YANK, "\"v\":1", "\"statement\":\"\",\"v\":1"),
            (KEY_ADD, "SHA256:", "MD5:"),
            (SEALED, "sealed", "open"),
            (SEALED, "\"v\":1", "\"namespace\":\"acme\",\"v\":1"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text);
            assert!(LogEntry::parse(changed.as_bytes()).is_err(), "{changed}");
        }
        let long = format!("\"{}\"", "x".repeat(MAX_ENTRY_BYTES));
        assert!(LogEntry::parse(long.as_bytes()).is_err());
    }

    #[test]
    fn only_the_event_and_its_nonce_open_a_commitment() {
        let event = RegistryEvent::parse(PUBLISH.as_bytes()).expect("an event");
        let other = RegistryEvent::parse(YANK.as_bytes()).expect("an event");
        let nonce = EntryNonce::new([7; 32]);
        let commitment = EntryCommitment::new(&event, &nonce);
        let expected = Sha256::digest(&[&[7; 32], PUBLISH.as_bytes()].concat());
        assert_eq!(commitment, EntryCommitment(expected));
        assert!(commitment.is_opened_by(&event, &nonce));
        assert!(!commitment.is_opened_by(&other, &nonce));
        assert!(!commitment.is_opened_by(&event, &EntryNonce::new([8; 32])));
        assert_eq!(nonce.to_string().parse(), Ok(nonce));
        assert_eq!(format!("{nonce:?}"), "EntryNonce");
        let payload = LogEntry::Sealed(commitment).payload();
        assert_eq!(LogEntry::parse(&payload), Ok(LogEntry::Sealed(commitment)));
    }
}
