//! Search over the items of a session, by words and by meaning.
//!
//! The files are compared with the index first, and changed files are read into the [`index`]. A
//! query is then matched by words ([`query`]), the matches are ranked together with vector
//! similarity, and each hit is read and verified from its file again. The index only says where to
//! look.

pub(crate) mod embed;
mod graph;
mod index;
mod item_call;
mod query;
pub(crate) mod update;

use std::time::{Duration, Instant};

use mere_core::address::{Address, AgentName, Root};
use mere_core::cursor::Cursor;
use mere_core::digest::Sha256;
use mere_core::embed::Vector;
use mere_core::item::ItemType;
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::{RankMode, Search, SearchCondition, SearchMode, SearchSource};
use mere_core::search::{ExactTerm, Query, fold};

use crate::config::EmbeddingsConfig;
use crate::error;
use crate::error::tool_error::ToolError;
use crate::files::error::FileError;
use crate::files::redaction::MaskedText;
use crate::files::view::{cursor_data, page_reply};
use crate::items::ItemCall;
use crate::trust::now;
pub(crate) use embed::embedder::{Embedder, ThreadBudget};
pub(crate) use embed::embedding_error::EmbeddingError;
pub(crate) use embed::endpoint::Endpoint;
pub(crate) use embed::lazy_minilm::MINILM_FILE;
use graph::GraphVisibility;
pub(crate) use graph::link_rename::{LinkChange, LinkOutcome};
use query::hit_renderer::HitRenderer;
use query::rank::Ranking;
use query::{Filter, FilterCondition, IndexQuery, find_matches};
use update::batch_reader::to_nanoseconds;
pub(crate) use update::embedding_backlog::EmbeddingJob;
use update::live_index::LiveIndex;
pub(crate) use update::live_index::{SessionIndex, StalePolicy};

/// The longest time that a search waits for items to be embedded, in a session that ends with the
/// reply.
const MAX_EMBEDDING_WAIT: Duration = Duration::from_secs(2);

/// The reasons why a search has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SearchError {
    #[error("the search index cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("reading or writing failed: {0}")]
    Io(std::io::Error),
    #[error("the call was cancelled or took too long")]
    Cancelled,
}

/// The parts of a session that a search needs.
pub(crate) struct SearchContext<'a> {
    pub(crate) session_index: &'a SessionIndex,
    /// The digest of the folders that the gate knows. The indexed texts depend on them, because the
    /// gate rewrites those folders.
    pub(crate) landmarks_digest: Sha256,
    pub(crate) embedder: &'a Embedder,
    /// The `embeddings` section of the user's config.
    pub(crate) embedding_config: &'a EmbeddingsConfig,
    /// The order of item types among hits of equal score.
    pub(crate) type_priority: &'a [ItemType],
}

/// Runs a search and drafts the reply.
pub(crate) fn search(desk: &ItemCall<'_>, call: &Search) -> Result<Draft, ToolError> {
    let asks_registry = matches!(call.source, SearchSource::Registry | SearchSource::All);
    let name = cursor_name(call);
    let offset = match &call.cursor {
        None => 0,
        Some(cursor) => {
            let said = cursor.position(&name, &cursor_address()).ok_or(FileError::WrongCursor)?;
            said.parse::<usize>().map_err(|_| FileError::WrongCursor)?
        }
    };
    let answer = if call.source == SearchSource::Registry {
        SearchResults::default()
    } else {
        run_search(desk, call, offset)?
    };
    let notes = notes(&answer, asks_registry);
    let next = answer.has_more.then(|| {
        let position = (offset + call.limit).to_string();
        Cursor::new(&name, &cursor_address(), &position)
    });
    let unavailable = asks_registry.then(|| Data::List(vec!["registry".into()]));
    let data = result_lists(answer.hits, call)
        .with("total", answer.total)
        .with("mode", answer.mode.unwrap_or(call.mode).name())
        .with_some("next", next.as_ref().map(cursor_data))
        .with_some("unavailable", unavailable);
    let message = count_message(answer.total, answer.shown);
    let draft = page_reply(codes::SEARCH, message, next.as_ref()).data(data);
    Ok(if notes.is_empty() { draft } else { draft.hint(Prose::words(notes.join(" "))) })
}

/// Returns the sentences of the reply's hint: unavailable sources, model errors, missing vectors
/// and the state of the index.
fn notes(answer: &SearchResults, asks_registry: bool) -> Vec<String> {
    let searched = match answer.mode {
        None => "nothing was searched",
        Some(_) => "only local items were searched",
    };
    let registry = asks_registry.then(|| format!("No registry is configured: {searched}."));
    let trouble = answer.embedding_error.as_ref().map(error::keyword_only_note);
    let waiting =
        (answer.missing_vectors > 0).then(|| error::embedding_backlog_note(answer.missing_vectors));
    let remarks = answer.remarks.iter().map(|remark| (*remark).to_owned());
    [registry, trouble, waiting].into_iter().flatten().chain(remarks).collect()
}

/// Embeds the query, queries the index and, in a session that is about to end, queries it again
/// after missing vectors were made. The query is embedded before the index is locked, because a
/// model may take its time.
fn run_search(
    desk: &ItemCall<'_>,
    call: &Search,
    offset: usize,
) -> Result<SearchResults, ToolError> {
    let query = Query::parse(&call.query);
    let (wanted, trouble) = match call.mode {
        SearchMode::Text => (None, None),
        SearchMode::Hybrid | SearchMode::Vector => {
            match desk.search.embedder.embed_query(&masked_query_text(desk, &query)) {
                Ok(wanted) => (wanted, None),
                Err(trouble) => (None, Some(trouble)),
            }
        }
    };
    let mode = if trouble.is_some() { SearchMode::Text } else { call.mode };
    let asked = PreparedQuery { query: &query, offset, mode, vector: wanted.as_ref() };
    let mut answer = desk.with_index(|library| query_index(desk, call, &asked, library))?;
    if answer.missing_vectors > 0 && !desk.search.session_index.is_long_lived() {
        let began = Instant::now();
        let enough = |_| began.elapsed() > MAX_EMBEDDING_WAIT || (desk.is_cancelled)();
        // An error here is not reported: the next query that needs the model reports it.
        let _ = desk.embed_missing(ThreadBudget::All, &enough);
        let again = |library: &mut LiveIndex| query_index(desk, call, &asked, library);
        // The first results stay if the second query fails.
        let again = desk.search.session_index.with_open_index(desk.search.embedder, again);
        answer = again.ok().flatten().unwrap_or(answer);
    }
    Ok(SearchResults { embedding_error: trouble, ..answer })
}

/// Returns the query text for the model as an agent would see it, with secrets masked and real
/// folders rewritten, because the model may belong to somebody else.
fn masked_query_text(desk: &ItemCall<'_>, query: &Query) -> String {
    let said = MaskedText::mask_whole(query.plain_text.clone()).text;
    desk.agent_gate.preview(&said, &AgentName::default()).unwrap_or_default().into_owned()
}

/// A query that is ready to be put to the index.
struct PreparedQuery<'a> {
    query: &'a Query,
    offset: usize,
    mode: SearchMode,
    vector: Option<&'a Vector>,
}

/// The results of one search.
#[derive(Default)]
struct SearchResults {
    hits: Vec<(ItemType, Fields)>,
    total: u64,
    shown: usize,
    has_more: bool,
    /// The mode that was used; none if nothing was searched.
    mode: Option<SearchMode>,
    /// The reason why the search was not by meaning, if it should have been.
    embedding_error: Option<EmbeddingError>,
    /// The number of items that have no vector yet.
    missing_vectors: u64,
    /// Further sentences about the state of the index.
    remarks: Vec<&'static str>,
}

fn query_index(
    desk: &ItemCall<'_>,
    call: &Search,
    asked: &PreparedQuery<'_>,
    library: &mut LiveIndex,
) -> Result<SearchResults, SearchError> {
    let filters = desk.with_visibility(|audience| filters(call, library, audience))?;
    let question = IndexQuery {
        query: asked.query,
        kinds: &call.item_types,
        corpora: &library.detector.corpus_ids,
        filters: &filters,
        now: to_nanoseconds(now()),
        is_cancelled: desk.is_cancelled,
    };
    let found = find_matches(&library.index, &question)?;
    let mode = asked.mode;
    let ranking = Ranking { mode, rank: call.rank, type_priority: desk.search.type_priority };
    let highlight = found.highlight.clone();
    let ranked = ranking.rank(library, found, asked.vector)?;
    let total = ranked.total;
    let (page, has_more) = ranked.page(asked.offset, call.limit);
    let teller = HitRenderer { call: desk, highlight: &highlight, live_index: library };
    let hits = teller.render_all(&page)?;
    let shown = hits.len();
    let waiting = match mode {
        SearchMode::Text => 0,
        SearchMode::Hybrid | SearchMode::Vector => {
            library.count_missing_vectors(desk.search.embedder)?
        }
    };
    Ok(SearchResults {
        hits,
        total,
        shown,
        has_more,
        mode: Some(mode),
        embedding_error: None,
        missing_vectors: waiting,
        remarks: remarks(library, total)?,
    })
}

/// Returns what the reply says about the state of the index.
fn remarks(library: &LiveIndex, total: u64) -> Result<Vec<&'static str>, SearchError> {
    let is_empty = total == 0 && library.index.count_items()? == 0;
    let all = [
        (is_empty, error::NO_ITEMS_NOTE),
        (!library.is_persistent(), error::TEMPORARY_INDEX_NOTE),
        (library.is_outdated, error::OUTDATED_NOTE),
    ];
    Ok(all.into_iter().filter_map(|(is, remark)| is.then_some(remark)).collect())
}

/// Groups the hits into the lists of a reply.
fn result_lists(hits: Vec<(ItemType, Fields)>, call: &Search) -> Fields {
    if call.rank == RankMode::Unified {
        let hits = hits.into_iter().map(|(_, hit)| Data::from(hit)).collect::<Data>();
        return Fields::default().with("results", hits);
    }
    let names = [
        (ItemType::Directive, "directives"),
        (ItemType::Tool, "tools"),
        (ItemType::Knowledge, "knowledge"),
        (ItemType::Memory, "memories"),
    ];
    let mut lists = names.map(|(_, name)| (name, Vec::new()));
    for (kind, hit) in hits {
        let at = names.iter().position(|(known, _)| *known == kind);
        if let Some(at) = at {
            lists[at].1.push(Data::from(hit));
        }
    }
    lists
        .into_iter()
        .fold(Fields::default(), |fields, (name, hits)| fields.with(name, Data::List(hits)))
}

fn count_message(total: u64, shown: usize) -> Prose {
    let words = match (total, shown) {
        (0, _) => "No matches".to_owned(),
        (1, _) => "1 match".to_owned(),
        (total, shown) if shown as u64 == total => format!("{total} matches"),
        (total, shown) => format!("{total} matches, {shown} shown"),
    };
    Prose::words(words)
}

/// Returns the name of the cursors of one query, so that a cursor is valid for that query only.
fn cursor_name(call: &Search) -> String {
    let question = Search { cursor: None, ..call.clone() };
    format!("search {}", Sha256::digest(format!("{question:?}").as_bytes()))
}

/// Returns the address that search cursors are bound to. A search covers everything, so it is the
/// top of the project.
fn cursor_address() -> Address {
    Address::directory(Root::Project, mere_core::address::RelPath::default())
}

fn filters(
    call: &Search,
    library: &LiveIndex,
    audience: GraphVisibility<'_>,
) -> Result<Vec<Filter>, SearchError> {
    let mut filters = Vec::new();
    for filter in &call.filters {
        let demand = match &filter.condition {
            // Every item lies in or below the empty category.
            SearchCondition::Category(category) if category.is_empty() => continue,
            SearchCondition::Category(category) => {
                FilterCondition::Mark(ExactTerm::Category(fold(category.as_str())))
            }
            SearchCondition::Tag(tag) => FilterCondition::Mark(ExactTerm::Tag(fold(tag.trim()))),
            SearchCondition::EntryType(name) => {
                FilterCondition::Mark(ExactTerm::EntryType(fold(name)))
            }
            SearchCondition::ToolType(name) => {
                FilterCondition::Mark(ExactTerm::ToolType(fold(name)))
            }
            SearchCondition::Executor(name) => {
                FilterCondition::Mark(ExactTerm::Executor(fold(name)))
            }
            SearchCondition::ModelTier(name) => {
                FilterCondition::Mark(ExactTerm::ModelTier(fold(name)))
            }
            SearchCondition::RelatedTo(entry) => {
                FilterCondition::OneOf(library.related_items(entry, audience)?)
            }
        };
        filters.push(Filter { kinds: filter.item_types.clone(), condition: demand });
    }
    Ok(filters)
}
