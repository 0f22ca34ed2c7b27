//! Edits of a file that leave every other byte as it is.

use std::ops::Range;

use crate::yaml;

/// What is at `range` becomes `text`.
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// The text with all edits made, which are apart from one another.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.range.start);
    let mut edited = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        edited.push_str(text.get(done..edit.range.start).unwrap_or_default());
        edited.push_str(&edit.text);
        done = edit.range.end;
    }
    edited.push_str(text.get(done..).unwrap_or_default());
    edited
}

/// A YAML scalar in the spelling of the old one, or in quotes if it would not be a text in that.
pub(super) fn scalar(raw: &str, stated: &str, new: &str) -> String {
    let quoted = || format!("\"{new}\"");
    if stated.is_empty() || raw.matches(stated).count() != 1 {
        return quoted();
    }
    let spelled = raw.replacen(stated, new, 1);
    let is_block = raw.ends_with('\n');
    let entries = yaml::plain_mapping(&format!("key: {spelled}"));
    let is_text = entries.is_ok_and(|entries| entries.iter().all(|entry| entry.value == new));
    if is_block || is_text { spelled } else { quoted() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_in_the_order_of_the_text() {
        let edit = |range, text: &str| Edit { range, text: text.to_owned() };
        let edits = vec![edit(4..5, "EE"), edit(0..1, ""), edit(2..2, "é")];
        assert_eq!(apply("abcdef", edits), "bécdEEf");
    }

    #[test]
    fn a_scalar_keeps_its_spelling_where_it_can() {
        for (raw, stated, new, expected) in [
            ("a", "a", "b", "b"),
            ("'a'", "a", "b", "'b'"),
            ("\"a\"", "a", "1", "\"1\""),
            ("a", "a", "1", "\"1\""),
            ("a", "a", "1_000", "\"1_000\""),
            ("a", "a", "on", "\"on\""),
            ("a", "a", "true", "\"true\""),
            ("a", "a", "", "\"\""),
            ("''", "", "a", "\"a\""),
            ("\"\\x61\"", "a", "b", "\"b\""),
            ("a\n\n", "a", "b", "b\n\n"),
        ] {
            assert_eq!(scalar(raw, stated, new), expected, "{raw}");
        }
    }
}
