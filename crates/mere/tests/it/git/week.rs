//! A week of two people and a stranger, with real git and the real program. No step takes more than
//! two commands of `mere`, and every state in between is told as what it is.

use std::cell::{Cell, RefCell};

use serde_json::Value;

use super::{Coder, lines, note, note_path, said, stage};
use crate::support::harness::Stage;

/// How many commands of `mere` a step may take.
const MOST_COMMANDS: usize = 2;

/// Somebody whose commands are counted.
struct Worker<'a> {
    coder: Coder<'a>,
    step: RefCell<String>,
    commands: Cell<usize>,
}

impl<'a> Worker<'a> {
    fn new(coder: Coder<'a>) -> Self {
        Self { coder, step: RefCell::default(), commands: Cell::new(0) }
    }

    /// Begins a step; the last one must not have taken too many commands.
    fn step(&self, name: &str) {
        self.step.replace(name.to_owned());
        self.commands.set(0);
    }

    /// A command of `mere` that belongs to the step, and must succeed.
    fn mere(&self, words: &str) -> String {
        self.commands.set(self.commands.get() + 1);
        let step = self.step.borrow();
        assert!(self.commands.get() <= MOST_COMMANDS, "{step} takes too many commands: {words}");
        let output = self.coder.mate.plain(&words.split(' ').collect::<Vec<_>>());
        let told = said(&output);
        assert!(output.status.success(), "{step}: mere {words}: {told}");
        told
    }

    /// What the states in between are: the status of an item for an agent.
    fn trust(&self, id: &str) -> String {
        self.coder.mate.trust("knowledge", id)
    }

    /// What `mere verify` finds, with its exit status.
    fn verify(&self) -> (i32, Vec<String>) {
        let (status, reply) = self.coder.mate.run(&["verify"]);
        let items = reply["data"]["items"].as_array().expect("items").iter();
        let found = items.filter(|item| item["finding"] == true);
        let found = found.map(|item| item["status"].as_str().expect("a status").to_owned());
        (status, found.collect())
    }

    fn is_clean(&self) {
        let step = self.step.borrow();
        assert_eq!(self.verify(), (0, vec![]), "after: {step}");
    }

    fn write(&self, id: &str, changes: &[(usize, &'static str)]) {
        self.coder.mate.write(&note_path(id), &note(id, &lines(changes)));
    }

    fn pull(&self, from: &str) {
        self.coder.git(&["pull", "-q", "--no-rebase", "--no-edit", from, "main"]);
    }
}

const ADA: &str = "../../project";
const BEN: &str = "../beside/ben";
const EVE: &str = "../beside/eve";

/// What CI says of a clone: it has no state and no key, and knows one admin.
fn ci(stage: &Stage, folder: &str, admin: &str) -> (i32, Value) {
    let mut command = stage.command(folder);
    command.env("HOME", stage.folder("ci")).args(["verify", "--all", "--admin", admin, "--json"]);
    let output = command.output().expect("mere runs");
    let reply = serde_json::from_slice(&output.stdout).expect("a reply");
    (output.status.code().expect("an exit status"), reply)
}

/// Monday: a team, a colleague who joins, and a day of edits.
fn monday(stage: &Stage) -> (Worker<'_>, Worker<'_>) {
    let ada = Worker::new(Coder::first(stage, "ada"));
    let ben = Worker::new(Coder::clone(stage, "ben"));
    ada.step("a team is made");
    ada.mere("team init --name Ada");
    ada.mere(&format!("team add Ben {}", ben.coder.mate.key()));
    ada.coder.sign_note("style", &lines(&[]));
    ada.coder.sign_note("deploy", &lines(&[]));
    ben.coder.git(&["pull", "-q"]);
    ben.step("a colleague looks before joining");
    let told = said(&ben.coder.mate.plain(&["verify"]));
    assert!(told.contains("`mere join`"), "{told}");
    ben.step("a colleague joins");
    ben.mere(&format!("join --admin {}", ada.coder.mate.fingerprint()));
    ben.mere("git setup");
    ben.is_clean();
    for (number, line) in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].into_iter().enumerate()
    {
        ada.step("an edit");
        ada.write("style", &[(number, line)]);
        assert_eq!(ada.trust("style"), "changed");
        ada.mere("sign --yes");
        ada.coder.commit("edit");
    }
    ada.is_clean();
    ben.pull(ADA);
    ben.is_clean();
    (ada, ben)
}

/// Tuesday: a rebase of five commits over an item that changed meanwhile.
fn tuesday(ada: &Worker<'_>, ben: &Worker<'_>) {
    ada.step("five commits");
    for (number, line) in [(5, "v"), (6, "w"), (7, "x"), (8, "y"), (9, "z")] {
        ada.coder.sign_note("deploy", &lines(&[(number, line)]));
    }
    ben.coder.sign_note("deploy", &lines(&[(0, "ben")]));
    ada.step("a rebase");
    ada.coder.git(&["fetch", "-q", BEN, "main:ben"]);
    let told = ada.coder.git(&["rebase", "ben"]);
    assert!(told.contains("sign it once, when you are done: `mere sign`"), "{told}");
    assert_eq!(ada.verify(), (4, vec!["changed".to_owned()]), "nobody has signed the result");
    ada.mere("sign --yes");
    ada.coder.commit("signed after the rebase");
    ada.is_clean();
    ben.pull(ADA);
    ben.is_clean();
}

/// Wednesday: a conflict in text, and a locked tool that changes.
fn wednesday(ada: &Worker<'_>, ben: &Worker<'_>) {
    ada.coder.sign_note("style", &lines(&[(4, "ada")]));
    ben.coder.sign_note("style", &lines(&[(4, "ben")]));
    ada.step("a conflict in text");
    assert!(!ada.coder.try_git(&["pull", "-q", "--no-rebase", BEN, "main"]).status.success());
    assert_eq!(ada.coder.conflicts(), [note_path("style")], "in the text alone");
    assert_eq!(ada.verify(), (4, vec!["changed".to_owned()]));
    ada.write("style", &[(4, "both")]);
    ada.mere("sign --yes");
    ada.coder.commit("settled");
    ada.is_clean();
    ada.step("a tool is made and locked");
    ada.coder.mate.done(&["new", "tool", "t/count"]);
    ada.mere("sign tool t/count");
    ada.mere("lock t/count");
    ada.coder.commit("tool");
    ada.step("a locked tool changes");
    let script = ".ai/tools/t/count.py";
    ada.coder.mate.write(script, &(ada.coder.mate.text(script) + "# more\n"));
    ada.mere("sign tool t/count --relock");
    ada.coder.commit("tool again");
    ada.is_clean();
    ben.pull(ADA);
    ben.is_clean();
}

/// Thursday: a stranger's pull request is reviewed and taken.
fn thursday(stage: &Stage, ada: &Worker<'_>) {
    let admin = ada.coder.mate.fingerprint();
    let eve = Coder::clone(stage, "eve");
    eve.sign_note("deploy", &lines(&[(0, "ben"), (3, "eve")]));
    assert_eq!(ci(stage, "beside/eve", &admin).0, 0, "a note need not be signed");
    ada.step("a pull request");
    ada.pull(EVE);
    assert_eq!(ada.trust("deploy"), "unknown-key");
    let told = ada.mere("review --list");
    assert!(told.contains("+eve") && !told.contains("+ben\n"), "only what Eve changed: {told}");
    assert!(told.contains("compared with what Ada signed last"), "{told}");
    ada.mere("sign note deploy");
    ada.coder.commit("taken");
    ada.is_clean();
    let told = ada.mere_again("log note deploy");
    assert!(told.contains("does not count") && told.contains("Ada"), "{told}");
}

impl Worker<'_> {
    /// A command that is a step of its own.
    fn mere_again(&self, words: &str) -> String {
        self.step(words);
        self.mere(words)
    }
}

/// Friday: a key is rotated, a member leaves, a worktree, and CI.
fn friday(stage: &Stage, ada: &Worker<'_>, ben: &Worker<'_>) {
    ada.step("a rotation");
    ada.mere("keys rotate --out ../rotation.json");
    ada.mere("team rotate ../rotation.json");
    ada.coder.commit("rotated");
    ada.is_clean();
    ben.pull(ADA);
    ben.is_clean();
    ben.coder.sign_note("bens", &lines(&[]));
    ada.pull(BEN);
    ada.step("a member leaves");
    ada.mere("team remove Ben --countersign");
    ada.coder.commit("without Ben");
    ada.is_clean();
    assert_eq!(ada.trust("bens"), "verified", "it was countersigned");
    ben.coder.sign_note("bens", &lines(&[(0, "later")]));
    ada.coder.git(&["fetch", "-q", BEN, "main:bens"]);
    ada.coder.git(&["worktree", "add", "-q", "../beside/tree", "bens"]);
    // The worktree has the older roster, and the newer one holds: both are told.
    let tree = Worker::new(Coder { mate: ada.coder.mate.within("beside/tree") });
    let hint = tree.coder.mate.load("knowledge", "bens").reply["hint"].clone();
    let words = "It is signed by Ben, who is no longer a member of the team.";
    assert!(hint.as_str().is_some_and(|hint| hint.contains(words)), "{hint}");
    assert!(tree.verify().1.contains(&"roster".to_owned()), "the branch has an older roster");
    tree.coder.git(&["merge", "-q", "--no-edit", "main"]);
    tree.step("a worktree");
    assert_eq!(tree.trust("bens"), "unknown-key");
    tree.mere("sign note bens");
    tree.is_clean();
    // CI knows the admin's new key, and no other.
    let admins = ada.coder.mate.done(&["team", "show"])["admins"].clone();
    let admin = admins[0]["key"].as_str().expect("an admin").to_owned();
    let (status, reply) = ci(stage, "project", &admin);
    assert_eq!(status, 0, "{reply}");
    ada.coder.mate.write(".ai/tools/t/count.py", "print('other')\n");
    let (status, reply) = ci(stage, "project", &admin);
    assert_eq!((status, &reply["data"]["counts"]["changed"]), (4, &Value::from(1)), "{reply}");
}

#[test]
fn a_week_of_two_people_and_a_stranger() {
    let stage = stage();
    let (ada, ben) = monday(&stage);
    tuesday(&ada, &ben);
    wednesday(&ada, &ben);
    thursday(&stage, &ada);
    friday(&stage, &ada, &ben);
}
