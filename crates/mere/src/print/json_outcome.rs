//! One reply for every command that was asked for JSON, whatever becomes of it.
//!
//! Most commands print the reply of their call. A command that ends before there is one, or that
//! only says something to a person, is answered here, with what it said.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use clap::ArgMatches;
use mere_core::reply::codes;
use serde_json::{Value, json};

use super::operator_reply::operator_reply;
use super::terminal;

/// The flag that asks for JSON.
const FLAG: &str = "json";

/// What was printed so far by a command that was asked for JSON.
struct JsonOutcome {
    command: String,
    has_printed: AtomicBool,
    sentences: Mutex<Vec<String>>,
}

static OUTCOME: OnceLock<JsonOutcome> = OnceLock::new();

/// Remembers that a command was asked for JSON, if it was.
pub(crate) fn begin(matches: &ArgMatches) {
    let (mut words, mut matches) = (Vec::new(), matches);
    while let Some((name, below)) = matches.subcommand() {
        words.push(name);
        matches = below;
    }
    if matches!(matches.try_get_one::<bool>(FLAG), Ok(Some(true))) {
        remember(words.join(" "));
    }
}

/// Does the same for words that are not a command line, whatever is wrong with them.
pub(crate) fn begin_with_words(words: impl Iterator<Item = OsString>) {
    let words = words.take_while(|word| word != "--");
    let mut words = words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let asked = words.iter().any(|word| word == "--json");
    words.retain(|word| !word.starts_with('-'));
    if asked {
        remember(words.into_iter().next().unwrap_or_default());
    }
}

fn remember(command: String) {
    let (has_printed, sentences) = (AtomicBool::new(false), Mutex::default());
    let _ = OUTCOME.set(JsonOutcome { command, has_printed, sentences });
}

/// Notes that something was printed on standard output.
pub(super) fn note_output() {
    if let Some(outcome) = OUTCOME.get() {
        outcome.has_printed.store(true, Ordering::Relaxed);
    }
}

/// Keeps a sentence that was said beside the output.
pub(super) fn note_sentence(words: &str) {
    if let Some(outcome) = OUTCOME.get() {
        let mut sentences = outcome.sentences.lock().unwrap_or_else(PoisonError::into_inner);
        sentences.push(words.to_owned());
    }
}

/// Returns the reply of a command that was asked for JSON and has printed none.
pub(crate) fn missing_reply(code: ExitCode) -> Option<Value> {
    let outcome = OUTCOME.get()?;
    if outcome.has_printed.load(Ordering::Relaxed) {
        return None;
    }
    let sentences = outcome.sentences.lock().unwrap_or_else(PoisonError::into_inner);
    let (last, notes) = sentences.split_last().map_or(("", &[][..]), |(last, notes)| (last, notes));
    let (tool, data) = (outcome.command.as_str(), json!({ "notes": notes }));
    let message = |otherwise: &'static str| if last.is_empty() { otherwise } else { last };
    let is = |status: u8| code == ExitCode::from(status);
    Some(if is(0) {
        operator_reply(codes::COMMAND, tool, message("There was nothing to do."), &data)
    } else if is(terminal::REFUSED) || is(terminal::USAGE) {
        operator_reply(codes::COMMAND_REFUSED, tool, message("Nothing was done."), &data)
    } else {
        operator_reply(codes::COMMAND_FAILED, tool, message("The command failed."), &data)
    })
}
