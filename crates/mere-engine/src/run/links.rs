//! The links of a chain. Each is found by precedence, read once, and verified.
//!
//! A [`Linked`] chain holds the permission to run each of its links, and only it can be run. A
//! [`ShownChain`] is for people to look at. Neither was compared with a lockfile; `lock` does that.

use mere_core::address::{RelPath, Spoken};
use mere_core::chain::{Chain, ChainTool, MAX_CHAIN_LENGTH, builtin};
use mere_core::digest::Fidelity;
use mere_core::item::{Item, ItemId, ItemRef, ItemType, PinnedTool, ScopedPath};
use mere_core::reply::Fields;
use mere_core::request::{LookupScope, UnsignedPolicy};

use super::RunError;
use super::error::OlderTool;
use crate::items::find::NamedItem;
use crate::items::item_fidelity::ItemFidelity;
use crate::items::relocation::read_verified_bytes;
use crate::items::version_check::note_version;
use crate::items::{
    CheckedItem, ItemError, ItemReader, LoadedItem, UntrustedItem, read_and_verify,
    trust_status_fields,
};
use crate::policy::{self, RunContext, RunDenied, Runnable};
use mere_host::has_terminal;

/// A chain whose links may all be run.
pub struct Linked {
    chain: Chain,
    /// In the same order as the links; `None` for a tool that is built into the binary.
    links: Vec<Option<Runnable<LoadedItem>>>,
    /// How the caller sees the files of each link.
    fidelities: Vec<Fidelity>,
}

/// A chain that is only shown. Its links are not broken: what was signed matches its signature.
pub struct ShownChain {
    chain: Chain,
    /// In the same order as the links; `None` for a tool that is built into the binary.
    links: Vec<Option<CheckedItem>>,
    /// How the caller sees the files of each link.
    fidelities: Vec<Fidelity>,
}

/// A chain as a reply lists it: each link, and how the caller sees its files.
pub(crate) type ListedLinks<'a> = Vec<(&'a PinnedTool, Fidelity)>;

impl Linked {
    /// Follows the links of a tool down to a primitive. Each link needs a trusted signature, unless
    /// a person at a terminal allows an unsigned tool.
    pub(crate) fn follow(
        items: &ItemReader<'_>,
        item: &ItemRef,
        unsigned: UnsignedPolicy,
    ) -> Result<Self, RunError> {
        let has_terminal = unsigned == UnsignedPolicy::Allow && has_terminal();
        let context = RunContext { reader: items.reader, unsigned, has_terminal };
        let followed = follow_links(items, item, |checked| {
            let runnable = permit_link(items, checked, context)?;
            Ok((chain_tool(runnable.item())?, runnable))
        })?;
        let ChainWithLinks { chain, links, fidelities } = followed.into_chain()?;
        Ok(Self { chain, links, fidelities })
    }

    /// Allows a chain that was shown to be run, if every link has a trusted signature.
    pub(crate) fn permit(items: &ItemReader<'_>, shown: ShownChain) -> Result<Self, RunError> {
        let unsigned = UnsignedPolicy::Refuse;
        let context = RunContext { reader: items.reader, unsigned, has_terminal: false };
        let links = shown.links.into_iter();
        let links =
            links.map(|link| link.map(|link| permit_link(items, link, context)).transpose());
        let (chain, fidelities) = (shown.chain, shown.fidelities);
        Ok(Self { chain, links: links.collect::<Result<_, _>>()?, fidelities })
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Returns the links for a reply.
    pub(crate) fn listed(&self) -> ListedLinks<'_> {
        self.chain.pins().zip(self.fidelities.iter().copied()).collect()
    }

    /// Returns how the caller sees the files of a link. One that is not there has none.
    pub(super) fn fidelity(&self, link: usize) -> Fidelity {
        self.fidelities.get(link).copied().unwrap_or(Fidelity::Altered)
    }

    /// Reads the verified files of a link, with paths relative to its folder.
    pub(super) fn read_files(
        &self,
        items: &ItemReader<'_>,
        link: usize,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, RunError> {
        let Some(Some(runnable)) = self.links.get(link) else { return Ok(Vec::new()) };
        let loaded = runnable.item();
        let changed = || RunError::FileChanged(loaded.address.clone());
        let main = items.view.resolve(&Spoken::Rooted(loaded.address.clone()))?;
        let folder = main.parent_folder().ok_or_else(changed)?;
        let mut files = Vec::new();
        for file in &loaded.files {
            // Only the exact bytes that were hashed during verification are accepted.
            let bytes = read_verified_bytes(folder, file).map_err(|cause| {
                tracing::warn!(%cause, path = file.path, "a file of a tool changed");
                changed()
            })?;
            files.push((file.path.parse().map_err(|_| changed())?, bytes));
        }
        let name = loaded.main_file_name().parse().map_err(|_| changed())?;
        files.push((name, loaded.text.clone().into_bytes()));
        Ok(files)
    }

    /// Returns the tool that was asked for.
    pub(super) fn leaf(&self) -> Option<&LoadedItem> {
        self.links.first().and_then(Option::as_ref).map(Runnable::item)
    }
}

impl ShownChain {
    /// Follows the links of a tool down to a primitive, whoever vouches for them.
    pub(crate) fn follow(items: &ItemReader<'_>, item: &ItemRef) -> Result<Self, RunError> {
        DrawnChain::follow(items, item)?.chain
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }
}

/// The links of a tool as a person is shown them, also where they form no chain.
pub(crate) struct DrawnChain {
    /// The links as far as they could be followed.
    pub(crate) links: Vec<DrawnLink>,
    /// The chain, or why the links form none.
    pub(crate) chain: Result<ShownChain, RunError>,
}

/// One link as a person is shown it.
pub(crate) struct DrawnLink {
    pub(crate) pin: PinnedTool,
    /// Who vouches for it; `None` for a tool that is built into the binary.
    pub(crate) trust: Option<Fields>,
    /// How the person sees its files.
    pub(crate) fidelity: Fidelity,
}

/// Returns the links of a tool that is built into the binary, or `None` for any other.
pub(crate) fn builtin_links(item: &ItemRef) -> Option<Vec<DrawnLink>> {
    let ItemRef { category: None, id, .. } = item else { return None };
    let mut tools = Vec::new();
    push_builtins(id, &mut tools);
    let links = tools.into_iter().map(|tool| DrawnLink {
        pin: tool.pin,
        trust: None,
        fidelity: Fidelity::Exact,
    });
    Some(links.collect()).filter(|links: &Vec<_>| !links.is_empty())
}

impl DrawnChain {
    /// Follows the links of a tool as far as possible. Only a tool that cannot be read at all is an
    /// error.
    pub(crate) fn follow(items: &ItemReader<'_>, item: &ItemRef) -> Result<Self, RunError> {
        let accept = |checked: CheckedItem| Ok((chain_tool(checked.item())?, checked));
        let mut followed = follow_links(items, item, accept)?;
        if followed.tools.is_empty()
            && let Some(error) = followed.stopped_by.take()
        {
            return Err(error);
        }
        let trust = followed.links.iter().map(|link| link.as_ref().map(trust_status_fields));
        let links = followed.tools.iter().zip(&followed.fidelities).zip(trust);
        let links = links.map(|((tool, fidelity), trust)| {
            let (pin, fidelity) = (tool.pin.clone(), *fidelity);
            DrawnLink { pin, trust, fidelity }
        });
        let links = links.collect();
        let chain = followed.into_chain();
        let chain = chain.map(|one| {
            let ChainWithLinks { chain, links, fidelities } = one;
            ShownChain { chain, links, fidelities }
        });
        Ok(Self { links, chain })
    }
}

/// The links of a tool as far as they could be followed.
struct FollowedLinks<L> {
    tools: Vec<ChainTool>,
    /// In the same order as the tools; `None` for a tool that is built into the binary.
    links: Vec<Option<L>>,
    /// How the caller sees the files of each.
    fidelities: Vec<Fidelity>,
    /// Why the next link could not be followed.
    stopped_by: Option<RunError>,
}

/// A chain and its links, in the same order.
struct ChainWithLinks<L> {
    chain: Chain,
    links: Vec<Option<L>>,
    fidelities: Vec<Fidelity>,
}

impl<L> FollowedLinks<L> {
    /// Checks that all links could be followed and fit together.
    fn into_chain(self) -> Result<ChainWithLinks<L>, RunError> {
        if let Some(error) = self.stopped_by {
            return Err(error);
        }
        let chain = Chain::new(self.tools).map_err(RunError::Chain)?;
        Ok(ChainWithLinks { chain, links: self.links, fidelities: self.fidelities })
    }
}

/// Follows the links of a tool down to a primitive. `accept` decides about each link as soon as it
/// was read.
fn follow_links<L>(
    items: &ItemReader<'_>,
    item: &ItemRef,
    accept: impl Fn(CheckedItem) -> Result<(ChainTool, L), RunError>,
) -> Result<FollowedLinks<L>, RunError> {
    let found = items.find(NamedItem { kind: ItemType::Tool, item, source: LookupScope::Local })?;
    let mut place = Some(found.place);
    let (mut tools, mut links, mut fidelities) = (Vec::<ChainTool>::new(), Vec::new(), Vec::new());
    let mut stopped_by = None;
    while let Some(next) = place.take() {
        let read = read_and_verify(items, next).map_err(RunError::from);
        let examined = read.and_then(|checked| {
            let fidelity = ItemFidelity::examine(items.view, checked.item()).whole();
            accept(checked).map(|link| (link, fidelity))
        });
        let ((tool, link), fidelity) = match examined {
            Ok(link) => link,
            Err(error) => {
                stopped_by = Some(error);
                break;
            }
        };
        let executor = tool.pin.executor.clone();
        let seen = tools.iter().any(|one| one.pin.id == tool.pin.id);
        let child = tool.pin.id.clone();
        tools.push(tool);
        links.push(Some(link));
        fidelities.push(fidelity);
        let Some(executor) = executor.filter(|_| !seen && tools.len() <= MAX_CHAIN_LENGTH) else {
            break;
        };
        if builtin::is_reserved(&executor) {
            push_builtins(&executor, &mut tools);
            break;
        }
        match find_executor(items, child, executor) {
            Ok(found) => place = Some(found),
            Err(error) => stopped_by = Some(error),
        }
    }
    links.resize_with(tools.len(), || None);
    // What is built into the binary is public.
    fidelities.resize(tools.len(), Fidelity::Exact);
    Ok(FollowedLinks { tools, links, fidelities, stopped_by })
}

/// Appends the built-in tools, down to the primitive.
fn push_builtins(id: &ItemId, members: &mut Vec<ChainTool>) {
    let mut next = builtin::find(id);
    while let Some(member) = next.take() {
        next = member.pin.executor.as_ref().and_then(builtin::find);
        members.push(member);
    }
}

fn find_executor(
    items: &ItemReader<'_>,
    link: ItemId,
    executor: ItemId,
) -> Result<ScopedPath, RunError> {
    let item = ItemRef { category: None, id: executor.clone(), version: None };
    let found =
        items.find(NamedItem { kind: ItemType::Tool, item: &item, source: LookupScope::Local });
    let missing = |error| RunError::ExecutorNotFound { link, executor, error: Box::new(error) };
    Ok(found.map_err(missing)?.place)
}

fn permit_link(
    items: &ItemReader<'_>,
    checked: CheckedItem,
    context: RunContext,
) -> Result<Runnable<LoadedItem>, RunError> {
    let age = note_version(items.trust_policy, &checked);
    policy::permit_run(checked, &age, context).map_err(|denied| match denied {
        RunDenied::Untrusted(tool) => {
            RunError::Unsigned(UntrustedItem::new(&tool, items.trust_policy))
        }
        RunDenied::Older(tool, newest) => {
            let LoadedItem { address, place, item, .. } = tool.item();
            let (address, place) = (address.clone(), place.clone());
            let version = item.version().cloned();
            RunError::Older(Box::new(OlderTool { address, place, version, newest }))
        }
        RunDenied::Unrecorded(tool) => RunError::Unrecorded(tool.item().address.clone()),
    })
}

fn chain_tool(loaded: &LoadedItem) -> Result<ChainTool, RunError> {
    match (&loaded.item, loaded.integrity) {
        (Item::Tool(tool), Some(integrity)) => {
            Ok(ChainTool::new(tool.clone(), &loaded.place, integrity))
        }
        _ => Err(ItemError::NotRunnable(loaded.place.kind).into()),
    }
}
