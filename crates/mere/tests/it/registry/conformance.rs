//! What every registry does, whatever it is built on.

use mere_core::digest::Sha256;
use mere_core::log::{
    BundleId, EntryBundle, EntryDisclosure, RegistryEvent, SignedCheckpoint, TileId, TileTree,
    TreeHash,
};
use serde_json::Value;

use super::client::Client;
use super::on_both_backends;
use super::stage::{Backend, RegistryStage, log_key};

on_both_backends! {
    what_was_published_is_read_back_and_is_in_the_log,
    a_version_is_never_replaced_and_a_yank_hides_it,
    items_are_found_and_listed_in_pages,
    relationships_are_those_of_the_newest_version,
    skills_are_listed_for_agents,
    answers_are_tagged_and_compressed,
    the_log_has_tiles_of_every_width,
}

/// Reads the checkpoint, and checks that the registry's key signed it.
fn checkpoint(client: &Client) -> SignedCheckpoint {
    let reply = client.get("/log/checkpoint");
    assert_eq!(reply.status, 200);
    let signed = SignedCheckpoint::parse(&reply.body).expect("a checkpoint");
    signed.note().check_signed_by(&log_key(client)).expect("a signature");
    signed
}

fn read_tile(client: &Client, id: TileId) -> Result<Vec<u8>, u16> {
    let reply = client.get(&format!("/log/{id}"));
    if reply.status == 200 { Ok(reply.body) } else { Err(reply.status) }
}

/// Checks that an event is in the log at its place.
fn assert_in_log(client: &Client, logged: &Value) {
    let signed = checkpoint(client);
    let head = signed.checkpoint().head();
    let index = logged["index"].as_u64().expect("an index");
    let event = RegistryEvent::from_json(&logged["entry"]).expect("an event");
    let nonce = logged["nonce"].as_str().map(|nonce| nonce.parse().expect("a nonce"));
    let leaf = EntryDisclosure { event, nonce }.leaf();
    let mut tree = TileTree::new(head.size, |id| read_tile(client, id));
    assert_eq!(tree.root().expect("a root"), head.root, "the tiles make the signed tree");
    assert_eq!(tree.leaf_hash(index).expect("a leaf"), leaf.hash(), "the event is its leaf");
    let bundle = BundleId::containing(index, head.size).expect("a bundle");
    let reply = client.get(&format!("/log/{bundle}"));
    let entries = EntryBundle::parse(bundle, &reply.body).expect("a bundle");
    let at = usize::try_from(index - bundle.first_entry()).expect("a position");
    assert_eq!(entries.entries()[at], leaf.payload());
}

fn what_was_published_is_read_back_and_is_in_the_log(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let mut server = stage.serve(&[]);
    let info = server.client.get("/api/v1/registry").json();
    assert!(server.key_line.ends_with(info["fingerprint"].as_str().expect("a fingerprint")));
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let packages = [
        stage.author.note("retry", "1.0.0"),
        stage.author.tool("greet", "1.2.3"),
        stage.author.directive("deploy", "0.1.0"),
    ];
    for package in &packages {
        let published = package.publish(&author, "ada");
        let read = server.client.get(&package.path("ada"));
        assert_eq!(read.json(), published, "what is answered is what is read");
        assert_eq!(published["record"]["statement"], package.envelope);
        assert_in_log(&server.client, &published);
        for (_, bytes) in &package.files {
            let path = super::author::blob_path("ada", bytes);
            assert_eq!(server.client.get(&path).body, *bytes);
        }
        let item = server.client.get(&package.item_path("ada")).json();
        assert_eq!(item["latest_version"], package.version);
        assert_eq!(item["versions"][0]["yanked"], false);
    }
    let item = server.client.get("/api/v1/items/tool/ada/greet").json();
    assert_eq!(item["description"], "Greets with backoff.");
    assert_eq!(server.client.get("/api/v1/namespaces/ada").json()["private"], false);
    stage.assert_audited();
    assert!(server.stop(), "a server that is told to stop ends well");
}

fn a_version_is_never_replaced_and_a_yank_hides_it(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*", "yank:ada/*"]));
    let (first, second) =
        (stage.author.note("retry", "1.0.0"), stage.author.note("retry", "1.1.0"));
    first.publish(&author, "ada");
    second.publish(&author, "ada");
    let other = stage.author.note_with("retry", "1.1.0", "source_type: talk\n");
    other.upload(&author, "ada");
    other.submit(&author, "ada").assert_problem(409, "version-exists");
    let yanked = author.send("POST", &format!("{}/yank", second.path("ada")), b"");
    assert_eq!(yanked.status, 200, "{}", yanked.text());
    assert_in_log(&server.client, &yanked.json());
    author
        .send("POST", &format!("{}/yank", second.path("ada")), b"")
        .assert_problem(409, "already-yanked");
    let item = server.client.get(&first.item_path("ada")).json();
    assert_eq!(item["latest_version"], "1.0.0");
    let exact = server.client.get(&second.path("ada")).json();
    assert_eq!(exact["yanked"], yanked.json(), "it can still be read by its number");
    second.submit(&author, "ada").assert_problem(409, "version-exists");
    author.send("POST", &format!("{}/yank", first.path("ada")), b"");
    let item = server.client.get(&first.item_path("ada")).json();
    assert_eq!(item["latest_version"], Value::Null);
    for list in ["/api/v1/items", "/api/v1/search?q=retry"] {
        assert_eq!(server.client.get(list).json()["items"], Value::Array(Vec::new()), "{list}");
    }
    stage.assert_audited();
}

fn ids(reply: &Value) -> Vec<String> {
    let items = reply["items"].as_array().expect("items");
    items.iter().map(|item| item["item_id"].as_str().expect("an id").to_owned()).collect()
}

fn items_are_found_and_listed_in_pages(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    for number in 0..7 {
        stage.author.note(&format!("note-{number}"), "1.0.0").publish(&author, "ada");
    }
    stage.author.tool("greet_people", "1.0.0").publish(&author, "ada");
    stage.author.directive("deploy", "1.0.0").publish(&author, "ada");
    let get = |path: &str| server.client.get(path).json();
    let (mut seen, mut next) = (Vec::new(), None::<String>);
    loop {
        let cursor = next.map(|next| format!("&cursor={next}")).unwrap_or_default();
        let page = get(&format!("/api/v1/items?limit=4{cursor}"));
        seen.extend(ids(&page));
        next = page["next"].as_str().map(str::to_owned);
        if next.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 9);
    assert_eq!(seen[..2], ["deploy", "note-0"], "by type, then by id");
    assert_eq!(ids(&get("/api/v1/items?type=tool")), ["greet_people"]);
    assert_eq!(ids(&get("/api/v1/items?category=guides")).len(), 7);
    assert_eq!(ids(&get("/api/v1/items?category=gui")).len(), 0);
    assert_eq!(ids(&get("/api/v1/items?namespace=ada&types=tool,directive")).len(), 2);
    assert_eq!(ids(&get("/api/v1/search?q=people%20greet")), ["greet_people"]);
    assert_eq!(ids(&get("/api/v1/search?q=backo")), ["greet_people"], "the beginning of a word");
    assert_eq!(ids(&get("/api/v1/search?q=retry&types=knowledge")).len(), 7, "by a tag");
    assert_eq!(ids(&get("/api/v1/search?q=absent")).len(), 0);
    let first = get("/api/v1/search?q=about&limit=5");
    let next = first["next"].as_str().expect("a second page");
    let second = get(&format!("/api/v1/search?q=about&limit=5&cursor={next}"));
    let mut all = [ids(&first), ids(&second)].concat();
    all.sort();
    all.dedup();
    assert_eq!((all.len(), &second["next"]), (7, &Value::Null));
    if backend == Backend::PostgresBucket {
        let sql = "SELECT item_id FROM search_all_items('people greet', ARRAY['tool'])";
        assert_eq!(super::servers::run_sql(&stage.database, sql), "greet_people\n");
        let sql = "SELECT COUNT(*) FROM search_all_items('about') WHERE item_type = 'knowledge'";
        assert_eq!(super::servers::run_sql(&stage.database, sql), "7\n");
    }
    for bad in
        ["limit=0", "limit=101", "unknown=1", "cursor=%00", "cursor=abc", "q=a&q=b", "types=x"]
    {
        let reply = server.client.get(&format!("/api/v1/search?q=x&{bad}"));
        reply.assert_problem(400, "invalid-request");
    }
}

fn relationships_are_those_of_the_newest_version(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*", "yank:ada/*"]));
    stage.author.note("base", "1.0.0").publish(&author, "ada");
    stage.author.note_with("more", "1.0.0", "extends: [base]\n").publish(&author, "ada");
    let newer = stage.author.note_with("more", "2.0.0", "references: [base, other]\n");
    newer.publish(&author, "ada");
    let get = |path: &str| {
        let list = server.client.get(path).json();
        let all = list["relationships"].as_array().expect("a list").clone();
        let all = all.iter().map(|one| format!("{} {} {}", one["from"], one["type"], one["to"]));
        all.collect::<Vec<_>>().join("; ").replace('"', "")
    };
    let out = "/api/v1/items/knowledge/ada/more/relationships";
    let to = "/api/v1/items/knowledge/ada/base/relationships?direction=in";
    assert_eq!(get(out), "ada/more references base; ada/more references other");
    assert_eq!(get(to), "ada/more references base");
    author.send("POST", &format!("{}/yank", newer.path("ada")), b"");
    assert_eq!(get(to), "ada/more extends base");
}

fn skills_are_listed_for_agents(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*", "publish:hidden/*"]));
    let skill = stage.author.skill("review-code", "1.0.0");
    skill.publish(&author, "ada");
    stage.author.skill("secret-skill", "1.0.0").publish(&author, "hidden");
    stage.author.directive("deploy", "1.0.0").publish(&author, "ada");
    let index = server.client.get("/.well-known/agent-skills/index.json").json();
    let skills = index["skills"].as_array().expect("skills");
    assert_eq!(skills.len(), 1, "{index}");
    assert_eq!(skills[0]["name"], "review-code");
    let url = skills[0]["url"].as_str().expect("a URL");
    assert_eq!(server.client.get(url).body, skill.files[0].1);
}

fn answers_are_tagged_and_compressed(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    for number in 0..5 {
        stage.author.note(&format!("note-{number}"), "1.0.0").publish(&author, "ada");
    }
    let plain = server.client.get("/api/v1/items");
    let tag = plain.header("etag").expect("a tag").to_owned();
    let again = server.client.with_header("if-none-match", &tag).get("/api/v1/items");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let packed = server.client.with_header("accept-encoding", "gzip").get("/api/v1/items");
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < plain.body.len());
    assert_eq!(packed.body[..2], [0x1f, 0x8b]);
    stage.author.note("note-9", "1.0.0").publish(&author, "ada");
    let changed = server.client.with_header("if-none-match", &tag).get("/api/v1/items");
    assert_eq!(changed.status, 200, "what has changed is sent");
    for (path, words) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        assert_eq!(server.client.get(path).text(), words);
    }
    let metrics = server.client.get("/metrics").text();
    assert!(metrics.contains("mere_registry_publishes_total 6\n"), "{metrics}");
    assert!(metrics.contains("mere_registry_log_size 8\n"), "{metrics}");
    assert!(metrics.contains("route=\"publish\",method=\"PUT\",status=\"201\"} 6\n"), "{metrics}");
    assert_eq!(server.client.get("/openapi.json").json()["openapi"], "3.1.0");
    assert_eq!(server.client.send("HEAD", "/healthz", b"").status, 200);
    let reply = server.client.send("DELETE", "/api/v1/items", b"");
    reply.assert_problem(405, "method-not-allowed");
    assert_eq!(reply.header("allow"), Some("GET, HEAD"));
}

fn the_log_has_tiles_of_every_width(backend: Backend) {
    let stage = RegistryStage::new(backend);
    let server = stage.serve(&[]);
    let author = server.client.with_token(&stage.token(&["publish:ada/*"]));
    let count = 260;
    let mut last = Value::Null;
    for number in 0..count {
        last = stage.author.note("many", &format!("1.0.{number}")).publish(&author, "ada");
    }
    let head = checkpoint(&server.client).checkpoint().head();
    assert_eq!(head.size, count + 2, "two keys were registered before");
    assert_in_log(&server.client, &last);
    assert_eq!(server.client.get("/log/tile/1/000.p/1").body.len(), 32);
    assert_eq!(server.client.get("/log/tile/0/000").body.len(), 256 * 32);
    let old = server.client.get("/log/tile/0/000.p/3").body;
    let bundle = server.client.get("/log/tile/entries/000.p/3").body;
    let id = BundleId::new(0, 3).expect("an id");
    let entries = EntryBundle::parse(id, &bundle).expect("entries");
    let hashes = entries.entries().iter().flat_map(|entry| *TreeHash::leaf(entry).as_bytes());
    assert_eq!(old, hashes.collect::<Vec<_>>(), "a tile of an older checkpoint");
    for path in
        ["/log/tile/0/001.p/200", "/log/tile/2/000.p/1", "/log/tile/0/9", "/log/tile/0/000.p/0"]
    {
        server.client.get(path).assert_problem(404, "not-found");
    }
    let digest = Sha256::digest(b"absent");
    server
        .client
        .get(&format!("/api/v1/namespaces/ada/blobs/{digest}"))
        .assert_problem(404, "not-found");
}
