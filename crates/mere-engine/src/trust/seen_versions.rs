//! The record of the versions that this machine has seen: of each item of a space the newest that
//! trusted keys signed, and the older statements that a person accepted.
//!
//! It is keyed by the id of the space, so worktrees, clones and a copy elsewhere that took the id
//! along share one record, and by the item's type, category, id and base folder. Files are in the
//! folder `seen` of the user's state folder, which no root shows, and no agent can write there.
//!
//! The record is bounded: a space has at most [`FILES_PER_SPACE`] files of at most [`MAX_RECORDS`]
//! records. What was seen first stays. Only items that trusted keys signed are recorded, so nobody
//! else fills it. A reply reads one small file, parses it if it changed, and writes it only if a
//! version is new.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use mere_core::digest::Sha256;
use mere_core::item::{CategoryBase, ItemName, ItemType, ScopedPath, Version};
use mere_core::trust::SeenVersion;
use serde_json::{Value, json};

use crate::policy::SigningPermit;
use crate::trust::approvals::records::{self, RecordError};
use mere_host::{Environment, StateFolder};

/// The folder in the state folder that holds the records.
const FOLDER: &str = "seen";
/// How many files the records of one space are spread over, so that each is small.
const FILES_PER_SPACE: u8 = 64;
/// The most records of one file.
const MAX_RECORDS: usize = 256;
/// The longest version that is recorded, in bytes.
const MAX_VERSION_BYTES: usize = 256;

/// The record of what was seen cannot be used. For people: it may name a host path.
#[derive(Debug, thiserror::Error)]
#[error("{file} cannot be used: {cause}")]
pub(crate) struct SeenError {
    file: String,
    cause: String,
}

/// The most files that are kept parsed.
const MAX_PARSED_FILES: usize = 4 * FILES_PER_SPACE as usize;

/// What this machine has seen. The default has seen nothing and records nothing.
#[derive(Clone, Default)]
pub(crate) struct SeenVersions {
    folder: Option<StateFolder>,
    parsed: Arc<Mutex<HashMap<String, ParsedFile>>>,
}

/// What a file said when it had these bytes. The bytes are read each time, but parsing them takes
/// ten times longer.
struct ParsedFile {
    bytes: Vec<u8>,
    records: Arc<SeenRecords>,
}

type SeenRecords = BTreeMap<SeenKey, SeenVersion>;

/// The key of an item in the record of its space.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SeenKey {
    item: String,
    /// The folder that its category starts from, if that is not one of the space.
    base: Option<String>,
}

impl SeenKey {
    /// Returns the key of an item; `None` if versions of such items do not follow one another. A
    /// lockfile has its version in its name, and memories have none.
    fn from_place(place: &ScopedPath) -> Option<Self> {
        if matches!(place.kind, ItemType::Lockfile | ItemType::Memory) {
            return None;
        }
        let base = match &place.base {
            CategoryBase::Space | CategoryBase::Store(_) => None,
            CategoryBase::InPlace(path) => Some(path.to_string()),
        };
        Some(Self { item: ItemName::from(place).to_string(), base })
    }

    /// Returns the name of the file that the record lies in.
    fn file(&self, space_id: &str) -> String {
        let space = Sha256::digest(space_id.as_bytes()).to_string();
        let item = Sha256::digest(self.item.as_bytes()).as_bytes()[0] % FILES_PER_SPACE;
        format!("{}-{item:02x}.json", &space[..32])
    }

    fn matches(&self, record: &Value) -> bool {
        let base = self.base.as_deref().map_or(Value::Null, Value::from);
        record["item"] == *self.item && record["base"] == base
    }
}

impl SeenVersions {
    /// Returns the record of the user who runs this process.
    pub(super) fn of_user(environment: &Environment) -> Self {
        Self { folder: environment.state_folder(FOLDER), ..Self::default() }
    }

    /// Returns what was seen of an item. A record that cannot be read is an error, because without
    /// it nobody knows whether there was a newer version.
    pub(super) fn find(
        &self,
        space_id: &str,
        place: &ScopedPath,
    ) -> Result<Option<SeenVersion>, SeenError> {
        let (Some(folder), Some(key)) = (&self.folder, SeenKey::from_place(place)) else {
            return Ok(None);
        };
        let file = key.file(space_id);
        let fault = |cause: String| SeenError { file: folder.display_path(&file), cause };
        let Some(bytes) = folder.read(&file).map_err(|error| fault(error.to_string()))? else {
            return Ok(None);
        };
        let damaged = || fault("it is damaged".to_owned());
        let records = self.parse_file(file.clone(), bytes).ok_or_else(damaged)?;
        Ok(records.get(&key).cloned())
    }

    /// Parses a file, unless it has the bytes that it had the last time.
    fn parse_file(&self, file: String, bytes: Vec<u8>) -> Option<Arc<SeenRecords>> {
        let lock = || self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&file).filter(|known| known.bytes == bytes) {
            return Some(Arc::clone(&known.records));
        }
        let records = Arc::new(parse_records(&records::parse_strict(&bytes)?)?);
        let mut parsed = lock();
        if parsed.len() >= MAX_PARSED_FILES {
            parsed.clear();
        }
        parsed.insert(file, ParsedFile { bytes, records: Arc::clone(&records) });
        Some(records)
    }

    /// Remembers versions that trusted keys signed. Where there is no folder, nothing is remembered.
    pub(super) fn record(
        &self,
        space_id: &str,
        seen: &[(&ScopedPath, &Version)],
    ) -> Result<(), RecordError> {
        if self.folder.is_none() {
            return Ok(());
        }
        let mut by_file = BTreeMap::<String, Vec<(SeenKey, &Version)>>::new();
        for (place, version) in seen {
            if version.to_string().len() > MAX_VERSION_BYTES {
                tracing::warn!(%place.id, "the version is too long to be remembered");
                continue;
            }
            if let Some(key) = SeenKey::from_place(place) {
                by_file.entry(key.file(space_id)).or_default().push((key, version));
            }
        }
        for (file, seen) in by_file {
            self.update(&file, |records| {
                for (key, version) in &seen {
                    raise(records, key, version);
                }
            })?;
        }
        Ok(())
    }

    /// Remembers that a person accepts a statement about an item although a newer version was seen.
    /// Whoever accepts it could have signed it.
    pub(super) fn accept(
        &self,
        space_id: &str,
        place: &ScopedPath,
        statement: Sha256,
        _permit: &SigningPermit,
    ) -> Result<(), RecordError> {
        let Some(key) = SeenKey::from_place(place) else { return Ok(()) };
        self.update(&key.file(space_id), |records| {
            let own = records.iter_mut().filter(|record| key.matches(record));
            for record in own {
                if let Some(mut seen) = parse_record(record) {
                    seen.accept(statement);
                    *record = to_record(&key, &seen);
                }
            }
        })
    }

    fn update(&self, file: &str, edit: impl FnOnce(&mut Vec<Value>)) -> Result<(), RecordError> {
        let folder = self.folder.as_ref().map(StateFolder::lock);
        records::try_update(folder, file, |folder, records| {
            if records.iter().any(|record| parse_record(record).is_none()) {
                return Err(RecordError::Damaged(folder.display_path(file)));
            }
            edit(records);
            Ok(())
        })
    }
}

/// Raises the record of an item to a version, and makes one if there is room.
fn raise(records: &mut Vec<Value>, key: &SeenKey, version: &Version) {
    let own = records.iter().position(|record| key.matches(record));
    match own {
        Some(own) => {
            if let Some(mut seen) = parse_record(&records[own])
                && seen.raise(version)
            {
                records[own] = to_record(key, &seen);
            }
        }
        None if records.len() < MAX_RECORDS => {
            records.push(to_record(key, &SeenVersion::new(version.clone())));
        }
        None => tracing::warn!(item = key.item, "there is no room to remember its version"),
    }
}

fn to_record(key: &SeenKey, seen: &SeenVersion) -> Value {
    let accepted = seen.accepted.iter().map(|digest| format!("sha256:{digest}"));
    json!({
        "item": key.item,
        "base": key.base,
        "version": seen.newest.to_string(),
        "accepted": accepted.collect::<Vec<_>>(),
    })
}

/// Parses all records. One that is damaged makes all of them useless: whatever damaged it may have
/// taken others away.
fn parse_records(records: &[Value]) -> Option<SeenRecords> {
    let mut parsed = SeenRecords::new();
    for record in records {
        let seen = parse_record(record)?;
        let key = SeenKey {
            item: record["item"].as_str()?.to_owned(),
            base: record["base"].as_str().map(str::to_owned),
        };
        parsed.entry(key).or_insert(seen);
    }
    Some(parsed)
}

/// Parses a record; `None` if it is damaged.
fn parse_record(record: &Value) -> Option<SeenVersion> {
    let digest = |value: &Value| value.as_str()?.strip_prefix("sha256:")?.parse().ok();
    record["item"].as_str()?.parse::<ItemName>().ok()?;
    Some(SeenVersion {
        newest: record["version"].as_str()?.parse().ok()?,
        accepted: record["accepted"].as_array()?.iter().map(digest).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> SeenKey {
        SeenKey { item: format!("tool:t/x{number}"), base: None }
    }

    #[test]
    fn what_was_seen_first_stays_when_there_is_no_room() {
        let (mut records, version) = (Vec::new(), Version::new(1, 0, 0));
        for number in 0..MAX_RECORDS + 10 {
            raise(&mut records, &key(number), &version);
        }
        assert_eq!(records.len(), MAX_RECORDS);
        assert!(key(0).matches(&records[0]));
        // A known item is still raised.
        raise(&mut records, &key(0), &Version::new(2, 0, 0));
        let seen = parse_record(&records[0]).map(|seen| seen.newest);
        assert_eq!(seen, Some(Version::new(2, 0, 0)));
    }

    #[test]
    fn an_item_used_in_place_is_another_one() {
        let in_place = SeenKey { base: Some(".claude/skills".to_owned()), ..key(1) };
        let mut records = Vec::new();
        raise(&mut records, &in_place, &Version::new(3, 0, 0));
        assert!(!key(1).matches(&records[0]) && in_place.matches(&records[0]));
    }
}
