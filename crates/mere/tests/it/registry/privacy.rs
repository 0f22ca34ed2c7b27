//! A private namespace does not exist for those who may not read it.

use super::author::{Author, blob_path};
use super::client::Client;
use super::on_both_backends;
use super::stage::{Backend, RegistryStage};

on_both_backends! {
    what_is_private_is_answered_like_what_is_absent,
    who_may_read_gets_the_entry_and_its_nonce,
    a_token_for_one_item_shows_that_item_only,
    a_token_for_one_item_reads_the_files_of_no_other,
    a_token_for_one_item_cannot_take_the_file_of_another_by_its_digest,
    a_file_that_was_not_published_is_read_by_nobody,
    who_may_read_is_shown_how_the_keys_changed,
}

fn what_is_private_is_answered_like_what_is_absent(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:hidden/*", "yank:hidden/*"]));
    let note = stage.author.note("retry", "1.0.0");
    note.publish(&author, "hidden");
    let other = server.client.with_token(&stage.token(&["read:ada/*", "publish:ada/*"]));
    let clients = [&server.client, &other, &author];
    let paths = |namespace: &str| {
        [
            format!("/api/v1/namespaces/{namespace}"),
            blob_path(namespace, &note.files[0].1),
            note.item_path(namespace),
            note.path(namespace),
            format!("{}/relationships", note.item_path(namespace)),
            format!("/api/v1/items?namespace={namespace}"),
            format!("/api/v1/search?q=retry&namespace={namespace}"),
        ]
    };
    for client in clients {
        for (private, absent) in paths("hidden").iter().zip(paths("nobody")) {
            assert_eq!(client.get(private), client.get(&absent), "{private}");
        }
        assert_eq!(client.get("/api/v1/search?q=retry").json()["items"].as_array(), Some(&vec![]));
        assert_eq!(client.get("/api/v1/items").json()["items"].as_array(), Some(&vec![]));
    }
    // Writing is refused alike, with and without a token for something else.
    for client in [&server.client, &other] {
        let change = |namespace: &str| {
            let json = client.with_header("content-type", "application/json");
            [
                client.send("PUT", &blob_path(namespace, b"x"), b"x"),
                json.send("PUT", &note.path(namespace), &note.body()),
                client.send("POST", &format!("{}/yank", note.path(namespace)), b""),
            ]
        };
        assert_eq!(change("hidden"), change("nobody"));
    }
    let log = server.client.get("/log/tile/entries/000.p/3").text();
    assert!(!log.contains("hidden") && !log.contains("retry"), "{log}");
}

fn who_may_read_gets_the_entry_and_its_nonce(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:hidden/*"]));
    let reader = server.client.with_token(&stage.token(&["read:hidden/*"]));
    let note = stage.author.note("retry", "1.0.0");
    note.publish(&author, "hidden");
    let read = reader.get(&note.path("hidden")).json();
    assert_eq!(read["nonce"].as_str().map(str::len), Some(64));
    assert_eq!(read["entry"]["namespace"], "hidden");
    assert_eq!(reader.get("/api/v1/namespaces/hidden").json()["private"], true);
    assert_eq!(reader.get(&blob_path("hidden", &note.files[0].1)).body, note.files[0].1);
    let count = |client: &Client, path: &str| {
        client.get(path).json()["items"].as_array().expect("items").len()
    };
    assert_eq!(count(&reader, "/api/v1/search?q=retry"), 1);
    assert_eq!(count(&reader, "/api/v1/items"), 1);
    stage.assert_audited();
}

fn a_token_for_one_item_shows_that_item_only(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:hidden/*"]));
    let (shown, kept) =
        (stage.author.note("shown-note", "1.0.0"), stage.author.note("kept", "1.0.0"));
    shown.publish(&author, "hidden");
    kept.publish(&author, "hidden");
    let reader = server.client.with_token(&stage.token(&["read:hidden/shown_note"]));
    assert_eq!(reader.get(&shown.path("hidden")).status, 200, "`-` and `_` are the same");
    reader.get(&kept.path("hidden")).assert_problem(404, "not-found");
    let items = reader.get("/api/v1/items").json();
    assert_eq!(items["items"].as_array().map(Vec::len), Some(1), "{items}");
}

fn a_token_for_one_item_reads_the_files_of_no_other(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:hidden/*"]));
    let (shown, kept) =
        (stage.author.skill("shown-skill", "1.0.0"), stage.author.tool("kept", "1.0.0"));
    shown.publish(&author, "hidden");
    kept.publish(&author, "hidden");
    let reader = server.client.with_token(&stage.token(&["read:hidden/shown_skill"]));
    for (_, bytes) in &shown.files {
        assert_eq!(reader.get(&blob_path("hidden", bytes)).body, *bytes);
    }
    let absent = reader.get(&blob_path("hidden", b"nothing"));
    for (_, bytes) in &kept.files {
        assert_eq!(reader.get(&blob_path("hidden", bytes)), absent);
    }
    // A file that both have is one of an item that may be read.
    let other = stage.author.skill("other", "1.0.0");
    other.publish(&author, "hidden");
    assert_eq!(other.files[1].1, shown.files[1].1);
    assert_eq!(reader.get(&blob_path("hidden", &other.files[1].1)).status, 200);
    assert_eq!(reader.get(&blob_path("hidden", &other.files[0].1)), absent);
    stage.assert_audited();
}

fn a_token_for_one_item_cannot_take_the_file_of_another_by_its_digest(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:hidden/*"]));
    let scopes = ["publish:hidden/one", "read:hidden/one"];
    let narrow = server.client.with_token(&stage.token(&scopes));
    let (kept, one) = (stage.author.tool("kept", "1.0.0"), stage.author.tool("one", "1.0.0"));
    // Both tools have the same script, of which the second token has sent the manifest alone.
    let (manifest, script) = (&one.files[0].1, &one.files[1].1);
    assert_eq!(kept.files[1].1, *script);
    assert_eq!(narrow.send("PUT", &blob_path("hidden", manifest), manifest).status, 201);
    let never_sent = one.submit(&narrow, "hidden");
    never_sent.assert_problem(422, "missing-blob");
    kept.upload(&author, "hidden");
    assert_eq!(one.submit(&narrow, "hidden"), never_sent, "what another token sent");
    kept.publish(&author, "hidden");
    assert_eq!(one.submit(&narrow, "hidden"), never_sent, "what another item has");
    narrow.get(&blob_path("hidden", script)).assert_problem(404, "not-found");
    // Whoever sends the bytes has them.
    one.publish(&narrow, "hidden");
    assert_eq!(narrow.get(&blob_path("hidden", script)).body, *script);
    // A file that the item has already is not sent again, whoever sent it.
    let next = stage.author.tool("one", "1.1.0");
    let other = server.client.with_token(&stage.token(&["publish:hidden/one"]));
    let manifest = &next.files[0].1;
    assert_eq!(other.send("PUT", &blob_path("hidden", manifest), manifest).status, 201);
    assert_eq!(next.submit(&other, "hidden").status, 201);
    stage.assert_audited();
}

fn a_file_that_was_not_published_is_read_by_nobody(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*", "read:ada/*"]));
    let note = stage.author.note("retry", "1.0.0");
    note.upload(&author, "ada");
    let path = blob_path("ada", &note.files[0].1);
    author.get(&path).assert_problem(404, "not-found");
    note.publish(&author, "ada");
    assert_eq!(server.client.get(&path).status, 200);
}

fn who_may_read_is_shown_how_the_keys_changed(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let second = Author::new(9);
    let file = stage.folder.path().join("second.pub");
    std::fs::write(&file, second.public_line()).expect("a key");
    stage.operate(&["key", "add", "hidden", file.to_str().expect("a path")]);
    stage.operate(&["key", "remove", "hidden", &stage.author.fingerprint()]);
    let server = stage.serve(&[]);
    let reader = server.client.with_token(&stage.token(&["read:hidden/*"]));
    let info = reader.get("/api/v1/namespaces/hidden").json();
    let changes = info["key_changes"].as_array().expect("changes");
    let kinds = changes.iter().map(|change| {
        assert_eq!(change["nonce"].as_str().map(str::len), Some(64), "{change}");
        let (kind, key) = (&change["entry"]["kind"], &change["entry"]["key"]);
        (kind.as_str().expect("a kind"), key.as_str().expect("a key"))
    });
    let (first, other) = (stage.author.fingerprint(), second.fingerprint());
    let expected = [("key-add", &*first), ("key-add", &*other), ("key-remove", &*first)];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    assert_eq!(info["keys"].as_array().map(Vec::len), Some(1));
    let public = server.client.get("/api/v1/namespaces/ada").json();
    assert_eq!(public["key_changes"][0].get("nonce"), None, "{public}");
}
