//! What a directive says, as fields of a reply. Every text of the author passes the masker.

use mere_core::item::{
    Directive, DirectiveInput, Part, PartElement, ProcessEntry, StepGroup, XmlAttributes,
};
use mere_core::reply::{Data, Fields};
use serde_json::Value;

use crate::files::masking::ItemMasker;

/// Returns the inputs of a directive, each with its value if it has one.
pub(crate) fn input_list(
    masker: &mut ItemMasker,
    directive: &Directive,
    value: impl Fn(&str) -> Option<Value>,
) -> Data {
    let inputs = directive.inputs.iter();
    inputs.map(|input| input_fields(masker, input, value(&input.name)).into()).collect()
}

fn input_fields(masker: &mut ItemMasker, input: &DirectiveInput, value: Option<Value>) -> Fields {
    Fields::default()
        .with("name", masker.mention(&input.name))
        .with("type", input.kind.as_deref().map(|kind| masker.mention(kind)))
        .with("required", input.required)
        .with("description", masker.mention(&input.about))
        .with_some("schema", input.schema.as_ref().map(|schema| masker.data(schema)))
        .with_some("attributes", attribute_fields(masker, &input.attributes))
        .with_some("parts", part_list(masker, &input.parts))
        .with_some("value", value.map(|value| masker.data(&value)))
}

/// Returns the entries of a process.
pub(crate) fn process_list(masker: &mut ItemMasker, process: &[ProcessEntry]) -> Data {
    let entries = process.iter();
    entries
        .map(|entry| {
            let group = entry.group.as_deref().map(|group| group_fields(masker, group));
            let fields = Fields::default()
                .with("name", masker.mention(&entry.name))
                .with("description", masker.mention(&entry.description))
                .with("action", masker.mention(&entry.action))
                .with_some("attributes", attribute_fields(masker, &entry.attributes))
                .with_some("parts", part_list(masker, &entry.parts))
                .with_some("group", group);
            Data::from(fields)
        })
        .collect()
}

fn group_fields(masker: &mut ItemMasker, group: &StepGroup) -> Fields {
    let outer = group.group.as_deref().map(|outer| group_fields(masker, outer));
    Fields::default()
        .with("tag", masker.mention(&group.tag))
        .with_some("name", group.name.as_deref().map(|name| masker.mention(name)))
        .with_some("attributes", attribute_fields(masker, &group.attributes))
        .with_some("group", outer)
}

/// Returns parts of an element in order, or `None` if there are none.
pub(crate) fn part_list(masker: &mut ItemMasker, parts: &[Part]) -> Option<Data> {
    let list = parts.iter().map(|part| {
        let fields = match part {
            Part::Text(text) => Fields::default().with("text", masker.mention(text)),
            Part::Element(PartElement { tag, attributes, parts }) => Fields::default()
                .with("tag", masker.mention(tag))
                .with_some("attributes", attribute_fields(masker, attributes))
                .with_some("parts", part_list(masker, parts)),
        };
        Data::from(fields)
    });
    let list = list.collect();
    (!parts.is_empty()).then_some(list)
}

fn attribute_fields(masker: &mut ItemMasker, attributes: &XmlAttributes) -> Option<Data> {
    let fields = attributes.iter();
    let fields =
        fields.map(|(name, value)| (masker.mention(name), Data::from(masker.mention(value))));
    let fields = fields.collect();
    (!attributes.is_empty()).then_some(Data::ForeignFields(fields))
}
