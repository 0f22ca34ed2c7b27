//! Shortens a text to a number of characters.
//!
//! Whoever shortens a text for an agent passes it through the gate first: half a path or half a
//! secret would not be recognised any more.

use std::borrow::Cow;

/// What stands for the part that was cut.
const ELLIPSIS: char = '…';

/// Cuts a text that has more than `most` characters, and marks the cut.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    // No text has more characters than bytes.
    let end = if text.len() <= most { None } else { text.char_indices().nth(most) };
    match end {
        None => Cow::Borrowed(text),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain([ELLIPSIS]).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn a_text_is_cut_between_characters() {
        for (text, most, expected) in [
            ("", 3, ""),
            ("abc", 3, "abc"),
            ("abcd", 3, "ab…"),
            ("äöü", 3, "äöü"),
            ("äöüß", 3, "äö…"),
        ] {
            assert_eq!(shorten(text, most), expected);
        }
    }
}
