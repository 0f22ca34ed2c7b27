//! Running a directive or a knowledge entry, which an agent follows or reads.
//!
//! Nothing is executed here: a directive's inputs are checked before its steps are returned. A tool
//! is run through its chain, in [`super::run_tool`].

use mere_core::item::{Directive, Item, ItemType, Knowledge};
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::{Execute, LockfilePolicy, LookupScope, RunItem, UnsignedPolicy};
use mere_core::schema::{Schema, example, input_default, input_schema};
use serde_json::{Map, Value};

use super::{RunCall, RunError, RunRequest};
use crate::files::masking::{ItemMasker, mask_problems, mask_value};
pub(crate) use crate::items::change::ExecutionMode;
use crate::items::directive_fields::{input_list, part_list, process_list};
use crate::items::error::WrongInputs;
use crate::items::find::{NamedItem, find};
use crate::items::load::item_name;
use crate::items::reply_fields::own_text;
use crate::items::validation::{check_frontmatter, directive_schema, item_warnings};
use crate::items::{
    ItemError, ItemReader, LoadedItem, UsableItem, item_advice, open_for_use, reply_fields,
    trust_status_fields,
};

use crate::search::SearchContext;
use crate::search::relations::relationships;

/// Runs a tool, or prepares a directive or knowledge entry for an agent to follow or read.
pub(crate) fn run_item(
    call: &RunCall<'_>,
    search: &SearchContext<'_>,
    request: &Execute,
    inputs: &RunItem,
) -> Result<Draft, RunError> {
    let parameters = &inputs.parameters;
    if request.kind == ItemType::Tool {
        let mode = ExecutionMode::from(request);
        let (locking, unsigned) = (LockfilePolicy::Optional, UnsignedPolicy::Refuse);
        return super::run_tool(
            call,
            &RunRequest {
                item: &request.item,
                parameters: (parameters, &[]),
                locking,
                unsigned,
                mode,
            },
        );
    }
    if !matches!(request.kind, ItemType::Directive | ItemType::Knowledge) {
        return Err(ItemError::NotRunnable(request.kind).into());
    }
    let (view, sources) = (call.items.view, call.items.sources);
    let found = find(
        sources,
        view,
        NamedItem { kind: request.kind, item: &request.item, source: LookupScope::Local },
    )?;
    let usable = open_for_use(&call.items, found.place)?;
    let draft = match &usable.item().item {
        Item::Directive(directive) => run_directive(&call.items, &usable, directive, parameters),
        Item::Knowledge(entry) => {
            check_inputs(usable.item(), &input_schema(None, &[]), parameters)?;
            let walk = inputs.relationships.as_ref();
            let related = walk.map(|walk| relationships(search, &usable.item().place, walk));
            run_knowledge(&call.items, &usable, entry, related.transpose()?.flatten())
        }
        _ => run_skill(&call.items, &usable, parameters),
    }?;
    Ok(match item_advice(usable.checked(), call.items.trust_policy) {
        Some(advice) => draft.hint(advice),
        None => draft,
    })
}

/// Checks a directive's inputs and returns its steps.
fn run_directive(
    items: &ItemReader<'_>,
    usable: &UsableItem,
    directive: &Directive,
    parameters: &Map<String, Value>,
) -> Result<Draft, RunError> {
    let loaded = usable.item();
    let schema = directive_schema(directive);
    check_inputs(loaded, &schema, parameters)?;
    let mut masker = ItemMasker::new(items.view, usable);
    let default = |name: &str| input_default(&schema, name);
    let value = |name: &str| parameters.get(name).or_else(|| default(name)).cloned();
    let inputs = input_list(&mut masker, directive, value);
    let permissions = match &*directive.permissions {
        [only] => Some(masker.data(only)),
        [] => None,
        several => Some(several.iter().map(|one| masker.data(one)).collect()),
    };
    let data = ready_fields(&mut masker, loaded, inputs)
        .with_some("input_notes", part_list(&mut masker, &directive.input_notes))
        .with("process", process_list(&mut masker, &directive.process))
        .with("outputs", directive.outputs.as_ref().map(|value| masker.data(value)))
        .with("context", directive.context.as_ref().map(|value| masker.data(value)))
        .with("model", directive.model().map(|model| masker.data(model)))
        .with("permissions", permissions)
        .with_some("other", part_list(&mut masker, &directive.other))
        .with("inputs_validated", true)
        .with("input_schema", masker.data(&schema))
        .with("validation_warnings", warnings(items, loaded));
    let guidance = "Follow the entries of `process` in order, with the values of `inputs`; where an \
        entry has `parts`, they are all that it says. Keep to `permissions` where they are given, \
        and return what `outputs` asks for.";
    Ok(directive_reply(usable, &masker, data, guidance))
}

/// Returns the text of a skill, which is followed as it is written.
fn run_skill(
    items: &ItemReader<'_>,
    usable: &UsableItem,
    parameters: &Map<String, Value>,
) -> Result<Draft, RunError> {
    let loaded = usable.item();
    check_inputs(loaded, &input_schema(None, &[]), parameters)?;
    let view = items.view;
    let mut masker = ItemMasker::new(view, usable);
    let body = loaded.item.content_range().map_or("", |body| &loaded.text[body]);
    let data = ready_fields(&mut masker, loaded, Data::List(Vec::new()))
        .with("content", masker.body(body))
        .with("process", Data::List(Vec::new()))
        .with("files", reply_fields::file_list(view, usable))
        .with("inputs_validated", true)
        .with("validation_warnings", warnings(items, loaded));
    let guidance = "Follow the text of `content`. Its other files are beside it and can be read.";
    Ok(directive_reply(usable, &masker, data, guidance))
}

fn ready_fields(masker: &mut ItemMasker, loaded: &LoadedItem, inputs: Data) -> Fields {
    Fields::default()
        .with("status", "ready")
        .with("name", own_text(&loaded.place.id))
        .with("version", loaded.item.version().map(own_text))
        .with("description", masker.mention(loaded.item.description()))
        .with("address", loaded.address.clone())
        .with("inputs", inputs)
}

fn directive_reply(
    usable: &UsableItem,
    masker: &ItemMasker,
    data: Fields,
    instructions: &'static str,
) -> Draft {
    let loaded = usable.item();
    let data = data
        .with("integrity", loaded.integrity)
        .with("trust", trust_status_fields(usable.checked()))
        .with("instructions", instructions)
        .with_some("masked", masker.masked_count());
    let message = Prose::words("The directive `")
        .name(item_name(&loaded.place))
        .and("` is ready to be followed.");
    Draft::success(codes::RUN_DIRECTIVE, message).data(data)
}

fn warnings(items: &ItemReader<'_>, loaded: &LoadedItem) -> Data {
    let warnings = item_warnings(items.sources, items.view, &loaded.item);
    warnings.into_iter().map(Data::from).collect()
}

/// Returns the text of a knowledge entry.
fn run_knowledge(
    items: &ItemReader<'_>,
    usable: &UsableItem,
    entry: &Knowledge,
    related: Option<Fields>,
) -> Result<Draft, RunError> {
    let (view, loaded) = (items.view, usable.item());
    check_frontmatter(view, loaded, entry)?;
    let mut masker = ItemMasker::new(view, usable);
    let data = Fields::default()
        .with("id", own_text(&loaded.place.id))
        .with("title", masker.mention(&entry.title))
        .with("address", loaded.address.clone())
        .with("content", masker.body(&loaded.text[entry.content.clone()]))
        .with("metadata", masker.data(&loaded.item.metadata()))
        .with("integrity", loaded.integrity)
        .with("trust", trust_status_fields(usable.checked()))
        .with("frontmatter_validated", true)
        .with("validation_warnings", warnings(items, loaded))
        .with_some("relationships", related)
        .with_some("masked", masker.masked_count());
    let message = Prose::words("The knowledge entry `").name(item_name(&loaded.place)).and("`.");
    Ok(Draft::success(codes::RUN_KNOWLEDGE, message).data(data))
}

pub(super) fn check_inputs(
    loaded: &LoadedItem,
    schema: &Value,
    parameters: &Map<String, Value>,
) -> Result<(), ItemError> {
    let address = || loaded.address.clone();
    let compiled = Schema::compile(schema)
        .map_err(|error| ItemError::InvalidSchema { address: Some(address()), error })?;
    let problems = compiled.problems(&Value::Object(parameters.clone()));
    if problems.is_empty() {
        return Ok(());
    }
    let example = mask_value(&example(schema));
    let (address, schema) = (address(), mask_value(schema));
    let problems = mask_problems(problems);
    Err(ItemError::InvalidInputs(Box::new(WrongInputs { address, problems, schema, example })))
}
