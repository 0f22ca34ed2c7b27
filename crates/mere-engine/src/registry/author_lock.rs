//! The lockfile that an author published with a tool: what the tool was meant to run on.
//!
//! A lockfile is never installed, since it names the space that it was made for. It is compared:
//! each tool that is pulled, or is here already and would be used, must be the pinned one.

use mere_core::address::RelPath;
use mere_core::chain::{builtin, lock::LockMismatch};
use mere_core::item::{Item, ItemId, PinnedTool, Scope};
use mere_core::registry::{ApiPath, RegistryItemName, RegistryType, VersionInfo};
use mere_core::text::json;
use mere_core::trust::Statement;

use super::fetch::{FetchedVersion, RequestedVersion, VersionRequest, fetch_version};
use super::install::{FetchedItem, content_error, installed_place};
use super::log_reader::LogReader;
use super::memory::Evidence;
use super::{LogFault, OpenRegistry, RegistryError};
use crate::items::relocation::load_from_files;
use crate::items::{ItemReader, LoadedItem};

/// The chain that an author pinned.
pub(super) struct AuthorLock {
    chain: Vec<PinnedTool>,
}

impl AuthorLock {
    /// Fetches the lockfile of a tool, if its author published one and did not withdraw it.
    pub(super) fn fetch(
        registry: &OpenRegistry,
        log: &LogReader<'_>,
        items: &ItemReader<'_>,
        tool: &FetchedVersion,
    ) -> Result<Option<Self>, RegistryError> {
        let Statement { id, version, .. } = &tool.item.statement;
        let namespace = tool.item.origin.namespace.parse();
        let namespace = namespace.map_err(|_| content_error("its namespace is malformed"))?;
        let item = RegistryItemName { kind: RegistryType::Lockfile, namespace, id: id.clone() };
        let name = item.clone().with_version(version.clone());
        let path = ApiPath::Version(name);
        let info = registry.connection.get_body::<VersionInfo>(&path)?;
        if info.as_ref().is_none_or(|info| info.yanked.is_some()) {
            if !tool.has_later_lockfile {
                return Ok(None);
            }
            let (request, answer) = (Some(path.to_string()), serde_json::to_value(&info).ok());
            let evidence = Evidence { request, answer, ..Evidence::default() };
            return Err(log.distrust_answer(LogFault::HiddenVersion(version.clone()), evidence));
        }
        let version = RequestedVersion::Pinned(version);
        let request = VersionRequest { item: &item, version, scope: Scope::User };
        let fetched = fetch_version(registry, log, items, &request)?;
        let chain = parse_chain(&fetched.item)?;
        let lock = Self { chain };
        lock.check(0, &Link::fetched(&tool.item.statement))?;
        Ok(Some(lock))
    }

    /// Returns the pin of a link, from 0 for the tool itself. A tool of this program is never pinned
    /// to one of a registry.
    pub(super) fn pin(&self, index: usize) -> Option<&PinnedTool> {
        self.chain.get(index).filter(|pin| pin.scope.is_some())
    }

    /// Checks that a link is the pinned one.
    pub(super) fn check(&self, index: usize, link: &Link) -> Result<(), RegistryError> {
        let Some(pin) = self.chain.get(index) else {
            let (expected, found) = (index.to_string(), (index + 1).to_string());
            return Err(link.mismatch(index, "length", (expected, found)));
        };
        let name = |id: Option<&ItemId>| id.map_or("none", ItemId::as_str).to_owned();
        let fields = [
            ("tool_id", pin.id.to_string(), link.id.to_string()),
            ("version", pin.version.to_string(), link.version.clone()),
            ("category", pin.category.to_string(), link.category.clone()),
            ("integrity", pin.integrity.to_string(), link.integrity.clone()),
            ("executor", name(pin.executor.as_ref()), name(link.executor.as_ref())),
        ];
        let differs = fields.into_iter().find(|(_, expected, found)| expected != found);
        match differs {
            None => Ok(()),
            Some((field, expected, found)) => Err(link.mismatch(index, field, (expected, found))),
        }
    }

    /// Warns if the tool of this program that ends the chain is another one than the author's.
    pub(super) fn warn_about_builtin(&self, index: usize, id: &ItemId) -> Option<String> {
        let pin = self.chain.get(index)?;
        let own = builtin::find(id)?.pin;
        let is_same = pin.id == own.id && pin.integrity == own.integrity;
        (!is_same).then(|| {
            format!(
                "The author's lockfile pins `{}` {}, and this program has `{}` {}.",
                pin.id, pin.version, own.id, own.version
            )
        })
    }
}

/// A tool of the chain, with what a lockfile pins.
pub(super) struct Link {
    id: ItemId,
    version: String,
    category: String,
    integrity: String,
    executor: Option<ItemId>,
    origin: LinkOrigin,
}

/// Where a tool of the chain is from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LinkOrigin {
    Registry,
    /// It is here. Its digest would let secrets in it be guessed, and is not told.
    Local,
}

impl Link {
    /// Describes a tool that was fetched.
    pub(super) fn fetched(statement: &Statement) -> Self {
        Self {
            id: statement.id.clone(),
            version: statement.version.to_string(),
            category: statement.category.to_string(),
            integrity: statement.integrity.to_string(),
            executor: statement.executor.clone(),
            origin: LinkOrigin::Registry,
        }
    }

    /// Describes a tool that is here.
    pub(super) fn local(loaded: &LoadedItem) -> Self {
        let claims = loaded.claims();
        let text = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
        Self {
            id: loaded.place.id.clone(),
            version: text(claims.version.map(|version| version.to_string())),
            category: loaded.place.category.to_string(),
            integrity: text(claims.integrity.map(|integrity| integrity.to_string())),
            executor: claims.executor,
            origin: LinkOrigin::Local,
        }
    }

    /// Returns the tool that runs it.
    pub(super) fn executor(&self) -> Option<&ItemId> {
        self.executor.as_ref()
    }

    fn mismatch(
        &self,
        index: usize,
        field: &'static str,
        (expected, found): (String, String),
    ) -> RegistryError {
        let id = self.id.clone();
        let mismatch = LockMismatch { index, id, field, expected, found };
        let is_guarded = self.origin == LinkOrigin::Local && mismatch.is_of_digest();
        let mismatch = if is_guarded { mismatch.without_values() } else { mismatch };
        RegistryError::LockMismatch(Box::new(mismatch))
    }
}

/// Parses the chain of a lockfile, which is what its author signed.
fn parse_chain(fetched: &FetchedItem) -> Result<Vec<PinnedTool>, RegistryError> {
    let scope = fetched.files.last().and_then(|(_, bytes): &(RelPath, Vec<u8>)| {
        let value = json::parse(bytes).ok()?;
        value.pointer("/metadata/scope")?.as_str()?.parse::<Scope>().ok()
    });
    let malformed = || content_error("its lockfile is malformed");
    let place = installed_place(&fetched.statement, scope.ok_or_else(malformed)?)?;
    let loaded = load_from_files(&fetched.files, &[], &place)?;
    match loaded.item {
        Item::Lockfile(lockfile) if loaded.integrity == Some(fetched.statement.integrity) => {
            Ok(lockfile.chain)
        }
        _ => Err(malformed()),
    }
}
