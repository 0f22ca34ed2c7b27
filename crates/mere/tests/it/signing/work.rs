//! `mere edit` and `mere review`: what a person leaves in their editor, or accepts, is signed.

use serde_json::json;

use crate::matrix::attacks::{edit, load};
use crate::matrix::items::{Signed, TestItem, kinds, read};
use crate::signing::daily::{attended, status, with_editor};
use crate::support::harness::Stage;
use crate::support::typist::Typist;
use crate::trust::keys::{done, run, text};

/// An editor that does this to the file it is given.
fn editor(stage: &Stage, script: &str) -> String {
    let path = stage.file("beside/editor.sh", &format!("#!/bin/sh\n{script}\n"));
    format!("sh '{}'", path.to_str().expect("UTF-8"))
}

#[test]
fn what_is_left_in_the_editor_is_signed() {
    for item in kinds().iter().filter(|item| item.kind != "lockfile") {
        let stage = Signed::new().copy();
        let sed = editor(&stage, "sed -i s/BODY/MINE/ \"$1\"");
        let kind_and_id = [item.kind, &item.reference()];
        let (ended, reply) = with_editor(&stage, &["edit", kind_and_id[0], kind_and_id[1]], &sed);
        assert_eq!((ended, text(&reply["code"])), (0, "IT-DRAFT-S-002"), "{reply}");
        assert_eq!(read(&stage, &item.main()), item.text("BODY").replace("BODY", "MINE"));
        assert_eq!(status(&stage, item), "verified");
        let sidecar = read(&stage, &item.sidecar());
        let (ended, reply) = with_editor(&stage, &["edit", kind_and_id[0], kind_and_id[1]], "true");
        assert_eq!(ended, 0, "{reply}");
        assert!(text(&reply["message"]).contains("nothing was signed"), "{reply}");
        assert_eq!(read(&stage, &item.sidecar()), sidecar);
        edit(&stage, &item.main(), "MINE", "EDIT");
        assert_eq!(status(&stage, item), "changed", "it is no draft any more");
    }
}

#[test]
fn an_editor_that_fails_signs_nothing() {
    let item = kinds()[0].clone();
    for script in ["exit 1", "sed -i s/BODY/MINE/ \"$1\"; exit 1", "kill -9 $$"] {
        let stage = Signed::new().copy();
        let sidecar = read(&stage, &item.sidecar());
        let failing = editor(&stage, script);
        let (ended, reply) = with_editor(&stage, &["edit", item.kind, &item.reference()], &failing);
        assert_eq!((ended, text(&reply["code"])), (4, "IT-SIGN-E-001"), "{script}: {reply}");
        assert_eq!(read(&stage, &item.sidecar()), sidecar, "{script}");
        if !script.contains("sed") {
            edit(&stage, &item.main(), "BODY", "EDIT");
            assert_eq!(status(&stage, &item), "changed", "{script}: nobody is at work on it");
        }
    }
    let stage = Signed::new().copy();
    let (ended, _) =
        with_editor(&stage, &["edit", item.kind, &item.reference()], "/nowhere/editor");
    assert_ne!(ended, 0);
    assert_eq!(status(&stage, &item), "verified", "an editor that is none");
}

#[test]
fn what_is_no_item_any_more_stays_unsigned() {
    for item in kinds().iter().filter(|item| item.kind != "lockfile") {
        let stage = Signed::new().copy();
        let sidecar = read(&stage, &item.sidecar());
        let break_item = editor(&stage, "echo 'not an item: [' > \"$1\"");
        let (ended, reply) =
            with_editor(&stage, &["edit", item.kind, &item.reference()], &break_item);
        assert_eq!((ended, text(&reply["reply_type"])), (1, "I"), "{reply}");
        assert_eq!(read(&stage, &item.sidecar()), sidecar);
        assert_eq!(load(&stage, item).code(), "IT-ITEM-I-004", "the person can go on");
        let repair_item =
            editor(&stage, &format!("cat > \"$1\" <<'END'\n{}END", item.text("MINE")));
        let (ended, reply) =
            with_editor(&stage, &["edit", item.kind, &item.reference()], &repair_item);
        assert_eq!(ended, 0, "{reply}");
        assert_eq!(status(&stage, item), "verified");
    }
}

#[test]
fn what_the_editor_does_not_show_is_not_signed_by_it() {
    for at in [1, 2, 3, 4] {
        let item = kinds()[at].clone();
        let (side, kind_and_id) = (item.side().expect("one"), [item.kind, &item.reference()]);
        // Changed before: it is not even opened.
        let stage = Signed::new().copy();
        let sidecar = read(&stage, &item.sidecar());
        stage.file(&side, "EDIT\n");
        let sed = editor(&stage, "sed -i s/BODY/MINE/ \"$1\"");
        let (ended, reply) = with_editor(&stage, &["edit", kind_and_id[0], kind_and_id[1]], &sed);
        assert_eq!((ended, text(&reply["code"])), (4, "IT-TRUST-E-002"), "{reply}");
        assert_eq!(read(&stage, &item.main()), item.text("BODY"));
        assert_eq!(status(&stage, &item), "changed");
        // Changed by somebody else in the meantime: the person goes on with a draft.
        stage.file(&side, "SIDE of BODY\n");
        let path = stage.path(&side);
        let both = format!("sed -i s/BODY/MINE/ \"$1\"; echo EDIT > '{}'", path.display());
        let (ended, reply) =
            with_editor(&stage, &["edit", kind_and_id[0], kind_and_id[1]], &editor(&stage, &both));
        assert_eq!(ended, 0, "{reply}");
        assert!(text(&reply["message"]).contains("is a draft"), "{reply}");
        assert_eq!(read(&stage, &item.sidecar()), sidecar);
        assert_eq!(status(&stage, &item), "draft");
    }
}

/// What an agent proposes instead of an item, or as a new one.
fn propose(stage: &Stage, item: &TestItem, action: &str, body: &str) -> String {
    let arguments = json!({
        "item_type": item.kind, "action": action, "item_id": item.reference(),
        "content": item.text(body),
    });
    let answer = stage.call_text("execute", &arguments.to_string());
    assert_eq!(answer.code(), "IT-CHANGE-S-002", "{}", answer.reply);
    let listed = run(stage, &["review", "--list"]).1;
    text(&listed["data"]["proposals"][0]["proposal"]).to_owned()
}

fn reviewed() -> Vec<(TestItem, &'static str)> {
    let kinds = kinds();
    let kept = kinds.iter().filter(|item| item.kind != "lockfile");
    let updates = kept.map(|item| (item.clone(), "update"));
    let new = [0, 3].map(|at| (kinds[at].id("fresh"), "create"));
    updates.chain(new).collect()
}

#[test]
fn what_is_accepted_is_signed_in_one_step() {
    for (item, action) in reviewed() {
        let stage = Signed::new().copy();
        let before = item.is_there(&stage).then(|| status(&stage, &item));
        let name = propose(&stage, &item, action, "MINE");
        if let Some(before) = before {
            assert_eq!((before.as_str(), status(&stage, &item).as_str()), ("verified", "verified"));
            assert!(!read(&stage, &item.main()).contains("MINE"), "only proposed");
        }
        let shown = done(&stage, &["review", "--show", &name]);
        let digest = text(&shown["digest"]);
        let accepted = done(&stage, &["review", "--accept", &name, "--digest", digest]);
        assert_eq!(accepted["trust"]["status"], "verified", "{accepted}");
        assert_eq!(read(&stage, &item.main()), item.text("MINE"));
        assert_eq!(status(&stage, &item), "verified");
    }
}

#[test]
fn where_nobody_can_sign_what_is_signed_is_not_broken_by_accepting() {
    for (item, action) in reviewed() {
        let stage = attended();
        let before = item.is_there(&stage).then(|| read(&stage, &item.main()));
        let name = propose(&stage, &item, action, "MINE");
        let (ended, reply) = run(&stage, &["review", "--accept", &name]);
        match before {
            Some(before) => {
                assert_eq!((ended, text(&reply["code"])), (3, "EN-SIGN-D-001"), "{reply}");
                assert_eq!(read(&stage, &item.main()), before);
                assert_eq!(status(&stage, &item), "verified");
                let listed = run(&stage, &["review", "--list"]).1;
                assert_eq!(listed["data"]["count"], 1, "the proposal waits");
            }
            None => {
                assert_eq!((ended, &reply["data"]["trust"]["status"]), (0, &json!("unsigned")));
            }
        }
    }
}

#[test]
fn at_a_terminal_a_proposal_is_shown_accepted_and_signed() {
    let item = kinds()[0].clone();
    for (command, question, yes) in [
        ("review --color never", "Accept this? [a]ccept, [r]eject, [s]kip, [q]uit", "a"),
        ("sign --color never", "Accept it? [y]es, [n]ot now, [r]eject, [q]uit", "y"),
    ] {
        let stage = attended();
        propose(&stage, &item, "update", "MINE");
        let mut typist = Typist::start(&stage, command);
        typist.wait_for("+# Before MINE");
        typist.answer(question, yes);
        let (ended, shown) = typist.finish();
        assert_eq!(ended, 0, "{command}: {shown}");
        assert_eq!(read(&stage, &item.main()), item.text("MINE"), "{command}");
        assert_eq!(status(&stage, &item), "verified", "{command}: {shown}");
    }
    let stage = attended();
    propose(&stage, &item, "update", "MINE");
    let mut typist = Typist::start(&stage, "review");
    typist.answer("Accept this? [a]ccept, [r]eject, [s]kip, [q]uit", "r");
    assert_eq!(typist.finish().0, 0);
    assert_eq!(
        (status(&stage, &item).as_str(), read(&stage, &item.main())),
        ("verified", item.text("BODY"))
    );
}

#[test]
fn a_proposal_for_what_has_changed_since_is_not_signed() {
    let stage = Signed::new().copy();
    let item = kinds()[0].clone();
    let name = propose(&stage, &item, "update", "MINE");
    edit(&stage, &item.main(), "BODY", "EDIT");
    done(&stage, &["sign", item.kind, &item.reference()]);
    let sidecar = read(&stage, &item.sidecar());
    let (ended, reply) = run(&stage, &["review", "--accept", &name]);
    assert_eq!((ended, text(&reply["code"])), (1, "IT-ITEM-I-008"), "{reply}");
    assert_eq!(
        (read(&stage, &item.sidecar()), status(&stage, &item)),
        (sidecar, "verified".into())
    );
}

#[test]
fn a_review_that_was_cut_off_after_the_signature_is_done_again() {
    for at in [0, 1, 3, 4] {
        let stage = Signed::new().copy();
        let item = kinds()[at].clone();
        stage.file(&item.main(), &item.text("MINE"));
        done(&stage, &["sign", item.kind, &item.reference()]);
        stage.file(&item.main(), &item.text("BODY"));
        assert_eq!(status(&stage, &item), "changed");
        let name = propose(&stage, &item, "update", "MINE");
        done(&stage, &["review", "--accept", &name]);
        assert_eq!(status(&stage, &item), "verified");
    }
}
