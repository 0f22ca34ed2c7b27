//! Builds what each group of calls needs, and passes the call on.
//!
//! There is one function for each group, with a match over all of that group and nothing else.

use std::cell::{OnceCell, RefCell};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use mere_core::address::Root;
use mere_core::item::{ItemType, Scope, ScopedPath};
use mere_core::reply::{Draft, Prose};
use mere_core::request::{
    Caller, Dir, Execute, FileVerb, ItemAction, ItemVerb, Load, LookupScope, PersonCommand, Reader,
    Request, StoreVerb,
};
use mere_core::turn::{Progress, Turn};

use super::Session;
use super::registry_calls;
use super::search_access::SearchAccess;
use crate::commands;
use crate::commands::{CommandCall, ItemStep};
use crate::error;
use crate::error::tool_error::ToolError;
use crate::files::dir::{TreeRequest, Whereabouts};
use crate::files::question::DraftOutcome;
use crate::files::view::View;
use crate::files::{dir, entry_change, file_change, glob, grep, question};
use crate::items::load::RelatedFields;
use crate::items::{self, ItemError, ItemReader, ItemSources};
use crate::memory::{self, MemorySource, StoreCall, Stores};
use crate::offers;
use crate::policy::RunPermit;
use crate::run::{self, RunCall};
use crate::search::relations::{find_successor, relationships};
use crate::search::{self, CallSignals, CorpusSources, EmbeddingJob, SearchContext, ThreadBudget};
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

/// A call, the configuration that it is answered with, and what the run that binds it permits.
pub(super) struct PermittedCall<'a> {
    pub(super) request: &'a Request,
    pub(super) snapshot: &'a Snapshot,
    pub(super) run: RunPermit,
}

impl Session {
    /// Answers a call about files.
    pub(super) fn answer_file_verb(
        &self,
        verb: &FileVerb,
        call: &PermittedCall<'_>,
        turn: &mut dyn Turn,
    ) -> Result<DraftOutcome, ToolError> {
        let PermittedCall { request, snapshot, run } = call;
        let view = || self.view(snapshot, &request.caller, run.clone());
        let draft = match verb {
            FileVerb::Dir(Dir::Pwd) => self.pwd(snapshot, &request.caller)?,
            FileVerb::Dir(Dir::Cd { to }) => self.cd(snapshot, to)?,
            FileVerb::Dir(Dir::List { path, cursor }) => {
                let home = request.caller.home.clone().unwrap_or_else(|| self.path_home());
                let folder = registry_calls::registry_folder(path, &home);
                let listed = folder.map(|folder| self.list_registry(snapshot, run, &folder));
                match listed.transpose()?.flatten() {
                    Some(draft) => draft,
                    None => dir::list(&view()?, path, cursor.as_ref(), turn)?,
                }
            }
            FileVerb::Dir(Dir::Tree { path, depth, cursor }) => {
                let request = TreeRequest { path, depth: *depth, cursor: cursor.as_ref() };
                dir::tree(&view()?, &request, turn)?
            }
            FileVerb::Read(call) => {
                return Ok(question::read_with_confirmation(view()?, call, request, turn)?);
            }
            FileVerb::Glob(call) => glob::glob(&view()?, call, turn)?,
            FileVerb::Grep(call) => grep::grep(&view()?, call, turn)?,
            FileVerb::Change(call) => {
                file_change::change_file(&view()?, self.context.project()?, call, turn)?
            }
            FileVerb::Rearrange(call) => {
                entry_change::rearrange(&view()?, self.context.project()?, call, turn)?
            }
        };
        Ok(DraftOutcome::Done(draft))
    }

    fn pwd(&self, snapshot: &Snapshot, caller: &Caller) -> Result<Draft, ToolError> {
        let home = caller.home.clone().unwrap_or_else(|| self.home());
        let home = self.find_root(snapshot, &home)?;
        let (working, roots) = (self.working_address(), snapshot.roots(&self.context));
        Ok(dir::pwd(&Whereabouts { home: &home, working: working.as_ref(), roots: &roots }))
    }

    fn cd(&self, snapshot: &Snapshot, to: &Root) -> Result<Draft, ToolError> {
        let to = snapshot.find_root(to, &self.context)?.ok_or(ToolError::NotARoot)?;
        if let Some((_, home)) = &self.state {
            *home.lock().unwrap_or_else(PoisonError::into_inner) = Some(to.clone());
        }
        let (working, roots) = (self.working_address(), snapshot.roots(&self.context));
        let whereabouts = Whereabouts { home: &to, working: working.as_ref(), roots: &roots };
        Ok(dir::cd(&whereabouts, self.memory))
    }

    /// Answers a command that only people can give. A broken configuration can still be checked,
    /// and keys do not need one.
    pub(super) fn answer_person_command(
        &self,
        command: &PersonCommand,
        call: &PermittedCall<'_>,
        turn: &mut dyn Turn,
    ) -> Result<Draft, ToolError> {
        let request = call.request;
        let environment = &self.context.environment;
        match command {
            PersonCommand::CheckConfig => Ok(commands::check_config(&self.context)),
            PersonCommand::Keys(command) => Ok(commands::keys::run_command(
                environment,
                command,
                request.key_passphrase.as_ref(),
                request.caller.reader,
            )),
            PersonCommand::Secrets(command) => {
                Ok(commands::secrets::run_command(environment, command))
            }
            PersonCommand::Trust(command) => {
                Ok(commands::signers::run_command(environment, command))
            }
            PersonCommand::Receipts(command) => {
                Ok(commands::receipts::run_command(&self.context, command))
            }
            PersonCommand::Calls { limit } => {
                self.feed.write_waiting(environment);
                Ok(commands::calls::list_calls(&self.context, *limit))
            }
            PersonCommand::Stores(command) => self.with_store_call(call, turn, |call| {
                let create_categories = || self.reload_and_create_categories();
                Ok(memory::run_store_command(call, command, &create_categories)?)
            }),
            PersonCommand::Items(command) => self.with_command_call(call, turn, |call| {
                commands::execute_item_command(call, command)
            }),
        }
    }

    /// Makes what a call about items needs, and passes it to `answer`.
    pub(super) fn with_command_call(
        &self,
        call: &PermittedCall<'_>,
        turn: &mut dyn Turn,
        answer: impl FnOnce(&CommandCall<'_>) -> Result<Draft, ToolError>,
    ) -> Result<Draft, ToolError> {
        let PermittedCall { request, snapshot, run } = call;
        let turn = RefCell::new(turn);
        let (is_late, is_unlimited) = (wait_limit(), request.verb.has_no_time_limit());
        let is_cancelled = || check_active(&**turn.borrow()).is_err() || !is_unlimited && is_late();
        let gate = snapshot.gate(request.caller.reader);
        let report_progress = |done, total, words: &Prose| {
            if let Some(message) = gate.clear_text(words, &request.caller.agent) {
                turn.borrow_mut().progress(&Progress { done, total, message });
            }
        };
        let progress = |done, total| report_progress(done, Some(total), &Prose::words("items"));
        let report_note = |done, words: Prose| report_progress(done, None, &words);
        let stream_output = |stream, words: &Prose| {
            if let Some(text) = gate.clear_text(words, &request.caller.agent) {
                turn.borrow_mut().show_output(stream, &text);
            }
        };
        let reader = request.caller.reader;
        let view = self.view(snapshot, &request.caller, run.clone())?;
        let store_call = self.store_call(snapshot, &view, reader, &is_cancelled)?;
        let sources = self.item_sources(snapshot)?;
        let trust_policy = snapshot.trust_policy()?;
        let items = ItemReader { view: &view, sources: &sources, trust_policy, reader };
        let signals = CallSignals { is_cancelled: &is_cancelled, progress: &progress };
        let change = self.item_call(call, items, &is_cancelled)?;
        let with_current_spaces =
            |step: &mut ItemStep<'_>| self.with_current_spaces(call, &is_cancelled, step);
        let run = RunCall {
            items,
            context: &self.context,
            is_cancelled: &is_cancelled,
            run_config: snapshot.running()?,
            cells: &self.cells,
            open_run: &self.run_opener(&request.caller, snapshot),
            refusal_code: &error::run_error_code,
            report_tool_note: &report_note,
            stream_tool_output: &stream_output,
        };
        answer(&CommandCall {
            items: &items,
            change: &change,
            run: &run,
            store_call: &store_call,
            search: self.search_context(snapshot, items, signals)?,
            registry: snapshot.registry()?,
            agent_gate: snapshot.gate(Reader::Agent),
            with_current_spaces: &with_current_spaces,
            progress: &progress,
        })
    }

    /// Returns everything that a call can find items in.
    pub(super) fn item_sources<'a>(
        &'a self,
        snapshot: &'a Snapshot,
    ) -> Result<ItemSources<'a>, ToolError> {
        let spaces = snapshot.spaces(&self.context)?;
        Ok(ItemSources::new(spaces, &self.catalogs, self.memory_sources(snapshot)))
    }

    /// Returns what a call about memories and their stores needs.
    fn store_call<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        view: &'a View<'a>,
        reader: Reader,
        is_cancelled: &'a dyn Fn() -> bool,
    ) -> Result<StoreCall<'a>, ToolError> {
        let (context, tables) = (&self.context, &self.tables);
        let stores = snapshot.stores()?;
        Ok(StoreCall { view, context, stores, tables, reader, is_cancelled })
    }

    /// Returns what a search needs. The indexed texts depend on the folders that the gate knows,
    /// because the gate rewrites them, so these folders decide which database is used.
    pub(super) fn search_context<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        item_reader: ItemReader<'a>,
        signals: CallSignals<'a>,
    ) -> Result<SearchContext<'a>, ToolError> {
        let landmarks = snapshot.landmarks_digest();
        let sources = item_reader.sources;
        Ok(SearchContext {
            session_index: &self.searches,
            sources: CorpusSources {
                spaces: sources.spaces(),
                memory_sources: sources.memory_sources(),
                has_served_store: snapshot.stores()?.can_serve(),
                locate_database: Box::new(move || self.context.search_database(landmarks)),
                estimate_count: Box::new(move || sources.estimate_count()),
            },
            items: SearchAccess(item_reader).access(),
            agent_gate: snapshot.gate(Reader::Agent),
            embedder: snapshot.embedder()?,
            embedding_config: snapshot.embeddings()?,
            type_priority: snapshot.type_priority()?,
            rules: snapshot.rules_digest(),
            signals,
        })
    }

    /// Computes vectors for some items, for about `EMBEDDING_SLICE`. A server does this again and
    /// again; searches do not wait for it.
    pub fn embed_some_items(&self) {
        let snapshot = self.snapshot();
        let Ok(embedder) = snapshot.embedder() else { return };
        let (caller, view) = (Caller::default(), OnceCell::new());
        let is_visible = |place: &ScopedPath| {
            let view =
                view.get_or_init(|| self.view(&snapshot, &caller, RunPermit::unbound()).ok());
            view.as_ref().is_some_and(|view| items::is_visible(view, place))
        };
        let gate = snapshot.gate(Reader::Agent);
        let embedding =
            EmbeddingJob { embedder, gate, is_visible: &is_visible, threads: ThreadBudget::One };
        let began = Instant::now();
        let ended = self.searches.embed_missing(&embedding, &|_| began.elapsed() > EMBEDDING_SLICE);
        if let Err(error) = ended {
            tracing::debug!(trouble = %error, "items are still waiting for their vectors");
        }
    }

    /// Returns the stores that a search for memories covers.
    pub(super) fn memory_sources<'a>(&'a self, snapshot: &'a Snapshot) -> Vec<MemorySource<'a>> {
        let stores =
            snapshot.stores().map(Stores::stores_to_search).unwrap_or_default().into_iter();
        let (context, tables) = (&self.context, &self.tables);
        stores.map(|store| MemorySource { store, context, tables }).collect()
    }

    /// Makes what a call about stores needs, and passes it to `answer`.
    pub(super) fn with_store_call(
        &self,
        call: &PermittedCall<'_>,
        turn: &dyn Turn,
        answer: impl FnOnce(&StoreCall<'_>) -> Result<Draft, ToolError>,
    ) -> Result<Draft, ToolError> {
        let is_late = wait_limit();
        let is_cancelled = || check_active(turn).is_err() || is_late();
        let PermittedCall { request, snapshot, run } = call;
        let caller = &request.caller;
        let view = self.view(snapshot, caller, run.clone())?;
        answer(&self.store_call(snapshot, &view, caller.reader, &is_cancelled)?)
    }
}

/// Answers a call about items.
pub(super) fn answer_item_verb(
    call: &CommandCall<'_>,
    verb: &ItemVerb,
) -> Result<Draft, ToolError> {
    match verb {
        ItemVerb::Search(search) => {
            let registry = registry_calls::search_registry(call, search);
            Ok(search::search(&call.search, search, registry)?)
        }
        ItemVerb::Load(load) => load_item(call, load),
        ItemVerb::Execute(execute) => execute_item(call, execute),
        ItemVerb::Offer(offer) => Ok(offers::answer(call.run, offer)?),
    }
}

/// Loads an item, with what the search index knows about it.
fn load_item(call: &CommandCall<'_>, load: &Load) -> Result<Draft, ToolError> {
    if load.kind == ItemType::Memory {
        // A memory is not missing if its store cannot be served.
        call.store_call.served_store()?;
    }
    if load.source == LookupScope::Only(Scope::Registry) {
        return registry_calls::load_from_registry(call, load);
    }
    if let Some(draft) = items::builtin_tool::load_builtin(load) {
        return Ok(draft);
    }
    let loaded = match items::load::open(call.change, load) {
        Err(ItemError::Missing { .. }) if load.source == LookupScope::All => {
            return registry_calls::load_from_registry(call, load);
        }
        loaded => loaded?,
    };
    let walk = load.relationships.as_ref();
    let graph = walk.map(|walk| relationships(&call.search, loaded.place(), walk)).transpose()?;
    let related = RelatedFields {
        relationships: graph.flatten(),
        superseded_by: find_successor(&call.search, loaded.place()),
    };
    Ok(loaded.reply(call.items, related))
}

/// Runs or changes an item. A memory that a person deletes is deleted as its store requires.
fn execute_item(call: &CommandCall<'_>, execute: &Execute) -> Result<Draft, ToolError> {
    match (&execute.action, execute.kind, call.items.reader) {
        (ItemAction::Run(inputs), _, _) => {
            Ok(run::run_item(call.run, &call.search, execute, inputs)?)
        }
        (ItemAction::Publish { is_confirmed }, ..) => {
            let confirmation = if *is_confirmed {
                registry_calls::Confirmation::Given
            } else {
                registry_calls::Confirmation::Missing
            };
            registry_calls::publish_item(call, execute, confirmation)
        }
        (ItemAction::Delete { .. }, ItemType::Memory, Reader::Person) => {
            let named = (&execute.item, call.change.effective_source(execute.source));
            commands::delete_memory(call, named, execute.into())
        }
        _ => Ok(items::change_item(call.change, execute)?),
    }
}

/// Answers a call about categories, memories or stores.
pub(super) fn answer_store_verb(
    call: &StoreCall<'_>,
    verb: &StoreVerb,
) -> Result<Draft, ToolError> {
    match verb {
        StoreVerb::Category(category) => Ok(memory::run_category_call(call, category)?),
        StoreVerb::Memory(memory) => Ok(memory::run_memory_call(call, memory)?),
        StoreVerb::List => Ok(memory::list_stores(call)),
    }
}
