//! A piece of a page.
//!
//! The field is private to this crate's builders: text becomes part of a page only through
//! [`Html::text`], which escapes it, and everything else is an element.

use std::fmt::Write as _;

/// A piece of a page: elements, and text that is escaped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Makes a piece of a text, whatever it contains.
    pub fn text(text: &str) -> Self {
        let mut html = Self::default();
        html.push_text(text);
        html
    }

    /// Makes a piece of the beginning of a text, of at most about this many bytes when it is escaped.
    /// Returns `None` in the second place if that is the whole text, else a note that it is not.
    pub fn beginning(text: &str, limit: usize) -> (Self, Option<&'static str>) {
        let mut html = Self::default();
        let is_whole = html.push_text_within(text, limit);
        (html, (!is_whole).then_some("It is long; the rest of it is not shown here."))
    }

    /// Adds something at the end.
    pub fn push(&mut self, more: impl Into<Self>) {
        let more = more.into();
        if self.0.is_empty() {
            *self = more;
        } else {
            self.0.push_str(&more.0);
        }
    }

    /// Adds something at the end.
    #[must_use]
    pub fn with(mut self, more: impl Into<Self>) -> Self {
        self.push(more);
        self
    }

    /// Returns whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns its size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds text. Characters that could end a text or an attribute are escaped; control characters,
    /// which no page may contain, are shown as the replacement character.
    pub(crate) fn push_text(&mut self, text: &str) {
        self.push_text_within(text, usize::MAX);
    }

    /// Adds text until there are more bytes than the limit. Returns whether it was all added.
    pub(crate) fn push_text_within(&mut self, text: &str, limit: usize) -> bool {
        for c in text.chars() {
            if self.0.len() > limit {
                return false;
            }
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(c),
                c if is_hidden(c) => {
                    let _ = write!(self.0, "&#xfffd;");
                }
                c => self.0.push(c),
            }
        }
        true
    }

    /// Adds markup of this crate.
    pub(crate) fn push_markup(&mut self, markup: &'static str) {
        self.0.push_str(markup);
    }
}

/// Tells whether a character is invisible and could change how the rest is read: control characters
/// and those that turn the direction of writing.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl From<&str> for Html {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        Self::text(&text)
    }
}

impl From<&String> for Html {
    fn from(text: &String) -> Self {
        Self::text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Html {
    fn from(piece: Option<T>) -> Self {
        piece.map(Into::into).unwrap_or_default()
    }
}

impl<T: Into<Self>> FromIterator<T> for Html {
    fn from_iter<I: IntoIterator<Item = T>>(pieces: I) -> Self {
        pieces.into_iter().fold(Self::default(), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let check = |text: &str, expected: &str| assert_eq!(Html::text(text).as_str(), expected);
        check("a < b & c > d", "a &lt; b &amp; c &gt; d");
        check("\"x\" 'y'", "&quot;x&quot; &#39;y&#39;");
        check("a\u{0}b\u{1b}c\u{202e}d", "a&#xfffd;b&#xfffd;c&#xfffd;d");
        check("größer\n\t☃", "größer\n\t☃");
    }
}
