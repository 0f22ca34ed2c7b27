//! What is said beside the parser's words about a wrong command line: what was probably meant, and
//! how the command is used.

use std::error::Error;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use mere_core::item::{ItemType, ItemTypeError};

/// The largest number of suggestions.
const MAX_SUGGESTIONS: usize = 3;
/// The largest number of letters that may differ; of a short word, half of them. Two swapped
/// letters count as one.
const MAX_EDITS: usize = 2;
/// The largest number of examples.
const MAX_EXAMPLES: usize = 2;

/// Adds to an error what was probably meant, and returns the lines that are printed after it.
pub(crate) fn advise(
    error: &mut clap::Error,
    whole: &Command,
    words: impl Iterator<Item = String>,
) -> Option<String> {
    let (path, command) = find_command(whole, words);
    suggest_commands(error, command);
    suggest_type(error);
    if error.get(ContextKind::SuggestedSubcommand).is_some() {
        return None;
    }
    let examples = command.get_after_help()?.to_string();
    let (_, examples) = examples.split_once("Examples:\n").or(examples.split_once("Example:\n"))?;
    let start = format!("  {path}");
    let lines = examples.lines().take_while(|line| !line.is_empty());
    let lines = lines.filter(|line| line.starts_with(&start)).take(MAX_EXAMPLES);
    let lines = lines.collect::<Vec<_>>().join("\n");
    (!lines.is_empty()).then(|| format!("\nFor example:\n{lines}\n"))
}

/// Returns the command that the words name, as far as they name one, with its path.
fn find_command(mut command: &Command, words: impl Iterator<Item = String>) -> (String, &Command) {
    let mut path = command.get_name().to_owned();
    for word in words.take_while(|word| word != "--") {
        if let Some(below) = command.find_subcommand(&word) {
            path = format!("{path} {}", below.get_name());
            command = below;
        }
    }
    (path, command)
}

/// Suggests the commands nearest to one that does not exist, the best first.
fn suggest_commands(error: &mut clap::Error, command: &Command) {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
    let near = find_nearest(given, visible.map(Command::get_name));
    if near.is_empty() {
        error.remove(ContextKind::SuggestedSubcommand);
    } else {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(near));
    }
}

/// Suggests a type of item where a word is none. A word that is near none is probably a name.
fn suggest_type(error: &mut clap::Error) {
    let is_type = error.source().is_some_and(<dyn Error>::is::<ItemTypeError>);
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidValue) else { return };
    if !is_type {
        return;
    }
    let near = find_nearest(given, ItemType::WORDS.into_iter().map(|(word, _)| word));
    if near.is_empty() {
        let tip = "the type comes before the name; `mere list` shows both";
        let tip = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
        error.insert(ContextKind::Suggested, tip);
    } else {
        error.insert(ContextKind::SuggestedValue, ContextValue::Strings(near));
    }
}

/// Returns the names that differ little from a word, the nearest first.
fn find_nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let most = MAX_EDITS.min(word.len() / 2);
    let distance = |name: &'a str| (strsim::damerau_levenshtein(word, name), name);
    let mut near = names.map(distance).filter(|(far, _)| *far <= most).collect::<Vec<_>>();
    near.sort_unstable();
    near.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}
