//! The search index under fire: killed, shared, damaged, asked nonsense. Whatever happens to it, it
//! answers like one that was made just now.

use std::io::Read;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::searches::full_search;

/// The same numbers for the same seed.
struct Random(u64);

impl Random {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).expect("few sides")
    }
}

const WORDS: [&str; 24] = [
    "retry", "queue", "cursor", "paging", "token", "deploy", "rollback", "index", "schema",
    "cache", "mutex", "latency", "quorum", "ledger", "digest", "anchor", "beacon", "harbor",
    "lantern", "meadow", "orchard", "pebble", "quarry", "river",
];

fn note(id: usize, random: &mut Random) -> String {
    let mut words = (0..40).map(|_| WORDS[random.roll(WORDS.len())]).collect::<Vec<_>>();
    let unique = format!("unique{id}");
    words.push(&unique);
    format!(
        "---\nid: n{id}\ntitle: Note {} {id}\ntags: [t{}]\nrelated: [n{}]\n---\n\n{}\n",
        WORDS[random.roll(WORDS.len())],
        id % 5,
        id / 2,
        words.join(" ")
    )
}

fn fill(stage: &Stage, count: usize) {
    let mut random = Random(42);
    stage.folder("project/.git");
    for id in 0..count {
        stage.file(&format!("project/.ai/knowledge/c{}/n{id}.md", id % 7), &note(id, &mut random));
    }
}

/// Searches until the whole index answers. On a busy machine a reply may say that files or vectors
/// are still missing, and then its hits are not those of the whole index.
fn search(stage: &Stage, query: &str) -> Value {
    let arguments = full_search(json!({ "query": query, "rank": "unified", "limit": 30 }));
    let arguments = arguments.to_string();
    let began = Instant::now();
    loop {
        let mut command = stage.command("project");
        command.args(["call", "search", &arguments]);
        let reply = stage.answer(&mut command).reply;
        let hint = reply["hint"].as_str().unwrap_or_default();
        if reply["data"]["incomplete"].is_null() && !hint.contains("no vector yet") {
            return reply;
        }
        assert!(began.elapsed() < Duration::from_mins(1), "still incomplete: {reply}");
    }
}

/// What a space answers to a number of questions, without what differs from call to call.
fn answers(stage: &Stage) -> Vec<Value> {
    let queries =
        ["retry", "quorum ledger", "\"paging token\"", "har* -river", "tag:t3 unique7", "note"];
    let mut answers = Vec::new();
    for query in queries.into_iter().chain(WORDS) {
        let reply = search(stage, query);
        assert_eq!(reply["code"], "IT-SEARCH-S-001", "{query}: {reply}");
        let hits = reply["data"]["results"].as_array().expect("hits").iter();
        let hits = hits.map(|hit| json!([hit["id"], hit["score"]])).collect::<Vec<_>>();
        answers.push(json!([query, reply["data"]["total"], hits]));
    }
    answers
}

fn ask(server: &mut Mcp<'_>, arguments: &Value) -> Value {
    server.tool("search", arguments)["structuredContent"].take()
}

/// The folder in which the index lies.
fn forget_index(stage: &Stage) {
    std::fs::remove_dir_all(stage.path("home/.cache")).expect("a cache");
}

fn start(stage: &Stage) -> Child {
    let mut command = stage.command("project");
    command.args(["call", "search", r#"{"query":"retry"}"#]);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a process")
}

fn code_of(child: Child) -> String {
    let mut text = String::new();
    let mut child = child;
    child.stdout.take().expect("its output").read_to_string(&mut text).expect("text");
    assert!(child.wait().expect("an end").success(), "{text}");
    let reply = serde_json::from_str::<Value>(&text).expect("a reply");
    reply["code"].as_str().expect("a code").to_owned()
}

#[test]
fn an_index_whose_maker_is_killed_is_like_a_new_one() {
    let stage = Stage::new();
    fill(&stage, 600);
    let began = Instant::now();
    let fresh = answers(&stage);
    let whole = began.elapsed() / u32::try_from(fresh.len()).expect("few");
    forget_index(&stage);
    let mut random = Random(7);
    for round in 0..12_u32 {
        let mut child = start(&stage);
        let part = u32::try_from(random.roll(100)).expect("small");
        thread::sleep(whole * 3 * part / 100);
        child.kill().expect("killed");
        child.wait().expect("an end");
        // Some of what was indexed changes before the next one looks.
        let id = 600 + round;
        stage.file(&format!("project/.ai/knowledge/c0/n{id}.md"), &note(id as usize, &mut random));
    }
    for round in 0..12_u32 {
        let path = stage.path(&format!("project/.ai/knowledge/c0/n{}.md", 600 + round));
        std::fs::remove_file(path).expect("a note");
    }
    assert_eq!(answers(&stage), fresh);
}

#[test]
fn processes_that_index_at_once_leave_one_sound_index() {
    let stage = Stage::new();
    fill(&stage, 600);
    let children = (0..4).map(|_| start(&stage)).collect::<Vec<_>>();
    for child in children {
        assert_eq!(code_of(child), "IT-SEARCH-S-001");
    }
    let shared = answers(&stage);
    forget_index(&stage);
    assert_eq!(shared, answers(&stage));
}

#[test]
fn an_index_that_grew_by_changes_is_like_a_new_one() {
    let stage = Stage::new();
    fill(&stage, 150);
    let mut server = Mcp::greeted(&stage, &[]);
    let mut random = Random(99);
    for round in 0..120 {
        let id = random.roll(150);
        let path = format!("project/.ai/knowledge/c{}/n{id}.md", id % 7);
        match random.roll(4) {
            0 => {
                let _ = std::fs::remove_file(stage.path(&path));
            }
            _ => {
                stage.file(&path, &note(id, &mut random));
            }
        }
        if round % 3 == 0 {
            let arguments = json!({ "query": WORDS[random.roll(WORDS.len())], "limit": 1 });
            assert_eq!(ask(&mut server, &arguments)["code"], "IT-SEARCH-S-001");
        }
    }
    let grown = answers(&stage);
    forget_index(&stage);
    assert_eq!(grown, answers(&stage));
}

#[test]
fn a_damaged_index_is_made_again() {
    let stage = Stage::new();
    fill(&stage, 60);
    let fresh = answers(&stage);
    let cache = stage.path("home/.cache/merestone");
    let index = || {
        let files =
            std::fs::read_dir(&cache).expect("a cache").map(|entry| entry.expect("one").path());
        let mut files = files;
        files
            .find(|path| {
                let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
                name.starts_with("search-")
                    && !name.contains("-lock")
                    && !name.ends_with("-wal")
                    && !name.ends_with("-shm")
            })
            .expect("an index")
    };
    let whole = std::fs::read(index()).expect("its bytes");
    let mut truncated = whole.clone();
    truncated.truncate(whole.len() / 2);
    let mut overwritten = whole.clone();
    overwritten[9000..40_000].fill(0xa5);
    for bytes in [&b"not a database"[..], &[], &truncated, &overwritten] {
        std::fs::write(index(), bytes).expect("written");
        assert_eq!(answers(&stage), fresh);
    }
}

#[test]
fn a_changed_note_is_found_at_once() {
    let stage = Stage::new();
    fill(&stage, 50);
    let mut server = Mcp::greeted(&stage, &[]);
    let mut find = |word: &str| {
        let arguments = json!({ "query": word, "mode": "text", "rank": "unified" });
        ask(&mut server, &arguments)["data"]["total"].as_u64().expect("a count")
    };
    assert_eq!(find("zebrafish"), 0);
    for round in 0..5 {
        let text = format!("---\nid: n1\ntitle: Changed\n---\n\nzebrafish{round}\n");
        stage.file("project/.ai/knowledge/c1/n1.md", &text);
        assert_eq!(find(&format!("zebrafish{round}")), 1);
        assert_eq!(find(&format!("zebrafish{}", round + 40)), 0);
    }
    stage.file(
        "project/.ai/knowledge/new/deep/n900.md",
        "---\nid: n900\ntitle: New\n---\n\naardwolf\n",
    );
    assert_eq!(find("aardwolf"), 1);
    std::fs::rename(
        stage.path("project/.ai/knowledge/new"),
        stage.path("project/.ai/knowledge/moved"),
    )
    .expect("moved");
    assert_eq!(find("aardwolf"), 1);
    std::fs::remove_dir_all(stage.path("project/.ai/knowledge/moved")).expect("removed");
    assert_eq!(find("aardwolf"), 0);
}

/// Nonsense of every kind.
fn nonsense(random: &mut Random) -> String {
    const PIECES: [&str; 40] = [
        "\"",
        "'",
        "*",
        "-",
        "--",
        "(",
        ")",
        "NEAR(",
        "AND",
        "OR",
        "NOT",
        "tag:",
        "category:",
        "type:",
        ":",
        "\\",
        "\0",
        "\u{1}",
        "\u{1}name:x",
        "\u{202e}",
        "\u{feff}",
        "é",
        "ﬁ",
        "💥",
        "検索",
        "%",
        "_",
        "; DROP TABLE item",
        "{col}:",
        "^",
        "~",
        "\n",
        "\t",
        "''",
        "\"\"",
        "retry",
        "quorum",
        "n1",
        "c1/n1",
        "/",
    ];
    let mut text = String::new();
    for _ in 0..random.roll(12) {
        text.push_str(PIECES[random.roll(PIECES.len())]);
        if random.roll(2) == 0 {
            text.push(' ');
        }
    }
    match random.roll(400) {
        0 => text.repeat(20_000),
        1 => "x".repeat(900_000),
        2 => "\"a ".repeat(100_000),
        _ => text,
    }
}

#[test]
fn ten_thousand_hostile_queries_are_answered() {
    let stage = Stage::new();
    fill(&stage, 40);
    let mut server = Mcp::greeted(&stage, &[]);
    let mut random = Random(2026);
    let began = Instant::now();
    for number in 0..10_000 {
        let query = nonsense(&mut random);
        let mode = ["hybrid", "text", "vector"][random.roll(3)];
        let rank = ["by_type", "unified"][random.roll(2)];
        let arguments =
            json!({ "query": query, "mode": mode, "rank": rank, "limit": 1 + random.roll(3) });
        let reply = ask(&mut server, &arguments);
        let short = query.chars().take(200).collect::<String>();
        assert_eq!(reply["code"], "IT-SEARCH-S-001", "query {number}: {short:?}: {reply}");
    }
    assert!(began.elapsed() < Duration::from_mins(10), "it hung");
    assert!(server.peak_memory() < 400 * 1024, "{} kB", server.peak_memory());
    let found = ask(&mut server, &json!({ "query": "unique7", "mode": "text" }));
    assert_eq!(found["data"]["total"], 1);
}
