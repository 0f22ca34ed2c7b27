//! Excerpts: the part of a text that best shows why it was found, with the matching words marked.

use std::collections::HashSet;
use std::ops::Range;

use super::stem::stem;
use super::token::for_each_token;

/// Stands before and after a word that matched.
pub const HIGHLIGHT_MARK: &str = "**";
/// The approximate length of an excerpt in bytes.
const EXCERPT_BYTES: usize = 240;
/// The amount of a text that is searched for matches, in bytes.
const MAX_SEARCHED_BYTES: usize = 256 * 1024;
/// The most matches that are considered.
const MAX_MATCHES: usize = 2000;

/// The words that are marked in an excerpt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlight {
    /// Words with these stems are marked.
    pub stems: Vec<String>,
    /// Words with these prefixes are marked.
    pub prefixes: Vec<String>,
}

/// Returns the excerpt with the most marked words, or the beginning of the text if nothing matches.
pub fn excerpt(text: &str, highlight: &Highlight) -> String {
    let text = &text[..floor_char_boundary(text, MAX_SEARCHED_BYTES)];
    let matches = find_matches(text, highlight);
    let window = choose_window(text, &matches);
    let mut out = String::with_capacity(window.len() + 16);
    if !text[..window.start].trim().is_empty() {
        out.push('…');
    }
    let mut done = window.start;
    for (range, _) in matches.iter().filter(|(range, _)| range.start >= window.start) {
        if range.end > window.end || range.start < done {
            continue;
        }
        push_collapsed(&mut out, &text[done..range.start]);
        out.push_str(HIGHLIGHT_MARK);
        out.push_str(&text[range.clone()]);
        out.push_str(HIGHLIGHT_MARK);
        done = range.end;
    }
    push_collapsed(&mut out, &text[done..window.end]);
    if window.end < text.trim_end().len() {
        out.push('…');
    }
    out
}

/// Finds the words that match, each with the index of the stem or prefix that it matches.
fn find_matches(text: &str, highlight: &Highlight) -> Vec<(Range<usize>, usize)> {
    let Highlight { stems, prefixes } = highlight;
    let mut found = Vec::new();
    if stems.is_empty() && prefixes.is_empty() {
        return found;
    }
    let mut word = String::new();
    for_each_token(text, |token| {
        if found.len() >= MAX_MATCHES {
            return;
        }
        // A word begins with the same letter as its stem, so most words need no further check.
        let begins = |wanted: &String| wanted.chars().next() == token.text.chars().next();
        if !stems.iter().chain(prefixes).any(begins) {
            return;
        }
        word.clear();
        word.push_str(token.text);
        stem(&mut word);
        let which = stems.iter().position(|wanted| *wanted == word);
        let which = which.or_else(|| {
            let prefix = prefixes.iter().position(|prefix| token.text.starts_with(prefix.as_str()));
            prefix.map(|at| stems.len() + at)
        });
        found.extend(which.map(|which| (token.range.clone(), which)));
    });
    found
}

/// Chooses the window with the most different matches, and the first of several.
fn choose_window(text: &str, matches: &[(Range<usize>, usize)]) -> Range<usize> {
    let beginning = text.len() - text.trim_start().len();
    let start = match best_window_start(matches).map(|at| at.saturating_sub(EXCERPT_BYTES / 4)) {
        Some(at) if at > beginning => word_start(text, at),
        _ => beginning,
    };
    let end = start.saturating_add(EXCERPT_BYTES).min(text.len());
    let end = if end == text.len() { end } else { word_end(text, start, end) };
    let cut = text[start..end].trim_end().len();
    start..start + cut
}

/// Returns the offset of the first match in the best window.
fn best_window_start(matches: &[(Range<usize>, usize)]) -> Option<usize> {
    let mut best = None;
    let mut most = 0;
    for (at, (first, _)) in matches.iter().enumerate() {
        let within = matches[at..]
            .iter()
            .take_while(|(range, _)| range.end <= first.start + EXCERPT_BYTES * 3 / 4);
        let different = within.take(64).map(|(_, which)| which).collect::<HashSet<_>>().len();
        if different > most {
            (most, best) = (different, Some(first.start));
        }
    }
    best
}

fn floor_char_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Finds the beginning of a word at or after an offset.
fn word_start(text: &str, at: usize) -> usize {
    let at = floor_char_boundary(text, at);
    let space = text[at..].char_indices().take(40).find(|(_, c)| c.is_whitespace());
    space.map_or(at, |(offset, space)| at + offset + space.len_utf8())
}

/// Finds the end of a word at or before an offset.
fn word_end(text: &str, start: usize, at: usize) -> usize {
    let at = floor_char_boundary(text, at).max(start);
    let space = text[start..at].char_indices().rev().take(40).find(|(_, c)| c.is_whitespace());
    space.map_or(at, |(offset, _)| start + offset).max(start)
}

/// Appends text with each run of white space replaced by one space, because an excerpt is one
/// line. The text's own highlight marks are dropped, so that only ours show what matched.
fn push_collapsed(out: &mut String, text: &str) {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '*' && characters.next_if_eq(&'*').is_some() {
            while characters.next_if_eq(&'*').is_some() {}
        } else if character.is_whitespace() || character.is_control() {
            if !out.ends_with(' ') && !out.is_empty() {
                out.push(' ');
            }
        } else {
            out.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(stems: &str) -> Highlight {
        let words = stems.split(' ').map(str::to_owned);
        let (prefixes, stems) = words.partition(|word| word.ends_with('*'));
        let prefixes: Vec<String> = prefixes;
        let prefixes = prefixes.iter().map(|word| word.trim_end_matches('*').to_owned());
        Highlight { stems, prefixes: prefixes.collect() }
    }

    fn check(text: &str, stems: &str, expected: &str) {
        assert_eq!(excerpt(text, &marks(stems)), expected);
    }

    #[test]
    fn the_words_that_match_are_marked() {
        check("Use jittered retries.\n\nAlways.", "retri", "Use jittered **retries**. Always.");
        check("Databases", "data*", "**Databases**");
        check("nothing here", "else", "nothing here");
        check("The end.\n\n", "end", "The **end**.");
        check("", "x", "");
        check("Naïve café", "cafe", "Naïve **café**");
        check("callParseJson now", "json", "callParse**Json** now");
    }

    #[test]
    fn a_long_text_is_cut_around_the_best_match() {
        let text = format!("{}needle in the hay {}", "straw ".repeat(300), "more ".repeat(300));
        let found = excerpt(&text, &marks("needl hai"));
        assert!(found.starts_with('…') && found.ends_with('…'), "{found}");
        assert!(found.contains("**needle** in the **hay**"), "{found}");
        assert!(found.len() < EXCERPT_BYTES + 40, "{}", found.len());
        let hostile = "é".repeat(300_000);
        assert!(excerpt(&hostile, &marks("x")).len() <= EXCERPT_BYTES + 8);
    }
}
