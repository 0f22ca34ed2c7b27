//! Completions in the shells themselves: the names of items are completed like commands.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::harness::Stage;

/// A stage with a space, and the script of a shell.
fn stage_with_script(shell: &str) -> (Stage, PathBuf) {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init"]).status.success());
    let script = stage.person(&["completions", shell]).stdout;
    let path = stage.path("beside/completions");
    std::fs::write(&path, script).expect("a script");
    (stage, path)
}

/// Runs a shell in the project, with the program on the path.
fn in_shell(stage: &Stage, shell: &[&str], lines: &str) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_mere")).parent().expect("a folder");
    let mut command = Command::new(shell[0]);
    command.args(&shell[1..]).arg(lines).env_clear().current_dir(stage.path("project"));
    command.env("PATH", format!("{}:/usr/bin:/bin", programs.display()));
    command.env("HOME", stage.path("home")).env("TERM", "dumb");
    let output = command.output().expect("a shell runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What follows the words of a line: names of tools, types, memories, and commands as before.
const CASES: [(&str, &str); 4] = [
    ("mere show tool examples/hel", "examples/hello_tool"),
    ("mere run examples/cou", "examples/count_todos"),
    ("mere memory get wel", "welcome"),
    ("mere ver", "verify"),
];

#[test]
fn bash_completes_the_names_of_items() {
    let (stage, script) = stage_with_script("bash");
    for (line, expected) in &CASES {
        let ask = format!(
            "source '{}'; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             complete -p mere | grep -o 'F [a-z_]*' | {{ read -r _ function; \
             \"$function\" mere \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             echo \"${{COMPREPLY[@]}}\"; }}",
            script.display()
        );
        let found = in_shell(&stage, &["bash", "--norc", "-c"], &ask);
        assert_eq!(found.trim(), *expected, "{line}");
    }
}

#[test]
fn fish_completes_the_names_of_items() {
    let (stage, script) = stage_with_script("fish");
    for (line, expected) in &CASES {
        let ask = format!("source '{}'; complete -C '{line}'", script.display());
        let found = in_shell(&stage, &["fish", "--no-config", "-c"], &ask);
        let words = found.lines().filter_map(|line| line.split('\t').next()).collect::<Vec<_>>();
        assert_eq!(words, [*expected], "{line}");
    }
}

/// A terminal of its own, in which a tab is pressed and what stands on the line is shown.
const PRESS: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; source '$SCRIPT'"
zpty -w shell 'zstyle ":completion:*" insert-tab false; unsetopt beep'
zpty -w shell 'show() { print -r -- "<$BUFFER>"; }; zle -N show; bindkey "^X" show'
zpty -w shell 'print -r READY'
zpty -r shell line '*READY*READY*'
zpty -n -w shell "$LINE"$'\t'$'\x18'
zpty -r shell line '*<*>*'
print -r -- ${line##*<}
zpty -d shell"#;

#[test]
fn zsh_completes_the_names_of_items() {
    let (stage, script) = stage_with_script("zsh");
    for (line, expected) in &CASES {
        let lines = format!("SCRIPT='{}' LINE='{line}'\n{PRESS}", script.display());
        let found = in_shell(&stage, &["zsh", "-f", "-c"], &lines);
        let shown = found.split('>').next().unwrap_or_default();
        assert_eq!(shown.split_whitespace().last(), Some(*expected), "{line}: {found}");
    }
}

#[test]
fn what_cannot_be_completed_is_silence() {
    let stage = Stage::new();
    for words in [&["show", "tool"][..], &["show", "nonsense"], &["no-such-command"], &[]] {
        let output = stage.person(&[&["complete", "--"], words].concat());
        assert!(output.status.success() && output.stdout.is_empty(), "{words:?}: {output:?}");
    }
}

#[test]
fn the_name_of_an_item_is_no_command_for_the_shell() {
    let (stage, script) = stage_with_script("bash");
    // A name that is not one, in a folder that anybody may have made.
    stage.file("project/.ai/knowledge/$(touch owned).md", "---\nid: x\ntitle: X\n---\n");
    let ask = format!(
        "source '{}'; COMP_WORDS=(mere show note ''); COMP_CWORD=3; _mere_and_ids mere '' note; \
         echo \"${{COMPREPLY[@]}}\"",
        script.display()
    );
    let found = in_shell(&stage, &["bash", "--norc", "-c"], &ask);
    assert!(found.contains("examples/how-items-work"), "{found}");
    assert!(!stage.path("project/owned").exists());
}

#[test]
fn a_tab_runs_no_program_of_the_folder() {
    for (shell, start) in
        [("bash", &["bash", "--norc", "-c"][..]), ("fish", &["fish", "--no-config", "-c"])]
    {
        let (stage, script) = stage_with_script(shell);
        let trap = stage.file("project/mere", "#!/bin/sh\ntouch owned\necho trapped\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(trap, mode).expect("executable");
        let press = match shell {
            "bash" => {
                "COMP_WORDS=(./mere show tool ''); COMP_CWORD=3; _mere_and_ids ./mere '' tool; \
                 echo \"${COMPREPLY[@]}\""
            }
            _ => "complete -C './mere show tool '",
        };
        let found = in_shell(&stage, start, &format!("source '{}'; {press}", script.display()));
        assert!(found.contains("examples/hello_tool"), "{shell}: {found}");
        assert!(!found.contains("trapped") && !stage.path("project/owned").exists(), "{shell}");
    }
}
