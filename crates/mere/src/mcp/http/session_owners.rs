//! Which agent each session belongs to.
//!
//! A session's id alone gives another agent no access to it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use mere_core::address::AgentName;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// How many sessions may be open at once, and how many of them may be one agent's.
const MAX_SESSIONS: usize = 512;
const MAX_SESSIONS_PER_AGENT: usize = 256;

/// The owners of the open sessions.
#[derive(Default)]
pub(super) struct SessionOwners(Mutex<HashMap<String, AgentName>>);

impl SessionOwners {
    /// Records that this agent opened a session.
    pub(super) fn add(&self, session: &str, agent: AgentName) {
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.insert(session.to_owned(), agent);
    }

    /// Checks whether a session belongs to this agent.
    pub(super) fn is_owner(&self, session: &str, agent: &AgentName) -> bool {
        let owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(session) == Some(agent)
    }

    /// Checks whether this agent may open another session, and forgets the sessions that are
    /// closed.
    pub(super) async fn has_room(&self, sessions: &LocalSessionManager, agent: &AgentName) -> bool {
        let open = sessions.sessions.read().await;
        let mut owners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|session, _| open.contains_key(session.as_str()));
        let own = owners.values().filter(|owner| *owner == agent).count();
        open.len() < MAX_SESSIONS && own < MAX_SESSIONS_PER_AGENT
    }
}
