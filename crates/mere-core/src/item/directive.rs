//! A directive: Markdown with one `<directive>` element.
//!
//! Prose around the element is for people. What counts is the element: its bytes are the content
//! that is hashed, its `metadata` as data is hashed too.

use std::ops::Range;

use roxmltree::Node;
use serde_json::Value;

use super::fault::{Fault, differ};
use super::integrity::{self, Identity};
use super::path::ScopedPath;
use super::version::Version;
use super::xml;
use crate::digest::Sha256;

/// How many ends of the element are tried: text in CDATA may look like one.
const MAX_ENDS: usize = 16;

/// A directive that was understood.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its version.
    pub version: Version,
    /// The bytes of the element in the file.
    pub content: Range<usize>,
    /// `<metadata>` as data.
    pub metadata: Value,
    /// What it does, in a sentence or two.
    pub description: String,
    /// What it takes.
    pub inputs: Vec<Input>,
    /// What it does, step by step.
    pub steps: Vec<Step>,
    /// `<permissions>` as data, wherever they stand.
    pub permissions: Option<Value>,
    /// `<outputs>` and `<context>` as data.
    pub extra: Vec<(&'static str, Value)>,
}

/// One input of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its type, as written.
    pub kind: Option<String>,
    /// Whether it must be given.
    pub required: bool,
    /// What it is for.
    pub about: String,
    /// Its JSON Schema, where the author wrote one.
    pub schema: Option<Value>,
}

/// One step of a directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What to do.
    pub action: String,
}

impl Directive {
    /// Reads a directive that lies at `at`.
    pub fn parse(text: &str, at: &ScopedPath) -> Result<Self, Fault> {
        let content = find(text)?;
        let lines = text[..content.start].matches('\n').count();
        let element = &text[content.clone()];
        let document = xml::parse(element).map_err(|fault| fault.below(lines))?;
        let root = document.root_element();
        let reader = Reader { text, start: content.start };
        let version = reader.version(root)?;
        reader.check_name(root, at)?;
        let metadata = reader.required(root, "metadata")?;
        reader.check_category(metadata, at)?;
        let process = reader.required(root, "process")?;
        let inputs = xml::child(root, "inputs").map(|inputs| reader.inputs(inputs)).transpose()?;
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
            steps: reader.steps(process)?,
            permissions: permissions.map(xml::to_json),
            extra: extra.collect(),
            metadata: xml::to_json(metadata),
        })
    }

    /// Its canonical hash.
    pub fn integrity(&self, text: &str, at: &ScopedPath) -> Sha256 {
        let identity = Identity { id: &at.id, version: &self.version };
        integrity::directive(identity, text[self.content.clone()].as_bytes(), &self.metadata)
    }
}

/// The bytes of the one `<directive>` element.
fn find(text: &str) -> Result<Range<usize>, Fault> {
    const FIX: &str =
        "Write one `<directive name=\"…\" version=\"…\">` element, closed by `</directive>`.";
    let mut starts = starts(text);
    let Some(start) = starts.next() else {
        return Err(Fault::whole("there is no `<directive>` element", FIX));
    };
    let ends = text[start..].match_indices("</directive>").map(|(at, end)| start + at + end.len());
    let mut last = None;
    for end in ends.take(MAX_ENDS) {
        match xml::parse(&text[start..end]) {
            Ok(_) => {
                return match starts.find(|other| *other >= end) {
                    None => Ok(start..end),
                    Some(other) => {
                        let what = "there is a second `<directive>` element";
                        Err(Fault::at(
                            text,
                            other,
                            what,
                            "Put each directive into a file of its own.",
                        ))
                    }
                };
            }
            Err(fault) => last = last.or(Some(fault)),
        }
    }
    let lines = text[..start].matches('\n').count();
    let unclosed = || Fault::at(text, start, "the `<directive>` element is not closed", FIX);
    Err(last.map_or_else(unclosed, |fault| fault.below(lines)))
}

/// Where a line begins with the element.
fn starts(text: &str) -> impl Iterator<Item = usize> {
    let lines = text.match_indices("<directive");
    lines.map(|(at, _)| at).filter(|at| {
        let line = text[..*at].rfind('\n').map_or(0, |end| end + 1);
        let next = text[at + "<directive".len()..].chars().next();
        text[line..*at].trim().is_empty() && next.is_some_and(|c| c.is_whitespace() || c == '>')
    })
}

/// Turns places in the element into places in the file.
struct Reader<'a> {
    text: &'a str,
    start: usize,
}

impl Reader<'_> {
    fn fault(&self, node: Node<'_, '_>, what: &'static str, fix: &'static str) -> Fault {
        Fault::at(self.text, self.start + node.range().start, what, fix)
    }

    fn required<'a, 'i>(&self, root: Node<'a, 'i>, name: &str) -> Result<Node<'a, 'i>, Fault> {
        xml::child(root, name).ok_or_else(|| {
            self.fault(
                root,
                "`<metadata>` or `<process>` is missing",
                "Add both; they may be short.",
            )
        })
    }

    fn version(&self, root: Node<'_, '_>) -> Result<Version, Fault> {
        let version = root.attribute("version").and_then(|text| text.parse().ok());
        let fix = "Write a version such as `version=\"1.0.0\"`.";
        version.ok_or_else(|| self.fault(root, "`version` is missing or is not SemVer", fix))
    }

    fn check_name(&self, root: Node<'_, '_>, at: &ScopedPath) -> Result<(), Fault> {
        let name = root.attribute("name").unwrap_or_default();
        if name == at.id.as_str() {
            return Ok(());
        }
        let what = differ("the name is", name, at.id.as_str());
        let offset = self.start + root.range().start;
        Err(Fault::at(
            self.text,
            offset,
            what,
            "Let `name` be the file's name, or rename the file.",
        ))
    }

    fn check_category(&self, metadata: Node<'_, '_>, at: &ScopedPath) -> Result<(), Fault> {
        let Some(category) = xml::child(metadata, "category") else { return Ok(()) };
        let stated = xml::own_text(category);
        if stated == at.category.as_str() {
            return Ok(());
        }
        let what = differ("the category is", &stated, at.category.as_str());
        let offset = self.start + category.range().start;
        Err(Fault::at(self.text, offset, what, "Correct `<category>`, or move the file."))
    }

    fn inputs(&self, inputs: Node<'_, '_>) -> Result<Vec<Input>, Fault> {
        let inputs = inputs.children().filter(|node| node.has_tag_name("input"));
        inputs.map(|input| self.input(input)).collect()
    }

    fn input(&self, input: Node<'_, '_>) -> Result<Input, Fault> {
        let name = input.attribute("name").filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| self.fault(input, "an input has no name", "Add `name`."))?;
        let schema = xml::child(input, "schema").map(|schema| {
            let text = xml::own_text(schema);
            crate::json::parse(text.as_bytes()).map_err(|_| {
                self.fault(schema, "`<schema>` is not JSON", "Write one JSON Schema object.")
            })
        });
        Ok(Input {
            name: name.to_owned(),
            kind: input.attribute("type").map(str::to_owned),
            required: input.attribute("required") == Some("true"),
            about: xml::own_text(input),
            schema: schema.transpose()?,
        })
    }

    fn steps(&self, process: Node<'_, '_>) -> Result<Vec<Step>, Fault> {
        let steps = process.children().filter(|node| node.has_tag_name("step"));
        let steps = steps.map(|step| {
            let text = |name: &str| xml::child(step, name).map(xml::own_text).unwrap_or_default();
            let name = step.attribute("name").filter(|name| !name.is_empty());
            let name = name.ok_or_else(|| self.fault(step, "a step has no name", "Add `name`."))?;
            let (description, action) = (text("description"), text("action"));
            Ok(Step { name: name.to_owned(), description, action })
        });
        steps.collect()
    }
}
