//! Whether an answer of the index covers all items.
//!
//! Every answer carries it, so that what an incomplete index does not know is never reported as
//! absent.

/// Whether an answer covers all items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    Complete,
    Partial(IndexGap),
}

/// Why an index does not cover all items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexGap {
    /// The files were not compared with the index for this answer.
    Unchecked,
    /// Other processes kept changing the index.
    Contended,
    /// So many files have yet to be read.
    Unfinished(u64),
    /// So many files and folders may not be read.
    Unreadable(u64),
}

/// An answer of the index, with what it covers.
#[must_use]
pub(crate) struct IndexAnswer<T> {
    pub(crate) value: T,
    pub(crate) coverage: Coverage,
}

impl Coverage {
    /// Returns the gap, if there is one.
    pub(crate) fn gap(self) -> Option<IndexGap> {
        match self {
            Self::Complete => None,
            Self::Partial(gap) => Some(gap),
        }
    }

    /// Returns the value of the field `incomplete` in a reply.
    pub(crate) fn incomplete_field(self) -> Option<bool> {
        self.gap().map(|_| true)
    }
}
