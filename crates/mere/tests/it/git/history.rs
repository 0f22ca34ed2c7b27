//! `mere log`: who signed what, and when.

use serde_json::{Value, json};

use super::{Coder, lines, said, stage};

fn rows(log: &Value) -> Vec<(&str, &str)> {
    let rows = log["data"]["signatures"].as_array().expect("signatures").iter();
    rows.map(|row| {
        let signer = row["signer"].as_str().unwrap_or_default();
        (signer, row["standing"].as_str().expect("a standing"))
    })
    .collect()
}

#[test]
fn every_signature_that_an_item_had_is_listed() {
    let stage = stage();
    let ada = Coder::first(&stage, "ada");
    ada.sign_note("style", &lines(&[]));
    let (ben, eve) = (Coder::clone(&stage, "ben"), Coder::clone(&stage, "eve"));
    ada.mate.done(&["trust", "add", &ben.mate.key(), "--name", "Ben"]);
    ben.sign_note("style", &lines(&[(1, "ben")]));
    ada.git(&["pull", "-q", "../beside/ben", "main"]);
    eve.git(&["pull", "-q", "../ben", "main"]);
    eve.sign_note("style", &lines(&[(2, "eve")]));
    ada.git(&["pull", "-q", "../beside/eve", "main"]);
    ada.mate.done(&["sign", "note", "style"]);
    let (status, log) = ada.mate.run(&["log", "note", "style"]);
    assert_eq!((status, &log["code"]), (0, &json!("IT-LOG-S-001")), "{log}");
    let expected =
        [("you", "counts"), ("", "does not count"), ("Ben", "counts"), ("you", "counts")];
    assert_eq!(rows(&log), expected, "{log}");
    let newest = &log["data"]["signatures"][0];
    assert_eq!(newest["commit"], Value::Null, "it is not committed: {log}");
    assert_eq!(log["data"]["signatures"][1]["key"], eve.mate.fingerprint().as_str(), "{log}");
    assert_eq!(log["data"]["newest_seen"], "1.0.0", "{log}");
    let words = said(&ada.mate.plain(&["log", "note", "style"]));
    assert!(words.contains("not committed") && words.contains("does not count"), "{words}");
    // A key that was revoked since, and a file that is no signature.
    ada.commit("signed");
    ada.mate.done(&["trust", "revoke", "Ben"]);
    ada.mate.write(".ai/knowledge/style.md.sig", "{");
    let (_, log) = ada.mate.run(&["log", "note", "style"]);
    let standings = rows(&log).into_iter().map(|(_, standing)| standing).collect::<Vec<_>>();
    let expected = ["is not a signature", "counts", "does not count", "is revoked", "counts"];
    assert_eq!(standings, expected, "{log}");
}

#[test]
fn without_a_repository_there_is_what_lies_there() {
    let stage = stage();
    let ada = crate::trust::team::Mate::new(&stage, "ada", "project");
    ada.done(&["init", "--template", "blank"]);
    ada.done(&["new", "note", "style"]);
    let (_, log) = ada.run(&["log", "note", "style"]);
    assert_eq!((rows(&log), &log["message"]), (vec![], &json!("Nobody has signed it.")), "{log}");
    ada.done(&["sign", "note", "style"]);
    let (_, log) = ada.run(&["log", "note", "style"]);
    assert_eq!(rows(&log), [("you", "counts")], "{log}");
}
