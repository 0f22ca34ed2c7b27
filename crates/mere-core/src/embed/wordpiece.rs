//! From a text to the tokens of an uncased BERT.
//!
//! The text is read once, a character at a time; of each word at most [`LONGEST_WORD`] characters
//! are kept, so neither time nor memory can be made to grow by what the text says. What looks like
//! a special token (`[CLS]`) is text like any other.

use std::ops::ControlFlow;

use super::letters::{Letter, letters};
use super::vocabulary::{Place, Token, Vocabulary};

/// A word of more characters is unknown.
pub const LONGEST_WORD: usize = 100;

/// The first tokens of a text, at most `limit`.
pub fn tokens(vocabulary: &Vocabulary, text: &str, limit: usize) -> Vec<Token> {
    let mut found = Vec::new();
    each_token(vocabulary, text, limit, |token| found.push(token));
    found
}

/// Calls `take` with each of the first tokens of a text, at most `limit`.
pub fn each_token(vocabulary: &Vocabulary, text: &str, limit: usize, take: impl FnMut(Token)) {
    let word = String::with_capacity(LONGEST_WORD * 4);
    let mut reader = Reader { vocabulary, word, length: 0, left: limit, take };
    for character in text.chars() {
        if reader.left == 0 {
            return;
        }
        letters(character, &mut |letter| reader.add(letter));
    }
    reader.end_word();
}

struct Reader<'a, T> {
    vocabulary: &'a Vocabulary,
    word: String,
    /// How many characters the word has, which may be more than are kept.
    length: usize,
    left: usize,
    take: T,
}

impl<T: FnMut(Token)> Reader<'_, T> {
    fn add(&mut self, letter: Letter) {
        match letter {
            Letter::Space => self.end_word(),
            Letter::Part(character) => self.push(character),
            Letter::Alone(character) => {
                self.end_word();
                self.push(character);
                self.end_word();
            }
        }
    }

    fn push(&mut self, character: char) {
        self.length = self.length.saturating_add(1);
        if self.length <= LONGEST_WORD {
            self.word.push(character);
        }
    }

    fn end_word(&mut self) {
        if self.length == 0 {
            return;
        }
        let mut pieces = [0; LONGEST_WORD];
        let count = if self.length > LONGEST_WORD { None } else { self.spell(&mut pieces) };
        let pieces = match count {
            Some(count) => &pieces[..count],
            None => &[self.vocabulary.unknown()],
        };
        for piece in pieces.iter().take(self.left) {
            (self.take)(*piece);
        }
        self.left = self.left.saturating_sub(pieces.len());
        self.length = 0;
        self.word.clear();
    }

    /// Spells the word with the longest tokens that fit, from left to right, and says how many.
    fn spell(&self, pieces: &mut [Token; LONGEST_WORD]) -> Option<usize> {
        let (mut rest, mut place) = (self.word.as_str(), Place::Beginning);
        let spelled = pieces.iter_mut().try_fold(0, |count, piece| {
            if rest.is_empty() {
                return ControlFlow::Break(Some(count));
            }
            let Some((token, length)) = self.vocabulary.longest(rest, place) else {
                return ControlFlow::Break(None);
            };
            *piece = token;
            (rest, place) = (&rest[length..], Place::Continuing);
            ControlFlow::Continue(count + 1)
        });
        match spelled {
            ControlFlow::Break(spelled) => spelled,
            ControlFlow::Continue(count) => Some(count),
        }
    }
}
