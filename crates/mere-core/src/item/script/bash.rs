//! Reads a Bash script: the metadata that it assigns, one to a line. Bash has no functions that
//! take parameters by name.

use serde_json::Value;

use super::metadata::{NotLiteral, ScriptFacts, is_metadata};

/// Reads what a script says about itself.
pub(super) fn read_facts(text: &str) -> ScriptFacts {
    let assigned = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=').filter(|(name, _)| is_metadata(name))?;
        Some((name.to_owned(), parse_word(value.trim_end()).map(Value::String).ok_or(NotLiteral)))
    });
    let assigned = assigned.collect();
    ScriptFacts { assigned, runs_itself: true, is_complete: true, ..ScriptFacts::default() }
}

/// Parses one word without anything that Bash would replace.
fn parse_word(text: &str) -> Option<String> {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    let is_plain = |word: &&str| !word.contains(['$', '`', '\\', '"', '\'']);
    let bare = Some(text).filter(|word| !word.contains([' ', '\t', ';', '&', '|', '<', '>', '(']));
    quoted('"').or(quoted('\'')).or(bare).filter(is_plain).map(str::to_owned)
}
