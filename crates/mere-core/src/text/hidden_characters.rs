//! Characters in a text that nobody sees, which can make it read otherwise than it looks.
//!
//! Those that writing needs, in their places, are not counted: the rule is that of names (see
//! [`crate::address`]), and texts have a little more of them, such as a byte order mark.

use std::fmt;

use crate::address::{is_invisible, is_joined, is_pictograph};

/// The number of hidden characters in texts, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenCharacters {
    bidirectional: u64,
    zero_width: u64,
    tags: u64,
    others: u64,
}

/// The text style of an emoji.
const TEXT_STYLE: char = '\u{fe0e}';
/// The flags of parts of a country are a black flag, tags and an end.
const TAGGED_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
const BLACK_FLAG: char = '\u{1f3f4}';
const END_OF_TAGS: char = '\u{e007f}';

impl HiddenCharacters {
    /// Counts the hidden characters of a text.
    pub fn count(text: &str) -> Self {
        let mut found = Self::default();
        if text.is_ascii() {
            return found;
        }
        let mut flag_end = 0;
        for (at, c) in text.char_indices() {
            if c == BLACK_FLAG {
                flag_end = tagged_flag_end(text, at + c.len_utf8());
            }
            if c.is_ascii() || at < flag_end || !is_hidden(c) || is_needed(text, at, c) {
                continue;
            }
            *found.kind_of(c) += 1;
        }
        found
    }

    /// Adds what another text has.
    pub fn add(&mut self, other: Self) {
        self.bidirectional += other.bidirectional;
        self.zero_width += other.zero_width;
        self.tags += other.tags;
        self.others += other.others;
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn kind_of(&mut self, c: char) -> &mut u64 {
        match c {
            '\u{61c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => &mut self.bidirectional,
            '\u{ad}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{2065}'
            | '\u{feff}' => &mut self.zero_width,
            '\u{e0000}'..='\u{e007f}' => &mut self.tags,
            _ => &mut self.others,
        }
    }
}

impl fmt::Display for HiddenCharacters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.bidirectional, "bidirectional control"),
            (self.zero_width, "zero-width character"),
            (self.tags, "tag character"),
            (self.others, "other invisible character"),
        ];
        let counts = kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| {
            let plural = if *count == 1 { "" } else { "s" };
            format!("{count} {kind}{plural}")
        });
        write!(f, "{}", counts.collect::<Vec<_>>().join(", "))
    }
}

/// Checks for a character that nobody sees, or that only changes how others are shown.
fn is_hidden(c: char) -> bool {
    is_invisible(c)
        || matches!(
            c,
            '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{2028}'..='\u{2029}' | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
        )
}

/// Checks whether a hidden character is in a place where writing needs it.
fn is_needed(text: &str, at: usize, c: char) -> bool {
    let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
    let (previous, next) = (before.chars().next_back(), after.chars().next());
    let is_between = |is_letter: fn(char) -> bool| {
        previous.is_some_and(is_letter) && next.is_some_and(is_letter)
    };
    match c {
        '\u{feff}' => at == 0,
        TEXT_STYLE => previous.is_some_and(is_pictograph),
        '\u{180b}'..='\u{180f}' => previous.is_some_and(is_mongolian),
        '\u{200b}'..='\u{200d}' if is_between(is_of_unspaced_script) => true,
        c => is_joined(before, c, after),
    }
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

/// Checks for scripts that mark the ends of words invisibly: Thai, Lao, Tibetan, Burmese, Khmer.
fn is_of_unspaced_script(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}')
}

/// Returns the end of the tags of a flag, or 0 if there are none that belong to one.
fn tagged_flag_end(text: &str, from: usize) -> usize {
    let is_tag = |c: &char| matches!(c, '\u{e0020}'..='\u{e007e}');
    let letters = text[from..].chars().take_while(is_tag).take(5);
    let name = letters.filter_map(|c| char::from_u32(u32::from(c) - 0xe0000)).collect::<String>();
    let end = from + name.len() * END_OF_TAGS.len_utf8();
    let is_flag = TAGGED_FLAGS.contains(&name.as_str()) && text[end..].starts_with(END_OF_TAGS);
    if is_flag { end + END_OF_TAGS.len_utf8() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_counted_by_kind() {
        for (text, expected) in [
            ("plain", ""),
            ("a\u{202e}b\u{2066}c\u{200f}", "3 bidirectional controls"),
            ("a\u{200b}b", "1 zero-width character"),
            ("a\u{feff}b\u{200d}c\u{ad}", "3 zero-width characters"),
            ("a\u{e0041}\u{e0042}", "2 tag characters"),
            ("a\u{fe01}\u{e0101}\u{3164}", "3 other invisible characters"),
            ("a\u{202e}\u{200b}", "1 bidirectional control, 1 zero-width character"),
            ("🏴\u{e0041}\u{e007f}", "2 tag characters"),
        ] {
            assert_eq!(HiddenCharacters::count(text).to_string(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_writing_needs_is_no_alarm() {
        for text in [
            "\u{feff}text with a mark",
            "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} ❤\u{fe0e} 1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم ශ්\u{200d}රී Donau\u{ad}dampf 葛\u{e0100}城",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "“quotes” — … 日本語、 ភាសា\u{200b}ខ្មែរ ᠮᠣᠩ\u{180b}",
        ] {
            assert!(HiddenCharacters::count(text).is_empty(), "{text}");
        }
    }
}
