//! Executor chains: a tool is run by another tool, which is run by another, down to a primitive.
//!
//! A [`Chain`] proves that its tools fit together; that each of them is what was signed is proved
//! elsewhere (`trust`). [`Chain::config`] merges their configurations, [`ChainConfig::environment`]
//! says which variables need values, [`ChainConfig::fill`] fills the templates, and
//! [`FilledConfig::action`] checks the result and says what to do. Each step takes the result
//! of the one before, so that none can be left out. Nothing is run here.

pub mod builtin;
mod call;
mod child_schemas;
mod config;
mod entrypoint;
mod environment;
mod fault;
mod fill;
mod fill_fault;
mod grant;
mod http_request;
pub mod lock;
mod mcp_call;
mod parameters;
mod primitive;
mod subprocess;
mod template;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

pub use call::is_function_name;
pub use child_schemas::check_child_schemas;
pub use config::{ChainConfig, ChainConfigFault};
pub use entrypoint::{Entrypoint, EntrypointFault, manifest_entrypoint};
pub use environment::{EnvSource, is_variable_for_secret};
pub use fault::{ChainFault, PairFault};
pub use fill::{FilledConfig, MAX_ARGUMENT_BYTES, MAX_ARGUMENTS, TemplateValues};
pub use fill_fault::FillFault;
pub use grant::{GrantedHost, HostReach, ToolGrant, grant_options};
pub use http_request::{HttpMethod, HttpRequest, RetryPolicy};
pub use mcp_call::{McpCall, McpEndpoint, McpTarget, McpTransport};
pub use parameters::{ParametersFault, tool_input_schema, with_defaults, with_text_values};
pub use primitive::{PrimitiveFault, ToolAction};
pub use subprocess::{Stdin, Subprocess};

use crate::digest::Sha256;
use crate::item::{ItemId, PinnedTool, ScopedPath, ToolManifest, ToolPermissions};

/// How many tools a chain may have.
pub const MAX_CHAIN_LENGTH: usize = 10;

/// One tool of a chain: its pin, as in a lockfile, and its manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainTool {
    /// The facts that a lockfile records about the tool.
    pub pin: PinnedTool,
    /// The whole manifest.
    pub manifest: Map<String, Value>,
    /// What its manifest asks for.
    pub permissions: ToolPermissions,
}

/// Tools that fit together: the requested tool first, a primitive last.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The tools; there is at least one.
    tools: Vec<ChainTool>,
}

impl ChainTool {
    /// Creates the tool that lies at `at`, with its canonical hash.
    pub fn new(tool: ToolManifest, at: &ScopedPath, integrity: Sha256) -> Self {
        // An older name of a tool type counts as the current one, for whoever runs the tool too.
        let mut manifest = tool.manifest;
        manifest.insert("tool_type".to_owned(), tool.tool_type.into());
        let pin = PinnedTool {
            id: at.id.clone(),
            version: tool.version,
            scope: Some(at.scope),
            category: at.category.clone(),
            integrity,
            executor: tool.executor,
        };
        Self { pin, manifest, permissions: tool.permissions }
    }

    fn is_primitive(&self) -> bool {
        self.manifest.get("tool_type").is_some_and(|kind| kind == "primitive")
    }
}

impl Chain {
    /// Checks that the tools form a chain. The requested tool comes first.
    pub fn new(members: Vec<ChainTool>) -> Result<Self, ChainFault> {
        check_cycle_and_length(&members)?;
        members.iter().try_for_each(check_reserved_name)?;
        members.iter().try_for_each(check_manifest)?;
        for pair in members.windows(2) {
            check_link(&pair[0], &pair[1])?;
        }
        members.last().map_or(Err(ChainFault::Empty), check_last)?;
        for pair in members.windows(2) {
            let (child, parent) = (&pair[0], &pair[1]);
            child_schemas::check_pair(parent, child).map_err(|fault| ChainFault::Pair {
                parent: parent.pin.id.clone(),
                child: child.pin.id.clone(),
                fault,
            })?;
        }
        Ok(Self { tools: members })
    }

    /// Returns the tools, the requested one first.
    pub fn tools(&self) -> &[ChainTool] {
        &self.tools
    }

    /// Returns the requested tool.
    pub fn leaf(&self) -> &ChainTool {
        &self.tools[0]
    }

    /// Returns the primitive that runs all the others.
    pub fn primitive(&self) -> &ChainTool {
        &self.tools[self.tools.len() - 1]
    }

    /// Returns everything that the tools of the chain ask for, including the secrets that their
    /// environment needs.
    pub fn requested_permissions(&self) -> Result<ToolPermissions, ChainConfigFault> {
        let stated = self.tools.iter().map(|tool| tool.permissions.clone());
        let stated = stated.fold(ToolPermissions::default(), ToolPermissions::union);
        let variables = self.config()?.environment()?.into_iter();
        Ok(variables.fold(stated, |all, (_, source)| match source {
            EnvSource::Secret(name) => all.with_secret(name),
            EnvSource::Env(_) | EnvSource::Value(_) => all,
        }))
    }

    /// Returns the pins of the tools, in their order.
    pub fn pins(&self) -> impl DoubleEndedIterator<Item = &PinnedTool> + ExactSizeIterator {
        self.tools.iter().map(|member| &member.pin)
    }
}

/// Refuses cycles and chains that are too long. Cycles are checked first, because following one
/// makes the list too long as well.
fn check_cycle_and_length(members: &[ChainTool]) -> Result<(), ChainFault> {
    let mut seen = BTreeSet::new();
    if let Some(again) = members.iter().find(|member| !seen.insert(&member.pin.id)) {
        return Err(ChainFault::Cycle { link: again.pin.id.clone() });
    }
    match members.len() {
        0 => Err(ChainFault::Empty),
        1..=MAX_CHAIN_LENGTH => Ok(()),
        found => Err(ChainFault::TooDeep { found }),
    }
}

/// Checks that a built-in tool is the one that ships, and that no other tool has a reserved name.
fn check_reserved_name(member: &ChainTool) -> Result<(), ChainFault> {
    let link = member.pin.id.clone();
    let is_reserved = builtin::is_reserved(&link);
    match (member.pin.scope, builtin::find(&link)) {
        (Some(scope), _) if is_reserved => Err(ChainFault::ReservedName { link, scope }),
        (Some(_), _) => Ok(()),
        (None, Some(shipped)) if shipped == *member => Ok(()),
        (None, _) => Err(ChainFault::NotBuiltin { link }),
    }
}

/// Checks that a manifest agrees with its pin.
fn check_manifest(member: &ChainTool) -> Result<(), ChainFault> {
    let ChainTool { pin, manifest, .. } = member;
    let wrong = |field, expected| {
        Err(ChainFault::ManifestMismatch { link: pin.id.clone(), field, expected })
    };
    let field_text = |field| match manifest.get(field) {
        None | Some(Value::Null) => Some(None),
        Some(value) => value.as_str().map(Some),
    };
    let version = pin.version.to_string();
    for (field, expected) in [("tool_id", pin.id.as_str()), ("version", version.as_str())] {
        if field_text(field) != Some(Some(expected)) {
            return wrong(field, format!("`{expected}`"));
        }
    }
    let executor = pin.executor.as_ref().map(ItemId::as_str);
    if field_text("executor_id") != Some(executor) {
        let expected = executor.map_or("left out".to_owned(), |executor| format!("`{executor}`"));
        return wrong("executor_id", expected);
    }
    let category = pin.category.as_str();
    if !matches!(field_text("category"), Some(stated) if stated.is_none_or(|one| one == category)) {
        return wrong("category", format!("`{category}`"));
    }
    match field_text("tool_type") {
        Some(Some(_)) => Ok(()),
        _ => wrong("tool_type", "a tool type".to_owned()),
    }
}

fn check_link(child: &ChainTool, parent: &ChainTool) -> Result<(), ChainFault> {
    let (link, found) = (child.pin.id.clone(), parent.pin.id.clone());
    match &child.pin.executor {
        _ if child.is_primitive() => Err(ChainFault::PrimitiveNotLast { link }),
        Some(executor) if *executor == found => Ok(()),
        Some(executor) => {
            Err(ChainFault::WrongExecutor { link, expected: executor.clone(), found })
        }
        None => {
            let expected = format!("`{found}`");
            Err(ChainFault::ManifestMismatch { link, field: "executor_id", expected })
        }
    }
}

fn check_last(last: &ChainTool) -> Result<(), ChainFault> {
    let link = last.pin.id.clone();
    match &last.pin.executor {
        None if last.is_primitive() && last.pin.scope.is_none() => Ok(()),
        Some(executor) if !last.is_primitive() => {
            let executor = executor.clone();
            Err(ChainFault::MissingExecutor { link, executor })
        }
        _ => Err(ChainFault::EndsWithoutPrimitive { link }),
    }
}
