//! The full name of an item of a space: its type, category and id, written `tool:api/deploy`.

use std::fmt;
use std::str::FromStr;

use super::{Category, ItemId, ItemRef, ItemType, ScopedPath};

/// The type, category and id of an item. It says nothing of a scope or a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemName {
    /// The type.
    pub kind: ItemType,
    /// The category; empty for none.
    pub category: Category,
    /// The id.
    pub id: ItemId,
}

/// A text that is not the name of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an item is named by its type, category and id, such as `tool:api/deploy`")]
pub struct ItemNameError;

impl ItemName {
    /// Returns the reference that means exactly this item in a scope.
    pub fn reference(&self) -> ItemRef {
        ItemRef { category: Some(self.category.clone()), id: self.id.clone(), version: None }
    }
}

impl From<&ScopedPath> for ItemName {
    fn from(place: &ScopedPath) -> Self {
        Self { kind: place.kind, category: place.category.clone(), id: place.id.clone() }
    }
}

impl FromStr for ItemName {
    type Err = ItemNameError;

    fn from_str(text: &str) -> Result<Self, ItemNameError> {
        let (kind, item) = text.split_once(':').ok_or(ItemNameError)?;
        let kind = ItemType::ALL.into_iter().find(|one| one.name() == kind).ok_or(ItemNameError)?;
        let ItemRef { category, id, version } = item.parse().map_err(|_| ItemNameError)?;
        if version.is_some() {
            return Err(ItemNameError);
        }
        // `tool:/x` would be a second spelling of `tool:x`, and a file could state both.
        if category.as_ref().is_some_and(Category::is_empty) {
            return Err(ItemNameError);
        }
        Ok(Self { kind, category: category.unwrap_or_default(), id })
    }
}

impl fmt::Display for ItemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.category.is_empty() { "" } else { "/" };
        write!(f, "{}:{}{slash}{}", self.kind.name(), self.category, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_prints_as_it_is_said() {
        for text in ["tool:api/deploy", "knowledge:style", "directive:a/b/c/d"] {
            assert_eq!(text.parse::<ItemName>().map(|name| name.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in [
            "",
            "tool",
            "tool:",
            ":x",
            "tools:x",
            "Tool:x",
            "tool:x@1.0.0",
            "tool:../x",
            "tool:/x",
            "tool:a//x",
            "tool: x",
            "tool:tool:x",
        ] {
            assert_eq!(text.parse::<ItemName>(), Err(ItemNameError), "{text:?}");
        }
    }
}
