//! Teams: one join instead of many key exchanges, and nobody is let in by anybody but the admins.

use std::io::{Read, Write};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::harness::{Answer, Stage};

/// Somebody with a home and a key of their own, at work in a folder of the stage.
#[derive(Clone, Copy)]
pub(crate) struct Mate<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) name: &'static str,
    /// Where they work.
    pub(crate) folder: &'static str,
}

impl<'a> Mate<'a> {
    /// A new person with a key, whose public half lies at `NAME.pub`.
    pub(crate) fn new(stage: &'a Stage, name: &'static str, folder: &'static str) -> Self {
        let mate = Self { stage, name, folder };
        stage.file(&format!("{name}/.ai/config.yaml"), "sign: {unattended: true}\n");
        mate.done(&["keys", "generate", "--no-passphrase"]);
        let key = mate.plain(&["keys", "export"]).stdout;
        stage.file(&format!("{name}.pub"), &String::from_utf8(key).expect("UTF-8"));
        mate
    }

    pub(crate) fn within(self, folder: &'static str) -> Self {
        Self { folder, ..self }
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = self.stage.command(self.folder);
        command.env("HOME", self.stage.path(self.name)).stdin(Stdio::null());
        command
    }

    pub(crate) fn plain(&self, arguments: &[&str]) -> Output {
        self.command().args(arguments).output().expect("mere runs")
    }

    /// Runs a command with `--json`: its exit status and its reply.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.plain(&[arguments, &["--json"]].concat());
        let reply = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{arguments:?}: {error} {}", String::from_utf8_lossy(&output.stderr))
        });
        (output.status.code().expect("an exit status"), reply)
    }

    /// The same for a command that must succeed: what it says.
    pub(crate) fn done(&self, arguments: &[&str]) -> Value {
        let (status, reply) = self.run(arguments);
        assert_eq!((status, &reply["reply_type"]), (0, &json!("S")), "{arguments:?}: {reply}");
        reply["data"].clone()
    }

    /// Status and code of a command that does not succeed.
    pub(crate) fn refused(&self, arguments: &[&str]) -> (i32, String) {
        let (status, reply) = self.run(arguments);
        (status, reply["code"].as_str().expect("a code").to_owned())
    }

    /// What an agent is told of an item.
    pub(crate) fn load(&self, kind: &str, id: &str) -> Answer {
        let arguments = json!({ "item_type": kind, "item_id": id }).to_string();
        self.stage.answer(self.command().args(["call", "load", &arguments]))
    }

    /// The trust that an agent is told of an item.
    pub(crate) fn trust(&self, kind: &str, id: &str) -> String {
        let answer = self.load(kind, id);
        let status = &answer.reply["data"]["trust"]["status"];
        status.as_str().unwrap_or_else(|| panic!("no trust in {}", answer.reply)).to_owned()
    }

    /// Makes an item and signs it.
    pub(crate) fn make(&self, kind: &str, item: &str) {
        self.done(&["new", kind, item]);
        self.done(&["sign", kind, item]);
    }

    /// The path of their public key.
    pub(crate) fn key(&self) -> String {
        self.stage.path(&format!("{}.pub", self.name)).to_str().expect("UTF-8").to_owned()
    }

    /// Their key's fingerprint.
    pub(crate) fn fingerprint(&self) -> String {
        let keys = self.done(&["keys", "list"]);
        keys["keys"][0]["key"].as_str().expect("a key").to_owned()
    }

    pub(crate) fn is_pinned(&self) -> bool {
        self.stage.path(&format!("{}/.config/merestone/teams.json", self.name)).exists()
    }

    /// Reads a file of their folder.
    pub(crate) fn text(&self, below: &str) -> String {
        let path = self.stage.path(&format!("{}/{below}", self.folder));
        std::fs::read_to_string(path).unwrap_or_else(|_| panic!("no {below}"))
    }

    /// Writes a file of their folder.
    pub(crate) fn write(&self, below: &str, text: &str) {
        self.stage.file(&format!("{}/{below}", self.folder), text);
    }

    /// The roster that lies in their folder, with its signatures.
    pub(crate) fn roster(&self) -> [String; 2] {
        [self.text(".ai/signers.json"), self.text(".ai/signers.json.sig")]
    }

    pub(crate) fn put_roster(&self, [roster, signatures]: &[String; 2]) {
        self.write(".ai/signers.json", roster);
        self.write(".ai/signers.json.sig", signatures);
    }

    /// Runs git in their folder.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(arguments);
        let output = git.current_dir(self.stage.path(self.folder)).output().expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", "work"]);
    }

    /// What a person at a terminal sees who types these answers, and how it ends.
    pub(crate) fn at_terminal(&self, words: &str, typed: &str) -> (i32, String) {
        self.start_at_terminal(words).finish(typed)
    }

    /// Starts `mere` for a person at a terminal.
    pub(crate) fn start_at_terminal(&self, words: &str) -> Sitting {
        let mut script = Command::new("script");
        let line = format!("{} {words}", env!("CARGO_BIN_EXE_mere"));
        script.args(["-qec", &line, "/dev/null"]).current_dir(self.stage.path(self.folder));
        script.env_clear().env("HOME", self.stage.path(self.name)).env("PATH", "/usr/bin:/bin");
        script.env("SHELL", "/bin/sh").stdin(Stdio::piped()).stdout(Stdio::piped());
        Sitting(script.spawn().expect("script runs"))
    }
}

/// A person at a terminal.
pub(crate) struct Sitting(Child);

impl Sitting {
    /// What is shown up to some words.
    pub(crate) fn read_to(&mut self, words: &str) -> String {
        let shown = self.0.stdout.as_mut().expect("its output");
        let (mut text, mut byte) = (Vec::new(), [0]);
        while !text.ends_with(words.as_bytes()) {
            shown.read_exact(&mut byte).expect("more to see");
            text.push(byte[0]);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Types the rest: how it ends, and what more is shown.
    pub(crate) fn finish(mut self, typed: &str) -> (i32, String) {
        let mut input = self.0.stdin.take().expect("its input");
        input.write_all(typed.as_bytes()).expect("typed");
        let output = self.0.wait_with_output().expect("it ends");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code().expect("an exit status"), shown)
    }
}

/// Ada's team of one, with a signed directive and note of hers.
pub(crate) fn founded(stage: &Stage) -> Mate<'_> {
    let ada = Mate::new(stage, "ada", "project");
    ada.git(&["init", "-q", "."]);
    ada.done(&["init", "--template", "blank"]);
    ada.make("directive", "release/deploy");
    ada.make("note", "style");
    ada.done(&["team", "init", "--name", "Ada"]);
    ada
}

/// Ada and Ben, who both have the project and joined; Ben signed a directive.
pub(crate) fn pair(stage: &Stage) -> [Mate<'_>; 2] {
    let ada = founded(stage);
    let ben = Mate::new(stage, "ben", "project");
    ada.done(&["team", "add", "Ben", &ben.key()]);
    ben.done(&["join", "--admin", &ada.fingerprint()]);
    ben.make("directive", "build");
    [ada, ben]
}

#[test]
fn a_second_person_on_a_fresh_clone_joins_once() {
    let stage = Stage::new();
    let ada = founded(&stage);
    ada.commit();
    let ben = Mate::new(&stage, "ben", "beside");
    ben.git(&["clone", "-q", "../project", "clone"]);
    let ben = ben.within("beside/clone");
    let denied = ben.load("directive", "deploy");
    assert_eq!((denied.code(), denied.status), ("EN-ITEM-D-003", 3));
    assert_eq!(denied.reply["data"]["trust"]["status"], "unknown-key");
    let hint = denied.reply["hint"].as_str().expect("a hint");
    assert!(hint.contains("`mere join`") && !hint.contains("mere trust"), "{hint}");
    let warned = ben.load("knowledge", "style");
    assert_eq!((warned.code(), warned.status), ("IT-LOAD-S-001", 0));
    assert!(warned.reply["hint"].as_str().expect("a warning").contains("`mere join`"));
    assert_eq!(ben.refused(&["verify"]), (4, "IT-VERIFY-E-001".to_owned()));
    assert_eq!(ben.done(&["team", "show"])["state"], "open");

    let unasked = ben.plain(&["join"]);
    assert_eq!((unasked.status.code(), ben.is_pinned()), (Some(1), false));
    let shown = String::from_utf8_lossy(&unasked.stdout).into_owned();
    assert!(shown.contains(&ada.fingerprint()) && shown.contains("Ada"), "{shown}");
    let (status, shown) = ben.at_terminal("join", "n\n");
    assert_eq!((status, ben.is_pinned()), (1, false), "{shown}");
    let (status, shown) = ben.at_terminal("join", "y\n");
    assert_eq!((status, ben.is_pinned()), (0, true), "{shown}");
    assert!(shown.contains(&ada.fingerprint()) && shown.contains("mere keys export"), "{shown}");

    assert_eq!(ben.load("directive", "deploy").code(), "IT-LOAD-S-001");
    assert_eq!(ben.trust("knowledge", "style"), "verified");
    assert_eq!(ben.done(&["verify", "--all"])["counts"], json!({ "verified": 2 }));
    assert_eq!(ben.done(&["team", "show"])["state"], "joined");
    let (_, again) = ben.run(&["join"]);
    assert_eq!(again["code"], "IT-JOIN-S-003");

    assert_eq!(ben.plain(&["leave"]).status.code(), Some(1), "nobody was asked");
    assert_eq!(ben.trust("knowledge", "style"), "verified");
    ben.done(&["leave", "--yes"]);
    assert_eq!(ben.trust("knowledge", "style"), "unknown-key");
    assert_eq!(ben.run(&["leave", "--yes"]).0, 0, "there is nothing to leave");
    ben.done(&["join", "--yes"]);
    assert_eq!(ben.trust("knowledge", "style"), "verified");
}

#[test]
fn an_admin_who_is_named_is_a_yes_and_another_is_a_no() {
    let stage = Stage::new();
    let ada = founded(&stage);
    let ben = Mate::new(&stage, "ben", "project");
    let wrong = ["join", "--admin", &ben.fingerprint()];
    assert_eq!(ben.refused(&wrong), (4, "IT-TEAM-E-001".to_owned()));
    assert!(!ben.is_pinned());
    ben.done(&["join", "--admin", &ben.fingerprint(), "--admin", &ada.fingerprint()]);
    assert!(ben.is_pinned());
}

#[test]
fn ci_needs_the_fingerprint_of_an_admin_and_nothing_else() {
    let stage = Stage::new();
    let ada = founded(&stage);
    let ben = Mate::new(&stage, "ben", "project");
    stage.folder("nobody");
    let ci = Mate { stage: &stage, name: "nobody", folder: "project" };
    let right = ["verify", "--all", "--admin", &ada.fingerprint()];
    assert_eq!(ci.done(&right)["counts"], json!({ "verified": 2 }));
    assert_eq!(std::fs::read_dir(stage.path("nobody/.config")).map(Iterator::count).ok(), None);
    let wrong = ["verify", "--all", "--admin", &ben.fingerprint()];
    assert_eq!(ci.refused(&wrong), (4, "IT-TEAM-E-001".to_owned()));
    let none = ["verify", "--all", "--admin", "SHA256:x"];
    assert_eq!(ci.plain(&none).status.code(), Some(2));

    ada.write(".ai/directives/release/deploy.md", "changed");
    let sarif = stage.path("out.sarif");
    let file = sarif.to_str().expect("UTF-8");
    assert_eq!(ci.refused(&[&right[..], &["--sarif", file]].concat()).0, 4);
    let report = std::fs::read_to_string(&sarif).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["version"], "2.1.0");
    assert_eq!(report["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
    let run = &report["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "mere");
    let result = &run["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("changed"), &json!("error")));
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "changed");
    assert!(result["message"]["text"].as_str().is_some_and(|text| text.contains("mere sign")));
    let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(place["uri"], ".ai/directives/release/deploy.md");
    assert_eq!(run["results"].as_array().map(Vec::len), Some(1));

    let edited = ada.text(".ai/signers.json").replace("Ada", "Eve");
    ada.write(".ai/signers.json", &edited);
    let sarif = stage.path("roster.sarif");
    let file = sarif.to_str().expect("UTF-8");
    assert_eq!(ci.refused(&[&right[..], &["--sarif", file]].concat()).0, 4);
    let report = std::fs::read_to_string(&sarif).expect("a report");
    assert!(
        report.contains(".ai/signers.json") && report.contains("does not match what was signed")
    );
}

#[test]
fn what_a_removed_member_signed_counts_no_more_on_any_branch() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    ada.commit();
    ada.git(&["branch", "old"]);
    let cleo = Mate::new(&stage, "cleo", "beside");
    cleo.git(&["clone", "-q", "../project", "clone"]);
    let cleo = cleo.within("beside/clone");
    cleo.done(&["join", "--admin", &ada.fingerprint()]);
    assert_eq!(cleo.done(&["verify", "--all"])["counts"], json!({ "verified": 3 }));

    let shown = String::from_utf8(ada.plain(&["team", "remove", "Ben"]).stdout).expect("UTF-8");
    assert!(shown.contains("build") && !shown.contains("deploy"), "{shown}");
    ada.commit();
    cleo.git(&["pull", "-q"]);
    assert_eq!(cleo.load("directive", "build").code(), "EN-ITEM-D-003");
    assert_eq!(cleo.trust("directive", "deploy"), "verified");
    assert_eq!(cleo.refused(&["verify", "--all"]).0, 4);
    cleo.git(&["checkout", "-q", "origin/old"]);
    assert!(cleo.text(".ai/signers.json").contains("Ben"));
    assert_eq!(cleo.load("directive", "build").code(), "EN-ITEM-D-003", "the newer roster holds");
    let (status, reply) = cleo.run(&["verify", "--all"]);
    assert_eq!(status, 4);
    let items = reply["data"]["items"].as_array().expect("findings");
    assert!(items.iter().any(|one| one["status"] == "roster"), "{reply}");
    assert_eq!(cleo.refused(&["join"]), (4, "IT-TEAM-E-001".to_owned()));
    assert_eq!(ben.trust("directive", "build"), "unknown-key", "not even for Ben");
}

#[test]
fn a_countersigned_item_outlives_its_author() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    ben.make("note", "changed-since");
    ben.write(".ai/knowledge/changed-since.md", "# Other\n");
    ada.done(&["sign", "directive", "deploy"]);
    let removed = ada.done(&["team", "remove", "Ben", "--countersign"]);
    assert_eq!(removed["countersigned"], json!(["ROOT_PROJECT:/.ai/directives/build.md"]));
    assert_eq!(removed["left"], json!([]));
    assert_eq!(ada.trust("directive", "build"), "verified");
    assert_eq!(ada.load("knowledge", "changed-since").status, 4, "what is broken stays broken");
    let sidecar = ada.text(".ai/directives/build.md.sig");
    assert_eq!(sidecar.matches("keyid").count(), 4, "both signed both");
    let (_, shown) = ada.run(&["verify", "directive", "build"]);
    assert_eq!(shown["data"]["items"][0]["trust"]["signer"], "Ada");
}

#[test]
fn at_a_terminal_removing_asks_who_vouches_from_now_on() {
    let stage = Stage::new();
    let [ada, _] = pair(&stage);
    let (status, shown) = ada.at_terminal("team remove Ben", "c\n");
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("build") && shown.contains("[c]ountersign these items"), "{shown}");
    assert_eq!(ada.trust("directive", "build"), "verified");
}

#[test]
fn a_change_counts_when_enough_admins_have_signed_it() {
    let stage = Stage::new();
    let ada = founded(&stage);
    let ben = Mate::new(&stage, "ben", "project");
    let cleo = Mate::new(&stage, "cleo", "project");
    ada.done(&["team", "add", "Ben", &ben.key(), "--admin"]);
    ben.done(&["join", "--admin", &ada.fingerprint()]);
    let (_, raised) = ada.run(&["team", "threshold", "2"]);
    assert_eq!(raised["code"], "IT-TEAM-S-003", "one signature, and it asks for two itself");
    assert_eq!(ada.done(&["team", "show"])["serial"], 2, "the one before holds");
    assert_eq!(ada.trust("directive", "deploy"), "verified");
    assert_eq!(ada.refused(&["team", "add", "Cleo", &cleo.key()]).0, 4, "one at a time");
    let (_, signed) = ben.run(&["team", "sign", "--yes"]);
    assert_eq!(signed["code"], "IT-TEAM-S-002");
    for mate in [ada, ben] {
        let shown = mate.done(&["team", "show"]);
        assert_eq!((&shown["serial"], &shown["threshold"]), (&json!(3), &json!(2)));
    }

    let (_, added) = ada.run(&["team", "add", "Cleo", &cleo.key()]);
    assert_eq!(added["code"], "IT-TEAM-S-003");
    assert_eq!(added["data"]["counts"], false);
    cleo.make("note", "fresh");
    assert_eq!(ben.trust("knowledge", "fresh"), "unknown-key");
    assert_eq!(cleo.refused(&["join", "--admin", &ada.fingerprint()]).0, 4);
    assert_eq!(ada.refused(&["team", "sign", "--yes"]), (1, "IT-TEAM-I-008".to_owned()));
    assert_eq!(cleo.refused(&["team", "sign", "--yes"]), (1, "IT-TEAM-I-003".to_owned()));
    assert_eq!(ben.plain(&["team", "sign"]).status.code(), Some(1), "nobody was asked");
    let (status, shown) = ben.at_terminal("team sign", "y\n");
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("a new member: Cleo"), "{shown}");
    assert_eq!(ben.trust("knowledge", "fresh"), "verified");
    assert_eq!(ada.trust("knowledge", "fresh"), "verified");
    cleo.done(&["join", "--admin", &ada.fingerprint(), "--admin", &ben.fingerprint()]);
    assert_eq!(ben.refused(&["team", "sign", "--yes"]), (1, "IT-TEAM-I-008".to_owned()));
}

#[test]
fn a_team_may_begin_with_several_admins() {
    let stage = Stage::new();
    let [ada, ben] = ["ada", "ben"].map(|name| Mate::new(&stage, name, "project"));
    assert_eq!(ada.refused(&["team", "init", "--threshold", "2"]), (1, "IT-TEAM-I-006".to_owned()));
    let line = ada.stage.path("ben.pub");
    let line = std::fs::read_to_string(line).expect("a key");
    let made = ada.done(&["team", "init", "--threshold", "2", "--admin", line.trim()]);
    assert_eq!((&made["counts"], ada.is_pinned()), (&json!(false), false));
    assert!(ada.text(".ai/space.json").contains(made["space_id"].as_str().expect("an id")));
    assert_eq!(ada.refused(&["join", "--yes"]), (4, "IT-TEAM-E-001".to_owned()));
    ben.done(&["team", "sign", "--yes"]);
    assert!(!ben.is_pinned(), "signing is not joining");
    for mate in [ada, ben] {
        mate.done(&["join", "--yes"]);
    }
    assert_eq!(ada.refused(&["team", "init"]), (1, "IT-TEAM-I-001".to_owned()));
}

#[test]
fn admins_hand_over_to_others() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let cleo = Mate::new(&stage, "cleo", "project");
    ada.done(&["team", "add", "Cleo", &cleo.key(), "--admin"]);
    cleo.done(&["join", "--admin", &ada.fingerprint()]);
    assert_eq!(ben.done(&["team", "show"])["serial"], 3);
    cleo.done(&["team", "remove", "Ada"]);
    let shown = ben.done(&["team", "show"]);
    assert_eq!((&shown["serial"], &shown["state"]), (&json!(4), &json!("joined")));
    assert_eq!(shown["admins"].as_array().map(Vec::len), Some(1));
    assert_eq!(shown["admins"][0]["key"], cleo.fingerprint());
    assert_eq!(ada.refused(&["team", "require", "tool"]), (1, "IT-TEAM-I-003".to_owned()));
    cleo.done(&["team", "require", "tool,note"]);
    assert_eq!(ben.done(&["team", "show"])["require_signed"], json!(["tool", "knowledge"]));
    assert_eq!(ben.trust("directive", "deploy"), "unknown-key");
}

#[test]
fn the_team_is_shown_with_its_name_and_who_of_it_one_is() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let shown = ada.done(&["team", "show"]);
    assert_eq!(shown["space"], "project");
    let you = |shown: &Value, list: &str| {
        let all = shown[list].as_array().expect("a list").iter();
        all.map(|one| (one["name"].clone(), one["you"].clone())).collect::<Vec<_>>()
    };
    let pairs = |ada: bool, ben: bool| [(json!("Ada"), json!(ada)), (json!("Ben"), json!(ben))];
    assert_eq!(you(&shown, "members"), pairs(true, false));
    assert_eq!(you(&shown, "admins"), pairs(true, false)[..1]);
    let shown = ben.done(&["team", "show"]);
    assert_eq!(you(&shown, "members"), pairs(false, true));
    assert_eq!(you(&shown, "admins"), pairs(false, true)[..1]);
}

#[test]
fn a_new_team_requires_what_was_required_before_it() {
    let stage = Stage::new();
    let ada = Mate::new(&stage, "ada", "project");
    ada.done(&["init", "--template", "blank"]);
    ada.write(".ai/config.yaml", "require_signed: [tool]\n");
    stage.file("ada/.ai/config.yaml", "sign: {unattended: true}\nrequire_signed: [knowledge]\n");
    let made = ada.done(&["team", "init", "--name", "Ada"]);
    let required = made["require_signed"].as_array().expect("types");
    assert!(required.len() >= 2, "{made}");
    for kind in ["tool", "knowledge"] {
        assert!(required.contains(&json!(kind)), "{kind}: {made}");
    }
    // Without a rule, the default is more than that of either.
    let ben = Mate::new(&stage, "ben", "beside");
    ben.write(".ai/config.yaml", "");
    let made = ben.done(&["team", "init", "--name", "Ben"]);
    assert_eq!(made["require_signed"], json!(["directive", "tool", "lockfile"]));
}

#[test]
fn a_members_limits_hold() {
    let stage = Stage::new();
    let ada = founded(&stage);
    let [ben, cleo, dan] = ["ben", "cleo", "dan"].map(|name| Mate::new(&stage, name, "project"));
    ada.done(&["team", "add", "Ben", &ben.key(), "--types", "tool,note"]);
    ada.done(&["team", "add", "Cleo", &cleo.key(), "--categories", "api"]);
    ada.done(&["team", "add", "Dan", &dan.key(), "--not-after", "2020-01-31"]);
    for mate in [ben, cleo, dan] {
        mate.done(&["join", "--admin", &ada.fingerprint()]);
    }
    for (mate, kind, id, status) in [
        (ben, "knowledge", "x/by-type", "verified"),
        (ben, "directive", "x/not-by-type", "unknown-key"),
        (cleo, "knowledge", "api/inside", "verified"),
        (cleo, "knowledge", "api/auth/below", "verified"),
        (cleo, "knowledge", "apis/outside", "unknown-key"),
        (cleo, "knowledge", "nowhere", "unknown-key"),
        (dan, "knowledge", "too-late", "unknown-key"),
    ] {
        mate.make(kind, id);
        assert_eq!(ada.trust(kind, id), status, "{id}");
    }
    let late = ada.load("knowledge", "too-late");
    assert_eq!(late.reply["data"]["trust"]["why"], "it has expired");
    let hint = late.reply["hint"].as_str().expect("a hint");
    assert!(hint.contains("an admin of the team"), "{hint}");
    let shown = ada.done(&["team", "show"]);
    assert_eq!(shown["members"][1]["types"], json!(["tool", "knowledge"]));
    assert_eq!(shown["members"][3]["not_after"], "2020-01-31");
}

#[test]
fn only_admins_change_a_team_and_only_in_ways_that_leave_one() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let before = ada.roster();
    let [key, other] = [ben.key(), ada.key()];
    let cases: [(&Mate<'_>, &[&str], &str); 9] = [
        (&ben, &["team", "add", "Ben2", &key], "IT-TEAM-I-003"),
        (&ben, &["team", "remove", "Ada"], "IT-TEAM-I-003"),
        (&ben, &["team", "threshold", "1"], "IT-TEAM-I-003"),
        (&ada, &["team", "add", "Ben", &other], "IT-TEAM-I-004"),
        (&ada, &["team", "add", "Benjamin", &key], "IT-TEAM-I-004"),
        (&ada, &["team", "remove", "Cleo"], "IT-TEAM-I-005"),
        (&ada, &["team", "remove", "Ada"], "IT-TEAM-I-006"),
        (&ada, &["team", "threshold", "2"], "IT-TEAM-I-006"),
        (&ada, &["team", "require", "memory"], "IT-CHANGE-I-001"),
    ];
    for (mate, arguments, code) in cases {
        assert_eq!(mate.refused(arguments), (1, code.to_owned()), "{arguments:?}");
    }
    for wrong in [&["team", "threshold", "0"][..], &["team", "add", "SHA256:x", &key]] {
        assert_eq!(ada.plain(wrong).status.code(), Some(2), "{wrong:?}");
    }
    let eve = Mate::new(&stage, "eve", "project");
    assert_eq!(eve.refused(&["team", "add", "Eve", &eve.key()]), (1, "IT-TEAM-I-002".to_owned()));
    let missing = ada.refused(&["team", "add", "Eve", "nowhere.pub"]);
    assert_eq!(missing, (1, "IT-KEY-I-009".to_owned()));
    assert_eq!(ada.roster(), before);
}

#[test]
fn nobody_changes_a_team_where_nobody_is_there() {
    let stage = Stage::new();
    let [ada, _] = pair(&stage);
    let eve = Mate::new(&stage, "eve", "project");
    let before = ada.roster();
    stage.file("ada/.ai/config.yaml", "");
    for arguments in [
        &["team", "add", "Eve", &eve.key()][..],
        &["team", "remove", "Ben", "--countersign"],
        &["team", "threshold", "1"],
        &["team", "require", "tool"],
    ] {
        let mut command = ada.command();
        command.args(arguments).arg("--json");
        let output = without_terminal(&command);
        let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(reply["code"], "EN-SIGN-D-001", "{arguments:?}");
        assert_eq!(output.status.code(), Some(3));
    }
    for tool in ["team", "join", "leave"] {
        let arguments = json!({ "command": "init", "yes": true }).to_string();
        let answer = stage.answer(ada.command().args(["call", tool, &arguments]));
        assert_eq!(answer.code(), "MCP-ARG-I-002", "agents know no such tool");
    }
    assert_eq!(ada.roster(), before);
}

/// Runs a command that has no controlling terminal.
fn without_terminal(command: &Command) -> Output {
    let mut alone = Command::new("setsid");
    alone.arg("-w").arg(command.get_program()).args(command.get_args());
    alone.env_clear().envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
    alone.current_dir(command.get_current_dir().expect("a folder"));
    alone.stdin(Stdio::null()).output().expect("setsid runs")
}

#[test]
fn a_team_lives_in_the_space_and_in_the_users_own_folder() {
    let stage = Stage::new();
    let [ada, ben] = pair(&stage);
    let before = files(&stage);
    ada.done(&["team", "require", "directive,tool,note"]);
    ben.done(&["leave", "--yes"]);
    ben.done(&["join", "--yes"]);
    ada.done(&["team", "remove", "Ben", "--countersign"]);
    let after = files(&stage);
    let new = after.iter().filter(|path| !before.contains(path)).collect::<Vec<_>>();
    assert!(new.iter().all(|path| path.contains("/.cache/")), "{new:?}");
    let mut outside = before.iter().filter(|path| {
        let own = ["ada/", "ada.pub", "ben/", "ben.pub", "project/.ai/", "project/.git"];
        !own.iter().any(|folder| path.starts_with(folder))
    });
    assert_eq!(outside.next(), None);
}

/// Every file of a stage, from its top.
fn files(stage: &Stage) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![stage.path("")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(stage.path("")).expect("on the stage");
                found.push(below.to_str().expect("UTF-8").to_owned());
            }
        }
    }
    found
}
