//! Examples for the help of small commands that have none of their own beside their arguments.

use clap::Command;

/// Each command with the lines of its examples.
const EXAMPLES: [(&str, &[&str]); 39] = [
    ("keys export", &["mere keys export > ada.pub"]),
    ("keys generate", &["mere keys generate", "mere keys generate --no-passphrase"]),
    ("keys import", &["mere keys import ~/backup/id_ed25519"]),
    ("keys list", &["mere keys list"]),
    ("keys rotate", &["mere keys rotate"]),
    ("keys use", &["mere keys use ~/.ssh/id_ed25519", "mere keys use SHA256:…"]),
    ("leave", &["mere leave"]),
    ("mcp token create", &["mere mcp token create --agent ci"]),
    ("mcp token list", &["mere mcp token list"]),
    ("mcp token revoke", &["mere mcp token revoke 3f9c1a"]),
    ("model fetch", &["mere model fetch minilm"]),
    ("model list", &["mere model list"]),
    ("model remove", &["mere model remove minilm"]),
    ("registry key add", &["mere registry key add acme ada.pub"]),
    ("registry key list", &["mere registry key list"]),
    ("registry key remove", &["mere registry key remove acme SHA256:…"]),
    ("registry namespace create", &["mere registry namespace create acme --owner ada"]),
    ("registry namespace list", &["mere registry namespace list"]),
    ("registry token create", &["mere registry token create --user ada --scope 'publish:acme/*'"]),
    ("registry token list", &["mere registry token list"]),
    ("registry token revoke", &["mere registry token revoke 3f9c1a"]),
    ("registry user add", &["mere registry user add ada"]),
    ("registry user list", &["mere registry user list"]),
    ("runs export", &["mere runs export --jsonl > runs.jsonl"]),
    ("runs replay", &["mere runs replay 01a1ee90b1a17399a5e2102845a89731"]),
    ("runs show", &["mere runs show 01a1ee90b1a17399a5e2102845a89731"]),
    ("runs verify", &["mere runs verify"]),
    ("team add", &["mere team add Ben ben.pub", "mere team add Ben ben.pub --types tool,note"]),
    ("team init", &["mere team init"]),
    ("team remove", &["mere team remove Ben"]),
    ("team require", &["mere team require directive,tool,lockfile"]),
    ("team restore", &["mere team restore"]),
    ("team show", &["mere team show"]),
    ("team sign", &["mere team sign"]),
    ("team threshold", &["mere team threshold 2"]),
    ("trust list", &["mere trust list"]),
    ("trust remove", &["mere trust remove Ada"]),
    ("trust revoke", &["mere trust revoke Ada"]),
    ("trust rotate", &["mere trust rotate ada-rotation.json"]),
];

/// Adds the examples to the commands that have none.
pub(super) fn add_examples(command: Command) -> Command {
    add_below(command, "")
}

fn add_below(mut command: Command, path: &str) -> Command {
    let names = command.get_subcommands().map(|one| one.get_name().to_owned()).collect::<Vec<_>>();
    for name in names {
        let path = format!("{path} {name}").trim_start().to_owned();
        command = command.mut_subcommand(name, |below| add_below(below, &path));
    }
    let Some((_, lines)) = EXAMPLES.iter().find(|(name, _)| *name == path) else { return command };
    let lines = lines.join("\n  ");
    let more = command.get_after_help().map(|more| format!("\n\n{more}")).unwrap_or_default();
    command.after_help(format!("Examples:\n  {lines}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::command_line;

    #[test]
    fn every_line_is_of_a_command_that_needs_it() {
        let mut own = Vec::new();
        for (path, _) in EXAMPLES {
            let mut command = command_line();
            for name in path.split(' ') {
                let below = command.find_subcommand(name).cloned();
                command = below.unwrap_or_else(|| panic!("there is no command {path}"));
            }
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            if help.matches("Example").count() != 1 {
                own.push(path);
            }
        }
        assert_eq!(own, Vec::<&str>::new(), "these have examples of their own");
    }
}
