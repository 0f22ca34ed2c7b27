//! Bodies are read as they are written, and refused in any other form.

use serde_json::{Value, json};

use super::{
    ApiBody, BodyError, NamespaceInfo, PublishRequest, RegistryInfo, RegistryItemInfo,
    RegistryItemPage, RelationshipList, VersionInfo, format_body, parse_body,
};
use crate::digest::Sha256;
use crate::item::ItemType;
use crate::item::integrity::FileDigest;
use crate::log::{
    EntryDisclosure, EntryNonce, LogSigner, LoggedEvent, NamespaceKeyEvent, PublishEvent,
    RegistryEvent, YankEvent,
};
use crate::registry::{
    ProblemCode, ProblemDetails, RegistryId, RegistryItemName, RegistryType, VersionRecord,
};
use crate::trust::{ClaimedTime, Envelope, Fingerprint, PayloadType, Statement};

const REGISTRY: &str = "019a94e0-aaaa-7bbb-8ccc-0123456789ab";
const PUBLIC_KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIH2aiIz7QAjKiD9IhMsrNd0i1r0Y7/g1ZpeS2JrguIi";
const FINGERPRINT: &str = "SHA256:Ux/7fR3O16Cl8WSn7lBPixr0VnQ4FC16a0mr4XdhqQs";

fn time() -> ClaimedTime {
    "2026-01-31T23:59:59Z".parse().expect("a time")
}

fn record() -> VersionRecord {
    let statement = Statement {
        kind: ItemType::Tool,
        id: "jwt".parse().expect("an id"),
        version: "1.0.0".parse().expect("a version"),
        category: "api".parse().expect("a category"),
        integrity: Sha256::digest(b"jwt"),
        files: vec![FileDigest {
            path: "jwt.yaml".to_owned(),
            sha256: Sha256::digest(b"x"),
            size: 1,
        }],
        executor: Some("python".parse().expect("an id")),
        created: time(),
    };
    let mut envelope = Envelope::new(PayloadType::Statement, statement.payload());
    envelope.add_signature(FINGERPRINT.parse::<Fingerprint>().expect("a key"), [7; 64]);
    let item = RegistryItemName {
        kind: RegistryType::Tool,
        namespace: "acme".parse().expect("a namespace"),
        id: statement.id,
    };
    VersionRecord {
        version: item.with_version(statement.version),
        statement: envelope,
        name: "JWT – größer".to_owned(),
        description: "Verifies tokens".to_owned(),
        executor: statement.executor,
        published: time(),
    }
}

fn version_info() -> VersionInfo {
    let record = record();
    let event = RegistryEvent::Publish(PublishEvent {
        version: record.version.clone(),
        statement: Sha256::digest(record.statement.payload()),
        record: record.digest(),
        at: record.published,
    });
    let yanked = RegistryEvent::Yank(YankEvent { version: record.version.clone(), at: time() });
    let published = LoggedEvent {
        index: 7,
        disclosure: EntryDisclosure::sealed(event, EntryNonce::new([1; 32])),
    };
    let yanked = LoggedEvent { index: 9, disclosure: EntryDisclosure::public(yanked) };
    VersionInfo { record, published, yanked: Some(yanked) }
}

fn registry_info() -> RegistryInfo {
    let id = REGISTRY.parse::<RegistryId>().expect("an id");
    let signer = LogSigner::new(id.log_origin().expect("an origin"), &[1; 32]).expect("a key");
    let info = RegistryInfo::new(id, signer.key().clone(), "mere 0.1.0".to_owned());
    info.expect("consistent")
}

/// Checks that a body is read as it is written, and that no field may be missing, unknown or
/// repeated.
fn check<T: ApiBody + PartialEq + std::fmt::Debug>(body: &T, optional: &[&str]) {
    let bytes = format_body(body).expect("a body");
    assert_eq!(parse_body::<T>(&bytes).as_ref(), Ok(body));
    let value = serde_json::from_slice::<Value>(&bytes).expect("JSON");
    let fields = value.as_object().expect("an object");
    for key in fields.keys() {
        let mut less = fields.clone();
        less.remove(key);
        let parsed = parse_body::<T>(Value::Object(less).to_string().as_bytes());
        let is_wrong = parsed.as_ref() != Ok(body);
        assert!(is_wrong && (parsed.is_err() || optional.contains(&key.as_str())), "{key}");
        let text = String::from_utf8(bytes.clone()).expect("UTF-8");
        let twice = text.replacen('{', &format!("{{\"{key}\":{},", fields[key]), 1);
        assert_eq!(parse_body::<T>(twice.as_bytes()), Err(BodyError), "{key} twice");
    }
    let mut more = fields.clone();
    more.insert("more".to_owned(), json!(1));
    let more = Value::Object(more).to_string();
    assert_eq!(parse_body::<T>(more.as_bytes()), Err(BodyError));
    let long = [bytes.as_slice(), &vec![b' '; T::MAX_BYTES]].concat();
    assert_eq!(parse_body::<T>(&long), Err(BodyError));
    for end in (0..bytes.len()).step_by(7) {
        assert_eq!(parse_body::<T>(&bytes[..end]), Err(BodyError));
    }
}

fn parse<T: ApiBody>(value: &Value) -> Result<T, BodyError> {
    parse_body(value.to_string().as_bytes())
}

#[test]
fn the_bodies_of_versions() {
    check(&version_info(), &["nonce"]);
    check(&version_info().published, &["nonce"]);
    let unsealed = VersionInfo { yanked: None, ..version_info() };
    check(&unsealed, &["nonce"]);
    check(&PublishRequest { statement: record().statement }, &[]);
}

#[test]
fn the_bodies_of_the_registry() {
    check(&registry_info(), &[]);
    check(&ProblemDetails::new(ProblemCode::NotFound, "there is no such item"), &[]);
    let key = PUBLIC_KEY.parse::<crate::trust::PublicKey>().expect("a key");
    let name = "acme".parse::<crate::registry::Namespace>().expect("a namespace");
    let at = "2026-01-31T23:59:59Z".parse().expect("a time");
    let event = NamespaceKeyEvent { namespace: name.clone(), key: key.fingerprint(), at };
    let add = RegistryEvent::KeyAdd(event.clone());
    let disclosure = EntryDisclosure::sealed(add, EntryNonce::new([7; 32]));
    let added = LoggedEvent { index: 3, disclosure };
    let (private, keys, key_changes) = (true, vec![key.into()], vec![added.clone()]);
    let namespace = NamespaceInfo { name, private, keys, key_changes };
    check(&namespace, &[]);
    // The keys are exactly those that the log leads to.
    let disclosure = EntryDisclosure::public(RegistryEvent::KeyRemove(event));
    let removed = LoggedEvent { index: 4, disclosure };
    for changes in [
        vec![],
        vec![added.clone(), removed.clone()],
        vec![added.clone(), added.clone()],
        vec![removed, added],
    ] {
        let other = NamespaceInfo { key_changes: changes, ..namespace.clone() };
        assert_eq!(other.check(), Err(BodyError));
    }
}

#[test]
fn the_bodies_of_lists() {
    let page = json!({
        "items": [{
            "item_type": "tool", "namespace": "acme", "item_id": "jwt", "name": "JWT",
            "description": "Verifies tokens", "category": "api/auth", "executor_id": "python",
            "entry_type": null, "latest_version": "1.0.0", "created_at": "2026-01-31T23:59:59Z",
        }],
        "total": 1, "next": "cursor",
    });
    check(&parse::<RegistryItemPage>(&page).expect("a page"), &["total", "next"]);
    let item = json!({
        "type": "tool", "namespace": "acme", "id": "jwt", "name": "JWT", "description": "",
        "category": "", "latest_version": null,
        "versions": [{
            "version": "1.0.0", "published": "2026-01-31T23:59:59Z", "yanked": true,
        }],
    });
    check(&parse::<RegistryItemInfo>(&item).expect("an item"), &[]);
    let links = json!({
        "relationships": [{ "from": "acme/jwt", "to": "tokens", "type": "extends" }],
    });
    check(&parse::<RelationshipList>(&links).expect("relationships"), &[]);
    for (pointer, changed) in [
        ("/items/0/item_type", json!("memory")),
        ("/items/0/namespace", json!("../acme")),
        ("/items/0/item_id", json!("JWT")),
        ("/items/0/category", json!("/etc")),
        ("/items/0/latest_version", json!("latest")),
        ("/items/0/created_at", json!("yesterday")),
        ("/items/0/name", json!(1)),
        ("/total", json!(-1)),
    ] {
        let mut page = page.clone();
        *page.pointer_mut(pointer).expect("a field") = changed;
        assert_eq!(parse::<RegistryItemPage>(&page), Err(BodyError), "{pointer}");
    }
}

#[test]
fn what_a_registry_says_of_itself_has_to_fit_together() {
    let value = serde_json::to_value(registry_info()).expect("JSON");
    let other = LogSigner::new(registry_info().log_key.name().clone(), &[2; 32]).expect("a key");
    for (key, changed) in [
        ("registry_id", json!("019a94e0-aaaa-7bbb-8ccc-0123456789ac")),
        ("origin", json!("merestone-registry/other")),
        ("log_key", json!(other.key().to_string())),
        ("fingerprint", json!(FINGERPRINT)),
    ] {
        let mut value = value.clone();
        value[key] = changed;
        assert_eq!(parse::<RegistryInfo>(&value), Err(BodyError), "{key}");
    }
    let namespace = json!({
        "name": "acme", "private": false,
        "keys": [{
            "fingerprint": FINGERPRINT.replace("Ux", "Uy"), "public_key": PUBLIC_KEY,
        }],
        "key_changes": [],
    });
    assert_eq!(parse::<NamespaceInfo>(&namespace), Err(BodyError));
}

#[test]
fn a_record_has_one_spelling() {
    let record = record();
    let payload = record.payload();
    assert_eq!(VersionRecord::parse(&payload), Ok(record.clone()));
    assert_eq!(record.digest(), Sha256::digest(&payload));
    let text = String::from_utf8(payload).expect("UTF-8");
    assert!(text.is_ascii());
    assert!(VersionRecord::parse(text.replacen(':', ": ", 1).as_bytes()).is_err());
    // The envelope may be written with the other alphabet of base64, the record may not.
    let mut value = record.to_json();
    let signature = value["statement"]["signatures"][0]["sig"].as_str().unwrap_or_default();
    let signature = signature.replace('+', "-").replace('/', "_");
    value["statement"]["signatures"][0]["sig"] = signature.into();
    assert_eq!(VersionRecord::from_json(&value), Ok(record.clone()));
    assert!(record.parse_statement().is_ok());
    let mut other = record;
    other.executor = None;
    assert!(other.parse_statement().is_err());
}

#[test]
fn the_events_have_to_be_about_the_version() {
    let info = version_info();
    assert_eq!(info.check_events(), Ok(()));
    let mut renamed = info.clone();
    renamed.record.name = "Other".to_owned();
    let mut too_early = info.clone();
    too_early.published.index = 9;
    let mut other_version = info.clone();
    other_version.record.version.version = "1.0.1".parse().expect("a version");
    let mut swapped = info.clone();
    swapped.published.disclosure.event =
        RegistryEvent::Yank(YankEvent { version: info.record.version.clone(), at: time() });
    let mut published_twice = info.clone();
    published_twice.yanked = Some(LoggedEvent { index: 9, ..info.published });
    for wrong in [renamed, too_early, other_version, swapped, published_twice] {
        assert!(wrong.check_events().is_err());
    }
}
