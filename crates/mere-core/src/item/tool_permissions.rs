//! What a tool asks for beyond its own files and the workspace: `permissions` in its manifest.
//!
//! Asking grants nothing. A person grants, for this digest of the tool and in this project.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value};

use crate::address::NetworkTarget;

/// The most hosts, and the most secrets, that one tool may ask for.
const MAX_REQUESTED: usize = 64;
/// The longest name of a secret, in bytes.
const MAX_SECRET_NAME: usize = 64;

/// The access to the project that a tool asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectAccess {
    /// The tool reads the project.
    Read,
    /// The tool reads the project, and its changes become a proposal.
    Propose,
}

impl ProjectAccess {
    /// Returns the word for it in a manifest and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Propose => "propose",
        }
    }
}

/// The text is neither `read` nor `propose`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("access to the project must be `read` or `propose`")]
pub struct ProjectAccessError;

impl FromStr for ProjectAccess {
    type Err = ProjectAccessError;

    fn from_str(text: &str) -> Result<Self, ProjectAccessError> {
        [Self::Read, Self::Propose]
            .into_iter()
            .find(|one| one.as_str() == text)
            .ok_or(ProjectAccessError)
    }
}

/// The name of a secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretName(String);

/// The text is not the name of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the name of a secret has 1 to 64 letters, digits, `_`, `-` or `.`, and begins with a letter or \
     digit, such as `GITHUB_TOKEN`"
)]
pub struct SecretNameError;

impl SecretName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SecretName {
    type Err = SecretNameError;

    fn from_str(text: &str) -> Result<Self, SecretNameError> {
        let is_character =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let is_valid = (1..=MAX_SECRET_NAME).contains(&text.len())
            && text.bytes().all(is_character)
            && text.as_bytes()[0].is_ascii_alphanumeric();
        is_valid.then(|| Self(text.to_owned())).ok_or(SecretNameError)
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a tool asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPermissions {
    /// Access to the project.
    pub project: Option<ProjectAccess>,
    /// The hosts that it connects to.
    pub hosts: Vec<NetworkTarget>,
    /// The secrets that it is given.
    pub secrets: Vec<SecretName>,
}

/// What is wrong with `permissions` in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolPermissionsFault {
    /// It is not a mapping of the known keys.
    #[error("`permissions` must be a mapping with the keys `project`, `net` and `secrets`")]
    Shape,
    /// `project` has another value.
    #[error("`permissions.project` must be `read` or `propose`")]
    Project,
    /// `net` is not a list of hosts.
    #[error("`permissions.net` must be a list of hosts, such as `api.example.org` or `[::1]:8080`")]
    Net,
    /// `secrets` is not a list of names.
    #[error("`permissions.secrets` must be a list of names, such as `GITHUB_TOKEN`")]
    Secrets,
    /// A list is too long.
    #[error("`permissions` may list at most 64 hosts and 64 secrets")]
    TooMany,
}

impl ToolPermissions {
    /// Parses `permissions` of a manifest. A missing or empty value asks for nothing.
    pub fn parse(value: Option<&Value>) -> Result<Self, ToolPermissionsFault> {
        let fields = match value {
            None | Some(Value::Null) => return Ok(Self::default()),
            Some(Value::Object(fields)) => fields,
            Some(_) => return Err(ToolPermissionsFault::Shape),
        };
        if fields.keys().any(|key| !["project", "net", "secrets"].contains(&key.as_str())) {
            return Err(ToolPermissionsFault::Shape);
        }
        let project = match fields.get("project") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let access = value.as_str().and_then(|text| text.parse().ok());
                Some(access.ok_or(ToolPermissionsFault::Project)?)
            }
        };
        let hosts = parse_list(fields.get("net"), ToolPermissionsFault::Net)?;
        let secrets = parse_list(fields.get("secrets"), ToolPermissionsFault::Secrets)?;
        Ok(Self { project, hosts, secrets })
    }

    /// Returns what is asked for as a manifest has it.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::new();
        let texts = |list: Vec<String>| Value::from(list);
        if let Some(access) = self.project {
            fields.insert("project".to_owned(), access.as_str().into());
        }
        if !self.hosts.is_empty() {
            let hosts = self.hosts.iter().map(ToString::to_string).collect();
            fields.insert("net".to_owned(), texts(hosts));
        }
        if !self.secrets.is_empty() {
            let secrets = self.secrets.iter().map(ToString::to_string).collect();
            fields.insert("secrets".to_owned(), texts(secrets));
        }
        Value::Object(fields)
    }

    /// Returns whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what another tool of the same chain asks for.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.project = self.project.max(other.project);
        self.hosts.extend(other.hosts);
        self.secrets.extend(other.secrets);
        self.sorted()
    }

    /// Adds a secret.
    #[must_use]
    pub fn with_secret(mut self, name: SecretName) -> Self {
        self.secrets.push(name);
        self.sorted()
    }

    fn sorted(mut self) -> Self {
        self.hosts.sort();
        self.hosts.dedup();
        self.secrets.sort();
        self.secrets.dedup();
        self
    }
}

/// Parses a list without duplicates, in its own order.
fn parse_list<T: FromStr + PartialEq>(
    value: Option<&Value>,
    fault: ToolPermissionsFault,
) -> Result<Vec<T>, ToolPermissionsFault> {
    let values = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(value) => value.as_array().ok_or(fault)?,
    };
    if values.len() > MAX_REQUESTED {
        return Err(ToolPermissionsFault::TooMany);
    }
    let mut parsed = Vec::<T>::new();
    for value in values {
        let one = value.as_str().and_then(|text| text.parse().ok()).ok_or(fault)?;
        if !parsed.contains(&one) {
            parsed.push(one);
        }
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_manifest_asks_for_what_it_lists() {
        let value = json!({
            "project": "propose", "net": ["a.example", "b.example:8443", "a.example"],
            "secrets": ["API_KEY"],
        });
        let asked = ToolPermissions::parse(Some(&value)).expect("permissions");
        assert_eq!(asked.project, Some(ProjectAccess::Propose));
        let hosts = asked.hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(hosts, ["a.example", "b.example:8443"]);
        assert_eq!(asked.secrets, ["API_KEY".parse().expect("a name")]);
        for nothing in [None, Some(json!(null)), Some(json!({})), Some(json!({"net": []}))] {
            assert!(ToolPermissions::parse(nothing.as_ref()).expect("nothing").is_empty());
        }
    }

    #[test]
    fn anything_else_is_a_fault() {
        use ToolPermissionsFault::{Net, Project, Secrets, Shape, TooMany};
        for (value, fault) in [
            (json!([]), Shape),
            (json!("read"), Shape),
            (json!({"shell": true}), Shape),
            (json!({"project": "write"}), Project),
            (json!({"project": true}), Project),
            (json!({"net": "a.example"}), Net),
            (json!({"net": ["*"]}), Net),
            (json!({"net": ["http://a.example"]}), Net),
            (json!({"net": [80]}), Net),
            (json!({"secrets": ["A B"]}), Secrets),
            (json!({"secrets": [""]}), Secrets),
            (json!({"secrets": vec!["A"; 65]}), TooMany),
        ] {
            assert_eq!(ToolPermissions::parse(Some(&value)), Err(fault), "{value}");
        }
    }
}
