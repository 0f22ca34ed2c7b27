//! Replaces the body below a heading, up to the next heading of the same or a higher level.
//!
//! Blank lines around the body separate it and stay. The result is parsed again: the headings
//! outside the body must be unchanged, and those inside must be of a lower level than its own.

use super::heading::{Heading, HeadingName, Outline};
use super::{Patch, PatchError, choose_occurrence, lines};

/// A heading and where its body ends.
struct SectionBody<'a> {
    text: &'a str,
    outline: &'a Outline,
    index: usize,
    /// The index of the heading that ends it, or the number of headings.
    next: usize,
}

/// Finds the heading and gives its body new content.
pub(super) fn patch(
    text: &str,
    name: &str,
    occurrence: Option<usize>,
    content: &str,
) -> Result<Patch, PatchError> {
    let name = HeadingName::parse(name);
    let outline = Outline::parse(text, &name)?;
    let headings = outline.headings.iter().enumerate();
    let named = headings.filter(|(_, heading)| heading.is_match).map(|(index, _)| index);
    let named = named.collect::<Vec<_>>();
    if named.is_empty() {
        return Err(PatchError::Missing { available: outline.titles });
    }
    let body = SectionBody::new(text, &outline, named[choose_occurrence(named.len(), occurrence)?]);
    let mut patch = body.replace_content(content);
    if body.is_contained(&patch, &name)? {
        return Ok(patch);
    }
    // Content that ends with a paragraph or HTML may need a blank line after it where there was
    // none.
    patch.text.push_str(lines::dominant_ending(text));
    if body.is_contained(&patch, &name)? { Ok(patch) } else { Err(PatchError::ContentEscapes) }
}

impl<'a> SectionBody<'a> {
    fn new(text: &'a str, outline: &'a Outline, index: usize) -> Self {
        let level = outline.headings[index].level;
        let below = outline.headings[index + 1..].iter().take_while(|below| below.level > level);
        Self { text, outline, index, next: index + 1 + below.count() }
    }

    fn heading(&self) -> Heading {
        self.outline.headings[self.index]
    }

    fn is_last(&self) -> bool {
        self.next == self.outline.headings.len()
    }

    /// Returns the edit that gives the body new content.
    fn replace_content(&self, content: &str) -> Patch {
        let ending = lines::dominant_ending(self.text);
        let content = lines::normalize(content, ending);
        let start = self.heading().end;
        let end = self.outline.headings.get(self.next).map_or(self.text.len(), |next| next.start);
        if content.is_empty() {
            return self.clear_content(end, ending);
        }
        let filled = lines::content_range(&self.text[start..end]);
        if !filled.is_empty() {
            return Patch { range: start + filled.start..start + filled.end, text: content };
        }
        let before = if lines::has_final_newline(&self.text[..start]) { 1 } else { 2 };
        let after =
            if self.is_last() { usize::from(lines::has_final_newline(self.text)) } else { 2 };
        let text = [ending.repeat(before), content, ending.repeat(after)].concat();
        Patch { range: start..end, text }
    }

    /// Returns the edit that empties the body. One blank line is left before a next heading. At the
    /// end of a text without a final line ending, the heading's line ending is removed as well.
    fn clear_content(&self, end: usize, ending: &str) -> Patch {
        let start = self.heading().end;
        if !self.is_last() {
            return Patch { range: start..end, text: ending.to_owned() };
        }
        let kept = if lines::has_final_newline(self.text) {
            start
        } else {
            self.text[..start].trim_end_matches(['\n', '\r']).len()
        };
        Patch { range: kept..end, text: String::new() }
    }

    /// Reports whether the edit leaves every heading outside the body unchanged.
    fn is_contained(&self, patch: &Patch, name: &HeadingName) -> Result<bool, PatchError> {
        let after = Outline::parse(&patch.apply(self.text), name)?.headings;
        let above = &self.outline.headings[..=self.index];
        let below = &self.outline.headings[self.next..];
        let Some(inner) = after.len().checked_sub(above.len() + below.len()) else {
            return Ok(false);
        };
        let (start, rest) = after.split_at(above.len());
        let (inner, end) = rest.split_at(inner);
        let place = |heading: &Heading| (heading.level, heading.start);
        let moved = |heading: &Heading| (heading.level, patch.map_offset(heading.start));
        Ok(above.iter().map(place).eq(start.iter().map(place))
            && inner.iter().all(|heading| heading.level > self.heading().level)
            && below.iter().map(moved).eq(end.iter().map(place)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: &str, content: &str, expected: &str) {
        let patch = patch(text, name, None, content);
        let patch = patch.unwrap_or_else(|error| panic!("{name:?} in {text:?}: {error:?}"));
        assert_eq!(patch.apply(text), expected, "{name:?} in {text:?}");
    }

    #[test]
    fn a_body_ends_at_a_heading_of_its_level() {
        let text = "x\n\n# a\n\none\n\n## b\n\ntwo\n\n### c\n\nthree\n\n## d\n\nfour\n\n# e\nfive";
        for (name, expected) in [
            ("a", "x\n\n# a\n\nnew\n\n# e\nfive"),
            ("b", "x\n\n# a\n\none\n\n## b\n\nnew\n\n## d\n\nfour\n\n# e\nfive"),
            (
                "### c",
                "x\n\n# a\n\none\n\n## b\n\ntwo\n\n### c\n\nnew\n\n## d\n\nfour\n\n# e\nfive",
            ),
            ("d", "x\n\n# a\n\none\n\n## b\n\ntwo\n\n### c\n\nthree\n\n## d\n\nnew\n\n# e\nfive"),
            ("e", "x\n\n# a\n\none\n\n## b\n\ntwo\n\n### c\n\nthree\n\n## d\n\nfour\n\n# e\nnew"),
        ] {
            check(text, name, "new", expected);
        }
    }

    #[test]
    fn blank_lines_around_a_body_stay() {
        for (text, expected) in [
            ("# a\none\n# b\n", "# a\n  new\n\nx\n# b\n"),
            ("# a\n\n\n one \n\ntwo\n \n\n# b\n", "# a\n\n\n  new\n\nx\n \n\n# b\n"),
            ("# a\none\n", "# a\n  new\n\nx\n"),
            ("# a\none", "# a\n  new\n\nx"),
            ("# a\none\n\n", "# a\n  new\n\nx\n\n"),
            ("a\nb\n===\none\n\nc\n---\n", "a\nb\n===\n  new\n\nx\n"),
            ("a b\n---\none\n\nc\n---\n", "a b\n---\n  new\n\nx\n\nc\n---\n"),
            ("# a\r\none\r\n# b\r\n", "# a\r\n  new\r\n\r\nx\r\n# b\r\n"),
            ("# a\n| a |\n|---|\n# b\n", "# a\n  new\n\nx\n# b\n"),
            ("| a |\n|---|\n# a\n```\n# c\n```\n# b\n", "| a |\n|---|\n# a\n  new\n\nx\n# b\n"),
            ("\u{feff}# a\none\n", "\u{feff}# a\n  new\n\nx\n"),
        ] {
            let name = if text.starts_with('a') { "a b" } else { "a" };
            check(text, name, "\n  new\r\n\nx\n\n", expected);
        }
    }

    #[test]
    fn an_empty_body_gets_blank_lines_around() {
        for (text, expected) in [
            ("# a", "# a\n\nnew"),
            ("# a\n", "# a\n\nnew\n"),
            ("# a\n\n\n", "# a\n\nnew\n"),
            ("# a\n# b\n", "# a\n\nnew\n\n# b\n"),
            ("# a\n\n \n\n# b\n", "# a\n\nnew\n\n# b\n"),
            ("# a\r\n# b\r\n", "# a\r\n\r\nnew\r\n\r\n# b\r\n"),
            ("a\n=", "a\n=\n\nnew"),
        ] {
            check(text, "a", "new", expected);
        }
    }

    #[test]
    fn empty_content_empties_the_body() {
        for (text, expected) in [
            ("# a\n\none\n\n\n# b\n", "# a\n\n# b\n"),
            ("# a\none\n# b\n", "# a\n\n# b\n"),
            ("# a\n# b\n", "# a\n\n# b\n"),
            ("# a\n\none\n", "# a\n"),
            ("# a\n\none", "# a"),
            ("# a\r\n\r\none\r\n# b\r\n", "# a\r\n\r\n# b\r\n"),
        ] {
            check(text, "a", " \n\t\n", expected);
        }
    }

    #[test]
    fn an_occurrence_tells_headings_apart() {
        let text = "# a\none\n## a\ntwo\n# a\n";
        assert_eq!(patch(text, "a", None, "new"), Err(PatchError::Ambiguous { count: 3 }));
        assert_eq!(patch(text, "# a", None, "new"), Err(PatchError::Ambiguous { count: 2 }));
        for (number, expected) in [
            (1, Ok("# a\nnew\n# a\n")),
            (2, Ok("# a\none\n## a\nnew\n# a\n")),
            (3, Ok("# a\none\n## a\ntwo\n# a\n\nnew\n")),
            (0, Err(PatchError::NoSuchOccurrence { count: 3 })),
            (4, Err(PatchError::NoSuchOccurrence { count: 3 })),
        ] {
            let patched = patch(text, "a", Some(number), "new").map(|patch| patch.apply(text));
            assert_eq!(patched.as_deref(), expected.as_ref().copied(), "{number}");
        }
        let available = vec!["# a".to_owned(), "## a".to_owned(), "# a".to_owned()];
        assert_eq!(patch(text, "b", Some(1), "new"), Err(PatchError::Missing { available }));
    }

    #[test]
    fn content_stays_within_its_section() {
        check("# a\n\n# b\n", "a", "## c\n\n> # d", "# a\n\n## c\n\n> # d\n\n# b\n");
        check("# a\n\n# b\n", "a", "```\n# c\n```", "# a\n\n```\n# c\n```\n\n# b\n");
        check("# a\n", "a", "```\n# c", "# a\n\n```\n# c\n");
        for content in ["# c", "c\n=", "# a\n\nnew", "```\nnew", "<!--"] {
            let text = "# a\n\none\n\n# b\n";
            assert_eq!(
                patch(text, "a", None, content),
                Err(PatchError::ContentEscapes),
                "{content:?}"
            );
        }
        let text = "---\n\n# a\n";
        assert_eq!(
            patch(text, "a", None, "---"),
            Err(PatchError::ContentEscapes),
            "a new frontmatter"
        );
    }

    #[test]
    fn a_blank_line_is_added_where_content_would_run_on() {
        check("# a\n***\nb\n===\n", "a", "new", "# a\nnew\n\nb\n===\n");
        check("# a\none\n# b\n", "a", "<div>", "# a\n<div>\n\n# b\n");
    }
}
