//! `require_signed:`, `trusted_keys:` and `sign:` of a config: what must be signed, and by whom.
//!
//! A project can only narrow: it may require signatures and restrict which of the user's keys
//! count.

use mere_core::item::ItemType;
use mere_core::trust::Fingerprint;
use serde::Deserialize;

use super::{SpannedTexts, YamlError};

/// What one config says about signatures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SigningConfig {
    /// The types whose items are used only if they are signed by a key that counts.
    pub(crate) required_types: Vec<ItemType>,
    /// If set, only these of the keys that count are accepted in the project.
    pub(crate) trusted_keys: Option<Vec<Fingerprint>>,
    /// True if the user lets their key sign where nobody can be asked.
    pub(crate) may_sign_unattended: bool,
}

/// `sign:` of the user's config.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSign {
    unattended: Option<bool>,
}

pub(super) fn parse_user(
    required: Option<SpannedTexts>,
    sign: Option<RawSign>,
) -> Result<SigningConfig, YamlError> {
    let is_unattended = sign.and_then(|sign| sign.unattended).unwrap_or_default();
    Ok(SigningConfig {
        required_types: parse_types(required)?,
        trusted_keys: None,
        may_sign_unattended: is_unattended,
    })
}

pub(super) fn parse_project(
    required: Option<SpannedTexts>,
    only: Option<SpannedTexts>,
) -> Result<SigningConfig, YamlError> {
    let only = only.map(|keys| {
        let keys = keys.into_iter().map(|one| {
            let key = one.value.parse::<Fingerprint>();
            key.map_err(|error| YamlError::at_location(one.referenced, error.to_string()))
        });
        keys.collect::<Result<_, _>>()
    });
    Ok(SigningConfig {
        required_types: parse_types(required)?,
        trusted_keys: only.transpose()?,
        may_sign_unattended: false,
    })
}

fn parse_types(texts: Option<SpannedTexts>) -> Result<Vec<ItemType>, YamlError> {
    let types = texts.unwrap_or_default().into_iter().map(|one| {
        let kind = one.value.parse::<ItemType>().ok().filter(|kind| *kind != ItemType::Memory);
        let wrong = "the type must be directive, tool, knowledge or lockfile";
        kind.ok_or_else(|| YamlError::at_location(one.referenced, wrong.to_owned()))
    });
    types.collect()
}
