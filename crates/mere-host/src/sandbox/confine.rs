//! The rights that a process gives up for itself and for everything that it starts: resources
//! beyond its limits, capabilities, its user, and paths that landlock does not allow.
//!
//! None of this can be undone by the tool that runs afterwards.

use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, Gid, Uid, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_no_new_privs, set_thread_res_gid, set_thread_res_uid,
};

use super::protocol::{Access, ProcessLimits};

/// The user that a tool runs as inside its cell.
pub(super) const CELL_USER: u32 = 1000;

/// The newest landlock version that is used.
const NEWEST_ABI: ABI = ABI::V6;

/// Sets the resource limits of each process.
pub(super) fn set_process_limits(bounds: ProcessLimits) -> io::Result<()> {
    let limits = [
        (Resource::Cpu, bounds.processor),
        (Resource::Fsize, bounds.file),
        (Resource::Nproc, bounds.tasks),
        (Resource::Nofile, bounds.open),
        (Resource::Core, 0),
        (Resource::Memlock, 64 * 1024),
        (Resource::Msgqueue, 0),
        (Resource::Sigpending, bounds.tasks),
    ];
    for (resource, most) in limits {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    Ok(())
}

/// Makes the capabilities inheritable, so that the next program keeps them whatever user it runs
/// as.
pub(super) fn make_capabilities_inheritable() -> io::Result<()> {
    let mut sets = rustix::thread::capabilities(None)?;
    sets.inheritable = sets.permitted;
    set_capabilities(None, sets)?;
    for capability in sets.permitted.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}

/// Drops all capabilities and becomes an unprivileged user, irrevocably.
pub(super) fn drop_privileges() -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // The kernel does not know this capability.
            Err(rustix::io::Errno::INVAL) => {}
            removed => removed?,
        }
    }
    let (user, group) = (Uid::from_raw(CELL_USER), Gid::from_raw(CELL_USER));
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(set_no_new_privs(true)?)
}

/// The landlock rules of a tool.
pub(super) struct LandlockRules(RulesetCreated);

impl LandlockRules {
    /// Creates rules that allow nothing yet. Fails if the kernel has no landlock.
    pub(super) fn new() -> io::Result<Self> {
        let made = || {
            Ruleset::default()
                .set_compatibility(CompatLevel::HardRequirement)
                .handle_access(AccessFs::from_all(ABI::V1))?
                .set_compatibility(CompatLevel::BestEffort)
                .handle_access(AccessFs::from_all(NEWEST_ABI))?
                .handle_access(AccessNet::from_all(NEWEST_ABI))?
                .scope(Scope::from_all(NEWEST_ABI))?
                .create()
        };
        made().map(Self).map_err(|error| {
            tracing::debug!(%error, "no landlock");
            io::Error::new(io::ErrorKind::Unsupported, "the kernel does not support landlock")
        })
    }

    /// Allows access to paths.
    pub(super) fn allow_all(
        self,
        paths: impl IntoIterator<Item = (PathBuf, Access)>,
    ) -> io::Result<Self> {
        paths.into_iter().try_fold(self, |rules, (path, access)| rules.allow(&path, access))
    }

    /// Allows access to one path.
    fn allow(self, path: &Path, access: Access) -> io::Result<Self> {
        let folder = match access {
            Access::Read => AccessFs::from_read(NEWEST_ABI),
            Access::Write => {
                let special = AccessFs::MakeSock | AccessFs::MakeChar | AccessFs::MakeBlock;
                AccessFs::from_all(NEWEST_ABI) & !special
            }
        };
        let kept = if path.is_dir() { folder } else { folder & AccessFs::from_file(NEWEST_ABI) };
        self.add_rule(path, kept)
    }

    /// Allows connections to one port, where the kernel's landlock knows ports at all. The network
    /// of the cell has nothing else either way.
    pub(super) fn allow_port(self, port: u16) -> io::Result<Self> {
        let added = self.0.add_rule(NetPort::new(port, AccessNet::ConnectTcp));
        added.map(Self).map_err(io::Error::other)
    }

    fn add_rule(self, path: &Path, access: BitFlags<AccessFs>) -> io::Result<Self> {
        let place = PathFd::new(path).map_err(io::Error::other)?;
        let added = self.0.add_rule(PathBeneath::new(place, access));
        added.map(Self).map_err(io::Error::other)
    }

    /// Enforces the rules: every path that was not allowed is denied.
    pub(super) fn enforce(self) -> io::Result<()> {
        let status = self.0.restrict_self().map_err(io::Error::other)?;
        match status.ruleset {
            RulesetStatus::NotEnforced => Err(io::ErrorKind::Unsupported.into()),
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        }
    }
}
