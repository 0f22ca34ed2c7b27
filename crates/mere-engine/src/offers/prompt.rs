//! A directive as a prompt: its text, with the inputs that it is followed with.
//!
//! Getting a prompt changes nothing and opens no run, because clients may get one to show it. A
//! directive that narrows what is permitted says therefore how its run is opened.

use mere_core::chain::{with_defaults, with_text_values};
use mere_core::item::{Item, ItemRef, ItemType};
use mere_core::reply::{Draft, Fields, ParsedName, Prose, codes};
use mere_core::schema::input_schema;
use serde_json::{Map, Value, json};

use super::OfferError;
use super::offered_item::open_offered;
use super::served_skill::skill_uri;
use crate::files::masking::ItemMasker;
use crate::items::validation::directive_schema;
use crate::items::version_check::{note_version, trust_fields_with_age, use_advice};
use crate::items::{ItemReader, LoadedItem};
use crate::run::check_inputs;

/// Returns the text of a directive with its inputs, which must be right.
pub(super) fn prompt(
    items: &ItemReader<'_>,
    name: &ItemRef,
    texts: &[(String, String)],
) -> Result<Draft, OfferError> {
    let usable = open_offered(items, ItemType::Directive, name)?;
    let loaded = usable.item();
    let schema = match &loaded.item {
        Item::Directive(directive) => directive_schema(directive),
        _ => input_schema(None, &[]),
    };
    let inputs = with_text_values(&schema, Map::new(), texts);
    check_inputs(loaded, &schema, &inputs)?;
    let age = note_version(items.trust_policy, usable.checked());
    let mut masker = ItemMasker::new(items.view, &usable);
    let text = prompt_text(loaded, &inputs, &with_defaults(&schema, inputs.clone()));
    let data = Fields::default()
        .with("description", masker.mention(loaded.item.description()))
        .with("text", masker.body(&text))
        .with("trust", trust_fields_with_age(usable.checked(), &age))
        .with_some("masked", masker.masked_count());
    let name = ParsedName::from(&loaded.place.reference());
    let message = Prose::words("The directive `").name(name).and("`.");
    let draft = Draft::success(codes::OFFER_PROMPT, message).data(data);
    Ok(match use_advice(usable.checked(), items.trust_policy, &age) {
        Some(advice) => draft.hint(advice),
        None => draft,
    })
}

fn prompt_text(
    loaded: &LoadedItem,
    given: &Map<String, Value>,
    inputs: &Map<String, Value>,
) -> String {
    let name = loaded.place.reference();
    let Item::Directive(directive) = &loaded.item else {
        let body = loaded.item.content_range().map_or("", |body| &loaded.text[body]);
        let files = loaded.files.iter();
        let files = files.map(|file| format!("\n- {}", skill_uri(&loaded.place, &file.path)));
        let files = files.collect::<String>();
        let beside = if files.is_empty() { "" } else { "\n\nIts other files:" };
        return format!("Follow the skill `{name}`.\n\n{}{beside}{files}\n", body.trim());
    };
    let element = &loaded.text[directive.content.clone()];
    let inputs = if inputs.is_empty() {
        String::new()
    } else {
        format!(" with these inputs: {}", Value::Object(inputs.clone()))
    };
    let run = if directive.permitted.is_none() {
        String::new()
    } else {
        let name = name.to_string();
        let call = json!({ "item_type": "directive", "item_id": name, "parameters": given });
        format!(
            "\n\nBefore the first step call `execute` with {call}. That opens the run in which only \
             what `<permissions>` lists is permitted."
        )
    };
    format!("Follow the directive `{name}`{inputs}.{run}\n\n{element}\n")
}
