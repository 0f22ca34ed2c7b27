//! Fetching one version of an item, with every check that does not need its place.
//!
//! The order is: is the answer about what was asked for, is it in the log as everybody sees it, does
//! the log say that it was yanked, who signed it, and are its files the signed ones. What fails is
//! kept as evidence, and nothing is written.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::{ItemType, MAX_ITEM_BYTES, Scope, ScopedPath, Version};
use mere_core::log::OfflineProof;
use mere_core::registry::{
    ApiPath, PublishedReference, RegistryItemInfo, RegistryItemName, VersionInfo,
};
use mere_core::text::json;
use mere_core::trust::{
    Fingerprint, PublicKey, RegistryOrigin, Statement, UntrustedSigner, check_author,
};

use super::entry_scan::LaterEvents;
use super::install::{FetchedItem, VersionChoice, content_error, installed_place, main_file};
use super::log_reader::LogReader;
use super::memory::Evidence;
use super::namespace_keys::LoggedKeys;
use super::open_registry::OpenRegistry;
use super::{AuthorKey, LogFault, RegistryError};
use crate::items::ItemReader;
use crate::trust::{Membership, now};

/// The most bytes that the files of an item may have.
const MAX_TOTAL_BYTES: u64 = 64 * 1024 * 1024;
/// The most files of an item.
const MAX_FILES: usize = 1_000;

/// One version that is fetched.
pub(super) struct VersionRequest<'a> {
    pub(super) item: &'a RegistryItemName,
    pub(super) version: RequestedVersion<'a>,
    /// Where it will be installed.
    pub(super) scope: Scope,
}

/// Which version is wanted.
#[derive(Clone, Copy)]
pub(super) enum RequestedVersion<'a> {
    Newest,
    /// The one that somebody asked for by number.
    Exact(&'a Version),
    /// The one that a lockfile pins.
    Pinned(&'a Version),
}

impl<'a> From<Option<&'a Version>> for RequestedVersion<'a> {
    fn from(version: Option<&'a Version>) -> Self {
        version.map_or(Self::Newest, Self::Exact)
    }
}

/// A version whose place in the log was checked.
struct LoggedVersion {
    info: VersionInfo,
    proof: OfflineProof,
    choice: VersionChoice,
    is_yanked: bool,
    has_later_lockfile: bool,
}

/// An item, and what a person should know about it.
pub(super) struct FetchedVersion {
    pub(super) item: FetchedItem,
    pub(super) warning: Option<String>,
    /// Whether the log says that a lockfile was published for it, and not yanked.
    pub(super) has_later_lockfile: bool,
}

/// Fetches a version, and checks everything about it but its place.
pub(super) fn fetch_version(
    registry: &OpenRegistry,
    log: &LogReader<'_>,
    items: &ItemReader<'_>,
    request: &VersionRequest<'_>,
) -> Result<FetchedVersion, RegistryError> {
    let logged = find_logged_version(registry, log, request)?;
    let record = &logged.info.record;
    let author = record.statement.clone();
    let statement = Statement::parse(author.payload())
        .map_err(|error| content_error(&format!("its statement is malformed: {error}")))?;
    let is_same = statement.kind == ItemType::from(record.version.item.kind)
        && statement.id == record.version.item.id
        && statement.version == record.version.version;
    if !is_same {
        return Err(log.distrust_answer(LogFault::OtherItem, evidence_of(&logged.info)));
    }
    let place = installed_place(&statement, request.scope)?;
    if let Some(signer) = find_unknown_signer(items, &logged.info, &place)? {
        let keys = LoggedKeys::read(registry, log, &record.version.item.namespace)?;
        let membership = items.trust_policy.membership(place.scope);
        return Err(describe_author(&keys, &logged.info, signer, membership));
    }
    let signed = SignedFiles { info: &logged.info, statement: &statement, place: &place };
    let files = signed.fetch(registry, log)?;
    let proof = json::parse(logged.proof.to_text().as_bytes());
    let origin = RegistryOrigin {
        registry_id: registry.known.id.to_string(),
        namespace: record.version.item.namespace.to_string(),
        version: record.version.version.to_string(),
    };
    let warning = logged.is_yanked.then(|| {
        let (item, version) = (&record.version.item, &record.version.version);
        format!("{}/{}@{version} was yanked by its author.", item.namespace, item.id)
    });
    Ok(FetchedVersion {
        item: FetchedItem {
            author,
            statement,
            files,
            origin,
            log_proof: proof.map_err(|_| content_error("its proof cannot be written"))?,
            choice: logged.choice,
        },
        warning,
        has_later_lockfile: logged.has_later_lockfile,
    })
}

/// Reads what the registry says about a version, and checks it against the log.
fn find_logged_version(
    registry: &OpenRegistry,
    log: &LogReader<'_>,
    request: &VersionRequest<'_>,
) -> Result<LoggedVersion, RegistryError> {
    let (version, choice) = match request.version {
        RequestedVersion::Exact(version) => (version.clone(), VersionChoice::Exact),
        RequestedVersion::Pinned(version) => (version.clone(), VersionChoice::Pinned),
        RequestedVersion::Newest => (find_newest(registry, request.item)?, VersionChoice::Newest),
    };
    let name = request.item.clone().with_version(version);
    let info = registry.connection.get_body::<VersionInfo>(&ApiPath::Version(name.clone()))?;
    let info = info.ok_or(RegistryError::Absent)?;
    let shown = &info.record.version;
    let is_asked_for = shown.item.kind == name.item.kind
        && shown.item.namespace.is_same_as(&name.item.namespace)
        && shown.item.id == name.item.id
        && shown.version == name.version;
    if !is_asked_for {
        return Err(log.distrust_answer(LogFault::OtherItem, evidence_of(&info)));
    }
    if info.check_events().is_err() {
        return Err(log.distrust_answer(LogFault::Unlogged, evidence_of(&info)));
    }
    let published = &info.published;
    if published.index >= log.size() {
        // It was published after the checkpoint was read, or never.
        return find_in_newer_log(registry, info, choice);
    }
    check_logged(log, info, choice)
}

/// Reads the log again for a version that is newer than the checkpoint.
fn find_in_newer_log(
    registry: &OpenRegistry,
    info: VersionInfo,
    choice: VersionChoice,
) -> Result<LoggedVersion, RegistryError> {
    check_logged(&registry.read_log()?, info, choice)
}

/// Checks that a version is in the log, and that the registry conceals nothing that the log says
/// about it.
fn check_logged(
    log: &LogReader<'_>,
    info: VersionInfo,
    choice: VersionChoice,
) -> Result<LoggedVersion, RegistryError> {
    let evidence = || evidence_of(&info);
    let published = &info.published;
    let Some(proof) = log.prove_entry(&published.disclosure, published.index)? else {
        return Err(log.distrust_answer(LogFault::Unlogged, evidence()));
    };
    if let Some(yanked) = info.yanked.as_ref().filter(|yanked| yanked.index < log.size())
        && log.prove_entry(&yanked.disclosure, yanked.index)?.is_none()
    {
        return Err(log.distrust_answer(LogFault::Proof, evidence()));
    }
    let later = LaterEvents::read(log, &info.record.version, published.index)?;
    if later.is_yanked && info.yanked.is_none() {
        return Err(log.distrust_answer(LogFault::HiddenYank, evidence()));
    }
    let is_yanked = info.yanked.is_some();
    match (choice, is_yanked) {
        (VersionChoice::Newest, true) => {
            let item = &info.record.version.item;
            let version = Some(info.record.version.version.clone());
            let item = PublishedReference { name: item.qualified_id(), version };
            Err(RegistryError::Yanked(Box::new(item)))
        }
        (VersionChoice::Newest, false) if later.newer_release().is_some() => {
            let newer = later.newer_release().cloned().unwrap_or(Version::new(0, 0, 0));
            Err(log.distrust_answer(LogFault::HiddenVersion(newer), evidence()))
        }
        _ => {
            let has_later_lockfile = later.has_lockfile;
            Ok(LoggedVersion { info, proof, choice, is_yanked, has_later_lockfile })
        }
    }
}

/// Finds the newest version that was not yanked. A version before its release counts only if there is
/// no other.
pub(super) fn find_newest(
    registry: &OpenRegistry,
    item: &RegistryItemName,
) -> Result<Version, RegistryError> {
    newest_version(&fetch_item_info(registry, item)?, item)
}

/// Asks a registry which versions of an item there are.
pub(super) fn fetch_item_info(
    registry: &OpenRegistry,
    item: &RegistryItemName,
) -> Result<RegistryItemInfo, RegistryError> {
    let info = registry.connection.get_body::<RegistryItemInfo>(&ApiPath::Item(item.clone()))?;
    info.ok_or(RegistryError::Absent)
}

/// Returns the newest version that was not yanked.
pub(super) fn newest_version(
    info: &RegistryItemInfo,
    item: &RegistryItemName,
) -> Result<Version, RegistryError> {
    let newest = |is_wanted: &dyn Fn(&Version) -> bool| {
        let present = info.versions.iter().filter(|one| !one.yanked).map(|one| &one.version);
        present.filter(|version| is_wanted(version)).fold(None, |best: Option<&Version>, one| {
            best.filter(|best| !best.is_older_than(one)).or(Some(one))
        })
    };
    let found = newest(&|version| !version.is_pre_release()).or_else(|| newest(&|_| true));
    let name = PublishedReference { name: item.qualified_id(), version: None };
    match found {
        Some(version) => Ok(version.clone()),
        None if info.versions.is_empty() => Err(RegistryError::Absent),
        None => Err(RegistryError::Yanked(Box::new(name))),
    }
}

/// Returns who signed the statement, if it is nobody whom the user trusts.
fn find_unknown_signer(
    items: &ItemReader<'_>,
    info: &VersionInfo,
    place: &ScopedPath,
) -> Result<Option<Fingerprint>, RegistryError> {
    let author = &info.record.statement;
    let keyring = items.trust_policy.keyring(place.scope);
    let signer = check_author(author, keyring, place, now()).map_err(RegistryError::Signature)?;
    Ok(signer.err().map(|UntrustedSigner { key, .. }| key))
}

/// Describes an author who is not known: with the key, if the namespace has it, which a person may
/// then trust.
fn describe_author(
    logged: &LoggedKeys,
    info: &VersionInfo,
    fingerprint: Fingerprint,
    membership: Membership,
) -> RegistryError {
    let author = &info.record.statement;
    let is_signer = |key: &&PublicKey| key.fingerprint() == fingerprint && author.is_signed_by(key);
    let key = logged.keys().find(is_signer).filter(|_| membership == Membership::NoTeam).cloned();
    let version = Some(info.record.version.version.clone());
    let item = PublishedReference { name: info.record.version.item.qualified_id(), version };
    RegistryError::UnknownAuthor(Box::new(AuthorKey { item, fingerprint, key, membership }))
}

/// The files that a signed statement lists.
struct SignedFiles<'a> {
    info: &'a VersionInfo,
    statement: &'a Statement,
    place: &'a ScopedPath,
}

impl SignedFiles<'_> {
    /// Fetches the files, the main one last.
    fn fetch(
        &self,
        registry: &OpenRegistry,
        log: &LogReader<'_>,
    ) -> Result<Vec<(RelPath, Vec<u8>)>, RegistryError> {
        let Self { info, statement, place } = self;
        let total = statement.files.iter().map(|file| file.size).fold(0, u64::saturating_add);
        if statement.files.len() > MAX_FILES || total > MAX_TOTAL_BYTES {
            return Err(content_error("it has too many files, or they are too large"));
        }
        let main = main_file(place)?;
        let mut files = Vec::new();
        for file in &statement.files {
            let path = file.path.parse::<RelPath>();
            let path = path.map_err(|_| content_error("a file has a name that is not allowed"))?;
            if path == main && file.size > MAX_ITEM_BYTES as u64 {
                return Err(content_error("its main file is too large"));
            }
            let namespace = info.record.version.item.namespace.clone();
            let request = ApiPath::Blob(namespace, file.sha256);
            let bytes = registry.connection.get_bytes(&request.to_string(), file.size);
            let bytes = match bytes {
                Ok(Some(bytes)) => bytes,
                Ok(None) => return Err(RegistryError::Answer("a file of the item is missing")),
                Err(error) => return Err(error),
            };
            if Sha256::digest(&bytes) != file.sha256 || bytes.len() as u64 != file.size {
                let fault = LogFault::OtherBytes { path: file.path.clone() };
                let found = format!("sha256 {} of {} bytes", Sha256::digest(&bytes), bytes.len());
                let evidence = Evidence {
                    request: Some(request.to_string()),
                    answer: Some(found.into()),
                    ..Evidence::default()
                };
                return Err(log.distrust_answer(fault, evidence));
            }
            files.push((path, bytes));
        }
        files.sort_by_key(|(path, _)| *path == main);
        Ok(files)
    }
}

/// Returns what a registry said about a version, as evidence.
fn evidence_of(info: &VersionInfo) -> Evidence {
    Evidence {
        request: Some(ApiPath::Version(info.record.version.clone()).to_string()),
        answer: serde_json::to_value(info).ok(),
        ..Evidence::default()
    }
}
