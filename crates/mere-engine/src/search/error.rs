//! The reasons why a search has no result.
//!
//! The sentences for callers are written elsewhere; these go to the log.

use std::io;

/// An error of a search, or of the index behind it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SearchError {
    #[error("the search index cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("reading or writing failed: {0}")]
    Io(io::Error),
    #[error("the cursor belongs to another search")]
    WrongCursor,
    #[error("the call was cancelled or took too long")]
    Cancelled,
}

impl From<io::Error> for SearchError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<rusqlite::Error>() {
            Ok(error) => Self::Database(error),
            Err(error) => Self::Io(error),
        }
    }
}
