//! Running a directive or a knowledge entry, which an agent follows or reads.
//!
//! Nothing is executed here: a directive's inputs are checked before its steps are returned.

use mere_core::digest::ShownDigest;
use mere_core::item::{Directive, Knowledge, ScopedPath};
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::RunHandle;
use mere_core::schema::{input_default, input_schema};
use mere_core::trust::VersionAge;
use serde_json::{Map, Value};

use super::RunError;
use super::inputs::check_inputs;
use crate::files::masking::ItemMasker;
use crate::items::directive_fields::{input_list, part_list, process_list};
use crate::items::item_fidelity::ItemFidelity;
use crate::items::load::item_name;
use crate::items::reply_fields::own_text;
use crate::items::validation::{check_frontmatter, directive_schema, item_warnings};
use crate::items::version_check::trust_fields_with_age;
use crate::items::{ItemReader, LoadedItem, UsableItem, reply_fields};

/// A directive or knowledge entry that its reader may use.
pub(super) struct OpenedItem<'a> {
    pub(super) usable: UsableItem,
    /// How its reader sees its files.
    pub(super) fidelity: ItemFidelity,
    /// How its version compares with what this machine has seen.
    pub(super) age: VersionAge,
    /// Items of the same name that nobody vouches for.
    pub(super) beside: Vec<ScopedPath>,
    /// Opens a run once the inputs are known to be right; returns its handle for an agent.
    pub(super) open_run: &'a dyn Fn(&LoadedItem) -> Option<RunHandle>,
}

impl OpenedItem<'_> {
    fn integrity(&self) -> Option<ShownDigest> {
        self.fidelity.integrity(self.usable.item().integrity)
    }

    fn trust_fields(&self) -> Fields {
        trust_fields_with_age(self.usable.checked(), &self.age)
    }
}

/// Checks a directive's inputs and returns its steps.
pub(super) fn run_directive(
    items: &ItemReader<'_>,
    opened: &OpenedItem<'_>,
    directive: &Directive,
    parameters: &Map<String, Value>,
) -> Result<Draft, RunError> {
    let usable = &opened.usable;
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
        entry has `parts`, they are all that it says. Where `permissions` are given, nothing \
        else is permitted until the run ends: pass `run` with every call, and end it with `execute` \
        and `action` close. Return what `outputs` asks for.";
    Ok(directive_reply(opened, &masker, data, guidance))
}

/// Returns the text of a skill, which is followed as it is written.
pub(super) fn run_skill(
    items: &ItemReader<'_>,
    opened: &OpenedItem<'_>,
    parameters: &Map<String, Value>,
) -> Result<Draft, RunError> {
    let usable = &opened.usable;
    let loaded = usable.item();
    check_inputs(loaded, &input_schema(None, &[]), parameters)?;
    let view = items.view;
    let mut masker = ItemMasker::new(view, usable);
    let body = loaded.item.content_range().map_or("", |body| &loaded.text[body]);
    let data = ready_fields(&mut masker, loaded, Data::List(Vec::new()))
        .with("content", masker.body(body))
        .with("process", Data::List(Vec::new()))
        .with("files", reply_fields::file_list(view, usable, &opened.fidelity))
        .with("inputs_validated", true)
        .with("validation_warnings", warnings(items, loaded));
    let guidance = "Follow the text of `content`. Its other files are beside it and can be read.";
    Ok(directive_reply(opened, &masker, data, guidance))
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
    opened: &OpenedItem<'_>,
    masker: &ItemMasker,
    data: Fields,
    instructions: &'static str,
) -> Draft {
    let loaded = opened.usable.item();
    let data = data
        .with("integrity", opened.integrity())
        .with("trust", opened.trust_fields())
        .with("instructions", instructions)
        .with_some(
            "run",
            (opened.open_run)(loaded).map(|run| Data::Words(run.as_str().to_owned().into())),
        )
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
pub(super) fn run_knowledge(
    items: &ItemReader<'_>,
    opened: &OpenedItem<'_>,
    entry: &Knowledge,
    related: Option<Fields>,
) -> Result<Draft, RunError> {
    let usable = &opened.usable;
    let (view, loaded) = (items.view, usable.item());
    check_frontmatter(view, loaded, entry)?;
    let mut masker = ItemMasker::new(view, usable);
    let data = Fields::default()
        .with("id", own_text(&loaded.place.id))
        .with("title", masker.mention(&entry.title))
        .with("address", loaded.address.clone())
        .with("content", masker.body(&loaded.text[entry.content.clone()]))
        .with("metadata", masker.data(&loaded.item.metadata()))
        .with("integrity", opened.integrity())
        .with("trust", opened.trust_fields())
        .with_some("beside", reply_fields::some_addresses(&opened.beside))
        .with("frontmatter_validated", true)
        .with("validation_warnings", warnings(items, loaded))
        .with_some("relationships", related)
        .with_some("masked", masker.masked_count());
    let message = Prose::words("The knowledge entry `").name(item_name(&loaded.place)).and("`.");
    Ok(Draft::success(codes::RUN_KNOWLEDGE, message).data(data))
}
