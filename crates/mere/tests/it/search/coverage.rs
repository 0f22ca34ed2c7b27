//! An index that does not have every item yet: a search says so, or waits, and never shows what is
//! missing as absent.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const ITEMS: u64 = 400;

fn stage_with_notes(count: u64) -> Stage {
    let stage = Stage::new();
    stage.folder("project/.git");
    add_notes(&stage, 0..count);
    stage
}

fn add_notes(stage: &Stage, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let text = format!("---\nid: n{number}\ntitle: On n{number}\n---\n\nlantern\n");
        stage.file(&format!("project/.ai/knowledge/n{number}.md"), &text);
    }
}

fn arguments() -> Value {
    json!({ "query": "lantern", "mode": "text", "limit": 1 })
}

fn search(stage: &Stage) -> Value {
    stage.call_text("search", &arguments().to_string()).reply
}

fn total(reply: &Value) -> u64 {
    reply["data"]["total"].as_u64().unwrap_or_else(|| panic!("{reply}"))
}

/// Checks that a reply without all items says that it is incomplete.
fn assert_complete_or_said(reply: &Value) {
    let is_said = reply["data"]["incomplete"] == true;
    assert!(total(reply) == ITEMS || is_said, "{reply}");
}

fn assert_incomplete(reply: &Value, reason: &str) {
    assert_eq!(reply["data"]["incomplete"], true, "{reply}");
    let text = |name: &str| reply[name].as_str().expect("a text");
    assert!(text("message").contains("not all items were searched"), "{reply}");
    assert!(text("hint").contains(reason), "{reply}");
}

fn assert_complete(reply: &Value) {
    assert_eq!((total(reply), &reply["data"]["incomplete"]), (ITEMS, &Value::Null), "{reply}");
}

/// The file of the index.
fn index_file(stage: &Stage) -> PathBuf {
    let files = std::fs::read_dir(stage.path("home/.cache/merestone")).expect("a cache");
    let mut files = files.map(|entry| entry.expect("one").path());
    let is_index = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        name.strip_prefix("search-").is_some_and(|rest| !rest.contains('-'))
    };
    files.find(is_index).expect("an index")
}

#[test]
fn a_search_beside_another_process_that_indexes_is_said_to_be_incomplete() {
    let stage = stage_with_notes(1);
    search(&stage);
    add_notes(&stage, 1..ITEMS);
    let lock = format!("{}-lock", index_file(&stage).display());
    let lock = std::fs::File::options().create(true).append(true).open(lock).expect("a lock");
    lock.lock().expect("locked");
    let mut server = Mcp::greeted(&stage, &[]);
    let over_mcp = server.tool("search", &arguments())["structuredContent"].take();
    assert_incomplete(&over_mcp, "still being made");
    drop(lock);
    assert_complete(&search(&stage));
    assert_complete(&server.tool("search", &arguments())["structuredContent"].take());
}

#[test]
fn a_search_of_an_index_that_cannot_be_written_now_is_said_to_be_incomplete() {
    let stage = stage_with_notes(ITEMS - 1);
    search(&stage);
    add_notes(&stage, ITEMS - 1..ITEMS);
    let connection = rusqlite::Connection::open(index_file(&stage)).expect("a database");
    connection.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    assert_incomplete(&search(&stage), "Another process");
    let shown = stage.person(&["search", "zzz", "--mode", "text"]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("No matches; not all items were searched."), "{shown}");
    connection.execute_batch("COMMIT").expect("unlocked");
    assert_complete(&search(&stage));
}

#[test]
fn an_index_that_is_rebuilt_again_and_again_is_never_shown_as_empty() {
    let stage = stage_with_notes(ITEMS);
    let mut server = Mcp::greeted(&stage, &[]);
    let mut rebuild = stage.command("project");
    rebuild.args(["index", "--rebuild"]).stdout(Stdio::null()).stderr(Stdio::null());
    for _ in 0..4 {
        let mut rebuilding = rebuild.spawn().expect("it starts");
        while rebuilding.try_wait().expect("a state").is_none() {
            let reply = server.tool("search", &arguments())["structuredContent"].take();
            assert_complete_or_said(&reply);
            assert_complete_or_said(&search(&stage));
        }
    }
    assert_complete(&search(&stage));
}

#[test]
fn an_index_that_is_cleared_between_the_check_and_the_question_is_made_again() {
    let stage = stage_with_notes(ITEMS);
    search(&stage);
    let file = index_file(&stage);
    std::thread::scope(|scope| {
        let searching = scope.spawn(|| {
            for _ in 0..25 {
                assert_complete_or_said(&search(&stage));
            }
        });
        let connection = rusqlite::Connection::open(&file).expect("a database");
        connection.busy_timeout(std::time::Duration::from_secs(5)).expect("a timeout");
        while !searching.is_finished() {
            // What clearing an index does, as another process does it.
            let cleared = connection.execute_batch(
                "BEGIN IMMEDIATE; INSERT INTO segment (items, words) VALUES (x'', x'');
                 DELETE FROM segment WHERE id < (SELECT max(id) FROM segment);
                 DELETE FROM posting; DELETE FROM item; DELETE FROM link;
                 DELETE FROM deleted_item; DELETE FROM vector;
                 UPDATE counter SET value = value + 1 WHERE name IN ('epoch', 'generation');
                 COMMIT",
            );
            if cleared.is_err() {
                let _ = connection.execute_batch("ROLLBACK");
            }
            std::thread::sleep(std::time::Duration::from_millis(40));
        }
    });
}

#[test]
fn a_folder_that_may_not_be_read_is_said_to_be_missing_from_a_search() {
    let stage = stage_with_notes(ITEMS - 1);
    let closed = stage.folder("project/.ai/knowledge/closed");
    let note = stage.file(
        "project/.ai/knowledge/closed/last.md",
        "---\nid: last\ntitle: Last\n---\n\nlantern\n",
    );
    let ask = || {
        let mut command = stage.unprivileged("project");
        stage.answer(command.args(["call", "search", &arguments().to_string()])).reply
    };
    assert_complete(&ask());
    let allow = |path: &PathBuf, mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, permissions).expect("set");
    };
    allow(&closed, 0);
    assert_incomplete(&ask(), "could not be read");
    allow(&closed, 0o755);
    assert_complete(&ask());
    std::fs::write(&note, "---\nid: last\ntitle: Last\n---\n\nlantern again\n").expect("changed");
    allow(&note, 0);
    assert_incomplete(&ask(), "1 file or folder could not be read");
    allow(&note, 0o644);
    assert_complete(&ask());
}
