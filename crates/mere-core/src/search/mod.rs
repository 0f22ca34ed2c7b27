//! The parts of search that need no index: tokens, queries, scores and excerpts.
//!
//! These are pure functions over texts. Texts are indexed and queries are parsed with the same
//! [`for_each_token`], so everything that can be written can be found. Any input is a valid query.

mod document;
mod excerpt;
mod query;
mod score;
mod stem;
mod token;

pub use document::{Document, DocumentField, ExactTerm};
pub use excerpt::{HIGHLIGHT_MARK, Highlight, excerpt};
pub use query::{Clause, Occur, PhraseWord, Query, QueryTerm, QueryWord};
pub use score::{Bm25, FIELD_WEIGHTS, HybridWeights, MatchSignals, term_weight};
pub use stem::stem;
pub use token::{Token, fold, for_each_token};
