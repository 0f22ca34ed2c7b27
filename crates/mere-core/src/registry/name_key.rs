//! When two names are the same, and when they only look the same.
//!
//! `-` and `_` are equal in names of the registry: two names with one [`NameKey`] are one name. Two
//! names with one [`NameSkeleton`] and different keys look alike, and the second is refused.

use std::fmt;

use crate::item::ItemId;

/// Groups of characters that look like another one. The longer ones come first.
const LOOKALIKES: [(&str, &str); 5] =
    [("rn", "m"), ("vv", "w"), ("i", "1"), ("l", "1"), ("o", "0")];

/// What names are compared by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameKey(String);

/// What names look like.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameSkeleton(String);

impl NameKey {
    pub(super) fn new(name: &str) -> Self {
        Self(name.replace('_', "-"))
    }

    /// Returns the key of an item's id.
    pub fn of_item(id: &ItemId) -> Self {
        Self::new(id.as_str())
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NameSkeleton {
    /// Returns the skeleton of a namespace. Everybody may ask for a namespace, so a name that
    /// differs only in its separators looks the same, too.
    pub(super) fn of_namespace(name: &str) -> Self {
        Self(fold_lookalikes(&name.replace(['-', '_'], "")))
    }

    /// Returns the skeleton of an item's id. All items of a namespace have one owner, who may tell
    /// `section-1-11` from `section-11-1`: separators count.
    pub fn of_item(id: &ItemId) -> Self {
        Self(fold_lookalikes(NameKey::of_item(id).as_str()))
    }

    /// Returns the skeleton as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Replaces what looks alike by one spelling.
fn fold_lookalikes(name: &str) -> String {
    LOOKALIKES.iter().fold(name.to_owned(), |name, (seen, meant)| name.replace(seen, meant))
}

impl fmt::Display for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NameSkeleton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_equal_in_a_key() {
        assert_eq!(NameKey::new("a_b-c"), NameKey::new("a-b_c"));
        assert_ne!(NameKey::new("a-b"), NameKey::new("ab"));
        assert_ne!(NameKey::new("l"), NameKey::new("1"));
    }

    #[test]
    fn what_looks_alike_has_one_skeleton() {
        let namespace = NameSkeleton::of_namespace;
        for (one, other) in [
            ("paypal", "paypa1"),
            ("google", "g00g1e"),
            ("inline", "lnllne"),
            ("modern", "modem"),
            ("wave", "vvave"),
            ("acme-corp", "acmecorp"),
            ("acme_corp", "acme-corp"),
            // A separator between two letters hides nothing.
            ("m", "r-n"),
        ] {
            assert_eq!(namespace(one), namespace(other), "{one} {other}");
        }
        for (one, other) in [("acme", "acne"), ("a", "aa"), ("b8", "88"), ("sam", "5am")] {
            assert_ne!(namespace(one), namespace(other), "{one} {other}");
        }
    }

    #[test]
    fn the_separators_of_an_id_count() {
        let item = |id: &str| NameSkeleton::of_item(&id.parse().expect("an id"));
        assert_ne!(item("section-1-11"), item("section-11-1"));
        assert_eq!(item("section_1"), item("section-l"));
    }
}
