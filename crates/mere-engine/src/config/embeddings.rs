//! `embeddings:` of the user's config: the model that searches by meaning use.
//!
//! A project's config may contain the key, but it is ignored there: a URL widens what leaves the
//! machine.

use mere_core::embed::vector::MAX_DIMENSIONS;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::YamlError;
use mere_host::Url;

/// The longest name of a model or of a variable.
const MAX_NAME_LENGTH: usize = 256;

/// The kind of model that is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelChoice {
    None,
    Static,
    MiniLm,
    Endpoint,
}

/// What one config says about models.
#[derive(Clone, Debug, Default)]
pub(crate) struct EmbeddingsConfig {
    pub(crate) model: Option<ModelChoice>,
    pub(crate) endpoint: Option<EndpointConfig>,
}

/// A model that is reached over the network.
#[derive(Clone, Debug)]
pub(crate) struct EndpointConfig {
    pub(crate) url: Url,
    /// The name of the model at the endpoint.
    pub(crate) name: String,
    /// The environment variable that holds the API key.
    pub(crate) key_variable: Option<String>,
    /// How many dimensions the endpoint is asked to give a vector.
    pub(crate) dimensions: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawEmbeddings {
    model: Option<Spanned<String>>,
    url: Option<Spanned<String>>,
    name: Option<Spanned<String>>,
    #[serde(rename = "keyEnv")]
    key_env: Option<Spanned<String>>,
    dimensions: Option<Spanned<u64>>,
}

pub(super) fn parse(raw: Option<RawEmbeddings>) -> Result<EmbeddingsConfig, YamlError> {
    let raw = raw.unwrap_or_default();
    let model = raw.model.as_ref().map(parse_model).transpose()?;
    let model_location = raw.model.as_ref().map(|model| model.referenced);
    let endpoint = parse_endpoint(raw)?;
    if let (Some(ModelChoice::Endpoint), None, Some(at)) = (model, &endpoint, model_location) {
        return Err(error_at(at, "an endpoint needs `url` and `name`"));
    }
    Ok(EmbeddingsConfig { model, endpoint })
}

fn parse_model(model: &Spanned<String>) -> Result<ModelChoice, YamlError> {
    match &*model.value {
        "none" => Ok(ModelChoice::None),
        "static" => Ok(ModelChoice::Static),
        "minilm" => Ok(ModelChoice::MiniLm),
        "endpoint" => Ok(ModelChoice::Endpoint),
        _ => Err(error_at(model.referenced, "the model must be static, minilm, endpoint or none")),
    }
}

fn parse_endpoint(raw: RawEmbeddings) -> Result<Option<EndpointConfig>, YamlError> {
    let key_variable = raw.key_env.as_ref().map(parse_variable).transpose()?;
    let dimensions = raw.dimensions.as_ref().map(parse_dimensions).transpose()?;
    let name = raw.name.as_ref().map(parse_name).transpose()?;
    let url = raw.url.map(|url| {
        let at = url.referenced;
        url.value.parse::<Url>().map_err(|error| error_at(at, &error.to_string()))
    });
    let both = url.transpose()?.zip(name);
    Ok(both.map(|(url, name)| EndpointConfig { url, name, key_variable, dimensions }))
}

fn parse_name(name: &Spanned<String>) -> Result<String, YamlError> {
    let is_named = (1..=MAX_NAME_LENGTH).contains(&name.value.chars().count());
    if is_named && !name.value.chars().any(char::is_control) {
        return Ok(name.value.clone());
    }
    Err(error_at(name.referenced, "the name of a model must be one line of 1 to 256 characters"))
}

fn parse_variable(variable: &Spanned<String>) -> Result<String, YamlError> {
    let (name, at) = (&variable.value, variable.referenced);
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = name.starts_with(|c: char| is_letter(c) && !c.is_ascii_digit());
    if starts && name.len() <= MAX_NAME_LENGTH && name.chars().all(is_letter) {
        return Ok(name.clone());
    }
    // The value may be the key itself, so the message does not repeat it.
    Err(error_at(
        at,
        "`keyEnv` must be the name of an environment variable: letters, digits and `_`",
    ))
}

fn parse_dimensions(dimensions: &Spanned<u64>) -> Result<usize, YamlError> {
    let size = usize::try_from(dimensions.value).ok();
    let size = size.filter(|size| (1..=MAX_DIMENSIONS).contains(size));
    size.ok_or_else(|| {
        error_at(
            dimensions.referenced,
            &format!("the number of dimensions must be from 1 to {MAX_DIMENSIONS}"),
        )
    })
}

fn error_at(at: Location, reason: &str) -> YamlError {
    YamlError::at_location(at, reason.to_owned())
}
