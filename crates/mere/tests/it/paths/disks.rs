//! Disks that are full and folders that are closed: an error, and nothing lost.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const SPACES: &str = "project/.ai/workspaces";

fn write(mcp: &mut Mcp<'_>, path: &str, content: &str) -> Value {
    let path = format!("ROOT_WORKSPACE:/{path}");
    mcp.call("write", &json!({ "path": path, "content": content }))
}

/// How many half-written files a folder has.
pub(crate) fn unfinished(folder: &str) -> usize {
    let names = std::fs::read_dir(folder).into_iter().flatten();
    let names = names.map(|name| name.expect("a name").file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".new-")).count()
}

/// `mere mcp` where a large file does not fit: by a limit on every file and, where namespaces are to
/// be had, in a folder on a disk of its own that is soon full.
pub(crate) fn cramped(stage: &Stage, folder: &str) -> Vec<Command> {
    const LIMITED: &str = "trap '' XFSZ; ulimit -f 64; exec \"$0\" mcp --agent default";
    const FULL: &str = "mount -t tmpfs -o size=128k none \"$1\" && exec \"$0\" mcp --agent default";
    let folder = stage.folder(folder);
    let shell = |mut command: Command, script: &str| {
        command.args(["-c", script, env!("CARGO_BIN_EXE_mere")]).arg(&folder);
        command.env_clear().env("HOME", stage.path("home")).env("PATH", "/usr/bin:/bin:/sbin");
        command.current_dir(stage.path("project"));
        command
    };
    let mut commands = vec![shell(Command::new("sh"), LIMITED)];
    let apart = Command::new("unshare").args(["-rm", "true"]).output();
    if apart.is_ok_and(|output| output.status.success()) {
        let mut unshare = Command::new("unshare");
        unshare.args(["-rm", "sh"]);
        commands.push(shell(unshare, FULL));
    }
    commands
}

#[test]
fn a_full_disk_costs_nothing_that_was_there() {
    let stage = Stage::new();
    for command in cramped(&stage, SPACES) {
        let mut mcp = Mcp::spawn(&stage, command);
        mcp.greet();
        let first = write(&mut mcp, "a.md", "old\n");
        assert_eq!(first["reply_type"], "S");
        for path in ["a.md", "b.md"] {
            let reply = write(&mut mcp, path, &"large\n".repeat(40_000));
            assert_eq!(reply["code"], "WA-WRITE-E-001");
            let words = "could not be written; the existing content was not changed.";
            assert_eq!(reply["message"], format!("ROOT_WORKSPACE:/{path} {words}"));
        }
        let kept = mcp.call("read", &json!({ "path": "ROOT_WORKSPACE:/a.md" }));
        assert_eq!(kept["data"]["content"], "old\n");
        assert_eq!(kept["data"]["sha256"], first["data"]["sha256"]);
        let list = mcp.dir(&json!({ "command": "list", "path": "ROOT_WORKSPACE:/" }));
        assert_eq!(list["data"]["count"], 1, "{list}");
        // The folder as the server sees it: its disk may be its own.
        let seen = format!("/proc/{}/root{}", mcp.process(), stage.path(SPACES).display());
        assert_eq!(unfinished(&seen), 0);
        assert_eq!(write(&mut mcp, "a.md", "new\n")["reply_type"], "S");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_loses_nothing() {
    for closed in [SPACES, "project/.ai/workspaces/default", "project/.ai", "project"] {
        let stage = Stage::new();
        let file = format!("{SPACES}/default/a.md");
        let there = closed.starts_with(SPACES);
        if there {
            stage.file(&file, "old\n");
        } else {
            stage.folder(closed);
        }
        let mut command = stage.unprivileged("project");
        command.args(["mcp", "--agent", "default"]);
        let folder = stage.path(closed);
        std::fs::set_permissions(&folder, Permissions::from_mode(0o555)).expect("closed");
        let mut mcp = Mcp::spawn(&stage, command);
        mcp.greet();
        let reply = write(&mut mcp, "a.md", "new\n");
        std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("open again");
        assert_eq!(reply["code"], "WA-WRITE-E-001", "{closed}");
        let kept = std::fs::read_to_string(stage.path(&file)).ok();
        assert_eq!(kept.as_deref(), there.then_some("old\n"), "{closed}");
        assert_eq!(unfinished(stage.path(SPACES).to_str().expect("UTF-8")), 0, "{closed}");
    }
}

#[test]
fn a_write_that_was_made_is_not_said_to_have_failed() {
    let stage = Stage::new();
    stage.folder(&format!("{SPACES}/default"));
    let mut command = stage.unprivileged("project");
    command.args(["mcp", "--agent", "default"]);
    let folder = stage.path(SPACES);
    // It can be entered and written, but its names cannot be read.
    std::fs::set_permissions(&folder, Permissions::from_mode(0o333)).expect("closed");
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    let reply = write(&mut mcp, "a.md", "new\n");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("open again");
    let made = folder.join("default/a.md").exists();
    assert_eq!(made, reply["reply_type"] == "S", "{}", reply["message"]);
}
