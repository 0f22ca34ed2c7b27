//! What the operator of a registry does.

use serde_json::Value;

use super::on_both_backends;
use super::servers;
use super::stage::{Backend, RegistryStage};

on_both_backends! {
    an_old_checkpoint_is_signed_again,
    changes_are_made_listed_and_recorded,
    an_audit_finds_what_was_changed_behind_the_log,
}

/// Changes the database behind the registry's back.
pub(super) fn change_database(stage: &RegistryStage, sql: &str) {
    if stage.database.starts_with("postgres") {
        servers::run_sql(&stage.database, sql);
        return;
    }
    let database = rusqlite::Connection::open(stage.folder.path().join("registry.db"));
    database.expect("the database").execute(sql, []).expect("a change");
}

fn an_old_checkpoint_is_signed_again(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let first = server.client.get("/log/checkpoint").text();
    assert_eq!(server.client.get("/log/checkpoint").text(), first, "it is signed once");
    change_database(
        &stage,
        "UPDATE log_state SET signed_at = signed_at - 3700, \
                             checkpoint = REPLACE(checkpoint, 'time 1', 'time 0')",
    );
    let again = server.client.get("/log/checkpoint").text();
    assert!(again.lines().nth(3).is_some_and(|line| line.starts_with("time 1")), "{again}");
    assert_eq!(
        again.lines().take(3).collect::<Vec<_>>(),
        first.lines().take(3).collect::<Vec<_>>()
    );
    stage.assert_audited();
}

fn changes_are_made_listed_and_recorded(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let token = stage.operate(&[
        "token",
        "create",
        "--user",
        "ada",
        "--scope",
        "publish:ada/*",
        "--expires",
        "90d",
        "--json",
    ]);
    let token: Value = serde_json::from_str(&token).expect("JSON");
    assert_eq!(token["code"], "RG-SERVER-S-003");
    let shown = token["data"]["token"].as_str().expect("a token");
    assert!(shown.starts_with("mere_") && shown.len() == 48, "{shown}");
    let id = token["data"]["id"].as_str().expect("an id");
    assert!(stage.operate(&["token", "list"]).contains(id));
    assert!(!stage.operate(&["token", "list"]).contains(shown), "it is shown once");
    stage.operate(&["token", "revoke", id]);
    assert!(stage.operate(&["token", "list"]).contains("revoked"));
    assert!(stage.operate(&["namespace", "list"]).contains("hidden  private  owned by ada"));
    assert!(stage.operate(&["user", "list"]).starts_with("ada  "));
    let fingerprint = stage.author.fingerprint();
    assert!(stage.operate(&["key", "list"]).contains(&fingerprint));
    stage.operate(&["key", "remove", "hidden", &fingerprint]);
    let events = stage.operate(&["audit", "--events"]);
    for action in
        ["user.add", "namespace.create", "key.add", "key.remove", "token.create", "token.revoke"]
    {
        assert!(events.contains(action), "{action}: {events}");
    }
    for (arguments, words) in [
        (&["user", "add", "ada"][..], "taken"),
        (&["user", "add", "Ada"][..], "lower-case"),
        (&["namespace", "create", "a-da", "--owner", "ada"][..], "similar"),
        (&["namespace", "create", "new-one", "--owner", "nobody"][..], "no account `nobody`"),
        (&["token", "revoke", "nothing"][..], "no valid token `nothing`"),
        (&["key", "remove", "hidden", &fingerprint][..], "in `hidden`; see"),
    ] {
        let output = stage.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
    stage.assert_audited();
}

fn an_audit_finds_what_was_changed_behind_the_log(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    stage.author.note("retry", "1.0.0").publish(&author, "ada");
    stage.assert_audited();
    let sql = "UPDATE knowledge_versions SET record = REPLACE(record, 'About', 'Above')";
    change_database(&stage, sql);
    let output = stage.run(&["audit", "--json"]);
    assert_eq!(output.status.code(), Some(4));
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(reply["code"], "RG-SERVER-E-001");
    let findings = reply["data"]["findings"].to_string();
    assert!(findings.contains("knowledge ada/retry@1.0.0"), "{findings}");
}

#[test]
fn an_audit_finds_a_key_that_the_log_does_not_know() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let other = super::author::Author::new(8);
    let database = rusqlite::Connection::open(stage.folder.path().join("registry.db"));
    let sql = "INSERT INTO namespace_keys (namespace, fingerprint, public_key, added_at) \
               VALUES ('ada', ?1, ?2, '2026-01-01T00:00:00Z')";
    let values = [other.fingerprint(), other.public_line()];
    database.expect("the database").execute(sql, values).expect("a change");
    let server = stage.serve(&[]);
    let client = server.client.with_token(&stage.token(&["publish:ada/*"]));
    other.note("forged", "1.0.0").publish(&client, "ada");
    let output = stage.run(&["audit"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("signed knowledge ada/forged@1.0.0"), "{text}");
    assert!(text.contains("is not as the log says"), "{text}");
}

#[cfg(unix)]
#[test]
fn only_the_operator_can_read_the_key_of_the_log() {
    use std::os::unix::fs::PermissionsExt;
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let file = std::fs::metadata(stage.folder.path().join("registry.db")).expect("the database");
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_byte_that_changed_on_the_disk_is_not_served() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let note = stage.author.note("retry", "1.0.0");
    note.publish(&author, "ada");
    let path = super::author::blob_path("ada", &note.files[0].1);
    let digest = path.rsplit('/').next().expect("a digest");
    let file = stage.folder.path().join("blobs").join(&digest[..2]).join(digest);
    let mut bytes = std::fs::read(&file).expect("a blob");
    bytes[10] ^= 1;
    std::fs::write(&file, bytes).expect("a change");
    server.client.get(&path).assert_problem(500, "internal");
    assert_eq!(stage.run(&["audit"]).status.code(), Some(4));
}

#[test]
fn with_nothing_said_a_registry_is_in_the_data_folder() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let run = |variables: &[(&str, &str)]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mere"));
        command.args(["registry", "user", "list"]).env_clear().current_dir(folder.path());
        command.envs(variables.iter().copied()).output().expect("the program runs").status.code()
    };
    let at = |name: &str| folder.path().join(name).display().to_string();
    assert_eq!(run(&[("HOME", &at("home"))]), Some(0));
    assert!(folder.path().join("home/.local/share/merestone/registry.db").exists());
    assert_eq!(run(&[("XDG_DATA_HOME", &at("data"))]), Some(0));
    assert!(folder.path().join("data/merestone/blobs").exists());
    let database = format!("sqlite:{}", at("named.db"));
    let blobs = format!("file:{}", at("named"));
    let named = [("MERE_REGISTRY_DATABASE", &*database), ("MERE_REGISTRY_BLOBS", &*blobs)];
    assert_eq!(run(&named), Some(0));
    assert!(folder.path().join("named.db").exists());
    assert_eq!(run(&[("MERE_REGISTRY_DATABASE", "named.db"), ("HOME", &at("home"))]), Some(4));
    assert_eq!(run(&[]), Some(4), "there is no place for it");
}

#[test]
fn the_key_of_the_log_can_be_kept_in_a_file() {
    let stage = RegistryStage::new(Backend::SqliteFiles);
    let file = stage.folder.path().join("log.key");
    let file = file.to_str().expect("a path");
    // The registry of the stage has its key in the database already.
    assert_eq!(stage.run(&["user", "list", "--log-key-file", file]).status.code(), Some(4));
    let other = format!("sqlite:{}/other.db", stage.folder.path().display());
    let command = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mere"));
        command.arg("registry").args(arguments).args([
            "--database",
            &other,
            "--blobs",
            &stage.blobs,
        ]);
        command.output().expect("the program runs").status.code()
    };
    assert_eq!(command(&["user", "add", "bob", "--log-key-file", file]), Some(0));
    assert_eq!(command(&["user", "list"]), Some(4), "without the file the log cannot be signed");
    assert_eq!(std::fs::read_to_string(file).expect("the key").trim().len(), 64);
}
