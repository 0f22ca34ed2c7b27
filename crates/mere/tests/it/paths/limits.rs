//! Large trees and large files: few handles, little memory, and nothing swapped in from outside.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

/// The most memory a server may take besides the program itself, in KiB.
const MEMORY: usize = 24 * 1024;

/// `mere mcp` with so many handles at most.
fn limited(stage: &Stage, handles: usize) -> Mcp<'_> {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n {handles}; exec \"$0\" mcp --agent default")]);
    command.arg(env!("CARGO_BIN_EXE_mere")).current_dir(stage.path("project"));
    command.env_clear().env("HOME", stage.path("home")).env("PATH", "/usr/bin:/bin");
    let mut mcp = Mcp::spawn(stage, command);
    mcp.greet();
    mcp
}

/// Three thousand files in four hundred folders, some of them thirty deep; every tenth file has the
/// needle.
fn forest(stage: &Stage) {
    let mut folders = Vec::new();
    for branch in 0..10 {
        let mut path = format!("project/branch{branch}");
        for level in 0..30 {
            path = format!("{path}/{level}");
            folders.push(path.clone());
        }
    }
    folders.extend((0..100).map(|number| format!("project/flat/{number}")));
    for folder in &folders {
        stage.folder(folder);
    }
    for number in 0..3000 {
        let text = if number % 10 == 0 { "a needle\n" } else { "hay\n" };
        stage.file(&format!("{}/file{number}", folders[number % folders.len()]), text);
    }
}

#[test]
fn a_large_tree_needs_few_handles() {
    let stage = Stage::new();
    forest(&stage);
    for handles in [256, 128] {
        let mut mcp = limited(&stage, handles);
        let glob = || ("glob", json!({ "pattern": "**", "limit": 10_000 }));
        let grep = || ("grep", json!({ "pattern": "needle", "limit": 10_000 }));
        let tree = || ("dir", json!({ "command": "tree", "path": "flat" }));
        let deep = || ("dir", json!({ "command": "tree", "depth": 16 }));
        let calls = [glob(), grep(), tree(), deep(), glob(), grep(), glob(), grep()];
        for round in 0..2 {
            let replies = mcp.pipeline(&calls);
            for (reply, expected) in replies.iter().zip([3000, 300, 100, 261, 3000, 300, 3000, 300])
            {
                assert_eq!(reply["data"]["count"], expected, "{handles} {round} {reply}");
            }
        }
        let deepest = (0..30).map(|level| level.to_string()).collect::<Vec<_>>().join("/");
        let list = mcp.dir(&json!({ "command": "list", "path": format!("branch0/{deepest}") }));
        assert_eq!(list["reply_type"], "S");
    }
}

/// Repeats `piece` until a file is so large.
fn fill(path: &Path, piece: &[u8], size: usize) {
    let mut file = std::fs::File::create(path).expect("a file");
    let chunk = piece.repeat(1024 * 1024 / piece.len());
    for _ in 0..size / chunk.len() {
        file.write_all(&chunk).expect("room for it");
    }
}

/// Makes the calls one after the other, and fails if the server took too much memory.
fn within_bounds(stage: &Stage, calls: &[(&str, Value)]) {
    let mut mcp = Mcp::greeted(stage, &[]);
    for (tool, arguments) in calls {
        let reply = mcp.call(tool, arguments);
        assert_eq!(reply["reply_type"], "S", "{tool} {arguments} {}", reply["message"]);
        assert!(mcp.working_memory() < MEMORY, "{tool} {arguments}: {} KiB", mcp.working_memory());
    }
}

#[test]
fn a_file_that_is_one_long_line_takes_little_memory() {
    let stage = Stage::new();
    fill(&stage.path("project/large"), b"word ", 200 * 1024 * 1024);
    let calls = [
        ("read", json!({ "path": "large" })),
        ("grep", json!({ "path": "large", "pattern": "nowhere" })),
        ("grep", json!({ "pattern": "word" })),
        ("glob", json!({ "pattern": "**" })),
    ];
    within_bounds(&stage, &calls);
}

#[test]
fn a_file_of_many_lines_takes_little_memory() {
    let stage = Stage::new();
    fill(&stage.path("project/large"), b"a line of thirty-two characters\n", 300 * 1024 * 1024);
    let calls = [
        ("read", json!({ "path": "large", "limit": 1_000_000 })),
        ("read", json!({ "path": "large", "offset": 9_000_000 })),
        ("grep", json!({ "path": "large", "pattern": "line", "limit": 10_000, "context": 1 })),
        ("grep", json!({ "pattern": "nowhere" })),
    ];
    within_bounds(&stage, &calls);
}

#[test]
fn a_folder_of_many_files_takes_little_memory() {
    let stage = Stage::new();
    let folder = stage.folder("project/folder");
    for number in 0..60_000 {
        std::fs::File::create(folder.join(format!("{number:05}"))).expect("a file");
    }
    let calls = [
        ("dir", json!({ "command": "list", "path": "folder" })),
        ("dir", json!({ "command": "tree" })),
        ("glob", json!({ "pattern": "59999" })),
        ("glob", json!({ "pattern": "**", "limit": 10_000 })),
        ("grep", json!({ "pattern": "nowhere", "glob": "folder/[0-4]*" })),
    ];
    within_bounds(&stage, &calls);
}

/// What one thread does while another makes calls.
fn meanwhile<T>(disturb: impl Fn() + Sync, calls: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                disturb();
            }
        });
        let called = std::panic::catch_unwind(std::panic::AssertUnwindSafe(calls));
        stop.store(true, Ordering::Relaxed);
        called.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[test]
fn a_file_that_grows_is_read_as_far_as_it_goes() {
    let stage = Stage::new();
    let log = stage.file("project/log", "");
    let log = std::fs::OpenOptions::new().append(true).open(log).expect("the log");
    let block = "a line of thirty-two characters\n".repeat(64);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let append = || {
        if log.metadata().expect("the log").len() < 4 * 1024 * 1024 {
            (&log).write_all(block.as_bytes()).expect("room for it");
        }
    };
    meanwhile(append, || {
        let mut lines = 0;
        for _ in 0..10 {
            let data = mcp.call("read", &json!({ "path": "log", "limit": 10 }))["data"].clone();
            let now = data["lines"].as_u64().expect("a number");
            assert!(now >= lines, "{now} after {lines}");
            lines = now;
            let found =
                mcp.call("grep", &json!({ "path": "log", "pattern": "thirty", "limit": 10 }));
            assert_eq!(found["reply_type"], "S");
        }
    });
    assert!(mcp.working_memory() < MEMORY, "{} KiB", mcp.working_memory());
}

const SECRET: &str = "outside-secret";

/// A stage whose `project/swap` can be swapped for a link to a folder with the secret.
fn swappable() -> Stage {
    let stage = Stage::new();
    stage.file("project/swap/inside/file", "inside\n");
    stage.file("project/swap/file", "inside\n");
    stage.file("beside/inside/file", SECRET);
    stage.file("beside/file", SECRET);
    stage.file(&format!("beside/{SECRET}/file"), SECRET);
    stage.link(stage.path("beside"), "absolute");
    stage.link("../beside", "relative");
    stage
}

/// Makes the calls over and over, `times` in all, while the folder is swapped to and fro.
fn swapped(stage: &Stage, calls: &[(&'static str, Value)], times: usize) -> Vec<Value> {
    let (swap, kept) = (stage.path("project/swap"), stage.path("kept"));
    let links = [stage.path("absolute"), stage.path("relative")];
    let rename = |from: &Path, to: &Path| std::fs::rename(from, to).expect("a rename");
    let swapping = || {
        for link in &links {
            rename(&swap, &kept);
            rename(link, &swap);
            rename(&swap, link);
            rename(&kept, &swap);
        }
    };
    let calls = calls.iter().cycle().take(times).cloned().collect::<Vec<_>>();
    let mut mcp = Mcp::greeted(stage, &[]);
    meanwhile(swapping, || mcp.pipeline(&calls))
}

#[test]
fn a_folder_swapped_for_a_link_shows_nothing_from_outside() {
    let stage = swappable();
    let calls = [
        ("glob", json!({ "pattern": "**" })),
        ("glob", json!({ "pattern": "**", "path": "swap" })),
        ("grep", json!({ "pattern": "." })),
        ("grep", json!({ "pattern": ".", "path": "swap/inside" })),
        ("dir", json!({ "command": "tree" })),
        ("dir", json!({ "command": "list", "path": "swap" })),
        ("read", json!({ "path": "swap/inside/file" })),
    ];
    let replies = swapped(&stage, &calls, 300 * calls.len());
    let mut seen = 0;
    for reply in &replies {
        let text = reply.to_string();
        assert!(!text.contains(SECRET), "{text}");
        seen += usize::from(text.contains("inside"));
    }
    assert!(seen > 100, "{seen} replies saw the folder");
}

#[test]
fn a_folder_swapped_for_a_link_is_missing_and_not_a_fault_of_the_machine() {
    let stage = swappable();
    let calls = [
        ("dir", json!({ "command": "list", "path": "swap" })),
        ("read", json!({ "path": "swap/file" })),
    ];
    let replies = swapped(&stage, &calls, 3000);
    let broken = replies.iter().filter(|reply| reply["reply_type"] == "E");
    assert_eq!(broken.map(|reply| &reply["code"]).collect::<Vec<_>>(), Vec::<&Value>::new());
}
