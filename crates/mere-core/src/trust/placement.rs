//! Where an item lies, signed by whoever put it there.

use serde_json::{Value, json};

use super::closed::{self, ClosedObject, SignedDataError};
use super::statement::ClaimedTime;
use crate::canonical;
use crate::digest::Sha256;
use crate::item::{CategoryBase, ItemType, Scope};

/// A placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The digest of the statement's payload.
    pub statement: Sha256,
    /// Whose space.
    pub scope: Scope,
    /// Which space.
    pub space_id: String,
    /// The folder its category starts from: `tools`, or `.claude/skills`.
    pub base: String,
    /// Where it was pulled from, if it was.
    pub origin: Option<RegistryOrigin>,
    /// The installer's claim.
    pub created: ClaimedTime,
}

/// The version of a registry that an item came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryOrigin {
    /// Which registry.
    pub registry_id: String,
    /// Whose name there.
    pub namespace: String,
    /// Which version.
    pub version: String,
}

impl Placement {
    /// What `base` says for an item of a type.
    pub fn base_name(kind: ItemType, base: &CategoryBase) -> String {
        match base {
            CategoryBase::Space => kind.folder().to_owned(),
            CategoryBase::InPlace(folder) => folder.to_string(),
            // Memories are not signed; where one lay would have to be.
            CategoryBase::Store(store) => store.to_string(),
        }
    }

    /// The bytes that are signed.
    pub fn payload(&self) -> Vec<u8> {
        let origin = self.origin.as_ref().map(|origin| {
            json!({
                "registry_id": origin.registry_id,
                "namespace": origin.namespace,
                "version": origin.version,
            })
        });
        let value = json!({
            "v": 1,
            "statement": format!("sha256:{}", self.statement),
            "scope": self.scope.name(),
            "space_id": self.space_id,
            "base": self.base,
            "origin": origin,
            "created": self.created.to_string(),
        });
        canonical::to_text(&value).into_bytes()
    }

    /// Reads signed bytes.
    pub fn parse(payload: &[u8]) -> Result<Self, SignedDataError> {
        const KEYS: [&str; 7] =
            ["v", "statement", "scope", "space_id", "base", "origin", "created"];
        let value = closed::parse_canonical(payload)?;
        let fields = ClosedObject::new(&value, &KEYS)?;
        fields.check_version(1)?;
        let statement = fields.text("statement")?.strip_prefix("sha256:");
        Ok(Self {
            statement: closed::parse_text(
                statement.ok_or(SignedDataError("a digest begins with sha256:"))?,
            )?,
            scope: fields.parse("scope")?,
            space_id: fields.text("space_id")?.to_owned(),
            base: fields.text("base")?.to_owned(),
            origin: match fields.get("origin")? {
                Value::Null => None,
                origin => Some(RegistryOrigin::parse(origin)?),
            },
            created: fields.parse("created")?,
        })
    }
}

impl RegistryOrigin {
    fn parse(value: &Value) -> Result<Self, SignedDataError> {
        let fields = ClosedObject::new(value, &["registry_id", "namespace", "version"])?;
        Ok(Self {
            registry_id: fields.text("registry_id")?.to_owned(),
            namespace: fields.text("namespace")?.to_owned(),
            version: fields.text("version")?.to_owned(),
        })
    }
}
