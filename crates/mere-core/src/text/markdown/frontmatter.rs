//! The YAML block at the top of a text, and replacing the value of one of its top-level keys.
//!
//! The YAML is edited by lines, so that comments and spelling stay. The result is checked by
//! values: it is parsed before and after, every other key must keep its value, and the patched key
//! must have that of the content.

use std::ops::Range;

use serde_json::Value;

use super::yaml::{self, YamlEntry};
use super::{Patch, PatchError, choose_occurrence, frontmatter_value, lines};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The reason why a frontmatter cannot be patched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrontmatterError {
    /// The key cannot be written without quotes.
    #[error("a key consists of letters, digits, `_` and `-`, with spaces or dots only inside")]
    InvalidKey,
    /// The existing frontmatter cannot be parsed.
    #[error("the frontmatter is not one plain YAML mapping (line {line})")]
    Unreadable {
        /// The line of the text, from 1.
        line: usize,
    },
    /// The frontmatter is a mapping, but its keys do not each begin a line.
    #[error("not every key of the frontmatter begins a line")]
    Layout,
    /// The new value cannot be parsed.
    #[error("the content is not one plain YAML value (line {line})")]
    InvalidContent {
        /// The line of the content, from 1.
        line: usize,
    },
    /// The edited text does not parse to the expected values.
    #[error("the content would not be read as the value of that key")]
    ContentEscapes,
}

/// The position of the frontmatter.
struct FrontmatterBlock {
    /// The lines between the two fences.
    yaml: Range<usize>,
    /// The offset after the closing fence.
    end: usize,
}

/// Returns the offset where the Markdown begins.
pub(super) fn body_start(text: &str) -> usize {
    find_block(text).map_or_else(|| after_byte_order_mark(text), |block| block.end)
}

/// Returns the offset after the byte order mark.
fn after_byte_order_mark(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
}

fn find_block(text: &str) -> Option<FrontmatterBlock> {
    let line = |start| lines::trim_end(&text[start..lines::end(text, start)]);
    if line(after_byte_order_mark(text)) != "---" {
        return None;
    }
    let start = lines::next(text, after_byte_order_mark(text));
    let mut place = start;
    while place < text.len() {
        let end = lines::next(text, place);
        if matches!(line(place), "---" | "...") {
            return Some(FrontmatterBlock { yaml: start..place, end });
        }
        place = end;
    }
    None
}

/// Gives a key a new value. A key occurs once, so the only valid occurrence is the first.
pub(super) fn patch(
    text: &str,
    key: &str,
    occurrence: Option<usize>,
    content: &str,
) -> Result<Patch, PatchError> {
    choose_occurrence(1, occurrence)?;
    if !is_plain_key(key) {
        return Err(FrontmatterError::InvalidKey.into());
    }
    let content = lines::normalize(content, "\n");
    let value = yaml::parse_value(&content)
        .map_err(|bad| FrontmatterError::InvalidContent { line: bad.0 })?;
    let written = frontmatter_value::format_value(&value, &content);
    let block = find_block(text);
    let entries = block.as_ref().map_or(Ok(Vec::new()), |block| parse_entries(text, block))?;
    let (range, written) = match (block, entries.iter().position(|entry| entry.key == key)) {
        (None, _) => (
            after_byte_order_mark(text)..after_byte_order_mark(text),
            format!("---\n{key}:{written}\n---\n"),
        ),
        (Some(block), None) => (block.yaml.end..block.yaml.end, format!("{key}:{written}\n")),
        (Some(FrontmatterBlock { yaml, .. }), Some(index)) => {
            let old =
                frontmatter_value::value_range(&text[yaml.clone()], &entries[index..], &written);
            let old = old.ok_or(FrontmatterError::Layout)?;
            (yaml.start + old.start..yaml.start + old.end, written)
        }
    };
    let patch = Patch { range, text: written.replace('\n', lines::dominant_ending(text)) };
    check_result(text, &patch, &expected_pairs(entries, key, value))?;
    Ok(patch)
}

/// Reports whether YAML reads a key as itself without quotes.
fn is_plain_key(key: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    key.starts_with(is_word)
        && key.ends_with(is_word)
        && key.chars().all(|character| is_word(character) || matches!(character, ' ' | '.'))
}

/// Parses the existing keys, each of which must begin a line.
fn parse_entries(text: &str, block: &FrontmatterBlock) -> Result<Vec<YamlEntry>, FrontmatterError> {
    let yaml = &text[block.yaml.clone()];
    let entries = yaml::parse_mapping(yaml)
        .map_err(|bad| FrontmatterError::Unreadable { line: bad.0 + 1 })?;
    let begins = |entry: &YamlEntry| {
        yaml.get(..entry.key_range.start)
            .is_some_and(|above| above.is_empty() || lines::has_final_newline(above))
    };
    if entries.iter().all(begins) { Ok(entries) } else { Err(FrontmatterError::Layout) }
}

/// Returns the keys and values that the frontmatter must have after the edit.
fn expected_pairs(entries: Vec<YamlEntry>, key: &str, value: Value) -> Vec<(String, Value)> {
    let mut pairs = to_pairs(entries);
    match pairs.iter_mut().find(|pair| pair.0 == key) {
        Some(pair) => pair.1 = value,
        None => pairs.push((key.to_owned(), value)),
    }
    pairs
}

fn to_pairs(entries: Vec<YamlEntry>) -> Vec<(String, Value)> {
    entries.into_iter().map(|entry| (entry.key, entry.value)).collect()
}

/// Parses the edited text and checks its keys, and that the Markdown below is unchanged.
fn check_result(
    text: &str,
    patch: &Patch,
    expected: &[(String, Value)],
) -> Result<(), FrontmatterError> {
    let after = patch.apply(text);
    let block = find_block(&after).ok_or(FrontmatterError::ContentEscapes)?;
    let entries = parse_entries(&after, &block).map_err(|_| FrontmatterError::ContentEscapes)?;
    let same = after[block.end..] == text[body_start(text)..];
    if same && to_pairs(entries) == expected {
        Ok(())
    } else {
        Err(FrontmatterError::ContentEscapes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Patches the key `a` and compares the YAML.
    fn check(yaml: &str, content: &str, expected: &str) {
        let text = format!("---\n{yaml}---\n# x\n");
        let patch = patch(&text, "a", None, content);
        let patch = patch.unwrap_or_else(|error| panic!("{yaml:?} {content:?}: {error:?}"));
        assert_eq!(patch.apply(&text), format!("---\n{expected}---\n# x\n"), "{yaml:?}");
    }

    fn refused(text: &str, content: &str, expected: FrontmatterError) {
        let expected = Err(PatchError::Frontmatter(expected));
        assert_eq!(patch(text, "a", None, content), expected, "{text:?} {content:?}");
    }

    #[test]
    fn all_lines_of_a_value_go() {
        for old in [
            " 1",
            "",
            " 'it''s: x'",
            " |\n  one\n  # two\n\n  b: three",
            " >-\n  one",
            "\n  b: 1\n  c:\n    - 1\n  # inner",
            "\n- 1\n- b: 2\n  c: 3",
            "\n  - 1",
            " [1,\n  2\n]",
            " {b: 1,\n  c: 2}",
            " one\n  two",
            " \"one\n  two\"",
        ] {
            let yaml = format!("b: 0\na:{old}\n\n# about c\nc: 2\n");
            check(&yaml, "new", "b: 0\na: new\n\n# about c\nc: 2\n");
            check(&format!("a:{old}\n# end\n"), "new", "a: new\n# end\n");
        }
    }

    #[test]
    fn keys_keep_their_spelling_and_scalars_their_comment() {
        check("\"a\": 1\n", "2", "\"a\": 2\n");
        check("'a' : 1\n", "2", "'a' : 2\n");
        check("a: 1 # why\nb: 2\n", "3", "a: 3 # why\nb: 2\n");
        check("a: # why\n", "3", "a: 3 # why\n");
        check("a: '#' # why\n", "", "a: # why\n");
        check("a: 1 # why\n", "3 # because", "a: 3 # because\n");
        check("a: 1 # why\n", "- 3", "a:\n  - 3\n");
        check("a: [1] # why\n", "3", "a: 3\n");
    }

    #[test]
    fn a_value_takes_the_lines_it_needs() {
        for (content, expected) in [
            ("1", " 1"),
            ("  one two\n", " one two"),
            ("", ""),
            ("[1, 2]", " [1, 2]"),
            ("[1,\n2]", " [1,\n  2]"),
            ("- 1", "\n  - 1"),
            ("- 1\n\n- c: 2\n  d: 3\n", "\n  - 1\n\n  - c: 2\n    d: 3"),
            ("c: 1\nd: |\n  x\n", "\n  c: 1\n  d: |\n    x"),
            ("# c\n- 1", "\n  # c\n  - 1"),
            ("|\none\n\ntwo", " |\n  one\n\n  two"),
            ("|\n  one", " |\n  one"),
            ("one\ntwo", " one\n  two"),
            ("'one\n\n  two'", " 'one\n\n  two'"),
            ("2024-01-01", " 2024-01-01"),
        ] {
            check("a: 0\nb: 0\n", content, &format!("a:{expected}\nb: 0\n"));
            check("b: 0\n", content, &format!("b: 0\na:{expected}\n"));
        }
    }

    #[test]
    fn a_missing_frontmatter_is_made() {
        for (text, expected) in [
            ("", "---\na: 1\n---\n"),
            ("# x", "---\na: 1\n---\n# x"),
            ("\u{feff}# x\r\n", "\u{feff}---\r\na: 1\r\n---\r\n# x\r\n"),
            ("---\n---\nx", "---\na: 1\n---\nx"),
            ("---\nb: 2\n...", "---\nb: 2\na: 1\n..."),
            ("--- \r\nb: 2\r\n---\r\n", "--- \r\nb: 2\r\na: 1\r\n---\r\n"),
            ("---\nx\n", "---\na: 1\n---\n---\nx\n"),
            ("----\na: 2\n---\n", "---\na: 1\n---\n----\na: 2\n---\n"),
        ] {
            let patched = patch(text, "a", Some(1), "1").map(|patch| patch.apply(text));
            assert_eq!(patched.as_deref(), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn what_cannot_be_proved_is_refused() {
        use FrontmatterError::{ContentEscapes, InvalidContent, Layout, Unreadable};
        for yaml in [
            "a: [",
            "- 1",
            "x",
            "b: &x 1",
            "a: 1\na: 2",
            "b: {c: 1, c: 2}",
            "b: !x 1",
            "b: !!str 1",
            "<<: {b: 1}",
            "b: {<<: {c: 1}}",
        ] {
            let found = patch(&format!("---\n{yaml}\n---\n"), "a", None, "1");
            let is_unreadable = matches!(found, Err(PatchError::Frontmatter(Unreadable { .. })));
            assert!(is_unreadable, "{yaml:?}: {found:?}");
        }
        refused("---\nb: 1\na: [\n---\n", "1", Unreadable { line: 3 });
        refused("---\nb: 1\n<<: {c: 1}\n---\n", "1", Unreadable { line: 3 });
        for yaml in ["{a: 1}", "? a\n: 1", "  a: 1"] {
            refused(&format!("---\n{yaml}\n---\n"), "1", Layout);
        }
        for content in
            ["[", "a: b: c", "&x 1", "*x", "a: 1\na: 2", "1\n---\n2", "'", "!!str 1", "<<: {c: 1}"]
        {
            let found = patch("---\nb: 1\n---\n", "a", None, content);
            let is_content = matches!(found, Err(PatchError::Frontmatter(InvalidContent { .. })));
            assert!(is_content, "{content:?}: {found:?}");
        }
        for content in ["---", "--- 1", "|+\n  one\n\n"] {
            refused("---\na: 1\n\nb: 1\n---\n", content, ContentEscapes);
        }
    }

    #[test]
    fn a_key_is_a_plain_name() {
        for key in ["a", "a-b_c", "a b", "a.b", "größe", "1"] {
            let patch = patch("", key, None, "1").expect("a patch");
            assert_eq!(patch.text, format!("---\n{key}: 1\n---\n"));
        }
        for key in ["", " a", "a ", ".a", "a:", "a: b", "\"a\"", "#a", "a\nb", "[a]", "*a"] {
            let error = Err(PatchError::Frontmatter(FrontmatterError::InvalidKey));
            assert_eq!(patch("", key, None, "1"), error, "{key:?}");
        }
        for key in ["- a", "null"] {
            let error = Err(PatchError::Frontmatter(FrontmatterError::ContentEscapes));
            assert_eq!(patch("", key, None, "1"), error, "{key:?}");
        }
        assert_eq!(patch("", "a", Some(2), "1"), Err(PatchError::NoSuchOccurrence { count: 1 }));
    }
}
