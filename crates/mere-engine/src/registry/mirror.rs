//! Copying a registry into a folder that serves as one by itself.
//!
//! The log is copied whole, because every proof needs it; items may be those of one namespace. What
//! is copied is checked on the way. The checkpoint comes last: until then the folder is as it was.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::registry::{
    ApiBody, ApiPath, MAX_PAGE_ITEMS, Namespace, NamespaceInfo, RegistryInfo, RegistryItemInfo,
    RegistryItemName, RegistryItemPage, RegistryItemRow, RegistryQuery, VersionInfo, format_body,
};
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::PersonFile;
use mere_core::trust::Statement;

use super::connection::PATIENCE;
use super::listing::{list_items, mirror_page_path};
use super::log_reader::LogReader;
use super::memory::Evidence;
use super::{LogFault, OpenRegistry, RegistryChoice, RegistryError};
use crate::files::view::count_phrase;
use mere_host::{RegistryFolder, RegistryFolderWriter, TypedPath};

/// How many items a page of the list has in a mirror.
const PAGE_ITEMS: usize = 500;

/// What is copied, and where to.
pub(crate) struct MirrorRequest<'a> {
    pub(crate) folder: &'a PersonFile,
    /// The only namespace whose items are copied.
    pub(crate) namespace: Option<&'a Namespace>,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

/// Copies a registry.
pub(crate) fn mirror(
    choice: RegistryChoice<'_>,
    request: &MirrorRequest<'_>,
) -> Result<Draft, RegistryError> {
    let registry = choice.open(PATIENCE)?;
    let log = registry.read_log()?;
    let typed = TypedPath::from(request.folder.as_typed().to_owned());
    let folder = RegistryFolder::create(&typed, choice.environment);
    let folder = folder.map_err(RegistryError::MirrorUnwritten)?;
    let writer = folder.lock(request.is_cancelled).map_err(RegistryError::MirrorUnwritten)?;
    let writer = PartWriter(writer.ok_or(RegistryError::Cancelled)?);
    let mut copy = MirrorCopy { registry: &registry, log: &log, writer, versions: 0, files: 0 };
    log.for_each_part(&mut |path, bytes| copy.writer.put_part(path, bytes))?;
    let query = RegistryQuery {
        namespace: request.namespace.cloned(),
        limit: Some(MAX_PAGE_ITEMS),
        ..RegistryQuery::default()
    };
    let rows = list_items(&registry.connection, &query)?;
    let mut namespaces = rows.iter().map(|row| row.namespace.clone()).collect::<Vec<_>>();
    namespaces.sort();
    namespaces.dedup();
    for row in &rows {
        if (request.is_cancelled)() {
            return Err(RegistryError::Cancelled);
        }
        copy.copy_item(row)?;
    }
    for namespace in namespaces {
        copy.copy_body::<NamespaceInfo>(&ApiPath::Namespace(namespace))?;
    }
    copy.write_list(&rows)?;
    copy.copy_body::<RegistryInfo>(&ApiPath::Registry)?;
    let checkpoint = log.checkpoint().signed().to_string();
    copy.writer.put_part(&ApiPath::Checkpoint, checkpoint.as_bytes())?;
    let data = Fields::default()
        .with("items", rows.len() as u64)
        .with("versions", copy.versions)
        .with("files", copy.files)
        .with("entries", log.size());
    let message = Prose::words("The mirror has ")
        .append(&count_phrase(rows.len() as u64, "item", "items"))
        .and(" in ")
        .append(&count_phrase(copy.versions, "version", "versions"))
        .and(", and the whole log: ")
        .append(&count_phrase(log.size(), "entry", "entries"))
        .and(".");
    Ok(Draft::success(codes::MIRRORED, message).data(data))
}

/// A copy that is being made.
struct MirrorCopy<'a> {
    registry: &'a OpenRegistry,
    log: &'a LogReader<'a>,
    writer: PartWriter,
    versions: u64,
    files: u64,
}

impl MirrorCopy<'_> {
    fn copy_body<T: ApiBody>(&self, path: &ApiPath) -> Result<(), RegistryError> {
        let body = self.registry.connection.get_body::<T>(path)?;
        self.writer.put_body(path, &body.ok_or(RegistryError::Absent)?)
    }

    /// Copies an item with all versions that the checkpoint covers.
    fn copy_item(&mut self, row: &RegistryItemRow) -> Result<(), RegistryError> {
        let name = RegistryItemName {
            kind: row.item_type,
            namespace: row.namespace.clone(),
            id: row.item_id.clone(),
        };
        let path = ApiPath::Item(name.clone());
        let info = self.registry.connection.get_body::<RegistryItemInfo>(&path)?;
        let mut info = info.ok_or(RegistryError::Absent)?;
        let mut copied = Vec::new();
        for version in &info.versions {
            let path = ApiPath::Version(name.clone().with_version(version.version.clone()));
            if self.copy_version(&path)? {
                copied.push(version.clone());
            }
        }
        info.versions = copied;
        self.writer.put_body(&path, &info)
    }

    /// Copies a version with its files. Returns `false` if it is newer than the checkpoint.
    fn copy_version(&mut self, path: &ApiPath) -> Result<bool, RegistryError> {
        let info = self.registry.connection.get_body::<VersionInfo>(path)?;
        let info = info.ok_or(RegistryError::Absent)?;
        let published = &info.published;
        if published.index >= self.log.size() {
            return Ok(false);
        }
        let evidence = || Evidence {
            request: Some(path.to_string()),
            answer: serde_json::to_value(&info).ok(),
            ..Evidence::default()
        };
        let proof = self.log.prove_entry(&published.disclosure, published.index)?;
        if info.check_events().is_err() || proof.is_none() {
            return Err(self.log.distrust_answer(LogFault::Unlogged, evidence()));
        }
        let statement = Statement::parse(info.record.statement.payload());
        let statement = statement.map_err(|_| RegistryError::Answer("a statement is malformed"))?;
        let namespace = &info.record.version.item.namespace;
        for file in &statement.files {
            let path = ApiPath::Blob(namespace.clone(), file.sha256);
            if self.writer.has_part(&path)? {
                continue;
            }
            let bytes = self.registry.connection.get_bytes(&path.to_string(), file.size)?;
            let bytes = bytes.ok_or(RegistryError::Answer("a file of an item is missing"))?;
            if Sha256::digest(&bytes) != file.sha256 {
                let fault = LogFault::OtherBytes { path: file.path.clone() };
                return Err(self.log.distrust_answer(fault, evidence()));
            }
            self.writer.put_part(&path, &bytes)?;
            self.files += 1;
        }
        self.writer.put_body(path, &info)?;
        self.versions += 1;
        Ok(true)
    }

    /// Writes the list of items, in pages.
    fn write_list(&self, rows: &[RegistryItemRow]) -> Result<(), RegistryError> {
        let pages = rows.chunks(PAGE_ITEMS).map(<[_]>::to_vec).collect::<Vec<_>>();
        let last = pages.len().max(1);
        for number in 1..=last {
            let items = pages.get(number - 1).cloned().unwrap_or_default();
            let next = (number < last).then(|| (number + 1).to_string());
            let page = RegistryItemPage { items, total: Some(rows.len() as u64), next };
            let bytes = format_body(&page);
            let bytes = bytes.map_err(|_| RegistryError::Answer("the list cannot be written"))?;
            self.writer.put_file(&mirror_page_path(number), &bytes)?;
        }
        Ok(())
    }
}

/// Writes the parts of a registry into a folder.
struct PartWriter(RegistryFolderWriter);

impl PartWriter {
    fn put_file(&self, path: &str, bytes: &[u8]) -> Result<(), RegistryError> {
        self.0.put(&relative_path(path)?, bytes).map_err(RegistryError::MirrorUnwritten)
    }

    fn put_part(&self, path: &ApiPath, bytes: &[u8]) -> Result<(), RegistryError> {
        self.put_file(&path.to_string(), bytes)
    }

    fn put_body<T: ApiBody>(&self, path: &ApiPath, body: &T) -> Result<(), RegistryError> {
        let bytes = format_body(body);
        let bytes = bytes.map_err(|_| RegistryError::Answer("an answer cannot be written"))?;
        self.put_file(&format!("{path}.json"), &bytes)
    }

    fn has_part(&self, path: &ApiPath) -> Result<bool, RegistryError> {
        let path = relative_path(&path.to_string())?;
        self.0.has_file(&path).map_err(RegistryError::MirrorUnwritten)
    }
}

fn relative_path(path: &str) -> Result<RelPath, RegistryError> {
    path.trim_start_matches('/').parse().map_err(|_| RegistryError::Absent)
}
