//! Scans one XML tag: where it ends, its name, and how many attributes it has.
//!
//! It accepts what is a tag to a reader; the parser, which runs later, decides the rest.

use super::xml_bounds::MAX_ATTRIBUTES;

/// A tag that was scanned.
pub(super) struct XmlTag<'a> {
    pub(super) name: &'a str,
    /// The offset after its `>`.
    pub(super) end: usize,
    /// Whether it closes an element, as `</a>` does.
    pub(super) is_closing: bool,
    /// Whether its element has no content, as in `<a/>`.
    pub(super) is_empty: bool,
    /// How many of its attributes declare a namespace.
    pub(super) namespaces: usize,
}

/// Why a `<` does not begin a tag.
#[derive(Clone, Copy)]
pub(super) enum TagFault {
    /// No name follows.
    NoTag,
    /// A name follows, but what comes then is not a tag.
    Malformed,
    /// There is a `<` within quotes, at this offset.
    LessThanInValue(usize),
    /// The quote at this offset is not closed.
    UnclosedQuote(usize),
    /// The value of an attribute, at this offset, is not in quotes.
    UnquotedValue(usize),
    /// It has more attributes than are allowed.
    TooManyAttributes,
}

impl<'a> XmlTag<'a> {
    /// Scans the tag that begins with the `<` at `at`.
    pub(super) fn scan(text: &'a str, at: usize) -> Result<Self, TagFault> {
        let is_closing = text[at + 1..].starts_with('/');
        let mut cursor = TagCursor { text, at: at + 1 + usize::from(is_closing) };
        let name = cursor.take_name().ok_or(TagFault::NoTag)?;
        let (mut attributes, mut namespaces) = (0, 0);
        loop {
            cursor.skip_space();
            let is_empty = !is_closing && cursor.rest().starts_with("/>");
            if is_empty || cursor.rest().starts_with('>') {
                let end = cursor.at + 1 + usize::from(is_empty);
                return Ok(Self { name, end, is_closing, is_empty, namespaces });
            }
            let attribute = cursor.take_attribute()?;
            attributes += 1;
            namespaces += usize::from(attribute.starts_with("xmlns"));
            if is_closing {
                return Err(TagFault::Malformed);
            }
            if attributes > MAX_ATTRIBUTES {
                return Err(TagFault::TooManyAttributes);
            }
        }
    }
}

/// Returns the names of the attributes of the tag with which a text begins, as they are written.
pub(super) fn attribute_names(tag: &str) -> Vec<&str> {
    let mut cursor = TagCursor { text: tag, at: 1 };
    let mut names = Vec::new();
    cursor.take_name();
    loop {
        cursor.skip_space();
        match cursor.take_attribute() {
            Ok(name) => names.push(name),
            Err(_) => return names,
        }
    }
}

/// Returns the offset after the `>` of the tag that begins at `at`. A `>` within quotes does not
/// count.
pub(super) fn tag_end(text: &str, at: usize) -> Option<usize> {
    let mut quote = None;
    for (offset, byte) in text[at + 1..].bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + offset + 2),
            (None, b'<') => return None,
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// A position within a tag.
struct TagCursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> TagCursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    /// Takes a name, if one begins here.
    fn take_name(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let is_name = |c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-' | '.') || !c.is_ascii()
        };
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.');
        if name.is_empty() || name.starts_with(is_digit) {
            return None;
        }
        self.at += name.len();
        Some(name)
    }

    /// Takes `name="value"` and returns the name.
    fn take_attribute(&mut self) -> Result<&'a str, TagFault> {
        let name = self.take_name().ok_or(TagFault::Malformed)?;
        self.skip_space();
        if !self.rest().starts_with('=') {
            return Err(TagFault::Malformed);
        }
        self.at += 1;
        self.skip_space();
        let quote = self.rest().chars().next().filter(|c| matches!(c, '"' | '\''));
        let quote = quote.ok_or(TagFault::UnquotedValue(self.at))?;
        let value = &self.rest()[1..];
        let end = value.find([quote, '<']).ok_or(TagFault::UnclosedQuote(self.at))?;
        if !value[end..].starts_with(quote) {
            // Where the tag seems to be over, it is the next tag that begins here.
            let is_next_tag = value[..end].contains(['>', '\n']);
            let less_than = self.at + 1 + end;
            return Err(if is_next_tag {
                TagFault::UnclosedQuote(self.at)
            } else {
                TagFault::LessThanInValue(less_than)
            });
        }
        self.at += end + 2;
        Ok(name)
    }
}
