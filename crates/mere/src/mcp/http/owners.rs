//! Which agent a session belongs to: its id alone opens nothing for another.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use mere_core::name::AgentName;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// How many sessions may be open at once, and how many of one agent.
const MAX_SESSIONS: usize = 512;
const MAX_SESSIONS_PER_AGENT: usize = 256;

/// The owners of the open sessions.
#[derive(Default)]
pub(super) struct SessionOwners(Mutex<HashMap<String, AgentName>>);

impl SessionOwners {
    /// A session was opened by this agent.
    pub(super) fn add(&self, session: &str, agent: AgentName) {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.insert(session.to_owned(), agent);
    }

    /// Whether a session is this agent's.
    pub(super) fn is_owner(&self, session: &str, agent: &AgentName) -> bool {
        let owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(session) == Some(agent)
    }

    /// Whether this agent may open another session; forgets those that are gone.
    pub(super) async fn has_room(&self, sessions: &LocalSessionManager, agent: &AgentName) -> bool {
        let open = sessions.sessions.read().await;
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|session, _| open.contains_key(session.as_str()));
        let own = owners.values().filter(|owner| *owner == agent).count();
        open.len() < MAX_SESSIONS && own < MAX_SESSIONS_PER_AGENT
    }
}
