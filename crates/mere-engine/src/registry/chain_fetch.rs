//! Fetching an item and the tools that it runs on and that are not here.
//!
//! If its author published a lockfile, the tools are the pinned ones, and so must be those that are
//! here and would be used.

use mere_core::chain::builtin;
use mere_core::item::{ItemId, ItemRef, ItemType, PinnedTool, Scope, ScopedPath};
use mere_core::registry::{RegistryItemName, RegistryType};
use mere_core::request::LookupScope;

use super::author_lock::{AuthorLock, Link};
use super::fetch::{FetchedVersion, RequestedVersion, VersionRequest, fetch_version};
use super::install::content_error;
use super::log_reader::LogReader;
use super::{OpenRegistry, RegistryError};
use crate::items::find::{NamedItem, find_without_suggestions};
use crate::items::{ItemCall, ItemError, read_and_verify};

/// The most tools that one tool may run on.
const MAX_CHAIN: usize = 10;

/// What fetches an item and what it runs on.
pub(super) struct ChainFetcher<'a> {
    pub(super) registry: &'a OpenRegistry,
    pub(super) log: &'a LogReader<'a>,
    pub(super) call: &'a ItemCall<'a>,
    pub(super) request: &'a VersionRequest<'a>,
}

/// What is installed, the item that was asked for first.
pub(super) struct FetchedChain {
    pub(super) fetched: Vec<FetchedVersion>,
    pub(super) warnings: Vec<String>,
}

/// A tool that is looked for here.
enum LocalTool {
    Found(Box<ScopedPath>),
    /// There are several, or it clashes with another item: a run says so.
    Several,
    Missing,
}

impl ChainFetcher<'_> {
    /// Fetches everything.
    pub(super) fn fetch(&self) -> Result<FetchedChain, RegistryError> {
        let Self { registry, log, call, request } = self;
        let first = fetch_version(registry, log, &call.items, request)?;
        let lock = match first.item.statement.kind {
            ItemType::Tool => AuthorLock::fetch(registry, log, &call.items, &first)?,
            _ => None,
        };
        let mut link = Link::fetched(&first.item.statement);
        let mut chain = FetchedChain { fetched: Vec::new(), warnings: Vec::new() };
        chain.add(first);
        let mut count = 1;
        while let Some(executor) = link.executor().cloned() {
            if (call.is_cancelled)() {
                return Err(RegistryError::Cancelled);
            }
            if builtin::is_reserved(&executor) {
                let warn = |lock: &AuthorLock| lock.warn_about_builtin(count, &executor);
                chain.warnings.extend(lock.as_ref().and_then(warn));
                break;
            }
            if chain.has(&executor) || count > MAX_CHAIN {
                return Err(content_error("the tools that it runs on do not end"));
            }
            link = match (find_tool(call, &executor, request.scope)?, &lock) {
                (LocalTool::Found(place), Some(_)) => {
                    Link::local(read_and_verify(&call.items, *place)?.item())
                }
                (LocalTool::Found(_), None) | (LocalTool::Several, _) => break,
                // What a tool that is here runs on is not the registry's business.
                (LocalTool::Missing, _) if count > chain.fetched.len() => break,
                (LocalTool::Missing, lock) => {
                    let pin = lock.as_ref().and_then(|lock| lock.pin(count));
                    let fetched = self.fetch_tool(executor, pin)?;
                    let link = Link::fetched(&fetched.item.statement);
                    chain.add(fetched);
                    link
                }
            };
            if let Some(lock) = &lock {
                lock.check(count, &link)?;
            }
            count += 1;
        }
        Ok(chain)
    }

    /// Fetches a tool that others run on: the pinned version, or else the newest.
    fn fetch_tool(
        &self,
        id: ItemId,
        pin: Option<&PinnedTool>,
    ) -> Result<FetchedVersion, RegistryError> {
        let Self { registry, log, call, request } = self;
        let namespace = request.item.namespace.clone();
        let item = RegistryItemName { kind: RegistryType::Tool, namespace, id };
        let version = pin.map(|pin| &pin.version);
        let version = version.map_or(RequestedVersion::Newest, RequestedVersion::Pinned);
        let request = VersionRequest { item: &item, version, scope: request.scope };
        fetch_version(registry, log, &call.items, &request)
    }
}

impl FetchedChain {
    fn add(&mut self, fetched: FetchedVersion) {
        self.warnings.extend(fetched.warning.clone());
        self.fetched.push(fetched);
    }

    fn has(&self, id: &ItemId) -> bool {
        self.fetched.iter().any(|one| one.item.statement.id == *id)
    }
}

/// Finds the tool of this id that what is installed in a scope would run on.
fn find_tool(call: &ItemCall<'_>, id: &ItemId, scope: Scope) -> Result<LocalTool, RegistryError> {
    let source = match scope {
        Scope::User => LookupScope::Only(Scope::User),
        Scope::Project | Scope::Registry => LookupScope::Local,
    };
    let item = ItemRef { category: None, id: id.clone(), version: None };
    let named = NamedItem { kind: ItemType::Tool, item: &item, source };
    match find_without_suggestions(call.items.sources, call.items.view, named) {
        Ok(found) => Ok(LocalTool::Found(Box::new(found.place))),
        Err(ItemError::Ambiguous { .. } | ItemError::Clash { .. }) => Ok(LocalTool::Several),
        Err(ItemError::Missing { .. }) => Ok(LocalTool::Missing),
        Err(error) => Err(error.into()),
    }
}
