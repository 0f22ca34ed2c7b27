//! Stores on a full disk, in a closed folder and in one that goes away: a clear reply, nothing lost,
//! and all is well again without help.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::memory::storm::STORE;
use crate::paths::disks::{cramped, unfinished};
use crate::support::harness::{Mcp, Stage};

const WRITTEN: &str = "IT-STORE-E-003";

fn create(mcp: &mut Mcp<'_>, path: &str, content: &str) -> Value {
    mcp.call("create_memory", &json!({ "path": path, "content": content }))
}

fn update(mcp: &mut Mcp<'_>, path: &str, content: &str) -> Value {
    mcp.call("update_memory", &json!({ "path": path, "content": content }))
}

/// The content of a memory, if there is one.
fn get(mcp: &mut Mcp<'_>, path: &str) -> Option<String> {
    let reply = mcp.call("get_memory", &json!({ "path": path }));
    if reply["reply_type"] == "S" {
        return reply["data"]["content"].as_str().map(str::to_owned);
    }
    assert_eq!(reply["code"], "IT-MEMORY-I-001", "{reply}");
    None
}

fn count(mcp: &mut Mcp<'_>) -> u64 {
    let reply = mcp.call("list_memories", &json!({}));
    reply["data"]["count"].as_u64().unwrap_or_else(|| panic!("{reply}"))
}

fn done(reply: &Value) {
    assert_eq!(reply["reply_type"], "S", "{reply}");
}

/// Half-written files of the store, as the server sees its folder: its disk may be its own.
fn left(stage: &Stage, mcp: &Mcp<'_>) -> usize {
    let staging = stage.path(STORE).join(".new-files");
    unfinished(&format!("/proc/{}/root{}", mcp.process(), staging.display()))
}

#[test]
fn a_full_disk_costs_no_memory() {
    let stage = Stage::new();
    let large = "large\n".repeat(40_000);
    for command in cramped(&stage, STORE) {
        let mut mcp = Mcp::spawn(&stage, command);
        mcp.greet();
        done(&mcp.call("create_category", &json!({ "path": "c" })));
        done(&create(&mut mcp, "c/a", "old\n"));
        for reply in [create(&mut mcp, "c/b", &large), update(&mut mcp, "c/a", &large)] {
            assert_eq!(reply["code"], WRITTEN, "{reply}");
            let words = "could not be written. The existing content was not changed.";
            assert!(reply["message"].as_str().expect("words").contains(words), "{reply}");
        }
        assert_eq!(get(&mut mcp, "c/a").as_deref(), Some("old\n"));
        assert_eq!((get(&mut mcp, "c/b"), count(&mut mcp)), (None, 1));
        assert_eq!(left(&stage, &mcp), 0);
        done(&update(&mut mcp, "c/a", "new\n"));
        done(&mcp.call("move_memory", &json!({ "from": "c/a", "to": "c/b" })));
        assert_eq!(get(&mut mcp, "c/b").as_deref(), Some("new\n"));
    }
}

#[test]
fn a_disk_that_fills_up_keeps_what_it_acknowledged() {
    let stage = Stage::new();
    // The last is on a disk of its own, where there is one.
    let command = cramped(&stage, STORE).pop().expect("a command");
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    let text = |number: usize| format!("{number} ").repeat(2_000);
    let mut kept = 0;
    while kept < 60 {
        let reply = create(&mut mcp, &format!("m{kept}"), &text(kept));
        if reply["reply_type"] != "S" {
            assert_eq!(reply["code"], WRITTEN, "{reply}");
            break;
        }
        kept += 1;
    }
    assert!(kept > 0);
    let category = mcp.call("create_category", &json!({ "path": "c" }));
    assert!(["S", "E"].contains(&category["reply_type"].as_str().expect("a type")), "{category}");
    assert_eq!(count(&mut mcp), kept as u64);
    for number in 0..kept {
        assert_eq!(get(&mut mcp, &format!("m{number}")), Some(text(number)));
    }
    assert_eq!(left(&stage, &mcp), 0);
    // Removing needs no room, and makes some.
    for number in 0..2 {
        done(&mcp.call("remove_memory", &json!({ "path": format!("m{number}") })));
    }
    done(&create(&mut mcp, "again", "x\n"));
    done(&mcp.call("create_category", &json!({ "path": "c" })));
}

#[test]
fn a_closed_folder_is_an_error_that_loses_nothing() {
    for (closed, below) in [(STORE, ""), ("project/.ai/memory/c", "c/")] {
        let stage = Stage::new();
        stage.file(&format!("{STORE}/c/.category.yaml"), "");
        let path = |name: &str| format!("{below}{name}");
        stage.file(&format!("{STORE}/{}.md", path("a")), "old\n");
        let mut command = stage.unprivileged("project");
        command.arg("mcp");
        let mut mcp = Mcp::spawn(&stage, command);
        mcp.greet();
        let open = |mode: u32| {
            let mode = Permissions::from_mode(mode);
            std::fs::set_permissions(stage.path(closed), mode).expect("its owner may");
        };
        for round in ["first", "again"] {
            open(0o555);
            for reply in [
                create(&mut mcp, &path("b"), "new\n"),
                update(&mut mcp, &path("a"), "new\n"),
                mcp.call("move_memory", &json!({ "from": path("a"), "to": path("x") })),
                mcp.call("remove_memory", &json!({ "path": path("a") })),
                mcp.call("create_category", &json!({ "path": path("d") })),
                mcp.call("delete_category", &json!({ "path": "c", "recursive": true })),
            ] {
                assert_eq!(reply["reply_type"], "E", "{closed} {round}: {reply}");
            }
            assert_eq!(get(&mut mcp, &path("a")).as_deref(), Some("old\n"), "{closed}");
            assert_eq!(count(&mut mcp), 1, "{closed}");
            open(0o755);
            assert_eq!(left(&stage, &mcp), 0, "{closed} {round}");
            done(&create(&mut mcp, &path("b"), "new\n"));
            done(&mcp.call("remove_memory", &json!({ "path": path("b") })));
        }
    }
}

#[test]
fn a_store_that_goes_away_is_said_to_be_empty_and_comes_back() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    done(&mcp.call("create_category", &json!({ "path": "c" })));
    done(&create(&mut mcp, "c/a", "old\n"));
    assert_eq!(count(&mut mcp), 1);
    let (here, away) = (stage.path(STORE), stage.path("beside/memory"));
    std::fs::rename(&here, &away).expect("moved away");
    assert_eq!((get(&mut mcp, "c/a"), count(&mut mcp)), (None, 0));
    for reply in [
        create(&mut mcp, "c/b", "new\n"),
        update(&mut mcp, "c/a", "new\n"),
        mcp.call("move_memory", &json!({ "from": "c/a", "to": "b" })),
        mcp.call("delete_category", &json!({ "path": "c" })),
    ] {
        assert_eq!(reply["reply_type"], "I", "{reply}");
    }
    assert!(!here.exists(), "what is refused leaves no trace");
    std::fs::rename(&away, &here).expect("moved back");
    assert_eq!((get(&mut mcp, "c/a").as_deref(), count(&mut mcp)), (Some("old\n"), 1));
    done(&update(&mut mcp, "c/a", "new\n"));
    std::fs::remove_dir_all(&here).expect("removed");
    assert_eq!((get(&mut mcp, "c/a"), count(&mut mcp)), (None, 0));
    done(&create(&mut mcp, "top", "new\n"));
    done(&mcp.call("create_category", &json!({ "path": "c" })));
    done(&create(&mut mcp, "c/a", "newer\n"));
    assert!(!here.join(".new-files").exists(), "what is done leaves nothing behind");
    done(&update(&mut mcp, "c/a", "newest\n"));
    assert_eq!((get(&mut mcp, "c/a").as_deref(), count(&mut mcp)), (Some("newest\n"), 2));
}

#[test]
fn a_store_elsewhere_is_the_folder_that_was_opened() {
    let stage = Stage::new();
    let here = stage.folder("beside/memory");
    let config = format!("stores: {{far: {{path: {}}}}}\n", here.display());
    stage.file("home/.ai/config.yaml", &config);
    let mut mcp = Mcp::greeted(&stage, &[]);
    done(&create(&mut mcp, "a", "old\n"));
    // Wherever it is moved, what is acknowledged lies in it.
    let away = stage.path("beside/away");
    std::fs::rename(&here, &away).expect("moved away");
    done(&create(&mut mcp, "b", "new\n"));
    done(&update(&mut mcp, "a", "new\n"));
    assert!(away.join("b.md").is_file() && !here.exists());
    std::fs::rename(&away, &here).expect("moved back");
    assert_eq!((get(&mut mcp, "a").as_deref(), count(&mut mcp)), (Some("new\n"), 2));
    std::fs::remove_dir_all(&here).expect("removed");
    assert_eq!(create(&mut mcp, "c", "new\n")["code"], WRITTEN);
    assert_eq!((get(&mut mcp, "a"), count(&mut mcp)), (None, 0));
    std::fs::create_dir(&here).expect("made again");
    let mut mcp = Mcp::greeted(&stage, &[]);
    done(&create(&mut mcp, "c", "new\n"));
    assert_eq!((get(&mut mcp, "c").as_deref(), count(&mut mcp)), (Some("new\n"), 1));
}
