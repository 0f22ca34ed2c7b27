//! The category modes: how strictly a hierarchy of categories is enforced.
//!
//! The order of the modes is their strictness, so the stricter of two modes is their maximum.

use std::fmt;
use std::str::FromStr;

/// Who may create and delete categories. A later variant is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CategoryMode {
    /// Any category may be created and deleted.
    #[default]
    Free,
    /// Categories may be created and deleted only below a top category, which must be configured or
    /// already exist.
    Subcategories,
    /// No category may be created or deleted.
    Strict,
}

/// A word that is not a category mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a category mode is free, subcategories or strict")]
pub struct CategoryModeError;

impl CategoryMode {
    /// All modes, from the least to the most strict.
    pub const ALL: [Self; 3] = [Self::Free, Self::Subcategories, Self::Strict];

    /// Returns its name in the configuration.
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
