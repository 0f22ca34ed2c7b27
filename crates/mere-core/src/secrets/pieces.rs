//! Finds the pieces of known secrets in other texts, in one pass for all of them.

use std::collections::HashSet;
use std::fmt;

use aho_corasick::{AhoCorasick, MatchKind};

/// Pieces of secrets, which are masked wherever they stand.
pub struct SecretPieces {
    /// `None` if there are no pieces.
    automaton: Option<AhoCorasick>,
}

/// The pieces cannot be searched for, because there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are too many secrets")]
pub struct TooManyPieces;

impl SecretPieces {
    /// Prepares the search for some pieces, none of which is empty.
    pub fn new(pieces: &[String]) -> Result<Self, TooManyPieces> {
        if pieces.is_empty() {
            return Ok(Self { automaton: None });
        }
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(pieces);
        automaton.map(|automaton| Self { automaton: Some(automaton) }).map_err(|_| TooManyPieces)
    }

    /// Replaces every piece in a text, the longest where several begin. Returns the new text and
    /// how many different pieces it contained, or `None` if it contained none.
    pub fn replace(&self, text: &str, stand_in: &str) -> Option<(String, u64)> {
        let automaton = self.automaton.as_ref()?;
        let (mut out, mut done, mut found) = (String::new(), 0, HashSet::new());
        for piece in automaton.find_iter(text) {
            out.push_str(&text[done..piece.start()]);
            out.push_str(stand_in);
            done = piece.end();
            found.insert(piece.pattern());
        }
        out.push_str(&text[done..]);
        (!found.is_empty()).then_some((out, found.len() as u64))
    }
}

impl fmt::Debug for SecretPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretPieces").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_replaced_and_the_longest_wins() {
        let pieces = ["abc", "abcd", "xé"].map(str::to_owned);
        let pieces = SecretPieces::new(&pieces).expect("few pieces");
        for (text, expected) in [
            ("", None),
            ("ab", None),
            ("-abcd-abc-abc-", Some(("-*-*-*-", 2))),
            ("xéabcdabc", Some(("***", 3))),
        ] {
            let found = pieces.replace(text, "*");
            let found = found.as_ref().map(|(text, count)| (text.as_str(), *count));
            assert_eq!(found, expected, "{text}");
        }
        let none = SecretPieces::new(&[]).expect("no pieces");
        assert_eq!(none.replace("abc", "*"), None);
    }
}
