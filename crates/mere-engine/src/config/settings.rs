//! `settings:` of a config: the format of replies and the default store.
//!
//! Whether the default store exists is checked later, when both config files are known.

use mere_core::address::ModName;
use mere_core::gate::MirrorFormat;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::YamlError;

/// What one config says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// The format of the text that accompanies a structured reply.
    pub(crate) output_format: Option<MirrorFormat>,
    /// The store that is served, and the position in the file that says so.
    pub(crate) default_store: Option<(ModName, Location)>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSettings {
    #[serde(rename = "outputFormat")]
    output_format: Option<Spanned<String>>,
    #[serde(rename = "defaultStore")]
    default_store: Option<Spanned<String>>,
}

pub(super) fn parse(raw: Option<RawSettings>) -> Result<Settings, YamlError> {
    let raw = raw.unwrap_or_default();
    let format = raw.output_format.map(|text| match &*text.value {
        "yaml" => Ok(MirrorFormat::Yaml),
        "json" => Ok(MirrorFormat::Json),
        _ => {
            let reason = "the output format must be yaml or json".to_owned();
            Err(YamlError::at_location(text.referenced, reason))
        }
    });
    let store = raw.default_store.map(|text| match text.value.parse::<ModName>() {
        Ok(name) => Ok((name, text.referenced)),
        Err(error) => Err(YamlError::at_location(text.referenced, error.to_string())),
    });
    Ok(Settings { output_format: format.transpose()?, default_store: store.transpose()? })
}
