//! The signers that the user trusts, what for, and which keys are revoked: `trust.json` in the
//! config folder.
//!
//! The file is the user's alone: nothing in a repository adds to it, and no agent can ask for a
//! change. One record that cannot be read makes the whole file damaged, because it might be a
//! revocation.

mod fault;

use std::str::FromStr;

use mere_core::item::{Category, ItemType, Scope};
use mere_core::request::SignerName;
use mere_core::trust::{Fingerprint, KeyLimits, PublicKey};
use serde_json::{Map, Value, json};

use crate::trust::approvals::records;
use mere_host::{Environment, ExposedFile};

pub(crate) use fault::SignerFault;

/// The file that holds the records.
pub(crate) const FILE: &str = "trust.json";
/// Every field of a record.
const FIELDS: [&str; 7] =
    ["fingerprint", "key", "name", "scopes", "types", "categories", "revoked"];

/// The content of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TrustStore {
    Records(Vec<TrustRecord>),
    /// The file exists and cannot be read: no key in it counts, and it is unknown which were
    /// revoked.
    Damaged,
    /// Somebody else could have changed the file, for this reason: no key in it counts.
    Exposed(String),
}

/// The record of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustRecord {
    pub(crate) fingerprint: Fingerprint,
    /// The key itself. Only a key that was revoked by its fingerprint alone has none.
    pub(crate) key: Option<PublicKey>,
    pub(crate) name: Option<SignerName>,
    /// What the key counts for.
    pub(crate) limits: KeyLimits,
    /// Whether the key is revoked and never counts again.
    pub(crate) is_revoked: bool,
}

/// Reads the user's trust store. A missing file is an empty store.
pub(crate) fn read(environment: &Environment) -> TrustStore {
    let bytes = match environment.read_config(FILE) {
        Ok(bytes) => bytes,
        Err(error) => {
            let exposed = ExposedFile::from_error(&error).map(ToString::to_string);
            return exposed.map_or(TrustStore::Damaged, TrustStore::Exposed);
        }
    };
    let Some(bytes) = bytes else { return TrustStore::Records(Vec::new()) };
    let records = records::parse_strict(&bytes).and_then(|records| parse(&records));
    records.map_or(TrustStore::Damaged, TrustStore::Records)
}

/// Parses all records. Returns `None` if one of them is invalid or a key occurs twice.
pub(crate) fn parse(records: &[Value]) -> Option<Vec<TrustRecord>> {
    let records = records.iter().map(TrustRecord::parse).collect::<Option<Vec<_>>>()?;
    let mut names = records.iter().map(|record| record.fingerprint).collect::<Vec<_>>();
    names.sort_unstable();
    names.dedup();
    (names.len() == records.len()).then_some(records)
}

impl TrustRecord {
    pub(crate) fn from_key(key: PublicKey) -> Self {
        let fingerprint = key.fingerprint();
        Self { key: Some(key), ..Self::from_fingerprint(fingerprint) }
    }

    pub(crate) fn from_fingerprint(fingerprint: Fingerprint) -> Self {
        Self { fingerprint, key: None, name: None, limits: KeyLimits::default(), is_revoked: false }
    }

    fn parse(record: &Value) -> Option<Self> {
        let fields = record.as_object()?;
        if fields.len() != FIELDS.len() || !FIELDS.iter().all(|name| fields.contains_key(*name)) {
            return None;
        }
        let key = parse_optional_field::<PublicKey>(fields, "key").ok()?;
        let fingerprint = fields["fingerprint"].as_str()?.parse::<Fingerprint>().ok()?;
        let is_revoked = fields["revoked"].as_bool()?;
        match &key {
            Some(key) if key.fingerprint() != fingerprint => return None,
            None if !is_revoked => return None,
            _ => {}
        }
        let limits = KeyLimits {
            scopes: parse_list_field(fields, "scopes", |text| text.parse().ok())?,
            kinds: parse_list_field(fields, "types", |text| {
                ItemType::ALL.into_iter().find(|kind| kind.name() == text)
            })?,
            categories: parse_list_field(fields, "categories", |text| text.parse().ok())?,
            not_after: None,
        };
        Some(Self {
            fingerprint,
            key,
            name: parse_optional_field(fields, "name").ok()?,
            limits,
            is_revoked,
        })
    }

    pub(crate) fn to_record(&self) -> Value {
        let limits = &self.limits;
        json!({
            "fingerprint": self.fingerprint.to_string(),
            "key": self.key.as_ref().map(PublicKey::to_string),
            "name": self.name.as_ref().map(SignerName::as_str),
            "scopes": limits.scopes.iter().map(|scope| Scope::name(*scope)).collect::<Vec<_>>(),
            "types": limits.kinds.iter().map(|kind| ItemType::name(*kind)).collect::<Vec<_>>(),
            "categories": limits.categories.iter().map(Category::as_str).collect::<Vec<_>>(),
            "revoked": self.is_revoked,
        })
    }
}

/// The error for a field with an invalid value.
struct InvalidField;

/// Parses a text field that may be null.
fn parse_optional_field<T: FromStr>(
    fields: &Map<String, Value>,
    name: &str,
) -> Result<Option<T>, InvalidField> {
    match &fields[name] {
        Value::Null => Ok(None),
        Value::String(text) => text.parse().map(Some).map_err(|_| InvalidField),
        _ => Err(InvalidField),
    }
}

fn parse_list_field<T>(
    fields: &Map<String, Value>,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Option<Vec<T>> {
    fields[name].as_array()?.iter().map(|value| parse(value.as_str()?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIH2aiIz7QAjKiD9IhMsrNd0i1r0Y7/g1ZpeS2JrguIi";

    fn record() -> TrustRecord {
        let limits = KeyLimits {
            scopes: vec![Scope::Project],
            kinds: vec![ItemType::Tool],
            categories: vec!["api/auth".parse().expect("a category")],
            not_after: None,
        };
        let name = Some("Ada".parse().expect("a name"));
        TrustRecord { name, limits, ..TrustRecord::from_key(KEY.parse().expect("a key")) }
    }

    #[test]
    fn reads_what_it_writes() {
        let alone =
            TrustRecord { is_revoked: true, ..TrustRecord::from_fingerprint(record().fingerprint) };
        for record in [record(), TrustRecord { is_revoked: true, ..record() }, alone] {
            assert_eq!(TrustRecord::parse(&record.to_record()), Some(record));
        }
    }

    #[test]
    fn what_is_not_wholly_understood_is_not_read() {
        let other = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU";
        let broken = [
            ("fingerprint", json!(other)),
            ("fingerprint", json!(null)),
            ("key", json!(null)),
            ("key", json!("ssh-rsa AAAA")),
            ("name", json!(1)),
            ("name", json!("SHA256:x")),
            ("scopes", json!("project")),
            ("scopes", json!(["everywhere"])),
            ("types", json!(["skill"])),
            ("categories", json!(["../x"])),
            ("revoked", json!("yes")),
            ("until", json!("2027-01-01")),
        ];
        for (name, value) in broken {
            let mut record = record().to_record();
            record[name] = value;
            assert_eq!(TrustRecord::parse(&record), None, "{record}");
        }
        assert_eq!(parse(&[record().to_record(), record().to_record()]), None, "a key twice");
    }
}
