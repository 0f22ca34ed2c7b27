//! The audit: the whole log is replayed against the tables and the blobs.
//!
//! Every entry must be what the tables say, every version must be in the log, and every file must
//! be there unchanged.

use std::collections::HashSet;

use mere_core::log::{
    EntryDisclosure, Frontier, LogEntry, RegistryEvent, SignedCheckpoint, TreeHash,
};
use mere_core::registry::{RegistryItemName, RegistryType, RegistryVersionName};

use crate::database::{Connection, DatabaseError, Value};
use crate::error::RegistryError;
use crate::items::{ItemTable, read_logged_event, read_version_info};
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
                self.check_entry(*index, entry, report)?;
                frontier.append(leaf);
                report.entries += 1;
            }
            if rows.is_empty() {
                report.add(format!("Entry {from} of the log is missing."));
                return Ok(());
            }
        }
        self.check_checkpoint(state, &frontier, report);
        Ok(())
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

    /// Checks that an entry is what the tables say about it.
    fn check_entry(
        &self,
        index: u64,
        entry: &[u8],
        report: &mut AuditReport,
    ) -> Result<(), RegistryError> {
        let Ok(parsed) = LogEntry::parse(entry) else {
            report.add(format!("Entry {index} is malformed."));
            return Ok(());
        };
        let logged = self.database.read(|connection| read_logged_event(connection, index));
        let Ok(logged) = logged else {
            report.add(format!("What entry {index} seals is not known any more."));
            return Ok(());
        };
        if logged.disclosure.leaf() != parsed {
            report.add(format!("Entry {index} does not seal what the tables say."));
        }
        let EntryDisclosure { event, .. } = logged.disclosure;
        let (name, column) = match &event {
            RegistryEvent::Publish(event) => (&event.version, "leaf_index"),
            RegistryEvent::Yank(event) => (&event.version, "yank_index"),
            RegistryEvent::KeyAdd(_) | RegistryEvent::KeyRemove(_) => return Ok(()),
        };
        let found = self.database.read(|connection| find_index(connection, name, column))?;
        if found != Some(index) {
            report.add(format!("Entry {index} is about {name}, and the tables are not."));
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
