//! What a person is told and asked by `mere sign` and `mere verify`, and what becomes of the
//! answers.

use crate::support::harness::Stage;
use crate::support::typist::Typist;
use crate::trust::keys::{done, run, text};

const QUESTION: &str = "Sign it? [y]es, [n]o, [a]ll, [q]uit";

/// A space without examples, with unsigned notes and one that is not valid.
fn with_notes(notes: &[&str]) -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    done(&stage, &["keys", "generate", "--no-passphrase"]);
    done(&stage, &["init", "--template", "blank"]);
    stage.file("home/.ai/config.yaml", "");
    for id in notes {
        let note = format!("---\nid: {id}\ntitle: The note {id}\n---\nThe text of {id}.\n");
        stage.file(&format!("project/.ai/knowledge/notes/{id}.md"), &note);
    }
    stage
}

fn status_of(stage: &Stage, id: &str) -> String {
    let (_, reply) = run(stage, &["verify", "knowledge", id]);
    text(&reply["data"]["items"][0]["status"]).to_owned()
}

#[test]
fn plain_sign_tells_of_the_unsigned_items_that_need_no_signature() {
    let stage = with_notes(&["one", "two"]);
    let output = stage.person(&["sign"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.contains("2 items are unsigned") && shown.contains("sign --all"), "{shown}");
    assert!(!shown.contains("nothing to sign"), "{shown}");
}

#[test]
fn a_name_that_matches_nothing_is_a_failure_with_near_names() {
    let stage = with_notes(&["paging"]);
    for command in ["verify", "sign"] {
        for (name, near) in [("pagin", "notes/paging"), ("ntes/*", "notes/*")] {
            let (ended, reply) = run(&stage, &[command, name]);
            assert_eq!((ended, text(&reply["code"])), (1, "IT-ITEM-I-001"), "{reply}");
            assert!(text(&reply["message"]).contains(name), "{reply}");
            assert!(text(&reply["hint"]).contains(near), "{reply}");
        }
        let (ended, reply) = run(&stage, &[command, "something-else"]);
        assert_eq!((ended, text(&reply["reply_type"])), (1, "I"), "{reply}");
        let (ended, reply) = run(&stage, &[command, "paging", "something-else"]);
        assert_eq!((ended, text(&reply["reply_type"])), (1, "I"), "one of two: {reply}");
    }
    assert_eq!(run(&stage, &["verify", "notes/*"]).0, 0);
}

#[test]
fn signing_everything_shows_each_change_and_counts_what_can_be_signed() {
    let stage = with_notes(&["one", "two"]);
    stage.file("project/.ai/knowledge/notes/bad.md", "---\nid: [\n---\n");
    let mut typist = Typist::start(&stage, "sign --all --color never");
    typist.wait_for("+The text of one.");
    typist.wait_for("+The text of two.");
    typist.answer("Sign all 2? (1 other cannot be signed) [y/N]", "y");
    let (ended, shown) = typist.finish();
    assert_eq!(ended, 1, "{shown}");
    assert!(shown.contains("bad.md cannot be signed"), "{shown}");
    assert_eq!(["one", "two"].map(|id| status_of(&stage, id)), ["verified"; 2]);
}

#[test]
fn what_was_accepted_before_ctrl_c_is_signed() {
    let stage = with_notes(&["one", "two"]);
    let mut typist = Typist::start(&stage, "sign knowledge --color never");
    typist.wait_for("Ctrl-C keeps what was signed");
    typist.answer(QUESTION, "y");
    typist.wait_for("signed knowledge notes/one");
    typist.wait_for(QUESTION);
    typist.press("\u{3}");
    let (ended, shown) = typist.finish();
    assert_ne!(ended, 0, "{shown}");
    assert_eq!(["one", "two"].map(|id| status_of(&stage, id)), ["verified", "unsigned"]);
}
