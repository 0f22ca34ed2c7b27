//! The content of an element with everything that its author wrote, in order.
//!
//! Texts, elements and attributes are kept; comments and processing instructions are not content.
//! A text loses the blank lines around it and the indentation that its lines share, and nothing
//! else.

use roxmltree::Node;
use serde_json::{Map, Value, json};

use crate::item::xml::{self, XmlAttributes};

/// One part of an element's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A text.
    Text(String),
    /// An element.
    Element(PartElement),
}

/// An element within the content of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartElement {
    /// Its name, as written.
    pub tag: String,
    /// Its attributes.
    pub attributes: XmlAttributes,
    /// Its own content.
    pub parts: Vec<Part>,
}

impl Part {
    /// Converts an element and all of its content.
    pub(super) fn element(element: Node<'_, '_>) -> Self {
        Self::Element(PartElement {
            tag: xml::written_name(element).to_owned(),
            attributes: xml::attributes(element),
            parts: content_parts(element),
        })
    }

    /// Makes a part of the attributes of an element whose content is kept elsewhere. Returns `None`
    /// if it has none.
    pub(super) fn attributes_only(element: Node<'_, '_>) -> Option<Self> {
        let (tag, attributes) = (xml::written_name(element).to_owned(), xml::attributes(element));
        let has_some = !attributes.is_empty();
        has_some.then_some(Self::Element(PartElement { tag, attributes, parts: Vec::new() }))
    }

    fn to_json(&self) -> Value {
        let mut map = Map::new();
        match self {
            Self::Text(text) => return json!({ "text": text }),
            Self::Element(element) => {
                map.insert("tag".to_owned(), element.tag.as_str().into());
                insert_content(&mut map, &element.attributes, &element.parts);
            }
        }
        Value::Object(map)
    }
}

/// A run of content: text, or an element.
pub(super) enum ContentRun<'a, 'i> {
    Text(String),
    Element(Node<'a, 'i>),
}

/// Returns the content of an element in order. Texts that only a comment separates are one text,
/// and blank ones are left out.
pub(super) fn content_runs<'a, 'i>(element: Node<'a, 'i>) -> Vec<ContentRun<'a, 'i>> {
    let mut runs = Vec::new();
    let mut text = String::new();
    let end_text = |text: &mut String, runs: &mut Vec<_>| {
        let stripped = xml::strip_layout(&std::mem::take(text));
        if !stripped.is_empty() {
            runs.push(ContentRun::Text(stripped));
        }
    };
    for node in element.children() {
        if node.is_element() {
            end_text(&mut text, &mut runs);
            runs.push(ContentRun::Element(node));
        } else if node.is_text() {
            text.push_str(node.text().unwrap_or_default());
        }
    }
    end_text(&mut text, &mut runs);
    runs
}

/// Converts the content of an element.
pub(super) fn content_parts(element: Node<'_, '_>) -> Vec<Part> {
    let runs = content_runs(element).into_iter();
    runs.map(|run| match run {
        ContentRun::Text(text) => Part::Text(text),
        ContentRun::Element(element) => Part::element(element),
    })
    .collect()
}

/// Converts an element to JSON in the form of [`xml::to_json`] where that form keeps everything,
/// and otherwise to an object of its `attributes` and `parts`.
pub(super) fn lossless_json(element: Node<'_, '_>) -> Value {
    let attributes = xml::attributes(element);
    let runs = content_runs(element);
    match (&*runs, attributes.is_empty()) {
        ([], true) => return "".into(),
        ([ContentRun::Text(text)], true) => return text.as_str().into(),
        _ => {}
    }
    let mut map = Map::new();
    if !is_plain_object(&attributes, &runs) {
        insert_content(&mut map, &attributes, &content_parts(element));
        return Value::Object(map);
    }
    for (name, value) in attributes {
        map.insert(name, value.into());
    }
    for run in runs {
        match run {
            ContentRun::Text(text) => map.insert("_text".to_owned(), text.into()).map(drop),
            ContentRun::Element(child) => {
                let name = xml::written_name(child);
                xml::insert_or_append(&mut map, name, lossless_json(child));
                None
            }
        };
    }
    Value::Object(map)
}

/// Reports whether an object of names and values says everything: attributes and children must
/// have different names, and text must not stand between children.
fn is_plain_object(attributes: &XmlAttributes, runs: &[ContentRun<'_, '_>]) -> bool {
    let is_attribute = |name: &str| attributes.iter().any(|(attribute, _)| attribute == name);
    let is_free = |run: &ContentRun<'_, '_>| match run {
        ContentRun::Text(_) => runs.len() == 1 && !is_attribute("_text"),
        ContentRun::Element(child) => !is_attribute(xml::written_name(*child)),
    };
    runs.iter().all(is_free)
}

fn insert_content(map: &mut Map<String, Value>, attributes: &XmlAttributes, parts: &[Part]) {
    if !attributes.is_empty() {
        let values = attributes.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        map.insert("attributes".to_owned(), Value::Object(values.collect()));
    }
    if !parts.is_empty() {
        map.insert("parts".to_owned(), parts.iter().map(Part::to_json).collect());
    }
}
