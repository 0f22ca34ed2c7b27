//! Two servers of one store at the same moment, a few hundred times: what was said to be done is
//! done, and no category is ever half there.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{STORE, configured, disk, text};

const ROUNDS: usize = 300;
const FREE: &str = "stores: {cortex: {path: ./memory}}\n";

/// Two servers, and what they see.
struct Rivals<'a> {
    stage: &'a Stage,
    one: Mcp<'a>,
    other: Mcp<'a>,
    /// How often they have met: by turns one of them begins.
    met: usize,
}

/// A call.
type Asked = (&'static str, Value);

impl<'a> Rivals<'a> {
    fn new(stage: &'a Stage) -> Self {
        Self { stage, one: Mcp::greeted(stage, &[]), other: Mcp::greeted(stage, &[]), met: 0 }
    }

    /// Makes two calls at once; the replies' codes.
    fn at_once(&mut self, one: &Asked, other: &Asked) -> [String; 2] {
        self.met += 1;
        let (left, right) = (&mut self.one, &mut self.other);
        let replies = std::thread::scope(|threads| {
            if self.met.is_multiple_of(2) {
                let first = threads.spawn(|| left.call(one.0, &one.1));
                let second = right.call(other.0, &other.1);
                return [first.join().expect("it answers"), second];
            }
            let second = threads.spawn(|| right.call(other.0, &other.1));
            let first = left.call(one.0, &one.1);
            [first, second.join().expect("it answers")]
        });
        replies.map(|reply| reply["code"].as_str().expect("a code").to_owned())
    }

    fn done(&mut self, tool: &str, arguments: &Value) {
        let reply = self.one.call(tool, arguments);
        assert_eq!(reply["reply_type"], "S", "{tool} {arguments}: {reply}");
    }

    fn is_there(&self, below: &str) -> bool {
        self.stage.path(STORE).join(below).exists()
    }
}

fn category(path: &str) -> Value {
    json!({ "path": path })
}

/// Every folder of the store has its file.
fn all_are_whole(folder: &Path) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_staging = path.ends_with(".new-files");
        if path.is_dir() && !is_staging {
            assert!(path.join(".category.yaml").is_file(), "{} is half there", path.display());
            all_are_whole(&path);
        }
    }
}

/// How often each pair of answers came; both orders must have been seen.
fn counted(seen: &mut Vec<([String; 2], usize)>, pair: [String; 2]) {
    match seen.iter_mut().find(|(one, _)| *one == pair) {
        Some((_, count)) => *count += 1,
        None => seen.push((pair, 1)),
    }
}

#[test]
fn a_category_is_there_whole_or_not_at_all() {
    let stage = configured(FREE);
    let mut rivals = Rivals::new(&stage);
    let mut seen = Vec::new();
    for round in 0..ROUNDS {
        if round % 2 == 0 {
            rivals.done("create_category", &category("r/x"));
        }
        let create = ("create_category", category("r/x/y"));
        let delete = ("delete_category", json!({ "path": "r", "recursive": true }));
        let codes = rivals.at_once(&create, &delete);
        all_are_whole(&stage.path(STORE));
        match [codes[0].as_str(), codes[1].as_str()] {
            // Made, and then deleted with the rest; or deleted, and then made with all ancestors.
            ["IT-CATEGORY-S-001", "IT-CATEGORY-S-003"] => {}
            ["IT-CATEGORY-S-001" | "IT-CATEGORY-S-002", "IT-CATEGORY-I-001"] => {
                assert!(rivals.is_there("r/x/y"), "{round}");
            }
            ["IT-CATEGORY-S-002", "IT-CATEGORY-S-003"] => assert!(!rivals.is_there("r"), "{round}"),
            other => panic!("{round}: {other:?}"),
        }
        counted(&mut seen, codes);
    }
    assert!(seen.len() > 1, "it never came otherwise: {seen:?}");
    disk(&stage);
}

#[test]
fn of_two_that_make_one_category_one_has_made_it() {
    let stage = configured(FREE);
    let mut rivals = Rivals::new(&stage);
    for round in 0..ROUNDS {
        let path = format!("top{}/sub{round}/deep", round % 7);
        let create = ("create_category", category(&path));
        let mut codes = rivals.at_once(&create, &create);
        codes.sort();
        assert_eq!(codes, ["IT-CATEGORY-S-001", "IT-CATEGORY-S-002"], "{round}");
    }
    all_are_whole(&stage.path(STORE));
    disk(&stage);
}

/// A memory that comes to lie in `r` while `r` is deleted with all that is in it.
fn against_deletion(arrival: impl Fn(&mut Rivals<'_>, usize) -> Asked) {
    let stage = configured(FREE);
    let mut rivals = Rivals::new(&stage);
    let mut seen = Vec::new();
    for round in 0..ROUNDS {
        rivals.done("create_category", &category("r/x"));
        let arrives = arrival(&mut rivals, round);
        let delete = ("delete_category", json!({ "path": "r", "recursive": true }));
        let codes = rivals.at_once(&arrives, &delete);
        assert_eq!(codes[1], "IT-CATEGORY-S-003", "{round}");
        assert!(!rivals.is_there("r"), "{round}: what was deleted is gone");
        let has_arrived = ["IT-MEMORY-S-001", "IT-MEMORY-S-004"].contains(&codes[0].as_str());
        assert!(has_arrived || codes[0] == "IT-MEMORY-I-004", "{round}: {codes:?}");
        let moved = rivals.is_there(&format!("n{round}.md"));
        assert_eq!(
            moved,
            arrives.0 == "move_memory" && !has_arrived,
            "{round}: what did not move is there"
        );
        counted(&mut seen, codes);
    }
    assert!(seen.len() > 1, "it never came otherwise: {seen:?}");
    disk(&stage);
}

#[test]
fn a_memory_is_kept_unless_its_category_is_deleted_after_it() {
    against_deletion(|_, round| {
        ("create_memory", json!({ "path": format!("r/x/n{round}"), "content": "Kept.\n" }))
    });
}

#[test]
fn a_memory_that_moves_is_at_one_of_the_two_places_or_deleted_there() {
    against_deletion(|rivals, round| {
        let here = format!("n{round}");
        rivals.done("create_memory", &json!({ "path": here, "content": "Kept.\n" }));
        ("move_memory", json!({ "from": here, "to": format!("r/x/n{round}") }))
    });
}

#[test]
fn an_empty_category_is_deleted_or_gets_its_memory() {
    let stage = configured(FREE);
    let mut rivals = Rivals::new(&stage);
    let mut seen = Vec::new();
    for round in 0..ROUNDS {
        rivals.done("create_category", &category("r"));
        let path = format!("r/n{round}");
        let create = ("create_memory", json!({ "path": path, "content": "Kept.\n" }));
        let codes = rivals.at_once(&create, &("delete_category", category("r")));
        match [codes[0].as_str(), codes[1].as_str()] {
            ["IT-MEMORY-S-001", "IT-CATEGORY-I-002"] => {
                assert!(text(&stage, &format!("{STORE}/{path}.md")).ends_with("---\nKept.\n"));
                rivals.done("delete_category", &json!({ "path": "r", "recursive": true }));
            }
            ["IT-MEMORY-I-004", "IT-CATEGORY-S-003"] => assert!(!rivals.is_there("r"), "{round}"),
            other => panic!("{round}: {other:?}"),
        }
        counted(&mut seen, codes);
    }
    assert_eq!(seen.len(), 2, "it never came otherwise: {seen:?}");
    disk(&stage);
}

#[test]
fn of_two_writers_one_writes_and_the_other_is_told() {
    let stage = configured(FREE);
    let mut rivals = Rivals::new(&stage);
    rivals.done("create_category", &category("r"));
    for round in 0..ROUNDS {
        let path = format!("r/n{round}");
        let create = |who: &str| ("create_memory", json!({ "path": path, "content": who }));
        let mut codes = rivals.at_once(&create("one"), &create("other"));
        codes.sort();
        assert_eq!(codes, ["IT-MEMORY-I-003", "IT-MEMORY-S-001"], "{round}");
        let memory = rivals.one.call("get_memory", &json!({ "path": path }));
        let sha256 = memory["data"]["sha256"].clone();
        let update = |who: &str| {
            let content = format!("{who} again");
            let arguments = json!({ "path": path, "content": content, "expect_sha256": sha256 });
            ("update_memory", arguments)
        };
        let codes = rivals.at_once(&update("one"), &update("other"));
        let winner = codes.iter().position(|code| code == "IT-MEMORY-S-003").expect("a winner");
        assert_eq!(codes[1 - winner], "IT-ITEM-I-008", "{round}");
        let expected = ["one again", "other again"][winner];
        let memory = rivals.other.call("get_memory", &json!({ "path": path }));
        assert_eq!(memory["data"]["content"], expected, "{round}");
    }
    disk(&stage);
}
