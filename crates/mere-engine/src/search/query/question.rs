//! The question of a search: the request, parsed and ready to be put to the index.
//!
//! The query is embedded here, before the index is locked, because a model may take its time.

use mere_core::address::{Address, AgentName, RelPath, Root};
use mere_core::cursor::Cursor;
use mere_core::digest::Sha256;
use mere_core::embed::Vector;
use mere_core::item::ItemType;
use mere_core::request::{Search, SearchMode, SearchSource};
use mere_core::search::Query;

use crate::files::redaction::MaskedText;
use crate::search::context::SearchContext;
use crate::search::embed::embedding_error::EmbeddingError;
use crate::search::error::SearchError;

/// What is searched for.
pub(crate) struct SearchQuestion<'a> {
    pub(crate) request: &'a Search,
    pub(crate) query: Query,
    /// The number of hits on the pages before this one.
    pub(crate) offset: usize,
    /// The mode that is used. It is by words alone if the query could not be embedded.
    pub(crate) mode: SearchMode,
    /// The embedded query; none if it has no meaning or only words count.
    pub(crate) vector: Option<Vector>,
    /// The reason why the search is not by meaning, if it should have been.
    pub(crate) embedding_error: Option<EmbeddingError>,
    /// True if memories are asked for, and no store can be served.
    pub(crate) lacks_memories: bool,
}

impl<'a> SearchQuestion<'a> {
    /// Parses the query and the cursor of a request, and embeds the query if its mode needs that.
    pub(crate) fn prepare(
        context: &SearchContext<'_>,
        request: &'a Search,
    ) -> Result<Self, SearchError> {
        let offset = parse_offset(request)?;
        let query = Query::parse(&request.query);
        let (mode, vector, embedding_error) = (request.mode, None, None);
        let lacks_memories =
            !context.sources.has_served_store && request.item_types.contains(&ItemType::Memory);
        let question =
            Self { request, query, offset, mode, vector, embedding_error, lacks_memories };
        Ok(match mode {
            SearchMode::Hybrid | SearchMode::Vector if question.covers_items() => {
                question.embed(context)
            }
            SearchMode::Text | SearchMode::Hybrid | SearchMode::Vector => question,
        })
    }

    /// Embeds the query, or falls back to words alone.
    fn embed(self, context: &SearchContext<'_>) -> Self {
        match context.embedder.embed_query(&masked_text(context, &self.query)) {
            Ok(vector) => Self { vector, ..self },
            Err(error) => Self { mode: SearchMode::Text, embedding_error: Some(error), ..self },
        }
    }

    /// Returns whether the items of this session are searched.
    pub(crate) fn covers_items(&self) -> bool {
        self.request.source != SearchSource::Registry
    }

    /// Returns the cursor of the next page.
    pub(crate) fn next_cursor(&self) -> Cursor {
        let position = (self.offset + self.request.limit.page_size()).to_string();
        Cursor::new(&cursor_name(self.request), &cursor_address(), &position)
    }
}

/// Returns the query text for the model as an agent would see it, with secrets masked and real
/// folders rewritten, because the model may belong to somebody else.
fn masked_text(context: &SearchContext<'_>, query: &Query) -> String {
    let masked = MaskedText::mask_whole(query.plain_text.clone()).text;
    context.agent_gate.preview(&masked, &AgentName::default()).unwrap_or_default().into_owned()
}

/// Returns how many hits the pages before this one have.
fn parse_offset(request: &Search) -> Result<usize, SearchError> {
    let Some(cursor) = &request.cursor else { return Ok(0) };
    let position = cursor.position(&cursor_name(request), &cursor_address());
    position.and_then(|position| position.parse().ok()).ok_or(SearchError::WrongCursor)
}

/// Returns the name of the cursors of one query, so that a cursor is valid for that query only.
fn cursor_name(request: &Search) -> String {
    let request = Search { cursor: None, ..request.clone() };
    format!("search {}", Sha256::digest(format!("{request:?}").as_bytes()))
}

/// Returns the address that search cursors are bound to. A search covers everything, so it is the
/// top of the project.
fn cursor_address() -> Address {
    Address::directory(Root::Project, RelPath::default())
}
