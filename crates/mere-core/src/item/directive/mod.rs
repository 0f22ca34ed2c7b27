//! A directive: Markdown with one `<directive>` element.
//!
//! The prose around the element is for people. Only the element counts: its bytes are the content
//! that is hashed, and its `metadata` is hashed as data too. Everything else that it says is kept
//! for whoever follows it.

mod inputs;
mod part;
mod permissions;
mod process;

use std::ops::Range;

use roxmltree::Node;
use serde_json::Value;

pub use self::inputs::DirectiveInput;
use self::inputs::DirectiveInputs;
use self::part::{ContentRun, content_runs, lossless_json};
pub use self::part::{Part, PartElement};
pub use self::permissions::{DirectivePermission, PermittedAccess, PermittedResource};
use self::permissions::{check_permissions, find_permissions, parse_permissions};
pub use self::process::{ProcessEntry, StepGroup};
use self::process::{parse_process, take_attribute};
use super::fault::{ItemFault, place_mismatch};
use super::frontmatter::BYTE_ORDER_MARK;
use super::integrity::{self, ItemIdentity};
use super::old_signature;
use super::path::ScopedPath;
use super::version::Version;
use super::{xml, xml_bounds};
use crate::digest::Sha256;
use crate::reply::Content;

/// The parts of a directive; each may appear once.
const PARTS: [&str; 6] = ["metadata", "permissions", "inputs", "process", "outputs", "context"];
/// The types of inputs that values are checked against.
const TYPES: [&str; 13] = [
    "string", "text", "integer", "int", "number", "float", "boolean", "bool", "array", "list",
    "object", "json", "any",
];
/// How many unknown elements are named.
const MAX_NAMED: usize = 8;

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
    /// The inputs it takes, those that only its schema names last.
    pub inputs: Vec<DirectiveInput>,
    /// What stands in `<inputs>` between the inputs.
    pub input_notes: Vec<Part>,
    /// The JSON Schema of all inputs together, if the author wrote one.
    pub input_schema: Option<Value>,
    /// The whole process, in order.
    pub process: Vec<ProcessEntry>,
    /// Each `<permissions>` as data: the one in the root first, then those in `<metadata>`.
    pub permissions: Vec<Value>,
    /// What all of them permit together; `None` if there are none, so that nothing is narrowed.
    pub permitted: Option<Vec<DirectivePermission>>,
    /// `<outputs>` as data.
    pub outputs: Option<Value>,
    /// `<context>` as data.
    pub context: Option<Value>,
    /// What stands in the element beside its known parts, and attributes other than name and
    /// version.
    pub other: Vec<Part>,
    /// What is odd about it without making it invalid.
    pub warnings: Vec<Content>,
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
        let (metadata, process) = reader.required_parts(root)?;
        reader.check_category(metadata, at)?;
        let inputs =
            xml::child(root, "inputs").map(|inputs| DirectiveInputs::parse(&reader, inputs));
        let DirectiveInputs { inputs, schema, notes } = inputs.transpose()?.unwrap_or_default();
        let permissions = find_permissions(root, metadata);
        let unknown_permissions = check_permissions(&reader, &permissions)?;
        let mut warnings = warnings(root, &unknown_permissions);
        warnings.extend(old_signature::warning_before(text, content.start));
        let description = xml::child(metadata, "description").map(xml::own_text);
        Ok(Self {
            version,
            content,
            description: description.unwrap_or_default(),
            input_notes: notes,
            input_schema: schema,
            process: parse_process(&reader, process)?,
            permitted: parse_permissions(&permissions),
            permissions: permissions.into_iter().map(lossless_json).collect(),
            outputs: xml::child(root, "outputs").map(lossless_json),
            context: xml::child(root, "context").map(lossless_json),
            other: other_parts(root),
            metadata: xml::to_json(metadata),
            inputs,
            warnings,
        })
    }

    /// Computes its canonical hash.
    pub fn integrity(&self, text: &str, at: &ScopedPath) -> Sha256 {
        let identity = ItemIdentity { id: &at.id, version: &self.version };
        integrity::hash_directive(identity, text[self.content.clone()].as_bytes(), &self.metadata)
    }

    /// Returns the model that it asks for: `<model>`, or `<model_class>` if there is no `<model>`.
    pub fn model(&self) -> Option<&Value> {
        self.metadata.get("model").or_else(|| self.metadata.get("model_class"))
    }
}

/// Returns what the element says beside its known parts.
fn other_parts(root: Node<'_, '_>) -> Vec<Part> {
    let mut attributes = xml::attributes(root);
    for known in ["name", "version"] {
        take_attribute(&mut attributes, known);
    }
    let own =
        PartElement { tag: xml::written_name(root).to_owned(), attributes, parts: Vec::new() };
    let own = (!own.attributes.is_empty()).then_some(Part::Element(own));
    let others = content_runs(root).into_iter().filter_map(|run| match run {
        ContentRun::Text(text) => Some(Part::Text(text)),
        ContentRun::Element(child) if PARTS.contains(&child.tag_name().name()) => None,
        ContentRun::Element(child) => Some(Part::element(child)),
    });
    own.into_iter().chain(others).collect()
}

/// Returns warnings about unknown elements, unknown permissions and inputs of an unknown type.
fn warnings(root: Node<'_, '_>, unknown_permissions: &[&str]) -> Vec<Content> {
    let parts = root.children().filter(Node::is_element);
    let unknown = parts.filter(|part| !PARTS.contains(&part.tag_name().name()));
    let unknown = unknown.map(xml::written_name).collect::<Vec<_>>();
    let elements = name_unknown(&unknown, "is not a known element of a directive");
    let permissions =
        name_unknown(unknown_permissions, "is not `<read>`, `<write>` or `<execute>`");
    let inputs = xml::child(root, "inputs").into_iter().flat_map(|inputs| inputs.children());
    let mut types = inputs.filter_map(|input| input.attribute("type"));
    let has_unknown_type = types.any(|kind| !TYPES.contains(&kind));
    let types = "an input has an unknown type, so its value is not checked against it";
    let types = has_unknown_type.then(|| Content::mention(types));
    elements.into_iter().chain(permissions).chain(types).collect()
}

/// Names each unknown element once; of very many only the first.
fn name_unknown(names: &[&str], problem: &str) -> Vec<Content> {
    let mut seen = std::collections::HashSet::new();
    let distinct = names.iter().filter(|name| seen.insert(**name)).collect::<Vec<_>>();
    let first = distinct.iter().take(MAX_NAMED).map(|name| {
        Content::mention(format!("`<{}>` {problem}", xml_bounds::element_name(name).text()))
    });
    let more = distinct.len().saturating_sub(MAX_NAMED);
    let more = (more > 0).then(|| Content::mention(format!("{more} more elements are not known")));
    first.chain(more).collect()
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

/// `<metadata>` and `<process>`.
type RequiredParts<'a, 'i> = (Node<'a, 'i>, Node<'a, 'i>);

impl Reader<'_> {
    fn fault(&self, node: Node<'_, '_>, what: &'static str, fix: &'static str) -> ItemFault {
        ItemFault::at_offset(self.text, self.start + node.range().start, what, fix)
    }

    /// Returns `<metadata>` and `<process>`, which must be there.
    fn required_parts<'a, 'i>(
        &self,
        root: Node<'a, 'i>,
    ) -> Result<RequiredParts<'a, 'i>, ItemFault> {
        let what = match (xml::child(root, "metadata"), xml::child(root, "process")) {
            (Some(metadata), Some(process)) => return Ok((metadata, process)),
            (None, Some(_)) => "`<metadata>` is missing",
            (Some(_), None) => "`<process>` is missing",
            (None, None) => "`<metadata>` and `<process>` are missing",
        };
        Err(self.fault(root, what, "Add what is missing; it may be short."))
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
}
