//! `require_signed:`, `trusted_keys:` and `sign:` of a config: what must be signed, and by whom.

use mere_core::item::ItemType;
use mere_core::trust::Fingerprint;
use serde::Deserialize;

use super::{Texts, YamlError};

/// What one config says of signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signing {
    /// Types whose items are used only if they are signed by a key that counts.
    pub(crate) required: Vec<ItemType>,
    /// Of the keys that count, only these do in the project; none said means all.
    pub(crate) only: Option<Vec<Fingerprint>>,
    /// Whether the user lets their key sign where nobody is asked.
    pub(crate) is_unattended: bool,
}

/// `sign:` of the user's config.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignKeys {
    unattended: Option<bool>,
}

pub(super) fn of_user(
    required: Option<Texts>,
    sign: Option<SignKeys>,
) -> Result<Signing, YamlError> {
    let is_unattended = sign.and_then(|sign| sign.unattended).unwrap_or_default();
    Ok(Signing { required: parse_types(required)?, only: None, is_unattended })
}

pub(super) fn of_project(
    required: Option<Texts>,
    only: Option<Texts>,
) -> Result<Signing, YamlError> {
    let only = only.map(|keys| {
        let keys = keys.into_iter().map(|one| {
            let key = one.value.parse::<Fingerprint>();
            key.map_err(|error| YamlError::at_location(one.referenced, error.to_string()))
        });
        keys.collect::<Result<_, _>>()
    });
    Ok(Signing { required: parse_types(required)?, only: only.transpose()?, is_unattended: false })
}

fn parse_types(said: Option<Texts>) -> Result<Vec<ItemType>, YamlError> {
    let types = said.unwrap_or_default().into_iter().map(|one| {
        let kind = one.value.parse::<ItemType>().ok().filter(|kind| *kind != ItemType::Memory);
        let wrong = "what can be signed is directive, tool, knowledge or lockfile";
        kind.ok_or_else(|| YamlError::at_location(one.referenced, wrong.to_owned()))
    });
    types.collect()
}
