//! One session with one project, and the one door into it.
//!
//! Every agent-facing call, from every edge, goes through [`Session::handle`]. It reads one
//! snapshot, answers with a cleared reply whatever happens inside, and changes nothing before the
//! last question is answered.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use mere_core::address::{Address, AgentName, Root};
use mere_core::category::CategoryMode;
use mere_core::gate::{ClearedMessage, ReplyMetadata, Seal};
use mere_core::item::{ItemRef, ItemType, Scope};
use mere_core::reply::codes;
use mere_core::request::{Reader, Request, Tool, Verb};
use mere_core::trace::SessionId;
use mere_core::turn::{Outcome, Question, Turn};
use serde_json::Value;

use crate::commands::calls::feed::CallFeed;
use crate::error::{self, tool_error::ToolError};
use crate::files::dir::HomeMemory;
use crate::files::error::FileError;
use crate::files::question::DraftOutcome;
use crate::items::{Catalogs, ItemSources};
use crate::memory::{
    MemoryTables, NoServedStore, StoreError, Stores, UnavailableReason, UnknownStore,
};
use crate::registry::recover_installs;
use crate::run::project_proposal::recover_project_changes;
use crate::search::SessionIndex;
use crate::session::call_log::{AnsweredCall, log_call};
use crate::session::dispatch::{PermittedCall, answer_item_verb, answer_store_verb};
use crate::session::event::{Changes, SeenChanges};
use crate::session::open_runs::OpenRuns;
use crate::session::options::{SessionOptions, SessionState};
use crate::session::snapshot::Snapshot;
use crate::world::{Context, OpenError, OperatorChoice, ResolveError};
use mere_host::{CellPool, EnvironmentError, NoAddress, TypedPath, WatchedFiles};

mod call_log;
mod dispatch;
pub(crate) mod event;
pub(crate) mod file_approval;
pub(crate) mod help;
mod home;
pub(crate) mod index_voucher;
mod item_step;
mod landmarks;
pub(crate) mod locations;
mod mounts;
mod open_runs;
pub(crate) mod options;
pub(crate) mod own_folders;
pub(crate) mod project_approval;
mod registry_calls;
pub(crate) mod resource_stamp;
mod run_check;
pub(crate) mod search_access;
mod snapshot;

/// A session with one project.
pub struct Session {
    /// The session's id and the home root that its client chose. `None` if nothing is remembered
    /// between calls.
    state: Option<(SessionId, Mutex<Option<Root>>)>,
    /// Whether a next call will find the home root that this one leaves.
    memory: HomeMemory,
    choice: OperatorChoice,
    watched: WatchedFiles,
    /// Held while the configuration is read again.
    reloading: Mutex<()>,
    /// Counts how often the configuration was read again.
    generation: AtomicU64,
    context: Context,
    /// The address of the directory the command ran in, in the world of the snapshot.
    working_address: RwLock<Option<Address>>,
    agent: Option<AgentName>,
    snapshot: RwLock<Arc<Snapshot>>,
    catalogs: Catalogs,
    tables: MemoryTables,
    searches: SessionIndex,
    cells: Arc<CellPool>,
    /// What a person can watch of the calls.
    feed: CallFeed,
    /// The runs of directives that agents have open.
    open_runs: OpenRuns,
}

impl Session {
    /// Finds the project and reads the configuration.
    pub fn open(opening: SessionOptions) -> Result<Self, OpenError> {
        let context = Context::find(opening.project.as_ref(), opening.directory.as_ref())?;
        let private = context.environment.private_identities();
        let private = private.and_then(|private| match context.project() {
            Ok(project) => project.is_inside_any(&private),
            Err(_) => Ok(false),
        });
        if private.map_err(EnvironmentError::Unreadable)? {
            return Err(OpenError::Private);
        }
        let agent = match (opening.agent, context.environment.agent_variable()) {
            (Some(agent), _) => Some(agent),
            (None, Some(text)) => {
                let text = text.unwrap_or_default();
                Some(text.parse().map_err(OpenError::Agent)?)
            }
            (None, None) => None,
        };
        context.environment.category_mode().map_err(OpenError::Mode)?;
        recover_from_kill(&context);
        let watched = Snapshot::watched_files(&context);
        let stamps = watched.read_stamps();
        let choice = OperatorChoice { mods: opening.mods, store: opening.store };
        let snapshot = Arc::new(Snapshot::take_at(&context, &choice, stamps));
        check_requested_store(&choice, &snapshot)?;
        let kept = match opening.state {
            SessionState::Kept | SessionState::OneCall => {
                Some((mere_host::new_sortable_id().into(), Mutex::new(None)))
            }
            SessionState::Stateless => None,
        };
        let session = Self {
            state: kept,
            memory: match opening.state {
                SessionState::Kept => HomeMemory::Kept,
                SessionState::OneCall | SessionState::Stateless => HomeMemory::Lost,
            },
            choice,
            watched,
            reloading: Mutex::default(),
            generation: AtomicU64::new(0),
            working_address: RwLock::default(),
            snapshot: RwLock::new(snapshot),
            catalogs: Catalogs::default(),
            tables: MemoryTables::default(),
            searches: SessionIndex::default(),
            cells: opening.cells,
            feed: CallFeed::default(),
            open_runs: OpenRuns::new(opening.state.into()),
            context,
            agent,
        };
        session.update_working_address();
        Ok(session)
    }

    /// Answers one call. This is the one door into the engine.
    pub fn handle(&self, request: &Request, turn: &mut dyn Turn) -> Outcome {
        self.refresh();
        let snapshot = self.snapshot();
        let stamp = ReplyMetadata {
            trace_id: request.caller.trace.unwrap_or_else(|| mere_host::new_sortable_id().into()),
            session_id: self.state.as_ref().map(|(id, _)| *id),
            tool: request.tool,
            agent: request.caller.agent.clone(),
        };
        let tool = request.name();
        let span =
            tracing::info_span!("call", trace_id = %stamp.trace_id, tool, agent = %stamp.agent);
        let _entered = span.enter();
        let began = Instant::now();
        let gate = snapshot.gate(request.caller.reader);
        let answered = catch_unwind(AssertUnwindSafe(|| self.answer(&snapshot, request, turn)));
        let answered = answered.unwrap_or_else(|_| {
            tracing::error!("a call panicked");
            DraftOutcome::Done(error::panic_reply())
        });
        let draft = match answered {
            DraftOutcome::Done(draft) => draft,
            DraftOutcome::Ask(question, resume) => match gate.clear_text(&question, &stamp.agent) {
                Some(text) => return Outcome::Ask(Question { text }, resume),
                None => error::unasked_reply(),
            },
        };
        let draft = if request.verb.asks_for_content() { draft } else { draft.cut_to_limit() };
        let cleared = gate.clear(&draft, &stamp);
        log_call(&cleared, began);
        if self.feed.is_kept() && request.caller.reader == Reader::Agent {
            let message = gate.clear_text(draft.message(), &stamp.agent);
            self.feed_call(
                &cleared,
                &stamp,
                &AnsweredCall { tool, message, took: began.elapsed() },
            );
        }
        Outcome::Done(cleared)
    }

    /// Passes a whole protocol message through the gate, as the last step before it is sent.
    pub fn clear_message(&self, message: Value, seal: &Seal) -> Option<ClearedMessage> {
        self.snapshot().gate(Reader::Agent).clear_message(message, seal)
    }

    /// Returns what changed for clients since `seen`, and moves `seen` forward. Also runs the
    /// periodic upkeep of the catalogs, the search indexes and the sandbox cells.
    pub fn next_changes(&self, seen: &mut SeenChanges) -> Changes {
        self.refresh();
        run_upkeep(|| {
            self.catalogs.rewrite_stale_indexes();
            self.searches.merge_while_idle();
            self.cells.release_unused();
            self.feed.write_waiting(&self.context.environment);
        });
        let config = self.generation.load(Ordering::Acquire);
        let items = self.catalogs.revision().wrapping_add(self.tables.refresh_watched());
        let changes = Changes { config: config != seen.config, items: items != seen.items };
        *seen = SeenChanges { config, items };
        changes
    }

    /// Returns the address of an item, or `None` if no single item has that name.
    pub fn locate(&self, kind: ItemType, item: &ItemRef) -> Option<Address> {
        self.refresh();
        let snapshot = self.snapshot();
        let spaces = snapshot.spaces(&self.context).ok()?;
        let sources = ItemSources::new(spaces, &self.catalogs, self.memory_sources(&snapshot));
        let found = [Scope::Project, Scope::User].into_iter().find_map(|scope| {
            let found = sources.candidates(scope, kind, item).ok()?;
            (!found.is_empty()).then_some(found)
        });
        match found.as_deref() {
            Some([place]) => place.address(),
            _ => None,
        }
    }

    /// Tells the session that it is long-lived: from now on the system reports changed items to it.
    pub fn watch_for_changes(&self) {
        self.catalogs.enable_watching();
        self.tables.start_watching();
        self.searches.start_watching();
        self.cells.keep_ready();
        self.feed.keep();
    }

    /// Writes what is worth keeping, before the session ends: item indexes and the feed of calls.
    pub fn finish(&self) {
        run_upkeep(|| {
            self.catalogs.rewrite_stale_indexes();
            self.feed.write_waiting(&self.context.environment);
        });
    }

    /// Reads the configuration again if its files have changed. A call that is under way keeps the
    /// snapshot it has; the next one sees the change, including trust that was revoked.
    fn refresh(&self) {
        let _reloading = self.reloading.lock().unwrap_or_else(PoisonError::into_inner);
        let stamps = self.watched.read_stamps();
        if *self.snapshot().stamps() == stamps {
            return;
        }
        let snapshot = Arc::new(Snapshot::take_at(&self.context, &self.choice, stamps));
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        self.update_working_address();
        self.generation.fetch_add(1, Ordering::Release);
        tracing::info!("the configuration was reloaded");
    }

    /// Returns the roots an agent can name, in the order in which they are listed to clients.
    pub fn roots(&self) -> Vec<Root> {
        self.snapshot().roots(&self.context)
    }

    /// Returns the address of what a person typed: an address, or a path inside the project, the
    /// workspace, the user space or an extra folder, relative to the working directory.
    pub fn address_of(&self, typed: &TypedPath) -> Result<Address, NoAddress> {
        let agent = self.agent.clone().unwrap_or_default();
        let extra = self.snapshot().extra_folders();
        let project = self.context.project_folder();
        let located = self.context.environment.locate_typed_path(typed, project, &agent, &extra);
        located.into_address()
    }

    /// Returns the agent's name, if the operator fixed it.
    pub fn agent(&self) -> Option<&AgentName> {
        self.agent.as_ref()
    }

    fn answer(&self, snapshot: &Snapshot, request: &Request, turn: &mut dyn Turn) -> DraftOutcome {
        let answered = self.try_answer(snapshot, request, turn);
        let outcome =
            answered.unwrap_or_else(|error| DraftOutcome::Done(error::tool_error_reply(&error)));
        match outcome {
            // Whatever was looked for: a project is what is missing.
            DraftOutcome::Done(draft)
                if draft.code() == codes::PATH_NOT_VISIBLE.id() && !self.has_project() =>
            {
                DraftOutcome::Done(error::no_project_reply())
            }
            outcome => outcome,
        }
    }

    fn try_answer(
        &self,
        snapshot: &Snapshot,
        request: &Request,
        turn: &mut dyn Turn,
    ) -> Result<DraftOutcome, ToolError> {
        if !request.verb.is_instant() {
            self.context.check_still_accepted()?;
            if self.context.project().is_ok_and(|project| project.is_deleted()) {
                return Err(FileError::ProjectDeleted.into());
            }
        }
        let run = self.permit_request(request, snapshot)?;
        let call = PermittedCall { request, snapshot, run };
        let draft = match &request.verb {
            Verb::InvalidCall(error) => error::call_error_reply(error),
            Verb::Help { topic } => {
                help::help(*topic, &request.caller.unlisted, &snapshot.roots(&self.context))
            }
            Verb::Files(verb) => return self.answer_file_verb(verb, &call, turn),
            Verb::Items(verb) => {
                self.with_command_call(&call, turn, |call| answer_item_verb(call, verb))?
            }
            Verb::Stores(verb) => {
                self.with_store_call(&call, turn, |call| answer_store_verb(call, verb))?
            }
            Verb::Person(command) => self.answer_person_command(command, &call, turn)?,
            Verb::CloseRun => self.close_run(&request.caller)?,
        };
        Ok(DraftOutcome::Done(draft))
    }

    /// Checks whether a tool is offered, given the category mode of the served store.
    pub fn has_tool(&self, tool: &Tool) -> bool {
        let mode = self.snapshot().stores().map_or(CategoryMode::Strict, Stores::served_mode);
        tool.is_available(mode)
    }

    /// Creates the categories that the configuration names. A failure is only logged, because the
    /// calls that need the categories report it themselves.
    pub fn create_configured_categories(&self) {
        if let Err(error) = self.reload_and_create_categories() {
            tracing::warn!(%error, "categories could not be created");
        }
    }

    /// Reads the configuration again, creates the categories that it names, and returns those it
    /// created.
    fn reload_and_create_categories(&self) -> Result<Vec<Address>, StoreError> {
        self.refresh();
        let snapshot = self.snapshot();
        let mut made = snapshot.stores()?.create_categories(&self.context)?;
        made.extend(snapshot.item_rules()?.create_categories(&self.context)?);
        Ok(made)
    }

    fn find_root(&self, snapshot: &Snapshot, root: &Root) -> Result<Root, ToolError> {
        Ok(snapshot.find_root(root, &self.context)?.ok_or(ResolveError::NotVisible)?)
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs work that belongs to no call. If it panics, it is left for the next time.
fn run_upkeep(work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        tracing::error!("the upkeep panicked");
    }
}

/// Settles what a killed process left unfinished in the project.
fn recover_from_kill(context: &Context) {
    if let Ok(base) = context.workspaces_base() {
        mere_host::recover_unfinished_runs(&base);
    }
    if let Err(error) = recover_installs(context) {
        tracing::error!(%error, "updates of items that were cut short are not settled");
    }
    if let Err(error) = recover_project_changes(context) {
        // Whoever applies the proposal tries again, and is told.
        tracing::error!(%error, "changes to the project that were cut short are not settled");
    }
}

/// Checks that the requested store can be served now; each call checks again whether it still can.
fn check_requested_store(choice: &OperatorChoice, snapshot: &Snapshot) -> Result<(), OpenError> {
    let (Some(_), Ok(stores)) = (&choice.store, snapshot.stores()) else { return Ok(()) };
    let served = stores.served_store().map(|_| ());
    served.map_err(|error| match error {
        NoServedStore::Unknown(UnknownStore { name, known }) => OpenError::Store { name, known },
        NoServedStore::Unavailable(store) if store.reason == UnavailableReason::SwitchedOff => {
            OpenError::Store { name: store.name, known: stores.available_names() }
        }
        NoServedStore::Unavailable(store) => OpenError::UnavailableStore(store.to_string()),
    })
}
