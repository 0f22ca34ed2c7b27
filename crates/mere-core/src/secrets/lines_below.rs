//! Values on the lines below their name: block scalars of YAML, and values that begin on the line
//! after a separator.
//!
//! A reader who sees single lines, as a search does, must be able to tell from a line whether what
//! stands before it matters. So each line is judged by itself, and one that is no secret by itself
//! ends or begins no secret.

use std::ops::Range;

use super::assignment::{Assignment, SAMPLE_BYTES, cut, quoted_value, word_length};
use super::secret_name::ValueKind;
use super::secret_value::is_secret;
use super::separator::Separator;

/// The part of a block that is examined.
const MAX_LINES: usize = 64;
const MAX_BLOCK_BYTES: usize = 8 * 1024;
/// The part of a line before a name that is examined.
const MAX_INDENT_BYTES: usize = 256;

/// Checks whether a line could be the value, or a part of it, that a name on a line before it
/// assigns. If so, what precedes the line is needed to judge it.
pub fn may_be_value_line(line: &str) -> bool {
    let line = line.trim();
    let name = line.trim_start_matches(['"', '\'', '\\', '{', ',', ' ']);
    let is_value = name.get(..5).is_some_and(|name| name.eq_ignore_ascii_case("value"));
    let content = quoted_value(line, 0, SAMPLE_BYTES).unwrap_or(0..cut(line, SAMPLE_BYTES).len());
    is_value || is_secret(&line[content], ValueKind::Chosen)
}

/// Finds the secret on the lines below an assignment, if its own line has no value.
pub(super) fn find_secret(assignment: &Assignment<'_>, kind: ValueKind) -> Option<Range<usize>> {
    let Assignment { text, ref name, value, .. } = *assignment;
    let style = Style::parse(&text[value..])?;
    let indent = indent_at(text, name.start);
    let below = value + text[value..].find('\n')? + 1;
    let block = cut(&text[below..], MAX_BLOCK_BYTES);
    let (mut at, mut found) = (below, None::<Range<usize>>);
    for line in block.split_inclusive('\n').take(MAX_LINES) {
        let start = at + (line.len() - line.trim_start_matches([' ', '\t']).len());
        let is_indented = start - at > indent;
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let secret = match style {
            Style::Block if !is_indented => break,
            Style::Block => Some(start..start + line.trim().len()),
            Style::NextLine if is_indented => value_at(text, start, assignment.separator),
            Style::NextLine => quoted_value(text, start, usize::MAX),
        };
        let is_secret =
            |range: &Range<usize>| is_secret(cut(&text[range.clone()], SAMPLE_BYTES), kind);
        if let Some(secret) = secret.filter(is_secret) {
            found = Some(found.map_or(secret.start, |found| found.start)..secret.end);
        }
        if style == Style::NextLine {
            break;
        }
    }
    found
}

/// How a value stands below its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// A block scalar: all lines that are indented further.
    Block,
    /// A value on the next line.
    NextLine,
}

impl Style {
    /// Parses the rest of the line after a separator.
    fn parse(rest: &str) -> Option<Self> {
        let header = rest.trim_start_matches(['|', '>']);
        let is_block = rest.len() - header.len() == 1;
        let after =
            if is_block { header.trim_start_matches(['+', '-', '1', '2', '4', '8']) } else { rest };
        let after = after.trim_start_matches([' ', '\t', '\r']);
        let ends = after.starts_with('\n') || is_block && after.starts_with('#');
        let style = if is_block { Self::Block } else { Self::NextLine };
        ends.then_some(style)
    }
}

/// Finds the value that a line consists of. Only a colon may precede one without quotes, because
/// code continues on the next line after an equals sign.
fn value_at(text: &str, start: usize, separator: Separator) -> Option<Range<usize>> {
    let line = text[start..].lines().next()?.trim_end();
    let is_word = separator == Separator::Colon
        && word_length(line, usize::MAX) == line.len()
        && !line.ends_with([',', ';', ':', '{', '(', '[']);
    quoted_value(text, start, usize::MAX).or(is_word.then_some(start..start + line.len()))
}

/// Measures the spaces at the beginning of the line that contains `at`.
fn indent_at(text: &str, at: usize) -> usize {
    let near = text.ceil_char_boundary(at.saturating_sub(MAX_INDENT_BYTES));
    let line = text[near..at].rfind('\n').map_or(near, |end| near + end + 1);
    let before = &text[line..at];
    before.len() - before.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::may_be_value_line;
    use crate::secrets::tests::check;

    #[test]
    fn values_below_their_names_are_found() {
        for text in [
            "password: |\n  S3cure!x\nb: 2\n",
            "a:\n  password: >-  # it\n\n    S3cure!x\n  b: 2\n",
            "- password: |2\n    S3cure!x",
            "password:\n  S3cure!x\n",
            "\"password\":\r\n\t\"S3cure!x\",\r\n",
            "\"password\":\n\"S3cure!x\"",
            "PASSWORD: &str =\n    \"S3cure!x\";\n",
            "password = \n  'S3cure!x'\n",
        ] {
            check(text, &["S3cure!x"]);
            let line = text.lines().find(|line| line.contains("S3cure")).expect("a line");
            assert!(may_be_value_line(line), "{line}");
        }
        check(
            "password: |\n  S3cure!x\n  and words\n  S3cond!y\n\nb: S3cure\n",
            &["S3cure!x\n  and words\n  S3cond!y"],
        );
        let lines = "  q7Zx3VmK8tRw1BnC5yDfG9hJ2kLpS4\n".repeat(20);
        check(&format!("api_key: |\n{lines}b: 1\n"), &[lines.trim()]);
    }

    #[test]
    fn what_stands_below_a_name_by_chance_stays() {
        for text in [
            "password: |\nS3cure!x\n",
            "password: |\n  some words\n",
            "if token:\n    S3cure1.x()\n",
            "password:\n  type: string1\n",
            "password:\n  - S3cure,\n",
            "password:\nS3cure!x: 1\n",
            "password =\n    password_of1\n",
            "token:\n\n\n",
            "token:",
            "token: |",
            "token: |\n",
        ] {
            check(text, &[]);
        }
        for line in ["", "let a = 1;", "  password", "}", "fn main() {", "- name: x", "words here"]
        {
            assert!(!may_be_value_line(line), "{line}");
        }
    }
}
