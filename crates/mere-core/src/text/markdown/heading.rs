//! The headings at the top level of a text, and which of them a name means.
//!
//! Headings within quotes, lists, code, HTML and frontmatter cannot be patched, because their
//! section would have no end of its own.

use pulldown_cmark::{Event, TagEnd};

use super::{MAX_LISTED_NAMES, PatchError, document, lines, truncate_name};

/// A heading, from the beginning of its first line to the beginning of the line after its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading {
    pub(super) level: u8,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it matches the name the caller gave.
    pub(super) is_match: bool,
}

/// All headings in order. Only their positions are kept, because a text may consist of nothing but
/// headings.
#[derive(Debug, Default)]
pub(super) struct Outline {
    pub(super) headings: Vec<Heading>,
    /// The first [`MAX_LISTED_NAMES`] titles.
    pub(super) titles: Vec<String>,
}

/// The name of a heading as a caller gives it.
#[derive(Debug)]
pub(super) struct HeadingName {
    level: Option<u8>,
    text: String,
}

impl HeadingName {
    /// Parses a name: a title, or a whole heading line such as `## Title`.
    pub(super) fn parse(named: &str) -> Self {
        let named = named.trim();
        let signs = named.bytes().take_while(|byte| *byte == b'#').count();
        match u8::try_from(signs) {
            Ok(level @ 1..=6) if named[signs..].starts_with([' ', '\t']) => {
                Self { level: Some(level), text: collapse_spaces(strip_heading_signs(named)) }
            }
            _ => Self { level: None, text: collapse_spaces(named) },
        }
    }

    fn matches(&self, level: u8, titles: [&str; 2]) -> bool {
        self.level.is_none_or(|own| own == level)
            && titles.iter().any(|title| *title == self.text || collapse_spaces(title) == self.text)
    }
}

impl Outline {
    /// Parses the headings of a text.
    pub(super) fn parse(text: &str, name: &HeadingName) -> Result<Self, PatchError> {
        let mut outline = Self::default();
        let (mut depth, mut plain) = (0_usize, String::new());
        for (event, range) in document::parse_events(text)? {
            match event {
                Event::Start(_) => {
                    depth += 1;
                    if depth == 1 {
                        plain.clear();
                    }
                }
                Event::End(tag) => {
                    depth = depth.saturating_sub(1);
                    if let (0, TagEnd::Heading(level)) = (depth, tag) {
                        let end = range.start + lines::trim_end(&text[range.clone()]).len();
                        let titles = [plain.as_str(), raw_title(&text[range.start..end])];
                        let heading = Heading {
                            level: level as u8,
                            start: lines::start(text, range.start),
                            end: lines::next(text, end),
                            is_match: name.matches(level as u8, titles),
                        };
                        outline.add(heading, &plain);
                    }
                }
                Event::Text(words) | Event::Code(words) => plain.push_str(&words),
                Event::SoftBreak | Event::HardBreak => plain.push(' '),
                _ => {}
            }
        }
        Ok(outline)
    }

    fn add(&mut self, heading: Heading, plain: &str) {
        if self.titles.len() < MAX_LISTED_NAMES {
            let signs = "#".repeat(heading.level.into());
            self.titles.push(truncate_name(&format!("{signs} {}", collapse_spaces(plain))));
        }
        self.headings.push(heading);
    }
}

/// Returns the source of a heading without its signs or underline. Only a setext heading has
/// several lines.
fn raw_title(source: &str) -> &str {
    match source.rfind(['\n', '\r']) {
        Some(underline) => &source[..underline],
        None => strip_heading_signs(source),
    }
}

/// Removes the signs in front of a heading line and, where a space sets them off, those behind it.
fn strip_heading_signs(line: &str) -> &str {
    let title = line.trim_start_matches('#').trim();
    let open = title.trim_end_matches('#');
    if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { title }
}

/// Joins the words of a text with single spaces, as a reader sees it.
fn collapse_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(text: &str) -> Vec<String> {
        Outline::parse(text, &HeadingName::parse("x")).expect("an outline").titles
    }

    fn check(text: &str, name: &str, expected: &[usize]) {
        let outline = Outline::parse(text, &HeadingName::parse(name)).expect("an outline");
        let named = outline.headings.iter().filter(|heading| heading.is_match);
        let starts = named.map(|heading| heading.start).collect::<Vec<_>>();
        assert_eq!(starts, expected, "{name:?} in {text:?}");
    }

    #[test]
    fn only_headings_at_the_top_level_count() {
        for text in [
            "```\n# no\n```\n# yes\n",
            "~~~~\n# no\n~~~\n# no\n~~~~\n# yes\n",
            "````\n```\n# no\n````\n# yes\n",
            "```md\n# no\n~~~\n# no\n```\n# yes\n",
            "a\n\n    # no\n\n# yes\n",
            "<!--\n# no\n\n# no\n-->\n# yes\n",
            "<div>\n# no\n</div>\n\n# yes\n",
            "> # no\n\n# yes\n",
            "- # no\n- a\n\n  # no\n\n# yes\n",
            "[^1]: # no\n\n# yes\n",
            "---\n# no\ntitle: a\n---\n# yes\n",
            "---\n# no\n...\n# yes\n",
            "\u{feff}---\n# no\n---\n# yes\n",
            "\u{feff}# yes\n",
            "#no\n\n####### no\n\n\\# no\n\n# yes\n",
            "| a |\n|---|\n| b |\n# yes\n| a |\n|---|\n",
            "  # yes\n",
        ] {
            assert_eq!(titles(text), ["# yes"], "{text:?}");
        }
        assert_eq!(titles("# yes\n```\n# no\n"), ["# yes"], "an unclosed fence");
        assert_eq!(titles("---\n# yes\n"), ["# yes"], "no frontmatter: it is not closed");
    }

    #[test]
    fn a_name_is_the_plain_or_the_raw_title() {
        let text = "## a *b* `c`  d ##\n";
        for name in ["a b c d", "a *b* `c`  d", "a *b* `c` d", "## a b c d", " ## a b c d ## "] {
            check(text, name, &[0]);
        }
        for name in ["a b c", "A b c d", "# a b c d", "### a b c d", "##a b c d", ""] {
            check(text, name, &[]);
        }
        check("# C#\n# C #\n", "C#", &[0]);
        check("# C#\n# C #\n", "C", &[5]);
        check("# \\# a\n", "# # a", &[0]);
        check("#\n# a\n##\n", "", &[0, 6]);
        check("# [a](b) &amp; ![c](d)\n", "a & c", &[0]);
        check("# a\n## a\n> # a\n\na\n-\n", "a", &[0, 4, 16]);
        check("# a\n## a\n> # a\n\na\n-\n", "## a", &[4, 16]);
    }

    #[test]
    fn setext_headings_have_several_lines() {
        let text = "one\n*two*\n===\ntext\n\nthree\r\n---\r\n";
        assert_eq!(titles(text), ["# one two", "## three"]);
        check(text, "one two", &[0]);
        check(text, "one\n*two*", &[0]);
        check(text, "## three", &[20]);
        let outline = Outline::parse(text, &HeadingName::parse("x")).expect("an outline");
        assert_eq!(outline.headings.iter().map(|h| h.end).collect::<Vec<_>>(), [14, 32]);
    }

    #[test]
    fn the_list_of_titles_is_bounded() {
        let text = format!("# {}\n{}", "ä".repeat(300), "# a\n".repeat(100));
        let titles = titles(&text);
        assert_eq!(titles.len(), MAX_LISTED_NAMES);
        assert_eq!(titles[0].chars().count(), 201);
    }
}
