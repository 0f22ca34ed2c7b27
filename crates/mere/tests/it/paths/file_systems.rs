//! Odd file systems: what `doctor` says about them, and that nothing on them is missed.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

/// Mounts `$1` over `$2` as a FUSE file system that ignores case, and runs `$3…` there.
const MIRRORED: &str = r#"
python3 "$0" "$1" "$2" & mirror=$!
trap 'kill $mirror' EXIT
until grep -q " $2 fuse" /proc/mounts; do sleep 0.05; done
cd "$2"; shift 2; "$@"
"#;
/// Mounts `$1` read-only over `$2`, and runs `$3…` there.
const READ_ONLY: &str =
    r#"mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" && cd "$2" && shift 2 && exec "$@""#;

fn mirror_program() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/programs/mirror.py").to_owned()
}

/// `mere` in `mount`, where a script shows `project` in another way.
fn mounted(stage: &Stage, script: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, &mirror_program()]);
    command.arg(stage.path("project")).arg(stage.folder("mount").canonicalize().expect("there"));
    command.arg(env!("CARGO_BIN_EXE_mere")).args(arguments);
    command.env_clear().env("HOME", stage.path("home")).env("PATH", "/usr/bin:/bin:/sbin");
    command
}

/// What `doctor` says about disks: the address and the words.
fn disk_findings(mut command: Command) -> Vec<(String, String)> {
    let output = command.output().expect("it runs");
    let reply = serde_json::from_slice::<Value>(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let checks = reply["data"]["checks"].as_array().expect("checks").iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = checks.filter(|check| check["check"] == "disk");
    found.map(|check| (text(&check["address"]), text(&check["what"]))).collect()
}

/// Fails unless a user of this machine can mount a file system of their own.
fn require_fuse() {
    let script = "exec 3<>/dev/fuse && command -v python3";
    let probe = Command::new("unshare").args(["-rm", "sh", "-c", script]).output();
    assert!(
        probe.is_ok_and(|output| output.status.success()),
        "this test mounts a file system: install python3, load the module of the kernel with \
         `modprobe fuse`, and in a container pass `--device /dev/fuse`"
    );
}

#[test]
fn doctor_names_a_shared_and_case_insensitive_file_system_and_what_it_changes() {
    require_fuse();
    let stage = Stage::new();
    stage.file("project/Readme.md", "a\n");
    let found = disk_findings(mounted(&stage, MIRRORED, &["doctor", "--json"]));
    for words in ["a FUSE file system", "polled at every call", "ignores upper and lower case"] {
        let is_named = |(address, what): &(String, String)| {
            address == "ROOT_PROJECT:/" && what.contains(words)
        };
        assert!(found.iter().any(is_named), "{words}: {found:?}");
    }
}

#[test]
fn doctor_names_a_read_only_file_system_and_nothing_on_an_ordinary_disk() {
    let stage = Stage::new();
    stage.file("project/a.txt", "a\n");
    stage.folder("home/.ai");
    let mut plain = stage.command("project");
    plain.args(["doctor", "--json"]);
    assert_eq!(disk_findings(plain), []);
    let found = disk_findings(mounted(&stage, READ_ONLY, &["doctor", "--json"]));
    let [(address, what)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(address, "ROOT_PROJECT:/");
    assert!(what.contains("read-only"), "{what}");
}

#[test]
fn what_changes_without_an_event_is_found_and_the_log_says_that_it_is_polled() {
    require_fuse();
    let stage = Stage::new();
    let note = |id: &str, text: &str| format!("---\nid: {id}\ntitle: {id}\n---\n{text}\n");
    stage.file("project/.ai/knowledge/a.md", &note("a", "otters"));
    let log = stage.path("mcp.log");
    let log_file = log.to_str().expect("UTF-8");
    let mut mcp = Mcp::spawn(&stage, mounted(&stage, MIRRORED, &["mcp", "--log-file", log_file]));
    mcp.greet();
    let count = |mcp: &mut Mcp<'_>, word: &str| {
        let reply = mcp.call("search", &json!({ "query": word, "mode": "text" }));
        reply["data"]["total"].as_u64().unwrap_or_else(|| panic!("{reply}"))
    };
    assert_eq!((count(&mut mcp, "otters"), count(&mut mcp, "badgers")), (1, 0));
    // The folder behind the mount changes: the kernel reports nothing on the mount.
    stage.file("project/.ai/knowledge/b.md", &note("b", "badgers"));
    stage.file("project/.ai/knowledge/a.md", &note("a", "herons and nothing else"));
    assert_eq!((count(&mut mcp, "otters"), count(&mut mcp, "badgers")), (0, 1));
    assert_eq!(count(&mut mcp, "herons"), 1);
    let loaded = mcp.call("load", &json!({ "item_type": "knowledge", "item_id": "b" }));
    assert_eq!(loaded["reply_type"], "S", "{loaded}");
    let words = std::fs::read_to_string(log).expect("a log");
    assert!(words.contains("polled at every call"), "{words}");
}
