//! The picture of the README is what the program prints: `MERE_BLESS=1` draws it again.

use std::path::Path;
use std::process::Command;

use super::terminal_svg::{COLUMNS, Screen};
use crate::support::harness::Stage;
use crate::tidy::workspace;

const PICTURE: &str = "docs/images/terminal.svg";
const TITLE: &str = "A tool runs; after somebody edits it and moves a note, neither is used";

/// What is typed: items, a run, then a tool that somebody edited and a note that somebody moved.
const COMMANDS: [&str; 6] = [
    "mere list",
    "mere run hello_tool --param name=Ada",
    "echo 'print(\"slipped in\")' >> .ai/tools/examples/hello_tool.py",
    "mere run hello_tool --param name=Ada",
    "mv .ai/knowledge/examples .ai/knowledge/team",
    "mere show knowledge how-items-work",
];

/// Runs a line as a person does, in a terminal of this width.
fn type_line(stage: &Stage, line: &str) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_mere")).parent().expect("a folder");
    let mut script = Command::new("script");
    let sized = format!("stty cols {COLUMNS} rows 50; {line}");
    script.args(["-qc", &sized, "/dev/null"]).current_dir(stage.path("project")).env_clear();
    script.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    script.env("HOME", stage.path("home")).env("TERM", "xterm").env("SHELL", "/bin/sh");
    let output = script.output().expect("script runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_picture_in_the_readme_is_what_the_program_prints() {
    let stage = Stage::new();
    assert!(stage.person(&["init"]).status.success());
    let mut screen = Screen::default();
    for line in COMMANDS {
        screen.type_command(line);
        screen.show(&type_line(&stage, line));
    }
    let (drawn, path) = (screen.to_svg(TITLE), workspace().join(PICTURE));
    stage.check(&drawn);
    assert!(drawn.contains("Hello,\u{a0}Ada!") && drawn.contains("Integrity"), "{drawn}");
    if std::env::var_os("MERE_BLESS").is_some() {
        std::fs::write(&path, &drawn).expect("written");
    }
    let known = std::fs::read_to_string(&path).expect("the picture");
    assert!(
        known == drawn,
        "MERE_BLESS=1 cargo test -p mere --test it -- terminal_picture draws it"
    );
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("the README");
    assert!(readme.contains(&format!("]({PICTURE})")));
}
