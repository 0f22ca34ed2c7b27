//! The command line with the commands of one group only.
//!
//! Putting all commands together takes longer than some of them take to run. Words that this part
//! of the command line understands mean the same in the whole of it; for others, and for help, the
//! whole is needed.

use std::ffi::OsString;

use clap::{Args, Command, Subcommand};

use super::{
    AgentSubcommand, BasicSubcommand, FileSubcommand, ItemSubcommand, LocationArguments,
    MemorySubcommand, SharingSubcommand, SigningSubcommand, ToolSubcommand, TrustSubcommand,
    UpkeepSubcommand,
};

/// A group of commands.
struct Group {
    has_command: fn(&str) -> bool,
    add_commands: fn(Command) -> Command,
}

impl Group {
    const fn of<S: Subcommand>() -> Self {
        Self { has_command: S::has_subcommand, add_commands: S::augment_subcommands }
    }
}

const GROUPS: [Group; 10] = [
    Group::of::<AgentSubcommand>(),
    Group::of::<BasicSubcommand>(),
    Group::of::<FileSubcommand>(),
    Group::of::<ItemSubcommand>(),
    Group::of::<MemorySubcommand>(),
    Group::of::<SharingSubcommand>(),
    Group::of::<SigningSubcommand>(),
    Group::of::<ToolSubcommand>(),
    Group::of::<TrustSubcommand>(),
    Group::of::<UpkeepSubcommand>(),
];

/// Returns the part of the command line that has the first command among the words, if a group
/// has it.
pub(crate) fn narrow_command_line(mut words: impl Iterator<Item = OsString>) -> Option<Command> {
    let group = words.find_map(|word| {
        let word = word.into_string().ok()?;
        GROUPS.iter().find(|group| (group.has_command)(&word))
    })?;
    let command = LocationArguments::augment_args(Command::new("mere"));
    Some((group.add_commands)(command).subcommand_required(true))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, FromArgMatches as _};

    use super::super::Arguments;
    use super::*;

    fn narrow(words: &[&str]) -> Option<Command> {
        narrow_command_line(words.iter().map(OsString::from))
    }

    #[test]
    fn a_command_of_a_group_is_the_same_in_both() {
        let whole = Arguments::command();
        let mut compared = 0;
        for command in whole.get_subcommands() {
            let Some(narrow) = narrow(&["-C", "folder", command.get_name()]) else { continue };
            let same = narrow.find_subcommand(command.get_name()).expect("it is there");
            let describe = |one: &Command| format!("{:?}", one.clone().display_order(0));
            assert!(describe(same) == describe(command), "{}", command.get_name());
            assert!(narrow.get_subcommands().count() < 20, "the group of {}", command.get_name());
            compared += 1;
        }
        assert!(compared > 50, "{compared}");
    }

    #[test]
    fn words_that_it_understands_become_arguments() {
        let words = ["mere", "--project", "read", "list", "knowledge", "--json", "-C", "/tmp"];
        let of_read = narrow(&words[1..]).expect("the group of `read`");
        assert!(of_read.try_get_matches_from(words).is_err(), "`list` is in another group");
        let words = ["mere", "--project", "folder", "list", "knowledge", "--json", "-C", "/tmp"];
        let matches = narrow(&words[1..]).expect("a group").try_get_matches_from(words);
        let arguments = Arguments::from_arg_matches(&matches.expect("parsed")).expect("arguments");
        assert_eq!(
            arguments.location.project().map(mere_engine::TypedPath::display_text).as_deref(),
            Some("folder")
        );
        assert!(arguments.location.directory().is_some());
    }

    #[test]
    fn without_a_command_of_a_group_there_is_none() {
        assert!(narrow(&[]).is_none());
        assert!(narrow(&["--version"]).is_none());
        assert!(narrow(&["where", "--json"]).is_none());
    }
}
