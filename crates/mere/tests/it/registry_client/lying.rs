//! A registry that lies to a client that has only its pinned key. Each lie has its own answer, and the
//! evidence is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mere_core::digest::Sha256;
use mere_core::log::{
    EntryDisclosure, LoggedEvent, NoteAlgorithm, PublishEvent, RegistryEvent, VerifierKey,
};
use mere_core::registry::{
    RegistryItemName, RegistryType, VersionInfo, VersionRecord, format_body,
};
use mere_core::trust::Sidecar;
use serde_json::{Value, json};

use super::fixture::{Neighbours, Person, check_distrust};
use super::lying_server::{LyingServer, RealAnswer, SentAnswer};

/// Sends what the real registry answered.
fn honest(answer: RealAnswer) -> SentAnswer {
    SentAnswer::Bytes(answer.status, answer.body)
}

/// Sends a JSON answer in another form.
fn edited(answer: &RealAnswer, edit: impl FnOnce(&mut Value)) -> SentAnswer {
    let mut value = serde_json::from_slice(&answer.body).expect("JSON");
    edit(&mut value);
    SentAnswer::Bytes(answer.status, value.to_string().into_bytes())
}

/// A reader who trusts the author, and whose registry lies.
fn victim(
    neighbours: &Neighbours,
    lie: impl Fn(&str, RealAnswer) -> SentAnswer + Send + Sync + 'static,
) -> Person {
    let server = LyingServer::start(&neighbours.registry.url, lie);
    let person = Person::new();
    person.trust(&neighbours.author);
    person.log_in(&server.url, &neighbours.registry.log_key, None);
    person
}

#[test]
fn other_bytes_for_one_client_are_noticed() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    let victim = victim(&neighbours, |path, answer| {
        if !path.contains("/blobs/") {
            return honest(answer);
        }
        let text = String::from_utf8(answer.body).expect("text").replace("one", "two");
        SentAnswer::Bytes(answer.status, text.into_bytes())
    });
    let reply = victim.reply(&["pull", "note", "acme/style"]);
    check_distrust(&victim, &reply, "RG-LOG-E-008");
    assert_eq!(victim.installed_note("style"), None);
}

#[test]
fn a_dropped_yank_is_noticed() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    neighbours.author.print(&["yank", "note", "acme/style@1.0.0"]);
    let victim = victim(&neighbours, |path, answer| match path {
        path if path.ends_with("/versions/1.0.0") => {
            edited(&answer, |version| version["yanked"] = Value::Null)
        }
        path if path.ends_with("/knowledge/acme/style") => edited(&answer, |item| {
            item["versions"][0]["yanked"] = json!(false);
            item["latest_version"] = json!("1.0.0");
        }),
        _ => honest(answer),
    });
    for item in ["acme/style", "acme/style@1.0.0"] {
        let reply = victim.reply(&["pull", "note", item]);
        check_distrust(&victim, &reply, "RG-LOG-E-009");
    }
}

#[test]
fn a_concealed_version_is_noticed() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    neighbours.author.publish_note("style", "1.1.0", "two");
    let victim = victim(&neighbours, |path, answer| match path {
        path if path.ends_with("/knowledge/acme/style") => edited(&answer, |item| {
            let versions = item["versions"].as_array_mut().expect("versions");
            versions.retain(|version| version["version"] == "1.0.0");
            item["latest_version"] = json!("1.0.0");
        }),
        _ => honest(answer),
    });
    let reply = victim.reply(&["pull", "note", "acme/style"]);
    check_distrust(&victim, &reply, "RG-LOG-E-010");
    // Whoever wants exactly the older version can have it.
    assert_eq!(victim.code(&["pull", "note", "acme/style@1.0.0"]), "RG-PULL-S-001");
}

#[test]
fn a_change_of_keys_that_is_hidden_later_is_noticed() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    neighbours.registry.add_key("acme", &Person::new());
    let is_lying = Arc::new(AtomicBool::new(false));
    let lies = Arc::clone(&is_lying);
    let victim = victim(&neighbours, move |path, answer| {
        if !path.ends_with("/namespaces/acme") || !lies.load(Ordering::SeqCst) {
            return honest(answer);
        }
        edited(&answer, |info| {
            let hidden = info["key_changes"].as_array_mut().expect("changes").pop();
            let hidden = hidden.expect("a change").to_string();
            let is_shown =
                |key: &Value| !hidden.contains(key["fingerprint"].as_str().expect("one"));
            info["keys"].as_array_mut().expect("keys").retain(is_shown);
        })
    });
    assert_eq!(victim.code(&["pull", "note", "acme/style"]), "RG-PULL-S-001");
    neighbours.author.publish_note("style", "1.1.0", "two");
    is_lying.store(true, Ordering::SeqCst);
    let reply = victim.reply(&["pull", "note", "acme/style"]);
    check_distrust(&victim, &reply, "RG-LOG-E-013");
}

#[test]
fn another_item_than_the_one_asked_for_is_noticed() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    neighbours.author.publish_note("other", "1.0.0", "two");
    let real = neighbours.registry.url.clone();
    let victim = victim(&neighbours, move |path, answer| {
        if path.ends_with("/knowledge/acme/style/versions/1.0.0") {
            let other = path.replace("style", "other");
            return honest(super::lying_server::ask(real.trim_start_matches("http://"), &other));
        }
        honest(answer)
    });
    let reply = victim.reply(&["pull", "note", "acme/style"]);
    check_distrust(&victim, &reply, "RG-LOG-E-007");
}

#[test]
fn a_version_that_was_signed_and_never_logged_is_noticed() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    neighbours.author.write_note("style", "2.0.0", "for you alone");
    let path = neighbours.author.stage.path("project/.ai/knowledge/shared/style.md.sig");
    let sidecar = Sidecar::parse(&std::fs::read(path).expect("a sidecar")).expect("a sidecar");
    let published = "2026-01-31T23:59:59Z".parse().expect("a time");
    let item = RegistryItemName {
        kind: RegistryType::Knowledge,
        namespace: "acme".parse().expect("a namespace"),
        id: "style".parse().expect("an id"),
    };
    let record = VersionRecord {
        version: item.with_version("2.0.0".parse().expect("a version")),
        statement: sidecar.author.clone(),
        name: "The style".to_owned(),
        description: String::new(),
        executor: None,
        published,
    };
    let event = RegistryEvent::Publish(PublishEvent {
        version: record.version.clone(),
        statement: Sha256::digest(sidecar.author.payload()),
        record: record.digest(),
        at: published,
    });
    let disclosure = EntryDisclosure::public(event);
    let forged = |index| VersionInfo {
        record: record.clone(),
        published: LoggedEvent { index, disclosure: disclosure.clone() },
        yanked: None,
    };
    // It claims the place of another entry, or one that the log does not have.
    for index in [1, 1_000_000] {
        let body = format_body(&forged(index)).expect("a body");
        let victim = victim(&neighbours, move |path, answer| match path {
            path if path.ends_with("/versions/2.0.0") => SentAnswer::Bytes(200, body.clone()),
            _ => honest(answer),
        });
        let reply = victim.reply(&["pull", "note", "acme/style@2.0.0"]);
        check_distrust(&victim, &reply, "RG-LOG-E-006");
    }
}

#[test]
fn a_stale_checkpoint_is_noticed() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    let reader = &neighbours.reader;
    reader.configure("registry: {max_age: 1s}\n");
    // The registry signs its checkpoint anew every hour, and no sooner.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let reply = reader.reply(&["pull", "note", "acme/style"]);
    check_distrust(reader, &reply, "RG-LOG-E-004");
}

#[test]
fn a_checkpoint_of_another_key_is_noticed() {
    let (neighbours, others) = (Neighbours::new(), Neighbours::new());
    neighbours.author.publish_note("style", "1.0.0", "one");
    others.author.publish_note("style", "1.0.0", "one");
    let other = others.registry.url.trim_start_matches("http://").to_owned();
    let is_lying = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let switch = std::sync::Arc::clone(&is_lying);
    let victim = victim(&neighbours, move |path, answer| {
        if switch.load(std::sync::atomic::Ordering::Relaxed) {
            return honest(super::lying_server::ask(&other, path));
        }
        honest(answer)
    });
    is_lying.store(true, std::sync::atomic::Ordering::Relaxed);
    let reply = victim.reply(&["pull", "note", "acme/style"]);
    check_distrust(&victim, &reply, "RG-LOG-E-001");
}

#[test]
fn too_few_witnesses_are_noticed_on_first_contact() {
    let neighbours = Neighbours::new();
    let reader = Person::new();
    let key = reader.print(&["keys", "export"]).trim().parse().expect("a key");
    let name = "witness.example.org".parse().expect("a name");
    let key = VerifierKey::new(name, NoteAlgorithm::CosignatureV1, key);
    reader.configure(&format!("registry: {{witnesses: {{threshold: 1, keys: ['{key}']}}}}\n"));
    let (url, log_key) = (&neighbours.registry.url, &neighbours.registry.log_key);
    let reply = reader.reply(&["login", url, "--no-token", "--log-key", log_key]);
    check_distrust(&reader, &reply, "RG-LOG-E-005");
}

#[test]
fn an_endless_answer_is_cut_off() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    let victim = victim(&neighbours, |path, answer| match path {
        path if path.contains("/versions/") => SentAnswer::Endless,
        _ => honest(answer),
    });
    assert_eq!(victim.code(&["pull", "note", "acme/style"]), "RG-NET-E-003");
}

#[test]
fn a_slow_answer_is_cut_off() {
    let neighbours = Neighbours::new();
    neighbours.author.publish_note("style", "1.0.0", "one");
    let victim = victim(&neighbours, |path, answer| match path {
        path if path.contains("/blobs/") => SentAnswer::Slow,
        _ => honest(answer),
    });
    let began = std::time::Instant::now();
    assert_eq!(victim.code(&["pull", "note", "acme/style"]), "RG-NET-E-002");
    assert!(began.elapsed() < std::time::Duration::from_mins(1));
}
