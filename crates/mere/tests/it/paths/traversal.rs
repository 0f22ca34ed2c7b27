//! Every path that wants out, through every argument that takes a path: one refusal, nothing
//! read, nothing changed.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::paths::payloads::{is_bare, is_elsewhere, own, payloads};
use crate::support::harness::{Mcp, Stage, timeless};

const SECRET: &str = "what-nobody-may-read";

/// A project with a link to each kind of outside, a pipe, and another agent's workspace.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("beside/decoy.txt", SECRET);
    stage.file("project-twin/decoy.txt", SECRET);
    stage.file("home/.bashrc", SECRET);
    stage.file("project/src/a.rs", "fn a() {}\n");
    stage.file("project/.ai/workspaces/default/own.txt", "own\n");
    stage.file("project/.ai/workspaces/other/theirs.txt", SECRET);
    stage.link(stage.path("beside"), "project/absolute");
    stage.link(stage.path("beside/decoy.txt"), "project/direct");
    stage.link("../beside", "project/relative");
    stage.link("src/../../beside", "project/winding");
    stage.link("../..", "project/src/up");
    stage.link("relative", "project/chain");
    stage.link("/", "project/slash");
    stage.link("/proc/self/cwd", "project/magic");
    stage.link("loop-b", "project/loop-a");
    stage.link("loop-a", "project/loop-b");
    stage.link("nothing", "project/dangling");
    stage.link("../../../../beside", "project/.ai/workspaces/default/link");
    let pipe = stage.path("project/pipe");
    assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
    stage
}

/// Everything on the stage: what it is, how large, when it was last changed.
fn listing(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let about = path.symlink_metadata().expect("an entry");
        let stamp = (about.mode(), about.len(), about.mtime(), about.mtime_nsec(), about.ino());
        found.insert(path.display().to_string(), format!("{stamp:?}"));
        if about.is_dir() {
            listing(&path, found);
        }
    }
}

fn listed(stage: &Stage) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    listing(&stage.path(""), &mut found);
    // A server that has just started still makes its socket there, and with it the folder.
    let home = stage.path("home").display().to_string();
    let cache = format!("{home}/.cache");
    found.retain(|path, _| *path != home && !path.starts_with(&cache));
    found
}

/// The arguments a path goes into; each call with what else it needs.
fn reading(path: &str) -> [(&'static str, Value); 5] {
    [
        ("dir", json!({ "command": "list", "path": path })),
        ("dir", json!({ "command": "tree", "path": path })),
        ("read", json!({ "path": path })),
        ("glob", json!({ "path": path, "pattern": "**" })),
        ("grep", json!({ "path": path, "pattern": "." })),
    ]
}

fn matching(pattern: &str) -> [(&'static str, Value); 2] {
    [("glob", json!({ "pattern": pattern })), ("grep", json!({ "pattern": ".", "glob": pattern }))]
}

fn at_home(home: &str) -> [(&'static str, Value); 8] {
    [
        ("dir", json!({ "command": "list", "home": home })),
        ("dir", json!({ "command": "tree", "home": home })),
        ("read", json!({ "path": "a", "home": home })),
        ("glob", json!({ "pattern": "**", "home": home })),
        ("grep", json!({ "pattern": ".", "home": home })),
        ("write", json!({ "path": "a", "content": "x", "home": home })),
        ("edit", json!({ "path": "a", "old": "x", "new": "y", "home": home })),
        ("patch_section", json!({ "path": "a", "heading": "x", "content": "y", "home": home })),
    ]
}

/// None of these could succeed: there is no file of that digest, no such text, no such heading.
fn changing(path: &str) -> [(&'static str, Value); 3] {
    let (home, never) = ("ROOT_WORKSPACE", "0".repeat(64));
    [
        ("write", json!({ "path": path, "content": "x", "expect_sha256": never, "home": home })),
        ("edit", json!({ "path": path, "old": "\u{1}", "new": "y", "home": home })),
        ("patch_section", json!({ "path": path, "heading": "-", "content": "y", "home": home })),
    ]
}

/// The one refusal, whatever the tool.
fn refusal(reply: &Value) -> Value {
    let mut reply = timeless(reply);
    reply["meta"]["tool"] = Value::Null;
    reply
}

/// Sends calls made of every payload at once, and looks at each reply.
fn check<const N: usize>(
    mcp: &mut Mcp<'_>,
    payloads: &[String],
    calls: impl Fn(&str) -> [(&'static str, Value); N],
    look: impl Fn(&str, &Value),
) {
    let all = payloads.iter().flat_map(|payload| calls(payload)).collect::<Vec<_>>();
    let replies = mcp.pipeline(&all);
    for (payload, replies) in payloads.iter().zip(replies.chunks(N)) {
        for reply in replies {
            assert!(!reply.to_string().contains(SECRET), "{payload:?} {reply}");
            look(payload, reply);
        }
    }
}

#[test]
fn every_path_that_wants_out_is_one_refusal_in_every_tool() {
    let stage = stage();
    let payloads = payloads();
    assert!(payloads.len() >= 500, "{}", payloads.len());
    let all = [payloads.clone(), own(&stage)].concat();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    mcp.call("write", &json!({ "path": "first.txt", "content": "", "home": "ROOT_WORKSPACE" }));
    let before = listed(&stage);
    let missing = refusal(&mcp.call("read", &json!({ "path": "missing" })));
    assert_eq!(missing["code"], "WA-PATH-I-001");
    assert_eq!(missing["message"], "No such path in the visible world.");
    let refused = |payload: &str, reply: &Value| assert_eq!(refusal(reply), missing, "{payload:?}");
    check(&mut mcp, &all, reading, refused);
    let roots = all.iter().filter(|payload| *payload != "ROOT_PROJECT");
    // What takes a root says so of anything else, in the same words whatever it is.
    let no_root = refusal(&mcp.call("read", &json!({ "path": "a", "home": "missing" })));
    assert_eq!(no_root["code"], "WA-PATH-I-001");
    assert_eq!(no_root["message"], "`home` takes a root, and nothing below one.");
    let rootless = |payload: &str, reply: &Value| {
        // A root that could be there, and is not, is a path that is not there.
        let is_root = payload.starts_with("mod:") && refusal(reply) == missing;
        assert!(is_root || refusal(reply) == no_root, "{payload:?} {reply}");
    };
    check(&mut mcp, &roots.cloned().collect::<Vec<_>>(), at_home, rootless);
    check(&mut mcp, &all, matching, |payload, reply| {
        let out = payload.starts_with('/') || payload.split('/').any(|name| name == "..");
        let empty = reply["reply_type"] == "S" && reply["data"]["count"] == 0 && !out;
        assert!(empty || reply["code"] == "WA-GLOB-I-001", "{payload:?} {reply}");
    });
    check(&mut mcp, &payloads, changing, |payload, reply| match reply["reply_type"].as_str() {
        Some("D") => assert!(is_elsewhere(payload), "{payload:?} {reply}"),
        Some("I") if is_bare(payload.strip_prefix("ROOT_WORKSPACE:/").unwrap_or(payload)) => {}
        _ => refused(payload, reply),
    });
    assert_eq!(listed(&stage), before, "something was made or changed");
    assert_eq!(mcp.dir(&json!({ "command": "list" }))["reply_type"], "S");
}

#[test]
fn what_can_be_written_lands_in_the_workspace() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    mcp.call("write", &json!({ "path": "first.txt", "content": "", "home": "ROOT_WORKSPACE" }));
    let spaces = stage.path("project/.ai/workspaces").display().to_string();
    let own = format!("{spaces}/default/");
    let outside = || {
        let mut found = listed(&stage);
        // Half-written files lie in the folder of all workspaces for a moment.
        found.retain(|path, _| {
            !path.starts_with(&own) && *path != spaces && *path != own[..own.len() - 1]
        });
        found
    };
    let before = outside();
    let write = |path: &str| {
        let home = "ROOT_WORKSPACE";
        [("write", json!({ "path": path, "content": "x", "create_dirs": true, "home": home }))]
    };
    let written = std::cell::Cell::new(0);
    check(&mut mcp, &payloads(), write, |payload, reply| {
        if reply["reply_type"] == "S" {
            assert!(
                is_bare(payload.strip_prefix("ROOT_WORKSPACE:/").unwrap_or(payload)),
                "{payload:?}"
            );
            written.set(written.get() + 1);
        }
    });
    assert!(written.get() > 100, "names that only look like a way out are names");
    assert_eq!(outside(), before, "something was written outside");
}

/// What a program needs of the machine before and while it serves.
const SYSTEM: [&str; 12] = [
    "/etc/ld.so.preload",
    "/etc/ld.so.cache",
    "/lib",
    "/lib64",
    "/usr/lib",
    "/proc/self/maps",
    "/proc/self/cgroup",
    "/proc/sys/vm/overcommit_memory",
    "/proc/self/fd/0",
    "/proc/self/fd/1",
    "/sys/fs/cgroup",
    "/sys/devices/system/cpu/online",
];

/// The folders of a process's own handles, by which a server makes its socket: each is opened, and
/// checked to be the top of no other file system.
const OWN_HANDLES: [&str; 3] = ["/proc", "/proc/self", "/proc/self/fd"];

/// The paths that a traced system call names, from the root of the machine on: with `-y` strace
/// says after each handle what it stands for. The text of a link is not one of them.
fn named(line: &str) -> Vec<String> {
    let (call, rest) = line.split_once('(').unwrap_or((line, ""));
    if matches!(call, "execve" | "getcwd") || line.starts_with(['-', '+']) {
        return Vec::new();
    }
    let (mut paths, mut handle) = (Vec::new(), String::new());
    let mut rest = rest;
    while let Some(at) = rest.find(['<', '"']) {
        let is_handle = rest[at..].starts_with('<');
        let body = &rest[at + 1..];
        let end = body.find(if is_handle { '>' } else { '"' }).unwrap_or(body.len());
        let (text, after) = body.split_at(end);
        rest = after.get(1..).unwrap_or_default();
        match (is_handle, text.starts_with('/')) {
            (true, true) => {
                text.clone_into(&mut handle);
                paths.push(text.to_owned());
            }
            (true, false) => {}
            (false, true) => paths.push(text.to_owned()),
            (false, false) => paths.push(format!("{handle}/{text}")),
        }
        if call.starts_with("readlink") && !is_handle {
            break;
        }
    }
    paths
}

#[test]
fn nothing_but_the_roots_is_touched() {
    let strace = Command::new("strace").arg("-V").output();
    assert!(strace.is_ok_and(|output| output.status.success()), "the test command installs strace");
    let stage = stage();
    let logs = stage.folder("logs");
    let mut command = Command::new("strace");
    command.args(["-ff", "-y", "-e", "trace=%file", "-o"]).arg(logs.join("log"));
    command.arg(env!("CARGO_BIN_EXE_mere")).args(["mcp", "--agent", "default"]);
    command.env_clear().env("HOME", stage.path("home")).current_dir(stage.path("project"));
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    let sample = payloads().into_iter().step_by(13).collect::<Vec<_>>();
    let fine = |payload: &str, reply: &Value| assert_ne!(reply["reply_type"], "E", "{payload:?}");
    check(&mut mcp, &sample, reading, fine);
    check(&mut mcp, &sample, matching, fine);
    check(&mut mcp, &sample, at_home, fine);
    check(&mut mcp, &sample, changing, fine);
    assert_eq!(mcp.finish().0, 0);
    let (project, home) = (stage.path("project"), stage.path("home"));
    let is_allowed = |path: &Path| {
        let within = path.starts_with(&project) || path.starts_with(&home);
        let same =
            path.components().enumerate().map(|(place, part)| match part.as_os_str().to_str() {
                // The process by its number is the process itself.
                Some(part) if place == 2 && part.bytes().all(|byte| byte.is_ascii_digit()) => {
                    "self"
                }
                part => part.unwrap_or_default(),
            });
        let same = same.collect::<std::path::PathBuf>();
        let system = SYSTEM.iter().any(|known| same.starts_with(known));
        let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
        let is_checked = OWN_HANDLES.iter().map(Path::new);
        let is_checked =
            is_checked.into_iter().any(|folder| same == folder || same == folder.join(".."));
        let is_own = is_checked || same.starts_with("/proc/self/fd") && !climbs;
        is_own || !climbs && (within || system || project.starts_with(path))
    };
    let (mut seen, mut others) = (0, std::collections::BTreeSet::new());
    for log in std::fs::read_dir(&logs).expect("logs") {
        let log = std::fs::read_to_string(log.expect("a log").path()).expect("UTF-8");
        for line in log.lines() {
            for path in named(line) {
                seen += 1;
                if !is_allowed(Path::new(&path)) {
                    others.insert(path);
                }
            }
        }
    }
    assert_eq!(others, std::collections::BTreeSet::new());
    assert!(seen > 1000, "{seen} paths were traced");
}

#[test]
fn writing_a_name_that_spells_a_real_folder_confirms_no_guess() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let spelled = stage.path("project").to_str().expect("UTF-8").replace('/', "%2F");
    mcp.call("write", &json!({ "path": spelled, "content": "x", "home": "ROOT_WORKSPACE" }));
    let list = mcp.dir(&json!({ "command": "list", "home": "ROOT_WORKSPACE" }));
    assert!(list["data"].get("unaddressable").is_none(), "the right guess is not listed: {list}");
}
