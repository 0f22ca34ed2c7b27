//! Limits how many calls run at once, and how many of them may be one agent's, so that the rest is
//! left for the others. Tool runs have slots of their own, so that none of them keeps an agent from
//! its other calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mere_core::address::AgentName;
use mere_core::request::Request;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many calls run at once; the others wait.
pub(super) const MAX_CALLS: usize = 8;
/// How many of them may be one agent's.
const MAX_CALLS_PER_AGENT: usize = 6;
/// How many tools run at once.
const MAX_RUNS: usize = 4;
/// How many of them may be one agent's.
const MAX_RUNS_PER_AGENT: usize = 3;
/// How many agents are remembered; idle ones are forgotten first.
const MAX_AGENTS: usize = 256;

/// The slots for calls and those for tool runs.
pub(super) struct CallSlots {
    calls: SlotPool,
    runs: SlotPool,
}

/// A pool of slots, with a limit for each agent.
struct SlotPool {
    all: Arc<Semaphore>,
    by_agent: Mutex<HashMap<AgentName, Arc<Semaphore>>>,
    max_per_agent: usize,
}

/// A slot, held while a call runs.
pub(super) struct HeldSlot {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Default for CallSlots {
    fn default() -> Self {
        Self {
            calls: SlotPool::new(MAX_CALLS, MAX_CALLS_PER_AGENT),
            runs: SlotPool::new(MAX_RUNS, MAX_RUNS_PER_AGENT),
        }
    }
}

impl CallSlots {
    /// Waits for a slot for a call.
    pub(super) async fn acquire(&self, request: &Request) -> Option<HeldSlot> {
        let pool = if request.verb.is_long_running() { &self.runs } else { &self.calls };
        pool.acquire(&request.caller.agent).await
    }
}

impl SlotPool {
    fn new(most: usize, max_per_agent: usize) -> Self {
        let all = Arc::new(Semaphore::new(most));
        Self { all, by_agent: Mutex::default(), max_per_agent }
    }

    async fn acquire(&self, agent: &AgentName) -> Option<HeldSlot> {
        let own = self.agent_slots(agent).acquire_owned().await.ok()?;
        let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(HeldSlot { _own: own, _all: all })
    }

    fn agent_slots(&self, agent: &AgentName) -> Arc<Semaphore> {
        let mut agents = self.by_agent.lock().unwrap_or_else(PoisonError::into_inner);
        if agents.len() >= MAX_AGENTS {
            agents.retain(|_, places| places.available_permits() < self.max_per_agent);
        }
        let places = agents.entry(agent.clone());
        Arc::clone(places.or_insert_with(|| Arc::new(Semaphore::new(self.max_per_agent))))
    }
}
