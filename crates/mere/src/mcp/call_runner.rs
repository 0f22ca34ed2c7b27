//! The state that all servers share, and the way one call is run.
//!
//! A call goes to the door on a bounded pool. The outcome is delivered as the client's protocol
//! version requires: progress as notifications, cancellation by the client's notification or its
//! closed stream, and a question as a request (2025-11-25) or as `input_required` with a sealed
//! state (2026-07-28).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mere_core::address::AgentName;
use mere_core::gate::{Cleared, Seal};
use mere_core::request::{Caller, PersonPresence, Request};
use mere_core::text::json;
use mere_core::trace::TraceId;
use mere_core::turn::{Answer, Outcome, Turn};
use mere_engine::Session;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorCode};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

use super::call_slots::{CallSlots, HeldSlot};
use super::client_turn::ClientTurn;
use super::elicitation::{self, ElicitationMode};
use super::open_states::{OpenStates, UnknownState};
use super::outgoing::OutgoingReplies;
use super::subscribers::Subscribers;
use super::translate;

/// How many KiB of arguments all unanswered calls may hold together.
const MAX_ARGUMENT_KIB: usize = 64 * 1024;

/// The state that all connections of a server share.
pub(super) struct CallRunner {
    pub(super) session: Arc<Session>,
    pub(super) seal: Seal,
    pub(super) subscribers: Subscribers,
    pub(super) states: OpenStates,
    slots: Arc<CallSlots>,
    /// One permit for each KiB of arguments of the unanswered calls.
    argument_room: Semaphore,
    /// How many calls are unanswered.
    unanswered: watch::Sender<usize>,
    /// The replies that wait to be written to standard output.
    pub(super) outgoing: OutgoingReplies,
    /// The agents whose person is being asked something.
    open_questions: Mutex<HashSet<AgentName>>,
}

/// A call as the protocol delivered it, with the answer that a resumed call brings back.
pub(super) struct PendingCall {
    pub(super) request: Request,
    /// What a question of this call is bound to: its agent, tool, home and arguments.
    binding: Vec<u8>,
}

impl CallRunner {
    pub(super) fn new(session: Arc<Session>) -> Self {
        Self {
            session,
            seal: Seal::new(Uuid::new_v4()),
            subscribers: Subscribers::default(),
            states: OpenStates::new(),
            slots: Arc::default(),
            argument_room: Semaphore::new(MAX_ARGUMENT_KIB),
            unanswered: watch::Sender::new(0),
            outgoing: OutgoingReplies::default(),
            open_questions: Mutex::default(),
        }
    }

    /// Returns who is calling: the name that the operator fixed; else over HTTP the token's name
    /// and over stdio the client's own; else `default`.
    pub(super) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let http = context.extensions.get::<http::request::Parts>();
        let named = match http {
            Some(parts) => parts.extensions.get::<AgentName>().cloned(),
            None => context.client_info().and_then(|client| AgentName::from_title(&client.name)),
        };
        let agent = self.session.agent().cloned().or(named).unwrap_or_default();
        let trace = context.meta.get_traceparent().and_then(TraceId::from_traceparent);
        let person = match ElicitationMode::for_client(context) {
            ElicitationMode::Unsupported => PersonPresence::Absent,
            ElicitationMode::Request | ElicitationMode::InputRequired => PersonPresence::Present,
        };
        Caller { agent, trace, person, ..Caller::default() }
    }

    /// Adds to the feed of calls that a client was sent this list.
    pub(super) fn note_list(
        &self,
        context: &RequestContext<RoleServer>,
        of: &str,
        listed: &[impl serde::Serialize],
    ) {
        let bytes = serde_json::to_vec(listed).map_or(0, |text| text.len());
        self.session.note_list(&self.caller(context).agent, of, (listed.len(), bytes));
    }

    /// Turns a tool call into a request to the door. A state that came back is opened here, and
    /// refused unless we sealed it for this very call and nobody has answered it yet.
    pub(super) fn parse_call(
        &self,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<PendingCall, ErrorData> {
        let caller = self.caller(context);
        let arguments = params.arguments.clone().unwrap_or_default();
        let sorted = json::sort_keys(&Value::Object(arguments.clone()));
        let home = self.session.path_home();
        let bound = format!("{}\0{}\0{home}\0{sorted}", caller.agent, params.name).into_bytes();
        let mut request = Request::new(caller, &params.name, &arguments);
        if let Some(state) = &params.request_state {
            let unknown = |UnknownState| ErrorData::invalid_params(BAD_STATE, None);
            let opened = self.states.open(state, &bound).map_err(unknown)?;
            if let Some(answer) = elicitation::find_answer(params.input_responses.as_ref()) {
                let resume = self.states.answer(opened).map_err(unknown)?;
                request.answer = Some((resume, answer));
            }
        }
        Ok(PendingCall { request, binding: bound })
    }

    /// Runs a call through `handler` until it is done, or until the client must come back with an
    /// answer.
    pub(super) async fn run_call<D>(
        &self,
        call: PendingCall,
        context: &RequestContext<RoleServer>,
        handler: D,
    ) -> Result<CallToolResponse, ErrorData>
    where
        D: Fn(&Request, &mut dyn Turn) -> Outcome + Send + Sync + 'static,
    {
        let PendingCall { mut request, binding: bound } = call;
        let kib = u32::try_from(bound.len() / 1024 + 1).unwrap_or(u32::MAX);
        let busy = |_| ErrorData::new(BUSY, "too many calls are unanswered", None);
        let _held = self.argument_room.try_acquire_many(kib).map_err(busy)?;
        let _counted = UnansweredCall::new(&self.unanswered);
        let handler = Arc::new(handler);
        loop {
            let (outcome, place) = self.run_once(&request, context, Arc::clone(&handler)).await?;
            let (question, resume) = match outcome {
                Outcome::Done(reply) => {
                    // The slot is held until there is room for the reply. This bounds how many
                    // replies are in memory, however slowly a client reads.
                    let size = reply.json().len() + reply.mirror_json().len();
                    self.reserve_room(context, size).await;
                    drop(place);
                    return Ok(self.result(reply));
                }
                Outcome::Ask(question, resume) => (question, resume),
            };
            drop(place);
            let answer = match ElicitationMode::for_client(context) {
                ElicitationMode::Unsupported => Answer::No,
                ElicitationMode::Request => {
                    match OpenQuestion::open(&self.open_questions, &request.caller.agent) {
                        Some(_open) => elicitation::elicit(&question, context, &self.seal).await,
                        // Only one question at a time, so that a person cannot be flooded into saying
                        // yes.
                        None => Answer::No,
                    }
                }
                ElicitationMode::InputRequired => {
                    let state = self.states.seal(&resume, &request.caller.agent, &bound);
                    return elicitation::input_required(&question, state, &self.seal);
                }
            };
            request.answer = Some((resume, answer));
        }
    }

    /// Runs a request of a client that calls no tool. `handler` asks no questions.
    pub(super) async fn run_client_request<D>(
        &self,
        request: Request,
        context: &RequestContext<RoleServer>,
        handler: D,
    ) -> Result<Cleared, ErrorData>
    where
        D: Fn(&Request, &mut dyn Turn) -> Outcome + Send + Sync + 'static,
    {
        let _counted = UnansweredCall::new(&self.unanswered);
        let (outcome, place) = self.run_once(&request, context, Arc::new(handler)).await?;
        let Outcome::Done(reply) = outcome else {
            return Err(internal_error("the request asked a question"));
        };
        self.reserve_room(context, reply.json().len()).await;
        drop(place);
        Ok(reply)
    }

    /// Waits until there is room for a reply of this many bytes. Over HTTP, the connection waits.
    async fn reserve_room(&self, context: &RequestContext<RoleServer>, bytes: usize) {
        let over_http = context.extensions.get::<http::request::Parts>().is_some();
        if !over_http && !context.ct.is_cancelled() {
            self.outgoing.reserve(&context.id, bytes).await;
        }
    }

    fn result(&self, reply: Cleared) -> CallToolResponse {
        translate::result(reply, &self.seal).into()
    }

    /// Makes one call at the door.
    ///
    /// Over stdio, requests are taken in the order in which they came. One that looks at no
    /// file is answered at once, and any other gets the home as it is now. So a request from before a `cd`
    /// sees the old home, and one from after it sees the new one.
    async fn run_once<D>(
        &self,
        request: &Request,
        context: &RequestContext<RoleServer>,
        handler: Arc<D>,
    ) -> Result<(Outcome, Option<HeldSlot>), ErrorData>
    where
        D: Fn(&Request, &mut dyn Turn) -> Outcome + Send + Sync + 'static,
    {
        // Only people have verbs without a limit, and they are not here.
        let most = request.verb.time_limit().unwrap_or_default();
        let deadline = Instant::now() + most;
        if request.verb.is_instant() && request.tool.is_some() {
            let outcome = handler(request, &mut ClientTurn::without_progress(context, deadline));
            return Ok((outcome, None));
        }
        let mut request = request.clone();
        request.caller.home.get_or_insert_with(|| self.session.path_home());
        let mut turn = ClientTurn::new(context, deadline, &self.seal);
        let places = Arc::clone(&self.slots);
        let visit = async move {
            let place = places.acquire(&request).await?;
            let visit =
                tokio::task::spawn_blocking(move || (handler(&request, &mut turn), Some(place)));
            visit.await.ok()
        };
        // The door watches the clock and the client too. This is for a call that waits for its
        // slot, or for a disk that does not answer.
        tokio::select! {
            outcome = visit => outcome.ok_or_else(|| internal_error("the call could not be run")),
            () = context.ct.cancelled() => Err(internal_error("the call was cancelled")),
            () = tokio::time::sleep(most + DEADLINE_GRACE) => Err(internal_error("the call took too long")),
        }
    }

    /// Waits until no call is unanswered.
    pub(super) async fn wait_until_idle(&self) {
        let _ = self.unanswered.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// An open question to an agent's person. Dropping it closes the question.
struct OpenQuestion<'a> {
    agents: &'a Mutex<HashSet<AgentName>>,
    agent: AgentName,
}

impl<'a> OpenQuestion<'a> {
    /// Returns `None` if another question of this agent is already open.
    fn open(open: &'a Mutex<HashSet<AgentName>>, agent: &AgentName) -> Option<Self> {
        let first = open.lock().unwrap_or_else(PoisonError::into_inner).insert(agent.clone());
        first.then(|| Self { agents: open, agent: agent.clone() })
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.agent);
    }
}

/// Counts a call as unanswered until it is dropped.
struct UnansweredCall<'a>(&'a watch::Sender<usize>);

impl<'a> UnansweredCall<'a> {
    fn new(count: &'a watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(count)
    }
}

impl Drop for UnansweredCall<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

fn internal_error(words: &'static str) -> ErrorData {
    ErrorData::internal_error(words, None)
}

/// How much longer than the door itself the runner waits for it.
const DEADLINE_GRACE: Duration = Duration::from_secs(5);
const BUSY: ErrorCode = ErrorCode(-32000);
const BAD_STATE: &str =
    "the request state was not issued by this server for this call, or it was answered already";
