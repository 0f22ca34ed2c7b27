//! Finds the run of a directive that binds a call, before anything is done for it, and makes the
//! view of a call within it.
//!
//! What the run then permits is decided in `policy/directive_runs.rs`.

use mere_core::address::{AgentName, Root};
use mere_core::item::{Directive, ItemRef, ScopedPath};
use mere_core::reply::{Draft, codes};
use mere_core::request::{Caller, Reader, Request, RunHandle, Verb};

use super::Session;
use super::open_runs::{RunSharing, UnknownRun};
use crate::error::tool_error::ToolError;
use crate::files::view::View;
use crate::memory::Stores;
use crate::policy::{RunBond, RunLimits, RunPermit, permit_call};
use crate::session::snapshot::Snapshot;
use crate::world::World;

impl Session {
    /// Returns what the call may see, write and run. A person is bound by nothing.
    pub(super) fn permit_request(
        &self,
        request: &Request,
        snapshot: &Snapshot,
    ) -> Result<RunPermit, ToolError> {
        match request.caller.reader {
            Reader::Person => Ok(RunPermit::unbound()),
            Reader::Agent => {
                Ok(permit_call(self.find_bond(&request.caller, snapshot)?, &request.verb))
            }
        }
    }

    /// Returns what an agent may see that calls no tool.
    pub(super) fn permit_reading(
        &self,
        caller: &Caller,
        snapshot: &Snapshot,
    ) -> Result<RunPermit, ToolError> {
        Ok(permit_call(self.find_bond(caller, snapshot)?, &Verb::Help { topic: None }))
    }

    /// Returns the roots one agent sees now; `None` while the configuration is broken.
    pub fn world(&self, agent: &AgentName) -> Option<World> {
        let caller = Caller { agent: agent.clone(), ..Caller::default() };
        let snapshot = self.snapshot();
        let run = self.permit_reading(&caller, &snapshot).ok()?;
        Some(snapshot.world(&self.context, agent).ok()?.within_run(&run))
    }

    /// Returns what one call sees, as the disk is now.
    pub(super) fn view<'a>(
        &'a self,
        snapshot: &'a Snapshot,
        caller: &'a Caller,
        run: RunPermit,
    ) -> Result<View<'a>, ToolError> {
        let home = match caller.home.clone().unwrap_or_else(|| self.path_home()) {
            // Without a project, this is not there either: each path that starts at it says so.
            Root::Project => Root::Project,
            home => self.find_root(snapshot, &home)?,
        };
        let world = snapshot.world(&self.context, &caller.agent)?.within_run(&run);
        let (gate, digest_key) = (snapshot.gate(caller.reader), self.context.digest_key());
        let workspace_limits = snapshot.agents()?.workspace_limits();
        Ok(View { world, run, gate, agent: &caller.agent, home, workspace_limits, digest_key })
    }

    /// Finds what binds an agent's call: the run that it names, or on stdio the open one.
    fn find_bond(&self, caller: &Caller, snapshot: &Snapshot) -> Result<RunBond, ToolError> {
        let open = || self.open_runs.any_run(&caller.agent);
        let handle = match (&caller.run, self.open_runs.sharing()) {
            (Some(handle), _) => Some(handle.clone()),
            (None, RunSharing::OnePerAgent) => open(),
            (None, RunSharing::ByHandle) => {
                let is_required =
                    snapshot.running().map_or(true, |running| running.requires_run_handle);
                let is_needed = is_required && open().is_some();
                return Ok(if is_needed { RunBond::HandleNeeded } else { RunBond::Free });
            }
        };
        let limits = match handle {
            Some(handle) => {
                let found = self.open_runs.find(&caller.agent, &handle);
                found.map_err(|UnknownRun| ToolError::UnknownRun)?
            }
            None => None,
        };
        Ok(limits.map_or(RunBond::Free, RunBond::Limits))
    }

    /// Returns what opens a run for a directive that an agent is about to follow.
    pub(super) fn run_opener(
        &self,
        caller: &Caller,
        snapshot: &Snapshot,
    ) -> impl Fn(&ScopedPath, Option<&Directive>) -> RunHandle {
        move |place, directive| {
            let limits = run_limits(snapshot, place, directive);
            self.open_runs.open(&caller.agent, caller.run.as_ref(), limits)
        }
    }

    /// Closes the run that the caller names or, on stdio, the open one.
    pub(super) fn close_run(&self, caller: &Caller) -> Result<Draft, ToolError> {
        let closed = self.open_runs.close(&caller.agent, caller.run.as_ref());
        closed.map_err(|UnknownRun| ToolError::UnknownRun)?;
        Ok(Draft::success(codes::RUN_CLOSED, "The run was closed; it no longer limits you."))
    }
}

/// Returns the limits of a run, or `None` for a directive without `<permissions>`.
fn run_limits(
    snapshot: &Snapshot,
    place: &ScopedPath,
    directive: Option<&Directive>,
) -> Option<RunLimits> {
    let permitted = directive.and_then(|directive| directive.permitted.as_deref())?;
    let stores = snapshot.stores().map(Stores::stores_to_search).unwrap_or_default();
    let stores = stores.iter().map(|store| store.address.clone()).collect::<Vec<_>>();
    let (category, id) = (Some(place.category.clone()), place.id.clone());
    Some(RunLimits::new(ItemRef { category, id, version: None }, permitted, &stores))
}
