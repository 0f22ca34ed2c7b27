//! References to items as people write them: `id`, `category/id` or `/id`, each with `@version` for
//! a lockfile.

use std::fmt;
use std::str::FromStr;

use super::id::{Category, IdError, ItemId};
use super::version::Version;

/// A reference to an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemRef {
    /// Its category. `None` means any category; the empty one means that the item has none.
    pub category: Option<Category>,
    /// Its id.
    pub id: ItemId,
    /// The version a lockfile is for.
    pub version: Option<Version>,
}

impl FromStr for ItemRef {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let (place, version) = match text.split_once('@') {
            Some((place, version)) => (place, Some(version.parse().map_err(|_| IdError::Version)?)),
            None => (text, None),
        };
        let (category, id) = match place.rsplit_once('/') {
            Some((category, id)) => (Some(category.parse()?), id),
            None => (None, place),
        };
        Ok(Self { category, id: id.parse()?, version })
    }
}

impl fmt::Display for ItemRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(category) = &self.category {
            write!(f, "{category}/")?;
        }
        self.id.fmt(f)?;
        self.version.as_ref().map_or(Ok(()), |version| write!(f, "@{version}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_prints_as_it_is_said() {
        for (text, category) in [
            ("jwt", None),
            ("/jwt", Some("")),
            ("api/auth/jwt", Some("api/auth")),
            ("jwt@1.2.0", None),
            ("/jwt@1.2.0-rc.1+b", Some("")),
            ("api/jwt@1.2.0", Some("api")),
        ] {
            let reference = text.parse::<ItemRef>().expect(text);
            assert_eq!(reference.category.as_ref().map(Category::as_str), category, "{text}");
            assert_eq!(reference.to_string(), text);
        }
        for (text, error) in [
            ("", IdError::Form),
            ("/", IdError::Form),
            ("api/", IdError::Form),
            ("//jwt", IdError::Form),
            ("/api/jwt", IdError::Form),
            ("api/nul", IdError::Reserved),
            ("jwt@", IdError::Version),
            ("jwt@1.2", IdError::Version),
            ("jwt@1.2.0@1.2.0", IdError::Version),
            ("a/b/c/d/e/f/g/h/i/jwt", IdError::Levels),
        ] {
            assert_eq!(text.parse::<ItemRef>(), Err(error), "{text}");
        }
    }
}
