//! Where a link leads. No link can run a script: only a few schemes can be made.

use std::fmt::Write as _;

/// The longest link of a text, in bytes.
const MAX_BYTES: usize = 2_048;

/// The schemes that a link of a text may have.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// The keys and values after the `?` of a link.
pub type QueryPairs<'a> = &'a [(&'static str, &'a str)];

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Href(String);

impl Href {
    /// Leads to a page of the same server. Each segment is encoded.
    pub fn page(segments: &[&str]) -> Self {
        let mut path = String::new();
        for segment in segments {
            path.push('/');
            encode(segment, &mut path);
        }
        Self(if path.is_empty() { "/".to_owned() } else { path })
    }

    /// Leads to a place on the same page.
    pub fn place(id: &str) -> Self {
        let mut text = "#".to_owned();
        encode(id, &mut text);
        Self(text)
    }

    /// Adds a query. Pairs without a value are left out.
    #[must_use]
    pub fn with_query(mut self, pairs: QueryPairs<'_>) -> Self {
        let mut mark = '?';
        for (key, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
            self.0.push(mark);
            self.0.push_str(key);
            self.0.push('=');
            encode(value, &mut self.0);
            mark = '&';
        }
        self
    }

    /// Parses a link that somebody wrote: http, https, mailto or relative. Everything else, such as
    /// `javascript:` and `data:`, is no link.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        // Browsers drop some control characters, and would see another scheme than we do.
        if text.is_empty() || text.len() > MAX_BYTES || text.chars().any(char::is_control) {
            return None;
        }
        let scheme = text.find([':', '/', '?', '#']).filter(|at| text[*at..].starts_with(':'));
        match scheme.map(|at| text[..at].to_ascii_lowercase()) {
            Some(scheme) if !SCHEMES.contains(&scheme.as_str()) => None,
            _ => Some(Self(text.to_owned())),
        }
    }

    /// Returns it as it is written into a page, before it is escaped.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Percent-encodes all but the characters that never need it.
fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_schemes_are_links() {
        for good in [
            "https://example.org/a?b#c",
            "HTTP://example.org",
            "mailto:ada@example.org",
            "../other.md",
            "#heading",
            "?q=a:b",
            "a/b:c",
            "/x",
        ] {
            assert!(Href::from_text(good).is_some(), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            " JavaScript:alert(1)",
            "java\nscript:alert(1)",
            "java\tscript:alert(1)",
            "\u{1}javascript:alert(1)",
            "data:text/html,<script>",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:x",
            "",
        ] {
            assert_eq!(Href::from_text(bad), None, "{bad}");
        }
    }

    #[test]
    fn segments_and_values_are_encoded() {
        let href = Href::page(&["i", "a/b", "ü"]).with_query(&[("q", "a&b"), ("n", "")]);
        assert_eq!(href.as_str(), "/i/a%2Fb/%C3%BC?q=a%26b");
        assert_eq!(Href::page(&[]).as_str(), "/");
    }
}
