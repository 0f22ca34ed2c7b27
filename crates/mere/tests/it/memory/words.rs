//! `mere memory`, `category` and `store` as a person types them: what is refused before the door.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::support::harness::Stage;
use crate::support::typist::Typist;

fn run(stage: &Stage, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = stage.command("project");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("mere runs");
    // A command that needs no input may be gone before it is written.
    let _ = child.stdin.take().expect("its input").write_all(input);
    child.wait_with_output().expect("it ends")
}

fn refused(stage: &Stage, arguments: &[&str], input: &[u8], (code, words): (i32, &str)) {
    let output = run(stage, arguments, input);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}");
    assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

#[test]
fn a_memory_needs_something_to_say() {
    let stage = Stage::new();
    refused(&stage, &["memory", "create", "a"], b"", (2, "pass TEXT"));
    refused(&stage, &["memory", "update", "a"], b"text", (2, "required"));
    let missing = ["memory", "create", "a", "--file", "missing"];
    refused(&stage, &missing, b"", (1, "the file cannot be read"));
    refused(&stage, &["memory", "create", "a"], b"\xff", (1, "not UTF-8 text"));
    let large = vec![b'a'; 1024 * 1024 + 1];
    refused(&stage, &["memory", "create", "a", "--file", "-"], &large, (1, "larger"));
    stage.file("project/large.md", &"a".repeat(1024 * 1024 + 1));
    refused(&stage, &["memory", "create", "a", "--file", "large.md"], b"", (1, "larger"));
}

#[test]
fn a_person_is_told_the_command_that_makes_the_category() {
    let stage = Stage::new();
    let words = "Create the category first using `mere category create a`.";
    refused(&stage, &["memory", "create", "a/b", "text"], b"", (1, words));
    let made = run(&stage, &["category", "create", "a"], b"");
    assert!(String::from_utf8_lossy(&made.stdout).contains("The category 'a' was created."));
    assert!(run(&stage, &["memory", "create", "a/b", "text"], b"").status.success());
}

#[test]
fn what_to_try_next_is_about_the_store_that_was_made() {
    let stage = Stage::new();
    for (name, option) in [("first", ""), ("second", " --store second")] {
        let made = run(&stage, &["store", "init", name, "--template", "team", "--json"], b"");
        let reply: serde_json::Value = serde_json::from_slice(&made.stdout).expect("JSON");
        let next = reply["data"]["next"].as_array().expect("a list");
        assert_eq!(next[2], format!("mere memory list{option}"));
        for command in next {
            let command =
                command.as_str().expect("a text").replace("'What I want to remember'", "x");
            let words = command.split(' ').skip(1).collect::<Vec<_>>();
            let output = run(&stage, &words, b"");
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{command}: {stderr}");
        }
    }
}

#[test]
fn a_file_is_looked_for_where_the_command_runs() {
    let stage = Stage::new();
    stage.file("project/docs/binary", "");
    std::fs::write(stage.path("project/docs/binary"), b"\xff").expect("a file");
    let words = ["-C", "docs", "memory", "create", "a", "--file", "binary"];
    refused(&stage, &words, b"", (1, "the file is not UTF-8 text"));
}

#[test]
fn force_is_for_a_person_at_a_terminal() {
    let stage = Stage::new();
    for words in [
        &["category", "create", "a", "--force"][..],
        &["category", "delete", "a", "--force", "--yes"],
    ] {
        refused(&stage, words, b"y\n", (2, "works only at a terminal"));
    }
}

#[test]
fn a_category_is_not_deleted_by_what_is_piped_in() {
    let stage = Stage::new();
    stage.file("project/.ai/memory/a/.keep", "");
    refused(&stage, &["category", "delete", "a"], b"y\n", (1, "use `--yes`"));
    assert!(stage.path("project/.ai/memory/a").exists());
}

#[test]
fn a_new_store_is_asked_for() {
    let stage = Stage::new();
    let mut typist = Typist::start(&stage, "store init");
    typist.answer("Name [memory]:", "no/name");
    typist.answer("Name [memory]:", "cortex");
    typist.answer("Template: blank, project or team [project]:", "none");
    typist.wait_for("expected one of blank, project, team");
    typist.answer("Template: blank, project or team [project]:", "");
    typist.wait_for("Mode: free, subcategories or strict [from the template]:");
    // The end of input gives up.
    typist.press("\u{4}");
    let (code, printed) = typist.finish();
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("no store was created"), "{printed}");
    assert!(!stage.path("project/.ai").exists());
}

#[test]
fn every_command_has_an_example() {
    let stage = Stage::new();
    let memory = ["create", "get", "update", "move", "remove", "list", "recent", "prune"];
    let category = ["create", "delete", "describe", "define", "undefine", "list"];
    let store = ["init", "list", "sync", "reindex"];
    for (command, parts) in
        [("memory", &memory[..]), ("category", &category[..]), ("store", &store[..])]
    {
        let groups = [vec![command, "--help"]];
        let parts = parts.iter().map(|part| vec![command, part, "--help"]);
        for words in groups.into_iter().chain(parts) {
            let output = run(&stage, &words, b"");
            let help = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(help.contains("\nExample"), "{words:?}: {help}");
        }
    }
}
