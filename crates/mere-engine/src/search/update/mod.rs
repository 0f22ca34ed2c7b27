//! Keeping the index equal to the files.
//!
//! [`change_detector`] finds the files that differ from the index, [`batch_reader`] reads them as
//! agents see them, [`live_index`] writes them, and [`embedding_backlog`] computes the vectors that
//! take time. [`session_index`] lends the index to one caller at a time, and [`index_recovery`]
//! replaces one that cannot be used.

pub(crate) mod batch_reader;
pub(crate) mod change_detector;
pub(crate) mod coverage;
pub(crate) mod embedding_backlog;
mod file_comparison;
pub(crate) mod index_recovery;
pub(crate) mod live_index;
pub(crate) mod maintenance;
pub(crate) mod session_index;
pub(crate) mod vouching;
mod watch_gaps;
