//! The recipes of `docs/ci.md`: their shell lines are run, as the runners run them, on a clone and an
//! empty home.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use mere_core::text::yaml;
use serde_json::Value;

use crate::support::harness::Stage;
use crate::tidy::workspace;
use crate::trust::team::{Mate, founded};

/// The fenced blocks of the document below a heading.
fn block(heading: &str, language: &str) -> String {
    let document = std::fs::read_to_string(workspace().join("docs/ci.md")).expect("the document");
    let (_, section) = document.split_once(&format!("\n## {heading}\n")).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default();
    let (_, text) = section.split_once(&format!("```{language}\n")).expect("a block");
    text.split("\n```").next().unwrap_or_default().to_owned()
}

fn recipe(heading: &str) -> Value {
    yaml::parse(&block(heading, "yaml")).unwrap_or_else(|error| panic!("{heading}: {error:?}"))
}

/// A runner: a clone of a repository, variables of the organisation, and no state.
struct Runner<'a> {
    stage: &'a Stage,
    variables: BTreeMap<&'static str, String>,
}

impl<'a> Runner<'a> {
    /// A runner that knows this admin, and the serial of her roster.
    fn new(ada: &Mate<'a>) -> Self {
        let serial = ada.done(&["team", "show"])["serial"].to_string();
        let variables = [("MERE_ADMIN", ada.fingerprint()), ("MERE_MIN_SERIAL", serial)];
        Self { stage: ada.stage, variables: variables.into() }
    }

    /// Runs shell lines in a new clone, with the program on the path.
    fn run(&self, shell: &[&str], lines: &str) -> Output {
        for folder in ["clone", "runner"] {
            let _ = std::fs::remove_dir_all(self.stage.path(folder));
        }
        let mut git = Command::new("git");
        git.args(["clone", "-q"]).args(["project", "clone"].map(|below| self.stage.path(below)));
        assert!(git.status().expect("git runs").success());
        self.stage.folder("runner");
        let programs = Path::new(env!("CARGO_BIN_EXE_mere")).parent().expect("a folder");
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).arg(lines).current_dir(self.stage.path("clone")).env_clear();
        command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
        command.env("HOME", self.stage.path("runner")).envs(&self.variables);
        command.env("GITHUB_STEP_SUMMARY", self.stage.path("runner/summary.md"));
        command.output().expect("a shell runs")
    }

    fn sarif(&self) -> Value {
        let report = std::fs::read_to_string(self.stage.path("clone/mere.sarif"));
        serde_json::from_str(&report.expect("a report")).expect("JSON")
    }
}

/// Each recipe: the shell that its runner uses, and the lines.
fn recipes() -> Vec<(&'static str, Vec<&'static str>, String)> {
    let github = recipe("GitHub");
    let job = &github["jobs"]["verify"];
    for (name, value) in job["env"].as_object().expect("variables") {
        assert_eq!(value.as_str(), Some(format!("${{{{ vars.{name} }}}}").as_str()));
    }
    let steps = job["steps"].as_array().expect("steps");
    let step = steps.iter().find(|step| step["name"] == "verify").expect("a step");
    // What GitHub runs for `shell: bash`.
    assert_eq!(step["shell"], "bash");
    let bash = vec!["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"];
    let verify = step["run"].as_str().expect("lines").to_owned();
    let gitlab = recipe("GitLab");
    let lines = gitlab["mere"]["script"].as_array().expect("lines").iter();
    let lines = lines.map(|line| line.as_str().expect("a line")).collect::<Vec<_>>().join("\n");
    assert_eq!(gitlab["mere"]["artifacts"]["paths"][0], "mere.sarif");
    vec![
        ("GitHub", bash.clone(), verify),
        ("GitLab", bash, lines),
        ("script", vec!["sh", "-c"], block("Anywhere else", "sh")),
    ]
}

/// Runs every recipe on what was committed, and returns the findings that all of them name.
fn findings(ada: &Mate<'_>, expected: i32) -> Vec<String> {
    let runner = Runner::new(ada);
    check(&runner, expected)
}

fn check(runner: &Runner<'_>, expected: i32) -> Vec<String> {
    let mut named = Vec::new();
    for (name, shell, lines) in recipes() {
        let output = runner.run(&shell, &lines);
        assert_eq!(output.status.code(), Some(expected), "{name}: {output:?}");
        let report = runner.sarif();
        let results = report["runs"][0]["results"].as_array().expect("results").iter();
        let rules = results.map(|result| result["ruleId"].as_str().expect("a rule").to_owned());
        named.push(rules.collect::<Vec<_>>());
        if name == "GitHub" {
            let summary = std::fs::read_to_string(runner.stage.path("runner/summary.md"));
            let summary = summary.expect("a summary");
            assert!(summary.starts_with("## Signatures\n"), "{summary}");
            assert!(summary.lines().count() > 1, "{summary}");
        }
    }
    named.dedup();
    assert_eq!(named.len(), 1, "{named:?}");
    named.remove(0)
}

/// A team whose work is committed.
fn committed(stage: &Stage) -> Mate<'_> {
    std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
    let ada = founded(stage);
    ada.commit();
    ada
}

#[test]
fn the_recipes_pass_what_members_signed() {
    let stage = Stage::new();
    let ada = committed(&stage);
    assert_eq!(findings(&ada, 0), Vec::<String>::new());
}

#[test]
fn the_recipes_fail_on_what_was_edited_or_moved() {
    let stage = Stage::new();
    let ada = committed(&stage);
    let text = ada.text(".ai/directives/release/deploy.md");
    ada.write(".ai/directives/release/deploy.md", &format!("{text}\nMore.\n"));
    ada.commit();
    assert_eq!(findings(&ada, 4), ["changed"]);
    ada.write(".ai/directives/release/deploy.md", &text);
    ada.git(&["mv", ".ai/directives/release", ".ai/directives/other"]);
    ada.commit();
    assert_eq!(findings(&ada, 4), ["wrong-location"]);
}

#[test]
fn the_recipes_fail_on_what_somebody_else_signed() {
    let stage = Stage::new();
    let ada = committed(&stage);
    let eve = Mate::new(&stage, "eve", "project");
    eve.make("directive", "release/rollback");
    ada.commit();
    assert_eq!(findings(&ada, 4), ["unknown-key"]);
}

#[test]
fn the_recipes_fail_on_a_roster_from_before() {
    let stage = Stage::new();
    let ada = committed(&stage);
    let before = ada.roster();
    let ben = Mate::new(&stage, "ben", "project");
    ada.done(&["team", "add", "Ben", &ben.key()]);
    ada.commit();
    let runner = Runner::new(&ada);
    assert_eq!(check(&runner, 0), Vec::<String>::new());
    ada.put_roster(&before);
    ada.commit();
    assert_ne!(check(&runner, 4), Vec::<String>::new());
}

#[test]
fn a_recipe_without_its_variables_fails() {
    let stage = Stage::new();
    let ada = committed(&stage);
    let mut runner = Runner::new(&ada);
    for (name, value) in runner.variables.clone() {
        runner.variables.insert(name, String::new());
        for (recipe, shell, lines) in recipes() {
            let status = runner.run(&shell, &lines).status.code();
            assert!(matches!(status, Some(1..)), "{recipe} without {name}: {status:?}");
        }
        runner.variables.insert(name, value);
    }
}
