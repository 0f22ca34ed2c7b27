//! Placements: where an item lies, signed by whoever put it there.
//!
//! Parsing checks the form only; `verify` checks who signed and whether the location is right.

use serde_json::{Value, json};

use super::signed_data::{self, ClosedObject, SignedDataError};
use super::statement::ClaimedTime;
use crate::digest::Sha256;
use crate::item::{CategoryBase, ItemType, Scope};
use crate::text::canonical;

/// A placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The digest of the statement's payload.
    pub statement: Sha256,
    /// The scope of the space.
    pub scope: Scope,
    /// The id of the space.
    pub space_id: String,
    /// The folder that the category starts from, such as `tools` or `.claude/skills`.
    pub base: String,
    /// The registry version it was pulled from, if it came from a registry.
    pub origin: Option<RegistryOrigin>,
    /// When the installer claims to have signed.
    pub created: ClaimedTime,
}

/// The registry version that an item came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryOrigin {
    /// The id of the registry.
    pub registry_id: String,
    /// The namespace in that registry.
    pub namespace: String,
    /// The version there.
    pub version: String,
}

impl Placement {
    /// Returns the value of `base` for an item of this type.
    pub fn base_name(kind: ItemType, base: &CategoryBase) -> String {
        match base {
            CategoryBase::Space => kind.folder().to_owned(),
            CategoryBase::InPlace(folder) => folder.to_string(),
            // Memories are not signed. If one were, its store would have to be part of the
            // placement.
            CategoryBase::Store(store) => store.to_string(),
        }
    }

    /// Returns the bytes that are signed.
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

    /// Parses signed bytes.
    pub fn parse(payload: &[u8]) -> Result<Self, SignedDataError> {
        const KEYS: [&str; 7] =
            ["v", "statement", "scope", "space_id", "base", "origin", "created"];
        let value = signed_data::parse_canonical(payload)?;
        let fields = ClosedObject::new(&value, &KEYS)?;
        fields.check_version(1)?;
        let statement = fields.text("statement")?.strip_prefix("sha256:");
        Ok(Self {
            statement: signed_data::parse_text(
                statement.ok_or(SignedDataError("a digest begins with sha256:"))?,
            )?,
            scope: fields.parse("scope")?,
            space_id: parse_space_id(fields.text("space_id")?)?,
            base: fields.text("base")?.to_owned(),
            origin: match fields.get("origin")? {
                Value::Null => None,
                origin => Some(RegistryOrigin::parse(origin)?),
            },
            created: fields.parse("created")?,
        })
    }
}

/// Parses the id of a space. An empty text names none, and would be met by any space without an id.
fn parse_space_id(text: &str) -> Result<String, SignedDataError> {
    if text.is_empty() { Err(SignedDataError("a space has an id")) } else { Ok(text.to_owned()) }
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
