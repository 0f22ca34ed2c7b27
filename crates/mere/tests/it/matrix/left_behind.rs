//! Move × kind, without the sidecar: a signature that is left behind tells of the move.
//!
//! Only a signature that counts and was made for this very space tells anything, so that nobody can
//! make an item unusable by dropping a file somewhere.

use serde_json::{Value, json};

use crate::matrix::attacks::{Expected, check, check_all, load, misplaced};
use crate::matrix::items::{OWN_SPACE, Shape, Signed, TestItem, done, kinds, read, sign_all};
use crate::search::queries::hits;
use crate::support::harness::{Mcp, Stage};
use crate::support::searches::full_search;

/// The same as [`misplaced`], with the signature left at `home`.
fn left(field: &'static str, home: &TestItem, found: &TestItem) -> Expected {
    match misplaced(field, home, found) {
        Expected::Misplaced { field, signed, found, home: address, .. } => {
            let signature = Some(home.sidecar_address());
            Expected::Misplaced { field, signed, found, home: address, signature }
        }
        other => other,
    }
}

/// `mere verify` from the project: its exit status, and its rows.
fn verify(stage: &Stage, arguments: &[&str]) -> (i32, Vec<Value>) {
    let arguments = [&["verify", "--json"], arguments].concat();
    let output = stage.person(&arguments);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = reply["data"]["items"].as_array().expect("items").clone();
    (output.status.code().expect("a status"), rows)
}

fn row<'a>(rows: &'a [Value], address: &str) -> &'a Value {
    rows.iter().find(|row| row["address"] == address).unwrap_or(&Value::Null)
}

/// A signature without its item is a finding with a fix.
fn orphan_is_found(stage: &Stage, signature: &str) {
    let (status, rows) = verify(stage, &["--all"]);
    let found = row(&rows, signature);
    assert_eq!((status, &found["finding"]), (4, &json!(true)), "{signature}: {rows:#?}");
    assert_eq!(found["status"], "orphaned-signature", "{found}");
    assert!(found["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{found}");
}

/// A move, and what is different afterwards.
type Move = (&'static str, fn(&TestItem) -> Option<(TestItem, &'static str)>);

/// Every move within one space.
const MOVES: [Move; 5] = [
    ("renamed", |item| Some((item.id(&format!("{}-too", item.id)), "id"))),
    ("to another category", |item| Some((item.category("ops"), "category"))),
    ("to a deeper category", |item| Some((item.category("api/deep"), "category"))),
    ("to the type's root", |item| {
        (!item.category.is_empty()).then(|| (item.category(""), "category"))
    }),
    ("to another base", |item| match (item.base, item.shape) {
        (".claude/skills", _) => Some((item.base(".ai/directives"), "base")),
        (_, Shape::Folder("SKILL.md")) => Some((item.base(".claude/skills"), "base")),
        _ => None,
    }),
];

#[test]
fn moved_without_its_sidecar_it_is_at_the_wrong_place() {
    let signed = Signed::new();
    for (name, change) in MOVES {
        let stage = signed.copy();
        let mut found = Vec::new();
        for item in kinds() {
            let Some((to, field)) = change(&item) else { continue };
            item.moved_without_sidecar(&stage, &to);
            found.push((to.clone(), left(field, &item, &to)));
        }
        for item in kinds().iter().filter(|item| change(item).is_some()) {
            orphan_is_found(&stage, &item.sidecar_address());
        }
        check_all(&stage, &format!("{name}, without its sidecar"), &found);
    }
}

#[test]
fn changed_and_moved_without_its_sidecar_it_is_still_known_by_its_id() {
    let signed = Signed::new();
    let stage = signed.copy();
    let found = kinds().map(|item| {
        let to = item.category("ops");
        item.moved_without_sidecar(&stage, &to);
        to.write(&stage, "EDIT");
        (to.clone(), left("category", &item, &to))
    });
    check_all(&stage, "changed and moved", &found);
}

#[test]
fn what_moves_to_another_type_or_space_leaves_a_finding() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        let own = item.in_own_space();
        item.moved_without_sidecar(&stage, &own);
        // Another space knows nothing of it. A lockfile itself says where it belongs.
        let answer = load(&stage, &own);
        let expected = if item.kind == "lockfile" { "I" } else { "S" };
        assert_eq!(answer.reply["reply_type"], expected, "{}", answer.reply);
        orphan_is_found(&stage, &item.sidecar_address());

        let stage = signed.copy();
        let other = if item.kind == "knowledge" { ".ai/directives" } else { ".ai/knowledge" };
        let kind = if item.kind == "knowledge" { "directive" } else { "knowledge" };
        let to = TestItem { shape: item.shape, ..item.kind(kind, other) };
        item.moved_without_sidecar(&stage, &to);
        let answer = load(&stage, &to);
        assert_eq!(answer.reply["reply_type"], "I", "{}", answer.reply);
        orphan_is_found(&stage, &item.sidecar_address());
    }
}

#[test]
fn deleted_without_its_sidecar_it_is_a_finding_where_it_was_selected() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        std::fs::remove_file(stage.path(&item.main())).expect("removed");
        orphan_is_found(&stage, &item.sidecar_address());
        for (arguments, is_found) in [
            (vec![item.kind], true),
            (vec!["--all", "--scope", "project"], true),
            (vec!["--all", "--scope", "user"], false),
            (vec![if item.kind == "tool" { "knowledge" } else { "tool" }], false),
        ] {
            let (status, rows) = verify(&stage, &arguments);
            let found = !row(&rows, &item.sidecar_address()).is_null();
            assert_eq!((status == 4, found), (is_found, is_found), "{arguments:?}: {rows:#?}");
        }
        let output = stage.person(&["doctor", "--json"]);
        let reply = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(reply.contains(&item.sidecar_address()), "{reply}");
        std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
        assert_eq!(verify(&stage, &["--all"]).0, 0);
    }
}

#[test]
fn putting_it_back_signing_it_or_deleting_the_signature_settles_it() {
    let signed = Signed::new();
    for item in kinds().into_iter().filter(|item| item.kind != "lockfile") {
        let to = item.category("ops");
        let stage = signed.copy();
        item.moved_without_sidecar(&stage, &to);
        let reply = load(&stage, &to).reply;
        let hint = reply["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(&format!("mere sign {} {}", item.kind, to.name())), "{reply}");
        assert!(hint.contains("deleting that signature"), "{reply}");
        done(&stage, &["sign", item.kind, &to.reference()]);
        check(&stage, "signed where it is", &to, &Expected::Verified);
        assert!(!stage.path(&item.sidecar()).exists(), "the signature that it left behind is gone");
        assert_eq!(verify(&stage, &["--all"]).0, 0);

        let stage = signed.copy();
        item.moved_without_sidecar(&stage, &to);
        std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
        check(&stage, "the signature is gone too", &to, &Expected::Warned("unsigned"));

        let stage = signed.copy();
        item.moved_without_sidecar(&stage, &to);
        if item.is_folder() {
            std::fs::rename(stage.path(&item.sidecar()), stage.path(&to.sidecar())).expect("moved");
            std::fs::remove_dir(stage.path(&item.folder())).expect("an empty folder");
        } else {
            std::fs::rename(stage.path(&item.sidecar()), stage.path(&to.sidecar())).expect("moved");
        }
        to.moved(&stage, &item);
        check(&stage, "put back", &item, &Expected::Verified);
    }
}

/// Drops a file at the place of a signature without an item.
fn drop_sidecar(stage: &Stage, item: &TestItem, text: &str) {
    stage.file(&item.category("elsewhere").sidecar(), text);
}

#[test]
fn a_signature_that_does_not_count_accuses_nobody() {
    let signed = Signed::new();
    let by_another = signed.by_another();
    for item in kinds() {
        let junk = [
            ("junk", "junk".to_owned()),
            ("empty", String::new()),
            ("by a key that nobody trusts", read(&by_another, &item.sidecar())),
            ("an edited statement", {
                let mut sidecar = item.read_sidecar(&signed.copy());
                sidecar["statement"]["signatures"] = sidecar["placement"]["signatures"].clone();
                sidecar.to_string()
            }),
        ];
        for (case, text) in junk {
            let stage = signed.copy();
            std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
            drop_sidecar(&stage, &item, &text);
            check(&stage, case, &item, &Expected::Warned("unsigned"));
            orphan_is_found(&stage, &item.category("elsewhere").sidecar_address());
        }
    }
}

#[test]
fn a_revoked_key_and_a_signature_for_another_space_accuse_nobody() {
    let signed = Signed::new();
    for item in kinds().into_iter().filter(|item| item.base.starts_with(".ai/")) {
        // Signed by the same key, for the user's own space.
        let stage = signed.copy();
        let own = item.in_own_space().category("elsewhere");
        if item.kind != "lockfile" {
            own.write(&stage, "BODY");
            sign_all(&stage);
            let text = read(&stage, &own.sidecar());
            assert!(
                crate::matrix::items::decode(&own.read_sidecar(&stage)["placement"]["payload"])
                    .contains(OWN_SPACE)
            );
            std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
            drop_sidecar(&stage, &item, &text);
            check(&stage, "for another space", &item, &Expected::Warned("unsigned"));
        }
    }
    let item = &kinds()[0];
    let stage = signed.copy();
    let to = item.category("ops");
    item.moved_without_sidecar(&stage, &to);
    let sidecar: Value = serde_json::from_str(&read(&stage, &item.sidecar())).expect("JSON");
    let key = sidecar["statement"]["signatures"][0]["keyid"].as_str().expect("a key").to_owned();
    done(&stage, &["trust", "revoke", &key]);
    check(&stage, "by a revoked key", &to, &Expected::Warned("unsigned"));
}

#[test]
fn a_signature_that_was_taken_away_does_not_vouch_from_afar() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        let away = item.category("elsewhere");
        let text = read(&stage, &item.sidecar());
        std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
        stage.file(&away.sidecar(), &text);
        check(&stage, "the signature was moved", &item, &Expected::Warned("unsigned"));
        orphan_is_found(&stage, &away.sidecar_address());
        // What it says still holds against a changed item.
        item.write(&stage, "EDIT");
        check(&stage, "and the item changed", &item, &Expected::Broken("changed"));
    }
}

#[test]
fn a_server_notices_at_once_and_forgets_at_once() {
    let signed = Signed::new();
    let stage = signed.copy();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut status = |item: &TestItem| {
        let arguments = json!({ "item_type": item.kind, "item_id": item.reference() });
        mcp.call("load", &arguments)["data"]["trust"]["status"].clone()
    };
    for item in kinds() {
        let to = item.category("ops");
        assert_eq!(status(&item), "verified");
        item.moved_without_sidecar(&stage, &to);
        assert_eq!(status(&to), "wrong-location", "{}", to.address());
        // Another statement in the same file, without any change to the folder.
        let text = read(&stage, &item.sidecar());
        std::fs::write(stage.path(&item.sidecar()), "{}").expect("written");
        let expected = if item.kind == "lockfile" { json!(null) } else { json!("unsigned") };
        assert_eq!(status(&to), expected, "{}", to.address());
        std::fs::write(stage.path(&item.sidecar()), &text).expect("written");
        assert_eq!(status(&to), "wrong-location", "{}", to.address());
        std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
        assert_eq!(status(&to), expected, "{}", to.address());
    }
}

#[test]
fn thousands_of_lost_signatures_are_told_and_cost_no_item_its_use() {
    let signed = Signed::new();
    let stage = signed.copy();
    let item = &kinds()[5];
    let text = read(&stage, &item.sidecar());
    std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
    for number in 0..3_000 {
        let text = if number % 2 == 0 { "junk" } else { &text };
        stage.file(&format!("project/.ai/knowledge/lost/n{number}.md.sig"), text);
    }
    let other = item.id("another");
    other.write(&stage, "BODY");
    for known in [&other, item] {
        assert_eq!(load(&stage, known).reply["data"]["trust"]["status"], "unsigned");
    }
    let moved = item.category("ops");
    std::fs::create_dir_all(stage.path(&moved.folder())).expect("a folder");
    std::fs::rename(stage.path(&item.main()), stage.path(&moved.main())).expect("moved");
    assert_eq!(load(&stage, &moved).reply["data"]["trust"]["status"], "wrong-location");
    let (status, rows) = verify(&stage, &["knowledge"]);
    let orphans = rows.iter().filter(|row| row["status"] == "orphaned-signature").count();
    assert_eq!((status, orphans), (4, 3_000));
}

#[test]
fn memories_are_never_signed_so_nothing_accuses_them() {
    let stage = Signed::new().copy();
    let note = "---\ncreated_at: 2026-01-01T00:00:00Z\n---\nBODY\n";
    stage.file("project/.ai/memory/facts.md", note);
    stage.file("project/.ai/memory/lost.md.sig", &read(&stage, &kinds()[5].sidecar()));
    let arguments = json!({ "item_type": "memory", "item_id": "facts" }).to_string();
    let answer = stage.answer(stage.command("project").args(["call", "load", &arguments]));
    assert_eq!(answer.reply["reply_type"], "S", "{}", answer.reply);
    assert_eq!(verify(&stage, &["--all"]).0, 0);
}

#[test]
fn a_search_tells_nothing_of_what_was_moved_without_its_signature() {
    let stage = Signed::new().copy();
    let item = &kinds()[5];
    let to = item.category("ops");
    item.moved_without_sidecar(&stage, &to);
    let arguments = full_search(json!({ "query": "facts" })).to_string();
    let answer = stage.answer(stage.command("project").args(["call", "search", &arguments]));
    let hits = hits(&answer.reply["data"]);
    let hit = hits.iter().find(|hit| hit["address"] == to.address().as_str()).expect("the note");
    assert_eq!(hit["trust"]["status"], "wrong-location", "{hit}");
    assert!(!hit.to_string().contains("BODY"), "{hit}");
}
