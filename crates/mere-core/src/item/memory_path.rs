//! The path of a memory in its store: `category/…/slug`, or a slug alone.
//!
//! Nothing is repaired: a text that does not have this form is refused.

use std::fmt;
use std::str::FromStr;

use super::id::{Category, IdError, ItemId};

/// The path of a memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MemoryPath {
    /// Its category; empty for a memory without one.
    pub category: Category,
    /// Its id.
    pub slug: ItemId,
}

impl MemoryPath {
    /// Returns the category that would have the same path, if one is possible.
    pub fn as_category(&self) -> Option<Category> {
        self.category.child(&self.slug).ok()
    }

    /// Returns the name of its file.
    pub fn file_name(&self) -> String {
        format!("{}.md", self.slug)
    }
}

impl FromStr for MemoryPath {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let (category, slug) = match text.rsplit_once('/') {
            // A leading slash does not mean "no category": there is only one way to write that.
            Some(("", _)) => return Err(IdError::Form),
            Some((category, slug)) => (category.parse()?, slug),
            None => (Category::default(), text),
        };
        Ok(Self { category, slug: slug.parse()? })
    }
}

impl fmt::Display for MemoryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.category.is_empty() {
            write!(f, "{}/", self.category)?;
        }
        self.slug.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_categories_and_a_slug() {
        for (text, category) in [("a", ""), ("a/b", "a"), ("a/b/c", "a/b")] {
            let path = text.parse::<MemoryPath>().expect(text);
            assert_eq!((path.category.as_str(), path.to_string().as_str()), (category, text));
        }
        for bad in [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            "a/../b",
            "a/..",
            "a/.",
            "a.",
            "a /b",
            "A/b",
            "a/ä",
            "a\\b",
            "a/b.md",
            "con",
            "a/b/c/d/e/f/g/h/i/j",
        ] {
            assert!(bad.parse::<MemoryPath>().is_err(), "{bad}");
        }
    }
}
