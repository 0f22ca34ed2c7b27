//! `mods:` of a config: extra folders.
//!
//! Their paths are kept as text here, and the folders are opened elsewhere. No name or id may stand
//! for two folders.

use mere_core::address::ModName;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::{Config, ConfigError, YamlError, project_address, user_address};

/// An extra folder as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModConfig {
    pub(crate) id: ModName,
    pub(crate) name: ModName,
    pub(crate) path: String,
}

impl ModConfig {
    /// Returns true if this is its id or its name.
    pub(crate) fn has_name_or_id(&self, name: &ModName) -> bool {
        self.id == *name || self.name == *name
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMod {
    id: Spanned<String>,
    name: Spanned<String>,
    path: String,
}

pub(super) fn parse(mods: Option<Vec<RawMod>>) -> Result<Vec<ModConfig>, YamlError> {
    mods.unwrap_or_default().into_iter().map(parse_mod).collect()
}

fn parse_mod(raw: RawMod) -> Result<ModConfig, YamlError> {
    let name = |text: &Spanned<String>| {
        let name = text.value.parse::<ModName>();
        name.map_err(|error| YamlError::at_location(text.referenced, error.to_string()))
    };
    Ok(ModConfig { id: name(&raw.id)?, name: name(&raw.name)?, path: raw.path })
}

/// Checks that no name or id stands for two folders, across both files and the surrounding project.
pub(crate) fn check_clashes(
    user: &Config,
    project: &Config,
    outer: Option<&ModName>,
) -> Result<(), ConfigError> {
    let mut seen = outer.into_iter().collect::<Vec<&ModName>>();
    let user = user.mods.iter().map(|one| (one, user_address()));
    let project = project.mods.iter().map(|one| (one, project_address()));
    for (one, address) in user.chain(project) {
        let own = if one.id == one.name { vec![&one.id] } else { vec![&one.id, &one.name] };
        if let Some(name) = own.iter().find(|name| seen.contains(name)) {
            return Err(ConfigError::Clash { address, name: (*name).clone() });
        }
        seen.extend(own);
    }
    Ok(())
}
