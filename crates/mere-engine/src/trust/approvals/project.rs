//! The records of configurations that a person lets widen what agents see.
//!
//! The record is keyed by the project's canonical folder, its space id, a digest of exactly the
//! widening keys, and the folders they led to, so a copy elsewhere, a changed key, or a link that
//! leads elsewhere must be trusted again. Records live in the user's state folder, which no root
//! shows. The texts of this module are for people and may name host paths.

use mere_core::digest::Sha256;
use serde_json::{Value, json};

use crate::config::{self, Config, ConfigError, OutsideStore};
use crate::trust::ProjectFolders;
use crate::trust::approvals::records;
use crate::trust::approvals::rule_floor;
use crate::trust::approvals::rule_floor::{FloorError, RuleFloor};
use crate::trust::project_key::ProjectKey;
use mere_host::{Environment, Folder};

/// The file in the state folder that holds the records.
pub(crate) const FILE: &str = "trusted-projects.json";

/// What a project's configuration would widen, and where its paths lead now.
#[derive(Default)]
pub struct WideningRequest {
    config: Config,
    targets: Vec<Option<String>>,
    /// What the configuration demands less than this machine has seen, one line each.
    loosening: Vec<String>,
    /// The rules that hold once the request is trusted.
    rules: RuleFloor,
}

impl WideningRequest {
    pub(crate) fn from_config(config: &Config, space: &Folder, environment: &Environment) -> Self {
        let target = |path: &String| {
            let folder = Folder::open_configured(path, space, environment).ok()?;
            folder.canonical_text().map(str::to_owned)
        };
        let mods = config.mods.iter().map(|one| &one.path);
        let stores = config.outside_stores.iter().map(|one| &one.path);
        let folders = config.outside_folders.iter().map(|one| one.target.clone());
        let targets = mods.chain(stores).map(target).chain(folders).collect();
        Self { config: config.clone(), targets, ..Self::default() }
    }

    /// Returns the request with what the configuration demands less than `floor`.
    pub(crate) fn with_loosening(self, floor: &RuleFloor, config: &Config) -> Self {
        let loosening = floor.describe_loosening(config).into_iter().map(|(_, line)| line);
        Self { loosening: loosening.collect(), rules: RuleFloor::from_config(config), ..self }
    }

    /// Returns the rules that hold once the request is trusted, if they are less strict than those
    /// that hold now.
    pub(crate) fn loosened_rules(&self) -> Option<&RuleFloor> {
        (!self.loosening.is_empty()).then_some(&self.rules)
    }

    /// Checks whether the configuration sets a key that widens.
    pub(crate) fn has_widening_keys(&self) -> bool {
        !self.config.has_no_widening_keys()
    }

    /// Describes the request, one line for each part: which folders agents would see and where
    /// those lead, where agents would keep memories, which sensitive files are shown, which folders
    /// become projects, and which rules become less strict.
    pub fn describe(&self) -> Vec<String> {
        let leads = |target: &Option<String>| {
            target.clone().unwrap_or_else(|| "nothing: there is no such folder".to_owned())
        };
        let (mods, stores) = self.targets.split_at(self.config.mods.len().min(self.targets.len()));
        let mods = self.config.mods.iter().zip(mods).map(|(one, target)| {
            format!("mod:{} (id {}): {} leads to {}", one.name, one.id, one.path, leads(target))
        });
        let stores = self.config.outside_stores.iter().zip(stores).map(|(one, target)| {
            let OutsideStore { name, path, mode, .. } = one;
            let leads = leads(target);
            format!("mod:{name}, where agents store memories ({mode}): {path} leads to {leads}")
        });
        let visible = self.config.visible.iter();
        let visible = visible.map(|one| format!("visible: sensitive files that match {one}"));
        let projects = self.config.projects.iter().map(|one| {
            format!(
                "projects: a folder that matches {one} is its own project, and this project is an \
                 extra folder in it"
            )
        });
        let agents = self.config.agents.configured_values().into_iter();
        let agents = agents.map(|(key, value)| format!("{key}: {value}"));
        let in_place = self.config.outside_folders.iter().map(|one| {
            let use_of_it = match (&one.inside, &one.target) {
                (None, Some(_)) => {
                    " outside the project, where items have no address, so it is not used"
                }
                (Some(_), _) | (None, None) => "",
            };
            let leads = leads(&one.target);
            format!("folders: Agent Skills in {}, which leads to {leads}{use_of_it}", one.path)
        });
        let folders = mods.chain(stores).chain(in_place);
        let lines = folders.chain(visible).chain(projects).chain(agents);
        let lines = lines.chain(self.loosening.iter().cloned());
        lines.map(|line| escape_unprintable(&line)).collect()
    }

    /// Returns the digest of exactly the widening keys.
    fn digest(&self) -> String {
        let mods = self.config.mods.iter().map(
            |one| json!({ "id": one.id.as_str(), "name": one.name.as_str(), "path": one.path }),
        );
        let mut keys = json!({ "mods": mods.collect::<Vec<_>>() });
        for (key, values) in
            [("visible", &self.config.visible), ("projects", &self.config.projects)]
        {
            if !values.is_empty() {
                keys[key] = json!(values);
            }
        }
        if !self.config.agents.is_empty() {
            keys["agents"] = json!(self.config.agents.configured_values());
        }
        if !self.config.outside_stores.is_empty() {
            // The path is taken as it is written, because YAML reads some distinct spellings as the
            // same number.
            let stores = self.config.outside_stores.iter();
            let stores = stores.map(|one| json!([one.name.as_str(), one.path, one.config_value]));
            keys["stores"] = stores.collect();
        }
        if !self.config.outside_folders.is_empty() {
            let folders = self.config.outside_folders.iter();
            keys["folders"] = folders.map(|one| json!(one.path)).collect();
        }
        format!("sha256:{}", Sha256::digest(keys.to_string().as_bytes()))
    }

    pub(crate) fn record(&self, key: &ProjectKey) -> Value {
        let mut record = key.record();
        record["digest"] = self.digest().into();
        record["targets"] = json!(self.targets);
        record
    }

    /// Checks whether there is nothing to decide.
    pub fn is_empty(&self) -> bool {
        !self.has_widening_keys() && self.loosening.is_empty()
    }
}

/// Why it is not known which part of a project's configuration takes effect.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EffectiveConfigError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Floor(#[from] FloorError),
}

/// Returns the part of a project's configuration that takes effect: whatever widens access, and
/// whatever demands less than this machine has seen, needs a person's trust. What it demands now is
/// recorded.
pub(crate) fn effective_config(
    environment: &Environment,
    folders: ProjectFolders<'_>,
) -> Result<Config, EffectiveConfigError> {
    let ProjectFolders { project: Some(project), space } = folders else {
        return Ok(Config::default());
    };
    let config = space.map(|space| trusted_config(environment, project, space)).transpose()?;
    let mut config = config.unwrap_or_default();
    let key = ProjectKey::for_project(project, space);
    rule_floor::hold_seen_rules(environment, key.as_ref(), &mut config)?;
    Ok(config)
}

/// Returns a project's configuration without what widens access and is not trusted.
fn trusted_config(
    environment: &Environment,
    project: &Folder,
    space: &Folder,
) -> Result<Config, ConfigError> {
    let config = config::read_project(environment, project, space)?;
    match config.widening.config() {
        _ if config.widening.is_empty() => {}
        Ok(widening) if is_config_trusted(environment, project, space, widening) => {
            return config.trusted_config();
        }
        Ok(widening) => {
            let keys = widening.widening_keys().join(", ");
            tracing::warn!(
                "{keys} in the project's config has no effect without `mere trust project`"
            );
        }
        Err(error) => {
            tracing::warn!(%error, "the widening part of the project's config has no effect");
        }
    }
    Ok(config.untrusted_config())
}

/// Checks whether a person has trusted what this project's configuration widens, and whether its
/// paths still lead to the same folders.
pub(crate) fn is_config_trusted(
    environment: &Environment,
    project: &Folder,
    space: &Folder,
    config: &Config,
) -> bool {
    let widening = WideningRequest::from_config(config, space, environment);
    let key = ProjectKey::for_project(project, Some(space));
    key.is_some_and(|key| is_recorded(environment, &key, &widening))
}

pub(crate) fn is_recorded(
    environment: &Environment,
    key: &ProjectKey,
    widening: &WideningRequest,
) -> bool {
    let records = records::parse_or_empty(environment.read_state_or_none(FILE));
    records.contains(&widening.record(key))
}

/// Escapes the characters that a terminal would not show, for text from a repository.
pub(crate) fn escape_unprintable(text: &str) -> String {
    let shown = text.chars().map(|c| {
        if mere_core::address::is_address_character(c) || c == '\\' {
            c.to_string()
        } else {
            c.escape_unicode().to_string()
        }
    });
    shown.collect()
}
