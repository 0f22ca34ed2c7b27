//! Searches for which a running server vouches: they find what is on the disk now, like all others,
//! and whatever casts doubt on the server makes them look for themselves.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::foreign_owner::with_foreign;
use crate::support::harness::{Mcp, Stage};
use crate::support::samples::note;

/// Enough time even on a machine that does many other things.
const LONG: Duration = Duration::from_mins(2);
/// How many events the system keeps at most for one watcher, unless it is configured otherwise.
const QUEUED_EVENTS: usize = 16_384;

/// A search by words as a process of its own.
struct Found {
    ids: Vec<String>,
    /// Whether a server vouched for it.
    is_vouched: bool,
}

fn stage() -> Stage {
    let stage = Stage::new();
    for number in 0..20 {
        write(&stage, &format!("c{}/n{number}", number % 3), "lantern");
    }
    stage
}

/// Writes a note about a word, and returns nothing before the system knows.
fn write(stage: &Stage, place: &str, word: &str) {
    let id = place.rsplit('/').next().expect("a name");
    stage.file(&format!("project/.ai/knowledge/{place}.md"), &note(id, word));
}

fn knowledge(stage: &Stage, below: &str) -> std::path::PathBuf {
    stage.path("project/.ai/knowledge").join(below)
}

fn search_in(mut command: Command, stage: &Stage, word: &str) -> Found {
    let arguments = json!({ "query": word, "mode": "text", "limit": 50, "rank": "unified" });
    command.args(["call", "--log", "debug", "search", &arguments.to_string()]);
    let output = command.output().expect("mere runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    stage.check(&text);
    let reply = serde_json::from_str::<Value>(&text).expect("a reply");
    assert_eq!(reply["data"]["incomplete"], Value::Null, "{reply}");
    let hits = reply["data"]["results"].as_array().unwrap_or_else(|| panic!("{reply}"));
    let id = |hit: &Value| {
        let name = hit["ref"].as_str().expect("a name");
        name.rsplit('/').next().expect("an id").to_owned()
    };
    let mut ids = hits.iter().map(id).collect::<Vec<_>>();
    ids.sort();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    Found { ids, is_vouched: log.contains("another process vouches") }
}

fn search(stage: &Stage, word: &str) -> Found {
    search_in(stage.command("project"), stage, word)
}

/// Searches until a server vouches.
fn wait_until_vouched(stage: &Stage) {
    let began = Instant::now();
    while !search(stage, "lantern").is_vouched {
        assert!(began.elapsed() < LONG, "no server vouches");
    }
}

/// Checks what a word finds, and returns whether a server vouched for that.
#[track_caller]
fn assert_found(stage: &Stage, word: &str, ids: &[&str]) -> bool {
    let found = search(stage, word);
    assert_eq!(found.ids, ids, "{word}, vouched: {}", found.is_vouched);
    found.is_vouched
}

fn send_signal(server: &Mcp<'_>, name: &str) {
    let process = server.process().to_string();
    let sent = Command::new("kill").args([name, &process]).status().expect("kill");
    assert!(sent.success());
}

#[test]
fn every_change_is_found_at_once_by_a_search_that_a_server_vouches_for() {
    let stage = stage();
    let _server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    let mut vouched = 0;
    let mut check =
        |word: &str, ids: &[&str]| vouched += u32::from(assert_found(&stage, word, ids));
    for round in 0..12 {
        let (word, other) = (format!("quartz{round}"), format!("opal{round}"));
        // In place, with the same length, twice within one step of the clock.
        write(&stage, "c0/n0", &word);
        check(&word, &["n0"]);
        write(&stage, "c0/n0", &other);
        check(&other, &["n0"]);
        check(&word, &[]);
        // Replaced by a rename, as editors do.
        let unfinished = stage.file("beside/n1.md", &note("n1", &word));
        std::fs::rename(unfinished, knowledge(&stage, "c1/n1.md")).expect("renamed");
        check(&word, &["n1"]);
        // In folders that did not exist, and that move away and back.
        write(&stage, &format!("deep{round}/a/b/fresh"), &word);
        check(&word, &["fresh", "n1"]);
        let (deep, away) = (knowledge(&stage, &format!("deep{round}")), stage.path("beside/away"));
        std::fs::rename(&deep, &away).expect("moved");
        check(&word, &["n1"]);
        std::fs::write(away.join("a/b/fresh.md"), note("fresh", &other)).expect("written");
        std::fs::rename(&away, &deep).expect("moved back");
        check(&other, &["fresh", "n0"]);
        std::fs::write(deep.join("a/b/fresh.md"), note("fresh", &word)).expect("written");
        check(&word, &["fresh", "n1"]);
        std::fs::remove_dir_all(deep).expect("removed");
        check(&word, &["n1"]);
    }
    assert!(vouched > 0, "a server vouches");
}

#[test]
fn a_folder_that_was_replaced_is_noticed() {
    let stage = stage();
    let _server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    for (round, folder) in [".ai/knowledge/c0", ".ai/knowledge", ".ai"].into_iter().enumerate() {
        let word = format!("garnet{round}");
        let folder = stage.path("project").join(folder);
        std::fs::rename(&folder, stage.path(&format!("beside/old{round}"))).expect("moved");
        assert_found(&stage, &word, &[]);
        write(&stage, "c0/n0", &word);
        assert_found(&stage, &word, &["n0"]);
        write(&stage, "c0/n1", &word);
        assert_found(&stage, &word, &["n0", "n1"]);
    }
    wait_until_vouched_for(&stage, "garnet2");
}

/// Searches for a word until a server vouches.
fn wait_until_vouched_for(stage: &Stage, word: &str) {
    let began = Instant::now();
    while !search(stage, word).is_vouched {
        assert!(began.elapsed() < LONG, "no server vouches");
    }
}

#[test]
fn a_server_that_is_dead_or_does_not_answer_is_not_needed() {
    let stage = stage();
    let server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    send_signal(&server, "-STOP");
    write(&stage, "c0/n0", "agate");
    assert!(!assert_found(&stage, "agate", &["n0"]));
    send_signal(&server, "-CONT");
    wait_until_vouched(&stage);
    send_signal(&server, "-KILL");
    write(&stage, "c0/n0", "beryl");
    assert!(!assert_found(&stage, "beryl", &["n0"]));
    assert!(!assert_found(&stage, "agate", &[]));
    // The next server vouches again, and its predecessor's socket does no harm.
    let _next = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    write(&stage, "c0/n0", "coral");
    assert_found(&stage, "coral", &["n0"]);
}

#[test]
fn changes_are_found_after_the_system_has_lost_some() {
    let stage = stage();
    let server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    send_signal(&server, "-STOP");
    for number in 0..QUEUED_EVENTS {
        // Equal events in a row count once, so two files take turns.
        let path = knowledge(&stage, &format!("c0/busy{}.txt", number % 2));
        std::fs::write(path, "x").expect("written");
    }
    write(&stage, "c0/n0", "jasper");
    write(&stage, "new/folder/fresh", "jasper");
    send_signal(&server, "-CONT");
    assert_found(&stage, "jasper", &["fresh", "n0"]);
    wait_until_vouched(&stage);
    assert_found(&stage, "jasper", &["fresh", "n0"]);
    write(&stage, "new/folder/fresh", "onyx");
    assert_found(&stage, "jasper", &["n0"]);
}

#[test]
fn a_server_vouches_for_its_own_project_only() {
    let stage = stage();
    stage.file("other/.ai/knowledge/n0.md", &note("n0", "topaz"));
    stage.folder("other/.git");
    let _server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    for _ in 0..3 {
        let found = search_in(stage.command("other"), &stage, "topaz");
        assert_eq!((found.ids.len(), found.is_vouched), (1, false));
    }
    assert_found(&stage, "topaz", &[]);
}

#[test]
fn a_server_under_another_home_does_not_vouch() {
    let mut stage = stage();
    stage.variable("XDG_CACHE_HOME", "beside/cache");
    let _server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    for _ in 0..3 {
        let mut command = stage.command("project");
        command.env("HOME", stage.folder("another"));
        let found = search_in(command, &stage, "lantern");
        assert_eq!((found.ids.len(), found.is_vouched), (20, false));
    }
}

#[test]
fn what_the_configuration_hides_now_is_not_found() {
    let stage = stage();
    let _server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    for round in 0..6 {
        let hidden = format!("n{round}");
        let config = format!("sensitive: ['**/{hidden}.md']\n");
        stage.file("home/.ai/config.yaml", &config);
        let found = search(&stage, "lantern");
        assert_eq!(found.ids.len(), 19, "vouched: {}", found.is_vouched);
        assert!(!found.ids.contains(&hidden), "{:?}", found.ids);
    }
    wait_until_vouched(&stage);
    std::fs::remove_file(stage.path("home/.ai/config.yaml")).expect("removed");
    assert_eq!(search(&stage, "lantern").ids.len(), 20);
}

#[test]
fn a_file_with_a_name_elsewhere_is_not_vouched_for() {
    let stage = stage();
    let elsewhere = stage.path("beside/n0.md");
    std::fs::hard_link(knowledge(&stage, "c0/n0.md"), &elsewhere).expect("a link");
    let _server = Mcp::greeted(&stage, &[]);
    let began = Instant::now();
    for round in 0.. {
        let word = format!("amber{round}");
        std::fs::write(&elsewhere, note("n0", &word)).expect("written");
        assert!(!assert_found(&stage, &word, &["n0"]));
        // Longer than a server takes to prepare itself.
        if began.elapsed() > Duration::from_secs(4) {
            break;
        }
    }
}

#[test]
fn a_socket_of_somebody_else_is_not_believed() {
    let stage = stage();
    let _server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    let found = with_foreign(&stage, "home/.cache/merestone/vouching", |command| {
        search_in(command, &stage, "lantern")
    });
    assert_eq!((found.ids.len(), found.is_vouched), (20, false));
}

#[test]
fn servers_vouch_for_each_other_and_do_not_depend_on_it() {
    let stage = stage();
    let first = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    let mut second = Mcp::greeted(&stage, &[]);
    let mut ask = |word: &str| {
        let arguments = json!({ "query": word, "mode": "text", "limit": 50 });
        second.tool("search", &arguments)["structuredContent"]["data"]["total"].clone()
    };
    assert_eq!(ask("lantern"), 20);
    for round in 0..8 {
        let word = format!("pearl{round}");
        write(&stage, "c0/n0", &word);
        assert_eq!(ask(&word), 1);
        write(&stage, "c0/n3", &word);
        assert_found(&stage, &word, &["n0", "n3"]);
        assert_eq!(ask(&word), 2);
    }
    send_signal(&first, "-KILL");
    write(&stage, "c0/n0", "ruby");
    assert_eq!(ask("ruby"), 1);
    wait_until_vouched(&stage);
    write(&stage, "c0/n3", "ruby");
    assert_found(&stage, "ruby", &["n0", "n3"]);
}

#[test]
fn an_index_that_was_removed_is_made_again() {
    let stage = stage();
    let _server = Mcp::greeted(&stage, &[]);
    wait_until_vouched(&stage);
    std::fs::remove_dir_all(stage.path("home/.cache")).expect("removed");
    assert_eq!(search(&stage, "lantern").ids.len(), 20);
    let rebuilt = stage.person(&["index", "--rebuild"]);
    assert!(rebuilt.status.success());
    assert_eq!(search(&stage, "lantern").ids.len(), 20);
    wait_until_vouched(&stage);
    write(&stage, "c0/n0", "sapphire");
    assert_found(&stage, "sapphire", &["n0"]);
}
