//! Many writers at once, and writers that are killed: what was acknowledged is there, whole.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const AGENTS: usize = 8;
const FILES: usize = 50;

fn write(path: &str, content: &str) -> (&'static str, Value) {
    ("write", json!({ "path": format!("ROOT_WORKSPACE:/{path}"), "content": content }))
}

/// What an agent writes into a file in a round; of a length of its own.
fn text(agent: usize, file: usize, round: usize) -> String {
    let line = format!("storm of a{agent}, file {file}, round {round}\n");
    line.repeat(1 + (agent * 7 + file * 13 + round * 29) % 97)
}

/// Writes every file and overwrites it, reading back in between.
fn storm(stage: &Stage, agent: usize) {
    let mut mcp = Mcp::greeted(stage, &["--agent", &format!("a{agent}")]);
    for round in 0..2 {
        let calls = (0..FILES).map(|file| write(&format!("f{file}"), &text(agent, file, round)));
        for reply in mcp.pipeline(&calls.collect::<Vec<_>>()) {
            assert_eq!(reply["code"], "WA-WRITE-S-001", "{reply}");
            assert_eq!(reply["data"]["created"], round == 0, "{reply}");
        }
        let calls = (0..FILES)
            .map(|file| ("read", json!({ "path": format!("ROOT_WORKSPACE:/f{file}") })))
            .collect::<Vec<_>>();
        for (file, reply) in mcp.pipeline(&calls).iter().enumerate() {
            assert_eq!(reply["data"]["content"], text(agent, file, round), "a{agent} f{file}");
        }
    }
}

#[test]
fn eight_agents_write_at_once_and_nothing_is_lost() {
    let stage = Stage::new();
    for number in 0..100 {
        stage.file(&format!("project/src/{number}.rs"), "a storm in a project\n");
    }
    let calm = AtomicBool::new(false);
    let greps = std::thread::scope(|threads| {
        let watcher = threads.spawn(|| {
            let mut mcp = Mcp::greeted(&stage, &["--agent", "watcher"]);
            let mut greps = 0;
            while !calm.load(Ordering::Relaxed) || greps == 0 {
                let reply = mcp.call("grep", &json!({ "pattern": "storm" }));
                assert_eq!(reply["data"]["count"], 100, "the project and nothing of workspaces");
                greps += 1;
            }
            greps
        });
        let agents = (0..AGENTS).map(|agent| {
            let stage = &stage;
            threads.spawn(move || storm(stage, agent))
        });
        let ended = agents.collect::<Vec<_>>().into_iter().map(std::thread::ScopedJoinHandle::join);
        let ended = ended.collect::<Result<Vec<()>, _>>();
        calm.store(true, Ordering::Relaxed);
        ended.expect("every agent is content");
        watcher.join().expect("the watcher is content")
    });
    assert!(greps > 0);
    for agent in 0..AGENTS {
        let own = stage.path(&format!("project/.ai/workspaces/a{agent}"));
        assert_eq!(std::fs::read_dir(&own).expect("a workspace").count(), FILES);
        for file in 0..FILES {
            let kept = std::fs::read_to_string(own.join(format!("f{file}"))).expect("a file");
            assert_eq!(kept, text(agent, file, 1));
        }
    }
    assert_eq!(unfinished(&stage), 0);
}

/// How many half-written files lie about.
fn unfinished(stage: &Stage) -> usize {
    let names = std::fs::read_dir(stage.path("project/.ai/workspaces")).expect("workspaces");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".new-")).count()
}

#[test]
fn a_hundred_writes_in_one_breath_are_a_hundred_files() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let calls = (0..100).map(|file| write(&format!("f{file}"), &text(0, file, 0)));
    let replies = mcp.pipeline(&calls.collect::<Vec<_>>());
    assert!(replies.iter().all(|reply| reply["reply_type"] == "S"));
    let own = stage.path("project/.ai/workspaces/a");
    for file in 0..100 {
        let kept = std::fs::read_to_string(own.join(format!("f{file}"))).expect("a file");
        assert_eq!(kept, text(0, file, 0));
    }
    assert_eq!(std::fs::read_dir(own).expect("a workspace").count(), 100);
}

/// A version of the file that is written over and over; 200 KB of it.
fn version(number: u64) -> String {
    format!("{number:09}\n").repeat(20_000)
}

/// Waits until a random moment of a write that was just begun: by the clock, from what writes
/// usually take, or from when its half-written file is seen.
fn wait(stage: &Stage, usual: Duration, left: usize) {
    let chance = uuid::Uuid::new_v4().as_u128();
    let percent = u32::try_from(chance >> 8 & 0x7f).expect("small");
    if chance & 1 == 0 {
        std::thread::sleep(usual * percent / 200);
        return;
    }
    let patience = Instant::now() + 3 * usual;
    while unfinished(stage) == left && Instant::now() < patience {}
    std::thread::sleep(usual * percent / 2000);
}

#[test]
fn a_writer_that_is_killed_leaves_a_whole_version() {
    let stage = Stage::new();
    let kills = if std::env::var_os("MERE_LONG").is_some() { 200 } else { 20 };
    let file = stage.path("project/.ai/workspaces/a/large");
    let (mut acknowledged, mut interrupted) = (0, 0);
    for kill in 0..kills {
        let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
        let mut usual = Duration::default();
        for _ in 0..=kill % 3 {
            let began = Instant::now();
            let (tool, arguments) = write("large", &version(acknowledged + 1));
            assert_eq!(mcp.call(tool, &arguments)["reply_type"], "S");
            acknowledged += 1;
            usual = began.elapsed();
        }
        // One more is under way when the end comes.
        let left = unfinished(&stage);
        let (tool, arguments) = write("large", &version(acknowledged + 1));
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": params });
        mcp.send(call.to_string().as_bytes());
        wait(&stage, usual, left);
        // Dropped means killed, by a signal that no process can catch.
        drop(mcp);
        let kept = std::fs::read_to_string(&file).expect("the file");
        let is_newer = kept == version(acknowledged + 1);
        let is_last = kept == version(acknowledged);
        assert!(is_newer || is_last, "{} bytes after version {acknowledged}", kept.len());
        interrupted += usize::from(is_last);
        acknowledged += u64::from(is_newer);
    }
    assert!(interrupted > 0, "no writer was killed in time");
    assert!(unfinished(&stage) <= interrupted);
    // What a killed writer left is in nobody's sight, and in nobody's way.
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let listed = mcp.dir(&json!({ "command": "list", "path": "ROOT_WORKSPACE:/" }));
    assert_eq!(listed["data"]["count"], 1, "{listed}");
    let (tool, arguments) = write("large", "small");
    assert_eq!(mcp.call(tool, &arguments)["reply_type"], "S");
}

#[test]
fn what_a_killed_writer_left_is_cleared_away_in_time() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "a"]);
    let mut check = |path: &str, left: usize| {
        let (tool, arguments) = write(path, "x");
        assert_eq!(mcp.call(tool, &arguments)["reply_type"], "S");
        assert_eq!(unfinished(&stage), left, "{path}");
    };
    check("first", 0);
    let old = stage.file("project/.ai/workspaces/.new-old", "half");
    stage.file("project/.ai/workspaces/.new-young", "half");
    let hours = std::time::SystemTime::now() - Duration::from_hours(2);
    let old = std::fs::File::options().write(true).open(old).expect("the old one");
    old.set_modified(hours).expect("another time");
    check("second", 1);
}

/// Adds one to the counter as often as told; another's change in between means to look again.
fn count_up(stage: &Stage, times: usize) -> usize {
    let mut mcp = Mcp::greeted(stage, &["--agent", "a"]);
    let path = "ROOT_WORKSPACE:/counter";
    let (mut done, mut refused) = (0, 0);
    while done < times {
        let data = mcp.call("read", &json!({ "path": path }))["data"].clone();
        let old = data["content"].as_str().expect("a number").to_owned();
        let new = (old.trim().parse::<usize>().expect("a number") + 1).to_string() + "\n";
        let sha256 = &data["sha256"];
        let edit = json!({ "path": path, "old": old, "new": new, "expect_sha256": sha256 });
        match mcp.call("edit", &edit)["code"].as_str() {
            Some("WA-WRITE-S-002") => done += 1,
            Some("WA-WRITE-I-001") => refused += 1,
            other => panic!("{other:?}"),
        }
    }
    refused
}

#[test]
fn no_update_of_a_counter_is_lost() {
    let stage = Stage::new();
    let counter = stage.file("project/.ai/workspaces/a/counter", "0\n");
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| count_up(&stage, 25));
        }
    });
    assert_eq!(std::fs::read_to_string(counter).expect("the counter"), "100\n");
}
