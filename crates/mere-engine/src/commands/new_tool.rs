//! `mere new tool` where a script already lies: writes the manifest for it, from what the script
//! says about itself. The script stays as it is, and nothing of it is executed.

use mere_core::item::integrity::FileDigest;
use mere_core::item::{
    Category, ItemId, ItemRef, ItemType, MAX_ITEM_BYTES, ScopedPath, ScriptFile, ScriptLanguage,
    ScriptMetadata, ScriptStyle, draft_manifest, read_script,
};
use mere_core::reply::{Content, Draft};
use mere_core::request::{ItemContent, LookupScope, ScriptChoice};

use crate::error::tool_error::ToolError;
use crate::items::change::{ExecutionMode, create_item, permit_destination};
use crate::items::find::{NamedItem, find_without_suggestions};
use crate::items::new_item::NewItem;
use crate::items::tool_check::{check_new_tool, files_beside, open_folder_of};
use crate::items::{ItemCall, ItemError};
use crate::space::ItemChangeError;
use mere_core::chain::builtin;
use mere_host::{open_regular_file, read_at_most};

/// A script that lies where a tool is to be made.
pub(super) struct ScriptInPlace {
    name: String,
    language: ScriptLanguage,
    /// All files that the tool would own.
    files: Vec<FileDigest>,
}

/// Finds the script for which a manifest is asked. If there are several, the chosen language
/// decides.
pub(super) fn find_script(
    call: &ItemCall<'_>,
    place: &ScopedPath,
    choice: ScriptChoice,
) -> Result<Option<ScriptInPlace>, ItemError> {
    let files = files_beside(&call.items, place);
    let scripts = files.iter().filter_map(|file| {
        let (stem, language) = ScriptLanguage::split_file_name(&file.path)?;
        (stem == place.id.as_str()).then(|| (file.path.clone(), language))
    });
    let scripts = scripts.collect::<Vec<_>>();
    let is_chosen = |language: ScriptLanguage| choice.language.is_none_or(|one| one == language);
    let mut chosen = scripts.iter().filter(|(_, language)| is_chosen(*language));
    match (chosen.next(), chosen.next()) {
        _ if scripts.is_empty() => Ok(None),
        (Some((name, language)), None) => {
            Ok(Some(ScriptInPlace { name: name.clone(), language: *language, files }))
        }
        (Some(_), Some(_)) => Err(ItemChangeError::ScriptChoice {
            what: "Several scripts of that name lie there.",
            fix: "Choose the one that the tool runs with `--lang python`, `--lang node` or `--lang \
                  bash`; of two in one language, rename one.",
        }
        .into()),
        (None, _) => Err(ItemChangeError::ScriptChoice {
            what: "A script of that name in another language lies there already.",
            fix: "Leave out `--lang`, or choose another name.",
        }
        .into()),
    }
}

/// Creates the manifest for a script.
pub(super) fn create_manifest(
    call: &ItemCall<'_>,
    place: ScopedPath,
    script: &ScriptInPlace,
    style: Option<ScriptStyle>,
) -> Result<Draft, ToolError> {
    let mut metadata = read_metadata(call, &place, script);
    check_category(&mut metadata, &place.category);
    check_executor(call, &mut metadata, script.language);
    let function = choose_function(&mut metadata, script.language, style)?;
    let file = ScriptFile { name: &script.name, language: script.language };
    let main_file = draft_manifest(&place, file, &metadata, function.as_deref());
    if !main_file.lines().any(|line| line.starts_with("input_schema:")) {
        let note = "no parameters were found, so the tool takes none: add `input_schema` for them";
        metadata.notes.push(note.to_owned());
    }
    let text = ItemContent { main_file, files: Vec::new() };
    let destination = permit_destination(call, place)?;
    let place = destination.place().clone();
    check_new_tool(&call.items, &place, &text, &script.files)?;
    let new_item = NewItem::new((call.items.sources, call.items.view), place, &text)?;
    let mut new_item = new_item.with_restored_text(&text, &script.files)?;
    new_item.warnings.extend(metadata.notes.into_iter().map(Content::mention));
    Ok(create_item(call, destination, new_item, ExecutionMode::Real)?)
}

/// Reads what a script says about itself. One that cannot be read says nothing.
fn read_metadata(
    call: &ItemCall<'_>,
    place: &ScopedPath,
    script: &ScriptInPlace,
) -> ScriptMetadata {
    let folder = open_folder_of(&call.items, place);
    let file = folder.and_then(|folder| open_regular_file(&folder, &script.name).ok().flatten());
    let bytes = file.map(|file| read_at_most(file, MAX_ITEM_BYTES as u64));
    let note = |words: &str| {
        let notes = vec![format!("nothing of the script was read: {words}")];
        ScriptMetadata { notes, runs_itself: true, ..ScriptMetadata::default() }
    };
    match bytes {
        Some(Ok(Some(bytes))) => match str::from_utf8(&bytes) {
            Ok(text) => read_script(script.language, text),
            Err(_) => note("it is not UTF-8"),
        },
        Some(Ok(None)) => note("it is larger than 1 MiB"),
        _ => note("it cannot be opened"),
    }
}

/// Notes a category that is not the one in which the script lies.
fn check_category(metadata: &mut ScriptMetadata, category: &Category) {
    if metadata.category.as_ref().is_some_and(|stated| *stated != category.as_str()) {
        let note = "`__category__` is not the category in which the script lies; the latter counts";
        metadata.notes.push(note.to_owned());
    }
}

/// Drops an executor that does not exist. The runtime of the language takes its place.
fn check_executor(call: &ItemCall<'_>, metadata: &mut ScriptMetadata, language: ScriptLanguage) {
    let is_there = |id: &ItemId| {
        let item = ItemRef { category: None, id: id.clone(), version: None };
        let named = NamedItem { kind: ItemType::Tool, item: &item, source: LookupScope::Local };
        builtin::is_reserved(id)
            || find_without_suggestions(call.items.sources, call.items.view, named).is_ok()
    };
    if metadata.executor.as_ref().is_some_and(|executor| !is_there(executor)) {
        metadata.executor = None;
        let runtime = language.runtime();
        metadata.notes.push(format!(
            "`__executor_id__` names a tool that does not exist, so the executor is `{runtime}`"
        ));
    }
}

/// Returns the name of the function that the tool calls, if it calls one: where a person asks for
/// it, and where the script has one and does nothing by itself.
fn choose_function(
    metadata: &mut ScriptMetadata,
    language: ScriptLanguage,
    style: Option<ScriptStyle>,
) -> Result<Option<String>, ItemError> {
    let executor = metadata.executor.as_ref().map_or(language.runtime(), ItemId::as_str);
    let is_callable = language != ScriptLanguage::Bash && executor == language.runtime();
    let function = metadata.function.as_ref().filter(|_| is_callable);
    let function = function.map(|function| function.name.clone());
    match (function, style) {
        (None, Some(ScriptStyle::Function)) => Err(ItemChangeError::ScriptChoice {
            what: "No function of the script can be called.",
            fix: "`--function` needs a function `main` whose parameters have names (exported, in \
                  JavaScript), and a runtime that calls functions.",
        }
        .into()),
        (Some(name), Some(ScriptStyle::Function)) => Ok(Some(name)),
        (Some(name), None) if !metadata.runs_itself => Ok(Some(name)),
        (Some(name), _) => {
            metadata.notes.push(format!(
                "the script runs by itself, so it is run as a program, which reads its parameters \
                 from standard input; `config: {{call: {name}}}` would call `{name}` instead"
            ));
            Ok(None)
        }
        (None, _) => Ok(None),
    }
}
