//! What a person's command needs, each part for the commands that need no more.

use mere_core::gate::Gate;

use crate::config::RegistryConfig;
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemReader};
use crate::memory::StoreCall;
use crate::policy::{Denied, RegistryUse};
use crate::registry::RegistryChoice;
use crate::run::RunCall;
use crate::search::SearchContext;

/// One step of a call that changes items.
pub(crate) type ItemStep<'a> = dyn FnMut(&ItemCall<'_>) -> Result<(), ToolError> + 'a;

/// One command that a person gives, or a call of an agent that spans several rooms.
pub(crate) struct CommandCall<'a> {
    /// To look at items.
    pub(crate) items: &'a ItemReader<'a>,
    /// To change items.
    pub(crate) change: &'a ItemCall<'a>,
    /// To run items.
    pub(crate) run: &'a RunCall<'a>,
    /// To change memories and their stores.
    pub(crate) store_call: &'a StoreCall<'a>,
    pub(crate) search: SearchContext<'a>,
    /// Which registry is asked, and when its log is believed.
    pub(crate) registry: &'a RegistryConfig,
    /// The gate that replies to agents pass through, even if a person makes this call.
    pub(crate) agent_gate: &'a Gate,
    /// Passes on what changes items as it is with the spaces that this call has made.
    pub(crate) with_current_spaces: &'a dyn Fn(&mut ItemStep<'_>) -> Result<(), ToolError>,
    /// Reports the progress of a long command: how many steps are done, and how many there are.
    pub(crate) progress: &'a dyn Fn(u64, u64),
}

impl<'a> CommandCall<'a> {
    /// Returns the registry that is asked where nobody names one, if the call may do this there.
    pub(crate) fn registry_choice(&self, what: RegistryUse) -> Result<RegistryChoice<'a>, Denied> {
        let permit = self.items.view.run.permit_registry(what)?;
        let environment = &self.change.context.environment;
        Ok(RegistryChoice::new(permit, environment, self.registry))
    }
}
