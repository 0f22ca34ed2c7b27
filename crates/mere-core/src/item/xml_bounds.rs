//! Finds the bounds of an XML element before the parser runs.
//!
//! It makes one pass over the tags, as exact as the parser's: quotes, comments, CDATA and
//! processing instructions hide what is in them. It finds where the element ends, and refuses what
//! would cost the parser more than linear time: depth, attributes (each is compared with every
//! other) and namespaces (each element that declares one copies those around it).
//!
//! It also refuses what authors get wrong most, a `<` or `&` that is not escaped, where it stands:
//! the parser would blame a later tag that does not fit.

use std::ops::Range;

use super::fault::ItemFault;
use super::xml_tag::{TagFault, XmlTag, tag_end};
use crate::reply::{Content, Prose};

/// How deeply elements may be nested.
const MAX_DEPTH: usize = 32;
/// How many attributes one element may have.
pub(super) const MAX_ATTRIBUTES: usize = 64;
/// How many namespaces a document may declare.
const MAX_NAMESPACES: usize = 16;
/// How many characters of an element's name a fault repeats.
const MAX_NAME_CHARACTERS: usize = 64;

const FIX: &str = "Close every element, escape `<` and `&` (or use CDATA), and use no DTD.";
const FIX_LESS_THAN: &str = "Write `&lt;` for a `<` in text, or put the text between `<![CDATA[` and \
    `]]>`; write attributes as `name=\"value\"`.";
const FIX_AMPERSAND: &str = "Write `&amp;` for a `&` in text, or put the text between `<![CDATA[` and \
    `]]>`; `&lt;`, `&gt;`, `&quot;` and `&apos;` are the only other names.";
const FIX_UNCLOSED: &str =
    "Close it, or write `&lt;` for its `<` if it is text (or put the text in CDATA).";

/// Returns the offset after the element that begins at `start`. Faults have offsets in `text`.
pub(super) fn element_end(text: &str, start: usize) -> Result<usize, ItemFault> {
    let mut scan = TagScanner { text, open_elements: Vec::new(), namespaces: 0 };
    let mut at = start;
    while let Some(found) = text[at..].find('<') {
        let scanned = scan.check_references(at..at + found);
        let scanned = scanned.and_then(|()| scan.scan_markup(at + found));
        at = scanned.map_err(|fault| scan.blame(fault))?;
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

/// An element whose closing tag has not come yet.
struct OpenElement<'a> {
    at: usize,
    name: &'a str,
}

/// A fault at an offset, before it is known which tag is to blame.
struct MarkupFault {
    at: usize,
    what: Prose,
    fix: &'static str,
}

impl MarkupFault {
    fn new(at: usize, what: impl Into<Prose>, fix: &'static str) -> Self {
        Self { at, what: what.into(), fix }
    }
}

struct TagScanner<'a> {
    text: &'a str,
    open_elements: Vec<OpenElement<'a>>,
    namespaces: usize,
}

impl<'a> TagScanner<'a> {
    /// Scans the markup that begins with the `<` at `at`, and returns the offset after it.
    fn scan_markup(&mut self, at: usize) -> Result<usize, MarkupFault> {
        const HIDING: [(&str, &str, &str); 3] = [
            ("<!--", "-->", "a comment is not closed"),
            ("<![CDATA[", "]]>", "a CDATA section is not closed"),
            ("<?", "?>", "a processing instruction is not closed"),
        ];
        let rest = &self.text[at..];
        for (begin, end, unclosed) in HIDING {
            if let Some(hidden) = rest.strip_prefix(begin) {
                let length = hidden.find(end);
                let length = length.ok_or_else(|| MarkupFault::new(at, unclosed, FIX_UNCLOSED))?;
                return Ok(at + begin.len() + length + end.len());
            }
        }
        if rest.starts_with("<!") {
            return Err(MarkupFault::new(at, "a document type is declared", FIX));
        }
        let tag = XmlTag::scan(self.text, at).map_err(|fault| tag_fault(at, fault))?;
        self.check_references(at..tag.end)?;
        if tag.is_closing {
            self.close_element(at, tag.name)?;
        } else {
            self.open_element(at, &tag)?;
        }
        Ok(tag.end)
    }

    fn open_element(&mut self, at: usize, tag: &XmlTag<'a>) -> Result<(), MarkupFault> {
        self.namespaces += tag.namespaces;
        let depth = self.open_elements.len() + 1;
        let (what, fix) = if self.namespaces > MAX_NAMESPACES {
            (
                "there are more than 16 namespaces",
                "Remove the namespaces: names need no prefix here.",
            )
        } else if depth > MAX_DEPTH {
            ("elements are nested more than 32 levels deep", "Flatten them.")
        } else {
            if !tag.is_empty {
                self.open_elements.push(OpenElement { at, name: tag.name });
            }
            return Ok(());
        };
        Err(MarkupFault::new(at, what, fix))
    }

    /// Closes the innermost element. If the tag closes one around it, the innermost was never
    /// closed, or it is text that looks like a tag.
    fn close_element(&mut self, at: usize, name: &str) -> Result<(), MarkupFault> {
        if self.open_elements.last().is_some_and(|open| open.name == name) {
            self.open_elements.pop();
            return Ok(());
        }
        let closes_outer = self.open_elements.iter().any(|open| open.name == name);
        if let Some(inner) = self.open_elements.last().filter(|_| closes_outer) {
            return Err(MarkupFault::new(inner.at, unclosed_sentence(inner.name), FIX_UNCLOSED));
        }
        let what = "a closing tag does not match the element it closes";
        Err(MarkupFault::new(at, what, FIX))
    }

    /// Refuses an `&` that begins no reference, and references to nothing, which the parser would
    /// replace.
    fn check_references(&self, range: Range<usize>) -> Result<(), MarkupFault> {
        for (offset, _) in self.text[range.clone()].match_indices('&') {
            let at = range.start + offset;
            if let Some(what) = reference_fault(&self.text[at + 1..range.end]) {
                return Err(MarkupFault::new(at, what, FIX_AMPERSAND));
            }
        }
        Ok(())
    }

    /// Decides which tag is to blame for a fault. If the whole element was never closed, what comes
    /// after it is not part of it, and says nothing about it.
    fn blame(&self, fault: MarkupFault) -> ItemFault {
        let root = self.open_elements.first();
        let is_closed = |root: &OpenElement<'_>| {
            let closings = self.text[fault.at..].match_indices("</");
            let mut names = closings.map(|(found, _)| &self.text[fault.at + found + 2..]);
            names.any(|name| name.starts_with(root.name))
        };
        match root {
            Some(root) if !is_closed(root) => self.unclosed_fault(),
            _ => ItemFault::at_offset(self.text, fault.at, fault.what, fault.fix),
        }
    }

    /// Blames the element as a whole, which the file does not close.
    fn unclosed_fault(&self) -> ItemFault {
        let (at, what) = match self.open_elements.first() {
            Some(open) => (open.at, unclosed_sentence(open.name)),
            None => (0, "the element is not closed".into()),
        };
        ItemFault::at_offset(self.text, at, what, FIX_UNCLOSED)
    }
}

/// Says that an element is not closed. Its name is the author's.
fn unclosed_sentence(name: &str) -> Prose {
    Prose::words("the element `<").content(element_name(name)).and(">` is not closed")
}

/// Returns the name of an element for a sentence, cut if it is too long for one.
pub(super) fn element_name(name: &str) -> Content {
    Content::mention(name).shorten(MAX_NAME_CHARACTERS)
}

fn tag_fault(at: usize, fault: TagFault) -> MarkupFault {
    match fault {
        TagFault::NoTag => MarkupFault::new(at, "this `<` is not escaped", FIX_LESS_THAN),
        TagFault::Malformed => {
            let what = "this `<` is not escaped, or its tag is not well-formed";
            MarkupFault::new(at, what, FIX_LESS_THAN)
        }
        TagFault::LessThanInValue(at) => {
            MarkupFault::new(at, "this `<` is not escaped", FIX_LESS_THAN)
        }
        TagFault::UnclosedQuote(at) => {
            let fix = "Close it with the same kind of quote.";
            MarkupFault::new(at, "this quote is not closed", fix)
        }
        TagFault::UnquotedValue(at) => {
            let fix = "Write attributes as `name=\"value\"`.";
            MarkupFault::new(at, "the value of an attribute is not in quotes", fix)
        }
        TagFault::TooManyAttributes => {
            let what = "an element has more than 64 attributes";
            MarkupFault::new(at, what, "Use child elements instead.")
        }
    }
}

/// Returns what is wrong with a reference, of which `rest` is the text after the `&`.
fn reference_fault(rest: &str) -> Option<&'static str> {
    // No reference that means something is longer.
    let bytes = rest.as_bytes();
    let end = bytes.iter().take(16).position(|byte| *byte == b';');
    let name = end.and_then(|end| rest.get(..end));
    let Some(name) = name.filter(|name| is_reference_name(name)) else {
        return Some("this `&` is not escaped");
    };
    let Some(number) = name.strip_prefix('#') else {
        let is_known = ["amp", "lt", "gt", "quot", "apos"].contains(&name);
        return (!is_known).then_some("an entity is not known");
    };
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
    let digits = Some(digits).filter(|digits| digits.chars().all(|c| c.is_digit(radix)));
    let code = digits.and_then(|digits| u32::from_str_radix(digits, radix).ok());
    let what = "a character reference does not stand for any character";
    code.and_then(char::from_u32).is_none().then_some(what)
}

fn is_reference_name(name: &str) -> bool {
    let rest = name.strip_prefix('#').unwrap_or(name);
    !rest.is_empty() && rest.chars().all(char::is_alphanumeric)
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
            ("<a b='/a>' c=\">\"/></a>", "<a b='/a>' c=\">\"/>"),
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

    #[test]
    fn a_fault_is_where_the_author_erred() {
        let faults = [
            ("<a>x < y</a>", 5, "this `<` is not escaped"),
            ("<a>x <= y</a>", 5, "this `<` is not escaped"),
            ("<a>1<2</a>", 4, "this `<` is not escaped"),
            ("<a>x <", 0, "is not closed"),
            ("<a><b>if x <y and z</b></a>", 11, "this `<` is not escaped, or"),
            ("<a>x<y and z>w</a>", 4, "this `<` is not escaped, or"),
            ("<a>me <me@example.org></a>", 6, "this `<` is not escaped, or"),
            ("<a><b>List<String></b></a>", 10, "is not closed"),
            ("<a><b>x</a>", 3, "is not closed"),
            ("<a>\n<b>x\n</a>", 4, "is not closed"),
            ("<a>x</b></a>", 4, "does not match"),
            ("<a>\nx <b", 0, "is not closed"),
            ("<a b='x < y'></a>", 8, "this `<` is not escaped"),
            ("<a><b c='x>\n<d e='f'/></b></a>", 8, "this quote is not closed"),
            ("<a><b c=d>e</b></a>", 8, "not in quotes"),
            ("<a>x & y</a>", 5, "this `&` is not escaped"),
            ("<a>x && y</a>", 5, "this `&` is not escaped"),
            ("<a>AT&T</a>", 5, "this `&` is not escaped"),
            ("<a b='x?y=1&z=2'/>", 11, "this `&` is not escaped"),
            ("<a>&nbsp;</a>", 3, "an entity is not known"),
            ("<a>&#xD800;</a>", 3, "does not stand for any character"),
            ("<a>&#;</a>", 3, "this `&` is not escaped"),
            ("<a>&#12x;</a>", 3, "does not stand for any character"),
            ("<a>\n<!-- x </a>", 4, "a comment is not closed"),
            ("<a><![CDATA[ x </a>", 3, "a CDATA section is not closed"),
            ("<a>é & </a>", 6, "this `&` is not escaped"),
            // Behind an element that is not closed, nothing is part of it.
            ("<a>x\n\nprose with x < y & z", 0, "is not closed"),
        ];
        for (text, at, says) in faults {
            let fault = element_end(text, 0).expect_err(text);
            let expected = ItemFault::at_offset(text, at, "", "");
            assert_eq!((fault.line, fault.column), (expected.line, expected.column), "{text}");
            let what = fault.what.render_for_person();
            assert!(what.contains(says), "{text}: {what}");
        }
    }
}
