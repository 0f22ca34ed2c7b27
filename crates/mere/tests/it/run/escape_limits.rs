//! Tools that take more than they may, or do not want to end: they are ended, all of what they started
//! with them, and the server goes on as if nothing had been.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::Mcp;
use crate::support::workshop::{EVERYBODY, Who, Workshop};

const LIVES: &str = include_str!("attacks/lives.py");
/// How much memory a server may ever have had, in KiB.
const MAX_SERVER: usize = 256 * 1024;

/// A tool that nobody else has, so that its processes can be found.
pub(crate) fn unique(name: &str) -> String {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{name}_{}_{count}", std::process::id())
}

/// How many processes of the machine run a tool.
pub(crate) fn alive(id: &str) -> usize {
    let marker = format!("/tool/{id}.");
    let processes = std::fs::read_dir("/proc").expect("processes").flatten();
    let lines = processes.filter_map(|one| std::fs::read(one.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(&marker)).count()
}

/// Waits until no process runs a tool, and fails if that takes long.
pub(crate) fn assert_gone(id: &str, within: Duration) {
    let began = Instant::now();
    while alive(id) > 0 {
        assert!(began.elapsed() < within, "{} processes of `{id}` live on", alive(id));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A server as whoever runs it.
pub(crate) fn server(workshop: &Workshop) -> Mcp<'_> {
    let mut command = workshop.command();
    command.arg("mcp");
    let mut mcp = Mcp::spawn(&workshop.stage, command);
    mcp.greet();
    mcp
}

/// A call of a tool that takes one word.
fn tool_call(id: &str, how: &str) -> (&'static str, Value) {
    let parameters = json!({ "how": how });
    ("execute", json!({ "item_type": "tool", "item_id": id, "parameters": parameters }))
}

/// Runs it.
fn ask(mcp: &mut Mcp<'_>, id: &str, how: &str) -> Value {
    let (tool, arguments) = tool_call(id, how);
    mcp.call(tool, &arguments)
}

/// The server answers at once, and has not grown.
fn assert_well(mcp: &mut Mcp<'_>) {
    let began = Instant::now();
    assert_eq!(mcp.dir(&json!({ "command": "list" }))["reply_type"], "S");
    assert!(began.elapsed() < Duration::from_secs(2), "it took {:?}", began.elapsed());
    assert!(mcp.memory() < MAX_SERVER, "the server took {} KiB", mcp.memory());
}

/// A tool that lives as it is told, for a second at most.
fn long_lived_tool(workshop: &Workshop, seconds: u32) -> String {
    let id = unique("lives");
    let more = format!("config: {{timeout_s: {seconds}}}\n");
    workshop.tool_with(&id, "python_runtime", LIVES, &more);
    id
}

#[test]
fn a_tool_that_does_not_want_to_end_is_ended() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = long_lived_tool(&workshop, 1);
        let ways =
            ["loop", "sleep", "deaf", "stop", "mute", "last_word", "stays_with_daemons", "bomb"];
        let calls = ways.map(|how| tool_call(&id, how));
        let mut mcp = server(&workshop);
        let began = Instant::now();
        let replies = mcp.pipeline(&calls);
        assert!(began.elapsed() < Duration::from_secs(20), "it took {:?}", began.elapsed());
        assert_gone(&id, Duration::from_secs(2));
        for (how, reply) in ways.iter().zip(replies) {
            assert_eq!(reply["code"], "EX-RUN-S-001", "{who:?} {how} {reply:#}");
            let data = &reply["data"];
            assert_eq!((&data["success"], &data["exit_code"]), (&json!(false), &Value::Null));
            let ended = data["ended"].as_str().unwrap_or_default();
            let is_right = ended == "timeout" || (*how == "bomb" && ended == "processes");
            assert!(is_right, "{who:?} {how} {reply:#}");
            if *how == "last_word" {
                assert_eq!(data["stdout"], "still here\n", "{reply:#}");
            }
            let took = data["duration_ms"].as_u64().expect("a time");
            assert!(took < 8_000, "{who:?} {how} {took}");
        }
        assert_well(&mut mcp);
    }
}

#[test]
fn what_a_tool_leaves_running_ends_with_it() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = long_lived_tool(&workshop, 30);
        let mut mcp = server(&workshop);
        for how in ["leaves_daemons", "leaves_silent_daemons"] {
            let began = Instant::now();
            let reply = ask(&mut mcp, &id, how);
            assert_eq!(reply["data"]["success"], true, "{who:?} {how} {reply:#}");
            assert!(began.elapsed() < Duration::from_millis(2_400), "it waited for them");
            assert_gone(&id, Duration::from_secs(2));
        }
        assert_well(&mut mcp);
        std::thread::sleep(Duration::from_secs(3));
        let late = std::fs::read_dir(workshop.stage.path("project/.ai/workspaces/Test-Client"));
        let late = late.expect("a workspace").flatten().map(|entry| entry.file_name());
        assert_eq!(late.collect::<Vec<_>>(), Vec::<std::ffi::OsString>::new());
    }
}

#[test]
fn a_tool_starts_no_more_processes_than_it_may() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = long_lived_tool(&workshop, 20);
        let mut mcp = server(&workshop);
        for how in ["forks", "zombies", "threads"] {
            let reply = ask(&mut mcp, &id, how);
            let data = &reply["data"];
            assert_eq!(data["success"], false, "{who:?} {how} {reply:#}");
            if data["ended"] != "processes" {
                assert_eq!(data["exit_code"], 3, "{who:?} {how} {reply:#}");
                let count =
                    data["stdout"].as_str().and_then(|stdout| stdout.trim().parse::<u32>().ok());
                assert!(count.is_some_and(|count| count < 256), "{who:?} {how} {count:?}");
            }
            assert_gone(&id, Duration::from_secs(2));
            assert_well(&mut mcp);
        }
    }
}

#[test]
fn a_fork_bomb_of_the_shell_goes_nowhere() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = unique("bomb");
        let script = "bomb() { bomb | bomb & }\nbomb 2>/dev/null\nwhile :; do :; done\n";
        workshop.tool_with(&id, "bash_runtime", script, "config: {timeout_s: 2}\n");
        let mut mcp = server(&workshop);
        let began = Instant::now();
        let reply = ask(&mut mcp, &id, "bomb");
        assert!(began.elapsed() < Duration::from_secs(12), "it took {:?}", began.elapsed());
        let ended = reply["data"]["ended"].as_str().unwrap_or_default();
        assert!(["timeout", "processes"].contains(&ended), "{who:?} {reply:#}");
        assert_gone(&id, Duration::from_secs(2));
        assert_well(&mut mcp);
    }
}

#[test]
fn a_tool_says_and_writes_no_more_than_it_may() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = long_lived_tool(&workshop, 20);
        let mut mcp = server(&workshop);
        for (how, channel) in [("shouts", "stdout"), ("complains", "stderr")] {
            let reply = ask(&mut mcp, &id, how);
            let data = &reply["data"];
            assert_eq!(data["ended"], "output", "{who:?} {how}");
            assert_eq!((&data["success"], &data["truncated"]), (&json!(false), &json!(true)));
            assert_eq!(data[channel].as_str().map(str::len), Some(256 * 1024));
            assert_gone(&id, Duration::from_secs(2));
            assert_well(&mut mcp);
        }
        let reply = ask(&mut mcp, &id, "long_file");
        assert_eq!(reply["data"]["exit_code"], 4, "{who:?} {reply:#}");
        let size = workshop.stage.path("project/.ai/workspaces/Test-Client/long").metadata();
        assert_eq!(size.expect("a file").len(), 0);
        assert_well(&mut mcp);
    }
}

#[test]
fn a_hundred_thousand_files_trouble_nobody() {
    let workshop = Workshop::new(Who::Ordinary);
    let id = long_lived_tool(&workshop, 50);
    let mut mcp = server(&workshop);
    let reply = ask(&mut mcp, &id, "many_files");
    assert_eq!(reply["data"]["stdout"], "made\n", "{reply:#}");
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    assert_well(&mut mcp);
}

#[test]
fn what_others_write_to_the_disk_is_not_laid_to_a_tool() {
    let workshop = Workshop::new(Who::Ordinary);
    let id = long_lived_tool(&workshop, 2);
    let file = workshop.stage.path("of-others");
    let reply = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(700));
            let size = "2G"; // twice what the workspace may grow by
            let made = Command::new("fallocate").args(["-l", size]).arg(&file).status();
            assert!(made.expect("fallocate runs").success());
        });
        ask(&mut server(&workshop), &id, "sleep")
    });
    assert_eq!(reply["data"]["ended"], "timeout", "{reply:#}");
}
