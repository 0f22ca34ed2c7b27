//! Version records: what a registry says about one version. The log has the digest of it.

use serde_json::{Value, json};

use super::published_name::{RegistryItemName, RegistryVersionName};
use crate::digest::Sha256;
use crate::item::ItemId;
use crate::text::canonical;
use crate::trust::signed_data::{self, ClosedObject};
use crate::trust::{ClaimedTime, Envelope, PayloadType, SignedDataError, Statement};

/// The size of the largest record in bytes: a statement lists all files of an item.
pub const MAX_RECORD_BYTES: usize = 2 * 1024 * 1024;

/// What a registry says about one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRecord {
    /// The version.
    pub version: RegistryVersionName,
    /// The author's statement with its signatures.
    pub statement: Envelope,
    /// What the item is called.
    pub name: String,
    /// What the item is for.
    pub description: String,
    /// The tool that runs it, if it is a tool.
    pub executor: Option<ItemId>,
    /// When it was published.
    pub published: ClaimedTime,
}

impl VersionRecord {
    /// Returns its canonical bytes.
    pub fn payload(&self) -> Vec<u8> {
        canonical::to_text(&self.to_json()).into_bytes()
    }

    /// Computes the digest that the log has.
    pub fn digest(&self) -> Sha256 {
        Sha256::digest(&self.payload())
    }

    /// Returns it as JSON.
    pub fn to_json(&self) -> Value {
        let RegistryVersionName { item, version } = &self.version;
        let mut value = json!({
            "v": 1,
            "type": item.kind.name(),
            "namespace": item.namespace.as_str(),
            "id": item.id.as_str(),
            "version": version.to_string(),
            "statement": self.statement.to_json(),
            "name": self.name,
            "description": self.description,
            "published": self.published.to_string(),
        });
        if let Some(executor) = &self.executor {
            value["executor"] = executor.as_str().into();
        }
        value
    }

    /// Parses canonical bytes.
    pub fn parse(payload: &[u8]) -> Result<Self, SignedDataError> {
        if payload.len() > MAX_RECORD_BYTES {
            return Err(SignedDataError("it is too long"));
        }
        let record = Self::from_json(&signed_data::parse_canonical(payload)?)?;
        // The envelope inside could still be spelled in several ways.
        if record.payload() == payload {
            Ok(record)
        } else {
            Err(SignedDataError("it is not canonical JSON"))
        }
    }

    /// Parses JSON that may have been written in another order.
    pub fn from_json(value: &Value) -> Result<Self, SignedDataError> {
        const KEYS: [&str; 10] = [
            "v",
            "type",
            "namespace",
            "id",
            "version",
            "statement",
            "name",
            "description",
            "executor",
            "published",
        ];
        let fields = ClosedObject::new(value, &KEYS)?;
        fields.check_version(1)?;
        let executor =
            fields.get_optional("executor").map(|_| fields.parse("executor")).transpose()?;
        let item = RegistryItemName {
            kind: fields.parse("type")?,
            namespace: fields.parse("namespace")?,
            id: fields.parse("id")?,
        };
        Ok(Self {
            version: item.with_version(fields.parse("version")?),
            statement: Envelope::parse(fields.get("statement")?, PayloadType::Statement)?,
            name: fields.text("name")?.to_owned(),
            description: fields.text("description")?.to_owned(),
            executor,
            published: fields.parse("published")?,
        })
    }

    /// Parses the author's statement, which must be about this version. Who signed it is not
    /// checked.
    pub fn parse_statement(&self) -> Result<Statement, SignedDataError> {
        let statement = Statement::parse(self.statement.payload())?;
        let RegistryVersionName { item, version } = &self.version;
        let is_same = statement.kind == item.kind.into()
            && statement.id == item.id
            && statement.version == *version
            && statement.executor == self.executor;
        if is_same { Ok(statement) } else { Err(SignedDataError("it is about another version")) }
    }
}
