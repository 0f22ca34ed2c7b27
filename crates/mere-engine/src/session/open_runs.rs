//! The runs of directives that agents have open.
//!
//! They live in the memory of the session. On stdio an agent has at most one, which binds its calls;
//! over HTTP several clients may share an agent's name, so each run is found by its handle.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mere_core::address::AgentName;
use mere_core::request::RunHandle;
use uuid::Uuid;

use super::options::SessionState;
use crate::policy::RunLimits;

/// How many runs an agent may have open. Opening another closes the one that was not used for
/// longest.
const MAX_RUNS: usize = 64;
/// How long a run that is found by its handle stays open without being used.
const MAX_IDLE: Duration = Duration::from_hours(24);

/// Whether an agent can have several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunSharing {
    /// One client has one run at a time, which lasts as long as the session.
    OnePerAgent,
    /// Each run is found by its handle.
    ByHandle,
}

impl From<SessionState> for RunSharing {
    fn from(state: SessionState) -> Self {
        match state {
            SessionState::Kept | SessionState::OneCall => Self::OnePerAgent,
            SessionState::Stateless => Self::ByHandle,
        }
    }
}

/// The open runs of a session.
pub(super) struct OpenRuns {
    sharing: RunSharing,
    runs: Mutex<Vec<OpenRun>>,
}

struct OpenRun {
    agent: AgentName,
    handle: RunHandle,
    /// `None` for a directive that narrows nothing.
    limits: Option<Arc<RunLimits>>,
    used: Instant,
}

/// There is no open run with this handle, or it belongs to another agent.
#[derive(Debug)]
pub(super) struct UnknownRun;

impl OpenRuns {
    pub(super) fn new(sharing: RunSharing) -> Self {
        Self { sharing, runs: Mutex::default() }
    }

    /// Opens a run, and closes the one that it follows.
    pub(super) fn open(
        &self,
        agent: &AgentName,
        earlier: Option<&RunHandle>,
        limits: Option<RunLimits>,
    ) -> RunHandle {
        let handle = RunHandle::new(Uuid::new_v4().simple().to_string());
        let mut runs = self.lock();
        runs.retain(|run| {
            let is_followed = match self.sharing {
                RunSharing::OnePerAgent => true,
                RunSharing::ByHandle => Some(&run.handle) == earlier,
            };
            run.agent != *agent || !is_followed
        });
        let own = runs.iter().filter(|run| run.agent == *agent);
        if own.clone().count() >= MAX_RUNS
            && let Some(oldest) = own.min_by_key(|run| run.used).map(|run| run.handle.clone())
        {
            runs.retain(|run| run.handle != oldest);
        }
        let (limits, used) = (limits.map(Arc::new), Instant::now());
        runs.push(OpenRun { agent: agent.clone(), handle: handle.clone(), limits, used });
        handle
    }

    /// Returns the limits of the run with this handle.
    pub(super) fn find(
        &self,
        agent: &AgentName,
        handle: &RunHandle,
    ) -> Result<Option<Arc<RunLimits>>, UnknownRun> {
        let mut runs = self.lock();
        let mut own = runs.iter_mut().filter(|run| run.agent == *agent);
        let run = own.find(|run| run.handle == *handle).ok_or(UnknownRun)?;
        run.used = Instant::now();
        Ok(run.limits.clone())
    }

    /// Returns the handle of a run that the agent has open; `None` if it has none.
    pub(super) fn any_run(&self, agent: &AgentName) -> Option<RunHandle> {
        let runs = self.lock();
        runs.iter().find(|run| run.agent == *agent).map(|run| run.handle.clone())
    }

    /// Closes the run with this handle or, where an agent has one at a time, its run.
    pub(super) fn close(
        &self,
        agent: &AgentName,
        handle: Option<&RunHandle>,
    ) -> Result<(), UnknownRun> {
        let mut runs = self.lock();
        let is_meant = |run: &OpenRun| match handle {
            Some(handle) => run.agent == *agent && run.handle == *handle,
            None => run.agent == *agent && self.sharing == RunSharing::OnePerAgent,
        };
        let at = runs.iter().position(is_meant).ok_or(UnknownRun)?;
        runs.remove(at);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<OpenRun>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if self.sharing == RunSharing::ByHandle {
            runs.retain(|run| run.used.elapsed() < MAX_IDLE);
        }
        runs
    }

    pub(super) fn sharing(&self) -> RunSharing {
        self.sharing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> AgentName {
        name.parse().expect("a name")
    }

    #[test]
    fn the_handle_of_another_agent_is_unknown() {
        let runs = OpenRuns::new(RunSharing::ByHandle);
        let handle = runs.open(&agent("one"), None, None);
        assert!(runs.find(&agent("one"), &handle).is_ok());
        assert!(runs.find(&agent("two"), &handle).is_err());
        assert!(runs.close(&agent("two"), Some(&handle)).is_err());
        assert!(runs.close(&agent("one"), Some(&handle)).is_ok());
        assert!(runs.find(&agent("one"), &handle).is_err());
    }

    #[test]
    fn an_agent_has_a_bounded_number_of_runs() {
        let runs = OpenRuns::new(RunSharing::ByHandle);
        let (one, two) = (agent("one"), agent("two"));
        let other = runs.open(&two, None, None);
        let handles =
            (0..=MAX_RUNS).map(|_| runs.open(&one, None, None)).collect::<Vec<RunHandle>>();
        let open = handles.iter().filter(|handle| runs.find(&one, handle).is_ok());
        assert_eq!(open.count(), MAX_RUNS);
        assert!(runs.find(&two, &other).is_ok(), "the runs of others stay open");
    }

    #[test]
    fn the_next_run_closes_the_one_it_follows() {
        let by_handle = OpenRuns::new(RunSharing::ByHandle);
        let first = by_handle.open(&agent("one"), None, None);
        let second = by_handle.open(&agent("one"), None, None);
        by_handle.open(&agent("one"), Some(&first), None);
        assert!(by_handle.find(&agent("one"), &first).is_err());
        assert!(by_handle.find(&agent("one"), &second).is_ok());
        let single = OpenRuns::new(RunSharing::OnePerAgent);
        let first = single.open(&agent("one"), None, None);
        single.open(&agent("one"), None, None);
        assert!(single.find(&agent("one"), &first).is_err());
    }
}
