//! Sweeping what was sent and never published, beside those who publish.

use serde_json::Value;

use super::author::blob_path;
use super::on_both_backends;
use super::operator::change_database;
use super::stage::{Backend, RegistryStage};

on_both_backends! {
    only_what_was_never_published_is_removed,
    a_file_that_was_swept_can_be_sent_again,
    nothing_that_is_published_meanwhile_is_lost,
    what_an_older_server_published_is_not_swept,
    a_file_that_is_not_the_main_one_is_kept,
    a_file_that_no_row_names_is_removed_once_it_is_old,
    a_database_without_files_empties_no_store,
}

/// Makes a sweep look at everything: the age of what is in a bucket cannot be changed.
const AT_ANY_AGE: &[&str] = &["--older-than", "2100-01-01T00:00:00Z"];

/// Lets every file that was sent be a month old.
fn age_files(stage: &RegistryStage) {
    change_database(stage, "UPDATE namespace_blobs SET created_at = '2020-01-01T00:00:00Z'");
}

fn sweep(stage: &RegistryStage, more: &[&str]) -> Value {
    let reply = stage.operate(&[&["sweep", "--json"], more].concat());
    serde_json::from_str::<Value>(&reply).expect("JSON")["data"].clone()
}

fn only_what_was_never_published_is_removed(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*", "publish:hidden/*"]));
    let (note, left) = (stage.author.note("kept", "1.0.0"), stage.author.note("left", "1.0.0"));
    note.publish(&author, "ada");
    left.upload(&author, "ada");
    left.upload(&author, "hidden");
    assert_eq!(sweep(&stage, &[])["files"], 0, "what is young stays");
    age_files(&stage);
    let fresh = stage.author.note("fresh", "1.0.0");
    fresh.upload(&author, "ada");
    let (count, size) = (2, 2 * left.files[0].1.len());
    let counted = sweep(&stage, &["--dry-run"]);
    assert_eq!((&counted["files"], &counted["bytes"]), (&count.into(), &size.into()));
    let swept = sweep(&stage, &[]);
    assert_eq!((&swept["files"], &swept["bytes"]), (&count.into(), &size.into()));
    assert_eq!(sweep(&stage, &[])["files"], 0);
    assert_eq!(server.client.get(&blob_path("ada", &note.files[0].1)).status, 200);
    left.submit(&author, "ada").assert_problem(422, "missing-blob");
    assert_eq!(fresh.submit(&author, "ada").status, 201, "what was sent lately stays");
    stage.assert_audited();
    let events = stage.operate(&["audit", "--events"]);
    assert!(events.contains("blob.sweep"), "{events}");
}

fn a_file_that_was_swept_can_be_sent_again(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let note = stage.author.note("again", "1.0.0");
    note.upload(&author, "ada");
    age_files(&stage);
    // Sending it again makes it young.
    note.upload(&author, "ada");
    assert_eq!(sweep(&stage, &[])["files"], 0);
    age_files(&stage);
    assert_eq!(sweep(&stage, &[])["files"], 1);
    note.publish(&author, "ada");
    assert_eq!(server.client.get(&blob_path("ada", &note.files[0].1)).body, note.files[0].1);
    stage.assert_audited();
}

fn nothing_that_is_published_meanwhile_is_lost(backend: Backend) {
    const ITEMS: usize = 30;
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let notes = (0..ITEMS).map(|number| stage.author.note(&format!("n{number}-x"), "1.0.0"));
    let notes = notes.collect::<Vec<_>>();
    std::thread::scope(|scope| {
        let publisher = scope.spawn(|| {
            for note in &notes {
                // A sweep may come between the file and the statement: then the file is sent again.
                while {
                    note.upload(&author, "ada");
                    note.submit(&author, "ada").status == 422
                } {}
            }
        });
        while !publisher.is_finished() {
            age_files(&stage);
            sweep(&stage, &[]);
        }
    });
    for note in &notes {
        assert_eq!(server.client.get(&note.path("ada")).status, 200);
        let path = blob_path("ada", &note.files[0].1);
        assert_eq!(server.client.get(&path).body, note.files[0].1);
    }
    stage.assert_audited();
}

fn what_an_older_server_published_is_not_swept(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    stage.author.note("old", "1.0.0").publish(&author, "ada");
    stage.author.tool("new", "1.0.0").publish(&author, "ada");
    // An older server does not write this table.
    change_database(&stage, "DELETE FROM published_blobs WHERE item_id = 'old'");
    age_files(&stage);
    let output = stage.run(&["sweep"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let found = stage.run(&["audit"]);
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(found.contains("cannot be read by anybody") && !found.contains("missing"), "{found}");
}

fn a_file_that_is_not_the_main_one_is_kept(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    for package in [stage.author.tool("a-tool", "1.0.0"), stage.author.skill("a-skill", "1.0.0")] {
        package.publish(&author, "ada");
        age_files(&stage);
        assert_eq!(sweep(&stage, AT_ANY_AGE)["files"], 0);
        let other = blob_path("ada", &package.files[1].1);
        assert_eq!(server.client.get(&other).body, package.files[1].1);
    }
    // An older server does not write this table: only the main files are recorded.
    change_database(
        &stage,
        "DELETE FROM published_blobs WHERE item_id = 'a-skill' AND NOT EXISTS \
         (SELECT 1 FROM directive_versions v WHERE v.content_hash = published_blobs.sha256)",
    );
    assert_eq!(stage.run(&["sweep"]).status.code(), Some(4));
    assert_eq!(stage.run(&["sweep", "--dry-run"]).status.code(), Some(4));
}

fn a_file_that_no_row_names_is_removed_once_it_is_old(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let (kept, lost) = (stage.author.tool("kept", "1.0.0"), stage.author.note("lost", "1.0.0"));
    kept.publish(&author, "ada");
    lost.upload(&author, "ada");
    // As a server leaves it that dies after it stored the bytes.
    let digest = mere_core::digest::Sha256::digest(&lost.files[0].1);
    for table in ["blob_senders", "namespace_blobs"] {
        change_database(&stage, &format!("DELETE FROM {table} WHERE sha256 = '{digest}'"));
    }
    assert_eq!(sweep(&stage, &[])["files"], 0, "what is young stays");
    let dry = [AT_ANY_AGE, &["--dry-run"]].concat();
    let size = lost.files[0].1.len();
    for arguments in [&dry[..], AT_ANY_AGE] {
        let found = sweep(&stage, arguments);
        assert_eq!((&found["files"], &found["bytes"]), (&1.into(), &size.into()));
    }
    assert_eq!(sweep(&stage, AT_ANY_AGE)["files"], 0);
    for (_, bytes) in &kept.files {
        assert_eq!(server.client.get(&blob_path("ada", bytes)).body, *bytes);
    }
    // It can be sent again, and is then stored again.
    lost.publish(&author, "ada");
    assert_eq!(server.client.get(&blob_path("ada", &lost.files[0].1)).body, lost.files[0].1);
    stage.assert_audited();
}

fn a_database_without_files_empties_no_store(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let note = stage.author.note("kept", "1.0.0");
    note.publish(&author, "ada");
    let mut other = RegistryStage::new(backend);
    other.blobs.clone_from(&stage.blobs);
    assert_eq!(sweep(&other, AT_ANY_AGE)["files"], 0);
    assert_eq!(server.client.get(&blob_path("ada", &note.files[0].1)).status, 200);
}
