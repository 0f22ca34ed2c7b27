//! The steps of a search, each with a value of its own.
//!
//! [`question`] → [`candidates`] → [`ranking`] → [`located_hits`] → [`hits`] → [`reply`]. The other
//! modules are parts of finding the candidates: the slots that may be found, the posting lists of
//! the query's words, the scores of each segment, and the nearest vectors.

pub(crate) mod candidates;
mod filter;
pub(crate) mod hits;
pub(crate) mod located_hits;
mod nearest;
mod plan;
pub(crate) mod question;
pub(crate) mod ranking;
pub(crate) mod registry_hits;
mod related_entries;
pub(crate) mod reply;
mod segment_scores;
mod term_postings;
mod typo;
