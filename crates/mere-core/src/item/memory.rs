//! A memory: a short Markdown note in a store, with or without frontmatter.
//!
//! People drop plain notes into stores, so no key is required. What is stated must be valid: a
//! frontmatter that is broken or not closed is a fault, and so is a time that is not an RFC 3339
//! timestamp.

use std::ops::Range;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::bounds;
use super::fault::ItemFault;
use super::frontmatter::Frontmatter;
use super::id::ItemId;

/// A parsed memory.
#[derive(Clone, Debug)]
pub struct Memory {
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it was last changed.
    pub updated_at: Option<Timestamp>,
    /// When it expires; from then on it is hidden.
    pub expires_at: Option<Timestamp>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Who or what it comes from.
    pub source: Option<String>,
    /// The sources it cites.
    pub citations: Vec<String>,
    /// The whole frontmatter, including unknown keys.
    pub frontmatter: Map<String, Value>,
    /// The byte range after the frontmatter.
    pub content: Range<usize>,
    /// The first heading of the body, or the id if there is none or it is too long for a title. It
    /// is not cut, because a part of a path or of a secret would not be recognised as one.
    pub title: String,
}

impl Memory {
    /// Reports whether it has expired.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// Parses the memory with this slug.
    pub fn parse(text: &str, slug: &ItemId) -> Result<Self, ItemFault> {
        let frontmatter = Frontmatter::parse_optional(text)?;
        let title = first_heading(&text[frontmatter.content_start..]);
        let title = title.filter(|title| title.chars().count() <= bounds::TITLE.most);
        Ok(Self {
            created_at: parse_time(&frontmatter, "created_at")?,
            updated_at: parse_time(&frontmatter, "updated_at")?,
            expires_at: parse_time(&frontmatter, "expires_at")?,
            tags: frontmatter.text_list("tags")?,
            source: frontmatter.text("source")?.map(str::to_owned),
            citations: frontmatter.text_list("citations")?,
            title: title.unwrap_or(slug.as_str()).to_owned(),
            content: frontmatter.content_start..text.len(),
            frontmatter: frontmatter.to_map(),
        })
    }
}

fn parse_time(frontmatter: &Frontmatter<'_>, key: &str) -> Result<Option<Timestamp>, ItemFault> {
    let wrong = || {
        let fix = "Write a time with its zone, such as `2026-01-24T09:30:00Z`.";
        frontmatter.fault(key, "the value is not an RFC 3339 timestamp", fix)
    };
    let Some(stated) = frontmatter.text(key)? else { return Ok(None) };
    parse_rfc3339(stated).map(Some).ok_or_else(wrong)
}

/// Parses an RFC 3339 time, which includes a time zone.
///
/// The last days of the year 9999, which some write for "never", may be later than any timestamp;
/// they become the latest timestamp.
pub fn parse_rfc3339(text: &str) -> Option<Timestamp> {
    if !is_rfc3339(text) {
        return None;
    }
    let latest = text.starts_with("9999-12-3").then_some(Timestamp::MAX);
    text.parse().ok().or(latest)
}

/// Checks only the form. The parser accepts more than RFC 3339: times without seconds, or with the
/// name of a time zone.
fn is_rfc3339(text: &str) -> bool {
    let shaped = |text: &str, form: &str| {
        let mut pairs = text.bytes().zip(form.bytes());
        text.len() == form.len()
            && pairs
                .all(|(byte, form)| if form == b'0' { byte.is_ascii_digit() } else { byte == form })
    };
    let Some((time, rest)) = text.split_at_checked("0000-00-00T00:00:00".len()) else {
        return false;
    };
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|digit: char| digit.is_ascii_digit());
            if zone.len() == fraction.len() {
                return false;
            }
            zone
        }
        None => rest,
    };
    let zone = rest == "Z" || shaped(rest, "+00:00") || shaped(rest, "-00:00");
    shaped(time, "0000-00-00T00:00:00") && zone
}

/// Returns the first heading line outside of code.
fn first_heading(body: &str) -> Option<&str> {
    let mut fence = None;
    for line in body.lines().map(str::trim_end) {
        let unindented = line.trim_start_matches(' ');
        if line.len() - unindented.len() > 3 {
            continue;
        }
        let marks = |mark: char| unindented.len() - unindented.trim_start_matches(mark).len();
        match fence {
            Some((mark, count)) => {
                if marks(mark) >= count && marks(mark) == unindented.len() {
                    fence = None;
                }
            }
            None if marks('`') >= 3 => fence = Some(('`', marks('`'))),
            None if marks('~') >= 3 => fence = Some(('~', marks('~'))),
            None => {
                let rest = &unindented[marks('#')..];
                if (1..=6).contains(&marks('#')) && rest.starts_with([' ', '\t']) {
                    let title = trim_closing_hashes(rest.trim());
                    if !title.is_empty() {
                        return Some(title);
                    }
                }
            }
        }
    }
    None
}

/// Removes the `#` signs that may close a heading line.
fn trim_closing_hashes(title: &str) -> &str {
    let open = title.trim_end_matches('#');
    if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339() {
        for good in ["2026-01-24T09:30:00Z", "2026-01-24T09:30:00.25+01:00"] {
            assert!(is_rfc3339(good), "{good}");
        }
        for bad in [
            "2026-01-24",
            "2026-01-24T09:30Z",
            "2026-01-24T09:30:00",
            "2026-01-24 09:30:00Z",
            "2026-01-24T09:30:00.Z",
            "2026-01-24T09:30:00Z[UTC]",
            "2026-01-24T09:30:00+01",
            "2026-01-24T09:30:0é",
            "",
        ] {
            assert!(!is_rfc3339(bad), "{bad}");
        }
    }

    #[test]
    fn the_title_is_the_first_heading_outside_of_code() {
        for (body, expected) in [
            ("a\n## B c ##\n# D", Some("B c")),
            ("```sh\n# no\n~~~\n```\n  # C#\r\n", Some("C#")),
            ("    # no\n#no\n####### no\n#\n# #\n", None),
            ("", None),
        ] {
            assert_eq!(first_heading(body), expected, "{body:?}");
        }
    }
}
