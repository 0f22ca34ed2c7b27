//! The daily loop: a person works on a signed item, and signs it when it is done.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::items::proposals::stage_files;
use crate::matrix::attacks::{Expected, check, edit, load, misplaced};
use crate::matrix::items::{Signed, TestItem, copy_tree, kinds, read, sign_all};
use crate::support::harness::Stage;
use crate::support::typist::Typist;
use crate::trust::keys::{done, run, text};

const DRAFTS: &str = "home/.local/state/merestone/drafts.json";
/// At a terminal nobody needs this, and elsewhere nothing is signed without it.
const UNATTENDED: &str = "sign: {unattended: true}\n";
const QUESTION: &str = "Sign it? [y]es, [n]o, [a]ll, [q]uit";

/// The status of an item, as an agent is told it.
pub(crate) fn status(stage: &Stage, item: &TestItem) -> String {
    text(&load(stage, item).reply["data"]["trust"]["status"]).to_owned()
}

/// A stage where everything is signed, whose user signs at a terminal only.
pub(crate) fn attended() -> Stage {
    let stage = Signed::new().copy();
    stage.file("home/.ai/config.yaml", "");
    stage
}

/// Runs `mere` where no terminal is, with git and an editor.
pub(crate) fn with_editor(stage: &Stage, arguments: &[&str], editor: &str) -> (i32, Value) {
    let mut command = Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_mere")]).args(arguments).arg("--json");
    command.env_clear().env("HOME", stage.path("home")).env("EDITOR", editor);
    command.env("PATH", std::env::var("PATH").expect("a PATH"));
    command.current_dir(stage.path("project")).stdin(Stdio::null());
    let output = command.output().expect("setsid runs");
    let reply = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{arguments:?}: {error} {}", String::from_utf8_lossy(&output.stderr))
    });
    (output.status.code().expect("an exit status"), reply)
}

#[test]
fn a_draft_is_free_and_one_signature_ends_it() {
    let signed = Signed::new();
    for item in kinds().iter().filter(|item| item.kind != "lockfile") {
        let stage = signed.copy();
        let config = read(&stage, "project/.ai/config.yaml");
        let config = config + "require_signed: [directive, tool, knowledge, lockfile]\n";
        stage.file("project/.ai/config.yaml", &config);
        let begun = done(&stage, &["draft", item.kind, &item.reference()]);
        assert_eq!(begun["address"], item.address().as_str());
        for round in 0..10 {
            stage.file(&item.main(), &item.text(&format!("BODY of round {round}")));
            if let Some(side) = item.side() {
                stage.file(&side, &format!("SIDE of round {round}\n"));
            }
            let reply = load(&stage, item).reply;
            assert_eq!(reply["code"], "IT-LOAD-S-001", "{reply}");
            assert_eq!(reply["data"]["trust"], json!({ "status": "draft" }), "{reply}");
            assert!(text(&reply["data"]["content"]).contains(&format!("round {round}")));
            let command = format!("`mere sign {} {}`", item.kind, item.name());
            assert!(text(&reply["hint"]).contains(&command), "{reply}");
        }
        done(&stage, &["sign", item.kind, &item.reference()]);
        assert_eq!(status(&stage, item), "verified");
        edit(&stage, &item.main(), "BODY of round 9", "EDIT");
        assert_eq!(status(&stage, item), "changed", "the draft is over");
    }
}

#[test]
fn a_draft_that_was_never_signed_is_one_too() {
    let signed = Signed::new();
    let (stage, item) = (signed.copy(), kinds()[0].clone());
    std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
    let config = "require_signed: [directive]\n";
    stage.file("project/.ai/config.yaml", config);
    assert_eq!(load(&stage, &item).code(), "EN-ITEM-D-002");
    done(&stage, &["draft", item.kind, &item.reference()]);
    assert_eq!(status(&stage, &item), "draft");
}

#[test]
fn the_place_of_a_draft_is_not_free() {
    let signed = Signed::new();
    let item = kinds()[0].clone();
    let to = item.category("ops");
    let stage = signed.copy();
    done(&stage, &["draft", item.kind, &item.reference()]);
    item.moved(&stage, &to);
    check(&stage, "a draft that was moved", &to, &misplaced("category", &item, &to));
    let (status, reply) = run(&stage, &["draft", to.kind, &to.reference()]);
    assert_eq!((status, text(&reply["code"])), (4, "IT-TRUST-E-001"), "{reply}");
    // Another's signature beside a draft, and one that is none.
    let stage = signed.copy();
    done(&stage, &["draft", item.kind, &item.reference()]);
    let other = kinds()[5].clone();
    item.write_sidecar(&stage, &other.read_sidecar(&stage));
    check(&stage, "another's", &item, &misplaced("type", &other, &item));
    stage.file(&item.sidecar(), "{");
    check(&stage, "none", &item, &Expected::Broken("bad-signature"));
    let (status, reply) = run(&stage, &["draft", item.kind, &item.reference()]);
    assert_eq!((status, text(&reply["code"])), (4, "IT-TRUST-E-004"), "{reply}");
}

#[test]
fn a_draft_ends_by_itself_and_is_of_one_folder() {
    let stage = Signed::new().copy();
    let item = kinds()[0].clone();
    done(&stage, &["draft", item.kind, &item.reference()]);
    edit(&stage, &item.main(), "BODY", "EDIT");
    assert_eq!(status(&stage, &item), "draft");
    copy_tree(&stage.path("project"), &stage.path("copy"));
    assert_eq!(status(&stage, &item.root("copy")), "changed", "a copy is no draft");
    let record = read(&stage, DRAFTS);
    let until = |until: &str| {
        let mut drafts: Value = serde_json::from_str(&record).expect("JSON");
        drafts["records"][0]["until"] = until.into();
        stage.file(DRAFTS, &drafts.to_string());
    };
    let hours = |hours: i64| {
        let mut date = Command::new("date");
        date.args(["-u", "-d", &format!("{hours} hours"), "+%Y-%m-%dT%H:%M:%SZ"]);
        String::from_utf8(date.output().expect("date runs").stdout)
            .expect("UTF-8")
            .trim()
            .to_owned()
    };
    for (time, expected) in [
        (hours(11), "draft"),
        (hours(-1), "changed"),
        (hours(13), "changed"),
        (hours(24 * 365 * 100), "changed"),
        ("soon".to_owned(), "changed"),
    ] {
        until(&time);
        assert_eq!(status(&stage, &item), expected, "{time}");
    }
    for broken in ["", "{", "[]", "{\"records\": 1}"] {
        stage.file(DRAFTS, broken);
        assert_eq!(status(&stage, &item), "changed", "{broken}");
    }
}

#[test]
fn nothing_is_signed_where_nobody_is_there_to_mean_it() {
    let stage = attended();
    let item = kinds()[0].clone();
    edit(&stage, &item.main(), "BODY", "EDIT");
    let knowledge = kinds()[5].clone();
    let refused: [&[&str]; 7] = [
        &["sign", "directive", "api/deploy"],
        &["sign", "--all", "--yes"],
        &["sign", "--yes"],
        &["edit", "directive", "api/deploy"],
        &["move", "knowledge", "api/facts", "ops"],
        &["rename", "knowledge", "api/facts", "other"],
        &["copy", "knowledge", "api/facts", "--to", "user", "--as-mine"],
    ];
    for config in ["", "sign: {unattended: false}\n"] {
        stage.file("home/.ai/config.yaml", config);
        let before = stage_files(&stage);
        for arguments in refused {
            let (status, reply) = with_editor(&stage, arguments, "touch /nowhere");
            assert_eq!(
                (status, text(&reply["code"])),
                (3, "EN-SIGN-D-001"),
                "{arguments:?} {reply}"
            );
            assert_eq!(stage_files(&stage), before, "{arguments:?}");
        }
    }
    assert_eq!(status(&stage, &item), "changed");
    assert_eq!(status(&stage, &knowledge), "verified");
}

#[test]
fn a_project_cannot_let_the_users_key_sign() {
    let stage = attended();
    let item = kinds()[0].clone();
    edit(&stage, &item.main(), "BODY", "EDIT");
    let sidecar = read(&stage, &item.sidecar());
    for config in [UNATTENDED, "sign: {unattended: yes}\n", "sign: {}\n"] {
        stage.file("project/.ai/config.yaml", config);
        for arguments in [&["sign", "directive", "api/deploy"][..], &["sign", "--all", "--yes"]] {
            let output = Command::new("setsid")
                .args(["--wait", env!("CARGO_BIN_EXE_mere")])
                .args(arguments)
                .env("HOME", stage.path("home"))
                .current_dir(stage.path("project"))
                .stdin(Stdio::null())
                .output()
                .expect("setsid runs");
            assert_ne!(output.status.code(), Some(0), "{config} {arguments:?}");
            assert_eq!(read(&stage, &item.sidecar()), sidecar, "{config} {arguments:?}");
        }
    }
}

#[test]
fn at_a_terminal_each_difference_is_shown_and_asked_for() {
    let stage = attended();
    let [deploy, facts] = [0, 5].map(|at| kinds()[at].clone());
    let change = || {
        for item in [&deploy, &facts] {
            edit(&stage, &item.main(), "BODY", "EDIT");
        }
    };
    change();
    let mut typist = Typist::start(&stage, "sign --color never");
    typist.wait_for("(1 of 2)");
    typist.wait_for("-# Before BODY");
    typist.wait_for("+# Before EDIT");
    typist.answer(QUESTION, "y");
    typist.wait_for("(2 of 2)");
    typist.answer(QUESTION, "n");
    let (ended, shown) = typist.finish();
    assert_eq!(ended, 0, "{shown}");
    assert_eq!([&deploy, &facts].map(|item| status(&stage, item)), ["verified", "changed"]);
    let mut typist = Typist::start(&stage, "sign");
    typist.answer(QUESTION, "q");
    typist.finish();
    assert_eq!(status(&stage, &facts), "changed");
    edit(&stage, &deploy.main(), "EDIT", "BODY");
    let mut typist = Typist::start(&stage, "sign");
    typist.answer(QUESTION, "a");
    let (ended, shown) = typist.finish();
    assert_eq!(ended, 0, "{shown}");
    assert_eq!([&deploy, &facts].map(|item| status(&stage, item)), ["verified"; 2]);
    let (ended, shown) = Typist::start(&stage, "sign").finish();
    assert_eq!((ended, shown.contains("There is nothing to sign.")), (0, true), "{shown}");
}

#[test]
fn a_type_alone_names_no_item_so_each_is_shown_and_asked_for() {
    let stage = attended();
    let facts = kinds()[5].clone();
    edit(&stage, &facts.main(), "BODY", "EDIT");
    let mut typist = Typist::start(&stage, &format!("sign {} --color never", facts.kind));
    typist.wait_for("+title: EDIT described");
    typist.answer(QUESTION, "n");
    typist.finish();
    assert_eq!(status(&stage, &facts), "changed");
    let mut typist = Typist::start(&stage, &format!("sign {}", facts.kind));
    typist.answer(QUESTION, "y");
    let (ended, shown) = typist.finish();
    assert_eq!((ended, status(&stage, &facts).as_str()), (0, "verified"), "{shown}");
}

#[test]
fn what_changes_after_it_was_shown_is_not_signed() {
    let kinds = kinds();
    let side = kinds[4].side().expect("one");
    for (item, changed, expected) in [
        (&kinds[0], kinds[0].main(), "changed"),
        (&kinds[0], kinds[0].main(), "draft"),
        (&kinds[4], side, "changed"),
    ] {
        let stage = attended();
        if expected == "draft" {
            // What sets a signature aside needs a person as much as what makes one.
            let (denied, reply) = run(&stage, &["draft", item.kind, &item.reference()]);
            assert_eq!((denied, &reply["code"]), (3, &json!("EN-SIGN-D-001")), "{reply}");
            assert_eq!(status(&stage, item), "verified");
            let words = format!("draft {} {}", item.kind, item.reference());
            let (begun, shown) = Typist::start(&stage, &words).finish();
            assert_eq!(begun, 0, "{shown}");
        }
        edit(&stage, &item.main(), "BODY", "EDIT");
        let sidecar = read(&stage, &item.sidecar());
        let mut typist = Typist::start(&stage, "sign");
        typist.wait_for(QUESTION);
        let more = read(&stage, &changed) + "# put in at the last moment\n";
        stage.file(&changed, &more);
        typist.press("y\n");
        let (ended, shown) = typist.finish();
        assert_ne!(ended, 0, "{shown}");
        assert_eq!(read(&stage, &item.sidecar()), sidecar, "{shown}");
        assert_eq!(status(&stage, item), expected, "{shown}");
    }
}

#[test]
fn what_strangers_signed_is_not_signed_by_the_way() {
    let signed = Signed::new();
    let stage = signed.by_another();
    std::fs::remove_dir_all(stage.path("home/.config")).expect("removed");
    done(&stage, &["keys", "generate", "--no-passphrase"]);
    stage.file("home/.ai/config.yaml", "");
    let (ended, shown) = Typist::start(&stage, "sign").finish();
    assert_eq!((ended, shown.contains("There is nothing to sign.")), (0, true), "{shown}");
    assert_eq!(kinds().map(|item| status(&stage, &item)), ["unknown-key"; 7]);
}

#[test]
fn a_new_signature_with_the_old_item_reads_as_changed() {
    let stage = Signed::new().copy();
    let items = kinds();
    let old = items.each_ref().map(|item| read(&stage, &item.main()));
    for (item, text) in items.iter().zip(&old) {
        stage.file(&item.main(), &text.replace("BODY", "EDIT").replacen("b0d7", "0000", 1));
    }
    sign_all(&stage);
    for (item, text) in items.iter().zip(&old) {
        stage.file(&item.main(), text);
        check(&stage, "half done", item, &Expected::Broken("changed"));
        let hint = load(&stage, item).reply["hint"].as_str().unwrap_or_default().to_owned();
        assert!(hint.contains(&format!("mere sign {} {}", item.kind, item.name())), "{hint}");
    }
}

/// Runs git in the project.
pub(crate) fn git(stage: &Stage, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    let who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
    command.args(who).args(arguments).current_dir(stage.path("project"));
    let output = command.output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}
