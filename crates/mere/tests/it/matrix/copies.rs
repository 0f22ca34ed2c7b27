//! Signed items that were copied: to other spaces, where they do not count, and with their whole
//! project, where they do.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::matrix::attacks::{Expected, check, load, misplaced};
use crate::matrix::items::{Signed, copy_tree, kinds, run};
use crate::support::harness::Stage;

#[test]
fn a_copy_in_the_users_own_space_does_not_count_there() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        let to = item.in_own_space();
        item.copied(&stage, &to);
        check(&stage, "to the user", &to, &misplaced("scope", &item, &to));
        check(&stage, "where it was", &item, &Expected::Verified);
    }
}

#[test]
fn a_copy_of_the_users_own_item_does_not_count_in_a_project() {
    let own = kinds().into_iter().filter(|item| item.base.starts_with(".ai/"));
    let own = own.map(|item| item.root("home")).collect::<Vec<_>>();
    let signed = Signed::of(&own);
    for item in own {
        let stage = signed.copy();
        let to = item.root("project");
        item.copied(&stage, &to);
        check(&stage, "to the project", &to, &misplaced("scope", &item, &to));
        check(&stage, "where it was", &item, &Expected::Verified);
    }
}

#[test]
fn a_copy_in_another_project_does_not_count_there() {
    let signed = Signed::new();
    for item in kinds() {
        for root in ["other", "strange"] {
            let stage = signed.copy();
            let to = item.root(root);
            item.copied(&stage, &to);
            let config = "folders: {directives: [.claude/skills]}\n";
            stage.file(&format!("{root}/.ai/config.yaml"), config);
            stage.folder(&format!("{root}/.git"));
            if root == "other" {
                let id = "8d7f3a52-0c1e-4b8e-9a51-3f0e6f1b2c3d";
                let space = json!({ "format": 1, "space_id": id, "name": "other" });
                stage.file("other/.ai/space.json", &space.to_string());
            }
            check(&stage, "to another project", &to, &misplaced("space", &item, &to));
        }
    }
}

#[test]
fn hard_links_are_copies_like_others() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        let to = item.category("ops");
        item.carry(&stage, &to, &["cp", "-al"]);
        check(&stage, "linked", &to, &misplaced("category", &item, &to));
        check(&stage, "where it was", &item, &Expected::Verified);
        // What is written through one name is written under both.
        std::fs::write(stage.path(&to.main()), "EDIT").expect("written");
        check(&stage, "written through the link", &item, &Expected::Broken("changed"));
    }
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    let who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"];
    run(command.args(who).args(arguments).current_dir(folder));
}

/// Everything is verified from a folder, and nothing is a finding.
fn all_verified(stage: &Stage, folder: &str) {
    let output = stage.command(folder).args(["verify", "--all", "--json"]).output().expect("runs");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{folder}: {reply}");
    assert_eq!(reply["data"]["counts"], json!({ "verified": 7 }), "{folder}: {reply}");
    for item in kinds() {
        let answer = load(stage, &item.root(folder));
        assert_eq!(answer.reply["data"]["trust"]["status"], "verified", "{}", answer.reply);
    }
}

#[test]
fn clones_worktrees_and_renamed_projects_are_verified() {
    let stage = Signed::new().copy();
    std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
    let project = stage.path("project");
    stage.file("project/.gitattributes", ".ai/** -text\n");
    git(&project, &["init", "-q"]);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "first"]);
    git(&project, &["clone", "-q", ".", "../clone"]);
    git(&project, &["worktree", "add", "-q", "../worktree"]);
    for folder in ["project", "clone", "worktree"] {
        all_verified(&stage, folder);
    }
    std::fs::rename(&project, stage.path("renamed")).expect("renamed");
    all_verified(&stage, "renamed");
}

#[test]
fn it_is_verified_on_another_machine_of_the_same_user() {
    let stage = Signed::new().copy();
    let mut other = Stage::new();
    copy_tree(&stage.path("project"), &other.path("elsewhere"));
    other.folder("another-home/.ai");
    other.variable("HOME", "another-home");
    copy_tree(&stage.path("home/.config"), &other.path("another-home/.config"));
    all_verified(&other, "elsewhere");
}
