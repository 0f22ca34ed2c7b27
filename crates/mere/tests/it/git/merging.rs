//! Git merges what is signed: an item that both sides changed is signed once, at the end.

use serde_json::json;

use super::{Coder, checks, lines, note, note_path, said, stage};

#[test]
fn a_rebase_of_five_commits_over_a_changed_item_ends_in_one_signature() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[]));
    ada.git(&["switch", "-q", "-c", "topic"]);
    for (number, line) in [(5, "a"), (6, "b"), (7, "c"), (8, "d"), (9, "e")] {
        ada.sign_note("style", &lines(&[(number, line)]));
    }
    ada.git(&["switch", "-q", "main"]);
    ada.sign_note("style", &lines(&[(0, "main")]));
    ada.git(&["switch", "-q", "topic"]);
    let words = ada.git(&["rebase", "main"]);
    let told = ".ai/knowledge/style.md.sig: both sides changed the item; sign it once";
    assert_eq!(words.matches(told).count(), 5, "each commit says so: {words}");
    assert_eq!(ada.findings(), ["changed"]);
    // What is shown is what nobody has signed: the changes since the last signature.
    let (_, plan) = ada.mate.run(&["sign", "--dry-run"]);
    let item = &plan["data"]["items"][0];
    assert_eq!(item["base"], "what was signed", "{plan}");
    assert_eq!(item["changes"][0]["diff"], " 6\n 7\n 8\n-9\n+e\n".replace(" 6\n", "…\n 6\n"));
    ada.mate.done(&["sign", "--yes"]);
    assert_eq!(ada.findings(), [""; 0]);
    ada.commit("signed");
    assert_eq!(ada.mate.trust("knowledge", "style"), "verified");
}

#[test]
fn a_merge_of_clean_text_leaves_nothing_in_conflict() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[]));
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.sign_note("style", &lines(&[(9, "topic")]));
    ada.git(&["switch", "-q", "main"]);
    ada.sign_note("style", &lines(&[(0, "main")]));
    let words = ada.git(&["merge", "--no-edit", "topic"]);
    assert!(words.contains("sign it once, when you are done: `mere sign`"), "{words}");
    assert_eq!(ada.findings(), ["changed"]);
    ada.mate.done(&["sign", "--yes"]);
    assert_eq!(ada.findings(), [""; 0]);
}

#[test]
fn a_conflict_in_text_is_a_conflict_in_text_alone() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[]));
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.sign_note("style", &lines(&[(4, "topic")]));
    ada.git(&["switch", "-q", "main"]);
    ada.sign_note("style", &lines(&[(4, "main")]));
    assert!(!ada.try_git(&["merge", "topic"]).status.success());
    assert_eq!(ada.conflicts(), [note_path("style")]);
    assert_eq!(ada.findings(), ["changed"]);
    // Nobody signs the markers, named or not.
    let refused = ada.mate.run(&["sign", "knowledge", "style"]);
    assert_eq!((refused.0, &refused.1["code"]), (1, &json!("IT-SIGN-I-001")), "{}", refused.1);
    let why = refused.1["data"]["left"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("conflict markers in style.md, from line 9 on"), "{why}");
    let (_, plan) = ada.mate.run(&["sign", "--dry-run"]);
    let unfit = plan["data"]["items"][0]["unfit"].as_str().expect("a reason");
    assert!(unfit.contains("conflict markers"), "{unfit}");
    ada.mate.write(&note_path("style"), &note("style", &lines(&[(4, "both")])));
    ada.mate.done(&["sign", "knowledge", "style"]);
    ada.commit("merged");
    assert_eq!(ada.findings(), [""; 0]);
}

#[test]
fn the_signature_is_kept_that_fits_what_git_makes_of_the_files() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[]));
    let ben = Coder::clone(&stage, "ben");
    ada.mate.done(&["trust", "add", &ben.mate.key(), "--name", "Ben"]);
    // Both made the same change, and signed it apart.
    ada.sign_note("style", &lines(&[(4, "same")]));
    ben.mate.done(&["git", "setup"]);
    ben.sign_note("style", &lines(&[(4, "same")]));
    let words = ada.git(&["pull", "-q", "--no-rebase", "--no-edit", "../beside/ben", "main"]);
    assert!(!words.contains("sign it once"), "{words}");
    assert_eq!(ada.findings(), [""; 0]);
    assert_eq!(ada.mate.trust("knowledge", "style"), "verified");
    // Ada signs again what is there; Ben changes it. What git makes of it is what Ben signed.
    ada.git(&["switch", "-q", "-c", "again"]);
    std::fs::remove_file(stage.path("project/.ai/knowledge/style.md.sig")).expect("removed");
    ada.mate.done(&["keys", "rotate", "--out", "rotation.json"]);
    ada.mate.done(&["sign", "knowledge", "style"]);
    ada.commit("again");
    ben.git(&["pull", "-q", "--rebase", "../../project", "main"]);
    ben.sign_note("style", &lines(&[(4, "ben")]));
    let words = ada.git(&["pull", "-q", "--no-rebase", "--no-edit", "../beside/ben", "main"]);
    assert!(!words.contains("sign it once"), "{words}");
    assert_eq!(ada.mate.trust("knowledge", "style"), "verified");
    assert!(ada.mate.text(&note_path("style")).contains("ben"));
}

#[test]
fn without_the_driver_the_markers_in_a_signature_are_called_that() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.git(&["config", "--remove-section", "merge.mere"]);
    ada.sign_note("style", &lines(&[]));
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.sign_note("style", &lines(&[(9, "topic")]));
    ada.git(&["switch", "-q", "main"]);
    ada.sign_note("style", &lines(&[(0, "main")]));
    assert!(!ada.try_git(&["merge", "topic"]).status.success());
    assert_eq!(ada.conflicts(), [".ai/knowledge/style.md.sig"]);
    let (_, reply) = ada.mate.run(&["verify"]);
    let item = &reply["data"]["items"][0];
    assert_eq!(item["status"], "bad-signature", "{reply}");
    let (fault, fix) = (item["fault"].as_str(), item["fix"].as_str());
    assert!(fault.is_some_and(|words| words.contains("conflict markers")), "{reply}");
    assert!(fix.is_some_and(|words| words.contains("`mere git setup`")), "{reply}");
    // The doctor knows why it happened, and one command keeps it from happening again.
    let (_, doctor) = ada.mate.run(&["doctor"]);
    let words = checks(&doctor, "git");
    assert!(words[0].contains("was not told in this clone how to merge"), "{words:?}");
    ada.mate.done(&["sign", "knowledge", "style"]);
    ada.commit("merged");
    assert_eq!(ada.findings(), [""; 0]);
    ada.mate.done(&["git", "setup"]);
    assert_eq!(checks(&ada.mate.run(&["doctor"]).1, "git"), [""; 0]);
}

#[test]
fn both_sides_of_a_memory_stay_readable() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    let write = |content: &str, tags: &str| {
        ada.mate.done(&["memory", "update", "auth/tokens", content, "--tag", tags]);
        ada.commit("memory");
    };
    ada.mate.done(&["category", "create", "auth"]);
    ada.mate.done(&["memory", "create", "auth/tokens", "a\nb\nc\nd\n"]);
    ada.commit("memory");
    ada.git(&["switch", "-q", "-c", "topic"]);
    write("a\nb\nc\ntopic\n", "one");
    ada.git(&["switch", "-q", "main"]);
    write("main\nb\nc\nd\n", "two");
    // Different lines: nothing is left to decide, although both changed the frontmatter.
    ada.git(&["merge", "-q", "--no-edit", "topic"]);
    let memory = ada.mate.done(&["memory", "get", "auth/tokens"]);
    assert_eq!(memory["content"], "main\nb\nc\ntopic\n", "{memory}");
    assert_eq!(memory["tags"], json!(["two", "one"]), "{memory}");
    // The same line: git says so, and an agent reads both sides.
    ada.git(&["switch", "-q", "-C", "topic"]);
    write("topic\nb\nc\n", "one");
    ada.git(&["switch", "-q", "main"]);
    write("other\nb\nc\n", "one");
    assert!(!ada.try_git(&["merge", "topic"]).status.success());
    assert_eq!(ada.conflicts(), [".ai/memory/auth/tokens.md"]);
    let call = json!({ "path": "auth/tokens" }).to_string();
    let answer = stage.answer(ada.mate.command().args(["call", "get_memory", &call]));
    let content = answer.reply["data"]["content"].as_str().expect("a memory");
    assert!(content.contains("other") && content.contains("topic"), "{}", answer.reply);
}

#[test]
fn a_memory_with_markers_in_its_frontmatter_is_called_that() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    let text = "---\n<<<<<<< HEAD\ntags: [a]\n=======\ntags: [b]\n>>>>>>> topic\n---\nbody\n";
    ada.mate.write(".ai/memory/auth.md", text);
    let (status, reply) = ada.mate.run(&["memory", "get", "auth"]);
    assert_eq!(status, 1, "{reply}");
    let words = format!("{} {}", reply["message"], reply["hint"]);
    assert!(words.contains("git left its conflict markers"), "{reply}");
}

#[test]
fn setting_git_up_is_safe_to_repeat_and_tells_what_it_did() {
    let stage = stage();
    let ada = Coder { mate: crate::trust::team::Mate::new(&stage, "ada", "project") };
    ada.mate.done(&["init", "--template", "blank"]);
    assert_eq!(ada.mate.refused(&["git", "setup"]), (1, "IT-SIGN-I-003".to_owned()));
    ada.git(&["init", "-q"]);
    let made = ada.mate.done(&["git", "setup"]);
    assert_eq!(made["made"], json!(["ROOT_PROJECT:/.gitattributes"]));
    assert_eq!(made["driver_installed"], true);
    let expected = ".ai/** -text\n.ai/**/*.sig merge=mere\n.ai/lockfiles/** merge=mere\n\
        .ai/memory/** merge=mere\n.ai/signers.json -merge\n.ai/signers.json.sig -merge\n";
    assert_eq!(ada.mate.text(".gitattributes"), expected);
    let made = ada.mate.done(&["git", "setup"]);
    assert_eq!((&made["made"], &made["driver_installed"]), (&json!([]), &json!(false)));
    assert_eq!(ada.mate.text(".gitattributes"), expected);
    // A driver that a person named by its path stays.
    ada.git(&["config", "merge.mere.driver", "/opt/mere git merge-file %O %A %B %L %P"]);
    ada.mate.done(&["git", "setup"]);
    assert!(ada.git(&["config", "merge.mere.driver"]).starts_with("/opt/mere"));
    let words = said(&ada.mate.plain(&["git", "setup"]));
    assert!(words.contains("Git already merges"), "{words}");
}

#[test]
fn two_rosters_are_kept_apart() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.mate.done(&["team", "init", "--name", "Ada"]);
    ada.commit("team");
    for name in ["ben", "eve"] {
        crate::trust::team::Mate::new(&stage, name, "project");
    }
    let pub_key = |name: &str| stage.path(&format!("{name}.pub")).display().to_string();
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.mate.done(&["team", "add", "Ben", &pub_key("ben")]);
    ada.commit("ben");
    let ours = ada.mate.roster();
    ada.git(&["switch", "-q", "main"]);
    let record = "ada/.config/merestone/teams.json";
    let before = std::fs::read_to_string(stage.path(record)).expect("a team");
    stage.file(record, &before.replace("\"serial\":2", "\"serial\":1"));
    std::fs::remove_file(stage.path(record)).expect("removed");
    ada.mate.done(&["join", "--yes"]);
    ada.mate.done(&["team", "add", "Eve", &pub_key("eve")]);
    ada.commit("eve");
    let theirs = ada.mate.roster();
    assert!(!ada.try_git(&["merge", "topic"]).status.success());
    assert_eq!(ada.conflicts(), [".ai/signers.json", ".ai/signers.json.sig"]);
    assert_eq!(ada.mate.roster(), theirs, "the one that is there is whole");
    ada.git(&["checkout", "-q", "--theirs", ".ai/signers.json", ".ai/signers.json.sig"]);
    assert_eq!(ada.mate.roster(), ours, "and so is the other one");
}
