//! The audit: the whole log is replayed against the tables and the blobs.
//!
//! Every entry must be what the tables say, every version must be in the log, and every file must
//! be there unchanged.

use std::collections::HashSet;

use mere_core::digest::Sha256;
use mere_core::log::{Frontier, LogEntry, RegistryEvent, SignedCheckpoint, TreeHash};
use mere_core::registry::{RegistryItemName, RegistryType, RegistryVersionName};
use mere_core::trust::{Fingerprint, PublicKey};

use crate::accounts::all_keys;
use crate::database::{Connection, DatabaseError, Value};
use crate::error::RegistryError;
use crate::items::{ItemTable, check_signatures, read_logged_event, read_version_info};
use crate::registry::Registry;
use crate::transparency::LogState;

/// How many entries are read at once.
const PAGE: u64 = 1_000;
/// The most findings that are told.
const MAX_FINDINGS: usize = 1_000;

/// What an audit found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// How many entries were checked.
    pub entries: u64,
    /// How many versions.
    pub versions: u64,
    /// How many different files.
    pub blobs: u64,
    /// What is wrong, in sentences.
    pub findings: Vec<String>,
}

/// The keys of every namespace, as the log says.
#[derive(Default)]
struct ReplayedKeys(HashSet<(String, Fingerprint)>);

impl AuditReport {
    fn add(&mut self, finding: String) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(finding);
        }
    }
}

impl Registry {
    /// Checks everything. Nothing is changed.
    pub fn audit(&self) -> Result<AuditReport, RegistryError> {
        let mut report = AuditReport::default();
        let state = self.database.read(LogState::require)?;
        self.check_entries(&state, &mut report)?;
        let mut seen = HashSet::new();
        for kind in RegistryType::ALL {
            for name in self.all_versions(kind)? {
                report.versions += 1;
                self.check_version(&name, &mut seen, &mut report)?;
            }
        }
        report.blobs = seen.len() as u64;
        Ok(report)
    }

    /// Rebuilds the tree from the entries, and compares it with the signed checkpoint.
    fn check_entries(
        &self,
        state: &LogState,
        report: &mut AuditReport,
    ) -> Result<(), RegistryError> {
        let mut frontier = Frontier::default();
        let mut keys = ReplayedKeys::default();
        while frontier.size() < state.frontier.size() {
            let from = frontier.size();
            let end = (from + PAGE).min(state.frontier.size());
            let rows = self.database.read(|connection| read_entries(connection, from, end))?;
            for (index, hash, entry) in &rows {
                if *index != frontier.size() {
                    report.add(format!("Entry {} of the log is missing.", frontier.size()));
                    return Ok(());
                }
                let leaf = TreeHash::leaf(entry);
                if leaf.as_bytes().as_slice() != hash {
                    report.add(format!("Entry {index} does not have its hash."));
                }
                if let Some(event) = self.check_entry(*index, entry, report) {
                    self.replay(*index, &event, &mut keys, report)?;
                }
                frontier.append(leaf);
                report.entries += 1;
            }
            if rows.is_empty() {
                report.add(format!("Entry {from} of the log is missing."));
                return Ok(());
            }
        }
        self.check_checkpoint(state, &frontier, report);
        self.check_keys(&keys, report)
    }

    fn check_checkpoint(&self, state: &LogState, tree: &Frontier, report: &mut AuditReport) {
        let Ok(signed) = SignedCheckpoint::parse(state.checkpoint.as_bytes()) else {
            report.add("The checkpoint is malformed.".to_owned());
            return;
        };
        if signed.note().check_signed_by(self.log_key()).is_err() {
            report.add("The checkpoint is not signed by the key of the log.".to_owned());
        }
        if signed.checkpoint().head() != tree.head() {
            report.add("The checkpoint is not that of the entries.".to_owned());
        }
    }

    /// Checks that an entry is well-formed and seals what the tables say. Returns its event.
    fn check_entry(
        &self,
        index: u64,
        entry: &[u8],
        report: &mut AuditReport,
    ) -> Option<RegistryEvent> {
        let Ok(parsed) = LogEntry::parse(entry) else {
            report.add(format!("Entry {index} is malformed."));
            return None;
        };
        let logged = self.database.read(|connection| read_logged_event(connection, index));
        let Ok(logged) = logged else {
            report.add(format!("What entry {index} seals is not known any more."));
            return None;
        };
        if logged.disclosure.leaf() != parsed {
            report.add(format!("Entry {index} does not seal what the tables say."));
        }
        Some(logged.disclosure.event)
    }

    /// Checks that the tables say about an event what the log says.
    fn replay(
        &self,
        index: u64,
        event: &RegistryEvent,
        keys: &mut ReplayedKeys,
        report: &mut AuditReport,
    ) -> Result<(), RegistryError> {
        let (name, column) = match event {
            RegistryEvent::Publish(event) => (&event.version, "leaf_index"),
            RegistryEvent::Yank(event) => (&event.version, "yank_index"),
            RegistryEvent::KeyAdd(event) => {
                keys.0.insert((event.namespace.to_string(), event.key));
                return Ok(());
            }
            RegistryEvent::KeyRemove(event) => {
                keys.0.remove(&(event.namespace.to_string(), event.key));
                return Ok(());
            }
        };
        let found = self.database.read(|connection| find_index(connection, name, column))?;
        if found != Some(index) {
            report.add(format!("Entry {index} is about {name}, and the tables are not."));
        } else if column == "leaf_index" && !self.is_signed(name, keys)? {
            report.add(format!("No key that the namespace had at the time signed {name}."));
        }
        Ok(())
    }

    /// Reports whether a version is signed by a key that its namespace had.
    fn is_signed(
        &self,
        name: &RegistryVersionName,
        keys: &ReplayedKeys,
    ) -> Result<bool, RegistryError> {
        let namespace = &name.item.namespace;
        let (info, known) = self.database.read(|connection| {
            let info = read_version_info(connection, name).ok();
            Ok::<_, RegistryError>((info, all_keys(connection, namespace)?))
        })?;
        let had = |key: &PublicKey| keys.0.contains(&(namespace.to_string(), key.fingerprint()));
        let known = known.into_iter().filter(had).collect::<Vec<_>>();
        Ok(info.is_some_and(|info| check_signatures(&info.record.statement, &known).is_ok()))
    }

    /// Checks that the keys in the tables are those of the log.
    fn check_keys(
        &self,
        keys: &ReplayedKeys,
        report: &mut AuditReport,
    ) -> Result<(), RegistryError> {
        let stored = self.list_keys()?.into_iter();
        let stored = stored.map(|one| (one.namespace, one.key.fingerprint()));
        let stored = stored.collect::<HashSet<_>>();
        for (namespace, key) in stored.symmetric_difference(&keys.0) {
            report.add(format!("The key {key} of {namespace} is not as the log says."));
        }
        Ok(())
    }

    fn all_versions(&self, kind: RegistryType) -> Result<Vec<RegistryVersionName>, RegistryError> {
        let ItemTable { versions, id, .. } = ItemTable::of(kind);
        let sql = format!("SELECT namespace, {id}, version FROM {versions} ORDER BY leaf_index");
        self.database.read(|connection| {
            let rows = connection.query(&sql, &[])?;
            let names = rows.iter().map(|row| {
                let item = RegistryItemName {
                    kind,
                    namespace: row.text(0)?.parse().map_err(|_| DatabaseError::Shape)?,
                    id: row.text(1)?.parse().map_err(|_| DatabaseError::Shape)?,
                };
                let version = row.text(2)?.parse().map_err(|_| DatabaseError::Shape)?;
                Ok(item.with_version(version))
            });
            Ok(names.collect::<Result<_, DatabaseError>>()?)
        })
    }

    /// Checks that a version is what the log says, and that its files are there.
    fn check_version(
        &self,
        name: &RegistryVersionName,
        seen: &mut HashSet<[u8; 32]>,
        report: &mut AuditReport,
    ) -> Result<(), RegistryError> {
        let info = match self.database.read(|connection| read_version_info(connection, name)) {
            Ok(info) => info,
            Err(RegistryError::Database(DatabaseError::Shape)) => {
                report.add(format!("The record or the entry of {name} is damaged."));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if info.record.version != *name || info.check_events().is_err() {
            report.add(format!("The record of {name} is not the one in the log."));
        }
        let Ok(statement) = info.record.parse_statement() else {
            report.add(format!("The statement of {name} is about something else."));
            return Ok(());
        };
        for file in &statement.files {
            if !self.database.read(|connection| has_file(connection, name, &file.sha256))? {
                report.add(format!("A file of {name} cannot be read by anybody: {}.", file.path));
            }
            if !seen.insert(*file.sha256.as_bytes()) {
                continue;
            }
            match self.blobs.get(&file.sha256) {
                Ok(Some(bytes)) if bytes.len() as u64 == file.size => {}
                Ok(Some(_)) => report.add(format!("A file of {name} has another size.")),
                Ok(None) => report.add(format!("A file of {name} is missing: {}.", file.path)),
                Err(error) => report.add(format!("A file of {name} cannot be read: {error}.")),
            }
        }
        Ok(())
    }
}

/// Reports whether a file is recorded as one of an item.
fn has_file(
    connection: &mut Connection,
    name: &RegistryVersionName,
    digest: &Sha256,
) -> Result<bool, DatabaseError> {
    let sql = "SELECT 1 FROM published_blobs WHERE namespace = $1 AND sha256 = $2 AND \
               item_type = $3 AND item_id = $4";
    let values = [
        Value::from(name.item.namespace.as_str()),
        digest.to_string().into(),
        name.item.kind.name().into(),
        name.item.id.as_str().into(),
    ];
    Ok(connection.query_one(sql, &values)?.is_some())
}

type EntryRow = (u64, Vec<u8>, Vec<u8>);

fn read_entries(
    connection: &mut Connection,
    from: u64,
    end: u64,
) -> Result<Vec<EntryRow>, DatabaseError> {
    let sql = "SELECT leaf_index, hash, entry FROM log_entries WHERE leaf_index >= $1 AND \
               leaf_index < $2 ORDER BY leaf_index";
    let rows = connection.query(sql, &[from.into(), end.into()])?;
    rows.iter().map(|row| Ok((row.number(0)?, row.bytes(1)?, row.bytes(2)?))).collect()
}

fn find_index(
    connection: &mut Connection,
    name: &RegistryVersionName,
    column: &'static str,
) -> Result<Option<u64>, DatabaseError> {
    let ItemTable { versions, id, .. } = ItemTable::of(name.item.kind);
    let sql = format!(
        "SELECT {column} FROM {versions} WHERE namespace = $1 AND {id} = $2 AND version = $3"
    );
    let values = [
        Value::from(name.item.namespace.as_str()),
        name.item.id.as_str().into(),
        name.version.to_string().into(),
    ];
    let row = connection.query_one(&sql, &values)?;
    row.map_or(Ok(None), |row| row.optional_number(0))
}
