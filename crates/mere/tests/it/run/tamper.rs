//! Whatever is done to a link of a chain, to its signatures, its place, its version or its lockfile: the
//! run is refused with the reason, and nothing is executed.

use serde_json::{Value, json};

use crate::support::workshop::{Who, Workshop, manifest};

const LEAF: &str = "project/.ai/tools/t/leaf";
const WRAP: &str = "project/.ai/tools/t/wrap";
const LOCK: &str = "project/.ai/lockfiles/t/leaf@1.0.0.lock.json";

/// A runtime of the project's own, which runs scripts.
const WRAPPER: &str = "tool_id: wrap\ntool_type: runtime\nexecutor_id: subprocess\nversion: 1.0.0\n\
    description: Runs scripts.\nconfig: {command: [python3, -s, '${entrypoint}']}\n\
    validation: {child_schemas: [{match: {tool_type: script}, schema: {required: [manifest]}}]}\n";

/// `leaf → wrap → subprocess`, signed and locked.
fn chain() -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file(&format!("{WRAP}.yaml"), WRAPPER);
    workshop.sign("wrap");
    workshop.stage.file(&format!("{LEAF}.py"), "open('/work/ran', 'w')\n");
    workshop.manifest("leaf", &manifest("leaf", "wrap", "leaf.py"), "");
    workshop.person(&["lock", "t/leaf"]);
    workshop
}

/// Runs the leaf, and checks whether it ran.
fn outcome(workshop: &Workshop) -> Value {
    let mark = workshop.stage.path("project/.ai/workspaces/default/ran");
    let _ = std::fs::remove_file(&mark);
    let reply = workshop.call("leaf", &json!({}));
    let has_run = reply["reply_type"] == "S";
    assert_eq!(mark.exists(), has_run, "{reply:#}");
    assert!(!has_run || reply["data"]["success"] == true, "{reply:#}");
    reply
}

fn rename(workshop: &Workshop, from: &str, to: &str) {
    let to = workshop.stage.path(to);
    std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
    std::fs::rename(workshop.stage.path(from), to).expect("moved");
}

fn edit(workshop: &Workshop, path: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(workshop.stage.path(path)).expect("a file");
    assert!(text.contains(from), "{from:?} in {text}");
    workshop.stage.file(path, &text.replace(from, to));
}

fn remove(workshop: &Workshop, path: &str) {
    std::fs::remove_file(workshop.stage.path(path)).expect("removed");
}

#[test]
fn a_chain_that_nobody_touched_runs() {
    let workshop = chain();
    let reply = outcome(&workshop);
    assert_eq!(reply["code"], "EX-RUN-S-001", "{reply:#}");
    assert_eq!(reply["data"]["lockfile"], "ROOT_PROJECT:/.ai/lockfiles/t/leaf@1.0.0.lock.json");
}

/// What is done, and with which code and which words it is refused.
type Case = (&'static str, fn(&Workshop), &'static str, &'static str);

fn check(cases: &[Case]) {
    for (what, tamper, code, words) in cases {
        let workshop = chain();
        tamper(&workshop);
        let reply = outcome(&workshop);
        assert_eq!(reply["code"], *code, "{what}: {reply:#}");
        let reply_text = reply.to_string();
        assert!(reply_text.contains(words), "{what}: {reply_text}");
    }
}

#[test]
fn a_link_that_was_changed_is_not_run() {
    check(&[
        (
            "the script is edited",
            |w| edit(w, &format!("{LEAF}.py"), "ran", "run"),
            "IT-TRUST-E-002",
            "leaf.py",
        ),
        (
            "the manifest is edited",
            |w| edit(w, &format!("{LEAF}.yaml"), "Does leaf", "Does more"),
            "IT-TRUST-E-002",
            "leaf.yaml",
        ),
        (
            "a file is added",
            |w| drop(w.stage.file(&format!("{LEAF}.more.py"), "")),
            "IT-TRUST-E-003",
            "leaf.more.py",
        ),
        ("a file is gone", |w| remove(w, &format!("{LEAF}.py")), "IT-TRUST-E-003", "leaf.py"),
        (
            "the runtime is edited",
            |w| edit(w, &format!("{WRAP}.yaml"), "python3", "bash"),
            "IT-TRUST-E-002",
            "wrap.yaml",
        ),
        (
            "signatures are garbage",
            |w| drop(w.stage.file(&format!("{WRAP}.yaml.sig"), "{}")),
            "IT-TRUST-E-004",
            "wrap",
        ),
        (
            "signatures are of another tool",
            |w| {
                let other = w.stage.path(&format!("{WRAP}.yaml.sig"));
                std::fs::copy(other, w.stage.path(&format!("{LEAF}.yaml.sig"))).expect("copied");
            },
            "IT-TRUST-E-001",
            "wrong location",
        ),
        (
            "the leaf has no signatures",
            |w| remove(w, &format!("{LEAF}.yaml.sig")),
            "EN-RUN-D-001",
            "unsigned",
        ),
        (
            "the runtime has no signatures",
            |w| remove(w, &format!("{WRAP}.yaml.sig")),
            "EN-RUN-D-001",
            "wrap",
        ),
    ]);
}

#[test]
fn a_link_at_another_place_is_not_run() {
    check(&[
        (
            "the runtime is moved by hand",
            |w| {
                rename(w, &format!("{WRAP}.yaml"), "project/.ai/tools/u/wrap.yaml");
                rename(w, &format!("{WRAP}.yaml.sig"), "project/.ai/tools/u/wrap.yaml.sig");
            },
            "IT-TRUST-E-001",
            "ROOT_PROJECT:/.ai/tools/u/wrap.yaml",
        ),
        (
            "the runtime is moved and signed anew",
            |w| drop(w.person(&["move", "tool", "t/wrap", "u"])),
            "EX-RUN-E-001",
            "category",
        ),
        (
            "the runtime is another scope's",
            |w| {
                w.person(&["copy", "tool", "t/wrap", "--to", "user"]);
                w.person(&["delete", "tool", "t/wrap", "--yes"]);
            },
            "EX-RUN-E-001",
            "scope",
        ),
        (
            "the runtime is gone",
            |w| drop(w.person(&["delete", "tool", "t/wrap", "--yes"])),
            "EX-RUN-I-001",
            "executor_id",
        ),
        (
            "there are two of them",
            |w| {
                w.stage.file("project/.ai/tools/u/wrap.yaml", WRAPPER);
                w.person(&["sign", "tool", "u/wrap"]);
            },
            "EX-RUN-I-001",
            "executor_id",
        ),
        (
            "the leaf is moved by hand",
            |w| {
                for ending in ["yaml", "yaml.sig", "py"] {
                    rename(
                        w,
                        &format!("{LEAF}.{ending}"),
                        &format!("project/.ai/tools/u/leaf.{ending}"),
                    );
                }
            },
            "IT-TRUST-E-001",
            "ROOT_PROJECT:/.ai/tools/t/leaf.yaml",
        ),
    ]);
}

#[test]
fn a_link_that_was_signed_anew_is_not_what_was_pinned() {
    check(&[
        (
            "another runtime",
            |w| {
                edit(w, &format!("{WRAP}.yaml"), "-s", "-B");
                w.sign("wrap");
            },
            "EX-RUN-E-001",
            "integrity",
        ),
        (
            "another version of the runtime",
            |w| {
                edit(w, &format!("{WRAP}.yaml"), "version: 1.0.0", "version: 1.0.1");
                w.sign("wrap");
            },
            "EX-RUN-E-001",
            "version",
        ),
        (
            "another script of the same version",
            |w| {
                w.stage.file(&format!("{LEAF}.py"), "open('/work/ran', 'w')\nprint(1)\n");
                w.sign("leaf");
            },
            "EX-RUN-E-001",
            "integrity",
        ),
        (
            "another executor",
            |w| {
                edit(
                    w,
                    &format!("{LEAF}.yaml"),
                    "executor_id: wrap",
                    "executor_id: python_runtime",
                );
                w.sign("leaf");
            },
            "EX-RUN-E-001",
            "leaf",
        ),
    ]);
}

#[test]
fn a_lockfile_that_was_touched_does_not_count() {
    check(&[
        (
            "it is edited",
            |w| edit(w, LOCK, "\"executor\": \"wrap\"", "\"executor\": \"python_runtime\""),
            "IT-TRUST-E-002",
            "lock.json",
        ),
        ("it has no signatures", |w| remove(w, &format!("{LOCK}.sig")), "EN-RUN-D-001", "lockfile"),
        (
            "it is no JSON",
            |w| {
                w.stage.file(LOCK, "{");
                remove(w, &format!("{LOCK}.sig"));
            },
            "EX-RUN-E-001",
            "not valid",
        ),
        (
            "it was made for another version",
            |w| {
                edit(w, &format!("{LEAF}.yaml"), "version: 1.0.0", "version: 1.1.0");
                w.sign("leaf");
                let other = "project/.ai/lockfiles/t/leaf@1.1.0.lock.json";
                rename(w, LOCK, other);
                rename(w, &format!("{LOCK}.sig"), &format!("{other}.sig"));
            },
            "IT-TRUST-E-006",
            "1.0.0",
        ),
        (
            "its links are in another order, and that is signed",
            |w| {
                let text = std::fs::read_to_string(w.stage.path(LOCK)).expect("a lockfile");
                let mut lock: Value = serde_json::from_str(&text).expect("JSON");
                lock["resolved_chain"].as_array_mut().expect("links").swap(1, 2);
                w.stage.file(LOCK, &format!("{lock:#}\n"));
                w.person(&["sign", "lockfile", "t/leaf"]);
            },
            "EX-RUN-E-001",
            "tool_id",
        ),
        (
            "a link is left out, and that is signed",
            |w| {
                let text = std::fs::read_to_string(w.stage.path(LOCK)).expect("a lockfile");
                let mut lock: Value = serde_json::from_str(&text).expect("JSON");
                lock["resolved_chain"].as_array_mut().expect("links").pop();
                w.stage.file(LOCK, &format!("{lock:#}\n"));
                w.person(&["sign", "lockfile", "t/leaf"]);
            },
            "EX-RUN-E-001",
            "length",
        ),
        (
            "its space is another, and that is signed",
            |w| {
                w.person(&["lock", "leaf", "--scope", "user"]);
                w.person(&["delete", "lockfile", "t/leaf@1.0.0", "--scope", "project", "--yes"]);
                w.person(&["copy", "lockfile", "t/leaf@1.0.0", "--to", "project"]);
            },
            "EX-RUN-E-001",
            "another space",
        ),
    ]);
}

#[test]
fn a_lockfile_that_was_moved_or_renamed_is_not_as_good_as_none() {
    for to in ["u/leaf@1.0.0", "t/leaf@2.0.0"] {
        let workshop = chain();
        for ending in ["", ".sig"] {
            let other = format!("project/.ai/lockfiles/{to}.lock.json{ending}");
            rename(&workshop, &format!("{LOCK}{ending}"), &other);
        }
        let reply = outcome(&workshop);
        assert_eq!(reply["reply_type"], "E", "{to} {reply:#}");
        assert!(
            reply["message"].as_str().is_some_and(|message| message.contains("lock")),
            "{reply:#}"
        );
    }
}

#[test]
fn a_lockfile_of_another_project_does_not_count() {
    let (here, there) = (chain(), chain());
    // The same person: only the project is another.
    let key = there.stage.path("home/.config");
    std::fs::remove_dir_all(&key).expect("the keys");
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(here.stage.path("home/.config"))
        .arg(&key)
        .status();
    assert!(copied.expect("cp").success());
    there.sign("wrap");
    there.sign("leaf");
    there.person(&["lock", "t/leaf"]);
    for ending in ["", ".sig"] {
        let (from, to) = (format!("{LOCK}{ending}"), here.stage.path(&format!("{LOCK}{ending}")));
        std::fs::copy(there.stage.path(&from), to).expect("copied");
    }
    let reply = outcome(&here);
    assert_eq!(reply["code"], "IT-TRUST-E-001", "{reply:#}");
}

#[test]
fn what_ships_with_mere_cannot_be_shadowed() {
    let workshop = chain();
    workshop.tool("plain", "python_runtime", "open('/work/plain', 'w')\n");
    let shadow =
        WRAPPER.replace("tool_id: wrap", "tool_id: python_runtime").replace("python3", "bash");
    for folder in ["project/.ai/tools/t", "project/.ai/tools", "home/.ai/tools"] {
        workshop.stage.file(&format!("{folder}/python_runtime.yaml"), &shadow);
    }
    let reply = workshop.call("plain", &json!({}));
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    assert_eq!(reply["data"]["chain"][1]["scope"], "builtin");
    let signed = workshop.command().args(["sign", "tool", "t/python_runtime"]).output();
    assert!(!signed.expect("runs").status.success());
    let made = json!({
        "item_type": "tool", "item_id": "t/subprocess", "action": "create",
        "content": shadow.replace("python_runtime", "subprocess")
    });
    let made = workshop.stage.call_text("execute", &made.to_string());
    assert_eq!(made.reply["reply_type"], "I", "{:#}", made.reply);
}
