//! Whether a person granted what a tool asks for.

use mere_core::chain::ToolGrant;
use mere_core::item::ToolPermissions;

/// Everything that a tool asks for, granted. Only `permit_grants` makes one; without it no run
/// sees the project, reaches a host or is given a secret.
pub struct GrantedPermissions {
    grant: ToolGrant,
}

impl GrantedPermissions {
    /// Returns the part of the grants that the tool asks for.
    pub(crate) fn grant(&self) -> &ToolGrant {
        &self.grant
    }
}

/// Permits what a tool asks for if all of it was granted. Otherwise returns what is missing. More
/// than it asks for is never given.
pub(crate) fn permit_grants(
    asked: &ToolPermissions,
    granted: &ToolGrant,
) -> Result<GrantedPermissions, ToolPermissions> {
    let missing = granted.missing_part(asked);
    if missing.is_empty() {
        Ok(GrantedPermissions { grant: granted.granted_part(asked) })
    } else {
        Err(missing)
    }
}
