//! How many calls run at once, and how many of one agent: the rest is left for the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mere_core::name::AgentName;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How many calls run at once; the others wait.
pub(super) const MAX_CALLS: usize = 8;
/// How many of them may be one agent's.
const MAX_OF_AGENT: usize = 6;
/// How many agents are remembered; idle ones are forgotten first.
const MAX_AGENTS: usize = 256;

/// The places where calls run.
pub(super) struct Places {
    all: Arc<Semaphore>,
    of_agent: Mutex<HashMap<AgentName, Arc<Semaphore>>>,
}

/// A place, held while a call runs.
pub(super) struct Held {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Default for Places {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_CALLS)), of_agent: Mutex::default() }
    }
}

impl Places {
    /// Waits for a place for a call of this agent.
    pub(super) async fn take(&self, agent: &AgentName) -> Option<Held> {
        let own = self.of(agent).acquire_owned().await.ok()?;
        let all = Arc::clone(&self.all).acquire_owned().await.ok()?;
        Some(Held { _own: own, _all: all })
    }

    fn of(&self, agent: &AgentName) -> Arc<Semaphore> {
        let mut agents = self.of_agent.lock().unwrap_or_else(PoisonError::into_inner);
        if agents.len() >= MAX_AGENTS {
            agents.retain(|_, places| places.available_permits() < MAX_OF_AGENT);
        }
        let places = agents.entry(agent.clone());
        Arc::clone(places.or_insert_with(|| Arc::new(Semaphore::new(MAX_OF_AGENT))))
    }
}
