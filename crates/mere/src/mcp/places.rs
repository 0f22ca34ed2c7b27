//! How many calls run at once, and how many of one agent: the rest is left for the others. Tools that
//! are run have places of their own, so that none of them keeps an agent from its other calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mere_core::name::AgentName;
use mere_core::request::Request;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many calls run at once; the others wait.
pub(super) const MAX_CALLS: usize = 8;
/// How many of them may be one agent's.
const MAX_OF_AGENT: usize = 6;
/// How many tools run at once.
const MAX_RUNS: usize = 4;
/// How many of them may be one agent's.
const MAX_RUNS_OF_AGENT: usize = 3;
/// How many agents are remembered; idle ones are forgotten first.
const MAX_AGENTS: usize = 256;

/// The places where calls run, and those where tools do.
pub(super) struct Places {
    calls: Room,
    runs: Room,
}

/// Some places.
struct Room {
    all: Arc<Semaphore>,
    of_agent: Mutex<HashMap<AgentName, Arc<Semaphore>>>,
    most_of_agent: usize,
}

/// A place, held while a call runs.
pub(super) struct Held {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            calls: Room::new(MAX_CALLS, MAX_OF_AGENT),
            runs: Room::new(MAX_RUNS, MAX_RUNS_OF_AGENT),
        }
    }
}

impl Places {
    /// Waits for a place for a call.
    pub(super) async fn take(&self, request: &Request) -> Option<Held> {
        let room = if request.verb.is_long_running() { &self.runs } else { &self.calls };
        room.take(&request.caller.agent).await
    }
}

impl Room {
    fn new(most: usize, most_of_agent: usize) -> Self {
        let all = Arc::new(Semaphore::new(most));
        Self { all, of_agent: Mutex::default(), most_of_agent }
    }

    async fn take(&self, agent: &AgentName) -> Option<Held> {
        let own = self.of(agent).acquire_owned().await.ok()?;
        let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Held { _own: own, _all: all })
    }

    fn of(&self, agent: &AgentName) -> Arc<Semaphore> {
        let mut agents = self.of_agent.lock().unwrap_or_else(PoisonError::into_inner);
        if agents.len() >= MAX_AGENTS {
            agents.retain(|_, places| places.available_permits() < self.most_of_agent);
        }
        let places = agents.entry(agent.clone());
        Arc::clone(places.or_insert_with(|| Arc::new(Semaphore::new(self.most_of_agent))))
    }
}
