//! Paths that want out: all one answer, nothing read.

use std::os::unix::net::UnixListener;
use std::process::Command;

use serde_json::json;

use crate::support::harness::{Answer, Stage};

fn refused(answer: &Answer, what: &str) {
    let missing = Stage::new().list("missing");
    assert_eq!(answer.status, 1, "{what}");
    assert_eq!(answer.timeless(), missing.timeless(), "{what}");
    assert_eq!(answer.code(), "WA-PATH-I-001", "{what}");
    assert_eq!(answer.reply["message"], "No such path in the visible world.", "{what}");
}

/// A project with a link to each kind of outside.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("beside/secret.txt", "secret");
    stage.folder("project-twin");
    stage.folder("project/src");
    stage.link(stage.path("beside"), "project/absolute");
    stage.link("../beside", "project/relative");
    stage.link("../project-twin", "project/twin");
    stage.link("src/../../beside", "project/winding");
    stage.link("/", "project/root");
    stage.link("/proc/self/cwd", "project/magic");
    stage.link("loop-b", "project/loop-a");
    stage.link("loop-a", "project/loop-b");
    stage.link("nothing", "project/dangling");
    stage.link("src", "project/inside");
    stage
}

#[test]
fn every_way_out_is_the_same_answer() {
    let stage = stage();
    let beside = stage.path("beside");
    let own = stage.path("project");
    for path in [
        "/etc/passwd",
        "../x",
        "a/../../b",
        "C:\\Windows",
        "C:/Windows",
        "\\\\server\\share",
        "\\\\?\\C:\\x",
        "~/.ssh",
        "~",
        "ROOT_NOPE:/",
        "root_project:/x",
        "ROOT_PROJECT:/../x",
        "ROOT_PROJECT://x",
        "mod::/a",
        "mod:none:/",
        "%2e%2e/x",
        "%2e%2e%2fx",
        "a\0b",
        "\0",
        "../project-twin",
        "../project",
        "src/..",
        "src/../src",
        "./../beside",
        "file:///etc",
        "src//x",
        "missing",
        "missing/deeper",
        "src\u{202e}",
        "．．/x",
        "‥/x",
        "src/\u{200b}",
        "ROOT_WORKSPACE:/../..",
        "ROOT_REGISTRY:/x",
        "ROOT_USER:/missing",
        "/proc/self/environ",
        "absolute",
        "absolute/secret.txt",
        "relative",
        "relative/secret.txt",
        "twin",
        "winding",
        "root",
        "root/etc",
        "magic",
        "loop-a",
        "dangling",
        "absolute/",
        "inside/../../beside",
        beside.to_str().expect("UTF-8"),
        own.to_str().expect("UTF-8"),
        &"a/".repeat(3000),
        &"a".repeat(300),
    ] {
        refused(&stage.list(path), path);
        refused(&stage.call(&json!({ "command": "tree", "path": path })), path);
    }
}

#[test]
fn links_that_leave_are_not_listed_and_those_that_stay_are() {
    let answer = stage().call(&json!({ "command": "list" }));
    let expected = [".git/", "inside/", "src/"].map(|name| format!("ROOT_PROJECT:/{name}"));
    assert_eq!(answer.paths(), expected);
    let tree = stage().call(&json!({ "command": "tree" }));
    assert_eq!(tree.paths(), ["ROOT_PROJECT:/src/"]);
}

#[test]
fn special_files_are_neither_listed_nor_opened() {
    let stage = Stage::new();
    let fifo = stage.path("project/pipe");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    let _socket = UnixListener::bind(stage.path("project/socket")).expect("a socket");
    stage.link("/dev/zero", "project/zero");
    let answer = stage.call(&json!({ "command": "list" }));
    assert_eq!(answer.paths(), ["ROOT_PROJECT:/.git/"]);
    for name in ["pipe", "socket", "zero"] {
        refused(&stage.list(name), name);
    }
}

#[test]
fn names_that_cannot_be_said_are_counted() {
    use std::os::unix::ffi::OsStrExt;
    let stage = Stage::new();
    for name in
        [&b"\xff"[..], b"\xfe", b"caf\xe9", b"new\nline", b"a\\b", "bi\u{202e}di".as_bytes()]
    {
        let path = stage.path("project").join(std::ffi::OsStr::from_bytes(name));
        std::fs::write(path, "x").expect("a file");
    }
    let hidden = stage.path("project").join(std::ffi::OsStr::from_bytes(b"dir\xff"));
    std::fs::create_dir(hidden).expect("a folder");
    stage.file("project/fine", "");
    let answer = stage.call(&json!({ "command": "list" }));
    assert_eq!(answer.paths(), ["ROOT_PROJECT:/.git/", "ROOT_PROJECT:/fine"]);
    assert_eq!(answer.reply["data"]["unaddressable"], 7);
    let tree = stage.call(&json!({ "command": "tree" }));
    assert_eq!(tree.reply["data"]["unaddressable"], 1);
}

#[test]
fn a_linked_workspace_or_space_leads_nowhere() {
    let stage = Stage::new();
    stage.file("beside/default/secret.txt", "secret");
    stage.link("../../beside", "project/.ai/workspaces");
    let answer = stage.list("ROOT_WORKSPACE:/");
    assert_eq!(answer.paths(), Vec::<String>::new());
    refused(&stage.list("ROOT_WORKSPACE:/secret.txt"), "a linked folder of workspaces");

    let stage = Stage::new();
    stage.file("beside/default/secret.txt", "secret");
    stage.folder("project/.ai/workspaces");
    stage.link("../../../beside/default", "project/.ai/workspaces/default");
    assert_eq!(stage.list("ROOT_WORKSPACE:/").paths(), Vec::<String>::new());

    let stage = Stage::new();
    stage.file("beside/config.yaml", "mods: [{id: a, name: a, path: /}]");
    stage.link("../beside", "project/.ai");
    refused(&stage.list("mod:a:/"), "a linked space");
}

#[test]
fn a_hostile_config_file_is_refused_without_being_opened() {
    let stage = Stage::new();
    stage.folder("project/.ai");
    let fifo = stage.path("project/.ai/config.yaml");
    assert!(Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    let answer = stage.call(&json!({ "command": "list" }));
    assert_eq!((answer.code(), answer.status), ("WA-CONFIG-E-002", 4));
    std::fs::remove_file(&fifo).expect("gone");
    stage.file("beside/secret.yaml", "token: hunter2\n");
    stage.link("../../beside/secret.yaml", "project/.ai/config.yaml");
    let answer = stage.call(&json!({ "command": "list" }));
    assert_eq!(answer.code(), "WA-CONFIG-E-002");
    assert!(!answer.reply.to_string().contains("hunter2"));
}

#[test]
fn nothing_outside_is_touched() {
    let strace = Command::new("strace").arg("-V").output();
    assert!(strace.is_ok_and(|output| output.status.success()), "the test command installs strace");
    let stage = stage();
    let beside = stage.path("beside");
    for path in ["relative/secret.txt", "absolute", "winding", "../beside", "magic"] {
        let log = stage.path("strace.log");
        let mut command = Command::new("strace");
        command.args(["-f", "-y", "-e", "trace=file,read,getdents64", "-o"]).arg(&log);
        command.arg(env!("CARGO_BIN_EXE_mere")).args(["call", "dir"]);
        command.arg(json!({ "command": "list", "path": path }).to_string());
        command.env_clear().env("HOME", stage.path("home")).current_dir(stage.path("project"));
        refused(&stage.answer(&mut command), path);
        let log = std::fs::read_to_string(&log).expect("a log");
        let opened = log.lines().filter(|line| line.contains("open") && !line.contains(" = -1 "));
        let outside = opened.filter(|line| line.contains(beside.to_str().expect("UTF-8")));
        assert_eq!(outside.collect::<Vec<_>>(), Vec::<&str>::new(), "{path}");
    }
}

#[test]
fn running_out_of_handles_shows_nothing_hidden() {
    let mut stage = Stage::new();
    stage.file("project/.ai/workspaces/other/secret.txt", "");
    stage.file("project/dot/merestone/keys/key", "");
    stage.variable("XDG_CONFIG_HOME", "project/dot");
    let mere = env!("CARGO_BIN_EXE_mere");
    let mut shown = 0;
    for limit in 6..30 {
        for path in [".ai/workspaces/other", "dot/merestone/keys", ".ai", "dot"] {
            let arguments = json!({ "command": "list", "path": path }).to_string();
            let mut command = Command::new("sh");
            command.args(["-c", &format!("ulimit -n {limit}; exec {mere} call dir '{arguments}'")]);
            command.env_clear().env("HOME", stage.path("home")).current_dir(stage.path("project"));
            command.env("XDG_CONFIG_HOME", stage.path("project/dot")).env("PATH", "/usr/bin:/bin");
            let output = command.output().expect("it runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            stage.check(&text);
            assert!(!text.contains("secret") && !text.contains("keys"), "{limit} {path} {text}");
            assert!(!text.contains("workspaces") && !text.contains("merestone"), "{limit} {text}");
            shown += u32::from(output.status.success());
        }
    }
    assert!(shown > 0, "with enough handles something is shown");
}

#[test]
fn deep_paths_need_few_handles() {
    let stage = Stage::new();
    let deep = "a/".repeat(1000);
    stage.folder(&format!("project/{deep}end"));
    let mere = env!("CARGO_BIN_EXE_mere");
    let arguments = json!({ "command": "list", "path": deep }).to_string();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -n 64; exec {mere} call dir '{arguments}'")]);
    command.env_clear().env("HOME", stage.path("home")).current_dir(stage.path("project"));
    assert_eq!(stage.answer(&mut command).reply["data"]["count"], 1);
}

#[test]
fn a_name_that_spells_the_project_is_not_shown() {
    let stage = Stage::new();
    let spelled = stage.path("project").to_str().expect("UTF-8").replace('/', "%2F");
    stage.folder(&format!("project/dir/{spelled}"));
    stage.file("project/dir/fine", "");
    let list = stage.list("dir");
    assert_eq!(list.paths(), ["ROOT_PROJECT:/dir/fine"]);
    assert_eq!(list.reply["data"]["unaddressable"], 1);
    let tree = stage.call(&json!({ "command": "tree", "path": "dir" }));
    assert_eq!(tree.paths(), Vec::<String>::new());
}

#[test]
fn an_address_too_long_to_be_said_is_not_listed() {
    let stage = Stage::new();
    let name = "n".repeat(250);
    let mut deep = stage.path("project");
    for _ in 0..16 {
        deep.push(&name);
        std::fs::create_dir(&deep).unwrap_or_else(|_| panic!("too deep for this system"));
        if deep.as_os_str().len() > 3900 {
            break;
        }
    }
    let levels = deep.components().filter(|c| c.as_os_str().len() == 250).count();
    let address = vec![name.clone(); levels].join("/");
    let within = std::process::Command::new("sh")
        .args(["-c", &format!("mkdir {name} short")])
        .current_dir(&deep)
        .status();
    assert!(within.expect("sh").success());
    let answer = stage.list(&address);
    for path in answer.paths() {
        assert!(path.len() <= 4096);
        assert_eq!(stage.list(&path).status, 0);
    }
    assert_eq!(
        answer.reply["data"]["count"].as_u64().unwrap_or(0)
            + answer.reply["data"]["unaddressable"].as_u64().unwrap_or(0),
        2
    );
}

#[test]
fn odd_environments_neither_break_the_gate_nor_widen_the_world() {
    let stage = Stage::new();
    for (name, value) in
        [("TMPDIR", "."), ("TMPDIR", "x"), ("TMPDIR", ""), ("PWD", "."), ("PWD", "/")]
    {
        let mut command = stage.command("project");
        let answer =
            stage.answer(command.env(name, value).args(["call", "dir", r#"{"command":"list"}"#]));
        assert_eq!(answer.status, 0, "{name}={value}");
    }
    stage.file("project/.ai/config.yaml", "mods: [{id: a, name: a, path: /}]\n");
    for name in ["USER_SPACE", "MERE_CONFIG_DIR"] {
        let mut command = stage.command("project");
        let output = command.env(name, ".").args(["call", "dir"]).output().expect("runs");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

#[test]
fn a_call_says_nothing_on_standard_error() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "mods: [{id: a, name: a, path: /}]\n");
    stage.file("home/.ai/config.yaml", "mods: [{id: b, name: b, path: nowhere}]\n");
    for path in ["", "missing", "mod:a:/"] {
        let mut command = stage.command("project");
        let arguments = json!({ "command": "list", "path": path }).to_string();
        let output = command.args(["call", "dir", &arguments]).output().expect("runs");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{path}");
    }
}
