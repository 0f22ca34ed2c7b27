//! The user's own keys: `keys.json`, with one record for each key.
//!
//! Every change is made under the lock of the config folder and leaves exactly one current key. A
//! damaged file is never overwritten.

use mere_core::request::{KeyName, Secret};
use mere_core::trust::{Fingerprint, PublicKey};
use serde_json::{Value, json};

use super::fault::KeyFault;
use super::pem;
use crate::trust::approvals::records;
use crate::trust::approvals::records::RecordError;
use mere_host::{Environment, LockedFolder};

/// The file in the config folder that holds the records.
pub(crate) const FILE: &str = "keys.json";
/// How many default names are tried for a key without a name.
const MAX_KEYS: usize = 1_000;

/// One of the user's keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnKey {
    pub(crate) public: PublicKey,
    /// Whether it is the key that signs.
    pub(crate) is_current: bool,
    pub(crate) location: KeyLocation,
}

/// Where the private half of a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyLocation {
    /// In Merestone's own folder.
    Stored(KeyName),
    /// At an absolute path that a person named.
    InPlace(String),
    /// Only in ssh-agent.
    Agent,
}

impl OwnKey {
    fn parse(record: &Value) -> Option<Self> {
        let public = record["public"].as_str()?.parse::<PublicKey>().ok()?;
        if record["fingerprint"] != public.fingerprint().to_string() {
            return None;
        }
        let (file, path) = (record["file"].as_str(), record["path"].as_str());
        let location = match (file, path, record["agent"].as_bool()?) {
            (Some(file), None, false) => KeyLocation::Stored(file.parse().ok()?),
            (None, Some(path), false) => KeyLocation::InPlace(path.to_owned()),
            (None, None, true) => KeyLocation::Agent,
            _ => return None,
        };
        Some(Self { public, is_current: record["current"].as_bool()?, location })
    }

    fn to_record(&self) -> Value {
        let (file, path) = match &self.location {
            KeyLocation::Stored(name) => (Some(name.as_str()), None),
            KeyLocation::InPlace(path) => (None, Some(path.as_str())),
            KeyLocation::Agent => (None, None),
        };
        json!({
            "fingerprint": self.public.fingerprint().to_string(),
            "public": self.public.to_string(),
            "file": file,
            "path": path,
            "agent": self.location == KeyLocation::Agent,
            "current": self.is_current,
        })
    }
}

/// Returns the user's keys, or none if they cannot be read.
pub(crate) fn own_keys(environment: &Environment) -> Vec<OwnKey> {
    read(environment).unwrap_or_default()
}

/// Reads the user's keys.
pub(crate) fn read(environment: &Environment) -> Result<Vec<OwnKey>, KeyFault> {
    let damaged = || RecordError::Damaged(environment.display_config_file(FILE));
    let bytes = environment.read_config(FILE).map_err(|_| damaged())?;
    let records = bytes.map(|bytes| records::parse_strict(&bytes).ok_or_else(damaged));
    let records = records.transpose()?.unwrap_or_default();
    Ok(records.iter().filter_map(OwnKey::parse).collect())
}

/// Finds the key with this fingerprint, or the current one.
pub(crate) fn find(
    environment: &Environment,
    key: Option<Fingerprint>,
) -> Result<OwnKey, KeyFault> {
    let mut keys = read(environment)?.into_iter();
    match key {
        Some(key) => keys.find(|own| own.public.fingerprint() == key).ok_or(KeyFault::Unknown(key)),
        None => keys.find(|own| own.is_current).ok_or(KeyFault::NoKey),
    }
}

/// Makes a key the current one.
pub(crate) fn make_current(environment: &Environment, own: OwnKey) -> Result<OwnKey, KeyFault> {
    add(environment, OwnKey { is_current: true, ..own })
}

/// Adds a key, or replaces its record. The first key becomes the current one.
fn add(environment: &Environment, own: OwnKey) -> Result<OwnKey, KeyFault> {
    records::try_update(environment.lock_config(), FILE, |_, records| {
        Ok(upsert_record(records, own))
    })
}

/// Stores a key's file, and records the key.
pub(crate) fn store_key(
    environment: &Environment,
    name: Option<&KeyName>,
    private: &[u8],
    public: &PublicKey,
) -> Result<OwnKey, KeyFault> {
    records::try_update(environment.lock_config(), FILE, |folder, records| {
        let name = store_key_file(folder, name, private, public)?;
        let location = KeyLocation::Stored(name);
        Ok(upsert_record(records, OwnKey { public: public.clone(), is_current: false, location }))
    })
}

/// Generates a key without a passphrase if the user has no key at all, and returns the new key.
pub(crate) fn generate_first(environment: &Environment) -> Result<Option<PublicKey>, KeyFault> {
    if !read(environment)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(generate(environment, None, None)?.public))
}

/// Generates a key and stores it.
pub(crate) fn generate(
    environment: &Environment,
    name: Option<&KeyName>,
    passphrase: Option<&Secret>,
) -> Result<OwnKey, KeyFault> {
    let key = pem::generate()?;
    let text = pem::encode(&key, passphrase)?;
    store_key(environment, name, text.as_bytes(), &pem::public_key_of(&key)?)
}

/// Writes a key's file under its name, or under the first default name that is free.
fn store_key_file(
    folder: &LockedFolder,
    name: Option<&KeyName>,
    private: &[u8],
    public: &PublicKey,
) -> Result<KeyName, KeyFault> {
    let line = format!("{public} {}\n", pem::COMMENT);
    let not_saved = |error: mere_host::WriteError| KeyFault::NotSaved(error.to_string());
    if let Some(name) = name {
        let kept = folder.save_key(name, private, &line).map_err(not_saved)?;
        return if kept {
            Ok(name.clone())
        } else {
            Err(KeyFault::AlreadyExists(name.as_str().to_owned()))
        };
    }
    for name in (1..MAX_KEYS).map(KeyName::default_name) {
        if folder.save_key(&name, private, &line).map_err(not_saved)? {
            return Ok(name);
        }
    }
    Err(KeyFault::AlreadyExists(KeyName::default_name(1).as_str().to_owned()))
}

/// Replaces or adds the record of a key. There is one record for each key, and one current key.
fn upsert_record(records: &mut Vec<Value>, mut own: OwnKey) -> OwnKey {
    let name = own.public.fingerprint().to_string();
    let known = records.iter().filter_map(OwnKey::parse);
    let known = known.filter(|other| other.is_current).map(|other| other.public).next();
    own.is_current |= known.is_none_or(|current| current == own.public);
    records.retain(|record| record["fingerprint"] != name.as_str());
    if own.is_current {
        for record in records.iter_mut().filter(|record| record.is_object()) {
            record["current"] = false.into();
        }
    }
    records.push(own.to_record());
    own
}

/// Restricts the files of stored keys to their owner. Key files that a person keeps elsewhere are
/// left alone.
pub(crate) fn restrict_permissions(environment: &Environment) -> std::io::Result<()> {
    for key in own_keys(environment) {
        if let KeyLocation::Stored(name) = &key.location {
            environment.restrict_saved_key(name)?;
        }
    }
    Ok(())
}
