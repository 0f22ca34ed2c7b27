//! Whether a person granted what the tools of a chain ask for.

use mere_core::chain::{Chain, ToolGrant};
use mere_core::item::{Scope, ToolPermissions};

use super::{RunCall, RunError};
use crate::items::ItemError;
use crate::policy::{self, GrantedPermissions};
use crate::trust::approvals::grants::{GrantedTool, find_grant};
use crate::trust::project_key::ProjectKey;
use crate::world::Context;

/// What a chain asks for, and what was granted to it in this project.
pub(crate) struct GrantState {
    pub(crate) tool: GrantedTool,
    pub(crate) asked: ToolPermissions,
    pub(crate) granted: ToolGrant,
}

/// Returns the key of what is granted here: the project or, without one, the user's own space.
pub(crate) fn grants_key(context: &Context) -> std::io::Result<Option<ProjectKey>> {
    let scope = if context.project().is_ok() { Scope::Project } else { Scope::User };
    context.approval_key(scope)
}

/// Reads what a chain asks for and what was granted to it.
pub(crate) fn grant_state(call: &RunCall<'_>, chain: &Chain) -> Result<GrantState, RunError> {
    let asked = chain.requested_permissions().map_err(RunError::Config)?;
    let tool = GrantedTool::of_chain(chain);
    let key = grants_key(call.context).map_err(ItemError::Unsearchable)?;
    let granted = find_grant(&call.context.environment, key.as_ref(), &tool);
    Ok(GrantState { tool, asked, granted })
}

/// Requires that everything a chain asks for was granted.
pub(super) fn check_grants(
    call: &RunCall<'_>,
    chain: &Chain,
) -> Result<GrantedPermissions, RunError> {
    let state = grant_state(call, chain)?;
    policy::permit_grants(&state.asked, &state.granted).map_err(|missing| {
        let tool = Box::new(chain.leaf().pin.reference());
        RunError::NotGranted { tool, missing: Box::new(missing) }
    })
}
