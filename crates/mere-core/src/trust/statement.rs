//! What an author says about an item, wherever it lies.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::closed::{self, Closed, FormError};
use crate::canonical;
use crate::digest::Sha256;
use crate::item::integrity::FileDigest;
use crate::item::{Category, ItemId, ItemType, Version};

/// When somebody says to have signed: their claim, which decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created(Timestamp);

impl Created {
    /// A moment, to the second.
    pub fn at(moment: Timestamp) -> Self {
        Self(Timestamp::from_second(moment.as_second()).unwrap_or_default())
    }
}

impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl FromStr for Created {
    type Err = FormError;

    fn from_str(text: &str) -> Result<Self, FormError> {
        let wrong = FormError("a time reads `2026-01-31T23:59:59Z`");
        let created = text.parse::<Timestamp>().map(Self::at).map_err(|_| wrong)?;
        if created.to_string() == text { Ok(created) } else { Err(wrong) }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// What the item is.
    pub kind: ItemType,
    /// Its id.
    pub id: ItemId,
    /// Its version.
    pub version: Version,
    /// Its category.
    pub category: Category,
    /// The canonical hash of its type.
    pub integrity: Sha256,
    /// Every file of it, in order of paths.
    pub files: Vec<FileDigest>,
    /// What runs it, if it is a tool.
    pub executor: Option<ItemId>,
    /// The author's claim.
    pub created: Created,
}

impl Statement {
    /// The bytes that are signed.
    pub fn payload(&self) -> Vec<u8> {
        let files = self.files.iter().map(|file| {
            json!({ "path": file.path, "sha256": file.sha256.to_string(), "size": file.size })
        });
        let mut value = json!({
            "v": 1,
            "type": self.kind.name(),
            "id": self.id.as_str(),
            "version": self.version.to_string(),
            "category": self.category.as_str(),
            "integrity": self.integrity.to_string(),
            "files": files.collect::<Vec<_>>(),
            "created": self.created.to_string(),
        });
        if let Some(executor) = &self.executor {
            value["executor"] = executor.as_str().into();
        }
        canonical::text(&value).into_bytes()
    }

    /// Reads signed bytes.
    pub fn parse(payload: &[u8]) -> Result<Self, FormError> {
        const KEYS: [&str; 9] =
            ["v", "type", "id", "version", "category", "integrity", "files", "executor", "created"];
        let value = closed::canonical(payload)?;
        let fields = Closed::of(&value, &KEYS)?;
        fields.version(1)?;
        let files = fields.list("files")?.iter().map(file).collect::<Result<Vec<_>, _>>()?;
        if !files.is_sorted_by(|one, next| one.path < next.path) || files.is_empty() {
            return Err(FormError("its files are not in order, or there are none"));
        }
        let executor = fields.find("executor").map(|_| fields.parsed("executor")).transpose()?;
        Ok(Self {
            kind: kind(fields.text("type")?)?,
            id: fields.parsed("id")?,
            version: fields.parsed("version")?,
            category: fields.parsed("category")?,
            integrity: fields.parsed("integrity")?,
            files,
            executor,
            created: fields.parsed("created")?,
        })
    }
}

/// A type by its own name: a statement uses no other words for it.
pub(super) fn kind(text: &str) -> Result<ItemType, FormError> {
    let kind = ItemType::ALL.into_iter().find(|kind| kind.name() == text);
    kind.ok_or(FormError("there is no such type"))
}

fn file(value: &Value) -> Result<FileDigest, FormError> {
    let fields = Closed::of(value, &["path", "sha256", "size"])?;
    Ok(FileDigest {
        path: fields.text("path")?.to_owned(),
        sha256: fields.parsed("sha256")?,
        size: fields.number("size")?,
    })
}
