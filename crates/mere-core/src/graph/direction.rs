//! Which way links are followed.

use std::fmt;
use std::str::FromStr;

/// The way of a link, seen from an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// The entry states it.
    Outgoing,
    /// Another entry states it.
    Incoming,
    /// Either: what is asked for if nothing is, and what a symmetric relation is.
    #[default]
    Both,
}

/// A word that names no direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a direction is outgoing, incoming or both")]
pub struct DirectionError;

impl Direction {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Outgoing, Self::Incoming, Self::Both];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Outgoing => "outgoing",
            Self::Incoming => "incoming",
            Self::Both => "both",
        }
    }

    /// Whether whoever asks for this direction wants that one. Symmetric links go every way.
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
