//! `<process>`: what is to be done, in order, with nothing left out.
//!
//! A step becomes an entry, and so does whatever stands between steps. An element around steps
//! becomes the group of their entries.

use std::collections::HashSet;
use std::sync::Arc;

use roxmltree::{Node, NodeId};

use super::Reader;
use super::part::{ContentRun, Part, PartElement, content_parts, content_runs};
use crate::item::fault::ItemFault;
use crate::item::xml::{self, XmlAttributes};

/// How many bytes all entries may take for their groups. Each entry repeats its groups in a reply,
/// so a small file could otherwise ask for a very large one.
const MAX_GROUP_BYTES: usize = 1024 * 1024;
/// How many bytes a group takes in a reply beside its texts.
const GROUP_OVERHEAD: usize = 32;

/// One entry of a process: a step, or what stands between steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessEntry {
    /// The name of the step; empty for what is not a step.
    pub name: String,
    /// A description of the step.
    pub description: String,
    /// The action to take, or the text between steps.
    pub action: String,
    /// The attributes of the step other than its name.
    pub attributes: XmlAttributes,
    /// The whole content in order, if name, description and action do not say everything.
    pub parts: Vec<Part>,
    /// The element around the entry, if it is not directly in the process.
    pub group: Option<Arc<StepGroup>>,
}

/// An element around steps, such as a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepGroup {
    /// The name of the element.
    pub tag: String,
    /// Its attribute `name`.
    pub name: Option<String>,
    /// Its other attributes.
    pub attributes: XmlAttributes,
    /// The element around it, if that is a group too.
    pub group: Option<Arc<StepGroup>>,
}

impl StepGroup {
    fn new(element: Node<'_, '_>, outer: Option<Arc<Self>>) -> Self {
        let mut attributes = xml::attributes(element);
        let name = take_attribute(&mut attributes, "name");
        Self { tag: xml::written_name(element).to_owned(), name, attributes, group: outer }
    }

    /// Returns how many bytes the group and those around it take.
    fn size(&self) -> usize {
        let own = self.attributes.iter().map(|(name, value)| name.len() + value.len());
        let own = own.sum::<usize>()
            + GROUP_OVERHEAD
            + self.tag.len()
            + self.name.as_ref().map_or(0, String::len);
        own + self.group.as_ref().map_or(0, |outer| outer.size())
    }
}

/// Removes an attribute and returns its value.
pub(super) fn take_attribute(attributes: &mut XmlAttributes, name: &str) -> Option<String> {
    let at = attributes.iter().position(|(attribute, _)| attribute == name)?;
    Some(attributes.remove(at).1)
}

/// Parses the whole of `<process>`.
pub(super) fn parse_process(
    reader: &Reader<'_>,
    process: Node<'_, '_>,
) -> Result<Vec<ProcessEntry>, ItemFault> {
    let around_steps = elements_around_steps(process);
    let mut walk = ProcessWalk { reader, around_steps, entries: Vec::new(), group_bytes: 0 };
    let group = (!xml::attributes(process).is_empty()).then(|| StepGroup::new(process, None));
    let group = group.map(Arc::new);
    walk.add_content(process, group.as_ref())?;
    if let (Some(group), []) = (group, &*walk.entries) {
        // Nobody else says what the element itself says.
        walk.entries.push(ProcessEntry { group: Some(group), ..ProcessEntry::default() });
    }
    Ok(walk.entries)
}

/// Returns the elements below `<process>` that have a step below them. What is in a step belongs
/// to that step.
fn elements_around_steps(process: Node<'_, '_>) -> HashSet<NodeId> {
    let mut around = HashSet::new();
    let mut open = vec![process];
    while let Some(element) = open.pop() {
        for child in element.children().filter(Node::is_element) {
            if child.has_tag_name("step") {
                // Whatever is around an element that is known is known too.
                let outer = child.ancestors().skip(1);
                outer.map(|outer| outer.id()).take_while(|id| around.insert(*id)).for_each(drop);
            } else {
                open.push(child);
            }
        }
    }
    around
}

struct ProcessWalk<'a> {
    reader: &'a Reader<'a>,
    around_steps: HashSet<NodeId>,
    entries: Vec<ProcessEntry>,
    group_bytes: usize,
}

impl ProcessWalk<'_> {
    /// Adds the entries for the content of an element. The depth of elements is limited.
    fn add_content(
        &mut self,
        element: Node<'_, '_>,
        group: Option<&Arc<StepGroup>>,
    ) -> Result<(), ItemFault> {
        let size = group.map_or(0, |group| group.size());
        for run in content_runs(element) {
            let entry = match run {
                ContentRun::Element(child) if self.around_steps.contains(&child.id()) => {
                    let inner = Arc::new(StepGroup::new(child, group.cloned()));
                    self.add_content(child, Some(&inner))?;
                    continue;
                }
                ContentRun::Element(child) if child.has_tag_name("step") => {
                    parse_step(self.reader, child)?
                }
                ContentRun::Element(child) => {
                    ProcessEntry { parts: vec![Part::element(child)], ..ProcessEntry::default() }
                }
                ContentRun::Text(action) => ProcessEntry { action, ..ProcessEntry::default() },
            };
            self.group_bytes += size;
            if self.group_bytes > MAX_GROUP_BYTES {
                let what = "the names and attributes of the elements around steps are too long";
                let fix = "Shorten them, or put fewer steps into one element.";
                return Err(self.reader.fault(element, what, fix));
            }
            self.entries.push(ProcessEntry { group: group.cloned(), ..entry });
        }
        Ok(())
    }
}

fn parse_step(reader: &Reader<'_>, step: Node<'_, '_>) -> Result<ProcessEntry, ItemFault> {
    let mut attributes = xml::attributes(step);
    let name = take_attribute(&mut attributes, "name").filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| reader.fault(step, "a step has no name", "Add `name`."))?;
    let texts = |tag: &str| {
        let texts = step.children().filter(|child| child.has_tag_name(tag)).map(xml::deep_text);
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let parts = content_parts(step);
    let has_action = xml::child(step, "action").is_some();
    let action = if has_action { texts("action") } else { own_text(&parts) };
    let is_said = says_everything(&parts);
    Ok(ProcessEntry {
        name,
        description: texts("description"),
        action,
        attributes,
        parts: if is_said { Vec::new() } else { parts },
        group: None,
    })
}

/// Returns the texts of a step that are in none of its elements.
fn own_text(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        Part::Element(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Reports whether description and action are the whole content of a step: one plain element of
/// each at most, and text only instead of an action.
fn says_everything(parts: &[Part]) -> bool {
    let plain = |tag: &str| {
        let is_plain = |part: &Part| match part {
            Part::Element(PartElement { tag: found, attributes, parts }) => {
                let is_text = matches!(&**parts, [] | [Part::Text(_)]);
                found == tag && attributes.is_empty() && is_text
            }
            Part::Text(_) => false,
        };
        parts.iter().filter(|part| is_plain(part)).count()
    };
    let texts = parts.iter().filter(|part| matches!(part, Part::Text(_))).count();
    let (descriptions, actions) = (plain("description"), plain("action"));
    descriptions <= 1 && actions + texts <= 1 && descriptions + actions + texts == parts.len()
}
