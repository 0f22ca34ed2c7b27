//! `mere trust project`: a person lets a project's config widen what agents see.
//!
//! The record is keyed by the project's canonical folder, its space id, a digest of exactly the
//! widening keys and the folders they led to, so a copy elsewhere, one changed key, or a link that
//! leads elsewhere must be trusted again. Records live in
//! the user's state folder, which no root shows. What this module says is for people and may name
//! host paths.

use std::fmt::Write;

use cap_std::fs::Dir;
use mere_core::json;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::config::{self, Config, ConfigError, ModConfig};
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
    /// A space cannot be reached.
    #[error("a space cannot be reached: {0}")]
    Space(std::io::Error),
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

/// What a project's config would widen, and where that leads now.
pub struct Widening {
    mods: Vec<ModConfig>,
    targets: Vec<Option<String>>,
}

/// What a record is keyed by, besides what it trusts.
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
        let markers = config::project_markers(&surroundings);
        let folder = find_project(&surroundings, project, &markers)
            .map_err(|error| TrustError::Project(error.to_string()))?
            .folder;
        let space = surroundings.project_space(&folder).map_err(TrustError::Space)?;
        let key = Key::of(&folder, space.as_ref()).ok_or(TrustError::Name)?;
        Ok(Self { surroundings, folder, key })
    }

    /// Where it lies, for people.
    pub fn folder(&self) -> String {
        printable(&self.key.folder)
    }

    /// Reads what its config would widen, and checks that it could.
    pub fn widening(&self) -> Result<Widening, TrustError> {
        let broken = |error: ConfigError| TrustError::Config(printable(&error.to_string()));
        let Some(space) =
            self.surroundings.project_space(&self.folder).map_err(TrustError::Space)?
        else {
            return Ok(Widening { mods: Vec::new(), targets: Vec::new() });
        };
        let said = config::of_project(space.dir()).map_err(broken)?;
        let said = said.said().map_err(|error| broken(error.clone()))?;
        let user = self.surroundings.user_space().map_err(TrustError::Space)?;
        let user = user.map(|space| config::of_user(space.dir())).transpose().map_err(broken)?;
        config::check_clashes(&user.unwrap_or_default(), said).map_err(broken)?;
        Ok(Widening::of(said, &space, &self.surroundings))
    }

    /// Whether exactly this is trusted already.
    pub fn trusts(&self, widening: &Widening) -> bool {
        is_recorded(&self.surroundings, &self.key, widening)
    }

    /// Records that a person trusts exactly this.
    pub fn trust(&self, widening: &Widening) -> Result<(), TrustError> {
        self.change(|records| records.push(self.key.record(widening))).map(|_| ())
    }

    /// Forgets whatever was recorded for this project, and says whether there was anything.
    pub fn forget(&self) -> Result<bool, TrustError> {
        self.change(|_| {})
    }

    /// Drops what is recorded for this folder, whatever its space calls itself, lets `add` write
    /// anew, and says whether anything was dropped.
    fn change(&self, add: impl FnOnce(&mut Vec<Value>)) -> Result<bool, TrustError> {
        let mut dropped = false;
        records::change(self.surroundings.lock_state(), FILE, |records| {
            let before = records.len();
            records.retain(|record| record["folder"] != self.key.folder);
            dropped = records.len() < before;
            add(records);
        })?;
        Ok(dropped)
    }
}

impl Widening {
    fn of(config: &Config, space: &Folder, surroundings: &Surroundings) -> Self {
        let target = |one: &ModConfig| {
            let folder = Folder::open_configured(&one.path, space, surroundings).ok()?;
            folder.canonical_text().map(str::to_owned)
        };
        let targets = config.mods.iter().map(target).collect();
        Self { mods: config.mods.clone(), targets }
    }

    /// What agents would see, a line each: the folder's names, what the config says, and where
    /// that leads.
    pub fn shown(&self) -> Vec<String> {
        let lines = self.mods.iter().zip(&self.targets).map(|(one, target)| {
            let leads = target.as_deref().unwrap_or("nowhere: there is no such folder");
            printable(&format!("mod:{} (id {}): {} leads to {leads}", one.name, one.id, one.path))
        });
        lines.collect()
    }

    /// The digest of exactly the keys.
    fn digest(&self) -> String {
        let mods = self.mods.iter().map(
            |one| json!({ "id": one.id.as_str(), "name": one.name.as_str(), "path": one.path }),
        );
        let text = json!({ "mods": mods.collect::<Vec<_>>() }).to_string();
        let mut digest = "sha256:".to_owned();
        for byte in Sha256::digest(text.as_bytes()) {
            let _ = write!(digest, "{byte:02x}");
        }
        digest
    }
}

impl Widening {
    /// Whether there is nothing to decide about.
    pub fn is_empty(&self) -> bool {
        self.mods.is_empty()
    }
}

/// Whether a person has trusted what this project's config widens, and it still leads there.
pub(crate) fn covers(
    surroundings: &Surroundings,
    project: &Folder,
    space: &Folder,
    config: &Config,
) -> bool {
    let widening = Widening::of(config, space, surroundings);
    let key = Key::of(project, Some(space));
    key.is_some_and(|key| is_recorded(surroundings, &key, &widening))
}

fn is_recorded(surroundings: &Surroundings, key: &Key, widening: &Widening) -> bool {
    let records = records::parse(surroundings.peek_state(FILE));
    records.contains(&key.record(widening))
}

impl Key {
    fn of(project: &Folder, space: Option<&Folder>) -> Option<Self> {
        let folder = project.canonical_text()?.to_owned();
        Some(Self { folder, space_id: space.and_then(|space| space_id(space.dir())) })
    }

    fn record(&self, widening: &Widening) -> Value {
        json!({
            "folder": self.folder, "space_id": self.space_id, "digest": widening.digest(),
            "targets": widening.targets
        })
    }
}

fn space_id(space: &Dir) -> Option<String> {
    let text = config::read_file(space, config::SPACE_FILE).ok().flatten()?;
    json::parse(text.as_bytes()).ok()?["space_id"].as_str().map(str::to_owned)
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
