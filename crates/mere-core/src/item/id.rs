//! Ids of items and paths of categories. An id is `[a-z0-9][a-z0-9_-]{0,63}`, which is safe on
//! every file system.

use std::fmt;
use std::str::FromStr;

/// The longest id in bytes.
const MAX_BYTES: usize = 64;
/// How many levels a category may have.
const MAX_LEVELS: usize = 8;
/// Names that some systems take for devices, and the name of a folder tool's manifest.
const RESERVED: [&str; 5] = ["con", "prn", "aux", "nul", "manifest"];

/// The id of an item, or one level of a category.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(String);

/// The reason why a text is not an id. The error never repeats the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// The text does not have the form of an id.
    #[error(
        "an id has 1 to 64 lower-case letters, digits, `_` or `-`, and begins with a letter or \
         digit"
    )]
    Form,
    /// The name is reserved.
    #[error("the name is reserved")]
    Reserved,
    /// The category has too many levels.
    #[error("a category has at most 8 levels")]
    Levels,
    /// The text after the `@` is not a version.
    #[error("a version is SemVer 2.0, such as 1.0.0")]
    Version,
}

impl ItemId {
    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ItemId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let allowed = |byte: u8| plain(byte) || matches!(byte, b'_' | b'-');
        let begins = text.bytes().next().is_some_and(plain);
        if !begins || text.len() > MAX_BYTES || !text.bytes().all(allowed) {
            return Err(IdError::Form);
        }
        if RESERVED.contains(&text) || is_device_port(text) {
            return Err(IdError::Reserved);
        }
        Ok(Self(text.to_owned()))
    }
}

/// Reports whether a text is `com1` to `com9` or `lpt1` to `lpt9`.
fn is_device_port(text: &str) -> bool {
    let number = text.strip_prefix("com").or_else(|| text.strip_prefix("lpt"));
    number.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The slash path between a type's folder and an item; empty if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Category(String);

impl Category {
    /// Returns the category as text, its levels joined by slashes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports whether this is the empty category.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the levels from the top down.
    pub fn levels(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|level| !level.is_empty())
    }

    /// Returns the first level alone.
    #[must_use]
    pub fn top(&self) -> Self {
        Self(self.0.split('/').next().unwrap_or_default().to_owned())
    }

    /// Returns the category it lies in, which is empty for a top category.
    #[must_use]
    pub fn parent(&self) -> Self {
        Self(self.0.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned())
    }

    /// Returns the category and all its ancestors, from the top down.
    pub fn self_and_ancestors(&self) -> Vec<Self> {
        let ends = self.0.match_indices('/').map(|(at, _)| at).chain([self.0.len()]);
        ends.map(|end| Self(self.0[..end].to_owned())).filter(|one| !one.is_empty()).collect()
    }

    /// Returns this category with one more level.
    pub fn child(&self, level: &ItemId) -> Result<Self, IdError> {
        if self.levels().count() >= MAX_LEVELS {
            return Err(IdError::Levels);
        }
        let slash = if self.is_empty() { "" } else { "/" };
        Ok(Self([&self.0, slash, level.as_str()].concat()))
    }

    /// Reports whether `other` is this category or lies below it.
    pub fn contains(&self, other: &Self) -> bool {
        let rest = other.0.strip_prefix(&self.0);
        rest.is_some_and(|rest| self.is_empty() || rest.is_empty() || rest.starts_with('/'))
    }
}

impl FromStr for Category {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        text.split('/')
            .try_fold(Self::default(), |category, level| category.child(&level.parse::<ItemId>()?))
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_accepted_or_refused() {
        for good in ["a", "20260124-api-patterns", "jwt_verifier", "com", "com10", "lpt0"] {
            assert_eq!(good.parse::<ItemId>().map(|id| id.to_string()), Ok(good.to_owned()));
        }
        for bad in ["", "-a", "_a", "A", "a.b", "a b", "é", "a/b", "..", &"a".repeat(65)] {
            assert_eq!(bad.parse::<ItemId>(), Err(IdError::Form), "{bad}");
        }
        for bad in ["con", "nul", "com1", "lpt9", "manifest"] {
            assert_eq!(bad.parse::<ItemId>(), Err(IdError::Reserved), "{bad}");
        }
    }

    #[test]
    fn categories_have_levels() {
        let category = |text: &str| text.parse::<Category>();
        assert_eq!(category("").map(|none| none.is_empty()), Ok(true));
        assert_eq!(category("api/auth").map(|c| c.levels().count()), Ok(2));
        for bad in ["/", "a/", "/a", "a//b", "a/../b", "A/b"] {
            assert!(category(bad).is_err(), "{bad}");
        }
        assert_eq!(category("a/b/c/d/e/f/g/h/i"), Err(IdError::Levels));
        let (api, auth) = (category("api").expect("api"), category("api/auth").expect("auth"));
        assert!(api.contains(&auth) && !auth.contains(&api) && api.contains(&api));
        assert!(!api.contains(&category("api2").expect("api2")));
        assert!(Category::default().contains(&api));
        assert_eq!(auth.self_and_ancestors(), [api.clone(), auth.clone()]);
        assert_eq!(
            (auth.top(), auth.parent(), api.parent()),
            (api.clone(), api, Category::default())
        );
        assert_eq!(Category::default().self_and_ancestors(), []);
    }
}
