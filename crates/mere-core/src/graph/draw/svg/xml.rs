//! Text in XML, and what stands around it. Nothing from an entry gets in by another way than
//! [`Xml::text`].

use std::fmt::{Arguments, Write};

/// A document in the making.
#[derive(Debug, Default)]
pub(super) struct XmlWriter(String);

impl XmlWriter {
    /// Adds our own markup.
    pub(super) fn push_markup(&mut self, markup: Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(markup);
    }

    /// Adds a text, escaped; what XML has no place for is left out.
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

    /// The document.
    pub(super) fn into_string(self) -> String {
        self.0
    }
}
