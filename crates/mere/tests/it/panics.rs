//! A thread of a call that panics: the call answers E, nothing is left out in silence, nobody waits
//! for ever, and a server goes on.
//!
//! Only a debug build can be asked to panic.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::searches::full_search;

/// The number of notes, and the number of memories: enough for several threads.
const COUNT: usize = 450;
/// The code of a call that panicked.
const PANICKED: &str = "MCP-CALL-E-001";
/// The number of hits on a page.
const HITS: usize = 30;
const SEARCH: [&str; 3] =
    ["call", "search", r#"{"query":"lantern","limit":30,"rank":"unified","detail":"full"}"#];

/// A project with notes and memories in three categories.
fn stage() -> Stage {
    let stage = Stage::new();
    for number in 0..COUNT {
        let category = number % 3;
        let note = format!("---\nid: n{number}\ntitle: Note {number}\n---\nA lantern, {number}.\n");
        stage.file(&format!("project/.ai/knowledge/c{category}/n{number}.md"), &note);
        let memory = format!("Another lantern, {number}.\n");
        stage.file(&format!("project/.ai/memory/c{category}/m{number}.md"), &memory);
    }
    stage
}

/// Runs a command that panics at `fault`, and returns its exit status and what it printed. It may
/// take a minute, but not for ever.
fn run(stage: &Stage, fault: Option<&str>, arguments: &[&str]) -> (i32, Value) {
    let mut command = stage.command("project");
    command.args(arguments).envs(fault.map(|fault| ("MERE_PANIC_AT", fault)));
    let output = stage.file("beside/output", "");
    let file = std::fs::File::create(&output).expect("a file");
    let status = wait(command.stdout(file).stderr(Stdio::null()), fault);
    let text = std::fs::read_to_string(&output).expect("UTF-8");
    (status, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}")))
}

fn wait(command: &mut Command, fault: Option<&str>) -> i32 {
    let mut child = command.spawn().expect("mere runs");
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a process") {
            return status.code().expect("an exit status");
        }
        if began.elapsed() > Duration::from_mins(1) {
            let _ = child.kill();
            panic!("with {fault:?} it waits for ever");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A command one step of which panics at some item.
struct Case<'a> {
    step: &'a str,
    items: &'a [&'a str],
    arguments: &'a [&'a str],
    /// A number or a list of the reply, and how much it must be when nothing panics.
    whole: (&'a str, usize),
}

impl Case<'_> {
    /// Checks that the command answers E wherever the step panics, and everything when it does not.
    fn check(&self) {
        let stage = stage();
        self.check_whole(&stage, "at first");
        for item in self.items.iter().chain(&["*"]) {
            let fault = format!("{}:{item}", self.step);
            let (status, reply) = run(&stage, Some(&fault), self.arguments);
            assert_eq!((status, &reply["code"]), (4, &json!(PANICKED)), "{fault}: {reply}");
            assert_eq!((&reply["reply_type"], &reply["data"]), (&json!("E"), &json!({})));
            // Nothing of it is left: the next command has everything again.
            self.check_whole(&stage, &fault);
        }
    }

    fn check_whole(&self, stage: &Stage, after: &str) {
        let (status, reply) = run(stage, None, self.arguments);
        let (place, expected) = self.whole;
        let count = match &reply["data"].pointer(place) {
            Some(Value::Array(list)) => list.len() as u64,
            Some(number) => number.as_u64().unwrap_or_default(),
            None => 0,
        };
        assert_eq!((status, count), (0, expected as u64), "{after}: {reply}");
    }
}

#[test]
fn verify_never_reports_success_without_an_item() {
    let (items, whole) = (&["n0", "n222", "n449"], ("/checked", COUNT));
    Case { step: "verify", items, arguments: &["verify", "--json"], whole }.check();
}

#[test]
fn list_never_leaves_an_item_out() {
    let (items, whole) = (&["n0", "m222", "n449"], ("/items", 2 * COUNT));
    Case { step: "list", items, arguments: &["list", "--json"], whole }.check();
}

#[test]
fn a_list_of_memories_never_leaves_one_out() {
    let (items, whole) = (&["c0/m0", "c0/m222", "c2/m449"], ("/count", COUNT));
    Case { step: "memories", items, arguments: &["call", "list_memories", "{}"], whole }.check();
}

#[test]
fn no_thread_of_the_scanner_waits_for_one_that_is_gone() {
    let (items, whole) = (&["n0", "n222", "n449"], ("/spaces/0/items", COUNT));
    let arguments = &["index", "--rebuild", "--json"];
    Case { step: "scan", items, arguments, whole }.check();
}

#[test]
fn a_search_has_all_its_hits_or_fails() {
    let (_, reply) = run(&stage(), None, &SEARCH);
    let found = |at: usize| reply["data"]["results"][at]["id"].as_str().expect("a hit");
    let (items, whole) = (&[found(0), found(HITS - 1)], ("/results", HITS));
    Case { step: "search", items, arguments: &SEARCH, whole }.check();
}

#[test]
fn a_sweep_has_all_its_files_or_fails() {
    let grep = &["call", "grep", r#"{"pattern":"lantern","path":"ROOT_PROJECT:/"}"#];
    let (items, whole) = (&[".ai/", ".ai/knowledge/c1/"], ("/matches", 200));
    Case { step: "sweep", items, arguments: grep, whole }.check();
}

#[test]
fn items_that_were_not_indexed_are_indexed_by_the_next_search() {
    for item in ["knowledge/c1/n1.md", "knowledge/c2/n449.md", "*"] {
        let stage = stage();
        let fault = format!("index:{item}");
        let (status, reply) = run(&stage, Some(&fault), &SEARCH);
        assert_eq!((status, &reply["code"]), (4, &json!(PANICKED)), "{fault}: {reply}");
        let (status, reply) = run(&stage, None, &SEARCH);
        assert_eq!((status, &reply["data"]["total"]), (0, &json!(2 * COUNT)), "{fault}: {reply}");
    }
}

#[test]
fn a_server_goes_on_after_a_call_that_panicked() {
    let mut stage = stage();
    stage.setting("MERE_PANIC_AT", "search:n7");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut ask = |query: &str| {
        let arguments = full_search(json!({ "query": query, "rank": "unified", "mode": "text" }));
        mcp.tool("search", &arguments)["structuredContent"].clone()
    };
    for _ in 0..3 {
        let reply = ask("title:\"Note 7\"");
        assert_eq!(reply["code"], PANICKED, "{reply}");
        let reply = ask("title:\"Note 8\"");
        assert_eq!((&reply["reply_type"], &reply["data"]["total"]), (&json!("S"), &json!(1)));
    }
}

#[test]
fn what_a_server_could_not_scan_is_not_missing_later() {
    let mut stage = stage();
    stage.setting("MERE_PANIC_AT", "scan:bad");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut load = |id: &str| {
        let arguments = json!({ "item_type": "knowledge", "item_id": id });
        mcp.tool("load", &arguments)["structuredContent"]["code"].clone()
    };
    assert_eq!(load("n7"), "IT-LOAD-S-001");
    let beside = "project/.ai/knowledge/new";
    for id in ["good", "bad"] {
        stage.file(&format!("{beside}/{id}.md"), &format!("---\nid: {id}\ntitle: A\n---\nText.\n"));
    }
    for _ in 0..3 {
        assert_eq!(load("good"), PANICKED);
    }
    std::fs::remove_file(stage.path(&format!("{beside}/bad.md"))).expect("removed");
    assert_eq!(load("good"), "IT-LOAD-S-001");
}
