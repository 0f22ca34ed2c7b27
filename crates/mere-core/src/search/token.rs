//! The tokenizer of text search: lowercase words without accents, each with its position.
//!
//! A word is a run of letters and digits. `parseJson` gives that word and its parts as well; in
//! scripts that are written without spaces every character is a word. Very long words are cut.

use std::ops::Range;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// The most bytes of a word that are kept.
const MAX_WORD_BYTES: usize = 64;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The folded word.
    pub text: &'a str,
    /// The bytes of the word in the text.
    pub range: Range<usize>,
    /// The number of words before it.
    pub position: u32,
    /// Is set for a part of the word at this position, such as `json` in `parseJson`.
    pub is_subword: bool,
}

/// Calls `each` with every word of a text, in order.
pub fn for_each_token(text: &str, mut each: impl FnMut(&Token<'_>)) {
    let mut writer = TokenEmitter {
        emit: &mut each,
        folded: String::new(),
        subword_starts: Vec::new(),
        position: 0,
    };
    let mut start = None;
    for (at, character) in text.char_indices() {
        let kind = CharRole::from_char(character);
        match (start, kind) {
            (None, CharRole::Letter) => start = Some(at),
            (Some(from), CharRole::Break | CharRole::Word) => {
                writer.emit_word(text, from..at);
                start = None;
            }
            _ => {}
        }
        if kind == CharRole::Word {
            writer.emit_word(text, at..at + character.len_utf8());
        }
    }
    if let Some(from) = start {
        writer.emit_word(text, from..text.len());
    }
}

/// Lowercases a text and removes its accents.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        fold_into(&mut folded, character);
    }
    folded
}

/// The role of a character in forming words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharRole {
    /// It is part of a word.
    Letter,
    /// It ends a word, and is not one itself.
    Break,
    /// It is a word by itself.
    Word,
    /// It is ignored within a word: `don't` becomes `dont`.
    Ignored,
}

impl CharRole {
    fn from_char(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Self::Letter,
            '\'' | '\u{2019}' | '\u{ad}' => Self::Ignored,
            _ if character.is_ascii() => Self::Break,
            _ if is_unspaced_script(character) => Self::Word,
            _ if character.is_alphanumeric() || is_combining_mark(character) => Self::Letter,
            _ => Self::Break,
        }
    }
}

/// Checks for a script written without spaces: kana, ideographs, Thai, Lao, Khmer, Burmese.
fn is_unspaced_script(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn fold_into(folded: &mut String, character: char) {
    if character.is_ascii() {
        folded.push(character.to_ascii_lowercase());
        return;
    }
    for small in character.to_lowercase() {
        decompose_canonical(small, |part| {
            if !is_combining_mark(part) {
                folded.push(part);
            }
        });
    }
}

struct TokenEmitter<'a> {
    emit: &'a mut dyn FnMut(&Token<'_>),
    folded: String,
    /// Where the parts of a word begin, in bytes of the text and of the folded word.
    subword_starts: Vec<(usize, usize)>,
    position: u32,
}

impl TokenEmitter<'_> {
    fn emit_word(&mut self, text: &str, range: Range<usize>) {
        self.folded.clear();
        self.subword_starts.clear();
        let mut before = ' ';
        for (at, character) in text[range.clone()].char_indices() {
            if CharRole::from_char(character) == CharRole::Ignored {
                continue;
            }
            if character.is_uppercase() && before.is_lowercase() {
                self.subword_starts.push((range.start + at, self.folded.len()));
            }
            fold_into(&mut self.folded, character);
            before = character;
            if self.folded.len() >= MAX_WORD_BYTES {
                break;
            }
        }
        let mut end = self.folded.len().min(MAX_WORD_BYTES);
        while !self.folded.is_char_boundary(end) {
            end -= 1;
        }
        if end == 0 {
            return;
        }
        let (position, text) = (self.position, &self.folded[..end]);
        (self.emit)(&Token { text, range: range.clone(), position, is_subword: false });
        self.position = self.position.saturating_add(1);
        if self.subword_starts.is_empty() {
            return;
        }
        let mut start = (range.start, 0);
        for next in self.subword_starts.iter().copied().chain([(range.end, end)]) {
            let Some(text) = self.folded.get(start.1..next.1.min(end)) else { break };
            if text.len() > 1 {
                (self.emit)(&Token { text, range: start.0..next.0, position, is_subword: true });
            }
            start = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str, u32)]) {
        let mut found = Vec::new();
        for_each_token(text, |token| {
            found.push((token.text.to_owned(), &text[token.range.clone()], token.position));
        });
        let found = found.iter().map(|(word, raw, at)| (word.as_str(), *raw, *at));
        assert_eq!(found.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_text_is_its_words() {
        check("Retry, back-off!", &[("retry", "Retry", 0), ("back", "back", 1), ("off", "off", 2)]);
        check("don't Café", &[("dont", "don't", 0), ("cafe", "Café", 1)]);
        check(
            "parseJson v2",
            &[
                ("parsejson", "parseJson", 0),
                ("parse", "parse", 0),
                ("json", "Json", 0),
                ("v2", "v2", 1),
            ],
        );
        check("検索 a", &[("検", "検", 0), ("索", "索", 1), ("a", "a", 2)]);
        check("", &[]);
        check("\0\u{7}-- ''", &[]);
        check("ÅNGSTRÖM", &[("angstrom", "ÅNGSTRÖM", 0)]);
    }

    #[test]
    fn a_word_that_is_too_long_is_cut() {
        let mut found = Vec::new();
        for_each_token(&"é".repeat(100_000), |token| found.push(token.text.len()));
        assert_eq!(found, [MAX_WORD_BYTES]);
        for_each_token(&"aB".repeat(100_000), |token| assert!(token.text.len() <= MAX_WORD_BYTES));
    }
}
