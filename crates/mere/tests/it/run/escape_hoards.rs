//! Tools that keep memory and disk where they are not easily counted: in files without names, in folders
//! that nobody may list, in threads of their own, in the kernel. They are ended like any other.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::escape_limits::{assert_gone, unique};
use crate::support::workshop::{Who, Workshop};

const HOARDS: &str = include_str!("attacks/hoards.py");
/// One runs at a time, because some write much: where not everything can be seen, what the disk loses
/// is measured, and a tool that writes nothing would be ended for what another one writes.
static DISK: Mutex<()> = Mutex::new(());

/// What becomes of a tool that hoards.
fn hoard(who: Who, how: &str) -> Value {
    let _alone = DISK.lock().unwrap_or_else(PoisonError::into_inner);
    let workshop = Workshop::new(who);
    let id = unique("hoards");
    workshop.tool_with(&id, "python_runtime", HOARDS, "config: {timeout_s: 50}\n");
    let reply = workshop.call(&id, &json!({ "how": how }));
    assert_eq!(reply["code"], "EX-RUN-S-001", "{who:?} {how} {reply:#}");
    assert_eq!(reply["data"]["success"], false, "{who:?} {how} {reply:#}");
    assert_gone(&id, Duration::from_secs(2));
    // The next tool runs, whatever the last one left.
    let next = unique("next");
    workshop.tool(&next, "bash_runtime", "echo well\n");
    let after = workshop.call(&next, &json!({}));
    assert_eq!(after["data"]["stdout"], "well\n", "{who:?} {how} {after:#}");
    for name in ["dark", "shut"] {
        let folder = workshop.stage.path("project/.ai/workspaces/default").join(name);
        if folder.exists() {
            let open = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(folder, open).expect("a folder");
        }
    }
    reply["data"].clone()
}

/// It was ended for what it wrote.
fn assert_too_large(who: Who, how: &str) {
    assert_eq!(hoard(who, how)["ended"], "workspace", "{who:?} {how}");
}

#[test]
fn a_workspace_does_not_outgrow_its_limit() {
    assert_too_large(Who::Tester, "many_files");
}

#[test]
fn files_without_a_name_count() {
    assert_too_large(Who::Ordinary, "nameless");
}

#[test]
fn files_that_are_only_mapped_count() {
    assert_too_large(Who::Ordinary, "mapped");
}

#[test]
fn files_that_a_thread_has_for_itself_count() {
    assert_too_large(Who::Ordinary, "own_files_of_a_thread");
}

#[test]
fn files_in_a_folder_that_cannot_be_listed_count() {
    assert_too_large(Who::Ordinary, "unlisted");
}

#[test]
fn files_in_a_folder_where_nobody_may_look_count() {
    assert_too_large(Who::Ordinary, "unlooked");
}

#[test]
fn files_deeper_than_a_path_can_say_count() {
    assert_too_large(Who::Tester, "deep");
}

#[test]
fn memory_has_a_limit_however_it_is_kept() {
    for who in [Who::Tester, Who::Ordinary] {
        assert_eq!(hoard(who, "memory")["ended"], "memory", "{who:?}");
    }
    for how in ["without_its_first_thread", "page_tables"] {
        assert_eq!(hoard(Who::Ordinary, how)["ended"], "memory", "{how}");
    }
}

#[test]
fn memory_in_the_kernel_counts_or_cannot_be_had() {
    let data = hoard(Who::Ordinary, "buffers");
    // A control group ends the largest process, which the tool then tells.
    assert!(data["ended"] == "memory" || data["exit_code"] == 9, "{data:#}");
    for (how, why) in [("shared", "Permission denied"), ("pinned", "vmsplice")] {
        let data = hoard(Who::Ordinary, how);
        assert_eq!(data["exit_code"], 1, "{how} {data:#}");
        assert!(data["stderr"].as_str().is_some_and(|stderr| stderr.contains(why)), "{data:#}");
    }
}
