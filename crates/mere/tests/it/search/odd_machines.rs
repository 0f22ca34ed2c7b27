//! Machines that are not as one expects: a clock before 1970, a cache of pipes.

use std::process::Command;

use serde_json::json;

use crate::search::queries::hits;
use crate::support::harness::Stage;
use crate::support::searches::full_search;

/// A library that sets the clock to the last day of 1969 for a program that loads it.
const CLOCK: &str = r"
#define _GNU_SOURCE
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME) time->tv_sec = -86400;
    return (int)result;
}
";

#[test]
fn a_clock_before_1970_breaks_nothing() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/tides.md", "---\nid: tides\ntitle: Tides\n---\nThe moon.\n");
    stage.file("clock.c", CLOCK);
    let library = stage.path("clock.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(stage.path("clock.c"))
        .status();
    assert!(built.expect("a C compiler").success());
    for (tool, arguments) in [
        ("dir", r#"{"command": "list"}"#),
        ("search", r#"{"query": "moon"}"#),
        ("load", r#"{"item_type": "knowledge", "item_id": "tides"}"#),
        ("write", r#"{"path": "ROOT_WORKSPACE:/a.txt", "content": "a"}"#),
        ("create_memory", r#"{"path": "note", "content": "a note"}"#),
    ] {
        let mut command = stage.command("project");
        command.env("LD_PRELOAD", &library).args(["call", tool, arguments]);
        let reply = stage.answer(&mut command).reply;
        assert_eq!(reply["reply_type"], "S", "{tool}: {reply:#}");
    }
}

#[test]
fn a_cache_database_that_is_a_pipe_does_not_hang_a_search() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/tides.md", "---\nid: tides\ntitle: Tides\n---\nThe moon.\n");
    let search =
        || stage.call_text("search", &full_search(json!({ "query": "moon" })).to_string()).reply;
    assert_eq!(hits(&search()["data"]).len(), 1);
    let mut piped = 0;
    for entry in std::fs::read_dir(stage.path("home/.cache/merestone")).expect("a cache") {
        let path = entry.expect("an entry").path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("search-")) {
            std::fs::remove_file(&path).expect("removed");
            let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
            assert!(made.success());
            piped += 1;
        }
    }
    assert!(piped > 0, "there is a database");
    assert_eq!(hits(&search()["data"]).len(), 1);
}
