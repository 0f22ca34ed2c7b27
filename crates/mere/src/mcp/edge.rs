//! What every server on this edge shares, and how one call is carried.
//!
//! A call goes to the door on a bounded pool. What the door gives back is carried in the client's
//! own era: progress as notifications, cancellation from the client's word or its closed stream, a
//! question as a request (2025-11-25) or as `input_required` with a sealed state (2026-07-28).

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mere_core::gate::{Cleared, Seal};
use mere_core::json;
use mere_core::name::AgentName;
use mere_core::request::{Caller, Request};
use mere_core::trace::TraceId;
use mere_core::turn::{Answer, Outcome, Resume, Turn};
use mere_engine::Session;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorCode, RequestStateCodec, SealOptions,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

use super::ask::{self, ElicitationMode};
use super::audience::Subscribers;
use super::listening::ClientTurn;
use super::outgoing::OutgoingReplies;
use super::places::{CallSlots, HeldSlot};
use super::translate;

/// How many KiB of arguments unanswered calls may hold together.
const MAX_ARGUMENT_KIB: usize = 64 * 1024;
/// How long one call may take, the time in which a person thinks not counted.
const MAX_CALL_TIME: Duration = Duration::from_mins(1);
/// The same for a tool that is run: as long as one may take, and a while to get there.
const MAX_RUN_TIME: Duration = Duration::from_mins(65);
/// How long a question stays open for a client that keeps its state.
const MAX_STATE_AGE: Duration = Duration::from_mins(15);

/// The shared half of a server.
pub(super) struct CallRunner {
    pub(super) session: Arc<Session>,
    pub(super) seal: Seal,
    pub(super) subscribers: Subscribers,
    pub(super) states: RequestStateCodec,
    slots: Arc<CallSlots>,
    /// One permit for each KiB that a call's arguments take while it is unanswered.
    argument_room: Semaphore,
    /// How many calls are unanswered.
    unanswered: watch::Sender<usize>,
    /// Replies over standard output that wait to be written.
    pub(super) outgoing: OutgoingReplies,
    /// The agents whose person is being asked something.
    open_questions: Mutex<HashSet<AgentName>>,
}

/// A call as the protocol brought it: what for, and what a resumed one brings back.
pub(super) struct PendingCall {
    pub(super) request: Request,
    /// What a question of this call is bound to: its agent, tool and arguments.
    binding: Vec<u8>,
}

impl CallRunner {
    pub(super) fn new(session: Arc<Session>) -> Self {
        let secret = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()].concat();
        Self {
            session,
            seal: Seal::new(Uuid::new_v4()),
            subscribers: Subscribers::default(),
            states: RequestStateCodec::new_unchecked(secret),
            slots: Arc::default(),
            argument_room: Semaphore::new(MAX_ARGUMENT_KIB),
            unanswered: watch::Sender::new(0),
            outgoing: OutgoingReplies::default(),
            open_questions: Mutex::default(),
        }
    }

    /// Who calls: the name the operator fixed, else over HTTP the token's, else over stdio the
    /// client's own, else `default`.
    pub(super) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let http = context.extensions.get::<http::request::Parts>();
        let named = match http {
            Some(parts) => parts.extensions.get::<AgentName>().cloned(),
            None => context.client_info().and_then(|client| AgentName::from_title(&client.name)),
        };
        let agent = self.session.agent().cloned().or(named).unwrap_or_default();
        let trace = context.meta.get_traceparent().and_then(TraceId::from_traceparent);
        Caller { agent, trace, ..Caller::default() }
    }

    /// A tool call as a request to the door. A state that came back is opened here: one that was
    /// not sealed by us for this very call is refused.
    pub(super) fn parse_call(
        &self,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<PendingCall, ErrorData> {
        let caller = self.caller(context);
        let arguments = params.arguments.clone().unwrap_or_default();
        let sorted = json::sort_keys(&Value::Object(arguments.clone()));
        let home = self.session.home();
        let bound = format!("{}\0{}\0{home}\0{sorted}", caller.agent, params.name).into_bytes();
        let mut request = Request::new(caller, &params.name, &arguments);
        if let Some(state) = &params.request_state {
            let opened = self.states.open_with(state, &bound);
            let resume = opened.map_err(|_| ErrorData::invalid_params(BAD_STATE, None))?;
            let answer = ask::find_answer(params.input_responses.as_ref());
            request.answer = answer.map(|answer| (Resume(resume), answer));
        }
        Ok(PendingCall { request, binding: bound })
    }

    /// Carries a call through `door` until it is done, or until the client must come back with an
    /// answer.
    pub(super) async fn run_call<D>(
        &self,
        call: PendingCall,
        context: &RequestContext<RoleServer>,
        door: D,
    ) -> Result<CallToolResponse, ErrorData>
    where
        D: Fn(&Request, &mut dyn Turn) -> Outcome + Send + Sync + 'static,
    {
        let PendingCall { mut request, binding: bound } = call;
        let kib = u32::try_from(bound.len() / 1024 + 1).unwrap_or(u32::MAX);
        let busy = |_| ErrorData::new(BUSY, "too many calls are unanswered", None);
        let _held = self.argument_room.try_acquire_many(kib).map_err(busy)?;
        let _counted = UnansweredCall::new(&self.unanswered);
        let door = Arc::new(door);
        loop {
            let (outcome, place) = self.run_once(&request, context, Arc::clone(&door)).await?;
            let (question, resume) = match outcome {
                Outcome::Done(reply) => {
                    // The place is kept until there is room for the reply: so only so many replies
                    // are in memory, however slowly a client reads.
                    let over_http = context.extensions.get::<http::request::Parts>().is_some();
                    if !over_http && !context.ct.is_cancelled() {
                        let size = reply.json().len() + reply.mirror_json().len();
                        self.outgoing.reserve(&context.id, size).await;
                    }
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
                        Some(_open) => ask::elicit(&question, context, &self.seal).await,
                        // One question at a time: a person must not be flooded into saying yes.
                        None => Answer::No,
                    }
                }
                ElicitationMode::InputRequired => {
                    let options = SealOptions::new().associated_data(&bound).ttl(MAX_STATE_AGE);
                    let state = self.states.seal_with(&resume.0, &options);
                    return ask::input_required(&question, state, &self.seal);
                }
            };
            request.answer = Some((resume, answer));
        }
    }

    fn result(&self, reply: Cleared) -> CallToolResponse {
        translate::result(reply, &self.seal).into()
    }

    /// One visit at the door.
    ///
    /// Over stdio requests are taken in the order they came. One that needs no disk is answered at
    /// once, and any other gets the home of this moment: so what was asked before a `cd` sees the
    /// old home, and what was asked after it the new one.
    async fn run_once<D>(
        &self,
        request: &Request,
        context: &RequestContext<RoleServer>,
        door: Arc<D>,
    ) -> Result<(Outcome, Option<HeldSlot>), ErrorData>
    where
        D: Fn(&Request, &mut dyn Turn) -> Outcome + Send + Sync + 'static,
    {
        let most = if request.verb.is_long_running() { MAX_RUN_TIME } else { MAX_CALL_TIME };
        let deadline = Instant::now() + most;
        if request.verb.is_instant() && request.tool.is_some() {
            let outcome = door(request, &mut ClientTurn::without_progress(context, deadline));
            return Ok((outcome, None));
        }
        let mut request = request.clone();
        request.caller.home.get_or_insert_with(|| self.session.home());
        let mut turn = ClientTurn::new(context, deadline, &self.seal);
        let places = Arc::clone(&self.slots);
        let visit = async move {
            let place = places.acquire(&request).await?;
            let visit =
                tokio::task::spawn_blocking(move || (door(&request, &mut turn), Some(place)));
            visit.await.ok()
        };
        // The door looks at the clock and at the client too; this is for a call that waits for its
        // place, or for a disk that does not answer.
        tokio::select! {
            outcome = visit => outcome.ok_or_else(|| internal_error("the call could not be run")),
            () = context.ct.cancelled() => Err(internal_error("the call was cancelled")),
            () = tokio::time::sleep(most + DEADLINE_GRACE) => Err(internal_error("the call took too long")),
        }
    }

    /// Ends when no call is unanswered.
    pub(super) async fn wait_until_idle(&self) {
        let _ = self.unanswered.subscribe().wait_for(|count| *count == 0).await;
    }
}

/// A question to an agent's person, while it is open.
struct OpenQuestion<'a> {
    agents: &'a Mutex<HashSet<AgentName>>,
    agent: AgentName,
}

impl<'a> OpenQuestion<'a> {
    /// `None` if another one is open already.
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

/// Counts a call while it is unanswered.
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

/// How much longer than the door itself the edge waits for it.
const DEADLINE_GRACE: Duration = Duration::from_secs(5);
const BUSY: ErrorCode = ErrorCode(-32000);
const BAD_STATE: &str = "the request state is not one this server gave for this call";
