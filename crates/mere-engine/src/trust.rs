//! `mere trust project`: a person lets a project's config widen what agents see.
//!
//! The record is keyed by the project's canonical folder, its space id and a digest of exactly the
//! widening keys, so a copy elsewhere, or one changed key, asks again. Records live in the user's
//! state folder, which no root shows.

use std::fmt::Write;

use cap_std::fs::Dir;
use mere_core::json;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::config::{self, ProjectConfig};
use crate::host::{Folder, Surroundings, Typed, find_project};

const FILE: &str = "trusted-projects.json";

/// Why trust could not be shown or recorded. For people.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no project to trust.
    #[error("{0}")]
    Project(String),
    /// The config is broken: nothing to decide about.
    #[error("{0}")]
    Config(String),
    /// There is nowhere to keep the record.
    #[error("there is no state folder: set HOME or XDG_STATE_HOME")]
    NoState,
    /// The record is there but cannot be read as one.
    #[error("`{FILE}` in the user's state folder is damaged: move it away and trust again")]
    Damaged,
    /// The record could not be kept.
    #[error("{0}")]
    Write(String),
    /// The folder's name is not Unicode.
    #[error("the project's folder has a name that is not Unicode: it cannot be recorded")]
    Name,
}

/// A project whose config a person is looking at.
pub struct Examined {
    surroundings: Surroundings,
    key: Key,
    widening: Map<String, Value>,
}

/// What a record is keyed by.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    folder: String,
    space_id: Option<String>,
}

/// Finds the project and reads what its config would widen.
pub fn examine(project: Option<&Typed>, directory: Option<&Typed>) -> Result<Examined, TrustError> {
    let surroundings = Surroundings::read(directory)
        .map_err(|_| TrustError::Project("the working directory cannot be opened".to_owned()))?;
    let folder = find_project(&surroundings, project)
        .map_err(|error| TrustError::Project(error.to_string()))?;
    let config = folder.subfolder(".ai").ok().map(|space| config::of_project(space.dir()));
    let config = config.transpose().map_err(|error| TrustError::Config(error.to_string()))?;
    let widening = config.map(|config| config.widening().clone()).unwrap_or_default();
    let key = Key::of(&folder).ok_or(TrustError::Name)?;
    Ok(Examined { surroundings, key, widening })
}

impl Examined {
    /// The keys that widen, with their values.
    pub fn widening(&self) -> &Map<String, Value> {
        &self.widening
    }

    /// Whether exactly these are trusted already.
    pub fn is_trusted(&self) -> bool {
        is_recorded(&self.surroundings, &self.key, &self.widening)
    }

    /// Records that a person trusts exactly these.
    pub fn record(&self) -> Result<(), TrustError> {
        let digest = digest(&self.widening);
        self.change(|records| records.push(self.key.record(&digest)))
    }

    /// Forgets whatever was recorded for this project.
    pub fn forget(&self) -> Result<(), TrustError> {
        self.change(|_| {})
    }

    /// Drops this project's records and lets `add` write new ones.
    fn change(&self, add: impl FnOnce(&mut Vec<Value>)) -> Result<(), TrustError> {
        let write = |error: crate::host::WriteError| TrustError::Write(error.to_string());
        let locked = self.surroundings.lock_state().ok_or(TrustError::NoState)?.map_err(write)?;
        let mut records = match locked.read(FILE).map_err(write)? {
            Some(bytes) => parse(&bytes).ok_or(TrustError::Damaged)?,
            None => Vec::new(),
        };
        records.retain(|record| !self.key.matches(record));
        add(&mut records);
        let text = format!("{:#}\n", json!({ "format": 1, "projects": records }));
        locked.replace(FILE, text.as_bytes()).map_err(write)
    }
}

/// Whether a person has trusted what this project's config widens.
pub(crate) fn covers(
    surroundings: &Surroundings,
    project: &Folder,
    config: &ProjectConfig,
) -> bool {
    let key = Key::of(project);
    key.is_some_and(|key| is_recorded(surroundings, &key, config.widening()))
}

fn is_recorded(surroundings: &Surroundings, key: &Key, widening: &Map<String, Value>) -> bool {
    let bytes = surroundings.peek_state(FILE);
    let records = bytes.and_then(|bytes| parse(&bytes)).unwrap_or_default();
    let digest = digest(widening);
    records.iter().any(|record| key.matches(record) && record["digest"] == digest)
}

impl Key {
    fn of(project: &Folder) -> Option<Self> {
        let folder = project.canonical_text()?.to_owned();
        let space = project.subfolder(".ai").ok();
        Some(Self { folder, space_id: space.and_then(|space| space_id(space.dir())) })
    }

    fn record(&self, digest: &str) -> Value {
        json!({ "folder": self.folder, "space_id": self.space_id, "digest": digest })
    }

    fn matches(&self, record: &Value) -> bool {
        record["folder"] == self.folder && record["space_id"].as_str() == self.space_id.as_deref()
    }
}

fn parse(bytes: &[u8]) -> Option<Vec<Value>> {
    let value = json::parse(bytes).ok()?;
    value["projects"].as_array().cloned()
}

fn space_id(space: &Dir) -> Option<String> {
    let text = config::read_file(space, "space.json").ok().flatten()?;
    json::parse(text.as_bytes()).ok()?["space_id"].as_str().map(str::to_owned)
}

/// The digest of the keys, the same whatever order they are written in.
fn digest(widening: &Map<String, Value>) -> String {
    let sorted = sort(&Value::Object(widening.clone())).to_string();
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(sorted.as_bytes()) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn sort(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut fields = map.iter().map(|(k, v)| (k.clone(), sort(v))).collect::<Vec<_>>();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(sort).collect(),
        other => other.clone(),
    }
}
