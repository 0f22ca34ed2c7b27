//! Namespaces: who a published item belongs to.

use std::fmt;
use std::str::FromStr;

use super::name_key::{NameKey, NameSkeleton};

/// The longest name in bytes.
const MAX_BYTES: usize = 64;

/// Names that nobody may take, nor anything that looks like one of them. They are those of the
/// interface itself, of scopes, and of people who would be believed. The list may grow: it is asked
/// when a namespace is created, and never when one is read, so that what the log has stays readable.
const RESERVED: [&str; 35] = [
    "admin",
    "administrator",
    "anonymous",
    "api",
    "auth",
    "blob",
    "blobs",
    "builtin",
    "everyone",
    "item",
    "items",
    "latest",
    "local",
    "log",
    "login",
    "mere",
    "merestone",
    "namespace",
    "namespaces",
    "none",
    "null",
    "official",
    "project",
    "public",
    "registry",
    "root",
    "search",
    "security",
    "self",
    "static",
    "support",
    "system",
    "user",
    "witness",
    "www",
];

/// The name of a namespace: `[a-z0-9][a-z0-9_-]{0,63}`.
///
/// Two spellings with the same [`Namespace::key`] are one namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace(String);

/// The name of a namespace that may be created: one that is not reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNamespace(Namespace);

/// The reason why a text is not a namespace, or not one that may be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamespaceError {
    /// The text does not have the form of a namespace.
    #[error(
        "a namespace has 1 to 64 lower-case letters, digits, `_` or `-`, and begins with a letter \
         or digit"
    )]
    Form,
    /// The name is reserved, or looks like one that is.
    #[error("the namespace is reserved")]
    Reserved,
}

impl Namespace {
    /// Returns the namespace as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns what it is compared by.
    pub fn key(&self) -> NameKey {
        NameKey::new(&self.0)
    }

    /// Returns what it looks like. No two namespaces of a registry may look the same.
    pub fn skeleton(&self) -> NameSkeleton {
        NameSkeleton::of_namespace(&self.0)
    }

    /// Reports whether another spelling names the same namespace.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl FromStr for Namespace {
    type Err = NamespaceError;

    fn from_str(text: &str) -> Result<Self, NamespaceError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let allowed = |byte: u8| plain(byte) || matches!(byte, b'_' | b'-');
        let begins = text.bytes().next().is_some_and(plain);
        if !begins || text.len() > MAX_BYTES || !text.bytes().all(allowed) {
            return Err(NamespaceError::Form);
        }
        Ok(Self(text.to_owned()))
    }
}

impl NewNamespace {
    /// Returns the name.
    pub fn as_namespace(&self) -> &Namespace {
        &self.0
    }
}

impl FromStr for NewNamespace {
    type Err = NamespaceError;

    fn from_str(text: &str) -> Result<Self, NamespaceError> {
        let name = text.parse::<Namespace>()?;
        let skeleton = name.skeleton();
        if RESERVED.iter().any(|name| NameSkeleton::of_namespace(name) == skeleton) {
            return Err(NamespaceError::Reserved);
        }
        Ok(Self(name))
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_are_accepted_or_refused() {
        for good in ["a", "acme", "acme-corp", "acme_corp", "0x", &"a".repeat(64)] {
            assert_eq!(good.parse::<Namespace>().map(|one| one.to_string()), Ok(good.to_owned()));
            let new = good.parse::<NewNamespace>();
            assert_eq!(new.map(|one| one.as_namespace().to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "-a", "_a", "Acme", "a.b", "a/b", "a b", "ä", "a\n", &"a".repeat(65)] {
            assert_eq!(bad.parse::<Namespace>(), Err(NamespaceError::Form), "{bad}");
            assert_eq!(bad.parse::<NewNamespace>(), Err(NamespaceError::Form), "{bad}");
        }
    }

    #[test]
    fn a_reserved_name_cannot_be_taken_in_any_disguise_and_can_be_read() {
        for bad in [
            "mere",
            "merestone",
            "mere-stone",
            "merest0ne",
            "adm1n",
            "ad-min",
            "adrnin",
            "vvvvvv",
            "1og",
        ] {
            assert_eq!(bad.parse::<NewNamespace>(), Err(NamespaceError::Reserved), "{bad}");
            assert!(bad.parse::<Namespace>().is_ok(), "{bad}: an old log may have it");
        }
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn both_separators_name_one_namespace() {
        let [one, other, third] =
            ["my_team", "my-team", "myteam"].map(|name| name.parse::<Namespace>().expect("a name"));
        assert!(one.is_same_as(&other) && !one.is_same_as(&third));
        assert_eq!(one.skeleton(), third.skeleton());
        assert_ne!(one, other);
    }
}
