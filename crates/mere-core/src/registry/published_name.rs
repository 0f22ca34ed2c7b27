//! The names of published items and versions.
//!
//! An item of the registry is unique by its type, namespace and id; its category is not part of its
//! name. Memories are never published.

use std::fmt;
use std::str::FromStr;

use super::namespace::Namespace;
use crate::item::{ItemId, ItemType, Version};

/// The type of a published item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegistryType {
    /// A directive, or an Agent Skill.
    Directive,
    /// A tool.
    Tool,
    /// A knowledge entry.
    Knowledge,
    /// A lockfile.
    Lockfile,
}

/// A word or a type that names no published items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a registry has directive, tool, knowledge and lockfile items")]
pub struct RegistryTypeError;

impl RegistryType {
    /// All types, in the order they are shown.
    pub const ALL: [Self; 4] = [Self::Directive, Self::Tool, Self::Knowledge, Self::Lockfile];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        ItemType::from(self).name()
    }
}

impl From<RegistryType> for ItemType {
    fn from(kind: RegistryType) -> Self {
        match kind {
            RegistryType::Directive => Self::Directive,
            RegistryType::Tool => Self::Tool,
            RegistryType::Knowledge => Self::Knowledge,
            RegistryType::Lockfile => Self::Lockfile,
        }
    }
}

impl TryFrom<ItemType> for RegistryType {
    type Error = RegistryTypeError;

    fn try_from(kind: ItemType) -> Result<Self, RegistryTypeError> {
        let found = Self::ALL.into_iter().find(|known| ItemType::from(*known) == kind);
        found.ok_or(RegistryTypeError)
    }
}

impl FromStr for RegistryType {
    type Err = RegistryTypeError;

    /// Accepts the name only, so that a type has one spelling.
    fn from_str(text: &str) -> Result<Self, RegistryTypeError> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or(RegistryTypeError)
    }
}

impl fmt::Display for RegistryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An id in a namespace, written `NS/ID`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualifiedId {
    /// The namespace.
    pub namespace: Namespace,
    /// The id.
    pub id: ItemId,
}

/// A text that is not `NS/ID`, or `NS/ID@VERSION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of a published item reads `NAMESPACE/ID`, and of a version `NAMESPACE/ID@1.0.0`")]
pub struct PublishedNameError;

impl FromStr for QualifiedId {
    type Err = PublishedNameError;

    fn from_str(text: &str) -> Result<Self, PublishedNameError> {
        let (namespace, id) = text.split_once('/').ok_or(PublishedNameError)?;
        Ok(Self {
            namespace: namespace.parse().map_err(|_| PublishedNameError)?,
            id: id.parse().map_err(|_| PublishedNameError)?,
        })
    }
}

impl fmt::Display for QualifiedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.id)
    }
}

/// A qualified id with a version if one was named, written `NS/ID[@VERSION]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedReference {
    /// The id in its namespace.
    pub name: QualifiedId,
    /// The version, if one was named.
    pub version: Option<Version>,
}

impl FromStr for PublishedReference {
    type Err = PublishedNameError;

    fn from_str(text: &str) -> Result<Self, PublishedNameError> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version.parse().map_err(|_| PublishedNameError)?)),
            None => (text, None),
        };
        Ok(Self { name: name.parse()?, version })
    }
}

impl fmt::Display for PublishedReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)?;
        self.version.iter().try_for_each(|version| write!(f, "@{version}"))
    }
}

/// The name of a published item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryItemName {
    /// Its type.
    pub kind: RegistryType,
    /// Its namespace.
    pub namespace: Namespace,
    /// Its id.
    pub id: ItemId,
}

/// The name of a published version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegistryVersionName {
    /// The item.
    pub item: RegistryItemName,
    /// The version.
    pub version: Version,
}

impl RegistryItemName {
    /// Names an item of this type.
    pub fn new(kind: RegistryType, name: QualifiedId) -> Self {
        Self { kind, namespace: name.namespace, id: name.id }
    }

    /// Returns the name without its type.
    pub fn qualified_id(&self) -> QualifiedId {
        QualifiedId { namespace: self.namespace.clone(), id: self.id.clone() }
    }

    /// Names a version of the item.
    pub fn with_version(self, version: Version) -> RegistryVersionName {
        RegistryVersionName { item: self, version }
    }
}

impl fmt::Display for RegistryItemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind, self.namespace, self.id)
    }
}

impl fmt::Display for RegistryVersionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.item, self.version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_spelling() {
        for good in ["acme/jwt", "acme/jwt@1.0.0", "acme/jwt@1.0.0-rc.1+b.2"] {
            let parsed = good.parse::<PublishedReference>().map(|name| name.to_string());
            assert_eq!(parsed, Ok(good.to_owned()));
        }
        for bad in [
            "",
            "jwt",
            "acme/",
            "/jwt",
            "acme/a/b",
            "acme/jwt@",
            "acme/jwt@1",
            "acme@1.0.0/jwt",
            "Mere/jwt",
            "acme/con",
        ] {
            assert_eq!(bad.parse::<PublishedReference>(), Err(PublishedNameError), "{bad}");
        }
    }

    #[test]
    fn memories_are_not_published() {
        for kind in RegistryType::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(RegistryType::try_from(ItemType::from(kind)), Ok(kind));
        }
        assert!(RegistryType::try_from(ItemType::Memory).is_err());
        for bad in ["memory", "tools", "skill", "Tool", ""] {
            assert_eq!(bad.parse::<RegistryType>(), Err(RegistryTypeError), "{bad}");
        }
    }
}
