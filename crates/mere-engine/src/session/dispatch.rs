//! Calls about items and stores: builds what each call needs and passes it on.
//!
//! The calls about files are answered by [`Session`] itself, in the parent module.

use std::cell::{OnceCell, RefCell};
use std::time::{Duration, Instant};

use mere_core::item::ScopedPath;
use mere_core::reply::{Draft, Prose};
use mere_core::request::{Caller, PersonCommand, Reader, Request, Verb};
use mere_core::turn::{Progress, Turn};

use super::Session;
use crate::error;
use crate::error::tool_error::ToolError;
use crate::items::{self, ItemCall, ItemSources};
use crate::memory::{self, MemorySource, StoreCall, Stores};
use crate::search::{self, EmbeddingJob, SearchContext, ThreadBudget};
use crate::session::snapshot::Snapshot;
use crate::world::check_active;

/// The longest time that a call waits for another process, no matter who made the call.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// How long one round of embedding lasts.
const EMBEDDING_SLICE: Duration = Duration::from_millis(200);

/// Starts the clock, and returns a function that tells whether [`MAX_WAIT`] is over.
fn wait_limit() -> impl Fn() -> bool {
    let began = Instant::now();
    move || began.elapsed() > MAX_WAIT
}

impl Session {
    /// Answers a call about items.
    pub(super) fn handle_item_call(
        &self,
        snapshot: &Snapshot,
        request: &Request,
        turn: &mut dyn Turn,
    ) -> Result<Draft, ToolError> {
        let turn = RefCell::new(turn);
        let late = wait_limit();
        // A caller who rebuilds the index or runs a tool waits until it is finished.
        let is_patient = request.verb.is_long_running()
            || matches!(request.verb, Verb::Person(PersonCommand::Index(_)));
        let over = || check_active(&**turn.borrow()).is_err() || !is_patient && late();
        let gate = snapshot.gate(request.caller.reader);
        let tell = |done, total, words: &Prose| {
            if let Some(message) = gate.clear_text(words, &request.caller.agent) {
                turn.borrow_mut().progress(&Progress { done, total, message });
            }
        };
        let progress = |done, total| tell(done, Some(total), &Prose::words("items"));
        let heard = |done, words: Prose| tell(done, None, &words);
        let said = |stream, words: &Prose| {
            if let Some(text) = gate.clear_text(words, &request.caller.agent) {
                turn.borrow_mut().show_output(stream, &text);
            }
        };
        let view = self.view(snapshot, &request.caller)?;
        let clerk = StoreCall {
            view: &view,
            context: &self.context,
            stores: snapshot.stores()?,
            tables: &self.ledgers,
            reader: request.caller.reader,
            is_cancelled: &over,
        };
        let desk = ItemCall {
            view: &view,
            store_call: &clerk,
            agent_gate: snapshot.gate(Reader::Agent),
            sources: &ItemSources::new(
                snapshot.spaces(&self.context)?,
                &self.catalogs,
                self.memory_sources(snapshot),
            ),
            context: &self.context,
            agents: snapshot.agents()?,
            item_rules: snapshot.item_rules()?,
            trust_policy: snapshot.trust_policy()?,
            reader: request.caller.reader,
            passphrase: request.key_passphrase.as_ref(),
            is_cancelled: &over,
            progress: &progress,
            report_tool_note: &heard,
            stream_tool_output: &said,
            cells: &self.cells,
            run_config: snapshot.running()?,
            search: self.search_resources(snapshot)?,
        };
        run_item_call(&desk, &request.verb)
    }

    /// Returns what a search needs.
    fn search_resources<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> Result<SearchContext<'a>, ToolError> {
        Ok(SearchContext {
            session_index: &self.searches,
            landmarks_digest: snapshot.landmarks_digest(),
            embedder: snapshot.embedder()?,
            embedding_config: snapshot.embeddings()?,
            type_priority: snapshot.type_priority()?,
        })
    }

    /// Computes vectors for some items, for about `EMBEDDING_SLICE`. A server does this again and
    /// again; searches do not wait for it.
    pub fn embed_some_items(&self) {
        let snapshot = self.snapshot();
        let Ok(embedder) = snapshot.embedder() else { return };
        let (caller, view) = (Caller::default(), OnceCell::new());
        let shows = |place: &ScopedPath| {
            let view = view.get_or_init(|| self.view(&snapshot, &caller).ok());
            view.as_ref().is_some_and(|view| items::is_visible(view, place))
        };
        let gate = snapshot.gate(Reader::Agent);
        let embedding =
            EmbeddingJob { embedder, gate, is_visible: &shows, threads: ThreadBudget::One };
        let began = Instant::now();
        let ended = self.searches.embed_missing(&embedding, &|_| began.elapsed() > EMBEDDING_SLICE);
        if let Err(trouble) = ended {
            tracing::debug!(%trouble, "items are still waiting for their vectors");
        }
    }

    /// Returns the stores that a search for memories covers.
    pub(super) fn memory_sources<'a>(&'a self, snapshot: &'a Snapshot) -> Vec<MemorySource<'a>> {
        let stores =
            snapshot.stores().map(Stores::stores_to_search).unwrap_or_default().into_iter();
        let (context, ledgers) = (&self.context, &self.ledgers);
        stores.map(|store| MemorySource { store, context, tables: ledgers }).collect()
    }

    /// Answers a call about categories, memories or stores.
    pub(super) fn handle_store_call(
        &self,
        snapshot: &Snapshot,
        request: &Request,
        turn: &dyn Turn,
    ) -> Result<Draft, ToolError> {
        let late = wait_limit();
        let over = || check_active(turn).is_err() || late();
        let clerk = StoreCall {
            view: &self.view(snapshot, &request.caller)?,
            context: &self.context,
            stores: snapshot.stores()?,
            tables: &self.ledgers,
            reader: request.caller.reader,
            is_cancelled: &over,
        };
        match &request.verb {
            Verb::Category(call) => memory::run_category_call(&clerk, call),
            Verb::Memory(call) => memory::run_memory_call(&clerk, call),
            Verb::Stores => Ok(memory::list_stores(&clerk)),
            Verb::Person(PersonCommand::Store(asked)) => {
                memory::run_store_command(&clerk, asked, &|| self.reload_and_create_categories())
            }
            _ => Ok(error::panic_reply()),
        }
    }
}

/// Passes a call about items to the function that answers it.
fn run_item_call(desk: &ItemCall<'_>, verb: &Verb) -> Result<Draft, ToolError> {
    match verb {
        Verb::Search(call) => search::search(desk, call),
        Verb::Load(call) => items::load(desk, call),
        Verb::Execute(call) => items::execute(desk, call),
        Verb::Person(asked) => crate::commands::execute_person_command(desk, asked),
        _ => Ok(error::panic_reply()),
    }
}
