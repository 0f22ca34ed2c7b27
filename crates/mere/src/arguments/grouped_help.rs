//! The commands in the help of `mere` itself, grouped by what a person wants to do.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use super::Arguments;
use super::leaf_examples::add_examples;

/// The groups in the order of the help, each with its commands.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Start", &["up", "init", "connect", "adopt", "join", "new", "doctor"]),
    (
        "Look",
        &[
            "list", "search", "show", "why", "log", "graph", "calls", "ui", "ls", "read", "glob",
            "grep", "tree", "where",
        ],
    ),
    (
        "Use and change",
        &[
            "run",
            "runs",
            "chain",
            "grant",
            "grants",
            "revoke",
            "secret",
            "prepare",
            "import-mcp",
            "memory",
            "category",
            "store",
            "copy",
            "move",
            "rename",
            "delete",
            "edit",
            "draft",
        ],
    ),
    (
        "Sign and trust",
        &["sign", "verify", "review", "lock", "keys", "trust", "team", "leave", "allow"],
    ),
    (
        "Share",
        &["login", "logout", "publish", "pull", "outdated", "update", "yank", "mirror", "export"],
    ),
    ("Serve", &["mcp", "call", "registry", "witness"]),
    (
        "Maintain",
        &[
            "config",
            "git",
            "index",
            "model",
            "space",
            "workspace",
            "completions",
            "man",
            "uninstall",
            "torture",
            "help",
        ],
    ),
];

/// The width of the column of names.
const NAME_WIDTH: usize = 12;

/// Returns the command line, with its commands in groups in its own help, and examples everywhere.
pub(crate) fn command_line() -> Command {
    let command = add_examples(Arguments::command());
    let template = help_template(&command);
    command.help_template(template)
}

fn help_template(command: &Command) -> StyledStr {
    let style = command.get_styles().get_header();
    let (on, off) = (style.render(), style.render_reset());
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "\n{on}{heading}:{off}");
        for name in names {
            let _ = writeln!(text, "  {name:<NAME_WIDTH$}{}", summarize(command, name));
        }
    }
    let _ = write!(text, "\n{on}Options:{off}\n{{options}}{{after-help}}");
    text.into()
}

/// Returns the one-line description of a command.
fn summarize(command: &Command, name: &str) -> String {
    if name == "help" {
        return "Print this message or the help of the given command".to_owned();
    }
    let about = command.find_subcommand(name).and_then(Command::get_about);
    about.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect::<Vec<_>>();
        let command = Arguments::command();
        let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut known = visible.map(Command::get_name).chain(["help"]).collect::<Vec<_>>();
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn the_help_names_every_group_and_its_commands() {
        let help = command_line().render_help().to_string();
        for (heading, names) in GROUPS {
            assert!(help.contains(&format!("{heading}:\n")), "{help}");
            for name in names {
                assert!(help.contains(&format!("\n  {name:<NAME_WIDTH$}")), "{name}: {help}");
            }
        }
        assert!(help.contains("Exit status") && help.contains("--project"), "{help}");
    }
}
