//! The direction in which links are followed.

use std::fmt;
use std::str::FromStr;

/// The direction of a link, seen from an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The entry states it.
    Outgoing,
    /// Another entry states it.
    Incoming,
    /// Either direction: the default of a walk, and the direction of a symmetric relation.
    #[default]
    Both,
}

/// The error that a word does not name a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a direction is outgoing, incoming or both")]
pub struct DirectionError;

impl Direction {
    /// All directions.
    pub const ALL: [Self; 3] = [Self::Outgoing, Self::Incoming, Self::Both];

    /// Returns the direction's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outgoing => "outgoing",
            Self::Incoming => "incoming",
            Self::Both => "both",
        }
    }

    /// Checks whether a walk in this direction follows that one. Symmetric links are always
    /// followed.
    pub(super) fn accepts(self, other: Self) -> bool {
        self == other || self == Self::Both || other == Self::Both
    }
}

impl FromStr for Direction {
    type Err = DirectionError;

    fn from_str(text: &str) -> Result<Self, DirectionError> {
        Self::ALL.into_iter().find(|direction| direction.name() == text).ok_or(DirectionError)
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
