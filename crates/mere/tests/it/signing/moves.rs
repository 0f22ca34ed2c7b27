//! Moving, renaming and copying signed items: one's own are signed anew, another's keep their place.

use serde_json::{Value, json};

use crate::matrix::attacks::load;
use crate::matrix::items::{Signed, TestItem, copy_tree, kinds, read};
use crate::signing::daily::status;
use crate::support::harness::Stage;
use crate::trust::keys::{done, run, text};

fn trust(stage: &Stage, item: &TestItem) -> Value {
    load(stage, item).reply["data"]["trust"].clone()
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
    for item in kinds() {
        let stage = signed.copy();
        let kind_and_id = [item.kind, &item.reference()];
        let moved = item.category("ops/deep");
        let data = done(&stage, &["move", kind_and_id[0], kind_and_id[1], "ops/deep"]);
        assert_eq!(data["trust"]["status"], "verified", "{data}");
        assert_eq!(status(&stage, &moved), "verified", "{}", moved.address());
        assert!(!item.is_there(&stage) && !stage.path(&item.sidecar()).exists());
        let mut last = moved.clone();
        if item.kind != "lockfile" {
            let renamed = moved.id("other");
            done(&stage, &["rename", kind_and_id[0], &moved.reference(), "other"]);
            assert_eq!(status(&stage, &renamed), "verified", "{}", renamed.address());
            assert!(!moved.is_there(&stage) && !stage.path(&moved.sidecar()).exists());
            last = renamed;
        }
        let copied = last.in_own_space();
        done(&stage, &["copy", kind_and_id[0], &last.reference(), "--to", "user"]);
        assert_eq!(status(&stage, &copied), "verified", "{}", copied.address());
        assert_eq!(status(&stage, &last), "verified");
        let output = stage.person(&["verify", "--all", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn a_users_own_item_is_copied_into_the_project() {
    let own = kinds().into_iter().filter(|item| item.base.starts_with(".ai/"));
    let own = own.map(|item| item.root("home")).collect::<Vec<_>>();
    let signed = Signed::of(&own);
    for item in own {
        let stage = signed.copy();
        done(&stage, &["copy", item.kind, &item.reference(), "--to", "project"]);
        assert_eq!(status(&stage, &item.root("project")), "verified", "{}", item.address());
    }
}

#[test]
fn what_another_signed_keeps_its_place_unless_one_becomes_its_author() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = installer(&signed);
        let kind_and_id = [item.kind, &item.reference()];
        let sidecar = read(&stage, &item.sidecar());
        assert_eq!(trust(&stage, &item)["signer"], "Ada");
        let mut refused = vec![vec!["move", kind_and_id[0], kind_and_id[1], "ops"]];
        if item.kind != "lockfile" {
            refused.push(vec!["rename", kind_and_id[0], kind_and_id[1], "other"]);
        }
        for arguments in refused {
            let (ended, reply) = run(&stage, &arguments);
            assert_eq!((ended, text(&reply["code"])), (1, "IT-SIGN-I-002"), "{reply}");
            assert_eq!(read(&stage, &item.sidecar()), sidecar);
            assert_eq!(status(&stage, &item), "verified");
        }
        done(&stage, &["move", kind_and_id[0], kind_and_id[1], "ops", "--as-mine"]);
        let moved = item.category("ops");
        let trusted = trust(&stage, &moved);
        assert_eq!((&trusted["status"], &trusted["signer"]), (&json!("verified"), &json!("you")));
    }
}

#[test]
fn a_copy_keeps_what_its_author_signed() {
    let signed = Signed::new();
    for item in kinds().iter().filter(|item| item.kind != "lockfile") {
        let stage = installer(&signed);
        let (kind_and_id, copied) = ([item.kind, &item.reference()], item.in_own_space());
        done(&stage, &["copy", kind_and_id[0], kind_and_id[1], "--to", "user"]);
        let [before, after] = [item, &copied].map(|item| item.read_sidecar(&stage));
        assert_eq!(before["statement"], after["statement"], "the author's, byte for byte");
        assert_ne!(before["placement"], after["placement"]);
        let trusted = trust(&stage, &copied);
        assert_eq!(trusted["status"], "verified", "{trusted}");
        assert_eq!((&trusted["signer"], &trusted["placed_by"]), (&json!("Ada"), &json!("you")));
        // The same as one's own.
        let stage = installer(&signed);
        done(&stage, &["copy", kind_and_id[0], kind_and_id[1], "--to", "user", "--as-mine"]);
        let trusted = trust(&stage, &copied);
        assert_eq!((&trusted["status"], &trusted["signer"]), (&json!("verified"), &json!("you")));
        assert_eq!(trusted.get("placed_by"), None);
        assert_eq!(read(&stage, &copied.main()), read(&stage, &item.main()));
    }
}

#[test]
fn what_is_broken_goes_nowhere() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        let text_before = read(&stage, &item.main()) + "\n";
        stage.file(&item.main(), &text_before);
        let (kind, id) = (item.kind, item.reference());
        for arguments in [
            vec!["move", kind, &id, "ops"],
            vec!["move", kind, &id, "ops", "--as-mine"],
            vec!["copy", kind, &id, "--to", "user"],
            vec!["copy", kind, &id, "--to", "user", "--as-mine"],
        ] {
            let (ended, reply) = run(&stage, &arguments);
            assert_eq!((ended, text(&reply["code"])), (4, "IT-TRUST-E-002"), "{reply}");
        }
        assert_eq!(read(&stage, &item.main()), text_before);
        assert!(!item.in_own_space().is_there(&stage) && !item.category("ops").is_there(&stage));
    }
}

#[test]
fn an_unsigned_item_stays_so_when_it_is_taken_elsewhere() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
        done(&stage, &["move", item.kind, &item.reference(), "ops"]);
        assert_eq!(status(&stage, &item.category("ops")), "unsigned");
        assert!(!stage.path(&item.category("ops").sidecar()).exists());
    }
}

/// A note that links to the entry `facts`.
fn linking(id: &str) -> (TestItem, String) {
    let item = kinds()[5].id(id);
    let text = item.text("BODY") + "See [[facts]].\n";
    (item, text)
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
    let ((mine, text_of_mine), (unsigned, text_of_unsigned)) = (linking("mine"), linking("loose"));
    stage.file(&mine.main(), &text_of_mine);
    stage.file(&unsigned.main(), &text_of_unsigned);
    done(&stage, &["sign", "knowledge", "api/facts", "api/mine"]);
    let data = done(&stage, &["rename", "knowledge", "api/facts", "truths"]);
    let mut relinked = data["relinked"].as_array().expect("notes").clone();
    relinked.sort_by_key(Value::to_string);
    assert_eq!(relinked, [unsigned.address(), mine.address()].map(Value::from), "{data}");
    assert_eq!(data["proposed"], json!([theirs.address()]), "{data}");
    for (item, expected) in [
        (&kinds()[5].id("truths"), "verified"),
        (&mine, "verified"),
        (&unsigned, "unsigned"),
        (&theirs, "verified"),
    ] {
        assert_eq!(status(&stage, item), expected, "{}", item.address());
    }
    for (item, link) in [(&mine, "[[truths]]"), (&unsigned, "[[truths]]"), (&theirs, "[[facts]]")] {
        assert!(read(&stage, &item.main()).contains(link), "{}", item.address());
    }
    let listed = done(&stage, &["review", "--list"]);
    let name = text(&listed["proposals"][0]["proposal"]);
    done(&stage, &["review", "--accept", name]);
    assert!(read(&stage, &theirs.main()).contains("[[truths]]"));
    let data = trust(&stage, &theirs);
    assert_eq!((&data["status"], &data["signer"]), (&json!("verified"), &json!("you")));
}
