//! What a person is told to type: commands and options, paths that can be pasted, and the program as
//! it was started.

use std::net::TcpListener;

use crate::support::harness::Stage;
use crate::support::typist::Typist;

fn signed_stage() -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init"]).status.success());
    stage
}

fn refusal(stage: &Stage, words: &[&str]) -> String {
    let output = stage.person(words);
    assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_hint_names_the_option_and_the_command_and_no_call() {
    let stage = signed_stage();
    let words = refusal(&stage, &["run", "hello_tool", "--param", "nme=Ada"]);
    assert!(words.contains("- `--param name=…` (string): Whom to greet."), "{words}");
    assert!(!words.contains("`parameters`") && !words.contains("`example`"), "{words}");
    let words = refusal(&stage, &["memory", "create", "ideas/x", "text"]);
    assert!(words.contains("using `mere category create ideas`."), "{words}");
}

#[test]
fn the_first_memory_is_told_how_its_category_is_made() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init", "--template", "blank"]).status.success());
    let words = refusal(&stage, &["memory", "create", "ideas/x", "text"]);
    assert!(
        words.contains("There are no categories yet. Create the one that is missing."),
        "{words}"
    );
}

#[test]
fn memories_are_counted_and_listed_on_request() {
    let stage = signed_stage();
    let list = |words: &[&str]| String::from_utf8_lossy(&stage.person(words).stdout).into_owned();
    assert!(list(&["list"]).ends_with("1 memory: `mere list memory` lists it\n"));
    assert!(!list(&["list"]).contains("welcome"));
    assert!(list(&["list", "memory"]).contains("welcome"));
    assert!(list(&["list", "--json"]).contains("\"welcome\""), "a program gets all of them");
}

#[test]
fn a_person_at_a_terminal_gets_paths_that_can_be_pasted() {
    let stage = signed_stage();
    let path = ".ai/tools/examples/hello_tool.yaml";
    let shown = Typist::start(&stage, "show tool hello_tool").finish().1;
    assert!(shown.contains(&format!("\n{path} (ROOT_PROJECT:/{path}) · verified")), "{shown}");
    stage.file("project/.ai/tools/examples/hello_tool.py", "print(1)\n");
    let (status, shown) = Typist::start(&stage, "run hello_tool").finish();
    assert!(status == 4 && shown.contains(&format!("      file: {path}\n")), "{shown}");
    let (status, shown) = Typist::start(&stage, "verify").finish();
    assert!(status == 4 && shown.contains(&format!(" {path} (ROOT_PROJECT:/{path})")), "{shown}");
}

#[test]
fn an_editor_that_leaves_a_fault_is_opened_again() {
    let stage = signed_stage();
    // It breaks the note the first time, and repairs it the second.
    let editor = stage.file(
        "beside/editor",
        "#!/bin/sh\nif [ -e \"$HOME/second\" ]; then\n  cp \"$HOME/second\" \"$1\"\n  echo More. >> \"$1\"\n\
         else\n  cp \"$1\" \"$HOME/second\"\n  echo broken > \"$1\"\nfi\n",
    );
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&editor, mode).expect("executable");
    let editor = editor.to_str().expect("UTF-8");
    let words = "edit note how-items-work";
    let mut typist = Typist::start_with(&stage, words, &[("EDITOR", editor)]);
    typist.answer("Open the editor again?", "y");
    let (status, shown) = typist.finish();
    assert!(status == 0 && shown.contains("was signed."), "{shown}");
    assert!(shown.contains("there is no frontmatter"), "{shown}");
    // Whoever says no keeps what they wrote, as a draft.
    std::fs::remove_file(stage.path("home/second")).expect("removed");
    let mut typist = Typist::start_with(&stage, words, &[("EDITOR", editor)]);
    typist.answer("Open the editor again?", "n");
    assert_eq!(typist.finish().0, 1);
    let left = stage.path("project/.ai/knowledge/examples/how-items-work.md");
    assert_eq!(std::fs::read_to_string(left).expect("the note"), "broken\n");
}

#[test]
fn a_command_that_waits_says_so_at_a_terminal() {
    let stage = signed_stage();
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("login http://{}", silent.local_addr().expect("an address"));
    let mut typist = Typist::start(&stage, &url);
    typist.answer("Token", "");
    let (connection, _) = silent.accept().expect("a connection");
    typist.wait_for("login: at work for 1 s");
    drop((connection, silent));
    assert_ne!(typist.finish().0, 0);
}

#[test]
fn next_steps_name_a_program_that_can_be_started() {
    let stage = Stage::new();
    let printed = String::from_utf8_lossy(&stage.person(&["init"]).stdout).into_owned();
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_mere")).canonicalize().expect("a program");
    assert!(printed.contains(&format!("  {} list\n", own.display())), "{printed}");
    // Where its name finds it, its name is enough.
    let stage = Stage::new();
    let mut command = stage.command("project");
    command.env("PATH", own.parent().expect("a folder")).arg("init");
    let printed =
        String::from_utf8_lossy(&command.output().expect("mere runs").stdout).into_owned();
    assert!(printed.contains("  mere list\n"), "{printed}");
}
