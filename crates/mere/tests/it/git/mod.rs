//! People who work with git: merges, rebases, pull requests, and what was signed in between.

mod history;
mod merging;
mod merging_attacks;
mod pull_requests;
mod team_changes;
mod week;

use std::process::{Command, Output};

use serde_json::Value;

use crate::support::harness::Stage;
use crate::trust::team::Mate;

/// Somebody with a key and a clone.
#[derive(Clone, Copy)]
pub(crate) struct Coder<'a> {
    pub(crate) mate: Mate<'a>,
}

/// A stage whose project is no repository yet.
pub(crate) fn stage() -> Stage {
    let stage = Stage::new();
    std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
    stage
}

impl<'a> Coder<'a> {
    /// Somebody who starts a repository with an empty space in the project's folder.
    pub(crate) fn first(stage: &'a Stage, name: &'static str) -> Self {
        let coder = Self { mate: Mate::new(stage, name, "project") };
        coder.git(&["init", "-q", "-b", "main"]);
        coder.mate.done(&["init", "--template", "blank", "--git-hook"]);
        coder.commit("first");
        coder
    }

    /// Somebody who clones the project into a folder of their own, and has git merge there.
    pub(crate) fn clone(stage: &'a Stage, name: &'static str) -> Self {
        let coder = Self { mate: Mate::new(stage, name, "beside") };
        coder.git(&["clone", "-q", "../project", name]);
        Self { mate: coder.mate.within(name_of_clone(name)) }
    }

    /// Git, with the real program on the path for what git runs.
    pub(crate) fn git_command(&self, arguments: &[&str]) -> Command {
        let mere = std::path::Path::new(env!("CARGO_BIN_EXE_mere"));
        let path = std::env::var("PATH").expect("a PATH");
        let path = format!("{}:{path}", mere.parent().expect("a folder").display());
        let mut command = Command::new("git");
        command.env_clear().env("PATH", path).env("HOME", self.mate.stage.path(self.mate.name));
        let person = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
        command.args(person).args(["-c", "commit.gpgsign=false"]).args(arguments);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_EDITOR", "true");
        command.current_dir(self.mate.stage.path(self.mate.folder));
        command
    }

    pub(crate) fn try_git(&self, arguments: &[&str]) -> Output {
        self.git_command(arguments).output().expect("git runs")
    }

    /// What git prints, for a command that must succeed.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        let words = said(&output);
        assert!(output.status.success(), "git {arguments:?}: {words}");
        words
    }

    /// Commits everything, whatever the hook says of it.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-verify", "-m", message]);
    }

    /// Writes a note of these lines, signs it, and commits both.
    pub(crate) fn sign_note(&self, id: &str, lines: &[&str]) {
        self.mate.write(&note_path(id), &note(id, lines));
        self.mate.done(&["sign", "knowledge", id]);
        self.commit(&format!("change {id}"));
    }

    /// The files that git has in conflict.
    pub(crate) fn conflicts(&self) -> Vec<String> {
        let listed = self.git(&["diff", "--name-only", "--diff-filter=U"]);
        listed.lines().map(str::to_owned).collect()
    }

    /// The findings of `mere verify`, each with its status.
    pub(crate) fn findings(&self) -> Vec<String> {
        let (_, reply) = self.mate.run(&["verify"]);
        let items = reply["data"]["items"].as_array().expect("items");
        let found = items.iter().filter(|item| item["finding"] == true);
        found.map(|item| item["status"].as_str().expect("a status").to_owned()).collect()
    }
}

fn name_of_clone(name: &'static str) -> &'static str {
    match name {
        "ben" => "beside/ben",
        "eve" => "beside/eve",
        _ => panic!("{name} has no clone"),
    }
}

/// Everything a program said.
pub(crate) fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8(text).expect("UTF-8")
}

pub(crate) fn note_path(id: &str) -> String {
    format!(".ai/knowledge/{id}.md")
}

/// The text of a note.
pub(crate) fn note(id: &str, lines: &[&str]) -> String {
    format!("---\nid: {id}\ntitle: {id}\n---\n{}\n", lines.join("\n"))
}

/// Ten lines, of which some are changed.
pub(crate) fn lines(changes: &[(usize, &'static str)]) -> Vec<&'static str> {
    let mut lines = vec!["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    for (number, line) in changes {
        lines[*number] = line;
    }
    lines
}

/// The checks of `mere doctor` with this name.
pub(crate) fn checks(reply: &Value, name: &str) -> Vec<String> {
    let checks = reply["data"]["checks"].as_array().expect("checks").iter();
    let checks = checks.filter(|check| check["check"] == name);
    checks.map(|check| check["what"].as_str().expect("words").to_owned()).collect()
}
