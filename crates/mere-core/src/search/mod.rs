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

pub use document::{Document, DocumentField, ExactTerm};
pub use excerpt::{HIGHLIGHT_MARK, Highlight, excerpt};
pub use query::{Clause, Occur, PhraseWord, Query, QueryTerm, QueryWord};
pub use score::{Bm25, FIELD_WEIGHTS, HybridWeights, MatchSignals};
pub use stem::stem;
pub use token::{Token, fold, for_each_token};
