//! Files that nobody could read to their end: a call answers with what it has, and says what it did
//! not read.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::Stage;

/// A hole of this size would take minutes to read.
const HUGE: u64 = 1 << 40;

/// How long a call may take, also on a slow machine.
const MAX_TIME: Duration = Duration::from_secs(30);

/// How much of a file is searched for lines.
const MAX_SCANNED: u64 = 1 << 30;

/// Makes a file of [`HUGE`] bytes that begins with a text and is empty after it.
fn make_huge_file(stage: &Stage, name: &str, text: &str) {
    let mut file = std::fs::File::create(stage.path(&format!("project/{name}"))).expect("a file");
    file.write_all(text.as_bytes()).expect("room");
    file.set_len(HUGE).expect("a hole");
}

/// Calls a tool, and checks that it does not take long.
fn call_quickly(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    let began = Instant::now();
    let reply = stage.call_text(tool, &arguments.to_string()).reply;
    assert!(began.elapsed() < MAX_TIME, "{tool} {arguments} took {:?}", began.elapsed());
    assert_eq!(reply["reply_type"], "S", "{reply}");
    reply
}

#[test]
fn a_huge_file_without_line_ends_is_described_at_once() {
    let stage = Stage::new();
    make_huge_file(&stage, "hole", "");
    make_huge_file(&stage, "word", "word");
    // More text than decides whether a file is binary, and no line end.
    make_huge_file(&stage, "line", &"word ".repeat(20_000));
    for name in ["hole", "word", "line"] {
        let reply = call_quickly(&stage, "read", &json!({ "path": name }));
        let data = &reply["data"];
        assert_eq!((&data["binary"], &data["size"]), (&json!(true), &json!(HUGE)), "{name}");
        assert_eq!(data["sha256"], Value::Null);
        let found = call_quickly(&stage, "grep", &json!({ "path": name, "pattern": "zzz" }));
        assert_eq!(found["data"]["count"], 0);
    }
    let found = call_quickly(&stage, "grep", &json!({ "pattern": "zzz" }));
    assert_eq!(found["data"]["count"], 0);
}

#[test]
fn the_first_lines_of_a_huge_file_are_read_and_the_rest_is_said_to_be_unread() {
    let stage = Stage::new();
    make_huge_file(&stage, "log", &"a line\n".repeat(5_000));
    let reply = call_quickly(&stage, "read", &json!({ "path": "log" }));
    let data = &reply["data"];
    assert_eq!((&data["first"], &data["last"]), (&json!(1), &json!(2_000)));
    assert_eq!((&data["lines"], &data["truncated"]), (&Value::Null, &json!(true)));
    assert_eq!((&data["unread_after"], &data["size"]), (&json!(MAX_SCANNED), &json!(HUGE)));
    assert_eq!(reply["hint"], "Continue with `offset` 2001.");
    let part = json!({ "path": "log", "offset": 4_999, "limit": 2 });
    let data = call_quickly(&stage, "read", &part)["data"].clone();
    assert_eq!((&data["last"], &data["content"]), (&json!(5_000), &json!("a line\na line\n")));
    let beyond = json!({ "path": "log", "offset": 100_000 });
    let reply = call_quickly(&stage, "read", &beyond);
    assert_eq!(reply["data"]["content"], "");
    assert_eq!(
        reply["message"],
        "ROOT_PROJECT:/log: only its first 1073741824 bytes, which have 5001 lines, were searched \
         for line 100000."
    );
    assert!(reply["hint"].as_str().expect("a hint").contains("`offset` up to 5001"), "{reply}");
}

#[test]
fn a_line_that_is_longer_than_a_reply_is_said_to_be_cut() {
    let stage = Stage::new();
    stage.file("project/long", &format!("{}\nnext\n", "word ".repeat(300_000)));
    let reply = call_quickly(&stage, "read", &json!({ "path": "long" }));
    let data = &reply["data"];
    assert_eq!((&data["cut"], &data["lines"], &data["last"]), (&json!(true), &json!(2), &json!(1)));
    let hint = reply["hint"].as_str().expect("a hint");
    assert!(hint.contains("its rest is not shown. Continue with `offset` 2."), "{hint}");
    let reply = call_quickly(&stage, "read", &json!({ "path": "long", "offset": 2 }));
    assert_eq!(
        (&reply["data"]["content"], &reply["data"]["cut"]),
        (&json!("next\n"), &Value::Null)
    );
}
