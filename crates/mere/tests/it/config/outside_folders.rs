//! `folders:` that lead out of the project: they wait for a person's trust and break nothing.

use serde_json::Value;

use crate::support::harness::Stage;

const CONFIG: &str = "project/.ai/config.yaml";
const SKILL: &str = "---\nname: greet\ndescription: BODY\n---\nBODY\n";

/// The note of `mere config check` about the project's file.
fn note(stage: &Stage) -> Option<String> {
    let output = stage.person(&["config", "check", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{reply}");
    let files = reply["data"]["files"].as_array().expect("files").clone();
    let project = files.iter().find(|file| file["address"] == "ROOT_PROJECT:/.ai/config.yaml");
    project.and_then(|file| file["note"].as_str()).map(str::to_owned)
}

/// Whether an agent finds the skill `greet`.
fn is_found(stage: &Stage) -> bool {
    let call = r#"{"item_type":"directive","item_id":"greet"}"#;
    let answer = stage.answer(stage.command("project").args(["call", "load", call]));
    answer.reply["reply_type"] == "S"
}

fn words(stage: &Stage, arguments: &[&str]) -> String {
    let output = stage.person(arguments);
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn a_folder_outside_awaits_trust_and_is_not_used_even_then() {
    let stage = Stage::new();
    let outside = stage.file("elsewhere/greet/SKILL.md", SKILL);
    let outside = outside.parent().and_then(|path| path.parent()).expect("a folder").to_owned();
    stage.file("home/skills/greet/SKILL.md", SKILL);
    stage.file("project/.claude/skills/other/SKILL.md", &SKILL.replace("greet", "other"));
    for folder in ["../elsewhere", outside.to_str().expect("UTF-8"), "~/skills", "~", ".."] {
        let config = format!("folders: {{directives: [.claude/skills, '{folder}']}}\n");
        stage.file(CONFIG, &config);
        let said = note(&stage).expect("a note");
        assert!(
            said.contains("`folders` outside the project do not")
                && said.contains("mere trust project")
        );
        assert!(!is_found(&stage), "{folder}");
        for command in [&["where"][..], &["doctor"]] {
            assert!(words(&stage, command).contains("`folders`"), "{folder}: {command:?}");
        }
        // What lies inside is used all the same.
        let call = r#"{"item_type":"directive","item_id":"other"}"#;
        let answer = stage.answer(stage.command("project").args(["call", "load", call]));
        assert_eq!(answer.reply["reply_type"], "S", "{}", answer.reply);
        let trusted = words(&stage, &["trust", "project", "--yes"]);
        assert!(trusted.contains(&format!("Agent Skills in {folder}")), "{trusted}");
        let said = note(&stage).expect("a note");
        assert!(said.contains("it is not used") && said.contains(folder), "{said}");
        assert!(words(&stage, &["where"]).contains("it is not used"), "{folder}");
        assert!(!is_found(&stage), "{folder}");
    }
}

#[test]
fn several_folders_outside_are_told_in_the_plural_and_a_missing_one_as_missing() {
    let stage = Stage::new();
    stage.file("elsewhere/skills/greet/SKILL.md", SKILL);
    stage.file(CONFIG, "folders: {directives: ['../elsewhere', '~/gone']}\n");
    let trusted = words(&stage, &["trust", "project", "--yes"]);
    assert!(trusted.contains("../elsewhere, which leads to"), "{trusted}");
    assert!(
        trusted.contains("outside the project, where items have no address, so it is not used")
    );
    assert!(
        trusted.contains("~/gone, which leads to nothing: there is no such folder\n"),
        "{trusted}"
    );
    let said = note(&stage).expect("a note");
    assert!(said.contains("../elsewhere, ~/gone, which are outside the project"), "{said}");
    assert!(said.contains("so they are not used. Move them into the project"), "{said}");
}

#[test]
fn a_path_that_leads_back_into_the_project_counts_once_it_is_trusted() {
    let stage = Stage::new();
    let skill = stage.file("project/.claude/skills/greet/SKILL.md", SKILL);
    let folder = skill.parent().and_then(|path| path.parent()).expect("a folder").to_owned();
    let folder = folder.to_str().expect("UTF-8");
    for folder in [folder, "../project/.claude/skills"] {
        stage.file(CONFIG, &format!("folders: {{directives: ['{folder}']}}\n"));
        assert!(!is_found(&stage), "{folder}");
        assert!(stage.person(&["trust", "project", "--yes"]).status.success());
        assert_eq!(note(&stage), None, "{folder}");
        assert!(is_found(&stage), "{folder}");
        assert!(stage.person(&["trust", "project", "--revoke"]).status.success());
        assert!(!is_found(&stage), "{folder}");
    }
    // The space itself, or a folder of git, is never used in place.
    for folder in ["../project/.ai", "../project/.git", "../project"] {
        stage.file("project/.ai/greet/SKILL.md", SKILL);
        stage.file("project/.git/greet/SKILL.md", SKILL);
        stage.file(CONFIG, &format!("folders: {{directives: ['{folder}']}}\n"));
        assert!(stage.person(&["trust", "project", "--yes"]).status.success());
        assert!(!is_found(&stage), "{folder}");
    }
}

#[test]
fn a_changed_folder_must_be_trusted_again() {
    let stage = Stage::new();
    stage.file("project/.claude/skills/greet/SKILL.md", SKILL);
    stage.link(stage.path("project/.claude/skills"), "way");
    stage.folder("other");
    stage.file(CONFIG, "folders: {directives: ['../way']}\n");
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    assert!(is_found(&stage));
    std::fs::remove_file(stage.path("way")).expect("removed");
    stage.link(stage.path("other"), "way");
    assert!(!is_found(&stage));
    assert!(note(&stage).is_some_and(|note| note.contains("mere trust project")));
}

#[test]
fn in_the_users_own_file_it_is_noted() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "folders: {directives: ['~/skills']}\n");
    stage.file("home/skills/greet/SKILL.md", SKILL);
    assert!(!is_found(&stage));
    assert!(words(&stage, &["config", "check"]).contains("it is not used"));
    assert!(words(&stage, &["where"]).contains("it is not used"));
}
