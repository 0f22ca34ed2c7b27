//! Edits of a text that leave every other byte as it is.

use std::ops::Range;

/// What is at `range` becomes `text`.
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// The text with all edits made, which are apart from one another.
pub(crate) fn apply_edits(text: &str, mut edits: Vec<Edit>) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_made_in_the_order_of_the_text() {
        let edit = |range, text: &str| Edit { range, text: text.to_owned() };
        let edits = vec![edit(4..5, "EE"), edit(0..1, ""), edit(2..2, "é")];
        assert_eq!(apply_edits("abcdef", edits), "bécdEEf");
    }
}
