//! Versions of items, by the rules of `SemVer` 2.0.
//!
//! A text that is not exactly a version is refused, never repaired.

use std::fmt;
use std::str::FromStr;

use super::bounds::{self, FieldExcess};
use crate::reply::Prose;

/// A version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(semver::Version);

/// The reason why a text is not a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// The text does not have the form of a version.
    #[error("a version is SemVer 2.0, such as 1.0.0")]
    Form,
    /// The text has so many bytes.
    #[error("{}", FieldExcess { bound: bounds::VERSION, found: *.0 })]
    TooLong(usize),
}

impl VersionError {
    /// Says what is wrong with the version of an item.
    pub(super) fn describe(self) -> Prose {
        match self {
            Self::Form => Prose::words("`version` is not SemVer"),
            Self::TooLong(_) => Prose::words(self.to_string()),
        }
    }
}

impl Version {
    /// Creates a version without pre-release and build parts.
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Self(semver::Version::new(major, minor, patch))
    }

    /// Returns the next version with another patch number, without pre-release and build parts.
    #[must_use]
    pub fn next_patch(&self) -> Self {
        Self::new(self.0.major, self.0.minor, self.0.patch.saturating_add(1))
    }

    /// Returns whether another version takes precedence over this one. Build metadata says nothing
    /// about that.
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.0.cmp_precedence(&other.0).is_lt()
    }

    /// Returns whether it comes before a release, such as `1.0.0-rc.1`.
    pub fn is_pre_release(&self) -> bool {
        !self.0.pre.is_empty()
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        if text.len() > bounds::VERSION.most {
            return Err(VersionError::TooLong(text.len()));
        }
        text.parse().map(Self).map_err(|_| VersionError::Form)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
