//! What a person is told about places: a working directory that is gone, a folder that is no
//! project, and files that cannot be allowed.

use std::process::{Command, Output};

use crate::support::harness::Stage;

fn words(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

/// Runs `mere` where the working directory was deleted.
fn in_deleted_directory(stage: &Stage, arguments: &str) -> Output {
    let gone = stage.folder("project/gone");
    let script = format!(
        "cd '{gone}' && rmdir '{gone}' && exec '{}' {arguments}",
        env!("CARGO_BIN_EXE_mere"),
        gone = gone.display()
    );
    let mut command = Command::new("/bin/sh");
    command.env_clear().env("HOME", stage.path("home")).env("PATH", "/usr/bin:/bin");
    command.args(["-c", &script]).output().expect("sh runs")
}

#[test]
fn a_deleted_working_directory_is_named_and_a_named_project_works_all_the_same() {
    let stage = Stage::new();
    stage.file("project/.git/HEAD", "ref: refs/heads/main\n");
    stage.file("project/a.txt", "a\n");
    for command in ["where", "list", "doctor"] {
        let output = in_deleted_directory(&stage, command);
        let words = words(&output);
        assert_eq!(output.status.code(), Some(2), "{command}: {words}");
        assert!(words.contains("the working directory cannot be found"), "{words}");
        assert!(words.contains("--project"), "{words}");
    }
    let project = stage.path("project").display().to_string();
    for option in ["--project", "-C"] {
        let output = in_deleted_directory(&stage, &format!("{option} '{project}' read a.txt"));
        assert_eq!(output.status.code(), Some(0), "{option}: {}", words(&output));
    }
    let output = in_deleted_directory(&stage, "--project project where");
    assert_eq!(output.status.code(), Some(2), "a relative path: {}", words(&output));
}

#[test]
fn a_folder_that_does_not_exist_is_named_as_it_was_typed() {
    let stage = Stage::new();
    for option in ["-C", "--project"] {
        let output = stage.person(&[option, "no/such/folder", "where"]);
        let words = words(&output);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains(&format!("`{option} no/such/folder`")), "{words}");
    }
}

#[test]
fn a_person_without_a_project_is_told_of_a_space_of_their_own() {
    let stage = Stage::new();
    for arguments in [&["init"][..], &["new", "note", "foo"], &["workspace", "list"]] {
        let output = stage.command("home").args(arguments).output().expect("mere runs");
        let words = words(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {words}");
        assert!(words.contains("mere init --user") && words.contains("mere where"), "{words}");
        assert!(!words.contains("ROOT_USER"), "{words}");
    }
    let output = stage.command("home").arg("list").output().expect("mere runs");
    assert!(words(&output).contains("mere init --user"), "{}", words(&output));
}

#[test]
fn only_what_exists_can_be_allowed() {
    let stage = Stage::new();
    stage.file("project/.git/HEAD", "ref: refs/heads/main\n");
    stage.file("project/.env", "A=b\n");
    stage.file("project/README.md", "hello\n");
    for name in [".envv", "nope/.env", "ROOT_PROJECT:/.env.local"] {
        let output = stage.person(&["allow", name]);
        assert_eq!(output.status.code(), Some(1), "{}", words(&output));
        assert!(words(&output).contains(&format!("`{name}`")), "{}", words(&output));
    }
    assert!(stage.person(&["allow", "--list"]).stdout.is_empty());
    let output = stage.person(&["allow", "README.md"]);
    assert!(words(&output).contains("is not sensitive"), "{}", words(&output));
    let output = stage.person(&["allow", ".env"]);
    assert!(words(&output).contains("is shown from now on"), "{}", words(&output));
}
