//! English stemming, so that `retries`, `retried` and `retry` are the same word to a search.
//!
//! This is Porter's algorithm of 1980. Words that are not all lowercase ASCII letters stay as
//! they are.

/// A suffix and its replacement.
type SuffixRule = (&'static str, &'static str);

const STEP_2: [SuffixRule; 20] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("abli", "able"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: [SuffixRule; 7] = [
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const STEP_4: [&str; 18] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize",
];

/// Reduces a word to its stem.
pub fn stem(word: &mut String) {
    if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    strip_plural(word);
    strip_past_or_gerund(word);
    if suffix_start(word, "y").is_some_and(|stem| has_vowel(&word[..stem])) {
        replace_from(word, word.len() - 1, "i");
    }
    replace_suffix(word, &STEP_2);
    replace_suffix(word, &STEP_3);
    strip_residual_suffix(word);
    strip_final_letters(word);
}

fn strip_plural(word: &mut String) {
    if suffix_start(word, "sses").is_some() || suffix_start(word, "ies").is_some() {
        word.truncate(word.len() - 2);
    } else if suffix_start(word, "s").is_some() && suffix_start(word, "ss").is_none() {
        word.truncate(word.len() - 1);
    }
}

fn strip_past_or_gerund(word: &mut String) {
    if let Some(stem) = suffix_start(word, "eed") {
        if measure(&word[..stem]) > 0 {
            word.truncate(word.len() - 1);
        }
        return;
    }
    let cut = suffix_start(word, "ed").or_else(|| suffix_start(word, "ing"));
    let Some(stem) = cut.filter(|stem| has_vowel(&word[..*stem])) else { return };
    word.truncate(stem);
    let last = word.as_bytes().last().copied().unwrap_or_default();
    if ["at", "bl", "iz"].iter().any(|end| word.ends_with(end)) {
        word.push('e');
    } else if has_double_consonant_end(word) && !b"lsz".contains(&last) {
        word.truncate(word.len() - 1);
    } else if measure(word) == 1 && has_short_end(word) {
        word.push('e');
    }
}

/// Applies the first rule whose suffix the word has, if enough of the word is left.
fn replace_suffix(word: &mut String, rules: &[SuffixRule]) {
    for (suffix, new) in rules {
        if let Some(stem) = suffix_start(word, suffix) {
            if measure(&word[..stem]) > 0 {
                replace_from(word, stem, new);
            }
            return;
        }
    }
}

fn strip_residual_suffix(word: &mut String) {
    let ion = suffix_start(word, "ion").filter(|stem| word[..*stem].ends_with(['s', 't']));
    let longest = STEP_4.iter().filter_map(|suffix| suffix_start(word, suffix)).min();
    if let Some(stem) = longest.or(ion)
        && measure(&word[..stem]) > 1
    {
        word.truncate(stem);
    }
}

fn strip_final_letters(word: &mut String) {
    if let Some(stem) = suffix_start(word, "e") {
        let left = &word[..stem];
        let measure = measure(left);
        if measure > 1 || (measure == 1 && !has_short_end(left)) {
            word.truncate(stem);
        }
    }
    if word.ends_with("ll") && measure(word) > 1 {
        word.truncate(word.len() - 1);
    }
}

/// Returns the offset at which a suffix begins, if the word has it.
fn suffix_start(word: &str, suffix: &str) -> Option<usize> {
    word.ends_with(suffix).then(|| word.len() - suffix.len())
}

fn replace_from(word: &mut String, from: usize, new: &str) {
    word.truncate(from);
    word.push_str(new);
}

/// Checks for a vowel; `y` is one after a consonant.
fn is_vowel(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel_in_y_run(word, at - 1),
        _ => false,
    }
}

/// Like [`is_vowel`], but without recursion over a run of `y`: in `yyyy` every other one is a
/// vowel.
fn is_vowel_in_y_run(word: &[u8], at: usize) -> bool {
    let run = word[..=at].iter().rev().take_while(|letter| **letter == b'y').count();
    if run == 0 {
        return is_vowel(word, at);
    }
    let before = at.checked_sub(run).is_some_and(|before| is_vowel(word, before));
    let first_is_vowel = at >= run && !before;
    first_is_vowel == (run % 2 == 1)
}

fn has_vowel(word: &str) -> bool {
    (0..word.len()).any(|at| is_vowel(word.as_bytes(), at))
}

/// Counts how often a vowel is followed by a consonant.
fn measure(word: &str) -> usize {
    let (mut count, mut was_vowel) = (0, false);
    for at in 0..word.len() {
        let vowel = is_vowel(word.as_bytes(), at);
        count += usize::from(was_vowel && !vowel);
        was_vowel = vowel;
    }
    count
}

fn has_double_consonant_end(word: &str) -> bool {
    let bytes = word.as_bytes();
    let Some([one, other]) = bytes.last_chunk::<2>() else { return false };
    one == other && !is_vowel(bytes, bytes.len() - 1)
}

/// Checks for an end of consonant, vowel, consonant, where the last is not w, x or y.
fn has_short_end(word: &str) -> bool {
    let (bytes, end) = (word.as_bytes(), word.len());
    end >= 3
        && !is_vowel(bytes, end - 3)
        && is_vowel(bytes, end - 2)
        && !is_vowel(bytes, end - 1)
        && !b"wxy".contains(&bytes[end - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_stem_are_one_word() {
        for (words, stemmed) in [
            ("retry retries retried retrying", "retri"),
            ("connect connected connecting connection connections", "connect"),
            ("relational", "relat"),
            ("migration migrations migrate migrating", "migrat"),
            ("hopping hopped", "hop"),
            ("hoping hoped hope", "hope"),
            ("caresses caress", "caress"),
            ("ponies poni", "poni"),
            ("agreed agree", "agre"),
            ("feed", "feed"),
            ("falling", "fall"),
            ("controller controllers controlling", "control"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("electrical electricity", "electr"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("yyyy", "yyyi"),
            ("is", "is"),
            ("x509s", "x509s"),
            ("naïves", "naïves"),
        ] {
            for word in words.split(' ') {
                let mut found = word.to_owned();
                stem(&mut found);
                assert_eq!(found, stemmed, "{word}");
            }
        }
    }
}
