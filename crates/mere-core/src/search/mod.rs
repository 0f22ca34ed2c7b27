//! What search is made of, apart from the index itself: words, queries, scores and excerpts.
//!
//! Pure rules over texts. A text is indexed and a query is read by the same [`tokens`], so whatever
//! can be written can be found. Any input is a query.

mod document;
mod excerpt;
mod query;
mod score;
mod stem;
mod token;

pub use document::{Document, Field, Mark};
pub use excerpt::{Highlight, MARK, excerpt};
pub use query::{Clause, Part, Query, Sign, What, Word};
pub use score::{Bm25, Evidence, FIELD_WEIGHTS, Mix};
pub use stem::stem;
pub use token::{Token, fold, tokens};
