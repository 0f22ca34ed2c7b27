//! Signatures of an older format, which stand in the file itself.
//!
//! Such a signature is an HTML comment, or a line that begins with `#`, with one word such as
//! `tool:validated:2026-01-24T09:30:00Z:0f3a…`. It is skipped and counts for nothing: whoever can
//! change the file can write it. What does not have exactly this form is content.

use super::frontmatter::BYTE_ORDER_MARK;
use crate::reply::Content;

/// What marks the word.
const MARK: &str = ":validated:";

/// The warning about such a line.
pub const OLD_SIGNATURE_WARNING: &str = "an old in-file signature, read as unsigned";

/// The lines from the start of a script or manifest in which such a line is looked for.
const SCRIPT_LINES: usize = 40;

/// The most lines that the comment of a signature takes.
const MAX_COMMENT_LINES: usize = 4;

/// Returns the warning about such a line.
pub(super) fn warning() -> Content {
    Content::mention(OLD_SIGNATURE_WARNING)
}

/// Returns whether a script or manifest has such a line near its start, as a comment.
pub fn has_old_signature(text: &str) -> bool {
    let comments = text.lines().take(SCRIPT_LINES).map(str::trim);
    let mut words =
        comments.filter_map(|line| line.strip_prefix('#').or_else(|| line.strip_prefix("//")));
    words.any(|word| is_signature_word(word.trim()))
}

/// Returns the warning if there is a signature before the offset at which an element begins.
pub(super) fn warning_before(text: &str, end: usize) -> Option<Content> {
    let text = text.get(..end)?;
    let lines = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).lines().collect::<Vec<_>>();
    (0..lines.len()).any(|line| signature_lines(&lines[line..]) > 0).then(warning)
}

/// Returns the length of the signatures with which a text begins, with the blank lines around them;
/// 0 if there are none.
pub(super) fn leading_length(text: &str) -> usize {
    let lines = text.split_inclusive('\n').collect::<Vec<_>>();
    let skip_blank = |mut at: usize| {
        while lines.get(at).is_some_and(|line| line.trim().is_empty()) {
            at += 1;
        }
        at
    };
    let (mut skipped, mut next) = (0, skip_blank(0));
    while let count @ 1.. = signature_lines(&lines[next..]) {
        next = skip_blank(next + count);
        skipped = next;
    }
    lines[..skipped].iter().map(|line| line.len()).sum()
}

/// Returns how many of the first lines are a signature; 0 if they begin with none.
fn signature_lines(lines: &[&str]) -> usize {
    let Some(first) = lines.first().map(|line| line.trim()) else { return 0 };
    if let Some(word) = first.strip_prefix('#') {
        return usize::from(is_signature_word(word.trim()));
    }
    let Some(mut comment) = first.strip_prefix("<!--").map(str::to_owned) else { return 0 };
    for count in 1..=MAX_COMMENT_LINES {
        if let Some(word) = comment.strip_suffix("-->") {
            return if is_signature_word(word.trim()) { count } else { 0 };
        }
        let Some(line) = lines.get(count) else { return 0 };
        comment = format!("{}\n{}", comment.trim(), line.trim());
    }
    0
}

fn is_signature_word(word: &str) -> bool {
    let is_word = !word.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>'));
    let parts = word.split_once(MARK);
    is_word && parts.is_some_and(|(who, rest)| !who.is_empty() && !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_form_is_a_signature() {
        for (line, expected) in [
            ("<!-- kiwi-mcp:validated:2026-01-24T09:30:00Z:abc123 -->", true),
            ("<!--x:validated:y-->", true),
            ("# rye:validated:2026-02-04T07:40:00Z:e8df|rye@me\r\n", true),
            ("#x:validated:y", true),
            ("<!-- x:validated:y --> and more", false),
            ("<!-- x:validated:y", false),
            ("<!-- x:validated:y z -->", false),
            ("<!-- x:validated: -->", false),
            ("<!-- :validated:x -->", false),
            ("<!-- x:validated:<b> -->", false),
            ("# How this is :validated: by us", false),
            (" <!-- x:validated:y -->", true),
            ("<!--\n  x:validated:y\n-->", true),
            ("<!-- x:validated:y\n-->", true),
            ("<!--\nx:validated:y\nz -->", false),
            ("<!--\nx:validated:y\n--> z", false),
            ("x:validated:y", false),
            ("", false),
        ] {
            let lines = line.lines().collect::<Vec<_>>();
            assert_eq!(signature_lines(&lines) == lines.len().max(1), expected, "{line:?}");
        }
    }

    #[test]
    fn only_leading_lines_are_skipped() {
        let signature = "<!-- x:validated:y -->\r\n";
        for (text, rest) in [
            (format!("{signature}---\n"), "---\n"),
            (format!("{signature}\n# x:validated:y\n\n---\n"), "---\n"),
            (format!("\n {signature}---\n"), "---\n"),
            ("<!--\nx:validated:y\n-->\n---\n".to_owned(), "---\n"),
            ("\n---\n".to_owned(), "\n---\n"),
            (format!("---\n{signature}"), "---\n<!-- x:validated:y -->\r\n"),
            (signature.trim().to_owned(), ""),
            (String::new(), ""),
        ] {
            assert_eq!(&text[leading_length(&text)..], rest, "{text:?}");
        }
    }

    #[test]
    fn an_old_signature_is_a_comment_line_of_its_own() {
        for text in [
            "# kiwi-mcp:validated:2026-01-01T00:00:00Z:abc\nprint(1)\n",
            "#!/usr/bin/env python3\n  # x:validated:y\n",
            "// tool:validated:2026:abc",
        ] {
            assert!(has_old_signature(text), "{text}");
        }
        for text in [
            "",
            "x:validated:y",
            "# validated: yes",
            "# :validated:x",
            "# it is validated:x here",
            "# a b:validated:c",
            "# x:validated:",
            "text = '# x:validated:y'",
        ] {
            assert!(!has_old_signature(text), "{text}");
        }
        assert!(!has_old_signature(&("\n".repeat(SCRIPT_LINES) + "# x:validated:y")));
    }
}
