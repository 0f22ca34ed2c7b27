//! A database of an older version is brought up to date with everything that it holds.

use super::author::blob_path;
use super::on_both_backends;
use super::operator::change_database;
use super::stage::{Backend, RegistryStage};

on_both_backends! { what_was_published_before_is_readable_after }

fn what_was_published_before_is_readable_after(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let packages = [
        stage.author.skill("a-skill", "1.0.0"),
        stage.author.tool("a-tool", "1.0.0"),
        stage.author.note("a-note", "1.0.0"),
        stage.author.note("a-note", "1.1.0"),
    ];
    {
        let server = stage.serve(&[]);
        let scopes = ["publish:ada/*", "publish:hidden/*"];
        let author = server.client.with_token(&stage.token(&scopes));
        for namespace in ["ada", "hidden"] {
            for package in &packages {
                package.publish(&author, namespace);
            }
        }
    }
    let shown = |stage: &RegistryStage| {
        let server = stage.serve(&[]);
        let reader = server.client.with_token(&stage.token(&["read:hidden/*"]));
        ["ada", "hidden"]
            .map(|namespace| reader.get(&format!("/api/v1/namespaces/{namespace}")).json())
    };
    let before = shown(&stage);
    // As the first version left it.
    for sql in [
        "DROP TABLE published_blobs",
        "DROP TABLE swept_blobs",
        "DROP TABLE key_changes",
        "DROP TABLE blob_senders",
        "DELETE FROM schema_migrations WHERE number > 1",
    ] {
        change_database(&stage, sql);
    }
    assert_eq!(shown(&stage), before);
    let server = stage.serve(&[]);
    for (_, bytes) in packages.iter().flat_map(|package| &package.files) {
        assert_eq!(server.client.get(&blob_path("ada", bytes)).body, *bytes);
    }
    stage.assert_audited();
}
