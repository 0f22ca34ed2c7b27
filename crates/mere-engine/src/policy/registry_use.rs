//! Whether a call may ask a registry. While an agent follows a directive with `<permissions>`, it may
//! as far as they list the resource `registry`.
//!
//! A [`RegistryPermit`] is part of every choice of a registry, so no call reaches one without being
//! asked about here.

use mere_core::item::PermittedAccess;

use super::directive_runs::{MissingPermission, RunPermit, RunRefusal};

/// What a call does with a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegistryUse {
    /// It searches, lists or shows.
    Look,
    /// It installs what it reads there.
    Install,
    /// It changes what is there.
    Publish,
}

/// What a directive lets an agent do with registries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RegistryReach {
    #[default]
    Nothing,
    Read,
    Write,
}

impl RegistryReach {
    /// Returns what a permission adds to what others permit. What may be written may be read.
    pub(super) fn extend(self, access: PermittedAccess) -> Self {
        self.max(match access {
            PermittedAccess::Read => Self::Read,
            PermittedAccess::Write => Self::Write,
            PermittedAccess::Execute => Self::Nothing,
        })
    }
}

/// Permission to ask a registry.
#[derive(Clone, Copy, Debug)]
pub struct RegistryPermit(());

impl RunPermit {
    /// Permits a registry to be asked.
    pub(crate) fn permit_registry(&self, what: RegistryUse) -> Result<RegistryPermit, RunRefusal> {
        let (needed, access) = match what {
            RegistryUse::Look | RegistryUse::Install => {
                (RegistryReach::Read, PermittedAccess::Read)
            }
            RegistryUse::Publish => (RegistryReach::Write, PermittedAccess::Write),
        };
        // A call that does not say to which run it belongs may look, as at files.
        if what == RegistryUse::Look && self.tool_limits().is_none() {
            return Ok(RegistryPermit(()));
        }
        let is_listed = |limits: &super::RunLimits| limits.registry_reach() >= needed;
        self.permit(is_listed, || MissingPermission::Registry(access))?;
        Ok(RegistryPermit(()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mere_core::item::{DirectivePermission, PermittedResource};
    use mere_core::request::Verb;

    use super::super::directive_runs::{RunBond, RunLimits, permit_call};
    use super::*;

    const ALL: [RegistryUse; 3] = [RegistryUse::Look, RegistryUse::Install, RegistryUse::Publish];

    fn check(bond: RunBond, expected: [&str; 3]) {
        let permit = permit_call(bond, &Verb::Help { topic: None });
        let found = ALL.map(|what| match permit.permit_registry(what) {
            Ok(_) => String::new(),
            Err(RunRefusal::Missing(missing)) => missing.to_string(),
            Err(RunRefusal::HandleNeeded) => "a handle".to_owned(),
        });
        assert_eq!(found, expected);
    }

    fn limits(access: &[PermittedAccess]) -> RunBond {
        let permissions = access.iter().map(|access| DirectivePermission {
            access: *access,
            resource: PermittedResource::Registry,
        });
        let permissions = permissions.collect::<Vec<_>>();
        let directive = "a/follow".parse().expect("a reference");
        RunBond::Limits(Arc::new(RunLimits::new(directive, &permissions, &[])))
    }

    #[test]
    fn a_run_reaches_a_registry_as_far_as_it_is_listed() {
        let (read, write) = ("registry read", "registry write");
        check(limits(&[]), [read, read, write]);
        check(limits(&[PermittedAccess::Execute]), [read, read, write]);
        check(limits(&[PermittedAccess::Read]), ["", "", write]);
        check(limits(&[PermittedAccess::Write, PermittedAccess::Read]), ["", "", ""]);
        check(RunBond::Free, ["", "", ""]);
        check(RunBond::HandleNeeded, ["", "a handle", "a handle"]);
    }
}
