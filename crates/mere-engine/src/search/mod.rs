//! Search over the items of a session, by words and by meaning.
//!
//! A search goes one way: the request becomes a [`SearchQuestion`], the index gives its
//! [`Candidates`], the [`Ranking`] orders them, and the [`Hits`] are read and verified from their
//! files. The index is compared with the files before ([`update`]); it only says where to look.

pub(crate) mod call_signals;
pub(crate) mod context;
pub(crate) mod embed;
mod error;
mod graph;
mod index;
pub(crate) mod notes;
mod query;
pub(crate) mod relations;
pub(crate) mod update;

use mere_core::reply::Draft;
use mere_core::request::{HitLimit, Search};

pub(crate) use call_signals::CallSignals;
pub(crate) use context::{CorpusSources, HitContent, HitTexts, ItemAccess, SearchContext};
pub(crate) use embed::embedder::{Embedder, ThreadBudget};
pub(crate) use embed::embedding_error::EmbeddingError;
pub(crate) use embed::endpoint::Endpoint;
pub(crate) use embed::lazy_minilm::MINILM_FILE;
pub(crate) use embed::model_error::ModelCommandError;
pub(crate) use error::SearchError;
pub(crate) use graph::EntryTrust;
pub(crate) use graph::link_rename::{LinkChange, LinkOutcome};
pub(crate) use query::hits::SUMMARY_LENGTH;
pub(crate) use query::registry_hits::{RegistryAnswer, RegistryHit};
pub(crate) use update::coverage::{Coverage, IndexAnswer};
pub(crate) use update::embedding_backlog::EmbeddingJob;
pub(crate) use update::session_index::{SessionIndex, StalePolicy};
pub(crate) use update::vouching::VouchOutcome;

use query::candidates::Candidates;
use query::hits::Hits;
use query::located_hits::LocatedHits;
use query::question::SearchQuestion;
use query::ranking::Ranking;
use query::reply;
use update::live_index::LiveIndex;

/// Runs a search and drafts the reply, with what a registry answered.
pub(crate) fn search(
    context: &SearchContext<'_>,
    request: &Search,
    registry: RegistryAnswer,
) -> Result<Draft, SearchError> {
    let question = SearchQuestion::prepare(context, request)?;
    let hits = if question.covers_items() {
        Hits::read(query_index(context, &question)?, &context.items, request)
    } else {
        Hits::none()
    };
    // A page of the best hits has room for what a registry found as far as local hits leave it.
    let registry = match request.limit {
        HitLimit::Given(_) => registry,
        HitLimit::Best => registry.limit_to(request.limit.page_size() - hits.page_length()),
    };
    Ok(reply::draft(&question, hits, registry))
}

/// Queries the index and, in a session that ends with the reply, queries it again after missing
/// vectors were made.
fn query_index(
    context: &SearchContext<'_>,
    question: &SearchQuestion<'_>,
) -> Result<IndexAnswer<LocatedHits>, SearchError> {
    let ask = |live_index: &mut LiveIndex| {
        let candidates = Candidates::find(live_index, question, context)?;
        let ranking = Ranking::rank(candidates, question, context.type_priority);
        LocatedHits::locate(live_index, ranking, question, context)
    };
    let located = context.with_current_index(ask)?;
    if located.value.index_state.missing_vectors == 0 || context.session_index.is_long_lived() {
        return Ok(located);
    }
    context.embed_briefly();
    // The first results stay if the second query fails.
    Ok(context.with_open_index(ask).ok().flatten().unwrap_or(located))
}

/// Reads bytes as a posting list.
#[cfg(fuzzing)]
pub(crate) fn read_posting_bytes(bytes: &[u8]) {
    let (items, positions) = bytes.split_at(bytes.len() / 2);
    let list = index::PostingList::parse(items);
    if let Some(mut list) = list.map(|list| list.with_positions(positions)) {
        while let Some((_, positions)) = list.next_with_positions() {
            index::decode_positions(positions).for_each(drop);
        }
    }
}
