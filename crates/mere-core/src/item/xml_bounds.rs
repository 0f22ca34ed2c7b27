//! Finds the bounds of an XML element before the parser runs.
//!
//! It makes one pass over the tags, as exact as the parser's: quotes, comments, CDATA and
//! processing instructions hide what is in them. It finds where the element ends, and refuses what
//! would cost the parser more than linear time: depth, attributes (each is compared with every
//! other) and namespaces (each element that declares one copies those around it).

use std::ops::Range;

use super::fault::ItemFault;

/// How deeply elements may be nested.
const MAX_DEPTH: usize = 32;
/// How many attributes one element may have.
const MAX_ATTRIBUTES: usize = 64;
/// How many namespaces a document may declare.
const MAX_NAMESPACES: usize = 16;

const FIX: &str = "Close every element, escape `<` and `&` (or use CDATA), and use no DTD.";

/// Returns the offset after the element that begins at `start`. Faults have offsets in `text`.
pub(super) fn element_end(text: &str, start: usize) -> Result<usize, ItemFault> {
    let mut scan = TagScanner { text, start, open_elements: Vec::new(), namespaces: 0 };
    let mut at = start;
    while let Some(found) = text[at..].find('<') {
        scan.check_references(at..at + found)?;
        at = scan.scan_markup(at + found)?;
        if scan.open_elements.is_empty() {
            return Ok(at);
        }
    }
    Err(scan.unclosed_fault())
}

/// Returns the range between the tags of an element, of which `raw` is the whole text. Returns
/// `None` for `<a/>`.
pub(super) fn content_range(raw: &str) -> Option<Range<usize>> {
    let start = tag_end(raw, 0)?;
    let end = raw.rfind("</")?;
    (start <= end).then_some(start..end)
}

struct TagScanner<'a> {
    text: &'a str,
    start: usize,
    /// The names of the open elements.
    open_elements: Vec<&'a str>,
    namespaces: usize,
}

impl<'a> TagScanner<'a> {
    /// Scans the markup that begins with the `<` at `at`, and returns the offset after it.
    fn scan_markup(&mut self, at: usize) -> Result<usize, ItemFault> {
        let rest = &self.text[at..];
        for (begin, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
            if let Some(hidden) = rest.strip_prefix(begin) {
                let length = hidden.find(end).ok_or_else(|| self.unclosed_fault())?;
                return Ok(at + begin.len() + length + end.len());
            }
        }
        if rest.starts_with("<!") {
            return Err(ItemFault::at_offset(self.text, at, "a document type is declared", FIX));
        }
        let end = tag_end(self.text, at).ok_or_else(|| self.unclosed_fault())?;
        self.check_references(at..end)?;
        let tag = &self.text[at + 1..end - 1];
        match tag.strip_prefix('/') {
            Some(name) => self.close_element(at, name.trim_end())?,
            None => self.open_element(at, tag)?,
        }
        Ok(end)
    }

    fn open_element(&mut self, at: usize, tag: &'a str) -> Result<(), ItemFault> {
        let (attributes, namespaces) = count_attributes(tag);
        self.namespaces += namespaces;
        let depth = self.open_elements.len() + 1;
        let (what, fix) = if attributes > MAX_ATTRIBUTES {
            ("an element has more than 64 attributes", "Use child elements instead.")
        } else if self.namespaces > MAX_NAMESPACES {
            (
                "there are more than 16 namespaces",
                "Remove the namespaces: names need no prefix here.",
            )
        } else if depth > MAX_DEPTH {
            ("elements are nested more than 32 levels deep", "Flatten them.")
        } else {
            if !tag.ends_with('/') {
                let end = tag.find(|c: char| c.is_ascii_whitespace()).unwrap_or(tag.len());
                self.open_elements.push(&tag[..end]);
            }
            return Ok(());
        };
        Err(ItemFault::at_offset(self.text, at, what, fix))
    }

    fn close_element(&mut self, at: usize, name: &str) -> Result<(), ItemFault> {
        if self.open_elements.pop() == Some(name) {
            return Ok(());
        }
        Err(ItemFault::at_offset(
            self.text,
            at,
            "a closing tag does not match the element it closes",
            FIX,
        ))
    }

    /// Refuses character references to no character, which the parser would replace.
    fn check_references(&self, range: Range<usize>) -> Result<(), ItemFault> {
        for (at, _) in self.text[range.clone()].match_indices("&#") {
            let rest = &self.text[range.start + at + 2..range.end];
            let (digits, radix) = rest.strip_prefix('x').map_or((rest, 10), |rest| (rest, 16));
            let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
            let number = u32::from_str_radix(&digits[..end], radix).ok();
            if number.and_then(char::from_u32).is_none() {
                let what = "a character reference does not stand for any character";
                return Err(ItemFault::at_offset(self.text, range.start + at, what, FIX));
            }
        }
        Ok(())
    }

    fn unclosed_fault(&self) -> ItemFault {
        ItemFault::at_offset(self.text, self.start, "the element is not closed", FIX)
    }
}

/// Returns the offset after the `>` of the tag that begins at `at`. A `>` within quotes does not
/// count.
fn tag_end(text: &str, at: usize) -> Option<usize> {
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

/// Counts the attributes of a tag, and those of them that declare a namespace.
fn count_attributes(tag: &str) -> (usize, usize) {
    let (mut attributes, mut namespaces, mut quote, mut word) = (0, 0, None, 0);
    for (offset, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => {
                quote = None;
                word = offset + 1;
            }
            (None, b'=') => {
                attributes += 1;
                let name = tag[word..offset].trim_ascii_end();
                let start = name.rfind(|c: char| c.is_ascii_whitespace()).map_or(0, |at| at + 1);
                namespaces += usize::from(name[start..].starts_with("xmlns"));
                word = offset + 1;
            }
            _ => {}
        }
    }
    (attributes, namespaces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_ends_where_its_name_closes_it() {
        for (text, expected) in [
            ("<a/>b", "<a/>"),
            ("<a><a></a></a>b</a>", "<a><a></a></a>"),
            ("<a><![CDATA[</a>]]></a >b", "<a><![CDATA[</a>]]></a >"),
            ("<a><!-- </a> --><?x </a> ?></a>b", "<a><!-- </a> --><?x </a> ?></a>"),
            ("<a b='</a>' c=\">\"/></a>", "<a b='</a>' c=\">\"/>"),
        ] {
            assert_eq!(element_end(text, 0).ok(), Some(expected.len()), "{text}");
        }
    }

    #[test]
    fn what_is_not_closed_or_too_much_is_refused() {
        let deep = "<a>".repeat(33);
        let many = format!("<a b='>' {}/>", "c='>'".repeat(64));
        let spaces = format!("<a>{}</a>", "<b xmlns:c='d'/>".repeat(17));
        for text in ["<a>", "<a", "<a b='>", "<a><b></a>", "<a><!--</a>", "<a><!X></a>", "<a <b/>"]
        {
            assert!(element_end(text, 0).is_err(), "{text}");
        }
        for text in [&deep, &many, &spaces] {
            assert!(element_end(text, 0).is_err(), "{text}");
        }
        assert!(element_end(&format!("<a {}/>", "c='='".repeat(64)), 0).is_ok());
    }
}
