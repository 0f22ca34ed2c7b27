//! Completions and manual pages, and commands that say what to type instead.

use std::process::{Command, Output, Stdio};

use crate::support::harness::Stage;

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn bash_completes_commands_and_options() {
    let stage = Stage::new();
    let script = stdout(&stage.person(&["completions", "bash"]));
    let path = stage.file("mere.bash", &script);
    let check = |line: &str, expected: &str| {
        // What bash does when a person types a line and presses the tab key.
        let ask = format!(
            "source '{}'; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _mere mere \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             echo \"${{COMPREPLY[@]}}\"",
            path.display()
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["--norc", "-c", &ask]).stdin(Stdio::null()).output();
        let found = stdout(&output.expect("bash runs"));
        assert!(found.split_whitespace().any(|word| word == expected), "{line}: {found}");
    };
    check("mere ver", "verify");
    check("mere team a", "add");
    check("mere run --dry", "--dry-run");
}

#[test]
fn every_shell_has_completions() {
    let stage = Stage::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&stage.person(&["completions", shell]));
        assert!(script.contains("verify"), "{shell}");
    }
    assert_eq!(stage.person(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn every_command_has_a_manual_page() {
    let stage = Stage::new();
    let page = stdout(&stage.person(&["man"]));
    assert!(page.contains(".TH mere 1") && page.contains("mere\\-sign"), "{page}");
    let page = stdout(&stage.person(&["man", "team", "add"]));
    assert!(page.contains("mere\\-team\\-add"), "{page}");
    let output = stage.person(&["man", "no-such-command"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("there is no command `no-such-command`"));
}

#[test]
fn a_parameter_without_its_option_is_refused_with_what_to_type() {
    let stage = Stage::new();
    let output = stage.person(&["run", "hello_tool", "name=Ada", "n=1"]);
    assert_eq!(output.status.code(), Some(2));
    let words = stderr(&output);
    assert!(words.contains("mere run hello_tool --param name=Ada --param n=1"), "{words}");
    let words = stderr(&stage.person(&["run", "hello_tool", "Ada"]));
    assert!(words.contains("mere run hello_tool --param NAME=Ada"), "{words}");
    // Where there is no doubt, the value gets its name.
    assert!(stage.person(&["init"]).status.success());
    let words = stderr(&stage.person(&["run", "hello_tool", "Ada Lovelace"]));
    assert!(words.contains("`mere run hello_tool --param 'name=Ada Lovelace'`"), "{words}");
    assert!(words.contains("- `--param name=…` (string): Whom to greet."), "{words}");
    let words = stderr(&stage.person(&["run", "hello_tool", "Ada", "2"]));
    assert!(words.contains("--param NAME=Ada --param NAME=2"), "{words}");
}

#[test]
fn a_folder_is_listed_as_an_agent_sees_it() {
    let stage = Stage::new();
    stage.folder("project/.git");
    stage.file("project/src/a.rs", "");
    stage.file("project/.env", "KEY=1");
    assert_eq!(stdout(&stage.person(&["ls"])), ".git/\nsrc/\n");
    assert_eq!(stdout(&stage.person(&["ls", "src"])), "src/a.rs\n");
    assert_eq!(stage.person(&["ls", "nowhere"]).status.code(), Some(1));
}

#[test]
fn skills_are_listed_as_the_directives_that_they_are() {
    let stage = Stage::new();
    stage.folder("project/.git");
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init"]).status.success());
    let directives = stdout(&stage.person(&["list", "directive"]));
    assert!(directives.contains("summarize-folder"), "{directives}");
    for word in ["directives", "skill", "skills"] {
        assert_eq!(stdout(&stage.person(&["list", word])), directives, "{word}");
    }
}
