//! `mere trust project`: a person lets a project's config widen what agents see.
//!
//! The record is keyed by the project's canonical folder, its space id and a digest of exactly the
//! widening keys, so a copy elsewhere, or one changed key, must be trusted again. Records live in
//! the user's state folder, which no root shows. What this module says is for people and may name
//! host paths.

use std::fmt::Write;

use cap_std::fs::Dir;
use mere_core::json;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::config::{self, Config, ConfigError, ProjectConfig};
use crate::host::{Folder, Surroundings, Typed, find_project};
use crate::records::{self, RecordError};

/// The record, in the state folder.
pub(crate) const FILE: &str = "trusted-projects.json";

/// Why trust could not be shown or recorded.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no project to trust.
    #[error("{0}")]
    Project(String),
    /// The config is broken: nothing to decide about.
    #[error("{0}")]
    Config(String),
    /// The record could not be kept.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The folder's name is not Unicode.
    #[error("the project's folder has a name that is not Unicode: it cannot be recorded")]
    Name,
}

/// A project a person is about to decide on.
pub struct Project {
    surroundings: Surroundings,
    folder: Folder,
    key: Key,
}

/// What a project's config would widen.
pub struct Widening {
    keys: Map<String, Value>,
    shown: Vec<String>,
}

/// What a record is keyed by.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    folder: String,
    space_id: Option<String>,
}

impl Project {
    /// Finds the project.
    pub fn find(project: Option<&Typed>, directory: Option<&Typed>) -> Result<Self, TrustError> {
        let surroundings = Surroundings::read(directory)
            .map_err(|error| TrustError::Project(format!("the working directory: {error}")))?;
        let folder = find_project(&surroundings, project)
            .map_err(|error| TrustError::Project(error.to_string()))?;
        let key = Key::of(&folder).ok_or(TrustError::Name)?;
        Ok(Self { surroundings, folder, key })
    }

    /// Where it lies, for people.
    pub fn folder(&self) -> String {
        printable(&self.key.folder)
    }

    /// Reads what its config would widen, and checks that it could.
    pub fn widening(&self) -> Result<Widening, TrustError> {
        let broken = |error: ConfigError| TrustError::Config(printable(&error.to_string()));
        let space = self.folder.subfolder(".ai").ok();
        let config = space.as_ref().map(|space| config::of_project(space.dir())).transpose();
        let config = config.map_err(broken)?.unwrap_or_default();
        let trusted = config.trusted().map_err(broken)?;
        let user = self.surroundings.user_space();
        let user = user.map(|space| config::of_user(space.dir())).transpose().map_err(broken)?;
        config::check_clashes(&user.unwrap_or_default(), &trusted).map_err(broken)?;
        let shown = space.map(|space| self.show(&space, &trusted)).unwrap_or_default();
        Ok(Widening { keys: config.widening().clone(), shown })
    }

    /// Whether exactly this is trusted already.
    pub fn trusts(&self, widening: &Widening) -> bool {
        is_recorded(&self.surroundings, &self.key, &widening.keys)
    }

    /// Records that a person trusts exactly this.
    pub fn trust(&self, widening: &Widening) -> Result<(), TrustError> {
        let digest = digest(&widening.keys);
        self.change(|records| records.push(self.key.record(&digest))).map(|_| ())
    }

    /// Forgets whatever was recorded for this project, and says whether there was anything.
    pub fn forget(&self) -> Result<bool, TrustError> {
        self.change(|_| {})
    }

    /// One line for each extra folder: its names, what the config says, and where that leads.
    fn show(&self, space: &Folder, config: &Config) -> Vec<String> {
        let lines = config.mods.iter().map(|one| {
            let folder = Folder::open_configured(&one.path, space, &self.surroundings);
            let leads = match &folder {
                Ok(folder) => folder.canonical_text().unwrap_or("a name that is not Unicode"),
                Err(_) => "nowhere: there is no such folder",
            };
            let names = format!("mod:{} (id {})", one.name, one.id);
            printable(&format!("{names}: {} leads to {leads}", one.path))
        });
        lines.collect()
    }

    /// Drops this project's records, lets `add` write new ones, and says whether any was dropped.
    fn change(&self, add: impl FnOnce(&mut Vec<Value>)) -> Result<bool, TrustError> {
        let mut dropped = false;
        records::change(self.surroundings.lock_state(), FILE, |records| {
            let before = records.len();
            records.retain(|record| !self.key.matches(record));
            dropped = records.len() < before;
            add(records);
        })?;
        Ok(dropped)
    }
}

impl Widening {
    /// Whether there is nothing to decide about.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// What agents would see, a line each.
    pub fn shown(&self) -> &[String] {
        &self.shown
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
    let records = records::parse(surroundings.peek_state(FILE));
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

fn space_id(space: &Dir) -> Option<String> {
    let text = config::read_file(space, config::SPACE_FILE).ok().flatten()?;
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

/// Text from a repository as a terminal may show it: what does not show is escaped.
fn printable(text: &str) -> String {
    let shown = text.chars().map(|c| {
        if mere_core::segment::is_speakable(c) || c == '\\' {
            c.to_string()
        } else {
            c.escape_unicode().to_string()
        }
    });
    shown.collect()
}
