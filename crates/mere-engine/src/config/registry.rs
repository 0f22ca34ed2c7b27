//! `registry:` of the user's config: which registry is asked, and when its log is believed.
//!
//! A project's config may contain the key, but it is ignored there: a URL widens what leaves the
//! machine, and whose word counts about a log is the user's to say.

use std::time::Duration;

use mere_core::log::{VerifierKey, WitnessPolicy};
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::{SpannedTexts, YamlError};
use mere_host::RegistryUrl;

/// How old a checkpoint may be by default.
const DEFAULT_MAX_AGE: Duration = Duration::from_hours(24);
/// The longest age that can be configured.
const LONGEST_MAX_AGE: Duration = Duration::from_hours(24 * 3660);

/// What the user's config says about registries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistryConfig {
    /// The registry that is asked where a command names none. By default it is the one that the
    /// user logged in to last.
    pub(crate) url: Option<RegistryUrl>,
    /// How old the checkpoint of a server may be.
    pub(crate) max_age: Duration,
    /// Who must have seen a checkpoint besides the registry.
    pub(crate) witnesses: WitnessPolicy,
}

impl Default for RegistryConfig {
    fn default() -> Self {
        Self { url: None, max_age: DEFAULT_MAX_AGE, witnesses: WitnessPolicy::default() }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRegistry {
    url: Option<Spanned<String>>,
    max_age: Option<Spanned<String>>,
    witnesses: Option<RawWitnesses>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWitnesses {
    threshold: Option<Spanned<u64>>,
    keys: Option<SpannedTexts>,
}

pub(super) fn parse(raw: Option<RawRegistry>) -> Result<RegistryConfig, YamlError> {
    let raw = raw.unwrap_or_default();
    let url = raw.url.map(|url| {
        let parsed = RegistryUrl::from_file(&url.value);
        parsed.map_err(|error| error_at(url.referenced, &error.to_string()))
    });
    let max_age = raw.max_age.as_ref().map(parse_age).transpose()?;
    Ok(RegistryConfig {
        url: url.transpose()?,
        max_age: max_age.unwrap_or(DEFAULT_MAX_AGE),
        witnesses: parse_witnesses(raw.witnesses.unwrap_or_default())?,
    })
}

/// Parses an age, such as `90m`, `24h` or `7d`.
fn parse_age(age: &Spanned<String>) -> Result<Duration, YamlError> {
    let wrong =
        || error_at(age.referenced, "an age is a number and a unit, such as `90m`, `24h` or `7d`");
    let text = age.value.as_str();
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let digits = &text[..text.len() - 1];
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let count = digits.parse::<u32>().ok().filter(|count| is_number && *count > 0);
    let age = Duration::from_secs(u64::from(count.ok_or_else(wrong)?) * seconds);
    Some(age).filter(|age| *age <= LONGEST_MAX_AGE).ok_or_else(wrong)
}

fn parse_witnesses(raw: RawWitnesses) -> Result<WitnessPolicy, YamlError> {
    let spanned = raw.keys.unwrap_or_default();
    let at = raw.threshold.as_ref().map(|threshold| threshold.referenced);
    let at = at.or_else(|| spanned.first().map(|key| key.referenced));
    let keys = spanned.iter().map(parse_witness_key).collect::<Result<Vec<_>, _>>()?;
    let threshold = match raw.threshold {
        Some(threshold) => usize::try_from(threshold.value).unwrap_or(usize::MAX),
        None => keys.len(),
    };
    WitnessPolicy::new(threshold, keys).map_err(|error| match at {
        Some(at) => error_at(at, &error.to_string()),
        None => error_at(Location::UNKNOWN, &error.to_string()),
    })
}

fn parse_witness_key(key: &Spanned<String>) -> Result<VerifierKey, YamlError> {
    key.value.parse().map_err(|error: mere_core::log::VerifierKeyError| {
        error_at(key.referenced, &error.to_string())
    })
}

fn error_at(at: Location, reason: &str) -> YamlError {
    YamlError::at_location(at, reason.to_owned())
}
