//! The records of what a person granted to tools.
//!
//! A record is for one project, keyed like every approval, and for one digest: once any tool of the
//! chain changes, a person has to grant again. Records live in the user's state folder, which no
//! root shows.

use mere_core::address::NetworkTarget;
use mere_core::chain::{Chain, GrantedHost, HostReach, ToolGrant};
use mere_core::digest::{Sha256, Sha256Hasher};
use mere_core::item::ProjectAccess;
use serde_json::{Value, json};

use crate::trust::approvals::records::{self, RecordError};
use crate::trust::project_key::ProjectKey;
use mere_host::Environment;

/// The file in the state folder that holds the records.
pub(crate) const FILE: &str = "grants.json";

/// A chain that something is granted to: its name, and what exactly it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrantedTool {
    /// `category/id` of the requested tool.
    pub(crate) name: String,
    pub(crate) digest: Sha256,
}

impl GrantedTool {
    /// Returns the identity of a chain. The tools that ship with the program are part of the program
    /// and do not count.
    pub(crate) fn of_chain(chain: &Chain) -> Self {
        let mut hasher = Sha256Hasher::default();
        for pin in chain.pins() {
            if let Some(scope) = pin.scope {
                let line = format!("{scope} {} {}\n", pin.reference(), pin.integrity);
                hasher.update(line.as_bytes());
            }
        }
        Self { name: chain.leaf().pin.reference().to_string(), digest: hasher.digest() }
    }
}

/// What was granted to one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GrantRecord {
    pub(crate) tool: GrantedTool,
    pub(crate) grant: ToolGrant,
}

impl GrantRecord {
    fn to_json(&self, key: &ProjectKey) -> Value {
        let of_reach = |reach| {
            let hosts = self.grant.hosts.iter().filter(move |one| one.reach == reach);
            hosts.map(|one| one.target.to_string()).collect::<Vec<_>>()
        };
        let mut record = key.record();
        record["tool"] = self.tool.name.clone().into();
        record["digest"] = self.tool.digest.to_string().into();
        record["project"] = json!(self.grant.project.map(ProjectAccess::as_str));
        record["net"] = json!(of_reach(HostReach::Public));
        record["net_private"] = json!(of_reach(HostReach::Private));
        let secrets = self.grant.secrets.iter().map(ToString::to_string);
        record["secrets"] = secrets.collect::<Vec<_>>().into();
        record
    }

    /// Parses a record. One that is not understood whole grants nothing.
    fn parse(record: &Value) -> Option<Self> {
        let name = record["tool"].as_str()?.to_owned();
        let digest = record["digest"].as_str()?.parse().ok()?;
        let project = match &record["project"] {
            Value::Null => None,
            value => Some(value.as_str()?.parse().ok()?),
        };
        let mut hosts = Vec::new();
        for (key, reach) in [("net", HostReach::Public), ("net_private", HostReach::Private)] {
            for target in parse_texts::<NetworkTarget>(&record[key])? {
                hosts.push(GrantedHost { target, reach });
            }
        }
        let secrets = parse_texts(&record["secrets"])?;
        let grant = ToolGrant { project, hosts, secrets };
        Some(Self { tool: GrantedTool { name, digest }, grant })
    }
}

fn parse_texts<T: std::str::FromStr>(value: &Value) -> Option<Vec<T>> {
    value.as_array()?.iter().map(|one| one.as_str()?.parse().ok()).collect()
}

/// Returns what was granted in a project.
pub(crate) fn read_grants(environment: &Environment, key: &ProjectKey) -> Vec<GrantRecord> {
    let records = records::parse_or_empty(environment.read_state_or_none(FILE));
    let own = records.iter().filter(|record| key.matches(record));
    own.filter_map(GrantRecord::parse).collect()
}

/// Returns what was granted to exactly this chain in a project.
pub(crate) fn find_grant(
    environment: &Environment,
    key: Option<&ProjectKey>,
    tool: &GrantedTool,
) -> ToolGrant {
    let records = key.map(|key| read_grants(environment, key)).unwrap_or_default();
    let own = records.into_iter().filter(|record| record.tool == *tool);
    own.fold(ToolGrant::default(), |all, record| all.union(record.grant))
}

/// Records a grant, and drops those for other digests of the same tool.
pub(crate) fn record_grant(
    environment: &Environment,
    key: &ProjectKey,
    granted: &GrantRecord,
) -> Result<(), RecordError> {
    records::update(environment.lock_state(), FILE, |records| {
        records.retain(|record| {
            !(key.matches(record) && record["tool"] == granted.tool.name.as_str())
        });
        records.push(granted.to_json(key));
    })
}

/// Takes back everything that was granted to a tool of this name in a project. Returns whether there
/// was anything.
pub(crate) fn remove_grants(
    environment: &Environment,
    key: &ProjectKey,
    name: &str,
) -> Result<bool, RecordError> {
    let mut had_any = false;
    records::update(environment.lock_state(), FILE, |records| {
        let before = records.len();
        records.retain(|record| !(key.matches(record) && record["tool"] == name));
        had_any = records.len() < before;
    })?;
    Ok(had_any)
}
