//! A team over time: keys are rotated, members leave, and somebody has not joined yet.

use serde_json::{Value, json};

use super::{Coder, lines, said, stage};
use crate::support::harness::Stage;

/// Ada's team with Ben, who has a clone and has joined.
fn team(stage: &Stage) -> (Coder<'_>, Coder<'_>) {
    let ada = Coder::first(stage, "ada");
    let ben = Coder::clone(stage, "ben");
    ada.mate.done(&["team", "init", "--name", "Ada"]);
    ada.mate.done(&["team", "add", "Ben", &ben.mate.key()]);
    ada.sign_note("style", &lines(&[]));
    ben.git(&["pull", "-q"]);
    ben.mate.done(&["git", "setup"]);
    ben.mate.done(&["join", "--admin", &ada.mate.fingerprint()]);
    (ada, ben)
}

fn rotation(coder: &Coder<'_>) -> String {
    let file = coder.mate.stage.path(&format!("{}-rotation.json", coder.mate.name));
    let file = file.display().to_string();
    coder.mate.done(&["keys", "rotate", "--out", &file]);
    file
}

fn member_names(coder: &Coder<'_>) -> Vec<String> {
    let shown = coder.mate.done(&["team", "show"]);
    let members = shown["members"].as_array().expect("members").iter();
    members.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
}

fn hint(reply: &Value) -> &str {
    reply["hint"].as_str().unwrap_or_else(|| panic!("no hint in {reply}"))
}

#[test]
fn a_sole_admin_rotates_and_nothing_stops_counting() {
    let stage = stage();
    let (ada, ben) = team(&stage);
    let old = ada.mate.fingerprint();
    // Without the proof in a file the team could not follow.
    let (status, refused) = ada.mate.run(&["keys", "rotate"]);
    assert_eq!((status, &refused["code"]), (1, &json!("IT-KEY-I-011")), "{refused}");
    assert!(hint(&refused).contains("`mere team rotate rotation.json`"), "{refused}");
    let (status, refused) = ada.mate.run(&["trust", "revoke", &old]);
    assert_eq!((status, &refused["code"]), (1, &json!("IT-KEY-I-011")), "{refused}");
    assert_eq!(ada.mate.fingerprint(), old, "nothing was changed");
    let proof = rotation(&ada);
    // In between the team says what comes first.
    let (_, refused) = ada.mate.run(&["team", "add", "Eve", &ben.mate.key()]);
    assert_eq!(refused["code"], "IT-TEAM-I-003", "{refused}");
    assert!(hint(&refused).contains("`mere team rotate`"), "{refused}");
    let (status, rotated) = ada.mate.run(&["team", "rotate", &proof]);
    assert_eq!((status, &rotated["code"]), (0, &json!("IT-TEAM-S-002")), "{rotated}");
    assert_eq!(member_names(&ada), ["Ben", "Ada", "Ada-old"]);
    assert_eq!(ada.mate.trust("knowledge", "style"), "verified", "by the old key");
    ada.sign_note("other", &lines(&[]));
    ben.git(&["pull", "-q"]);
    assert_eq!(ben.mate.trust("knowledge", "style"), "verified");
    assert_eq!(ben.mate.trust("knowledge", "other"), "verified");
    assert_eq!(ben.findings(), [""; 0], "the roster is the one in effect");
    // Later the old key is let go, like any member.
    ada.mate.done(&["team", "remove", "Ada-old", "--countersign"]);
    assert_eq!(ada.findings(), [""; 0]);
    // The same proof again changes nothing.
    assert_eq!(ada.mate.refused(&["team", "rotate", &proof]), (1, "IT-TEAM-I-004".to_owned()));
}

#[test]
fn an_admin_rotates_the_key_of_a_member() {
    let stage = stage();
    let (ada, ben) = team(&stage);
    ben.sign_note("bens", &lines(&[]));
    let proof = rotation(&ben);
    assert_eq!(ben.mate.refused(&["team", "rotate", &proof]), (1, "IT-TEAM-I-003".to_owned()));
    ada.mate.done(&["team", "rotate", &proof]);
    ada.commit("rotated");
    ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
    ben.sign_note("new", &lines(&[]));
    assert_eq!(ben.mate.trust("knowledge", "bens"), "verified");
    assert_eq!(ben.mate.trust("knowledge", "new"), "verified");
    // Whoever removes Ben is told of the key that would go on counting for him.
    let (_, removed) = ada.mate.run(&["team", "remove", "Ben", "--countersign"]);
    let words = removed["message"].as_str().unwrap_or_default();
    assert!(words.contains("still counts: `mere team remove Ben-old` removes it."), "{words}");
    let (_, removed) = ada.mate.run(&["team", "remove", "Ben-old", "--countersign"]);
    assert!(removed["message"].to_string().contains("no longer in the team"), "{removed}");
    assert!(!removed["message"].to_string().contains("still counts"), "{removed}");
}

#[test]
fn a_change_that_could_never_count_is_not_made() {
    let stage = stage();
    let (ada, ben) = team(&stage);
    ada.mate.done(&["team", "remove", "Ben"]);
    ada.mate.done(&["team", "add", "Ben", &ben.mate.key(), "--admin"]);
    ada.mate.done(&["team", "threshold", "2"]);
    ada.commit("two");
    ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
    ben.mate.done(&["team", "sign", "--yes"]);
    ben.commit("two of two");
    ada.git(&["pull", "-q", "--no-rebase", "--no-edit", "../beside/ben", "main"]);
    let before = ben.mate.roster();
    // Ada's old key signs nowhere but on her machine, and without it there are not two.
    let proof = rotation(&ada);
    let (status, refused) = ben.mate.run(&["team", "rotate", &proof]);
    assert_eq!((status, &refused["code"]), (1, &json!("IT-TEAM-I-006")), "{refused}");
    assert!(hint(&refused).contains("Run this where both keys are"), "{refused}");
    assert_eq!(ben.mate.roster(), before);
    // There it waits for Ben, as every change does.
    let (_, waits) = ada.mate.run(&["team", "rotate", &proof]);
    assert_eq!(waits["code"], "IT-TEAM-S-003", "{waits}");
    ada.commit("rotated");
    ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
    ben.mate.done(&["team", "sign", "--yes"]);
    assert!(member_names(&ben).contains(&"Ada-old".to_owned()));
}

#[test]
fn a_proof_that_is_none_rotates_nobody() {
    let stage = stage();
    let (ada, _) = team(&stage);
    let eve = Coder::clone(&stage, "eve");
    let proof = rotation(&eve);
    assert_eq!(ada.mate.refused(&["team", "rotate", &proof]), (1, "IT-TEAM-I-005".to_owned()));
    // Eve's key in the place of Ada's, which Ada did not sign.
    let text = std::fs::read_to_string(&proof).expect("a proof");
    stage.file("forged.json", &text.replace("rotation.v1", "roster.v1"));
    let forged = stage.path("forged.json").display().to_string();
    assert_eq!(ada.mate.refused(&["team", "rotate", &forged]), (1, "IT-SIGNER-I-004".to_owned()));
    assert_eq!(ada.mate.refused(&["team", "rotate", "none.json"]).1, "IT-SIGNER-I-006");
    assert_eq!(member_names(&ada), ["Ada", "Ben"]);
}

#[test]
fn whoever_left_is_named() {
    let stage = stage();
    let (ada, ben) = team(&stage);
    ben.sign_note("bens", &lines(&[]));
    ada.git(&["pull", "-q", "--no-rebase", "--no-edit", "../beside/ben", "main"]);
    ada.mate.done(&["team", "remove", "Ben"]);
    ada.commit("without Ben");
    let words = "It is signed by Ben, who is no longer a member of the team.";
    let told = |coder: &Coder<'_>| {
        let answer = coder.mate.load("knowledge", "bens");
        hint(&answer.reply).to_owned()
    };
    assert!(told(&ada).contains(words), "{}", told(&ada));
    // Somebody who joins later knows it from the history, as far as admins signed it.
    let eve = Coder::clone(&stage, "eve");
    let forged = ada.mate.roster()[0].replace("\"Ada\"", "\"Mallory\"");
    eve.mate.write(".ai/signers.json", &forged);
    eve.commit("forged");
    eve.git(&["revert", "--no-edit", "HEAD"]);
    eve.mate.done(&["join", "--yes"]);
    assert!(told(&eve).contains(words), "{}", told(&eve));
    let record = std::fs::read_to_string(stage.path("eve/.config/merestone/teams.json"));
    assert!(!record.expect("a team").contains("Mallory"));
    let (_, log) = ada.mate.run(&["log", "note", "bens"]);
    let row = &log["data"]["signatures"][0];
    assert_eq!(
        (&row["signer"], &row["standing"]),
        (&json!("Ben"), &json!("left the team")),
        "{log}"
    );
}

#[test]
fn who_has_not_joined_is_told_to_everywhere() {
    let stage = stage();
    let (ada, _) = team(&stage);
    ada.mate.done(&["new", "tool", "t/a"]);
    ada.mate.done(&["sign", "tool", "t/a"]);
    ada.mate.done(&["lock", "t/a"]);
    ada.commit("tool");
    let eve = Coder::clone(&stage, "eve");
    for words in [
        "show note style",
        "verify",
        "sign",
        "sign --dry-run",
        "sign --dry-run note style",
        "review --list",
        "doctor",
        "run t/a",
        "lock t/a",
        "lock --check",
        "why note style",
        "team add Zoe zoe.pub",
        "team show",
    ] {
        let told = said(&eve.mate.plain(&words.split(' ').collect::<Vec<_>>()));
        assert!(told.contains("`mere join`"), "mere {words}: {told}");
    }
    assert!(hint(&eve.mate.load("tool", "t/a").reply).contains("`mere join`"));
    eve.mate.done(&["join", "--yes"]);
    assert_eq!(eve.findings(), [""; 0]);
}
