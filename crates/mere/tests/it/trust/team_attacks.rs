//! Rosters that must not count: old ones, copied ones, forged ones, damaged ones.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::trust::team::{Mate, founded, pair};

const TROUBLE: &str = "IT-TEAM-E-001";

/// What `verify` finds wrong with the roster.
fn trouble(mate: &Mate<'_>) -> String {
    let (_, reply) = mate.run(&["verify", "--all"]);
    let items = reply["data"]["items"].as_array().expect("findings").iter();
    let found = items.into_iter().find(|one| one["status"] == "roster");
    let found = found.unwrap_or_else(|| panic!("no trouble in {reply}"));
    found["fault"].as_str().expect("a fault").to_owned()
}

/// A folder like the project, in which Eve has made a team of her own for the same space.
fn usurped(stage: &Stage) -> Mate<'_> {
    copy(stage, "project", "beside/eves");
    let eve = Mate::new(stage, "eve", "beside/eves");
    for name in ["signers.json", "signers.json.sig"] {
        std::fs::remove_file(stage.path(&format!("beside/eves/.ai/{name}"))).expect("it was there");
    }
    eve.done(&["team", "init", "--name", "Ada", "--admin", &stage_key(stage, "ada")]);
    eve
}

fn stage_key(stage: &Stage, name: &str) -> String {
    stage.path(&format!("{name}.pub")).to_str().expect("UTF-8").to_owned()
}

fn copy(stage: &Stage, from: &str, to: &str) {
    let mut copy = std::process::Command::new("cp");
    copy.arg("-a").arg(stage.path(from)).arg(stage.path(to));
    assert!(copy.status().expect("cp runs").success());
}

#[test]
fn an_older_roster_does_not_count_again() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let old = ada.roster();
    ada.done(&["team", "remove", "Ben"]);
    assert_eq!(ben.trust("directive", "build"), "unknown-key");
    ben.put_roster(&old);
    assert_eq!(ben.trust("directive", "build"), "unknown-key");
    assert!(trouble(&ben).contains("serial 2, but 3 was already seen"));
    assert_eq!(ben.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
    assert_eq!(ada.refused(&["team", "require", "tool"]), (4, TROUBLE.to_owned()));
    assert_eq!(ada.done(&["team", "show"])["serial"], 3);
}

#[test]
fn a_roster_counts_in_its_own_space_alone() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    stage.folder("beside/other/.git");
    let other = ben.within("beside/other");
    other.done(&["init", "--template", "blank"]);
    other.put_roster(&ada.roster());
    assert_eq!(other.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
    assert_eq!(other.refused(&["team", "show"]), (4, TROUBLE.to_owned()));
    let admin = ada.fingerprint();
    assert_eq!(other.refused(&["verify", "--all", "--admin", &admin]), (4, TROUBLE.to_owned()));
    assert!(trouble(&other).contains("another space"));
    let no_space = ben.within("beside");
    stage.folder("beside/.git");
    stage.folder("beside/.ai");
    no_space.put_roster(&ada.roster());
    assert_eq!(no_space.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
}

#[test]
fn a_roster_signed_by_a_stranger_changes_nothing() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let eve = usurped(&stage);
    for _ in 0..3 {
        eve.done(&["team", "require", "tool"]);
    }
    let hers = eve.roster();
    ben.put_roster(&hers);
    assert_eq!(ben.trust("directive", "deploy"), "verified");
    assert_eq!(ben.load("directive", "deploy").status, 0);
    assert!(trouble(&ben).contains("not signed by enough of the known admins"));
    let shown = ben.done(&["team", "show"]);
    assert_eq!((&shown["serial"], &shown["state"]), (&json!(2), &json!("joined")));
    let admin = ada.fingerprint();
    let ci = ["verify", "--all", "--admin", &admin];
    assert_eq!(ben.refused(&ci), (4, TROUBLE.to_owned()), "it names Ada, who did not sign");

    // Nobody joins it by the way.
    assert_eq!(ben.refused(&["join", "--yes"]), (1, "IT-JOIN-I-001".to_owned()));
    assert_eq!(ben.refused(&["join", "--admin", &admin]), (4, TROUBLE.to_owned()));
    assert_eq!(ben.plain(&["join"]).status.code(), Some(1));
    let (status, shown) = ben.at_terminal("join", "n\n");
    assert_eq!(status, 1);
    assert!(shown.contains(&format!("a new admin: {}", eve.fingerprint())), "{shown}");
    assert!(shown.contains("no longer a member: Ben"), "{shown}");
    assert_eq!(ben.done(&["team", "show"])["serial"], 2);

    // Eve's signature under Ada's name is none.
    let [roster, signatures] = &hers;
    let forged = signatures.replace(&eve.fingerprint(), &admin);
    assert_ne!(forged, *signatures);
    ben.put_roster(&[roster.clone(), forged]);
    assert_eq!(ben.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
    assert_eq!(ben.refused(&ci), (4, TROUBLE.to_owned()));

    // A person who says yes to her joins her.
    ben.put_roster(&hers);
    assert_eq!(ben.at_terminal("join", "y\n").0, 0);
    assert_eq!(ben.done(&["team", "show"])["serial"], 4);
    assert_eq!(ben.trust("knowledge", "style"), "unknown-key");
}

#[test]
fn of_two_rosters_with_one_serial_the_first_holds() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let cleo = Mate::new(&stage, "cleo", "project");
    copy(&stage, "project", "beside/branch");
    copy(&stage, "ada", "ada-elsewhere");
    let elsewhere = Mate { stage: &stage, name: "ada-elsewhere", folder: "beside/branch" };
    elsewhere.done(&["team", "add", "Cleo", &cleo.key()]);
    ada.done(&["team", "require", "tool"]);
    assert_eq!(ben.done(&["team", "show"])["serial"], 3);
    ben.put_roster(&elsewhere.roster());
    let shown = ben.done(&["team", "show"]);
    assert_eq!(shown["members"].as_array().map(Vec::len), Some(2), "no Cleo");
    assert!(
        trouble(&ben).contains("has serial 3, but differs from the roster seen with that serial")
    );
    assert_eq!(ben.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
    assert_eq!(ben.refused(&["join", "--admin", &ada.fingerprint()]), (4, TROUBLE.to_owned()));
    assert_eq!(ada.refused(&["team", "require", "tool"]), (4, TROUBLE.to_owned()));
}

#[test]
fn a_roster_that_is_not_what_was_signed_is_none() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let eve = Mate::new(&stage, "eve", "project");
    let [roster, signatures] = ada.roster();
    let key = std::fs::read_to_string(eve.key()).expect("a key");
    let key = key.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let members = "\"members\": [";
    let with_eve = roster.replace(
        members,
        &format!("{members} {{\"name\": \"Eve\", \"key\": \"{}\"}},", key.trim()),
    );
    assert!(with_eve.contains("Eve"));
    let twice = roster.replace("\"threshold\": 1,", "\"threshold\": 1, \"threshold\": 1,");
    let more = roster.replace("\"threshold\": 1,", "\"threshold\": 1, \"note\": 1,");
    let sure = roster.replace("\"threshold\": 1,", "\"threshold\": 0,");
    let broken = [
        (with_eve.clone(), signatures.clone()),
        (roster.replace("\"serial\": 2", "\"serial\": 9"), signatures.clone()),
        (twice, signatures.clone()),
        (more, signatures.clone()),
        (sure, signatures.clone()),
        (roster.clone(), signatures.replace("\"roster\"", "\"statement\"")),
        (roster.clone(), "{}".to_owned()),
        (roster.clone(), String::new()),
        (String::new(), signatures.clone()),
        (format!("{roster}{roster}"), signatures.clone()),
    ];
    for (roster, signatures) in broken {
        ben.put_roster(&[roster.clone(), signatures]);
        assert!(trouble(&ben).contains("not valid"), "{roster}");
        assert_eq!(ben.trust("directive", "build"), "verified", "the pinned one holds");
        assert_eq!(eve.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
        let admin = ada.fingerprint();
        assert_eq!(ben.refused(&["verify", "--admin", &admin]), (4, TROUBLE.to_owned()));
        assert_eq!(ada.refused(&["team", "require", "tool"]).0, 4);
    }
    // Another layout is the same roster.
    let value: Value = serde_json::from_str(&roster).expect("JSON");
    ben.put_roster(&[value.to_string(), signatures]);
    assert_eq!(ben.run(&["verify", "--all"]).0, 0);
}

#[test]
fn a_change_that_was_interrupted_is_refused_and_can_be_made_again() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let before = ada.roster();
    ada.done(&["team", "remove", "Ben"]);
    let after = ada.roster();
    // Whoever joined before sees the halves: the new signatures come first.
    let cleo = Mate::new(&stage, "cleo", "project");
    ada.put_roster(&before);
    cleo.done(&["join", "--yes"]);
    ada.put_roster(&[before[0].clone(), after[1].clone()]);
    assert_eq!(cleo.trust("directive", "build"), "verified", "the one before holds");
    assert!(trouble(&cleo).contains("does not match what was signed"));
    let dan = Mate::new(&stage, "dan", "project");
    assert_eq!(dan.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
    assert_eq!(dan.load("directive", "build").code(), "EN-ITEM-D-003", "no looser than usual");
    let (_, reply) = cleo.run(&["verify"]);
    assert!(reply.to_string().contains("git restore"));
    ada.put_roster(&after);
    assert_eq!(cleo.trust("directive", "build"), "unknown-key");

    // The first one leaves signatures alone.
    stage.folder("beside/new/.git");
    let eve = Mate::new(&stage, "eve", "beside/new");
    eve.write(".ai/signers.json.sig", &after[1]);
    assert_eq!(eve.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
    eve.done(&["team", "init"]);
    assert_eq!(eve.done(&["team", "show"])["state"], "joined");
    assert_eq!(ben.done(&["team", "show"])["serial"], 3);
}

#[test]
fn what_must_be_signed_is_no_matter_of_one_file() {
    let stage = Stage::new();
    let ada = founded(&stage);
    ada.done(&["team", "require", "directive,note"]);
    ada.done(&["new", "note", "loose"]);
    let ben = Mate::new(&stage, "ben", "project");
    assert_eq!(ben.load("knowledge", "loose").code(), "EN-ITEM-D-002", "joined or not");
    ben.done(&["join", "--admin", &ada.fingerprint()]);
    assert_eq!(ben.load("knowledge", "loose").code(), "EN-ITEM-D-002");
    let [roster, signatures] = ada.roster();
    let looser = roster.replace("\"knowledge\"", "\"tool\"");
    assert_ne!(looser, roster);
    ben.put_roster(&[looser, signatures]);
    assert_eq!(ben.load("knowledge", "loose").code(), "EN-ITEM-D-002", "an edited roster");
    for name in ["signers.json", "signers.json.sig"] {
        std::fs::remove_file(stage.path(&format!("project/.ai/{name}"))).expect("it was there");
    }
    assert_eq!(ben.load("knowledge", "loose").code(), "EN-ITEM-D-002", "no roster");
    assert_eq!(ben.trust("knowledge", "style"), "verified");
    assert!(trouble(&ben).contains("no team roster"));
    assert_eq!(ben.refused(&["team", "init"]), (4, TROUBLE.to_owned()));
}

#[test]
fn a_damaged_list_of_teams_lets_no_key_count() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let file = "ben/.config/merestone/teams.json";
    let whole = std::fs::read_to_string(stage.path(file)).expect("a list");
    for damaged in ["", "{", "{}", &whole.replace("\"threshold\": 1", "\"threshold\": 7")] {
        stage.file(file, damaged);
        assert_eq!(ben.load("directive", "build").code(), "EN-ITEM-D-003", "{damaged:?}");
        assert_eq!(ben.trust("knowledge", "style"), "unknown-key");
        assert!(trouble(&ben).contains("damaged"));
        assert_eq!(ben.refused(&["join", "--yes"]), (4, TROUBLE.to_owned()));
        assert_eq!(ben.refused(&["leave", "--yes"]), (4, TROUBLE.to_owned()));
        let kept = std::fs::read_to_string(stage.path(file)).expect("a list");
        assert_eq!(kept, damaged, "nothing is written over it");
    }
    std::fs::remove_file(stage.path(file)).expect("moved away");
    ben.done(&["join", "--admin", &ada.fingerprint()]);
    assert_eq!(ben.trust("directive", "build"), "verified");
}

#[test]
fn a_projects_config_narrows_the_team_and_never_widens_it() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    ada.write(".ai/config.yaml", &format!("trusted_keys: [\"{}\"]\n", ada.fingerprint()));
    assert_eq!(ben.trust("directive", "deploy"), "verified");
    assert_eq!(ben.trust("directive", "build"), "unknown-key");
    let admin = ada.fingerprint();
    let (status, reply) = ben.run(&["verify", "--all", "--admin", &admin]);
    assert_eq!((status, &reply["data"]["counts"]["unknown-key"]), (4, &json!(1)));
    let eve = Mate::new(&stage, "eve", "project");
    eve.make("note", "hers");
    ada.write(".ai/config.yaml", &format!("trusted_keys: [\"{}\"]\n", eve.fingerprint()));
    assert_eq!(ben.trust("knowledge", "hers"), "unknown-key");
}

#[test]
fn as_many_signatures_as_fit_keep_no_admin_from_signing() {
    let stage = Stage::new();
    let ada = founded(&stage);
    let ben = Mate::new(&stage, "ben", "project");
    ada.done(&["team", "add", "Ben", &ben.key(), "--admin"]);
    ben.done(&["join", "--admin", &ada.fingerprint()]);
    ada.done(&["team", "threshold", "2"]);
    let [roster, signatures] = ada.roster();
    let mut crowded: Value = serde_json::from_str(&signatures).expect("JSON");
    let marks = crowded["roster"]["signatures"].as_array_mut().expect("signatures");
    let unknown_key = format!("SHA256:{}", "A".repeat(43));
    let junk = json!({ "keyid": unknown_key, "sig": format!("{}==", "A".repeat(86)) });
    marks.extend(std::iter::repeat_n(junk, 31));
    ben.put_roster(&[roster, crowded.to_string()]);
    ben.done(&["team", "sign", "--yes"]);
    assert_eq!(ada.done(&["team", "show"])["threshold"], 2);
    assert_eq!(ada.text(".ai/signers.json.sig").matches("keyid").count(), 2);
}

#[test]
fn what_was_shown_is_what_is_joined() {
    let stage = Stage::new();
    let ada = founded(&stage);
    let ben = Mate::new(&stage, "ben", "project");
    let mut joining = ben.start_at_terminal("join");
    let shown = joining.read_to("[y/N]");
    assert!(shown.contains("serial     1"), "{shown}");
    ada.done(&["team", "require", "tool"]);
    let (status, shown) = joining.finish("y\n");
    assert_eq!((status, ben.is_pinned()), (1, false), "{shown}");
    assert!(shown.contains("not the one that was shown"), "{shown}");
    assert_eq!(ben.at_terminal("join", "y\n").0, 0);
    assert_eq!(ben.done(&["team", "show"])["serial"], 2);
}

#[test]
fn a_branch_that_gives_the_space_another_id_is_still_the_teams() {
    let stage = Stage::new();
    let [_, ben] = pair(&stage);
    assert_eq!(ben.trust("directive", "build"), "verified");
    // As a branch could: another id, no roster, nothing that must be signed, a workflow of its own.
    let space = |name: &str| stage.path(&format!("project/.ai/{name}"));
    let id = "{\"format\":1,\"space_id\":\"11111111-1111-4111-8111-111111111111\",\"name\":\"p\"}";
    std::fs::write(space("space.json"), id).expect("a file");
    std::fs::write(space("config.yaml"), "").expect("a file");
    for name in ["signers.json", "signers.json.sig"] {
        std::fs::remove_file(space(name)).expect("it was there");
    }
    let text = std::fs::read_to_string(space("directives/build.md")).expect("a directive");
    std::fs::write(space("directives/evil.md"), text.replace("build", "evil")).expect("a file");
    assert_eq!(ben.load("directive", "evil").code(), "EN-ITEM-D-002");
    assert_eq!(ben.load("directive", "build").code(), "IT-TRUST-E-001");
    assert!(trouble(&ben).contains("another id"));
    ben.done(&["leave", "--yes"]);
    assert_eq!(ben.load("directive", "evil").reply["data"]["trust"]["status"], "unsigned");
}

#[test]
fn a_copy_of_a_joined_project_stays_the_teams_when_its_id_changes() {
    let stage = Stage::new();
    let [_, ben] = pair(&stage);
    copy(&stage, "project", "beside/copy");
    let there = ben.within("beside/copy");
    assert_eq!(there.trust("directive", "build"), "verified", "the team is seen in the copy");
    let space = |name: &str| stage.path(&format!("beside/copy/.ai/{name}"));
    let id = "{\"format\":1,\"space_id\":\"11111111-1111-4111-8111-111111111111\",\"name\":\"p\"}";
    std::fs::write(space("space.json"), id).expect("a file");
    std::fs::write(space("config.yaml"), "").expect("a file");
    for name in ["signers.json", "signers.json.sig"] {
        std::fs::remove_file(space(name)).expect("it was there");
    }
    let text = std::fs::read_to_string(space("directives/build.md")).expect("a directive");
    std::fs::write(space("directives/evil.md"), text.replace("build", "evil")).expect("a file");
    assert_eq!(there.load("directive", "evil").code(), "EN-ITEM-D-002");
    assert!(trouble(&there).contains("another id"));
    assert_eq!(ben.trust("directive", "build"), "verified", "the first folder is as it was");
}

#[test]
fn joining_another_team_in_a_teams_folder_brings_back_no_older_roster_of_it() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    stage.folder("beside/other/.git");
    let [adas, bens] = [ada.within("beside/other"), ben.within("beside/other")];
    adas.done(&["init", "--template", "blank"]);
    adas.done(&["team", "init", "--name", "Ada"]);
    let cleo = Mate::new(&stage, "cleo", "beside/other");
    adas.done(&["team", "add", "Cleo", &cleo.key()]);
    bens.done(&["join", "--admin", &ada.fingerprint()]);
    let (space, old) = (adas.text(".ai/space.json"), adas.roster());
    adas.done(&["team", "remove", "Cleo"]);
    assert_eq!(bens.done(&["team", "show"])["serial"], 3);
    // A branch of the first project says that it is the other space, as it was before.
    ben.write(".ai/space.json", &space);
    ben.put_roster(&old);
    for arguments in [&["join", "--admin", &ada.fingerprint()][..], &["join", "--yes"], &["join"]] {
        let (status, reply) = ben.run(arguments);
        assert_eq!((status, &reply["code"]), (4, &json!(TROUBLE)), "{arguments:?}: {reply}");
        let message = reply["message"].as_str().expect("a message");
        assert!(message.contains("serial 2, but 3 was already seen"), "{message}");
    }
    // The roster that holds there is the newer one, as before.
    assert_eq!(bens.done(&["team", "show"])["serial"], 3);
    // The newer roster itself can be joined.
    ben.put_roster(&adas.roster());
    assert_eq!(ben.done(&["join", "--admin", &ada.fingerprint()])["serial"], 3);
}
