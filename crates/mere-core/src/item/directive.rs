//! A directive: Markdown with one `<directive>` element.
//!
//! The prose around the element is for people. Only the element counts: its bytes are the content
//! that is hashed, and its `metadata` is hashed as data too.

use std::ops::Range;

use roxmltree::Node;
use serde_json::Value;

use super::fault::{ItemFault, place_mismatch};
use super::frontmatter::BYTE_ORDER_MARK;
use super::integrity::{self, ItemIdentity};
use super::path::ScopedPath;
use super::version::Version;
use super::{xml, xml_bounds};
use crate::digest::Sha256;

/// The parts of a directive; each may appear once.
const PARTS: [&str; 6] = ["metadata", "permissions", "inputs", "process", "outputs", "context"];

/// A parsed directive.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its version.
    pub version: Version,
    /// The byte range of the element in the file.
    pub content: Range<usize>,
    /// `<metadata>` as data.
    pub metadata: Value,
    /// What it does, in a sentence or two.
    pub description: String,
    /// The inputs it takes.
    pub inputs: Vec<DirectiveInput>,
    /// The JSON Schema of all inputs together, if the author wrote one.
    pub input_schema: Option<Value>,
    /// The steps of its process.
    pub steps: Vec<DirectiveStep>,
    /// `<permissions>` as data, whether it stands in the root or in `<metadata>`.
    pub permissions: Option<Value>,
    /// `<outputs>` and `<context>` as data.
    pub extra: Vec<(&'static str, Value)>,
    /// What is odd about it without making it invalid.
    pub warnings: Vec<&'static str>,
}

/// One input of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveInput {
    /// Its name.
    pub name: String,
    /// Its type, as written.
    pub kind: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// A description of the input.
    pub about: String,
    /// Its JSON Schema, if the author wrote one.
    pub schema: Option<Value>,
}

/// One step of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveStep {
    /// Its name.
    pub name: String,
    /// A description of the step.
    pub description: String,
    /// The action to take.
    pub action: String,
}

impl Directive {
    /// Parses a directive that lies at `at`.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, ItemFault> {
        let content = find_element(text)?;
        let document = xml::parse(&text[content.clone()])
            .map_err(|fault| fault.relocate(text, content.start))?;
        let root = document.root_element();
        let reader = Reader { text, start: content.start };
        let version = reader.version(root)?;
        reader.check_name(root, at)?;
        reader.check_parts(root)?;
        let metadata = reader.require_child(root, "metadata")?;
        reader.check_category(metadata, at)?;
        let process = reader.require_child(root, "process")?;
        let inputs = xml::child(root, "inputs");
        let input_schema = inputs.map(|inputs| reader.parse_schema(inputs)).transpose()?.flatten();
        let inputs = inputs.map(|inputs| reader.parse_inputs(inputs)).transpose()?;
        let description = xml::child(metadata, "description").map(xml::own_text);
        let permissions =
            xml::child(root, "permissions").or_else(|| xml::child(metadata, "permissions"));
        let extra = ["outputs", "context"].into_iter();
        let extra = extra.filter_map(|name| Some((name, xml::to_json(xml::child(root, name)?))));
        Ok(Self {
            version,
            content,
            description: description.unwrap_or_default(),
            inputs: inputs.unwrap_or_default(),
            input_schema,
            steps: reader.parse_steps(process)?,
            permissions: permissions.map(xml::to_json),
            extra: extra.collect(),
            metadata: xml::to_json(metadata),
            warnings: warnings(root),
        })
    }

    /// Computes its canonical hash.
    pub fn integrity(&self, text: &str, at: &ScopedPath) -> Sha256 {
        let identity = ItemIdentity { id: &at.id, version: &self.version };
        integrity::hash_directive(identity, text[self.content.clone()].as_bytes(), &self.metadata)
    }
}

/// Returns warnings about unknown elements and about inputs of an unknown type.
fn warnings(root: Node<'_, '_>) -> Vec<&'static str> {
    const PARTS: [&str; 6] = ["metadata", "permissions", "inputs", "process", "outputs", "context"];
    const TYPES: [&str; 13] = [
        "string", "text", "integer", "int", "number", "float", "boolean", "bool", "array", "list",
        "object", "json", "any",
    ];
    let name = |node: &Node<'_, '_>| node.tag_name().name().to_owned();
    let parts = root.children().filter(Node::is_element);
    let has_unknown_part = parts.map(|part| name(&part)).any(|part| !PARTS.contains(&&*part));
    let inputs = xml::child(root, "inputs").into_iter().flat_map(|inputs| inputs.children());
    let types = inputs.filter_map(|input| input.attribute("type").map(str::to_owned));
    let has_unknown_type = types.into_iter().any(|kind| !TYPES.contains(&&*kind));
    let warnings = [
        has_unknown_part.then_some("the directive has an unknown element"),
        has_unknown_type
            .then_some("an input has an unknown type, so its value is not checked against it"),
    ];
    warnings.into_iter().flatten().collect()
}

/// Finds the byte range of the one `<directive>` element.
pub(super) fn find_element(text: &str) -> Result<Range<usize>, ItemFault> {
    let mut starts = element_starts(text);
    let start = starts.next().ok_or_else(|| {
        let fix = "Write one `<directive name=\"…\" version=\"…\">` element, and close it.";
        ItemFault::whole_file("there is no `<directive>` element", fix)
    })?;
    let end = xml_bounds::element_end(text, start)?;
    if let Some(other) = starts.find(|other| *other >= end) {
        let what = "there is a second `<directive>` element";
        return Err(ItemFault::at_offset(text, other, what, "Put each directive in its own file."));
    }
    Ok(start..end)
}

/// Returns the offsets at which a line begins with the element.
fn element_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut next = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let at = next;
        next += line.len();
        let begun = line.trim_start_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
        let after = begun.strip_prefix("<directive")?;
        let is_name = after.starts_with(|c: char| c.is_whitespace() || matches!(c, '>' | '/'));
        is_name.then_some(at + line.len() - begun.len())
    })
}

/// A reader of the element, which translates offsets in it to offsets in the file.
struct Reader<'a> {
    text: &'a str,
    start: usize,
}

impl Reader<'_> {
    fn fault(&self, node: Node<'_, '_>, what: &'static str, fix: &'static str) -> ItemFault {
        ItemFault::at_offset(self.text, self.start + node.range().start, what, fix)
    }

    fn require_child<'a, 'i>(
        &self,
        root: Node<'a, 'i>,
        name: &str,
    ) -> Result<Node<'a, 'i>, ItemFault> {
        xml::child(root, name).ok_or_else(|| {
            self.fault(
                root,
                "`<metadata>` or `<process>` is missing",
                "Add both; they may be short.",
            )
        })
    }

    fn version(&self, root: Node<'_, '_>) -> Result<Version, ItemFault> {
        let version = root.attribute("version").and_then(|text| text.parse().ok());
        let fix = "Write a version such as `version=\"1.0.0\"`.";
        version.ok_or_else(|| self.fault(root, "`version` is missing or is not SemVer", fix))
    }

    fn check_name(&self, root: Node<'_, '_>, at: &ScopedPath) -> Result<(), ItemFault> {
        let name = root.attribute("name").unwrap_or_default();
        if name == at.id.as_str() {
            return Ok(());
        }
        let what = place_mismatch("the name is", name, at.id.as_str());
        let offset = self.start + root.range().start;
        Err(ItemFault::at_offset(
            self.text,
            offset,
            what,
            "Set `name` to the file's name, or rename the file.",
        ))
    }

    fn check_parts(&self, root: Node<'_, '_>) -> Result<(), ItemFault> {
        for part in PARTS {
            if let Some(second) = root.children().filter(|node| node.has_tag_name(part)).nth(1) {
                let fix = "Keep one of each.";
                return Err(self.fault(second, "a part of the directive appears twice", fix));
            }
        }
        Ok(())
    }

    fn check_category(&self, metadata: Node<'_, '_>, at: &ScopedPath) -> Result<(), ItemFault> {
        let Some(category) = xml::child(metadata, "category") else { return Ok(()) };
        let stated = xml::own_text(category);
        if stated == at.category.as_str() {
            return Ok(());
        }
        let what = place_mismatch("the category is", &stated, at.category.as_str());
        let offset = self.start + category.range().start;
        Err(ItemFault::at_offset(
            self.text,
            offset,
            what,
            "Correct `<category>`, or move the file.",
        ))
    }

    fn parse_inputs(&self, inputs: Node<'_, '_>) -> Result<Vec<DirectiveInput>, ItemFault> {
        let inputs = inputs.children().filter(|node| node.has_tag_name("input"));
        inputs.map(|input| self.parse_input(input)).collect()
    }

    fn parse_input(&self, input: Node<'_, '_>) -> Result<DirectiveInput, ItemFault> {
        let name = input.attribute("name").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| self.fault(input, "an input has no name", "Add `name`."))?;
        Ok(DirectiveInput {
            name: name.to_owned(),
            kind: input.attribute("type").map(str::to_owned),
            required: self.parse_required(input)?,
            about: xml::own_text(input),
            schema: self.parse_schema(input)?,
        })
    }

    /// Parses the JSON in the `<schema>` child of an element.
    fn parse_schema(&self, element: Node<'_, '_>) -> Result<Option<Value>, ItemFault> {
        let Some(schema) = xml::child(element, "schema") else { return Ok(None) };
        let value = crate::text::json::parse(xml::own_text(schema).as_bytes());
        let wrong =
            |_| self.fault(schema, "`<schema>` is not JSON", "Write one JSON Schema object.");
        value.map(Some).map_err(wrong)
    }

    /// Parses whether an input is required. A value that is neither true nor false is a fault,
    /// because it must not pass for false.
    fn parse_required(&self, input: Node<'_, '_>) -> Result<bool, ItemFault> {
        match input.attribute("required") {
            Some("true") => Ok(true),
            None | Some("false") => Ok(false),
            Some(_) => {
                let fix = "Write `required=\"true\"` or `required=\"false\"`.";
                Err(self.fault(input, "`required` is neither true nor false", fix))
            }
        }
    }

    fn parse_steps(&self, process: Node<'_, '_>) -> Result<Vec<DirectiveStep>, ItemFault> {
        let steps = process.children().filter(|node| node.has_tag_name("step"));
        let steps = steps.map(|step| {
            let text = |name: &str| xml::child(step, name).map(xml::own_text).unwrap_or_default();
            let name = step.attribute("name").filter(|name| !name.is_empty());
            let name = name.ok_or_else(|| self.fault(step, "a step has no name", "Add `name`."))?;
            let (description, action) = (text("description"), text("action"));
            Ok(DirectiveStep { name: name.to_owned(), description, action })
        });
        steps.collect()
    }
}
