//! A sentence of a reply, kept in parts until the gate has checked each of them.
//!
//! An address inside a plain string cannot be told from a path. Messages therefore carry addresses
//! and content as values of their own types, and only the gate joins the parts.

use std::borrow::Cow;

use super::data::Content;
use super::name::ParsedName;
use crate::address::{Address, Root};

/// A part of a sentence.
#[derive(Clone, Debug)]
pub enum ProsePart {
    /// Our own words. The gate scans them for host paths.
    Words(Cow<'static, str>),
    /// An address, which the gate lets pass.
    Address(Address),
    /// A parsed name, which the gate lets pass.
    Name(ParsedName),
    /// Text from a file or an item. The gate rewrites this session's real roots in it.
    Content(Content),
}

/// Parts in reading order.
#[derive(Clone, Debug, Default)]
pub struct Prose(Vec<ProsePart>);

impl Prose {
    /// Starts a sentence with our own words.
    pub fn words(words: impl Into<Cow<'static, str>>) -> Self {
        Self::default().and(words)
    }

    /// Splits our own words so that each occurrence of these names becomes a part of its own.
    pub fn with_names(words: &str, names: &[ParsedName]) -> Self {
        let mut prose = Self::default();
        let mut rest = words;
        while let Some((before, name, after)) = next_name(rest, names) {
            prose = prose.and(before.to_owned());
            prose.0.push(ProsePart::Name(name));
            rest = after;
        }
        prose.and(rest.to_owned())
    }

    /// Adds our own words.
    #[must_use]
    pub fn and(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(ProsePart::Words(words.into()));
        self
    }

    /// Adds an address.
    #[must_use]
    pub fn address(mut self, address: Address) -> Self {
        self.0.push(ProsePart::Address(address));
        self
    }

    /// Adds a name.
    #[must_use]
    pub fn name(mut self, name: ParsedName) -> Self {
        self.0.push(ProsePart::Name(name));
        self
    }

    /// Adds the address of a root.
    #[must_use]
    pub fn root(self, root: &Root) -> Self {
        self.address(Address::directory(root.clone(), crate::address::RelPath::default()))
    }

    /// Appends the parts of another sentence.
    #[must_use]
    pub fn append(mut self, other: &Self) -> Self {
        self.0.extend(other.0.iter().cloned());
        self
    }

    /// Adds text from a file or an item.
    #[must_use]
    pub fn content(mut self, content: Content) -> Self {
        self.0.push(ProsePart::Content(content));
        self
    }

    /// Renders the sentence for a person: requests to "ask a person" become instructions to the
    /// person. The parts do not pass the gate.
    pub fn render_for_person(&self) -> String {
        let parts = self.0.iter().map(|part| match part {
            ProsePart::Words(words) => words.to_string(),
            ProsePart::Address(address) => address.to_string(),
            ProsePart::Name(name) => name.as_str().to_owned(),
            ProsePart::Content(content) => content.text().to_owned(),
        });
        reword_for_person(&parts.collect::<String>())
    }

    /// Returns the parts.
    pub fn parts(&self) -> &[ProsePart] {
        &self.0
    }
}

impl From<&'static str> for Prose {
    fn from(words: &'static str) -> Self {
        Self::words(words)
    }
}

/// Finds the first word of a text that is one of the names or lies below one, and returns it with
/// the text before and after it.
fn next_name<'a>(text: &'a str, names: &[ParsedName]) -> Option<(&'a str, ParsedName, &'a str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
    let mut start = 0;
    while let Some(at) = text[start..].find(is_part) {
        let begin = start + at;
        let end = text[begin..].find(|c| !is_part(c)).map_or(text.len(), |at| begin + at);
        let word = &text[begin..end];
        if let Some(name) = names.iter().find_map(|name| name.match_word(word)) {
            return Some((&text[..begin], name, &text[end..]));
        }
        start = end;
    }
    None
}

/// Maps the tool names and phrases for agents to what people type instead.
const PERSON_WORDING: [(&str, &str); 14] = [
    ("list_memories", "`mere memory list`"),
    ("update_memory", "`mere memory update`"),
    ("list_stores", "`mere store list`"),
    ("create_category", "`mere category create`"),
    ("set_category_description", "`mere category describe`"),
    ("`include_expired`", "`--include-expired`"),
    ("`expires_at`", "`--expires-at`"),
    ("ask a person to run", "run"),
    ("only a person can grant it", "only you can grant it"),
    ("a person can ", "you can "),
    ("A person can ", "You can "),
    (
        "Pass `parameters` like those in `example`; `input_schema` describes what is valid.",
        "Inputs are passed with `--param`.",
    ),
    ("Leave out `source`", "Leave out `--scope`"),
    ("`search` with `source: registry`", "`mere search --source registry`"),
];

/// Rewords a text that tells an agent what to ask of a person, so that it addresses the person.
pub fn reword_for_person(words: &str) -> String {
    let words = PERSON_WORDING
        .iter()
        .fold(words.to_owned(), |text, (tool, command)| text.replace(tool, command));
    let mut sentences = words.split("Ask a person to ");
    let first = sentences.next().unwrap_or_default().to_owned();
    sentences.fold(first, |text, request| {
        let mut letters = request.chars();
        let capital = letters.next().into_iter().flat_map(char::to_uppercase);
        text + &capital.chain(letters).collect::<String>()
    })
}

#[cfg(test)]
mod tests {
    use super::reword_for_person;

    #[test]
    fn a_person_is_not_told_to_ask_a_person() {
        for (words, expected) in [
            ("Ask a person to run `mere x`.", "Run `mere x`."),
            ("If so, ask a person to run `mere x`.", "If so, run `mere x`."),
            ("A person can set it; a person can show it.", "You can set it; you can show it."),
            ("Run it; only a person can grant it.", "Run it; only you can grant it."),
            (
                "`search` with `source: registry` finds it.",
                "`mere search --source registry` finds it.",
            ),
        ] {
            assert_eq!(reword_for_person(words), expected);
        }
    }
}
