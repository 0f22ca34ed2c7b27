//! What an agent may do while it follows a directive with `<permissions>`.
//!
//! A [`RunPermit`] says what binds one call: nothing, the limits of a run, or that the call must name
//! its run first. No view of the world can be made without one, and no write or tool run is
//! permitted without asking it. Reads outside the limits are hidden by the visibility rules.

use std::fmt;
use std::sync::Arc;

use mere_core::address::{Address, Root};
use mere_core::item::{
    Category, DirectivePermission, ItemRef, ItemType, MemoryPath, PermittedAccess,
    PermittedResource,
};
use mere_core::request::{Execute, ItemAction, ItemVerb, Load, Verb};

use super::path_reach::{PathReach, ReachGlob, RunCoverage};
use super::registry_use::RegistryReach;

/// What a run of a directive with `<permissions>` is limited to.
#[derive(Debug)]
pub(crate) struct RunLimits {
    /// The directive that is followed. It can be loaded again.
    directive: ItemRef,
    /// The tools that may be run.
    tools: Vec<ItemRef>,
    reads: PathReach,
    writes: PathReach,
    /// The categories whose memories may be changed.
    memories: Vec<CategoryReach>,
    registry: RegistryReach,
}

/// The categories that a permission means: one with all below it, or all of them.
#[derive(Debug, PartialEq, Eq)]
enum CategoryReach {
    All,
    From(Category),
}

impl CategoryReach {
    /// Parses `api`, `api/**` or `**`. Anything else means no category.
    fn parse(text: &str) -> Option<Self> {
        match text.trim_end_matches('/') {
            "**" | "*" => Some(Self::All),
            text => {
                let category = text.strip_suffix("/**").unwrap_or(text).parse::<Category>().ok()?;
                (!category.as_str().is_empty()).then_some(Self::From(category))
            }
        }
    }

    fn contains(&self, category: &Category) -> bool {
        match self {
            Self::All => true,
            Self::From(top) => {
                let rest = category.as_str().strip_prefix(top.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
        }
    }

    /// Returns the glob of its files, for the store at an address.
    fn glob(&self, store: &Address) -> ReachGlob {
        let below = match self {
            Self::All => "**",
            Self::From(category) => category.as_str(),
        };
        let (root, folder) = (store.root().clone(), store.path().as_str().to_owned());
        ReachGlob { root, folder, glob: below.to_owned() }
    }
}

impl RunLimits {
    /// Compiles the permissions of a directive. Memories lie in the stores at these addresses.
    pub(crate) fn new(
        directive: ItemRef,
        permissions: &[DirectivePermission],
        stores: &[Address],
    ) -> Self {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let (mut tools, mut memories) = (Vec::new(), Vec::new());
        let mut registry = RegistryReach::default();
        for DirectivePermission { access, resource } in permissions {
            let globs = match resource {
                PermittedResource::Filesystem(path) => split_glob(path),
                PermittedResource::Memory(path) => {
                    let Some(reach) = CategoryReach::parse(path) else { continue };
                    let globs = stores.iter().map(|store| reach.glob(store)).collect();
                    if *access == PermittedAccess::Write {
                        memories.push(reach);
                    }
                    globs
                }
                PermittedResource::Tool(id) => {
                    let executes = *access == PermittedAccess::Execute;
                    tools.extend(id.parse().ok().filter(|_| executes));
                    continue;
                }
                PermittedResource::Registry => {
                    registry = registry.extend(*access);
                    continue;
                }
            };
            match access {
                PermittedAccess::Read => reads.extend(globs),
                PermittedAccess::Write => {
                    if matches!(resource, PermittedResource::Filesystem(_)) {
                        writes.extend(globs.iter().cloned());
                    }
                    reads.extend(globs);
                }
                PermittedAccess::Execute => {}
            }
        }
        let (reads, writes) = (PathReach::new(&reads), PathReach::new(&writes));
        Self { directive, tools, reads, writes, memories, registry }
    }

    /// Returns what may be done with registries.
    pub(super) fn registry_reach(&self) -> RegistryReach {
        self.registry
    }

    /// Returns how a path of a root relates to what may be read.
    pub(crate) fn read_coverage(&self, root: &Root, path: &str) -> RunCoverage {
        self.reads.coverage(root, path)
    }

    /// Checks whether a file of the project may be written.
    pub(crate) fn may_write(&self, address: &Address) -> bool {
        self.writes.contains(address)
    }

    fn has_tool(&self, tool: &ItemRef) -> bool {
        self.tools.iter().any(|listed| {
            listed.id == tool.id
                && (listed.category.is_none() || listed.category == tool.category)
                && (listed.version.is_none() || listed.version == tool.version)
        })
    }

    fn is_directive(&self, item: &ItemRef) -> bool {
        let own = &self.directive;
        own.id == item.id && (item.category.is_none() || item.category == own.category)
    }
}

/// Splits the path of a permission into its root and its glob.
fn split_glob(path: &str) -> Vec<ReachGlob> {
    let below = |root, glob: &str| ReachGlob { root, folder: String::new(), glob: glob.to_owned() };
    let rooted = path.split_once(":/").and_then(|(root, glob)| {
        let root = root.parse::<Root>().ok()?;
        Some((root, if glob.is_empty() { "**" } else { glob }))
    });
    match rooted {
        Some((root, glob)) => vec![below(root, glob)],
        None => [Root::Project, Root::Workspace].map(|root| below(root, path)).to_vec(),
    }
}

/// What binds a call.
#[derive(Clone, Debug)]
pub(crate) enum RunBond {
    /// Nothing, or a run that narrows nothing.
    Free,
    /// A run with these limits.
    Limits(Arc<RunLimits>),
    /// The caller has an open run, and must name it before it runs a tool or writes.
    HandleNeeded,
}

/// What one call may see, write and run. Only this room makes one.
#[derive(Clone, Debug)]
pub struct RunPermit {
    bond: RunBond,
    /// Whether the call only reads what a run always has: its directive and its tools, or the next
    /// directive.
    reads_listed_item: ListedItem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListedItem {
    Yes,
    No,
}

impl RunPermit {
    /// Permits everything, for people and for work that belongs to no call.
    pub(crate) fn unbound() -> Self {
        Self { bond: RunBond::Free, reads_listed_item: ListedItem::No }
    }

    /// Returns the limits of what the call sees, if there are any.
    pub(crate) fn read_limits(&self) -> Option<&Arc<RunLimits>> {
        self.tool_limits().filter(|_| self.reads_listed_item == ListedItem::No)
    }

    /// Returns the limits of what a tool sees of the project, and may propose to change.
    pub(crate) fn tool_limits(&self) -> Option<&Arc<RunLimits>> {
        match &self.bond {
            RunBond::Limits(limits) => Some(limits),
            RunBond::Free | RunBond::HandleNeeded => None,
        }
    }

    /// Permits a tool to be run.
    pub(crate) fn permit_tool(&self, tool: &ItemRef) -> Result<(), RunRefusal> {
        self.permit(|limits| limits.has_tool(tool), || MissingPermission::Tool(tool.clone()))
    }

    /// Permits something to be written at an address.
    pub(crate) fn permit_write(&self, address: &Address) -> Result<(), RunRefusal> {
        self.permit(|limits| limits.may_write(address), || MissingPermission::File(address.clone()))
    }

    /// Permits a memory to be changed.
    pub(crate) fn permit_memory(&self, path: &MemoryPath) -> Result<(), RunRefusal> {
        let is_listed = |limits: &RunLimits| limits.has_category(&path.category);
        self.permit(is_listed, || MissingPermission::Memory(path.clone()))
    }

    /// Permits a category of memories to be changed.
    pub(crate) fn permit_category(&self, category: &Category) -> Result<(), RunRefusal> {
        let is_listed = |limits: &RunLimits| limits.has_category(category);
        self.permit(is_listed, || MissingPermission::Category(category.clone()))
    }

    pub(super) fn permit(
        &self,
        is_listed: impl FnOnce(&RunLimits) -> bool,
        missing: impl FnOnce() -> MissingPermission,
    ) -> Result<(), RunRefusal> {
        match &self.bond {
            RunBond::Free => Ok(()),
            RunBond::HandleNeeded => Err(RunRefusal::HandleNeeded),
            RunBond::Limits(limits) if is_listed(limits) => Ok(()),
            RunBond::Limits(_) => Err(RunRefusal::Missing(Box::new(missing()))),
        }
    }
}

impl RunLimits {
    fn has_category(&self, category: &Category) -> bool {
        self.memories.iter().any(|reach| reach.contains(category))
    }
}

/// Permits a call as far as what binds it allows. The directive of the run, the tools that it lists
/// and the next directive are read for the call itself, wherever they lie.
pub(crate) fn permit_call(bond: RunBond, verb: &Verb) -> RunPermit {
    let is_listed = match (&bond, verb) {
        (RunBond::Limits(limits), Verb::Items(verb)) => reads_listed_item(limits, verb),
        _ => false,
    };
    RunPermit { bond, reads_listed_item: if is_listed { ListedItem::Yes } else { ListedItem::No } }
}

fn reads_listed_item(limits: &RunLimits, verb: &ItemVerb) -> bool {
    match verb {
        ItemVerb::Execute(Execute { kind, item, action: ItemAction::Run(_), .. }) => match kind {
            ItemType::Directive => true,
            ItemType::Tool => limits.has_tool(item),
            _ => false,
        },
        ItemVerb::Load(Load { kind, item, destination: None, relationships: None, .. }) => {
            match kind {
                ItemType::Directive => limits.is_directive(item),
                ItemType::Tool => limits.has_tool(item),
                _ => false,
            }
        }
        ItemVerb::Execute(_) | ItemVerb::Load(_) | ItemVerb::Search(_) | ItemVerb::Offer(_) => {
            false
        }
    }
}

/// A tool run or a write that a run of a directive does not permit.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunRefusal {
    #[error("the directive does not permit {0}")]
    Missing(Box<MissingPermission>),
    #[error("the call does not name its run")]
    HandleNeeded,
}

/// What a directive would have to list, in the words of `<permissions>`.
#[derive(Debug)]
pub(crate) enum MissingPermission {
    Tool(ItemRef),
    File(Address),
    Memory(MemoryPath),
    Category(Category),
    Registry(PermittedAccess),
}

impl fmt::Display for MissingPermission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => write!(f, "tool {tool}"),
            Self::File(address) if *address.root() == Root::Project => {
                write!(f, "filesystem write {}", address.path())
            }
            Self::File(address) => write!(f, "filesystem write {address}"),
            Self::Memory(path) => write!(f, "memory write {path}"),
            Self::Category(category) => write!(f, "memory write {category}"),
            Self::Registry(PermittedAccess::Write) => f.write_str("registry write"),
            Self::Registry(_) => f.write_str("registry read"),
        }
    }
}

#[cfg(test)]
mod tests;
