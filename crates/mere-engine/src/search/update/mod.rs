//! Keeping the index equal to the files.
//!
//! [`change_detector`] finds the files that differ from the index, [`batch_reader`] reads them as
//! agents see them, [`live_index`] writes them, and [`embedding_backlog`] computes the vectors that
//! take time. [`index_recovery`] replaces an index that cannot be used.

pub(crate) mod batch_reader;
pub(crate) mod change_detector;
pub(crate) mod embedding_backlog;
pub(crate) mod index_recovery;
pub(crate) mod live_index;
