//! Normalises one character before words are looked up, following BERT's uncased models.
//!
//! Control characters are dropped; letters are decomposed, lose their accents and are lowercased;
//! punctuation marks and ideographs become words of their own. Characters are processed one at a
//! time, without looking ahead.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::char::decompose_canonical;

/// A normalised character, classified by its role in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalizedChar {
    /// A character inside a word.
    Part(char),
    /// A character that is a word of its own.
    Word(char),
    /// White space, which ends a word.
    Space,
}

/// Calls `take` with each character that `character` normalises to; some normalise to nothing.
pub fn normalize(character: char, take: &mut impl FnMut(NormalizedChar)) {
    if character.is_ascii() {
        if let Some(normalized) = normalize_ascii(character) {
            take(normalized);
        }
        return;
    }
    if character == char::REPLACEMENT_CHARACTER || is_dropped(get_general_category(character)) {
        return;
    }
    if character.is_whitespace() {
        return take(NormalizedChar::Space);
    }
    let alone = is_ideograph(character);
    decompose_canonical(character, |part| {
        if get_general_category(part) != GeneralCategory::NonspacingMark {
            for small in part.to_lowercase() {
                let alone = alone || is_punctuation(small);
                take(if alone { NormalizedChar::Word(small) } else { NormalizedChar::Part(small) });
            }
        }
    });
}

fn normalize_ascii(character: char) -> Option<NormalizedChar> {
    match character {
        '\t' | '\n' | '\r' | ' ' => Some(NormalizedChar::Space),
        _ if character.is_ascii_punctuation() => Some(NormalizedChar::Word(character)),
        _ if character.is_ascii_control() => None,
        _ => Some(NormalizedChar::Part(character.to_ascii_lowercase())),
    }
}

fn is_dropped(category: GeneralCategory) -> bool {
    use GeneralCategory::{Control, Format, PrivateUse, Surrogate, Unassigned};
    matches!(category, Control | Format | PrivateUse | Surrogate | Unassigned)
}

fn is_punctuation(character: char) -> bool {
    use GeneralCategory::{
        ClosePunctuation, ConnectorPunctuation, DashPunctuation, FinalPunctuation,
        InitialPunctuation, OpenPunctuation, OtherPunctuation,
    };
    let category = get_general_category(character);
    character.is_ascii_punctuation()
        || matches!(category, ClosePunctuation | ConnectorPunctuation | DashPunctuation)
        || matches!(category, FinalPunctuation | InitialPunctuation)
        || matches!(category, OpenPunctuation | OtherPunctuation)
}

/// Checks for the blocks that BERT calls Chinese; kana and Hangul are written in words.
fn is_ideograph(character: char) -> bool {
    matches!(
        u32::from(character),
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_B73F
            | 0x2_B740..=0x2_CEAF
            | 0xF900..=0xFAFF
            | 0x2_F800..=0x2_FA1F
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use NormalizedChar::{Part, Space, Word};

    fn check(character: char, expected: &[NormalizedChar]) {
        let mut found = Vec::new();
        normalize(character, &mut |normalized| found.push(normalized));
        assert_eq!(found, expected, "{character:?}");
    }

    #[test]
    fn letters_are_small_and_bare() {
        for (character, small) in [('A', 'a'), ('é', 'e'), ('Å', 'a'), ('İ', 'i'), ('が', 'か')]
        {
            check(character, &[Part(small)]);
        }
        check('ß', &[Part('ß')]);
        check('한', &[Part('\u{1112}'), Part('\u{1161}'), Part('\u{11ab}')]);
        check('\u{301}', &[]);
    }

    #[test]
    fn some_are_words_and_some_are_nothing() {
        for alone in ['!', '$', '~', '«', '—', '、', '東', '\u{20000}'] {
            check(alone, &[Word(alone)]);
        }
        for space in [' ', '\t', '\n', '\r', '\u{a0}', '\u{2028}', '\u{3000}'] {
            check(space, &[Space]);
        }
        for nothing in ['\0', '\u{7}', '\u{200b}', '\u{fffd}', '\u{e000}', '\u{10ffff}'] {
            check(nothing, &[]);
        }
        check('€', &[Part('€')]);
    }
}
