//! Data-only XML: no DTD, no entities and a limited number of nodes. [`super::xml_bounds`] has
//! checked the other limits before.

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Map, Value};

use super::fault::ItemFault;
use super::xml_tag;

/// How many nodes a document may have.
const MAX_NODES: u32 = 20_000;

/// The attributes of an element in their order: the name as written, and the value.
pub type XmlAttributes = Vec<(String, String)>;

/// Parses an element that is the whole of `text`, as found by [`super::xml_bounds::element_end`].
pub(super) fn parse(text: &str) -> Result<Document<'_>, ItemFault> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..Default::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        let what = match error {
            roxmltree::Error::NodesLimitReached => "there are more than 20,000 nodes",
            roxmltree::Error::DtdDetected => "a document type is declared",
            roxmltree::Error::UnknownEntityReference(..) => "an entity is not known",
            roxmltree::Error::DuplicatedAttribute(..) => "an attribute appears twice",
            roxmltree::Error::UnknownNamespace(..) => "the prefix of a name is not declared",
            _ => "the XML is not well-formed",
        };
        let fix = match error {
            roxmltree::Error::UnknownNamespace(..) => {
                "Write the name without the prefix, or declare it in `<directive>`: \
                 `xmlns:prefix=\"…\"`."
            }
            roxmltree::Error::DuplicatedAttribute(..) => "Keep one of the two attributes.",
            _ => "Close every element, escape `<` and `&` (or use CDATA), and use no DTD.",
        };
        ItemFault {
            line: usize::try_from(place.row).unwrap_or(1),
            column: usize::try_from(place.col).unwrap_or(1),
            what: what.into(),
            fix: fix.into(),
        }
    })
}

/// Converts an element to JSON. An element without attributes and children becomes its trimmed
/// text; any other becomes an object of its attributes and children, with its text as `_text`.
/// Repeated names become lists; comments are dropped.
///
/// Metadata is hashed in this form, which therefore never changes. It does not keep everything:
/// see [`super::directive`] for the form that does.
pub(super) fn to_json(element: Node<'_, '_>) -> Value {
    let text = own_text(element);
    let children = element.children().filter(Node::is_element).collect::<Vec<_>>();
    if children.is_empty() && element.attributes().len() == 0 {
        return Value::from(text);
    }
    let mut map = Map::new();
    for attribute in element.attributes() {
        map.insert(attribute.name().to_owned(), attribute.value().into());
    }
    for child in children {
        insert_or_append(&mut map, child.tag_name().name(), to_json(child));
    }
    if !text.is_empty() {
        map.insert("_text".to_owned(), text.into());
    }
    Value::Object(map)
}

pub(super) fn insert_or_append(map: &mut Map<String, Value>, name: &str, value: Value) {
    match map.get_mut(name) {
        None => {
            map.insert(name.to_owned(), value);
        }
        Some(Value::Array(items)) => items.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
    }
}

/// Returns the text directly in an element, trimmed.
pub(super) fn own_text(element: Node<'_, '_>) -> String {
    raw_text(element).trim().to_owned()
}

/// Returns the text directly in an element, as written.
pub(super) fn raw_text(element: Node<'_, '_>) -> String {
    element.children().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// Returns all text below an element, without the blank lines around it and the indentation that
/// its lines share.
pub(super) fn deep_text(element: Node<'_, '_>) -> String {
    let texts = element.descendants().filter(Node::is_text).filter_map(|node| node.text());
    strip_layout(&texts.collect::<String>())
}

/// Returns a text without the blank lines around it and without the indentation that its lines
/// share. A line keeps its place relative to the others, so that code and lists stay what they are.
pub(super) fn strip_layout(text: &str) -> String {
    let text = text.trim_end();
    let begins = text.len() - text.trim_start().len();
    // A first line that begins behind a tag has lost its indentation already.
    let Some(first) = text[..begins].rfind('\n') else { return text[begins..].to_owned() };
    let block = &text[first + 1..];
    let mut lines = block.lines().filter(|line| !line.trim().is_empty());
    let indentation = |line: &'_ str| line.len() - line.trim_start().len();
    let shared = lines.next().map_or("", |line| &line[..indentation(line)]);
    let shared = lines.fold(shared, |shared, line| {
        let same = shared.chars().zip(line.chars()).take_while(|(left, right)| left == right);
        &shared[..same.map(|(left, _)| left.len_utf8()).sum()]
    });
    let stripped = block.split('\n').map(|line| line.strip_prefix(shared).unwrap_or(line.trim()));
    stripped.collect::<Vec<_>>().join("\n")
}

/// Returns the first child element with this name.
pub(super) fn child<'a, 'i>(element: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    element.children().find(|node| node.has_tag_name(name))
}

/// Returns the name of an element as it is written, with its prefix.
pub(super) fn written_name<'i>(element: Node<'_, 'i>) -> &'i str {
    let tag = &element.document().input_text()[element.range().start + 1..];
    let end = tag.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/'));
    &tag[..end.unwrap_or(tag.len())]
}

/// Returns all attributes of an element as they are written, declarations of namespaces included.
pub(super) fn attributes(element: Node<'_, '_>) -> XmlAttributes {
    let mut values = element.attributes().map(|attribute| attribute.value());
    let tag = &element.document().input_text()[element.range().start..];
    let names = xml_tag::attribute_names(tag).into_iter();
    names
        .map(|name| {
            let value = match name.strip_prefix("xmlns") {
                Some("") => element.default_namespace(),
                Some(prefix) if prefix.starts_with(':') => {
                    element.lookup_namespace_uri(Some(&prefix[1..]))
                }
                // The parser keeps the order of the other attributes.
                _ => values.next(),
            };
            (name.to_owned(), value.unwrap_or_default().to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_the_places_of_its_lines() {
        for (text, expected) in [
            ("", ""),
            (" \n \t", ""),
            ("  a  ", "a"),
            ("\n  a\n", "a"),
            ("\n  a:\n    b\n\n  c\n ", "a:\n  b\n\nc"),
            ("a\n  b", "a\n  b"),
            ("\n\ta\n  b", "\ta\n  b"),
            ("\n    a\n  b\n   c", "  a\nb\n c"),
            ("\n  a\n \n  b", "a\n\nb"),
            ("\n\u{a0}é\n\u{a0}\u{a0}ü", "é\n\u{a0}ü"),
        ] {
            assert_eq!(strip_layout(text), expected, "{text:?}");
        }
    }

    #[test]
    fn attributes_are_those_that_are_written() {
        for (text, expected) in [
            ("<a/>", vec![]),
            ("<a b='1'\n c = \"&lt;'2'>\" />", vec![("b", "1"), ("c", "<'2'>")]),
            (
                "<a p:b='1' b='2' xmlns:p='u' xmlns='v' xml:lang='de'/>",
                vec![
                    ("p:b", "1"),
                    ("b", "2"),
                    ("xmlns:p", "u"),
                    ("xmlns", "v"),
                    ("xml:lang", "de"),
                ],
            ),
            ("<é ü='ö'>b='c'</é>", vec![("ü", "ö")]),
        ] {
            let document = parse(text).expect(text);
            let found = attributes(document.root_element());
            let found = found.iter().map(|(name, value)| (&**name, &**value)).collect::<Vec<_>>();
            assert_eq!(found, expected, "{text}");
        }
    }
}
