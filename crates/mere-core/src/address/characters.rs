//! Which characters a name may have, and which it may have only in their place.
//!
//! A character that nobody can see could make two names look alike, or hide a part of one. Some
//! are needed all the same to write what people write: a family emoji, Persian, Sinhala, a Japanese
//! personal name, a long word that may be broken. Each of these is accepted where it has that
//! effect, and nowhere else.

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory, get_general_category};

const SOFT_HYPHEN: char = '\u{ad}';
const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';
const EMOJI_STYLE: char = '\u{fe0f}';

/// Reports whether a character may occur anywhere in an address: it is assigned, not a control
/// character, not a backslash, and does not change invisibly how the text around it is read.
pub fn is_address_character(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control() && c != '\\';
    }
    !c.is_control()
        && !matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fdd0}'..='\u{fdef}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
        && get_general_category(c) != GeneralCategory::Unassigned
}

/// Reports whether a text has only characters that an address may have, each in its place.
pub fn has_address_characters(text: &str) -> bool {
    text.char_indices().all(|(at, c)| {
        is_address_character(c) || is_joined(&text[..at], c, &text[at + c.len_utf8()..])
    })
}

/// Reports whether an invisible character is in a place where it is needed, between what stands
/// before and after it: inside an emoji sequence, between letters of a script that needs joiners,
/// after an ideograph, or inside a word.
pub fn is_joined(before: &str, c: char, after: &str) -> bool {
    let (Some(previous), next) = (before.chars().next_back(), after.chars().next()) else {
        return false;
    };
    match c {
        EMOJI_STYLE => {
            let is_keycap = matches!(previous, '0'..='9' | '#' | '*') && next == Some(KEYCAP);
            is_pictograph(previous) || is_keycap
        }
        ZERO_WIDTH_JOINER if ends_in_emoji(before) => next.is_some_and(is_pictograph),
        ZERO_WIDTH_JOINER | ZERO_WIDTH_NON_JOINER => {
            let script = joining_script(previous);
            script.is_some() && script == next.and_then(joining_script)
        }
        SOFT_HYPHEN => is_of_a_word(previous) && next.is_some_and(is_of_a_word),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(previous),
        _ => false,
    }
}

/// Returns a name without the invisible characters that it may have. Two names with one visible
/// form look alike.
pub fn visible_form(name: &str) -> Cow<'_, str> {
    let is_invisible = |c: char| {
        matches!(c, SOFT_HYPHEN | ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER | EMOJI_STYLE)
            || matches!(c, '\u{e0100}'..='\u{e01ef}')
    };
    if name.is_ascii() || !name.contains(is_invisible) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.replace(is_invisible, ""))
}

/// Reports whether a text ends in an emoji: with its skin tone, and with its style.
fn ends_in_emoji(text: &str) -> bool {
    let text = text.strip_suffix(EMOJI_STYLE).unwrap_or(text);
    let text = text.strip_suffix(|c| matches!(c, '\u{1f3fb}'..='\u{1f3ff}')).unwrap_or(text);
    text.chars().next_back().is_some_and(is_pictograph)
}

/// Reports whether a character is part of a word.
fn is_of_a_word(c: char) -> bool {
    use GeneralCategory as Category;
    c.is_alphabetic()
        || matches!(
            get_general_category(c),
            Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark
        )
}

/// Returns the script of a letter or mark, if that script uses joiners.
fn joining_script(c: char) -> Option<JoiningScript> {
    let script = match c {
        '\u{600}'..='\u{6ff}'
        | '\u{750}'..='\u{77f}'
        | '\u{870}'..='\u{8ff}'
        | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' => JoiningScript::Arabic,
        '\u{700}'..='\u{74f}' | '\u{860}'..='\u{86f}' => JoiningScript::Syriac,
        '\u{7c0}'..='\u{7ff}' => JoiningScript::Nko,
        '\u{900}'..='\u{97f}' | '\u{1cd0}'..='\u{1cff}' | '\u{a8e0}'..='\u{a8ff}' => {
            JoiningScript::Indic(0)
        }
        // The blocks from Bengali to Sinhala have 128 characters each.
        '\u{980}'..='\u{dff}' => JoiningScript::Indic((u32::from(c) - 0x900) / 0x80),
        _ => return None,
    };
    is_of_a_word(c).then_some(script)
}

/// A script whose letters are joined or kept apart by invisible characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JoiningScript {
    Arabic,
    Syriac,
    Nko,
    /// A script of India or Sri Lanka, by its block.
    Indic(u32),
}

/// Reports whether a character is a Chinese, Japanese or Korean ideograph.
fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Reports whether a character has the property `Extended_Pictographic` of Unicode's emoji data.
#[rustfmt::skip]
pub fn is_pictograph(c: char) -> bool {
    matches!(
        c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
            | '\u{2194}'..='\u{2199}' | '\u{21a9}'..='\u{21aa}' | '\u{231a}'..='\u{231b}'
            | '\u{2328}' | '\u{2388}' | '\u{23cf}' | '\u{23e9}'..='\u{23f3}'
            | '\u{23f8}'..='\u{23fa}' | '\u{24c2}' | '\u{25aa}'..='\u{25ab}' | '\u{25b6}'
            | '\u{25c0}' | '\u{25fb}'..='\u{25fe}' | '\u{2600}'..='\u{2605}'
            | '\u{2607}'..='\u{2612}' | '\u{2614}'..='\u{2685}' | '\u{2690}'..='\u{2705}'
            | '\u{2708}'..='\u{2712}' | '\u{2714}' | '\u{2716}' | '\u{271d}' | '\u{2721}'
            | '\u{2728}' | '\u{2733}'..='\u{2734}' | '\u{2744}' | '\u{2747}' | '\u{274c}'
            | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2767}'
            | '\u{2795}'..='\u{2797}' | '\u{27a1}' | '\u{27b0}' | '\u{27bf}'
            | '\u{2934}'..='\u{2935}' | '\u{2b05}'..='\u{2b07}' | '\u{2b1b}'..='\u{2b1c}'
            | '\u{2b50}' | '\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
            | '\u{1f000}'..='\u{1f0ff}' | '\u{1f10d}'..='\u{1f10f}' | '\u{1f12f}'
            | '\u{1f16c}'..='\u{1f171}' | '\u{1f17e}'..='\u{1f17f}' | '\u{1f18e}'
            | '\u{1f191}'..='\u{1f19a}' | '\u{1f201}'..='\u{1f20f}' | '\u{1f21a}' | '\u{1f22f}'
            | '\u{1f232}'..='\u{1f23a}' | '\u{1f23c}'..='\u{1f23f}' | '\u{1f249}'..='\u{1f3fa}'
            | '\u{1f400}'..='\u{1f53d}' | '\u{1f546}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6ff}'
            | '\u{1f774}'..='\u{1f77f}' | '\u{1f7d5}'..='\u{1f7ff}' | '\u{1f90c}'..='\u{1f93a}'
            | '\u{1f93c}'..='\u{1f945}' | '\u{1f947}'..='\u{1faff}'
    )
}

/// Reports whether a character is invisible on a screen, so that a text with it is not what it
/// looks like.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_people_use_are_accepted() {
        for name in [
            "❤\u{fe0f}.md",
            "1\u{fe0f}\u{20e3}",
            "👨\u{200d}👩\u{200d}👧",
            "🏳\u{fe0f}\u{200d}🌈",
            "👩🏽\u{200d}💻",
            "🤦🏻\u{200d}♀\u{fe0f}",
            "می\u{200c}خواهم",
            "نمونه\u{200c}ها",
            "ශ්\u{200d}රී",
            "क्\u{200d}ष",
            "क्\u{200c}ष",
            "\u{710}\u{200d}\u{712}",
            "\u{7ca}\u{200c}\u{7cb}",
            "葛\u{e0100}城",
            "辻\u{e0101}",
            "Donau\u{ad}dampf",
            "e\u{301}\u{ad}a",
        ] {
            assert!(has_address_characters(name), "{name:?}");
            assert!(!visible_form(name).contains(is_invisible), "{name:?}");
        }
    }

    #[test]
    fn an_invisible_character_out_of_its_place_is_not() {
        for name in [
            "\u{fe0f}",
            "a\u{fe0f}",
            "1\u{fe0f}",
            "❤\u{fe0f}\u{fe0f}",
            "❤\u{fe0e}",
            "👨\u{200d}",
            "\u{200d}👨",
            "👨\u{200d}a",
            "a\u{200d}👨",
            "👨\u{200d}\u{200d}👩",
            "a\u{200d}b",
            "a\u{200c}b",
            "می\u{200c}",
            "\u{200c}می",
            "می\u{200c}a",
            "می\u{200c}\u{200c}خ",
            "می\u{200c}क",
            "ක\u{200d}क",
            "a\u{e0100}",
            "葛\u{e0100}\u{e0101}",
            "葛\u{fe00}",
            "葛\u{e0041}",
            "\u{ad}a",
            "a\u{ad}",
            "a\u{ad}\u{ad}b",
            "a\u{ad}1",
            "a\u{ad}.b",
            "a\u{200b}b",
            "می\u{200b}خ",
            "a\u{202e}b",
            "a\u{2066}b",
            "می\u{200f}خ",
            "🏴\u{e0067}\u{e007f}",
            "a\u{378}",
            "\u{e0080}",
            "\u{1fffe}",
            "\u{2fe0}",
        ] {
            assert!(!has_address_characters(name), "{name:?}");
        }
    }

    #[test]
    fn names_that_look_alike_have_one_visible_form() {
        for (one, other) in [
            ("ab", "a\u{ad}b"),
            ("❤", "❤\u{fe0f}"),
            ("葛", "葛\u{e0100}"),
            ("葛\u{e0101}", "葛\u{e0100}"),
            ("میخ", "می\u{200c}خ"),
        ] {
            assert_eq!(visible_form(one), visible_form(other));
        }
        assert_ne!(visible_form("ab"), visible_form("a-b"));
    }
}
