//! `mere completions` and `mere man`: both are made from the command line that is parsed.

use std::io;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::arguments::{Arguments, CompletionsArguments, ManArguments, command_line};
use crate::print::terminal;

const NAME: &str = "mere";

/// What completes the names of items: it comes after the generated script and asks the program.
const BASH_NAMES: &str = include_str!("completions/ids.bash");
const ZSH_NAMES: &str = include_str!("completions/ids.zsh");
const FISH_NAMES: &str = include_str!("completions/ids.fish");
/// The line from which the generated script for zsh registers itself.
const ZSH_REGISTRATION: &str = "\nif [ \"$funcstack[1]\" = \"_mere\" ]; then";

/// Prints the completions of a shell.
pub(crate) fn print_completions(arguments: &CompletionsArguments) -> io::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), NAME, &mut script);
    let script = String::from_utf8_lossy(&script);
    terminal::print_text(&match arguments.shell {
        Shell::Bash => script.into_owned() + BASH_NAMES,
        Shell::Fish => script.into_owned() + FISH_NAMES,
        // The function that asks the program is registered instead of the generated one.
        Shell::Zsh => match script.split_once(ZSH_REGISTRATION) {
            Some((generated, _)) => generated.to_owned() + ZSH_NAMES,
            None => script.into_owned(),
        },
        _ => script.into_owned(),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a manual page.
pub(crate) fn print_manual(arguments: &ManArguments) -> io::Result<ExitCode> {
    let mut command = command_line().name(NAME);
    command.build();
    let Some(command) = find_command(command, &arguments.command) else {
        let words = format!(
            "there is no command `{}`; `mere --help` lists the commands",
            arguments.command.join(" ")
        );
        return Ok(terminal::print_failure(&words, terminal::USAGE));
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    terminal::print_text(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the command of these words, which is the whole program for none.
fn find_command(command: Command, words: &[String]) -> Option<Command> {
    let Some((first, rest)) = words.split_first() else { return Some(command) };
    let found = command.get_subcommands().find(|one| one.get_name() == first)?;
    find_command(found.clone(), rest)
}
