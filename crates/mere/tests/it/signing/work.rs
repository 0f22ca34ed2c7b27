//! `mere edit` and `mere review`: what a person leaves in their editor, or accepts, is signed.

use serde_json::json;

use crate::matrix::attacks::{edit, load};
use crate::matrix::items::{Signed, Spot, kinds, read};
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
    for spot in kinds().iter().filter(|spot| spot.kind != "lockfile") {
        let stage = Signed::new().copy();
        let sed = editor(&stage, "sed -i s/BODY/MINE/ \"$1\"");
        let item = [spot.kind, &spot.reference()];
        let (ended, reply) = with_editor(&stage, &["edit", item[0], item[1]], &sed);
        assert_eq!((ended, text(&reply["code"])), (0, "IT-DRAFT-S-002"), "{reply}");
        assert_eq!(read(&stage, &spot.main()), spot.text("BODY").replace("BODY", "MINE"));
        assert_eq!(status(&stage, spot), "verified");
        let letter = read(&stage, &spot.sidecar());
        let (ended, reply) = with_editor(&stage, &["edit", item[0], item[1]], "true");
        assert_eq!(ended, 0, "{reply}");
        assert!(text(&reply["message"]).contains("nothing was signed"), "{reply}");
        assert_eq!(read(&stage, &spot.sidecar()), letter);
        edit(&stage, &spot.main(), "MINE", "EDIT");
        assert_eq!(status(&stage, spot), "changed", "it is no draft any more");
    }
}

#[test]
fn an_editor_that_fails_signs_nothing() {
    let spot = kinds()[0].clone();
    for script in ["exit 1", "sed -i s/BODY/MINE/ \"$1\"; exit 1", "kill -9 $$"] {
        let stage = Signed::new().copy();
        let letter = read(&stage, &spot.sidecar());
        let failing = editor(&stage, script);
        let (ended, reply) = with_editor(&stage, &["edit", spot.kind, &spot.reference()], &failing);
        assert_eq!((ended, text(&reply["code"])), (4, "IT-SIGN-E-001"), "{script}: {reply}");
        assert_eq!(read(&stage, &spot.sidecar()), letter, "{script}");
        if !script.contains("sed") {
            edit(&stage, &spot.main(), "BODY", "EDIT");
            assert_eq!(status(&stage, &spot), "changed", "{script}: nobody is at work on it");
        }
    }
    let stage = Signed::new().copy();
    let (ended, _) =
        with_editor(&stage, &["edit", spot.kind, &spot.reference()], "/nowhere/editor");
    assert_ne!(ended, 0);
    assert_eq!(status(&stage, &spot), "verified", "an editor that is none");
}

#[test]
fn what_is_no_item_any_more_stays_unsigned() {
    for spot in kinds().iter().filter(|spot| spot.kind != "lockfile") {
        let stage = Signed::new().copy();
        let letter = read(&stage, &spot.sidecar());
        let spoil = editor(&stage, "echo 'not an item: [' > \"$1\"");
        let (ended, reply) = with_editor(&stage, &["edit", spot.kind, &spot.reference()], &spoil);
        assert_eq!((ended, text(&reply["reply_type"])), (1, "I"), "{reply}");
        assert_eq!(read(&stage, &spot.sidecar()), letter);
        assert_eq!(load(&stage, spot).code(), "IT-ITEM-I-004", "the person can go on");
        let mend = editor(&stage, &format!("cat > \"$1\" <<'END'\n{}END", spot.text("MINE")));
        let (ended, reply) = with_editor(&stage, &["edit", spot.kind, &spot.reference()], &mend);
        assert_eq!(ended, 0, "{reply}");
        assert_eq!(status(&stage, spot), "verified");
    }
}

#[test]
fn what_the_editor_does_not_show_is_not_signed_by_it() {
    for at in [1, 2, 3, 4] {
        let spot = kinds()[at].clone();
        let (side, item) = (spot.side().expect("one"), [spot.kind, &spot.reference()]);
        // Changed before: it is not even opened.
        let stage = Signed::new().copy();
        let letter = read(&stage, &spot.sidecar());
        stage.file(&side, "EDIT\n");
        let sed = editor(&stage, "sed -i s/BODY/MINE/ \"$1\"");
        let (ended, reply) = with_editor(&stage, &["edit", item[0], item[1]], &sed);
        assert_eq!((ended, text(&reply["code"])), (4, "IT-TRUST-E-002"), "{reply}");
        assert_eq!(read(&stage, &spot.main()), spot.text("BODY"));
        assert_eq!(status(&stage, &spot), "changed");
        // Changed by somebody else in the meantime: the person goes on with a draft.
        stage.file(&side, "SIDE of BODY\n");
        let path = stage.path(&side);
        let both = format!("sed -i s/BODY/MINE/ \"$1\"; echo EDIT > '{}'", path.display());
        let (ended, reply) =
            with_editor(&stage, &["edit", item[0], item[1]], &editor(&stage, &both));
        assert_eq!(ended, 0, "{reply}");
        assert!(text(&reply["message"]).contains("is a draft"), "{reply}");
        assert_eq!(read(&stage, &spot.sidecar()), letter);
        assert_eq!(status(&stage, &spot), "draft");
    }
}

/// What an agent proposes instead of an item, or as a new one.
fn propose(stage: &Stage, spot: &Spot, action: &str, body: &str) -> String {
    let arguments = json!({
        "item_type": spot.kind, "action": action, "item_id": spot.reference(),
        "content": spot.text(body),
    });
    let answer = stage.call_text("execute", &arguments.to_string());
    assert_eq!(answer.code(), "IT-CHANGE-S-002", "{}", answer.reply);
    let listed = run(stage, &["review", "--list"]).1;
    text(&listed["data"]["proposals"][0]["proposal"]).to_owned()
}

fn reviewed() -> Vec<(Spot, &'static str)> {
    let kinds = kinds();
    let kept = kinds.iter().filter(|spot| spot.kind != "lockfile");
    let updates = kept.map(|spot| (spot.clone(), "update"));
    let new = [0, 3].map(|at| (kinds[at].id("fresh"), "create"));
    updates.chain(new).collect()
}

#[test]
fn what_is_accepted_is_signed_in_one_step() {
    for (spot, action) in reviewed() {
        let stage = Signed::new().copy();
        let before = spot.is_there(&stage).then(|| status(&stage, &spot));
        let name = propose(&stage, &spot, action, "MINE");
        if let Some(before) = before {
            assert_eq!((before.as_str(), status(&stage, &spot).as_str()), ("verified", "verified"));
            assert!(!read(&stage, &spot.main()).contains("MINE"), "only proposed");
        }
        let shown = done(&stage, &["review", "--show", &name]);
        let digest = text(&shown["digest"]);
        let accepted = done(&stage, &["review", "--accept", &name, "--digest", digest]);
        assert_eq!(accepted["trust"]["status"], "verified", "{accepted}");
        assert_eq!(read(&stage, &spot.main()), spot.text("MINE"));
        assert_eq!(status(&stage, &spot), "verified");
    }
}

#[test]
fn where_nobody_can_sign_what_is_signed_is_not_broken_by_accepting() {
    for (spot, action) in reviewed() {
        let stage = attended();
        let before = spot.is_there(&stage).then(|| read(&stage, &spot.main()));
        let name = propose(&stage, &spot, action, "MINE");
        let (ended, reply) = run(&stage, &["review", "--accept", &name]);
        match before {
            Some(before) => {
                assert_eq!((ended, text(&reply["code"])), (3, "EN-SIGN-D-001"), "{reply}");
                assert_eq!(read(&stage, &spot.main()), before);
                assert_eq!(status(&stage, &spot), "verified");
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
    let spot = kinds()[0].clone();
    for (command, question, yes) in [
        ("review --color never", "Accept this? [a]ccept, [r]eject, [s]kip, [q]uit", "a"),
        ("sign --color never", "Accept it? [y]es, [n]ot now, [r]eject, [q]uit", "y"),
    ] {
        let stage = attended();
        propose(&stage, &spot, "update", "MINE");
        let mut typist = Typist::start(&stage, command);
        typist.wait_for("+# Before MINE");
        typist.answer(question, yes);
        let (ended, shown) = typist.finish();
        assert_eq!(ended, 0, "{command}: {shown}");
        assert_eq!(read(&stage, &spot.main()), spot.text("MINE"), "{command}");
        assert_eq!(status(&stage, &spot), "verified", "{command}: {shown}");
    }
    let stage = attended();
    propose(&stage, &spot, "update", "MINE");
    let mut typist = Typist::start(&stage, "review");
    typist.answer("Accept this? [a]ccept, [r]eject, [s]kip, [q]uit", "r");
    assert_eq!(typist.finish().0, 0);
    assert_eq!(
        (status(&stage, &spot).as_str(), read(&stage, &spot.main())),
        ("verified", spot.text("BODY"))
    );
}

#[test]
fn a_proposal_for_what_has_changed_since_is_not_signed() {
    let stage = Signed::new().copy();
    let spot = kinds()[0].clone();
    let name = propose(&stage, &spot, "update", "MINE");
    edit(&stage, &spot.main(), "BODY", "EDIT");
    done(&stage, &["sign", spot.kind, &spot.reference()]);
    let letter = read(&stage, &spot.sidecar());
    let (ended, reply) = run(&stage, &["review", "--accept", &name]);
    assert_eq!((ended, text(&reply["code"])), (1, "IT-ITEM-I-008"), "{reply}");
    assert_eq!((read(&stage, &spot.sidecar()), status(&stage, &spot)), (letter, "verified".into()));
}

#[test]
fn a_review_that_was_cut_off_after_the_signature_is_done_again() {
    for at in [0, 1, 3, 4] {
        let stage = Signed::new().copy();
        let spot = kinds()[at].clone();
        stage.file(&spot.main(), &spot.text("MINE"));
        done(&stage, &["sign", spot.kind, &spot.reference()]);
        stage.file(&spot.main(), &spot.text("BODY"));
        assert_eq!(status(&stage, &spot), "changed");
        let name = propose(&stage, &spot, "update", "MINE");
        done(&stage, &["review", "--accept", &name]);
        assert_eq!(status(&stage, &spot), "verified");
    }
}
