//! The results found so far, and where a page begins and ends.
//!
//! Nothing beyond the end of the page is kept for long, so memory depends on the page.

use super::Weight;
use crate::world::Omitted;

/// Where a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// After this key.
    After(String),
    /// At this key, because the previous page ended early.
    From(String),
}

impl Position {
    /// Encodes the position for a cursor.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::After(key) => format!("a{key}"),
            Self::From(key) => format!("f{key}"),
        }
    }

    /// Decodes a position from a cursor.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        match text.split_at_checked(1)? {
            ("a", key) => Some(Self::After(key.to_owned())),
            ("f", key) => Some(Self::From(key.to_owned())),
            _ => None,
        }
    }

    /// Returns the key of the position.
    pub(crate) fn key(&self) -> &str {
        let (Self::After(key) | Self::From(key)) = self;
        key
    }

    /// Checks whether the page that begins here may contain the key.
    pub(super) fn admits(&self, key: &str) -> bool {
        match self {
            Self::After(start) => key > start.as_str(),
            Self::From(start) => key >= start.as_str(),
        }
    }

    /// Checks whether it may contain anything below a folder, whose key ends with the separator.
    pub(super) fn admits_below(&self, folder: &str) -> bool {
        folder >= self.key() || self.key().starts_with(folder)
    }
}

/// One page, in order, with a little more than fits if there is more.
pub(crate) struct SweepPage<F> {
    pub(crate) entries: Vec<(String, F)>,
    /// What is left out in the folders that were read for this page, counted.
    pub(crate) omitted: Omitted,
    /// Where to continue if time ran out before the page was full.
    pub(crate) resume_at: Option<Position>,
}

/// Collects the smallest results found so far.
pub(super) struct PageBuilder<F> {
    size: usize,
    entries: Vec<(String, F)>,
    weights: Vec<Weight>,
    total: Weight,
    /// The largest key that the page can still contain.
    bound: Option<String>,
}

impl<F> PageBuilder<F> {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            entries: Vec::new(),
            weights: Vec::new(),
            total: Weight::default(),
            bound: None,
        }
    }

    /// Checks whether the page could still contain the key.
    pub(super) fn admits(&self, key: &str) -> bool {
        self.bound.as_deref().is_none_or(|bound| key <= bound)
    }

    pub(super) fn add(&mut self, found: Vec<(String, F)>, weigh: impl Fn(&str, &F) -> Weight) {
        for (key, output) in found {
            if self.admits(&key) {
                let weight = weigh(&key, &output);
                self.total.add(weight);
                self.weights.push(weight);
                self.entries.push((key, output));
            }
        }
        let is_double =
            self.total.count > 2 * self.size || self.total.bytes > 2 * Weight::MAX_BYTES;
        if self.total.overflows(self.size) && (self.bound.is_none() || is_double) {
            self.compact();
        }
    }

    /// Keeps the smallest results that overfill a page, and drops the rest.
    fn compact(&mut self) {
        let weights = std::mem::take(&mut self.weights);
        let found = std::mem::take(&mut self.entries);
        let mut all = found.into_iter().zip(weights).collect::<Vec<_>>();
        // Folder by folder the results are in order already, which a stable sort exploits.
        all.sort_by(|((left, _), _), ((right, _), _)| left.cmp(right));
        self.total = Weight::default();
        for (entry, weight) in all {
            self.total.add(weight);
            self.weights.push(weight);
            self.entries.push(entry);
            if self.total.overflows(self.size) {
                break;
            }
        }
        self.bound = self.entries.last().map(|(key, _)| key.clone());
    }

    /// Returns the results in order, up to the first unfinished key, before which nothing is
    /// missing.
    pub(super) fn into_sorted(mut self, unfinished: Option<&str>) -> Vec<(String, F)> {
        self.entries.retain(|(key, _)| unfinished.is_none_or(|limit| key.as_str() < limit));
        self.entries.sort_by(|(left, _), (right, _)| left.cmp(right));
        self.entries
    }

    /// Checks whether the page is certainly full.
    pub(super) fn is_full(&self) -> bool {
        self.bound.is_some()
    }
}
