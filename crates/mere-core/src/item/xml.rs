//! Data-only XML: no DTD, no entities and a limited number of nodes. [`super::xml_bounds`] has
//! checked the other limits before.

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Map, Value};

use super::fault::ItemFault;

/// How many nodes a document may have.
const MAX_NODES: u32 = 20_000;

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
            _ => "the XML is not well-formed",
        };
        let fix = "Close every element, escape `<` and `&` (or use CDATA), and use no DTD.";
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

fn insert_or_append(map: &mut Map<String, Value>, name: &str, value: Value) {
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
    let text = element.children().filter(Node::is_text).filter_map(|node| node.text());
    text.collect::<String>().trim().to_owned()
}

/// Returns the first child element with this name.
pub(super) fn child<'a, 'i>(element: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    element.children().find(|node| node.has_tag_name(name))
}
