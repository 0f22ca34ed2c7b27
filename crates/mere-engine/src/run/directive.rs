//! Running a directive or a knowledge entry, which an agent follows or reads.
//!
//! Nothing is executed here: a directive's inputs are checked before its steps are returned. A tool
//! is run through its chain, in [`super::run_tool`].

use mere_core::item::{Directive, Item, ItemFault, ItemRef, ItemType, Knowledge, Relation};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{Execute, LockfilePolicy, LookupScope, UnsignedPolicy};
use mere_core::schema::{InputSpec, Schema, example, frontmatter_schema, input_schema};
use serde_json::{Map, Value};

pub(crate) use crate::items::change::{ExecutionMode, ItemCall};
use crate::items::error::WrongInputs;
use crate::items::find::{NamedItem, find, find_without_suggestions};
use crate::items::load::item_name;
use crate::items::reply_fields::{ItemMasker, own_text};
use crate::items::{
    ItemError, ItemSources, LoadedItem, UsableItem, item_advice, open_for_use, reply_fields,
    trust_status_fields,
};

use super::RunRequest;
use crate::error::tool_error::ToolError;
use crate::files::redaction::{MASK, MaskedText};
use crate::files::view::View;

/// Runs a tool, or prepares a directive or knowledge entry for an agent to follow or read.
pub(crate) fn run_item(
    desk: &ItemCall<'_>,
    call: &Execute,
    parameters: &Map<String, Value>,
) -> Result<Draft, ToolError> {
    if call.kind == ItemType::Tool {
        let mode = ExecutionMode::from(call);
        let (locking, unsigned) = (LockfilePolicy::Optional, UnsignedPolicy::Refuse);
        return super::run_tool(
            desk,
            &RunRequest {
                item: &call.item,
                parameters: (parameters, &[]),
                locking,
                unsigned,
                mode,
            },
        );
    }
    if !matches!(call.kind, ItemType::Directive | ItemType::Knowledge) {
        return Err(ItemError::NotRunnable(call.kind).into());
    }
    let (view, stock) = (desk.view, desk.sources);
    let found = find(
        stock,
        view,
        NamedItem { kind: call.kind, item: &call.item, source: LookupScope::Local },
    )?;
    let usable = open_for_use(desk, found.place)?;
    let draft = match &usable.item().item {
        Item::Directive(directive) => run_directive(view, &usable, directive, parameters),
        Item::Knowledge(entry) => run_knowledge(desk, &usable, entry, parameters),
        _ => run_skill(view, &usable, parameters),
    }?;
    Ok(match item_advice(usable.checked(), desk.trust_policy) {
        Some(advice) => draft.hint(advice),
        None => draft,
    })
}

/// Checks a directive's inputs and returns its steps.
fn run_directive(
    view: &View<'_>,
    usable: &UsableItem,
    directive: &Directive,
    parameters: &Map<String, Value>,
) -> Result<Draft, ToolError> {
    let loaded = usable.item();
    let schema = directive_schema(directive);
    check_inputs(loaded, &schema, parameters)?;
    let mut teller = ItemMasker::new(view, usable);
    let default = |name: &str| schema["properties"][name].get("default");
    let value = |name: &str| parameters.get(name).or_else(|| default(name));
    let inputs = directive.inputs.iter().map(|input| {
        Data::from(
            Fields::default()
                .with("name", teller.mention(&input.name))
                .with("type", input.kind.as_deref().map(|kind| teller.mention(kind)))
                .with("required", input.required)
                .with("description", teller.mention(&input.about))
                .with_some("value", value(&input.name).map(|value| teller.data(value))),
        )
    });
    let inputs = inputs.collect::<Data>();
    let steps = directive.steps.iter().map(|step| {
        Data::from(
            Fields::default()
                .with("name", teller.mention(&step.name))
                .with("description", teller.mention(&step.description))
                .with("action", teller.mention(&step.action)),
        )
    });
    let steps = steps.collect::<Data>();
    let extra = |name: &str| directive.extra.iter().find(|(key, _)| *key == name);
    let data = ready_fields(&mut teller, loaded, inputs)
        .with("process", steps)
        .with("outputs", extra("outputs").map(|(_, value)| teller.data(value)))
        .with("context", extra("context").map(|(_, value)| teller.data(value)))
        .with("model", directive.metadata.get("model").map(|model| teller.data(model)))
        .with("permissions", directive.permissions.as_ref().map(|value| teller.data(value)))
        .with("inputs_validated", true)
        .with("input_schema", teller.data(&schema));
    let how = "Follow the steps of `process` in order, with the values of `inputs`. Keep to \
        `permissions` where they are given, and return what `outputs` asks for.";
    Ok(directive_reply(usable, &teller, data, how))
}

/// Returns the text of a skill, which is followed as it is written.
fn run_skill(
    view: &View<'_>,
    usable: &UsableItem,
    parameters: &Map<String, Value>,
) -> Result<Draft, ToolError> {
    let loaded = usable.item();
    check_inputs(loaded, &input_schema(None, &[]), parameters)?;
    let mut teller = ItemMasker::new(view, usable);
    let body = loaded.item.content_range().map_or("", |body| &loaded.text[body]);
    let data = ready_fields(&mut teller, loaded, Data::List(Vec::new()))
        .with("content", teller.body(body))
        .with("process", Data::List(Vec::new()))
        .with("files", reply_fields::file_list(view, usable))
        .with("inputs_validated", true);
    let how = "Follow the text of `content`. Its other files are beside it and can be read.";
    Ok(directive_reply(usable, &teller, data, how))
}

fn ready_fields(teller: &mut ItemMasker, loaded: &LoadedItem, inputs: Data) -> Fields {
    Fields::default()
        .with("status", "ready")
        .with("name", own_text(&loaded.place.id))
        .with("version", loaded.item.version().map(own_text))
        .with("description", teller.mention(loaded.item.description()))
        .with("address", loaded.address.clone())
        .with("inputs", inputs)
}

fn directive_reply(
    usable: &UsableItem,
    teller: &ItemMasker,
    data: Fields,
    how: &'static str,
) -> Draft {
    let loaded = usable.item();
    let warnings = loaded.item.warnings().iter().map(|odd| Data::from(*odd));
    let data = data
        .with("validation_warnings", warnings.collect::<Data>())
        .with("integrity", loaded.integrity)
        .with("trust", trust_status_fields(usable.checked()))
        .with("instructions", how)
        .with_some("masked", teller.masked_count());
    let message = Prose::words("The directive `")
        .name(item_name(&loaded.place))
        .and("` is ready to be followed.");
    Draft::success(codes::RUN_DIRECTIVE, message).data(data)
}

/// Returns the text of a knowledge entry.
fn run_knowledge(
    desk: &ItemCall<'_>,
    usable: &UsableItem,
    entry: &Knowledge,
    parameters: &Map<String, Value>,
) -> Result<Draft, ToolError> {
    let (view, loaded) = (desk.view, usable.item());
    check_inputs(loaded, &input_schema(None, &[]), parameters)?;
    check_frontmatter(view, loaded, entry)?;
    let mut teller = ItemMasker::new(view, usable);
    let odd = item_warnings(desk.sources, view, &loaded.item);
    let data = Fields::default()
        .with("id", own_text(&loaded.place.id))
        .with("title", teller.mention(&entry.title))
        .with("address", loaded.address.clone())
        .with("content", teller.body(&loaded.text[entry.content.clone()]))
        .with("metadata", teller.data(&loaded.item.metadata()))
        .with("integrity", loaded.integrity)
        .with("trust", trust_status_fields(usable.checked()))
        .with("frontmatter_validated", true)
        .with("validation_warnings", odd.into_iter().map(Data::from).collect::<Data>())
        .with_some("masked", teller.masked_count());
    let message = Prose::words("The knowledge entry `").name(item_name(&loaded.place)).and("`.");
    Ok(Draft::success(codes::RUN_KNOWLEDGE, message).data(data))
}

/// Returns the schema of a directive's inputs.
pub(crate) fn directive_schema(directive: &Directive) -> Value {
    let inputs = directive.inputs.iter().map(|input| InputSpec {
        name: &input.name,
        kind: input.kind.as_deref(),
        required: input.required,
        about: &input.about,
        schema: input.schema.as_ref(),
    });
    input_schema(directive.input_schema.as_ref(), &inputs.collect::<Vec<_>>())
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
    let example = reply_fields::mask_value(&example(schema));
    let (address, schema) = (address(), reply_fields::mask_value(schema));
    let problems = reply_fields::mask_problems(problems);
    Err(ItemError::InvalidInputs(Box::new(WrongInputs { address, problems, schema, example })))
}

/// Checks the frontmatter as the caller sees it, because a schema that an agent wrote must not
/// reveal to it what is masked.
fn check_frontmatter(
    view: &View<'_>,
    loaded: &LoadedItem,
    entry: &Knowledge,
) -> Result<(), ItemError> {
    let address = Some(loaded.address.clone());
    let masked = MaskedText::mask_whole(loaded.text.clone());
    let hides = masked.count > 0 && !view.world.is_confirmed_at(&loaded.address);
    let seen = hides.then(|| parse_masked_entry(&masked.text, loaded));
    let problems = match &seen {
        None => frontmatter_problems(entry),
        Some(Ok(seen)) => frontmatter_problems(seen),
        Some(Err(_)) => Ok(Vec::new()),
    };
    let problems =
        problems.map_err(|error| ItemError::InvalidSchema { address: address.clone(), error })?;
    let problems = reply_fields::mask_problems(problems);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(ItemError::InvalidFrontmatter { address, problems })
    }
}

/// Parses an entry with its secrets masked. The brackets of a bare mask would be read as a list, so
/// the mask is put in quotes. Where it is part of a longer text that fails, and the mask loses its
/// brackets instead.
fn parse_masked_entry(masked: &str, loaded: &LoadedItem) -> Result<Knowledge, ItemFault> {
    let quoted = masked.replace(MASK, &format!("\"{MASK}\""));
    let parsed = Knowledge::parse(&quoted, &loaded.place);
    parsed.or_else(|_| Knowledge::parse(&masked.replace(MASK, "masked"), &loaded.place))
}

/// Returns the ways in which a knowledge entry's frontmatter violates its own schema.
pub(crate) fn frontmatter_problems(
    entry: &Knowledge,
) -> Result<Vec<mere_core::schema::Problem>, mere_core::schema::SchemaError> {
    let schema = frontmatter_schema(entry.frontmatter.get("frontmatter_schema"));
    Ok(Schema::compile(&schema)?.problems(&Value::Object(entry.frontmatter.clone())))
}

/// The largest number of relations that are checked for warnings.
const MAX_RELATIONS: usize = 100;

/// Returns warnings about an item that do not prevent its use, such as an unknown kind or a
/// relation to an entry that does not exist.
pub(crate) fn item_warnings(stock: &ItemSources<'_>, view: &View<'_>, item: &Item) -> Vec<Content> {
    let mut odd = item.warnings().iter().map(|odd| Content::mention(*odd)).collect::<Vec<_>>();
    let Item::Knowledge(entry) = item else { return odd };
    let keys = entry.frontmatter.keys().take(MAX_RELATIONS);
    odd.extend(keys.filter_map(|key| {
        let meant = Relation::guess(key)?;
        Some(Content::mention(format!("`{key}` is not a relation; did you mean `{meant}`?")))
    }));
    let relations = entry.relations.iter();
    let named = relations.flat_map(|(relation, ids)| ids.iter().map(move |id| (*relation, id)));
    for (relation, id) in named.take(MAX_RELATIONS) {
        let found = id.parse::<ItemRef>().ok().map(|item| {
            find_without_suggestions(
                stock,
                view,
                NamedItem { kind: ItemType::Knowledge, item: &item, source: LookupScope::Local },
            )
        });
        let trouble = match found {
            None => "which is not a valid id",
            Some(Err(ItemError::Missing { .. })) => "which does not exist",
            Some(_) => continue,
        };
        let id = reply_fields::mask_secrets(id);
        odd.push(Content::mention(format!("`{relation}` names `{id}`, {trouble}")));
    }
    odd
}
