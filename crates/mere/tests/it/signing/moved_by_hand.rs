//! Items that were moved by hand: the command that the messages name settles everything.

use std::fs;

use serde_json::Value;

use crate::matrix::items::{Signed, kinds, read};
use crate::support::harness::Stage;
use crate::trust::keys::{done, run, text};

/// A fresh space with the examples of `mere init`, all signed, in a home that signs unattended.
fn fresh_space() -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    done(&stage, &["keys", "generate", "--no-passphrase"]);
    done(&stage, &["init"]);
    stage
}

fn rename(stage: &Stage, from: &str, to: &str) {
    let (from, to) = (stage.path(from), stage.path(to));
    fs::create_dir_all(to.parent().expect("a folder above")).expect("a folder");
    fs::rename(from, to).expect("moved");
}

fn is_sound(stage: &Stage) {
    let (ended, reply) = run(stage, &["verify", "--all"]);
    assert_eq!(ended, 0, "{reply:#}");
}

fn first(reply: &Value) -> Value {
    reply["data"]["items"][0].clone()
}

#[test]
fn the_demonstration_of_the_readme_ends_with_the_command_that_it_names() {
    let stage = fresh_space();
    let before = read(&stage, "project/.ai/knowledge/examples/how-items-work.md");
    rename(&stage, "project/.ai/knowledge/examples", "project/.ai/knowledge/team");
    let (ended, reply) = run(&stage, &["show", "knowledge", "how-items-work"]);
    assert_eq!(ended, 4, "{reply}");
    assert!(text(&reply["hint"]).contains("mere sign knowledge team/how-items-work"), "{reply}");
    let words = ["sign", "--dry-run", "knowledge", "team/how-items-work"];
    let plan = first(&run(&stage, &words).1);
    assert_eq!(plan["base"], "what was signed", "{plan}");
    let diff = text(&plan["changes"][0]["diff"]).to_owned();
    assert!(diff.contains("-category: examples") && diff.contains("+category: team"), "{diff}");
    assert!(text(&plan["warning"]).contains("states another category or id"), "{plan}");
    assert_eq!(read(&stage, "project/.ai/knowledge/team/how-items-work.md"), before);
    let signed = done(&stage, &["sign", "knowledge", "team/how-items-work"]);
    assert!(text(&signed["signed"][0]["note"]).contains("now states the location"), "{signed}");
    let after = read(&stage, "project/.ai/knowledge/team/how-items-work.md");
    assert_eq!(after, before.replace("category: examples", "category: team"));
    is_sound(&stage);
}

#[test]
fn a_directive_a_skill_and_a_tool_that_state_their_old_place_are_signed_at_the_new_one() {
    let signed = Signed::new();
    for item in kinds().into_iter().filter(|item| item.kind != "lockfile") {
        let stage = signed.copy();
        let to = item.category("ops");
        item.moved(&stage, &to);
        done(&stage, &["sign", item.kind, &to.reference()]);
        is_sound(&stage);
        let stage = signed.copy();
        let renamed = item.id("renamed");
        item.moved(&stage, &renamed);
        let (ended, reply) = run(&stage, &["sign", item.kind, &renamed.reference()]);
        assert_eq!(ended, 0, "{}: {reply:#}", renamed.address());
    }
}

#[test]
fn an_item_that_is_not_valid_for_another_reason_is_left_as_it_is() {
    let stage = fresh_space();
    rename(&stage, "project/.ai/knowledge/examples", "project/.ai/knowledge/team");
    let file = "project/.ai/knowledge/team/how-items-work.md";
    stage.file(file, &(read(&stage, file) + "\u{0}"));
    let before = read(&stage, file);
    let output = stage.person(&["sign", "knowledge", "team/how-items-work"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(&stage, file), before);
    assert!(read(&stage, &format!("{file}.sig")).contains("payload"), "and so is its signature");
}

#[test]
fn an_item_moved_without_its_signature_is_compared_with_what_was_signed() {
    let stage = fresh_space();
    let old = "project/.ai/knowledge/examples/how-items-work.md";
    let new = "project/.ai/knowledge/http/how-items-work.md";
    rename(&stage, old, new);
    stage.file(new, &(read(&stage, new) + "An edit during the move.\n"));
    let plan = first(&run(&stage, &["sign", "--dry-run"]).1);
    assert_eq!(plan["base"], "what was signed", "{plan}");
    let diff = text(&plan["changes"][0]["diff"]);
    let added = diff.lines().filter(|line| line.starts_with('+')).collect::<Vec<_>>();
    assert_eq!(added, ["+category: http", "+An edit during the move."], "{diff}");
}

#[test]
fn signing_a_moved_item_removes_the_signature_that_it_left_behind() {
    let stage = fresh_space();
    let old = "project/.ai/knowledge/examples/how-items-work.md";
    rename(&stage, old, "project/.ai/knowledge/http/how-items-work.md");
    let signed = done(&stage, &["sign", "knowledge", "http/how-items-work"]);
    let address = "ROOT_PROJECT:/.ai/knowledge/examples/how-items-work.md.sig";
    assert_eq!(signed["signed"][0]["removed"][0], address, "{signed}");
    assert!(text(&signed["signed"][0]["note"]).contains(address), "{signed}");
    assert!(!stage.path(&format!("{old}.sig")).exists());
    is_sound(&stage);
}

#[test]
fn signing_removes_no_signature_that_does_not_count_or_is_of_another_item() {
    let signed = Signed::new();
    let by_another = signed.by_another();
    let item = kinds()[5].clone();
    let stage = signed.copy();
    let strange = item.category("elsewhere").sidecar();
    stage.file(&strange, &read(&by_another, &item.sidecar()));
    let other = item.id("unrelated");
    other.write(&stage, "BODY");
    for name in [item.reference(), other.reference()] {
        done(&stage, &["sign", item.kind, &name]);
    }
    assert!(stage.path(&strange).exists(), "a key that nobody trusts settles nothing");
}
