//! Indexes and databases that somebody else wrote, damaged, or replaced.

use serde_json::{Value, json};

use super::case::{AttackCase, Expectation, Request, Tampering, case, tool, write};
use super::runner::Runner;
use super::world::World;
use crate::support::searches::full_search;

const AREA: &str = "index";
const PROJECT: &str = "project/.ai/.index.json";
const USER: &str = "home/.ai/.index.json";
/// The databases and the seals in the cache; the first file of that name.
const DATABASE: &str = "home/.cache/merestone/search-*";
const SEAL: &str = "home/.cache/merestone/index-*";
const CACHE: &str = "home/.cache/merestone";

/// What the index of the project, or of the user, is made to say.
fn poison() -> Vec<(&'static str, Vec<u8>)> {
    let invented = json!({ "format": 1, "items": [
        { "type": "knowledge", "id": "fact", "path": "../../.env" },
        { "type": "knowledge", "id": "ghost", "path": "{stage}/beside/canary.txt" },
    ]});
    vec![
        ("an index that is empty", Vec::new()),
        ("an index that is no JSON", b"not JSON".to_vec()),
        ("an index without items", b"{\"format\": 1, \"items\": []}".to_vec()),
        ("an index that invents items", invented.to_string().into_bytes()),
        ("an index of deep lists", "[".repeat(50_000).into_bytes()),
        ("an index of another format", b"{\"format\": 99}".to_vec()),
        ("an index that is not UTF-8", b"\xff\xfe\x00".to_vec()),
        ("an index of eight megabytes", vec![b' '; 8 << 20]),
    ]
}

/// What the search database is made to be.
fn databases() -> Vec<(&'static str, Tampering)> {
    let header = [b"SQLite format 3\0".as_slice(), &[0xff; 4096]].concat();
    vec![
        ("a database that is empty", write(DATABASE, "")),
        ("a database of another format", write(DATABASE, "not a database")),
        ("a database with a header and garbage", write(DATABASE, header)),
        ("a database of zeros", write(DATABASE, vec![0; 65536])),
        (
            "a database that is a link outside",
            Tampering::Link(DATABASE.to_owned(), "{stage}/beside/canary.txt".to_owned()),
        ),
        ("a database that is a pipe", Tampering::Pipe(DATABASE.to_owned())),
        ("a database that is a folder", Tampering::Folder(DATABASE.to_owned())),
        ("a seal that is empty", write(SEAL, "")),
        ("a seal that is garbage", write(SEAL, vec![0xff; 300])),
        (
            "a seal that is a link outside",
            Tampering::Link(SEAL.to_owned(), "{stage}/beside/canary.txt".to_owned()),
        ),
        ("a cache that is a file", write(CACHE, "")),
        (
            "a cache that is gone",
            Tampering::Rename(CACHE.to_owned(), "home/.cache/gone".to_owned()),
        ),
    ]
}

/// A search that finds the one signed note, with the text it has.
fn search() -> (Value, Expectation) {
    let query =
        json!({ "query": "Another fact", "item_types": ["knowledge"], "mode": "text", "limit": 1 });
    let query = full_search(query);
    (query, Expectation::Says("IT-SEARCH-S-001", "/data/knowledge/0/id", json!("other")))
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let mut all = Vec::new();
    for (whose, path) in [("the project", PROJECT), ("the user", USER)] {
        for (name, bytes) in poison() {
            let (query, expects) = search();
            let request = Request::Keyboard("search", query);
            let name = format!("{name}, of {whose}");
            all.push(case(AREA, name, request, expects).after([write(path, bytes)]));
        }
    }
    let invented = poison().swap_remove(3).1;
    let ghost = tool("load", json!({ "item_type": "knowledge", "item_id": "ghost" }));
    all.push(
        case(AREA, "an item that only an index knows", ghost, Expectation::Code("IT-ITEM-I-001"))
            .after([write(PROJECT, invented)]),
    );
    let (query, expects) = search();
    let linked = Tampering::Link(PROJECT.to_owned(), "{stage}/beside/canary.txt".to_owned());
    let request = Request::Keyboard("search", query.clone());
    all.push(
        case(AREA, "an index that is a link outside", request, expects.clone()).after([linked]),
    );
    let pipe = Tampering::Pipe(PROJECT.to_owned());
    let request = Request::Keyboard("search", query);
    all.push(case(AREA, "an index that is a pipe", request, expects).after([pipe]));
    for (name, change) in databases() {
        let (query, expects) = search();
        all.push(case(AREA, name, Request::Keyboard("search", query), expects).after([change]));
    }
    all
}

#[test]
fn no_index_decides_what_an_item_is() {
    let world = World::signed();
    let (query, _) = search();
    assert_eq!(world.stage.call_text("search", &query.to_string()).code(), "IT-SEARCH-S-001");
    Runner::new(&world).run(&cases());
}
