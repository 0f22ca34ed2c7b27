//! Locks follow: a tool that was pinned, changed and signed is pinned again in the same step, and
//! until then one command is named everywhere.

use serde_json::{Value, json};

use crate::support::typist::Typist;
use crate::support::workshop::{Who, Workshop, manifest};

const SCRIPT: &str = "project/.ai/tools/t/a.sh";

/// A tool that is pinned, and was changed since.
fn changed_tool() -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("a", "bash_runtime", "echo before\n");
    workshop.person(&["lock", "t/a"]);
    workshop.stage.file(SCRIPT, "echo after\n");
    workshop
}

fn reply(workshop: &Workshop, arguments: &[&str]) -> (Value, i32) {
    let output = workshop.command().args(arguments).arg("--json").output().expect("mere runs");
    let reply = serde_json::from_slice(&output.stdout).expect("a reply");
    (reply, output.status.code().expect("an exit status"))
}

/// The rows of `mere verify` and of `mere doctor` about locks.
fn told(workshop: &Workshop) -> (Vec<Value>, Vec<Value>) {
    let rows = |reply: &Value, list: &str, key: &str, name: &str| {
        let rows = reply["data"][list].as_array().expect("rows").iter();
        rows.filter(|row| row[key] == name).cloned().collect::<Vec<_>>()
    };
    let (verify, doctor) = (reply(workshop, &["verify"]).0, reply(workshop, &["doctor"]).0);
    (rows(&verify, "items", "status", "stale-lock"), rows(&doctor, "checks", "check", "locks"))
}

#[test]
fn a_stale_lock_is_told_everywhere_with_one_command() {
    let workshop = changed_tool();
    let (signed, status) = reply(&workshop, &["sign", "tool", "t/a"]);
    assert_eq!(status, 0, "{signed}");
    let stale = &signed["data"]["stale_locks"][0];
    assert_eq!((&stale["tool"], &stale["scope"]), (&json!("t/a"), &json!("project")), "{signed}");
    let command = "`mere lock t/a`";
    let names = |words: &Value| words.as_str().is_some_and(|words| words.contains(command));
    assert!(names(&stale["fix"]), "{signed}");
    let (verify, doctor) = told(&workshop);
    assert!(verify[0]["finding"] == true && names(&verify[0]["fix"]), "{verify:?}");
    assert!(doctor[0]["state"] == "wrong" && names(&doctor[0]["fix"]), "{doctor:?}");
    assert_eq!(reply(&workshop, &["verify"]).1, 4);
    assert_eq!(reply(&workshop, &["verify", "tool", "t/a"]).1, 4, "its tool is named");
    let (refused, _) = workshop.run("a", &[]);
    assert!(names(&refused["hint"]), "{refused}");
    // The one command settles it.
    workshop.person(&["lock", "t/a"]);
    assert_eq!(told(&workshop), (vec![], vec![]));
    assert_eq!(workshop.run("a", &["--locked"]).1, 0);
}

#[test]
fn a_script_pins_again_in_the_same_step() {
    let workshop = changed_tool();
    let (signed, status) = reply(&workshop, &["sign", "tool", "t/a", "--relock"]);
    let lockfile = "ROOT_PROJECT:/.ai/lockfiles/t/a@1.0.0.lock.json";
    assert_eq!((status, &signed["data"]["relocked"]), (0, &json!([lockfile])), "{signed}");
    assert_eq!(told(&workshop), (vec![], vec![]));
    assert_eq!(workshop.run("a", &["--locked"]).1, 0);
    // There is nothing to sign, and nothing to pin: that is no failure.
    let (again, status) = reply(&workshop, &["sign", "--relock"]);
    assert_eq!((status, &again["data"]["relocked"]), (0, &json!([])), "{again}");
}

#[test]
fn a_person_is_asked() {
    for (answer, expected) in [("y", 0), ("n", 1)] {
        let workshop = changed_tool();
        let mut typist = Typist::start(&workshop.stage, "sign tool t/a");
        typist.answer("t/a is pinned as it was. Pin it as it is now? [y/N]", answer);
        let (status, shown) = typist.finish();
        assert_eq!(status, 0, "{shown}");
        assert_eq!(told(&workshop).0.len(), expected, "{shown}");
        // Who says no is told what the next run will ask for.
        assert_eq!(shown.contains("`mere lock t/a` pins it"), answer == "n", "{shown}");
    }
    // Nobody is asked where no lock is.
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("a", "bash_runtime", "echo before\n");
    workshop.stage.file(SCRIPT, "echo after\n");
    let (status, shown) = Typist::start(&workshop.stage, "sign tool t/a").finish();
    assert!(status == 0 && !shown.contains("Pin"), "{shown}");
}

#[test]
fn where_nobody_is_asked_the_command_is_said() {
    let workshop = changed_tool();
    let output = workshop.person(&["sign", "tool", "t/a"]);
    let words = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(words.contains("t/a is pinned as it was: `mere lock t/a` pins it"), "{words}");
}

#[test]
fn a_runtime_that_was_changed_makes_the_locks_of_its_tools_stale() {
    let workshop = Workshop::new(Who::Tester);
    let runtime = "tool_id: own\ntool_type: runtime\nexecutor_id: subprocess\nversion: 1.0.0\n\
        description: Runs.\nconfig: {command: [bash, \"${entrypoint}\"]}\n\
        validation: {child_schemas: [{match: {}, schema: true}]}\n";
    workshop.manifest("own", runtime, "");
    workshop.tool("a", "own", "");
    workshop.person(&["lock", "t/a"]);
    workshop.manifest("own", &runtime.replace("Runs.", "Runs them."), "");
    let (verify, _) = told(&workshop);
    assert_eq!(verify.len(), 1, "{verify:?}");
    let (renewed, status) = reply(&workshop, &["lock", "--stale"]);
    assert_eq!((status, &renewed["code"]), (0, &json!("EX-LOCK-S-004")), "{renewed}");
    assert_eq!(told(&workshop), (vec![], vec![]));
}

#[test]
fn a_new_version_that_nothing_pins_is_told_and_pinned() {
    let workshop = changed_tool();
    let text = manifest("a", "bash_runtime", "a.sh").replace("1.0.0", "1.1.0");
    workshop.manifest("a", &text, "");
    let (verify, doctor) = told(&workshop);
    assert!(verify[0]["finding"] == false && doctor[0]["state"] == "note", "{verify:?} {doctor:?}");
    assert_eq!(reply(&workshop, &["verify"]).1, 0, "it runs, unpinned");
    let (renewed, _) = reply(&workshop, &["lock", "--stale"]);
    let lockfile = "ROOT_PROJECT:/.ai/lockfiles/t/a@1.1.0.lock.json";
    assert_eq!(renewed["data"]["relocked"], json!([lockfile]), "{renewed}");
    assert_eq!(told(&workshop), (vec![], vec![]));
    assert_eq!(workshop.run("a", &["--locked"]).1, 0);
}

#[test]
fn what_nobody_signed_is_not_pinned() {
    let workshop = changed_tool();
    let (renewed, status) = reply(&workshop, &["lock", "--stale"]);
    assert_eq!((status, &renewed["data"]["relocked"]), (0, &json!([])), "{renewed}");
    // The tool is told to be changed, and its lockfile not to be stale: one thing at a time.
    assert_eq!(told(&workshop).0, [] as [Value; 0]);
    assert_ne!(workshop.run("a", &[]).1, 0);
    // A lock that is required and missing: one command.
    std::fs::remove_dir_all(workshop.stage.path("project/.ai/lockfiles")).expect("lockfiles");
    workshop.sign("a");
    let (refused, _) = workshop.run("a", &["--locked"]);
    let hint = refused["hint"].as_str().expect("a hint");
    assert_eq!(hint.matches('`').count(), 2, "one command: {hint}");
    assert!(hint.contains("`mere lock t/a`"), "{hint}");
}
