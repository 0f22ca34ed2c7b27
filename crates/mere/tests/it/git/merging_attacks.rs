//! What a hostile branch can make of the merge driver: nothing that the branch itself is not.

use super::{Coder, lines, note, note_path, stage};

#[test]
fn a_signature_by_a_stranger_that_claims_to_fit_verifies_nothing() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[]));
    let eve = Coder::clone(&stage, "eve");
    eve.mate.done(&["git", "setup"]);
    eve.sign_note("style", &lines(&[(0, "eve")]));
    // Ada's own signature of other words, and Eve's of hers: neither is what git makes of both.
    ada.sign_note("style", &lines(&[(9, "ada")]));
    ada.git(&["pull", "-q", "--no-rebase", "--no-edit", "../beside/eve", "main"]);
    assert_eq!(ada.mate.trust("knowledge", "style"), "changed");
    // Eve's signature fits where only she changed the item, and counts for nothing.
    ada.git(&["reset", "-q", "--hard", "HEAD~2"]);
    ada.git(&["pull", "-q", "--no-rebase", "--no-edit", "../beside/eve", "main"]);
    assert_eq!(ada.mate.trust("knowledge", "style"), "unknown-key");
}

#[test]
fn what_is_no_signature_is_merged_as_text() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    let file = ".ai/directives/greet/assets/notes.sig";
    ada.mate.write(file, "a\nb\nc\nd\n");
    ada.commit("notes");
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.mate.write(file, "a\nb\nc\ntopic\n");
    ada.commit("topic");
    ada.git(&["switch", "-q", "main"]);
    ada.mate.write(file, "main\nb\nc\nd\n");
    ada.commit("main");
    ada.git(&["merge", "-q", "--no-edit", "topic"]);
    assert_eq!(ada.mate.text(file), "main\nb\nc\ntopic\n");
    // The same line: nothing is chosen for anybody.
    ada.git(&["switch", "-q", "-C", "topic", "HEAD~1"]);
    ada.mate.write(file, "x\n");
    ada.commit("topic");
    ada.git(&["switch", "-q", "main"]);
    assert!(!ada.try_git(&["merge", "topic"]).status.success());
    assert_eq!(ada.conflicts(), [file]);
}

#[test]
fn a_lockfile_that_is_none_is_merged_as_text() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    let file = ".ai/lockfiles/x@1.0.0.lock.json";
    let change = |text: &str| {
        ada.mate.write(file, text);
        ada.commit("lockfile");
    };
    change("{}\n");
    ada.git(&["switch", "-q", "-c", "topic"]);
    change("{\"a\": 1}\n");
    ada.git(&["switch", "-q", "main"]);
    change("{\"b\": 1}\n");
    assert!(!ada.try_git(&["merge", "topic"]).status.success());
    assert_eq!(ada.conflicts(), [file]);
}

#[test]
fn names_and_sizes_that_a_branch_chooses_do_no_harm() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    let hostile = [
        ".ai/knowledge/a'; touch pwned; '.md.sig",
        ".ai/knowledge/$(touch pwned).md.sig",
        ".ai/knowledge/-L.sig",
        ".ai/memory/\u{1b}[2J.md",
    ];
    let big = "x".repeat(3 * 1024 * 1024);
    for (side, text) in [("base", "1\n"), ("main", "2\n"), ("topic", "3\n")] {
        if side == "topic" {
            ada.git(&["switch", "-q", "-c", "topic", "HEAD~1"]);
        }
        for file in hostile {
            ada.mate.write(file, text);
        }
        ada.mate.write(".ai/memory/big.md", &format!("{text}{big}\n"));
        ada.commit(side);
    }
    let merged = ada.try_git(&["merge", "main"]);
    assert_eq!(merged.status.code(), Some(1), "all of them conflict");
    assert!(!stage.path("project/pwned").exists());
    assert_eq!(ada.git(&["diff", "--name-only", "--diff-filter=U", "-z"]).matches('\0').count(), 5);
}

#[test]
fn a_name_that_steers_the_terminal_is_written_out() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    for (file, changes) in [("ours", &[(0, "a")][..]), ("theirs", &[(9, "b")]), ("base", &[])] {
        ada.sign_note("style", &lines(changes));
        ada.mate.write(file, &ada.mate.text(".ai/knowledge/style.md.sig"));
    }
    let merge = ["git", "merge-file", "base", "ours", "theirs", "7", "\u{1b}[2J.sig"];
    let merged = ada.mate.plain(&merge);
    assert!(merged.status.success());
    let words = super::said(&merged);
    assert!(words.contains("\\u{1b}[2J.sig: both sides changed the item"), "{words:?}");
}

#[test]
fn a_signed_item_is_never_changed_by_a_merge_of_its_signature() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[]));
    let signed = ada.mate.text(".ai/knowledge/style.md.sig");
    ada.git(&["switch", "-q", "-c", "topic"]);
    ada.mate.write(".ai/knowledge/style.md.sig", "{\"statement\": 1}\n");
    ada.commit("broken");
    ada.git(&["switch", "-q", "main"]);
    ada.mate.write(".ai/knowledge/style.md.sig", &(signed.clone() + "\n"));
    ada.commit("reformatted");
    // One side is a signature: it stays, and the item with it.
    ada.git(&["merge", "-q", "--no-edit", "topic"]);
    assert_eq!(ada.mate.text(".ai/knowledge/style.md.sig"), signed);
    assert_eq!(ada.mate.text(&note_path("style")), note("style", &lines(&[])));
    assert_eq!(ada.mate.trust("knowledge", "style"), "verified");
}

#[test]
fn a_path_that_looks_like_an_option_loses_nothing() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.mate.write(".gitattributes", "** merge=mere\n");
    for (side, text) in [("base", "1\n"), ("main", "2\n"), ("topic", "3\n")] {
        if side == "topic" {
            ada.git(&["switch", "-q", "-c", "topic", "HEAD~1"]);
        }
        for file in ["-h/x.md", "--help.sig", "--version/x.md"] {
            ada.mate.write(file, text);
        }
        ada.commit(side);
    }
    let merged = ada.try_git(&["merge", "main"]);
    assert_eq!(merged.status.code(), Some(1), "{merged:?}");
    assert_eq!(ada.conflicts().len(), 3, "{:?}", ada.conflicts());
}
