//! The `WordPiece` tokenizer of an uncased BERT.
//!
//! The text is read once, one character at a time, and at most [`MAX_WORD_CHARS`] characters of a
//! word are kept, so a hostile text cannot make time or memory grow. Text that looks like a
//! special token (`[CLS]`) is treated as any other text.

use std::ops::ControlFlow;

use super::normalization::{NormalizedChar, normalize};
use super::vocabulary::{TokenId, Vocabulary, WordPosition};

/// The longest word in characters; a longer one becomes the unknown token.
pub const MAX_WORD_CHARS: usize = 100;

/// Returns the first tokens of a text, at most `limit`.
pub fn tokenize(vocabulary: &Vocabulary, text: &str, limit: usize) -> Vec<TokenId> {
    let mut found = Vec::new();
    for_each_token(vocabulary, text, limit, |token| found.push(token));
    found
}

/// Calls `take` with each of the first tokens of a text, at most `limit`.
pub fn for_each_token(
    vocabulary: &Vocabulary,
    text: &str,
    limit: usize,
    take: impl FnMut(TokenId),
) {
    let word = String::with_capacity(MAX_WORD_CHARS * 4);
    let mut reader = Tokenizer { vocabulary, word, word_length: 0, remaining: limit, emit: take };
    for character in text.chars() {
        if reader.remaining == 0 {
            return;
        }
        normalize(character, &mut |normalized| reader.add_char(normalized));
    }
    reader.end_word();
}

struct Tokenizer<'a, T> {
    vocabulary: &'a Vocabulary,
    word: String,
    /// The number of characters of the word, which may be more than `word` keeps.
    word_length: usize,
    remaining: usize,
    emit: T,
}

impl<T: FnMut(TokenId)> Tokenizer<'_, T> {
    fn add_char(&mut self, normalized: NormalizedChar) {
        match normalized {
            NormalizedChar::Space => self.end_word(),
            NormalizedChar::Part(character) => self.push_to_word(character),
            NormalizedChar::Word(character) => {
                self.end_word();
                self.push_to_word(character);
                self.end_word();
            }
        }
    }

    fn push_to_word(&mut self, character: char) {
        self.word_length = self.word_length.saturating_add(1);
        if self.word_length <= MAX_WORD_CHARS {
            self.word.push(character);
        }
    }

    fn end_word(&mut self) {
        if self.word_length == 0 {
            return;
        }
        let mut pieces = [0; MAX_WORD_CHARS];
        let count =
            if self.word_length > MAX_WORD_CHARS { None } else { self.split_word(&mut pieces) };
        let pieces = match count {
            Some(count) => &pieces[..count],
            None => &[self.vocabulary.unknown_token()],
        };
        for piece in pieces.iter().take(self.remaining) {
            (self.emit)(*piece);
        }
        self.remaining = self.remaining.saturating_sub(pieces.len());
        self.word_length = 0;
        self.word.clear();
    }

    /// Splits the word greedily into the longest tokens, from left to right, and returns their
    /// number, or `None` if some part matches no token.
    fn split_word(&self, pieces: &mut [TokenId; MAX_WORD_CHARS]) -> Option<usize> {
        let (mut rest, mut place) = (self.word.as_str(), WordPosition::Beginning);
        let spelled = pieces.iter_mut().try_fold(0, |count, piece| {
            if rest.is_empty() {
                return ControlFlow::Break(Some(count));
            }
            let Some((token, length)) = self.vocabulary.find_longest_prefix(rest, place) else {
                return ControlFlow::Break(None);
            };
            *piece = token;
            (rest, place) = (&rest[length..], WordPosition::Continuing);
            ControlFlow::Continue(count + 1)
        });
        match spelled {
            ControlFlow::Break(spelled) => spelled,
            ControlFlow::Continue(count) => Some(count),
        }
    }
}
