//! An XML writer. Text from entries is added only through [`XmlWriter::push_text`], which escapes
//! it.

use std::fmt::{Arguments, Write};

/// A document under construction.
#[derive(Debug, Default)]
pub(super) struct XmlWriter(String);

impl XmlWriter {
    /// Adds our own markup, unescaped.
    pub(super) fn push_markup(&mut self, markup: Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(markup);
    }

    /// Adds an escaped text; characters that XML does not allow are dropped.
    pub(super) fn push_text(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
                c => self.0.push(c),
            }
        }
    }

    /// Returns the document.
    pub(super) fn into_string(self) -> String {
        self.0
    }
}
