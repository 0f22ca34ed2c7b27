//! Checks that need more than an item's own text, and warnings that do not prevent its use.

use mere_core::item::{Directive, Item, ItemFault, ItemRef, ItemType, Knowledge, Relation};
use mere_core::reply::Content;
use mere_core::request::LookupScope;
use mere_core::schema::{
    InputSpec, Problem, Schema, SchemaError, frontmatter_schema, input_schema,
};
use serde_json::Value;

use super::find::{NamedItem, find_without_suggestions};
use super::tool_check::tool_warnings;
use super::{ItemError, ItemReader, ItemSources, LoadedItem};
use crate::files::masking::{mask_problems, mask_secrets};
use crate::files::redaction::{MASK, MaskedText};
use crate::files::view::View;

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

/// Checks the frontmatter as the caller sees it, because a schema that an agent wrote must not
/// reveal to it what is masked.
pub(crate) fn check_frontmatter(
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
    let problems = mask_problems(problems);
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
pub(crate) fn frontmatter_problems(entry: &Knowledge) -> Result<Vec<Problem>, SchemaError> {
    let schema = frontmatter_schema(entry.frontmatter.get("frontmatter_schema"));
    Ok(Schema::compile(&schema)?.problems(&Value::Object(entry.frontmatter.clone())))
}

/// Returns everything that is odd about an item that was read, as its reader may see it.
pub(crate) fn loaded_warnings(items: &ItemReader<'_>, loaded: &LoadedItem) -> Vec<Content> {
    let mut warnings = item_warnings(items.sources, items.view, &loaded.item);
    warnings.extend(tool_warnings(items, loaded));
    if let Err(error) = check_own_schema(items.view, loaded) {
        let what = match error {
            ItemError::InvalidFrontmatter { problems, .. } => {
                let problems = problems.iter().map(|one| match one.pointer.as_str() {
                    "" => one.message.clone(),
                    at => format!("`{}` {}", &at[1..], one.message),
                });
                let problems = problems.collect::<Vec<_>>().join("; ");
                format!("the frontmatter does not match its `frontmatter_schema`: {problems}")
            }
            _ => "`frontmatter_schema` cannot be used".to_owned(),
        };
        warnings.push(Content::mention(what));
    }
    warnings
}

/// Checks the frontmatter of a knowledge entry against its own schema. Other items have none.
pub(crate) fn check_own_schema(view: &View<'_>, loaded: &LoadedItem) -> Result<(), ItemError> {
    match &loaded.item {
        Item::Knowledge(entry) if entry.frontmatter.contains_key("frontmatter_schema") => {
            check_frontmatter(view, loaded, entry)
        }
        // What every entry must have was checked when it was parsed.
        _ => Ok(()),
    }
}

/// The largest number of relations that are checked for warnings.
const MAX_RELATIONS: usize = 100;

/// Returns the warnings that an item's own text gives rise to. They may repeat names from the file,
/// in which secrets are masked.
pub(crate) fn own_warnings(item: &Item) -> Vec<String> {
    let stated = item.warnings().iter().map(|warning| mask_secrets(warning.text()));
    stated.chain(item.field_excesses().iter().map(ToString::to_string)).collect()
}

/// Returns warnings about an item that do not prevent its use, such as an unknown kind or a
/// relation to an entry that does not exist.
pub(crate) fn item_warnings(
    sources: &ItemSources<'_>,
    view: &View<'_>,
    item: &Item,
) -> Vec<Content> {
    let mut warnings = own_warnings(item).into_iter().map(Content::mention).collect::<Vec<_>>();
    let Item::Knowledge(entry) = item else { return warnings };
    let keys = entry.frontmatter.keys().take(MAX_RELATIONS);
    warnings.extend(keys.filter_map(|key| {
        let relation = Relation::guess(key)?;
        Some(Content::mention(format!("`{key}` is not a relation; did you mean `{relation}`?")))
    }));
    let relations = entry.relations.iter();
    let named = relations.flat_map(|(relation, ids)| ids.iter().map(move |id| (*relation, id)));
    for (relation, id) in named.take(MAX_RELATIONS) {
        let found = id.parse::<ItemRef>().ok().map(|item| {
            find_without_suggestions(
                sources,
                view,
                NamedItem { kind: ItemType::Knowledge, item: &item, source: LookupScope::Local },
            )
        });
        let problem = match found {
            None => "which is not a valid id",
            Some(Err(ItemError::Missing { .. })) => "which does not exist",
            Some(_) => continue,
        };
        let id = mask_secrets(id);
        warnings.push(Content::mention(format!("`{relation}` names `{id}`, {problem}")));
    }
    warnings
}
