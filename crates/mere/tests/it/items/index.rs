//! The index is a hint: whatever is done to it, answers are those of a fresh scan.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const INDEX: &str = "project/.ai/.index.json";

fn note(id: &str, title: &str) -> String {
    format!("---\nid: {id}\ntitle: {title}\n---\nText of {title}.\n")
}

/// A project with 100 items in ten categories, and a user space that has two of them too.
fn stage() -> Stage {
    let stage = Stage::new();
    for number in 0..90 {
        let (category, id) = (number % 9, format!("n{number}"));
        let text = note(&id, &format!("Note {number}"));
        stage.file(&format!("project/.ai/knowledge/c{category}/{id}.md"), &text);
    }
    for number in 0..10 {
        let (id, category) = ("twin", format!("t{number}"));
        stage.file(&format!("project/.ai/knowledge/{category}/{id}.md"), &note(id, &category));
    }
    stage.file("home/.ai/knowledge/u/n7.md", &note("n7", "The user's"));
    stage.file("home/.ai/knowledge/u/mine.md", &note("mine", "Mine"));
    stage
}

/// What an agent is told about a few ids.
fn load_replies(stage: &Stage) -> String {
    let mut replies = String::new();
    for id in ["n7", "n89", "mine", "twin", "none", "c3/n3"] {
        let arguments = json!({ "item_type": "knowledge", "item_id": id });
        let reply = stage.call_text("load", &arguments.to_string()).timeless();
        let _ = writeln!(replies, "{reply}");
    }
    replies
}

fn listed(stage: &Stage) -> Value {
    let output = stage.person(&["list", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    reply["data"].clone()
}

fn index(stage: &Stage) -> PathBuf {
    assert!(stage.person(&["index", "--rebuild"]).status.success());
    stage.path(INDEX)
}

/// Lets what has just been written grow old enough to be believed.
fn age(stage: &Stage) {
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let _ = index(stage);
}

#[test]
fn it_is_sorted_json_with_a_line_for_each_item() {
    let stage = stage();
    let text = std::fs::read_to_string(index(&stage)).expect("the index");
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(value["version"], "1");
    let items = value["items"].as_object().expect("items");
    assert_eq!(items.len(), 100);
    let mut keys = items.keys().collect::<Vec<_>>();
    assert!(keys.is_sorted(), "{keys:?}");
    keys.dedup();
    assert_eq!(keys.len(), 100);
    let entry = &items["knowledge:n7:c7"];
    assert_eq!(entry["path"], "knowledge/c7/n7.md");
    assert_eq!((&entry["category"], &entry["item_id"]), (&json!("c7"), &json!("n7")));
    assert_eq!((&entry["scope"], &entry["size"]), (&json!("project"), &json!(45)));
    assert_eq!(text.lines().count(), 102, "a line for each, one before and one after");
    assert!(!text.contains("memory"), "memories are not in it");
    let hidden_paths = ["directives/x.md", "directives/x/SKILL.md", ".claude/x"];
    assert!(hidden_paths.iter().all(|path| !text.contains(path)));
}

#[test]
fn truncated_anywhere_it_gives_the_same_answers() {
    let stage = stage();
    age(&stage);
    let (fresh, list) = (load_replies(&stage), listed(&stage));
    let whole = std::fs::read(stage.path(INDEX)).expect("the index");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let ask = |mcp: &mut Mcp<'_>, id: &str| {
        let arguments = json!({ "item_type": "knowledge", "item_id": id });
        mcp.tool("load", &arguments)["structuredContent"]["data"].clone()
    };
    let expected = [ask(&mut mcp, "n7"), ask(&mut mcp, "twin"), ask(&mut mcp, "none")];
    for length in (0..whole.len()).step_by(64) {
        // Into the very file that the server has open.
        let file = std::fs::OpenOptions::new().write(true).open(stage.path(INDEX)).expect("open");
        file.set_len(length as u64).expect("truncated");
        let now = [ask(&mut mcp, "n7"), ask(&mut mcp, "twin"), ask(&mut mcp, "none")];
        assert_eq!(now, expected, "truncated to {length} bytes");
    }
    for length in (0..whole.len()).step_by(4096).chain([whole.len() - 1]) {
        std::fs::write(stage.path(INDEX), &whole[..length]).expect("written");
        assert_eq!(load_replies(&stage), fresh, "truncated to {length} bytes");
        std::fs::write(stage.path(INDEX), &whole[..length]).expect("written");
        assert_eq!(listed(&stage), list, "truncated to {length} bytes");
    }
}

/// Changes the index in many ways that leave it JSON, or make it something else.
fn poisons(whole: &str) -> Vec<(&'static str, String)> {
    let without = |key: &str| {
        let lines = whole.lines().filter(|line| !line.contains(key)).collect::<Vec<_>>();
        lines.join("\n") + "\n"
    };
    vec![
        ("an item left out", without("knowledge:n7:c7")),
        ("twins left out but one", {
            let kept = whole.lines().filter(|line| {
                !line.contains("knowledge:twin:") || line.contains("knowledge:twin:t0")
            });
            kept.collect::<Vec<_>>().join("\n") + "\n"
        }),
        ("another's path", whole.replace("knowledge/c7/n7.md", "knowledge/c8/n8.md")),
        ("a path outside", whole.replace("knowledge/c7/n7.md", "../../beside/x.md")),
        ("another category", whole.replace("\"category\":\"c7\"", "\"category\":\"c8\"")),
        ("another scope", whole.replace("\"scope\":\"project\"", "\"scope\":\"user\"")),
        ("an item that is not there", whole.replace("knowledge:n88:", "knowledge:none:")),
        ("a newer version", whole.replace("\"version\":\"1\"", "\"version\":\"2\"")),
        ("another order", {
            let mut lines = whole.lines().collect::<Vec<_>>();
            lines[1..101].reverse();
            lines.join("\n") + "\n"
        }),
        ("nothing", String::new()),
        ("an empty object", "{}".to_owned()),
        ("no items", "{\"version\":\"1\",\"items\":{\n}}\n".to_owned()),
        ("rubbish", "\u{0}\u{1}\n\n\"\n".repeat(1000)),
        ("one long line", "x".repeat(200_000)),
    ]
}

#[test]
fn poisoned_it_gives_the_same_answers() {
    let stage = stage();
    age(&stage);
    let (fresh, list) = (load_replies(&stage), listed(&stage));
    let whole = std::fs::read_to_string(stage.path(INDEX)).expect("the index");
    for (what, text) in poisons(&whole) {
        assert_ne!(text, whole, "{what} changes nothing");
        std::fs::write(stage.path(INDEX), &text).expect("written");
        assert_eq!(load_replies(&stage), fresh, "{what}");
        std::fs::write(stage.path(INDEX), &text).expect("written");
        assert_eq!(listed(&stage), list, "{what}");
    }
}

#[test]
fn a_server_does_not_believe_what_was_written_into_its_index() {
    let stage = stage();
    age(&stage);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let arguments = json!({ "item_type": "knowledge", "item_id": "n7" });
    let before = mcp.tool("load", &arguments)["structuredContent"]["data"].clone();
    assert_eq!(before["scope"], "project");
    let path = stage.path(INDEX);
    let whole = std::fs::read_to_string(&path).expect("the index");
    // Same length, same file: only its time of change tells.
    let text = whole.replace("knowledge:n7:c7", "knowledge:n_:c7");
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("open");
    std::io::Write::write_all(&mut &file, text.as_bytes()).expect("written");
    let after = mcp.tool("load", &arguments)["structuredContent"]["data"].clone();
    assert_eq!(after, before);
}

#[test]
fn links_pipes_and_folders_in_its_place_give_the_same_answers() {
    let stage = stage();
    let fresh = load_replies(&stage);
    let place = stage.path(INDEX);
    let elsewhere = stage.file("beside/index.json", "{\"version\":\"1\",\"items\":{\n}}\n");
    std::fs::remove_file(&place).expect("removed");
    std::os::unix::fs::symlink(&elsewhere, &place).expect("a link");
    assert_eq!(load_replies(&stage), fresh);
    let beside = std::fs::read_to_string(&elsewhere).expect("the file beside");
    assert_eq!(beside.len(), 28, "nothing is written through a link");
    let _ = std::fs::remove_file(&place);
    let pipe = std::process::Command::new("mkfifo").arg(&place).status().expect("mkfifo");
    assert!(pipe.success());
    assert_eq!(load_replies(&stage), fresh);
    std::fs::remove_file(&place).expect("removed");
    std::fs::create_dir_all(place.join("x")).expect("a folder");
    assert_eq!(load_replies(&stage), fresh);
}

#[test]
fn without_a_cache_folder_everything_is_scanned() {
    let mut stage = stage();
    let fresh = load_replies(&stage);
    stage.file("beside/file", "");
    stage.variable("XDG_CACHE_HOME", "beside/file");
    assert_eq!(load_replies(&stage), fresh);
}

#[test]
fn many_processes_write_it_and_nobody_is_told_anything_else() {
    let stage = stage();
    age(&stage);
    let fresh = load_replies(&stage);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let output = stage.person(&["index", "--rebuild"]);
                    assert!(output.status.success(), "{output:?}");
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| (0..4).for_each(|_| assert_eq!(load_replies(&stage), fresh)));
        }
    });
    let value: Value = serde_json::from_slice(&std::fs::read(stage.path(INDEX)).expect("index"))
        .expect("the last one written is whole");
    assert_eq!(value["items"].as_object().expect("items").len(), 100);
    let left = std::fs::read_dir(stage.path("project/.ai")).expect("the space").flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with(".new-"));
    assert_eq!(left.count(), 0, "nothing unfinished is left");
}

#[test]
fn a_check_says_what_differs() {
    let stage = stage();
    let check = || {
        let output = stage.person(&["index", "--check", "--json"]);
        let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), reply["data"]["spaces"][0].clone())
    };
    let (status, space) = check();
    assert_eq!((status, &space["state"]), (Some(4), &json!("there is none")));
    let _ = index(&stage);
    assert_eq!(check().0, Some(0));
    stage.file("project/.ai/knowledge/c1/new.md", &note("new", "New"));
    stage.file("project/.ai/knowledge/c7/n7.md", &note("n7", "Changed"));
    std::fs::remove_file(stage.path("project/.ai/knowledge/c8/n8.md")).expect("removed");
    stage.file("project/.ai/knowledge/Bad Name.md", "");
    let (status, space) = check();
    assert_eq!(status, Some(4));
    assert_eq!(space["missing"], json!(["knowledge/c1/new.md"]));
    assert_eq!(space["changed"], json!(["knowledge/c7/n7.md"]));
    assert_eq!(space["gone"], json!(["knowledge/c8/n8.md"]));
    assert_eq!(space["strays"][0]["path"], "knowledge/Bad Name.md");
}
