//! Every command shows an example in its help, and every example is a command line.

use clap::Command;

use super::super::command_line;

/// The commands without subcommands below a command, each with its name.
fn leaves(command: &Command, name: &str) -> Vec<(String, Command)> {
    let below = command.get_subcommands().filter(|one| one.get_name() != "help");
    let below = below.flat_map(|one| leaves(one, &format!("{name} {}", one.get_name())));
    let below = below.collect::<Vec<_>>();
    if below.is_empty() { vec![(name.to_owned(), command.clone())] } else { below }
}

/// The lines of the examples of a command; a line that ends in a backslash goes on.
fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let text = help.split_once("Examples:\n").or(help.split_once("Example:\n"));
    let Some((_, text)) = text else { return Vec::new() };
    let text = text.split("\n\n").next().unwrap_or_default();
    let mut lines = Vec::<String>::new();
    for line in text.lines().map(str::trim) {
        match lines.last_mut().filter(|before| before.ends_with('\\')) {
            Some(before) => *before = before.trim_end_matches('\\').to_owned() + line,
            None => lines.push(line.to_owned()),
        }
    }
    lines
}

/// The words of an example, as a shell splits them, without the comment beside it.
fn words(example: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = example.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, Some(open)) if letter == open => quote = None,
            (' ', None) if letters.peek() == Some(&' ') => break,
            (' ', None) => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    // What another program gets is not part of the command line.
    let end = words.iter().position(|word| matches!(word.as_str(), "|" | ">" | "<"));
    words.truncate(end.unwrap_or(words.len()));
    words
}

/// Replaces what is left out in an example by something that has its form.
fn filled(word: &str) -> String {
    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILlm8r6czTytimriugD4VTO9wPx3YVXTa8YHT36PWJWC";
    match word {
        "SHA256" => "0".repeat(64),
        "ssh-ed25519 AAAA…" => KEY.to_owned(),
        word => word.replace("SHA256:…", &format!("SHA256:{}", "A".repeat(43))),
    }
}

/// The part of a line that this program is started with.
fn own_part(line: &str) -> &str {
    let line =
        line.strip_prefix("source <(").and_then(|rest| rest.split(')').next()).unwrap_or(line);
    line.split_once("| ").filter(|(_, next)| next.starts_with("mere ")).map_or(line, |(_, own)| own)
}

#[test]
fn every_command_has_an_example_that_parses() {
    let mut command = command_line();
    command.build();
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, leaf) in leaves(&command, "mere") {
        let lines = examples(&leaf);
        if lines.is_empty() {
            wrong.push(format!("{name} has no example"));
        }
        // The key of a log or a witness has a checksum, so none can be made up.
        let has_key = |line: &&String| line.contains("+ID+KEY") || line.contains("+…+…");
        for line in lines.iter().filter(|line| !has_key(line)) {
            let words = words(own_part(line));
            let parsed = command_line().try_get_matches_from(words.iter().map(|word| filled(word)));
            wrong.extend(parsed.err().map(|error| format!("{name}: {line}: {error}")));
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 200, "{count}");
}
