//! Killed in the middle: nothing is verified that should not be, and no byte is lost.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::matrix::attacks::load;
use crate::matrix::items::{Signed, TestItem, kinds, read};
use crate::signing::daily::status;
use crate::support::harness::{Mcp, Stage};
use crate::trust::keys::{done, run, text};

/// How often each command is killed, each time a little later.
const ROUNDS: u32 = 10;

/// Starts a command, and kills it after so many tenths of the time that it takes.
fn kill(stage: &Stage, arguments: &[&str], round: u32, whole: Duration) {
    let mut command = stage.command("project");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("mere starts");
    std::thread::sleep(whole * round / ROUNDS);
    let _ = child.kill();
    child.wait().expect("it ends");
}

/// How long a command takes if it is left alone.
fn time(stage: &Stage, arguments: &[&str]) -> Duration {
    let start = std::time::Instant::now();
    done(stage, arguments);
    start.elapsed()
}

/// The body that an agent is given, if it is given one as verified.
fn verified_body(stage: &Stage, item: &TestItem) -> Option<String> {
    let reply = load(stage, item).reply;
    let data = &reply["data"];
    let is_verified = data["trust"]["status"] == "verified";
    is_verified.then(|| text(&data["content"]).to_owned())
}

/// The status of many items.
fn statuses(stage: &Stage, items: &[TestItem]) -> Vec<String> {
    let mut mcp = Mcp::greeted(stage, &[]);
    let statuses = items.iter().map(|item| {
        let load = json!({ "item_type": item.kind, "item_id": item.reference() });
        text(&mcp.call("load", &load)["data"]["trust"]["status"]).to_owned()
    });
    statuses.collect()
}

/// More work between the first write and the last.
fn grow(stage: &Stage) -> Vec<TestItem> {
    let many = (0..30).map(|number| {
        let item = kinds()[1].id(&format!("grown-{number}"));
        item.write(stage, "BODY");
        for file in 0..5 {
            stage.file(&format!("{}/lib/{file}.txt", item.folder()), "SIDE\n");
        }
        item
    });
    many.collect()
}

#[test]
fn a_killed_signature_is_whole_or_none() {
    let signed = Signed::new();
    let sign = ["sign", "--all", "--yes"];
    let prepared = || {
        let stage = signed.copy();
        for item in kinds() {
            stage.file(&item.main(), &(read(&stage, &item.main()) + "\n"));
        }
        let items = grow(&stage).into_iter().chain(kinds()).collect::<Vec<_>>();
        (stage, items)
    };
    let whole = time(&prepared().0, &sign);
    for round in 0..=ROUNDS {
        let (stage, items) = prepared();
        let before = items.iter().map(|item| read(&stage, &item.main())).collect::<Vec<_>>();
        kill(&stage, &sign, round, whole);
        for (item, before) in items.iter().zip(before) {
            assert_eq!(read(&stage, &item.main()), before, "round {round}");
        }
        for found in statuses(&stage, &items) {
            let allowed = ["verified", "changed", "unsigned"];
            assert!(allowed.contains(&found.as_str()), "round {round}: {found}");
        }
        done(&stage, &sign);
        for found in statuses(&stage, &items) {
            assert_eq!(found, "verified", "round {round}, again");
        }
    }
}

#[test]
fn a_killed_move_loses_nothing() {
    let signed = Signed::new();
    for at in [1, 3, 5] {
        let item = kinds()[at].clone();
        let to = item.category("ops");
        let (kind, id) = (item.kind, item.reference());
        let arguments = ["move", kind, &id, "ops"];
        let whole = time(&signed.copy(), &arguments);
        for round in 0..=ROUNDS {
            let stage = signed.copy();
            let (main, side) = (item.text("BODY"), item.side().map(|side| read(&stage, &side)));
            kill(&stage, &arguments, round, whole);
            let there = [&item, &to].map(|item| item.is_there(&stage));
            assert!(there.contains(&true), "{kind} round {round}: it is gone");
            for item in [&item, &to].into_iter().filter(|item| item.is_there(&stage)) {
                if let Some(body) = verified_body(&stage, item) {
                    assert_eq!(body, main, "{kind} round {round}");
                    assert_eq!(item.side().map(|side| read(&stage, &side)), side);
                }
            }
            let verified = [&item, &to].map(|item| verified_body(&stage, item).is_some());
            assert!(verified.contains(&true), "{kind} round {round}: none is whole");
            // Whatever was left can be cleared up by hand and done again.
            if there == [true, true] {
                done(&stage, &["delete", kind, &id, "--yes"]);
            } else if there[0] {
                done(&stage, &arguments);
            }
            assert_eq!(status(&stage, &to), "verified", "{kind} round {round}");
        }
    }
}

#[test]
fn a_killed_review_leaves_the_old_item_or_the_new_one() {
    let signed = Signed::new();
    for at in [0, 4] {
        let item = kinds()[at].clone();
        let prepared = || {
            let stage = signed.copy();
            let arguments = json!({
                "item_type": item.kind, "action": "update", "item_id": item.reference(),
                "content": item.text("MINE"),
            });
            stage.call_text("execute", &arguments.to_string());
            let listed = done(&stage, &["review", "--list"]);
            let name = text(&listed["proposals"][0]["proposal"]).to_owned();
            (stage, name)
        };
        let (stage, name) = prepared();
        let whole = time(&stage, &["review", "--accept", &name]);
        for round in 0..=ROUNDS {
            let (stage, name) = prepared();
            kill(&stage, &["review", "--accept", &name], round, whole);
            let (old, new) = (item.text("BODY"), item.text("MINE"));
            let now = read(&stage, &item.main());
            assert!(now == old || now == new, "round {round}: {now}");
            let found = status(&stage, &item);
            match found.as_str() {
                "verified" => assert_eq!(verified_body(&stage, &item), Some(now.clone())),
                // The signature came first.
                "changed" => assert_eq!(now, old, "round {round}"),
                other => panic!("round {round}: {other}"),
            }
            let waits = run(&stage, &["review", "--list"]).1["data"]["count"] == 1;
            assert!(waits || now == new, "round {round}: the proposal is lost");
            if now == old {
                done(&stage, &["review", "--accept", &name]);
            }
            assert_eq!(verified_body(&stage, &item), Some(new), "round {round}");
        }
    }
}
