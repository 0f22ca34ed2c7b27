//! Edits of a text that leave every other byte unchanged.
//!
//! A list of edits is applied in the order of the text, whatever order it is given in.

use std::ops::Range;

/// One edit: the bytes at `range` are replaced by `text`.
pub(crate) struct Edit {
    pub(crate) range: Range<usize>,
    pub(crate) text: String,
}

/// Applies all edits to a text. They must not overlap.
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
