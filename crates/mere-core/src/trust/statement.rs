//! Statements: what an author signs about an item, wherever it lies.
//!
//! The scope and the space are not part of a statement; they belong to the placement. Parsing
//! checks the form only.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::signed_data::{self, ClosedObject, SignedDataError};
use crate::digest::Sha256;
use crate::item::integrity::FileDigest;
use crate::item::{Category, ItemId, ItemType, Version};
use crate::text::canonical;

/// When somebody claims to have signed. Nothing is decided by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimedTime(Timestamp);

impl ClaimedTime {
    /// Creates it from a timestamp, cut to the second.
    pub fn from_timestamp(moment: Timestamp) -> Self {
        Self(Timestamp::from_second(moment.as_second()).unwrap_or_default())
    }

    /// Reports whether somebody claims to have signed later than somebody else. This orders what is
    /// shown, and decides nothing.
    pub fn is_later_than(self, other: Self) -> bool {
        self.0 > other.0
    }
}

impl fmt::Display for ClaimedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.strftime("%Y-%m-%dT%H:%M:%SZ"))
    }
}

impl FromStr for ClaimedTime {
    type Err = SignedDataError;

    fn from_str(text: &str) -> Result<Self, SignedDataError> {
        let wrong = SignedDataError("a time reads `2026-01-31T23:59:59Z`");
        let created = text.parse::<Timestamp>().map(Self::from_timestamp).map_err(|_| wrong)?;
        if created.to_string() == text { Ok(created) } else { Err(wrong) }
    }
}

/// An author's statement about an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The type of the item.
    pub kind: ItemType,
    /// Its id.
    pub id: ItemId,
    /// Its version.
    pub version: Version,
    /// Its category.
    pub category: Category,
    /// Its canonical hash.
    pub integrity: Sha256,
    /// All its files, sorted by path.
    pub files: Vec<FileDigest>,
    /// The tool that runs it, if it is a tool.
    pub executor: Option<ItemId>,
    /// When the author claims to have signed.
    pub created: ClaimedTime,
}

impl Statement {
    /// Returns the bytes that are signed.
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
        canonical::to_text(&value).into_bytes()
    }

    /// Parses signed bytes.
    pub fn parse(payload: &[u8]) -> Result<Self, SignedDataError> {
        const KEYS: [&str; 9] =
            ["v", "type", "id", "version", "category", "integrity", "files", "executor", "created"];
        let value = signed_data::parse_canonical(payload)?;
        let fields = ClosedObject::new(&value, &KEYS)?;
        fields.check_version(1)?;
        let files = fields.list("files")?.iter().map(parse_file).collect::<Result<Vec<_>, _>>()?;
        if !files.is_sorted_by(|one, next| one.path < next.path) || files.is_empty() {
            return Err(SignedDataError("its list of files is empty or not sorted"));
        }
        let executor =
            fields.get_optional("executor").map(|_| fields.parse("executor")).transpose()?;
        Ok(Self {
            kind: parse_item_type(fields.text("type")?)?,
            id: fields.parse("id")?,
            version: fields.parse("version")?,
            category: fields.parse("category")?,
            integrity: fields.parse("integrity")?,
            files,
            executor,
            created: fields.parse("created")?,
        })
    }
}

/// Parses the name of an item type. A statement accepts no other words for it.
pub(super) fn parse_item_type(text: &str) -> Result<ItemType, SignedDataError> {
    let kind = ItemType::ALL.into_iter().find(|kind| kind.name() == text);
    kind.ok_or(SignedDataError("there is no such type"))
}

fn parse_file(value: &Value) -> Result<FileDigest, SignedDataError> {
    let fields = ClosedObject::new(value, &["path", "sha256", "size"])?;
    Ok(FileDigest {
        path: fields.text("path")?.to_owned(),
        sha256: fields.parse("sha256")?,
        size: fields.number("size")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_statement_are_sorted_and_named_once() {
        let file = |path: &str| FileDigest {
            path: path.to_owned(),
            sha256: Sha256::digest(path.as_bytes()),
            size: 1,
        };
        let statement = |paths: &[&str]| Statement {
            kind: ItemType::Tool,
            id: "jwt".parse().expect("an id"),
            version: "1.2.0".parse().expect("a version"),
            category: Category::default(),
            integrity: Sha256::digest(b""),
            files: paths.iter().map(|path| file(path)).collect(),
            executor: None,
            created: ClaimedTime::from_timestamp(Timestamp::UNIX_EPOCH),
        };
        for paths in [&["a"][..], &["a", "b"], &["a", "b", "c"]] {
            let statement = statement(paths);
            assert_eq!(Statement::parse(&statement.payload()), Ok(statement));
        }
        for paths in [&[][..], &["b", "a"], &["a", "a"], &["a", "b", "b"]] {
            assert!(Statement::parse(&statement(paths).payload()).is_err(), "{paths:?}");
        }
    }
}
