//! How strictly a hierarchy of categories holds.

use std::fmt;
use std::str::FromStr;

/// Who may make and delete categories. Later is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CategoryMode {
    /// Any category may be made and deleted.
    #[default]
    Free,
    /// Only below the top: a top category is in the configuration, or is there already.
    Subcategories,
    /// None may be made or deleted.
    Strict,
}

/// A word that names no mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a category mode is free, subcategories or strict")]
pub struct CategoryModeError;

impl CategoryMode {
    /// All of them, the strictest last.
    pub const ALL: [Self; 3] = [Self::Free, Self::Subcategories, Self::Strict];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Subcategories => "subcategories",
            Self::Strict => "strict",
        }
    }
}

impl FromStr for CategoryMode {
    type Err = CategoryModeError;

    fn from_str(text: &str) -> Result<Self, CategoryModeError> {
        Self::ALL.into_iter().find(|mode| mode.name() == text).ok_or(CategoryModeError)
    }
}

impl fmt::Display for CategoryMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
