//! A pull request by somebody whose key does not count is a difference from what was signed last.

use serde_json::{Value, json};

use super::{Coder, lines, note, note_path, said, stage};
use crate::support::harness::Stage;
use crate::support::typist::Typist;

/// Ada's project with a note, and Eve's branch of three commits that change and sign it.
fn pull_request(stage: &Stage) -> (Coder<'_>, Coder<'_>) {
    let ada = Coder::first(stage, "ada");
    ada.sign_note("style", &lines(&[]));
    ada.sign_note("style", &lines(&[(1, "one")]));
    let eve = Coder::clone(stage, "eve");
    eve.sign_note("style", &lines(&[(1, "one"), (7, "a")]));
    eve.sign_note("style", &lines(&[(1, "one"), (7, "b")]));
    eve.sign_note("style", &lines(&[(1, "one"), (7, "eve")]));
    ada.git(&["fetch", "-q", "../beside/eve", "main:eve"]);
    ada.git(&["switch", "-q", "eve"]);
    (ada, eve)
}

fn diff(item: &Value) -> &str {
    item["changes"][0]["diff"].as_str().unwrap_or_else(|| panic!("no difference in {item}"))
}

const DIFFERENCE: &str = "…\n 4\n 5\n 6\n-7\n+eve\n 8\n 9\n";

#[test]
fn a_strangers_change_is_compared_with_what_was_signed_last() {
    let stage = stage();
    let (ada, _) = pull_request(&stage);
    let signed = ada.git(&["rev-parse", "--short=9", "main"]);
    let check = |item: &Value| {
        assert_eq!(item["status"], "unknown-key", "{item}");
        assert_eq!(diff(item), DIFFERENCE, "{item}");
        let base = format!("what you signed last, in commit {}", signed.trim());
        assert_eq!(item["base"], base.as_str(), "{item}");
    };
    for arguments in [&["sign", "--dry-run"][..], &["sign", "--dry-run", "note", "style"]] {
        let (status, plan) = ada.mate.run(arguments);
        assert_eq!(status, 0, "{plan}");
        check(&plan["data"]["items"][0]);
    }
    let (_, review) = ada.mate.run(&["review"]);
    check(&review["data"]["items"][0]);
    // The texts come from the history where the cache has none.
    std::fs::remove_dir_all(stage.path("ada/.cache")).expect("a cache");
    check(&ada.mate.run(&["review"]).1["data"]["items"][0]);
    let words = said(&ada.mate.plain(&["review"]));
    assert!(words.contains("-7\n+eve\n") && words.contains("compared with what you"), "{words}");
    // Plain `mere sign` signs nothing of it in passing, and says where it is looked at.
    let words = said(&ada.mate.plain(&["sign", "--yes"]));
    assert!(words.contains("1 item is signed by a key that does not count here"), "{words}");
    assert_eq!(ada.mate.trust("knowledge", "style"), "unknown-key");
}

#[test]
fn what_was_reviewed_is_signed_in_the_same_step() {
    let stage = stage();
    pull_request(&stage);
    std::fs::rename(stage.path("ada"), stage.path("home/moved")).expect("renamed");
    std::fs::remove_dir_all(stage.path("home/.config")).ok();
    for folder in [".config", ".cache", ".local", ".ai"] {
        let (from, to) = (format!("home/moved/{folder}"), format!("home/{folder}"));
        if stage.path(&from).exists() {
            std::fs::rename(stage.path(&from), stage.path(&to)).expect("renamed");
        }
    }
    let mut typist = Typist::start(&stage, "review --color never");
    typist.wait_for("1 item is signed by a key that does not count here.");
    typist.answer("Sign it? [y]es, [n]o, [q]uit", "y");
    let (status, shown) = typist.finish();
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("+eve") && shown.contains("signed knowledge style"), "{shown}");
    let load = json!({ "item_type": "knowledge", "item_id": "style" }).to_string();
    let answer = stage.call_text("load", &load);
    assert_eq!(answer.reply["data"]["trust"]["status"], "verified", "{}", answer.reply);
}

#[test]
fn an_old_signature_that_a_branch_brings_back_is_not_the_last_one() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[(1, "hole")]));
    let old = ada.mate.text(".ai/knowledge/style.md.sig");
    // The claims of signatures are in seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    ada.sign_note("style", &lines(&[(1, "mended")]));
    let eve = Coder::clone(&stage, "eve");
    eve.mate.write(&note_path("style"), &note("style", &lines(&[(1, "hole")])));
    eve.mate.write(".ai/knowledge/style.md.sig", &old);
    eve.commit("as it was");
    eve.sign_note("style", &lines(&[(1, "hole"), (7, "eve")]));
    ada.git(&["pull", "-q", "../beside/eve", "main"]);
    let (_, plan) = ada.mate.run(&["sign", "--dry-run"]);
    let shown = diff(&plan["data"]["items"][0]);
    assert!(shown.contains("-mended\n+hole\n") && shown.contains("+eve"), "{plan}");
}

#[test]
fn a_commit_that_nobody_signed_is_nothing_to_compare_with() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    let eve = Coder::clone(&stage, "eve");
    eve.sign_note("style", &lines(&[]));
    eve.sign_note("style", &lines(&[(7, "eve")]));
    ada.git(&["pull", "-q", "../beside/eve", "main"]);
    let (_, plan) = ada.mate.run(&["sign", "--dry-run"]);
    let item = &plan["data"]["items"][0];
    assert_eq!(item["base"], "nothing: no trusted key has signed it", "{plan}");
    assert!(diff(item).contains("+0\n"), "all of it is new: {plan}");
}
