//! Values that complete what a person types for an input of a directive or for the name of an item.

use mere_core::item::{Item, ItemRef, ItemType};
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use serde_json::Value;

use super::OfferError;
use super::offered_item::{OfferedForm, offered_names, open_offered};
use crate::files::masking::ItemMasker;
use crate::files::view::count_phrase;
use crate::items::ItemReader;
use crate::items::validation::directive_schema;

/// The most values of an answer, which is the protocol's limit.
const MAX_VALUES: usize = 100;

/// Returns the values that an input can have: those that its schema enumerates, and its default.
pub(super) fn input_values(
    items: &ItemReader<'_>,
    name: &ItemRef,
    (input, typed): (&str, &str),
) -> Result<Draft, OfferError> {
    let usable = open_offered(items, ItemType::Directive, name)?;
    let values = match &usable.item().item {
        Item::Directive(directive) => possible_values(&directive_schema(directive), input),
        _ => Vec::new(),
    };
    let mut masker = ItemMasker::new(items.view, &usable);
    let values = values.into_iter().filter(|value| value.starts_with(typed));
    let values = values.map(|value| masker.mention(&value)).collect();
    Ok(reply(values))
}

/// Returns the names of items that begin with what was typed.
pub(super) fn item_names(
    items: &ItemReader<'_>,
    kind: ItemType,
    typed: &str,
) -> Result<Draft, OfferError> {
    let names = offered_names(items, kind, OfferedForm::Any)?;
    let names = names.into_iter().filter(|name| name.starts_with(typed));
    Ok(reply(names.map(Content::mention).collect()))
}

fn reply(values: Vec<Content>) -> Draft {
    let total = values.len() as u64;
    let values = values.into_iter().take(MAX_VALUES).map(Data::from).collect();
    let data = Fields::default().with("values", Data::List(values)).with("total", total);
    Draft::success(codes::OFFER_VALUES, count_phrase(total, "value", "values").and(".")).data(data)
}

/// Lists the values of an input that its schema names, as texts and each once.
fn possible_values(schema: &Value, input: &str) -> Vec<String> {
    let Some(property) = schema.get("properties").and_then(|all| all.get(input)) else {
        return Vec::new();
    };
    let listed = |key: &str| property.get(key).and_then(Value::as_array).into_iter().flatten();
    let single = |key: &str| property.get(key).into_iter();
    let is_flag = property.get("type").is_some_and(|kind| kind == "boolean");
    let flags = [Value::Bool(true), Value::Bool(false)];
    let flags = flags.iter().filter(|_| is_flag);
    let values = listed("enum").chain(single("const")).chain(flags).chain(single("default"));
    let mut texts = Vec::new();
    for value in values.chain(listed("examples")) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}
