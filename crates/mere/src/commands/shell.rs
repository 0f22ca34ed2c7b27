//! `mere completions` and `mere man`: both are made from the command line that is parsed.

use std::io;
use std::process::ExitCode;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::print::terminal;

const NAME: &str = "mere";

/// Prints the completions of a shell.
pub(crate) fn print_completions(arguments: &CompletionsArguments) -> io::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), NAME, &mut script);
    print_bytes(&script)
}

/// Prints a manual page.
pub(crate) fn print_manual(arguments: &ManArguments) -> io::Result<ExitCode> {
    let mut command = Arguments::command().name(NAME);
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
    print_bytes(&page)
}

/// Returns the command of these words, which is the whole program for none.
fn find_command(command: Command, words: &[String]) -> Option<Command> {
    let Some((first, rest)) = words.split_first() else { return Some(command) };
    let found = command.get_subcommands().find(|one| one.get_name() == first)?;
    find_command(found.clone(), rest)
}

fn print_bytes(bytes: &[u8]) -> io::Result<ExitCode> {
    terminal::print_text(&String::from_utf8_lossy(bytes))?;
    Ok(ExitCode::SUCCESS)
}
