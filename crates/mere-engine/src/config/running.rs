//! `require_lock:`, `runs:`, `sandbox:` and `runtimes:` of a config: how tools are run.
//!
//! A project may require lockfiles, because that narrows. What it says about the sandbox and about
//! interpreters is ignored.

use std::collections::BTreeMap;

use mere_core::item::ItemId;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use super::ordered_map::OrderedMap;
use super::{SpannedTexts, YamlError};
use mere_host::{AuditSink, SandboxLevel};

/// What one config says about running tools.
#[derive(Clone, Debug)]
pub(crate) struct RunConfig {
    /// True if a tool runs only with a lockfile.
    pub(crate) require_lock: bool,
    /// How much of a sandbox there must be.
    pub(crate) sandbox_level: SandboxLevel,
    /// The environment variables that a tool may ask for.
    pub(crate) allowed_variables: Vec<String>,
    pub(crate) runtimes: BTreeMap<ItemId, RuntimeConfig>,
    /// Where receipts are sent besides the user's own folder.
    pub(crate) audit: Option<AuditSink>,
    /// True if an agent over HTTP that has an open run must name it before it runs a tool or writes.
    pub(crate) requires_run_handle: bool,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            require_lock: false,
            sandbox_level: SandboxLevel::default(),
            allowed_variables: Vec::new(),
            runtimes: BTreeMap::new(),
            audit: None,
            requires_run_handle: true,
        }
    }
}

/// `runs:` of the user's config.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRuns {
    require_handle: Option<bool>,
}

impl RawRuns {
    /// Returns whether an open run must be named.
    pub(super) fn requires_handle(&self) -> bool {
        self.require_handle.unwrap_or(true)
    }
}

/// What a runtime uses on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuntimeConfig {
    /// The path of its interpreter.
    pub(crate) interpreter: Option<String>,
    /// The path of a folder with packages.
    pub(crate) packages: Option<String>,
}

impl RunConfig {
    /// Returns the user's config, narrowed by the project's.
    pub(crate) fn with_project(self, project: &Self) -> Self {
        Self { require_lock: self.require_lock || project.require_lock, ..self }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSandbox {
    level: Option<Spanned<String>>,
    env: Option<SpannedTexts>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRuntime {
    interpreter: Option<Spanned<String>>,
    packages: Option<Spanned<String>>,
}

pub(super) type RawRuntimes = OrderedMap<RawRuntime>;

/// Returns the part that a project may set.
pub(super) fn parse_project(require_lock: Option<bool>) -> RunConfig {
    RunConfig { require_lock: require_lock.unwrap_or_default(), ..RunConfig::default() }
}

pub(super) fn parse_user(
    require_lock: Option<bool>,
    sandbox: Option<RawSandbox>,
    runtimes: Option<RawRuntimes>,
) -> Result<RunConfig, YamlError> {
    let sandbox = sandbox.unwrap_or_default();
    let level = sandbox.level.as_ref().map(parse_level).transpose()?;
    let variables =
        sandbox.env.unwrap_or_default().iter().map(parse_variable).collect::<Result<_, _>>()?;
    let runtimes = runtimes.map(OrderedMap::into_unique_entries).transpose()?.unwrap_or_default();
    let runtimes = runtimes.into_iter().map(|(name, raw)| {
        let wrong = |_| error_at(name.referenced, "the name of a runtime must be the id of a tool");
        Ok((name.value.parse().map_err(wrong)?, parse_runtime(raw)?))
    });
    Ok(RunConfig {
        require_lock: require_lock.unwrap_or_default(),
        sandbox_level: level.unwrap_or_default(),
        allowed_variables: variables,
        runtimes: runtimes.collect::<Result<_, YamlError>>()?,
        ..RunConfig::default()
    })
}

fn parse_level(level: &Spanned<String>) -> Result<SandboxLevel, YamlError> {
    match &*level.value {
        "full" => Ok(SandboxLevel::Full),
        "namespaces" => Ok(SandboxLevel::Namespaces),
        _ => Err(error_at(level.referenced, "the level must be full or namespaces")),
    }
}

fn parse_variable(variable: &Spanned<String>) -> Result<String, YamlError> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = !variable.value.is_empty()
        && variable.value.chars().all(is_letter)
        && !variable.value.starts_with(|c: char| c.is_ascii_digit());
    if is_name {
        return Ok(variable.value.clone());
    }
    Err(error_at(
        variable.referenced,
        "the name of a variable may contain only letters, digits and `_`, and must not start with \
         a digit",
    ))
}

fn parse_runtime(raw: RawRuntime) -> Result<RuntimeConfig, YamlError> {
    let path = |text: Option<Spanned<String>>| match text {
        Some(text) if text.value.starts_with('/') || text.value.starts_with("~/") => {
            Ok(Some(text.value))
        }
        Some(text) => Err(error_at(text.referenced, "the path must begin with `/` or `~/`")),
        None => Ok(None),
    };
    Ok(RuntimeConfig { interpreter: path(raw.interpreter)?, packages: path(raw.packages)? })
}

fn error_at(at: Location, reason: &str) -> YamlError {
    YamlError::at_location(at, reason.to_owned())
}
