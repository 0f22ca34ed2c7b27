//! Replaces the text of a block that has a marker (`some text ^id`).
//!
//! The marker itself stays. The result is parsed again: the marker must name exactly the new
//! content, which therefore is one block, and all markers outside it must still be in place.

use std::ops::Range;

use super::marker::{BlockMarker, find_markers};
use super::{MAX_LISTED_NAMES, Patch, PatchError, choose_occurrence, lines, truncate_name};

/// Finds the marker and gives its block a new text.
pub(super) fn patch(
    text: &str,
    id: &str,
    occurrence: Option<usize>,
    content: &str,
) -> Result<Patch, PatchError> {
    let id = id.strip_prefix('^').unwrap_or(id);
    let markers = find_markers(text)?;
    let named = markers.iter().filter(|marker| marker.id == id).collect::<Vec<_>>();
    if named.is_empty() {
        let available = markers
            .iter()
            .take(MAX_LISTED_NAMES)
            .map(|marker| truncate_name(&format!("^{}", marker.id)));
        return Err(PatchError::Missing { available: available.collect() });
    }
    let marker = named[choose_occurrence(named.len(), occurrence)?];
    let range = marker.block.clone();
    let patch = Patch { text: indent_content(text, range.start, content), range };
    if is_contained(text, &markers, marker, &patch)? {
        Ok(patch)
    } else {
        Err(PatchError::ContentEscapes)
    }
}

/// Puts the quote signs and indentation of the block on every line of the content but the first,
/// which has them already.
fn indent_content(text: &str, start: usize, content: &str) -> String {
    let before = &text[lines::start(text, start)..start];
    let signs = before.trim_start_matches('\u{feff}').chars();
    let prefix = signs.map(|sign| if matches!(sign, '>' | '\t') { sign } else { ' ' });
    let prefix = prefix.collect::<String>();
    let content = lines::normalize(content, "\n");
    let mut written = String::new();
    for (index, line) in lines::trim_end(&content).split('\n').enumerate() {
        if index > 0 {
            written.push_str(lines::dominant_ending(text));
            written.push_str(if lines::is_blank(line) { prefix.trim_end() } else { &prefix });
        }
        written.push_str(line);
    }
    written
}

/// Reports whether, after the edit, the marker names the new content and does not occur in it, and
/// all other markers are where they were.
fn is_contained(
    text: &str,
    old: &[BlockMarker<'_>],
    marker: &BlockMarker<'_>,
    patch: &Patch,
) -> Result<bool, PatchError> {
    let after = patch.apply(text);
    let new = find_markers(&after)?;
    let written = patch.range.start..patch.range.start + patch.text.len();
    let caret = patch.map_offset(marker.caret);
    let found = new.iter().find(|found| found.caret == caret).is_some_and(|found| {
        let indented = after.get(written.start..found.block.start);
        found.block.end == written.end && indented.is_some_and(lines::is_blank)
    });
    let sign = format!("^{}", marker.id);
    let repeated = patch.text.ends_with(&sign)
        || new.iter().any(|new| new.id == marker.id && written.contains(&new.caret));
    let old = markers_outside(old, &patch.range)
        .map(|(id, places)| (id, places.map(|p| patch.map_offset(p))));
    Ok(found && !repeated && old.eq(markers_outside(&new, &written)))
}

/// Returns the markers outside a range, each with its offset and those of its block.
fn markers_outside<'a>(
    markers: &'a [BlockMarker<'a>],
    range: &Range<usize>,
) -> impl Iterator<Item = (&'a str, [usize; 3])> {
    markers.iter().filter(move |marker| !range.contains(&marker.caret)).map(|marker| {
        let Range { start, end } = marker.block;
        (marker.id, [marker.caret, start, end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, content: &str, expected: &str) {
        let patch = patch(text, "^id", None, content);
        let patch = patch.unwrap_or_else(|error| panic!("{text:?}: {error:?}"));
        assert_eq!(patch.apply(text), expected, "{text:?}");
    }

    fn refused(text: &str, content: &str, expected: &PatchError) {
        assert_eq!(patch(text, "id", None, content).as_ref(), Err(expected), "{text:?}");
    }

    #[test]
    fn a_marker_ends_a_paragraph_or_an_item() {
        for (text, expected) in [
            ("a b ^id", "new ^id"),
            ("x\n\na *b*\nc `d`  ^id  \n\ny\n", "x\n\nnew  ^id  \n\ny\n"),
            ("a\r\nb ^id\r\n", "new ^id\r\n"),
            ("\u{feff}a ^id\n", "\u{feff}new ^id\n"),
            ("---\nx: a ^id\n---\na ^id\n", "---\nx: a ^id\n---\nnew ^id\n"),
            ("- a ^id\n  - b\n- c\n", "- new ^id\n  - b\n- c\n"),
            ("- a\n  - [x] b ^id\n    c\n- d ^id\n", "- a\n  - [x] b ^id\n    c\n- new ^id\n"),
            ("- [ ] a ^id\n- [x] b ^x\n", "- [ ] new ^id\n- [x] b ^x\n"),
            ("- [ ] a ^id\n\n  b\n", "- [ ] new ^id\n\n  b\n"),
            ("1. \\*a ^id\n", "1. new ^id\n"),
            ("- a\n  b\n  ^id\n- c\n", "- new\n  ^id\n- c\n"),
            ("-\ta\n\t^id\n", "-\tnew\n\t^id\n"),
            ("> a\n> b ^id\n", "> new ^id\n"),
            ("a\nb\n^id\n", "new\n^id\n"),
            ("a &amp; ^id\n", "new ^id\n"),
        ] {
            check(text, "\nnew\n", expected);
        }
    }

    #[test]
    fn a_marker_on_its_own_line_names_the_block_before() {
        for (text, expected) in [
            ("x\n\n| a |\n|---|\n| b |\n^id\n", "x\n\nnew\n^id\n"),
            ("| a |\n|---|\n| b |\n\n^id\n", "new\n\n^id\n"),
            ("> | a |\n> |---|\n> ^id\n", "> new\n> ^id\n"),
            ("> a\n> b\n^id\n", "new\n^id\n"),
            ("> a\n\n\n^id", "new\n\n\n^id"),
            ("> a\n>\n> b\n>\n> ^id\n", "> a\n>\n> new\n>\n> ^id\n"),
            ("- a\n- b\n^id\n", "new\n^id\n"),
            ("- a ^x\n  - b\n\n^id\n", "new\n\n^id\n"),
            ("- a\n\n  > b\n  ^id\n", "- a\n\n  new\n  ^id\n"),
            ("1. > a\n   ^id\n", "1. new\n   ^id\n"),
            ("```\na ^id\n```\n^id\n", "new\n^id\n"),
            ("x\n\n    a\n    b\n\n^id\n", "x\n\nnew\n\n^id\n"),
            ("<div>\n</div>\n\n^id\n", "new\n\n^id\n"),
            ("a\n\n^id\n", "new\n\n^id\n"),
            ("a ^x\n\n^id\n", "new ^x\n\n^id\n"),
            ("a^x\n\n^id\n", "new\n\n^id\n"),
        ] {
            check(text, "new", expected);
        }
    }

    #[test]
    fn content_takes_the_shape_of_its_place() {
        check("> a ^id\n", "b\nc", "> b\n> c ^id\n");
        check("- a ^id\n  - x\n", "b\nc", "- b\n  c ^id\n  - x\n");
        check("> - a ^id\r\n", "b\nc", "> - b\r\n>   c ^id\r\n");
        check(
            "> ```\n> a\n> ```\n> ^id\n",
            "```\nb\n\nc\n```",
            "> ```\n> b\n>\n> c\n> ```\n> ^id\n",
        );
        check("> a\n\n^id\n", "| b |\n|---|", "| b |\n|---|\n\n^id\n");
        check("- a\n  - b\n  ^id\n", "- c\n- d", "- a\n  - c\n  - d\n  ^id\n");
        check("a ^id\n", "b `c", "b `c ^id\n");
        check("    a\n^id\n", "    b\n    c", "    b\n    c\n^id\n");
    }

    #[test]
    fn content_that_is_not_one_block_is_refused() {
        for (text, content) in [
            ("a ^id\n", ""),
            ("a ^id\n", " \n"),
            ("x\n\na\n\n^id\n", ""),
            ("a ^id\n", "b\n\nc"),
            ("a ^id\n", "```\nb\n```"),
            ("a ^id\n", "# b"),
            ("a ^id\n", "- b"),
            ("a\n\n^id\n", "# b"),
            ("a\n\n^id\n", "```\nb"),
            ("> a\n^id\n\n    b\n\n^x\n", "- b"),
            ("- a\n  - b\n  ^id\n", "new"),
            ("- a ^id\n", "b\n- c"),
            ("a ^id\n", "b ^id"),
            ("- a\n\n^id\n", "- a ^id\n- b"),
        ] {
            refused(text, content, &PatchError::ContentEscapes);
        }
    }

    #[test]
    fn what_only_looks_like_a_marker_is_none() {
        for text in [
            "",
            "^id",
            "a^id",
            "a \\^id",
            "a `^id`",
            "a *^id*",
            "a ^id.",
            "a ^id b",
            "a ^i_d",
            "# a ^id",
            "# a\n\n^id",
            "***\n^id",
            "```\na ^id\n```",
            "    a ^id",
            "| a ^id |\n|---|",
            "<b>\na ^id",
            "<!-- ^id -->",
            "a ^\n",
            "a ^ID",
            "^x\n\n^id",
            "- ^id",
            "---\na: ^id\n---\n",
        ] {
            let found = patch(text, "id", None, "new");
            assert!(matches!(found, Err(PatchError::Missing { .. })), "{text:?}: {found:?}");
        }
        let available = vec!["^x".to_owned(), "^y-1".to_owned()];
        refused("a ^x\n\nb ^y-1\n\n`c ^z`\n", "new", &PatchError::Missing { available });
    }

    #[test]
    fn an_occurrence_tells_markers_apart() {
        let text = "a ^id\n\nb ^id\n";
        refused(text, "new", &PatchError::Ambiguous { count: 2 });
        let second = patch(text, "id", Some(2), "new").expect("the second");
        assert_eq!(second.apply(text), "a ^id\n\nnew ^id\n");
        for number in [0, 3] {
            let error = Err(PatchError::NoSuchOccurrence { count: 2 });
            assert_eq!(patch(text, "id", Some(number), "new"), error);
        }
    }
}
