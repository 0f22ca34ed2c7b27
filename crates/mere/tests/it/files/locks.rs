//! Locks between processes: one that is held for ever stops nobody for ever, and no file can be
//! removed whose lock protects something.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::workshop::{Who, Workshop};

const WORK: &str = "project/.ai/workspaces/default";
const CONFIG: &str = "home/.config/merestone";

/// The time within which a call must give up: the stated thirty seconds, and some for a busy machine.
const PATIENCE: Duration = Duration::from_secs(55);

/// Another process that holds locks until it is dropped.
struct Holders(Vec<Child>);

impl Holders {
    /// Locks folders, and the lock files that older versions used for them.
    fn lock(stage: &Stage, places: &[&str]) -> Self {
        let old = ["project/.ai/workspaces/.lock-default", "home/.config/merestone/.lock"];
        let places = places.iter().chain(&old).map(|place| stage.path(place));
        let holders = places.filter_map(|place| {
            if !place.is_dir() {
                std::fs::write(&place, "").ok()?;
            }
            let mut child = Command::new("flock")
                .arg(&place)
                .args(["-c", "echo held; exec sleep 600"])
                .stdout(Stdio::piped())
                .spawn()
                .expect("flock");
            let mut line = [0; 5];
            let output = child.stdout.as_mut().expect("its output");
            std::io::Read::read_exact(output, &mut line).expect("it is locked");
            Some(child)
        });
        Self(holders.collect())
    }
}

impl Drop for Holders {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // `flock` itself holds the lock, and so does what it has started.
            let id = child.id();
            let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
            for one in children.unwrap_or_default().split_whitespace() {
                let _ = Command::new("kill").args(["-9", one]).status();
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Everything below a folder: paths and contents.
fn contents(top: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![top.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(entry.path());
            }
            found.push((entry.path(), std::fs::read(entry.path()).unwrap_or_default()));
        }
    }
    found.sort();
    found
}

/// A workshop with a file in its workspace and a tool.
fn workshop() -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("touch", "bash_runtime", "touch /work/ran\n");
    let arguments = json!({ "path": "ROOT_WORKSPACE:/a", "content": "one\n" });
    let reply = workshop.stage.call_text("write", &arguments.to_string());
    assert_eq!(reply.reply["reply_type"], "S", "{}", reply.reply);
    let memory = json!({ "path": "first", "content": "x" });
    workshop.stage.call_text("create_memory", &memory.to_string());
    workshop
}

fn assert_locked(reply: &Value, what: &str) {
    assert_eq!(reply["code"], "MCP-CALL-E-004", "{what}: {reply:#}");
    assert_eq!(reply["reply_type"], "E", "{what}");
    let message = reply["message"].as_str().unwrap_or_default();
    assert!(message.contains("another process has held its lock for 30 seconds"), "{message}");
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("lslocks")), "{reply:#}");
}

#[test]
fn a_lock_that_is_held_for_ever_stops_no_call_for_ever() {
    let workshop = workshop();
    let stage = &workshop.stage;
    let holders = Holders::lock(stage, &[WORK, "project/.ai", "project/.ai/memory"]);
    let before = contents(&stage.path("project"));
    let path = "ROOT_WORKSPACE:/a";
    let memory = json!({ "path": "second", "content": "x" });
    let note = "---\nid: n\ntitle: n\n---\nText.\n";
    let calls = [
        ("write", json!({ "path": path, "content": "two\n" })),
        ("edit", json!({ "path": path, "old": "one", "new": "two" })),
        ("delete", json!({ "path": path })),
        ("move", json!({ "from": path, "to": "ROOT_WORKSPACE:/b" })),
        ("mkdir", json!({ "path": "ROOT_WORKSPACE:/d" })),
        ("create_memory", memory),
        ("execute", json!({ "item_type": "tool", "item_id": "touch" })),
        (
            "execute",
            json!({ "item_type": "knowledge", "action": "create", "item_id": "n", "content": note }),
        ),
    ];
    std::thread::scope(|threads| {
        for (tool, arguments) in &calls {
            threads.spawn(move || {
                let began = Instant::now();
                let answer = stage.call_text(tool, &arguments.to_string());
                assert_locked(&answer.reply, &format!("{tool} {arguments}"));
                assert!(began.elapsed() < PATIENCE, "{tool}: {:?}", began.elapsed());
            });
        }
        threads.spawn(|| {
            let mut mcp = Mcp::greeted(stage, &["--agent", "default"]);
            let reply = mcp.call("write", &json!({ "path": path, "content": "two\n" }));
            assert_locked(&reply, "over MCP");
            // Who reads needs no lock.
            assert_eq!(mcp.call("read", &json!({ "path": path }))["reply_type"], "S");
        });
        threads.spawn(|| {
            let cleaned = ["workspace", "clean", "--yes", "--json"];
            let output = stage.person(&cleaned);
            let reply = serde_json::from_slice(&output.stdout).expect("a reply");
            assert_locked(&reply, "mere workspace clean");
        });
    });
    assert_eq!(contents(&stage.path("project")), before, "something was changed");
    drop(holders);
    let reply = stage.call_text("write", &json!({ "path": path, "content": "two\n" }).to_string());
    assert_eq!(reply.reply["reply_type"], "S", "{}", reply.reply);
}

#[test]
fn a_held_lock_of_the_keys_is_told_to_a_person() {
    let workshop = workshop();
    let stage = &workshop.stage;
    let _holders = Holders::lock(stage, &[CONFIG]);
    let before = contents(&stage.path(CONFIG));
    let began = Instant::now();
    let output = stage.person(&["keys", "generate", "--no-passphrase", "--name", "late"]);
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(4), "{text}");
    assert!(text.contains("another process has held the lock of"), "{text}");
    assert!(text.contains("for 30 seconds") && text.contains("fuser"), "{text}");
    assert_eq!(contents(&stage.path(CONFIG)), before);
}

/// Removes every lock file that appears, as a cleaner would, while `work` is done.
fn without_lock_files(stage: &Stage, work: impl FnOnce()) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for folder in ["project/.ai/workspaces", "project/.ai", CONFIG] {
                    let entries = std::fs::read_dir(stage.path(folder)).into_iter().flatten();
                    for entry in entries.flatten() {
                        if entry.file_name().as_encoded_bytes().starts_with(b".lock") {
                            let _ = std::fs::remove_file(entry.path());
                        }
                    }
                }
                std::thread::yield_now();
            }
        });
        work();
        is_over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn lock_files_that_a_cleaner_removes_lose_no_update() {
    const WRITERS: usize = 8;
    const LINES: usize = 12;
    let workshop = workshop();
    let stage = &workshop.stage;
    let end = json!({ "path": "ROOT_WORKSPACE:/log", "content": "end\n" });
    stage.call_text("write", &end.to_string());
    without_lock_files(stage, || {
        std::thread::scope(|threads| {
            for writer in 0..WRITERS {
                threads.spawn(move || {
                    for line in 0..LINES {
                        let arguments = json!({
                            "path": "ROOT_WORKSPACE:/log", "old": "end\n",
                            "new": format!("{writer}.{line}\nend\n"),
                        });
                        let answer = stage.call_text("edit", &arguments.to_string());
                        assert_eq!(answer.reply["reply_type"], "S", "{}", answer.reply);
                    }
                });
            }
        });
    });
    let text = std::fs::read_to_string(stage.path(WORK).join("log")).expect("a file");
    for writer in 0..WRITERS {
        for line in 0..LINES {
            let line = format!("{writer}.{line}\n");
            assert!(text.contains(&line), "lost: {line} in {text}");
        }
    }
    assert_eq!(text.lines().count(), WRITERS * LINES + 1);
}

#[test]
fn keys_that_are_made_at_once_are_all_recorded_without_lock_files() {
    const WRITERS: usize = 8;
    let workshop = workshop();
    let stage = &workshop.stage;
    without_lock_files(stage, || {
        std::thread::scope(|threads| {
            for writer in 0..WRITERS {
                threads.spawn(move || {
                    let name = format!("key{writer}");
                    let output =
                        stage.person(&["keys", "generate", "--no-passphrase", "--name", &name]);
                    assert!(output.status.success(), "{output:?}");
                });
            }
        });
    });
    let record = std::fs::read_to_string(stage.path(CONFIG).join("keys.json")).expect("a record");
    for writer in 0..WRITERS {
        let public = stage.path(CONFIG).join(format!("keys/key{writer}.pub"));
        let public = std::fs::read_to_string(public).expect("a public key");
        let key = public.split_whitespace().nth(1).expect("the key");
        let listed = stage.person(&["keys", "list", "--json"]);
        assert!(String::from_utf8_lossy(&listed.stdout).contains(key), "{record}");
    }
    assert!(!stage.path(CONFIG).join(".lock").exists(), "no lock file is made");
    assert!(!stage.path("project/.ai/workspaces/.lock-default").exists());
}

#[test]
fn a_workspace_that_is_replaced_while_its_lock_is_awaited_is_opened_again() {
    let workshop = workshop();
    let stage = &workshop.stage;
    let holders = Holders::lock(stage, &[WORK]);
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            let arguments = json!({ "path": "ROOT_WORKSPACE:/new", "content": "x" });
            stage.call_text("write", &arguments.to_string()).reply
        });
        std::thread::sleep(Duration::from_secs(2));
        std::fs::rename(stage.path(WORK), stage.path("beside/old")).expect("moved");
        drop(holders);
        let reply = writer.join().expect("an answer");
        assert_eq!(reply["reply_type"], "S", "{reply:#}");
    });
    assert!(stage.path(WORK).join("new").exists(), "it is where the workspace is now");
    assert!(!stage.path("beside/old/new").exists());
}

#[test]
fn a_space_that_is_moved_while_its_lock_is_awaited_gets_no_item() {
    let workshop = workshop();
    let stage = &workshop.stage;
    let holders = Holders::lock(stage, &["project/.ai"]);
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| stage.person(&["new", "note", "x/late"]));
        std::thread::sleep(Duration::from_secs(2));
        std::fs::rename(stage.path("project/.ai"), stage.path("beside/old")).expect("moved");
        drop(holders);
        let output = writer.join().expect("an answer");
        assert!(!output.status.success(), "{output:?}");
    });
    assert!(!stage.path("beside/old/knowledge/x/late.md").exists());
}
