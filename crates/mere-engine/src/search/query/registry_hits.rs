//! What a registry answered to a search.
//!
//! Its hits are only what the registry says: nothing of them is checked before they are installed.

use mere_core::item::ItemType;
use mere_core::reply::Fields;

use super::hits::Hit;

/// What became of asking a registry.
pub(crate) enum RegistryAnswer {
    /// It was not to be asked.
    NotAsked,
    /// There is none.
    NotConfigured,
    /// It did not answer; the sentence says so.
    Unavailable(String),
    /// It answered.
    Found {
        hits: Vec<RegistryHit>,
        /// How many matches there are.
        total: u64,
    },
}

/// An item of a registry.
pub(crate) struct RegistryHit {
    pub(crate) kind: ItemType,
    pub(crate) fields: Fields,
}

impl RegistryAnswer {
    /// Returns the sentence about a registry that did not answer.
    pub(super) fn note(&self, searched: &str) -> Option<String> {
        match self {
            Self::NotAsked | Self::Found { .. } => None,
            Self::NotConfigured => Some(format!("No registry is configured: {searched}.")),
            Self::Unavailable(why) => Some(format!("{why}: {searched}.")),
        }
    }

    /// Returns whether a registry was to be asked, and did not answer.
    pub(super) fn is_unavailable(&self) -> bool {
        matches!(self, Self::NotConfigured | Self::Unavailable(_))
    }

    /// Returns how many matches it has.
    pub(super) fn total(&self) -> u64 {
        match self {
            Self::Found { total, .. } => *total,
            _ => 0,
        }
    }

    /// Returns the number of hits.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Found { hits, .. } => hits.len(),
            _ => 0,
        }
    }

    /// Leaves out hits beyond this number.
    pub(crate) fn limit_to(self, most: usize) -> Self {
        match self {
            Self::Found { mut hits, total } => {
                hits.truncate(most);
                Self::Found { hits, total }
            }
            other => other,
        }
    }

    /// Returns its hits as they stand in the reply.
    pub(super) fn into_hits(self) -> Vec<Hit> {
        let hits = match self {
            Self::Found { hits, .. } => hits,
            _ => Vec::new(),
        };
        hits.into_iter().map(|hit| Hit { kind: hit.kind, fields: hit.fields }).collect()
    }
}
