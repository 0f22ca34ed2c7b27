//! What a person grants to a tool, and what is still missing from what it asks for.

use crate::address::{HostName, NetworkTarget};
use crate::item::{ProjectAccess, SecretName, ToolPermissions};

/// The addresses that a granted host may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostReach {
    /// Addresses on the public internet only.
    Public,
    /// Private, loopback and link-local addresses too.
    Private,
}

/// A host that a person granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GrantedHost {
    /// The host, and the port if it was limited to one.
    pub target: NetworkTarget,
    /// The addresses that it may lead to.
    pub reach: HostReach,
}

/// What a person granted to a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolGrant {
    /// Access to the project.
    pub project: Option<ProjectAccess>,
    /// The hosts that it may connect to.
    pub hosts: Vec<GrantedHost>,
    /// The secrets that it is given.
    pub secrets: Vec<SecretName>,
}

impl ToolGrant {
    /// Returns whether nothing is granted.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds another grant to the same tool.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.project = self.project.max(other.project);
        self.hosts.extend(other.hosts);
        self.hosts.sort();
        self.hosts.dedup();
        self.secrets.extend(other.secrets);
        self.secrets.sort();
        self.secrets.dedup();
        self
    }

    /// Returns the widest reach that was granted for a target, if it was granted at all.
    fn reach_of(&self, asked: &NetworkTarget) -> Option<HostReach> {
        let granted = self.hosts.iter().filter(|one| one.target.includes(asked));
        granted.map(|one| one.reach).max()
    }

    /// Returns the part of a request that is granted.
    #[must_use]
    pub fn granted_part(&self, asked: &ToolPermissions) -> Self {
        let project = asked.project.filter(|access| self.project >= Some(*access));
        let hosts = asked.hosts.iter().filter_map(|target| {
            let reach = self.reach_of(target)?;
            Some(GrantedHost { target: target.clone(), reach })
        });
        let secrets = asked.secrets.iter().filter(|name| self.secrets.contains(name)).cloned();
        Self { project, hosts: hosts.collect(), secrets: secrets.collect() }
    }

    /// Returns the part of a request that is not granted.
    pub fn missing_part(&self, asked: &ToolPermissions) -> ToolPermissions {
        let project = asked.project.filter(|access| self.project < Some(*access));
        let hosts = asked.hosts.iter().filter(|target| self.reach_of(target).is_none()).cloned();
        let secrets = asked.secrets.iter().filter(|name| !self.secrets.contains(name)).cloned();
        ToolPermissions { project, hosts: hosts.collect(), secrets: secrets.collect() }
    }

    /// Returns the part of this grant that a request does not ask for: granting it would do
    /// nothing.
    pub fn unasked_part(&self, asked: &ToolPermissions) -> ToolPermissions {
        let project = self.project.filter(|access| asked.project < Some(*access));
        let is_asked = |target: &NetworkTarget| {
            asked.hosts.iter().any(|one| one.includes(target) || target.includes(one))
        };
        let hosts = self.hosts.iter().map(|one| &one.target);
        let hosts = hosts.filter(|target| !is_asked(target)).cloned();
        let secrets = self.secrets.iter().filter(|name| !asked.secrets.contains(name)).cloned();
        ToolPermissions { project, hosts: hosts.collect(), secrets: secrets.collect() }
    }

    /// Returns how far a connection to this host and port may reach, or `None` if it is not
    /// granted.
    pub fn reach(&self, host: &HostName, port: u16) -> Option<HostReach> {
        let granted = self.hosts.iter().filter(|one| one.target.covers(host, port));
        granted.map(|one| one.reach).max()
    }
}

/// Returns the options of `mere grant` that grant what a tool asks for.
pub fn grant_options(asked: &ToolPermissions) -> String {
    let project = asked.project.iter().map(|access| format!(" --project {}", access.as_str()));
    let hosts = asked.hosts.iter().map(|target| format!(" --net {target}"));
    let secrets = asked.secrets.iter().map(|name| format!(" --secret {name}"));
    project.chain(hosts).chain(secrets).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(value: &serde_json::Value) -> ToolPermissions {
        ToolPermissions::parse(Some(value)).expect("permissions")
    }

    fn granted(project: Option<ProjectAccess>, hosts: &[(&str, HostReach)]) -> ToolGrant {
        let hosts = hosts.iter().map(|(target, reach)| GrantedHost {
            target: target.parse().expect("a target"),
            reach: *reach,
        });
        let secrets = vec!["KEY".parse().expect("a name")];
        ToolGrant { project, hosts: hosts.collect(), secrets }
    }

    #[test]
    fn what_is_missing_is_named_and_nothing_else() {
        use HostReach::{Private, Public};
        use ProjectAccess::{Propose, Read};
        let everything = json!({
            "project": "propose", "net": ["a.example:443", "b.example"], "secrets": ["KEY", "OTHER"],
        });
        let everything = asked(&everything);
        let grant = granted(Some(Read), &[("a.example", Public), ("a.example:443", Private)]);
        let missing = grant.missing_part(&everything);
        assert_eq!(grant_options(&missing), " --project propose --net b.example --secret OTHER");
        let part = grant.granted_part(&everything);
        assert_eq!((part.project, part.secrets.len()), (None, 1));
        let host = "a.example".parse().expect("a host");
        assert_eq!([443, 80].map(|port| part.reach(&host, port)), [Some(Private), None]);
        let grant = granted(Some(Propose), &[("c.example", Public)]);
        assert_eq!(grant.granted_part(&asked(&json!({"project": "read"}))).project, Some(Read));
        let unasked = grant.unasked_part(&asked(&json!({"project": "read", "net": ["a.example"]})));
        assert_eq!(grant_options(&unasked), " --project propose --net c.example --secret KEY");
    }
}
