//! Moving, renaming and copying signed items: one's own are signed anew, another's keep their place.

use serde_json::{Value, json};

use crate::matrix::attacks::load;
use crate::matrix::items::{Signed, Spot, copy_tree, kinds, read};
use crate::signing::daily::status;
use crate::support::harness::Stage;
use crate::trust::keys::{done, run, text};

fn trust(stage: &Stage, spot: &Spot) -> Value {
    load(stage, spot).reply["data"]["trust"].clone()
}

/// A stage of somebody else, who has a key, trusts the author as Ada, and may sign unattended.
fn installer(signed: &Signed) -> Stage {
    let stage = Stage::new();
    let author = signed.copy();
    copy_tree(&author.path("project"), &stage.path("project"));
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    let key = done(&author, &["keys", "export"]);
    done(&stage, &["keys", "generate", "--no-passphrase"]);
    done(&stage, &["trust", "add", text(&key["public"]), "--name", "Ada"]);
    stage
}

#[test]
fn ones_own_item_is_verified_wherever_it_is_taken() {
    let signed = Signed::new();
    for spot in kinds() {
        let stage = signed.copy();
        let item = [spot.kind, &spot.reference()];
        let moved = spot.category("ops/deep");
        let told = done(&stage, &["move", item[0], item[1], "ops/deep"]);
        assert_eq!(told["trust"]["status"], "verified", "{told}");
        assert_eq!(status(&stage, &moved), "verified", "{}", moved.address());
        assert!(!spot.is_there(&stage) && !stage.path(&spot.sidecar()).exists());
        let mut last = moved.clone();
        if spot.kind != "lockfile" {
            let renamed = moved.id("other");
            done(&stage, &["rename", item[0], &moved.reference(), "other"]);
            assert_eq!(status(&stage, &renamed), "verified", "{}", renamed.address());
            assert!(!moved.is_there(&stage) && !stage.path(&moved.sidecar()).exists());
            last = renamed;
        }
        let copied = last.in_own_space();
        done(&stage, &["copy", item[0], &last.reference(), "--to", "user"]);
        assert_eq!(status(&stage, &copied), "verified", "{}", copied.address());
        assert_eq!(status(&stage, &last), "verified");
        let output = stage.person(&["verify", "--all", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_users_own_item_is_copied_into_the_project() {
    let own = kinds().into_iter().filter(|spot| spot.base.starts_with(".ai/"));
    let own = own.map(|spot| spot.root("home")).collect::<Vec<_>>();
    let signed = Signed::of(&own);
    for spot in own {
        let stage = signed.copy();
        done(&stage, &["copy", spot.kind, &spot.reference(), "--to", "project"]);
        assert_eq!(status(&stage, &spot.root("project")), "verified", "{}", spot.address());
    }
}

#[test]
fn what_another_signed_keeps_its_place_unless_one_becomes_its_author() {
    let signed = Signed::new();
    for spot in kinds() {
        let stage = installer(&signed);
        let item = [spot.kind, &spot.reference()];
        let letter = read(&stage, &spot.sidecar());
        assert_eq!(trust(&stage, &spot)["signer"], "Ada");
        let mut refused = vec![vec!["move", item[0], item[1], "ops"]];
        if spot.kind != "lockfile" {
            refused.push(vec!["rename", item[0], item[1], "other"]);
        }
        for arguments in refused {
            let (ended, reply) = run(&stage, &arguments);
            assert_eq!((ended, text(&reply["code"])), (1, "IT-SIGN-I-002"), "{reply}");
            assert_eq!(read(&stage, &spot.sidecar()), letter);
            assert_eq!(status(&stage, &spot), "verified");
        }
        done(&stage, &["move", item[0], item[1], "ops", "--as-mine"]);
        let moved = spot.category("ops");
        let told = trust(&stage, &moved);
        assert_eq!((&told["status"], &told["signer"]), (&json!("verified"), &json!("you")));
    }
}

#[test]
fn a_copy_keeps_what_its_author_signed() {
    let signed = Signed::new();
    for spot in kinds().iter().filter(|spot| spot.kind != "lockfile") {
        let stage = installer(&signed);
        let (item, copied) = ([spot.kind, &spot.reference()], spot.in_own_space());
        done(&stage, &["copy", item[0], item[1], "--to", "user"]);
        let [before, after] = [spot, &copied].map(|spot| spot.letter(&stage));
        assert_eq!(before["statement"], after["statement"], "the author's, byte for byte");
        assert_ne!(before["placement"], after["placement"]);
        let told = trust(&stage, &copied);
        assert_eq!(told["status"], "verified", "{told}");
        assert_eq!((&told["signer"], &told["placed_by"]), (&json!("Ada"), &json!("you")));
        // The same as one's own.
        let stage = installer(&signed);
        done(&stage, &["copy", item[0], item[1], "--to", "user", "--as-mine"]);
        let told = trust(&stage, &copied);
        assert_eq!((&told["status"], &told["signer"]), (&json!("verified"), &json!("you")));
        assert_eq!(told.get("placed_by"), None);
        assert_eq!(read(&stage, &copied.main()), read(&stage, &spot.main()));
    }
}

#[test]
fn what_is_broken_goes_nowhere() {
    let signed = Signed::new();
    for spot in kinds() {
        let stage = signed.copy();
        let text_before = read(&stage, &spot.main()) + "\n";
        stage.file(&spot.main(), &text_before);
        let (kind, id) = (spot.kind, spot.reference());
        for arguments in [
            vec!["move", kind, &id, "ops"],
            vec!["move", kind, &id, "ops", "--as-mine"],
            vec!["copy", kind, &id, "--to", "user"],
            vec!["copy", kind, &id, "--to", "user", "--as-mine"],
        ] {
            let (ended, reply) = run(&stage, &arguments);
            assert_eq!((ended, text(&reply["code"])), (4, "IT-TRUST-E-002"), "{reply}");
        }
        assert_eq!(read(&stage, &spot.main()), text_before);
        assert!(!spot.in_own_space().is_there(&stage) && !spot.category("ops").is_there(&stage));
    }
}

#[test]
fn an_unsigned_item_stays_so_when_it_is_taken_elsewhere() {
    let signed = Signed::new();
    for spot in kinds() {
        let stage = signed.copy();
        std::fs::remove_file(stage.path(&spot.sidecar())).expect("removed");
        done(&stage, &["move", spot.kind, &spot.reference(), "ops"]);
        assert_eq!(status(&stage, &spot.category("ops")), "unsigned");
        assert!(!stage.path(&spot.category("ops").sidecar()).exists());
    }
}

/// A note that links to the entry `facts`.
fn linking(id: &str) -> (Spot, String) {
    let spot = kinds()[5].id(id);
    let text = spot.text("BODY") + "See [[facts]].\n";
    (spot, text)
}

#[test]
fn links_to_a_renamed_entry_are_signed_anew_in_ones_own_notes_and_proposed_in_others() {
    let signed = Signed::new();
    let author = signed.copy();
    let (theirs, text_of_theirs) = linking("theirs");
    author.file(&theirs.main(), &text_of_theirs);
    done(&author, &["sign", "knowledge", "api/theirs"]);
    let stage = installer(&signed);
    copy_tree(&author.path("project"), &stage.path("project"));
    std::fs::remove_file(stage.path(&kinds()[5].sidecar())).expect("removed");
    let ((mine, text_of_mine), (loose, text_of_loose)) = (linking("mine"), linking("loose"));
    stage.file(&mine.main(), &text_of_mine);
    stage.file(&loose.main(), &text_of_loose);
    done(&stage, &["sign", "knowledge", "api/facts", "api/mine"]);
    let told = done(&stage, &["rename", "knowledge", "api/facts", "truths"]);
    let mut relinked = told["relinked"].as_array().expect("notes").clone();
    relinked.sort_by_key(Value::to_string);
    assert_eq!(relinked, [loose.address(), mine.address()].map(Value::from), "{told}");
    assert_eq!(told["proposed"], json!([theirs.address()]), "{told}");
    for (spot, expected) in [
        (&kinds()[5].id("truths"), "verified"),
        (&mine, "verified"),
        (&loose, "unsigned"),
        (&theirs, "verified"),
    ] {
        assert_eq!(status(&stage, spot), expected, "{}", spot.address());
    }
    for (spot, link) in [(&mine, "[[truths]]"), (&loose, "[[truths]]"), (&theirs, "[[facts]]")] {
        assert!(read(&stage, &spot.main()).contains(link), "{}", spot.address());
    }
    let listed = done(&stage, &["review", "--list"]);
    let name = text(&listed["proposals"][0]["proposal"]);
    done(&stage, &["review", "--accept", name]);
    assert!(read(&stage, &theirs.main()).contains("[[truths]]"));
    let told = trust(&stage, &theirs);
    assert_eq!((&told["status"], &told["signer"]), (&json!("verified"), &json!("you")));
}
