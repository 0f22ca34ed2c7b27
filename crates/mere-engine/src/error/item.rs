//! The sentences for items that could not be found, read or changed.
//!
//! What an item says is passed on as content, never as words of our own.

use std::borrow::Cow;

use mere_core::address::Address;
use mere_core::item::{ItemFault, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::{Code, Content, Data, Draft, Fields, Invalid, Prose, codes};
use mere_core::schema::{Problem, SchemaError};

use super::keys::end_sentence;
use super::{item_change, keys, no_project_reply, team, trust};
use crate::items::{ItemError, WrongInputs, command_words, item_name};
use crate::space::BareScript;
use crate::world::NoProject;

/// Answers a call about an item that failed.
pub(crate) fn item_error_reply(error: &ItemError) -> Draft {
    match error {
        ItemError::Missing { kind, item, scopes, suggestions, script } => match script {
            Some(script) => bare_script_reply(item, script),
            None => missing_item_reply((*kind, item), scopes, suggestions),
        },
        ItemError::NoMatch { wanted, suggestions } => no_match_reply(wanted, suggestions),
        ItemError::Ambiguous { kind, item, candidates } => {
            ambiguous_item_reply(*kind, item, candidates)
        }
        ItemError::Clash { kind, item, candidates } => {
            clashing_items_reply(*kind, item, candidates)
        }
        ItemError::Faulty { address, fault } => faulty_item_reply(address, fault),
        ItemError::WrongVersion { address, has } => {
            let has = has.as_ref().map_or("no version".to_owned(), |has| format!("version {has}"));
            let message = Prose::words("").address(address.clone()).and(format!(" has {has}."));
            Draft::invalid(codes::ITEM_VERSION, message).hint("Leave out `version` to use it.")
        }
        ItemError::NoRegistry => {
            Draft::invalid(codes::ITEM_NO_REGISTRY, "No registry is configured.")
                .hint("Leave out `source` to look in the project and the user space.")
        }
        ItemError::NotRunnable(kind) => {
            let message = format!("Items of the type {kind} cannot be run.");
            Draft::invalid(codes::RUN_TYPE, Prose::words(message))
                .hint("Tools, directives and knowledge entries can be; `load` shows any item.")
        }
        ItemError::InvalidSchema { address, error } => {
            invalid_schema_reply(address.as_ref(), error)
        }
        ItemError::InvalidInputs(wrong) => wrong_inputs_reply(wrong),
        ItemError::InvalidFrontmatter { address, problems } => {
            frontmatter_error_reply(address.as_ref(), problems)
        }
        ItemError::Unsearchable(cause) if NoProject::is_cause_of(cause) => no_project_reply(),
        ItemError::Unsearchable(cause) => {
            tracing::error!(%cause, "a space could not be looked through");
            Draft::fault(codes::ITEM_UNSEARCHABLE, "A space could not be searched.")
                .hint("Ask a person to check its permissions; the log says why.")
        }
        ItemError::Key(fault) => keys::key_error_reply(fault),
        ItemError::Signer(fault) => super::signer_error_reply(fault),
        ItemError::Team(trouble) => trust::roster_trouble_reply(trouble),
        ItemError::TeamRefused(fault) => team::team_error_reply(fault),
        ItemError::Record(error) => trust::record_error_reply(error),
        ItemError::Broken(broken) => trust::integrity_failure_reply(broken),
        ItemError::UseDenied(untrusted) => trust::untrusted_item_reply(untrusted),
        ItemError::Change(error) => item_change::item_change_error_reply(error),
        ItemError::File(error) => super::file_error_reply(error),
        ItemError::Store(error) => super::store::store_error_reply(error),
    }
}

/// Answers for an item that cannot be parsed.
pub(super) fn faulty_item_reply(address: &Address, fault: &ItemFault) -> Draft {
    let place = format!(" is not valid at line {}, column {}: ", fault.line, fault.column);
    let message = Prose::words("").address(address.clone()).and(place);
    let message = message.append(&fault.what).and(".");
    let draft = parse_error_reply(codes::ITEM_FAULTY, message, (address, fault));
    match edit_command(address) {
        Some(command) => draft.hint(fault.fix.clone().and(" ").append(&command)),
        None => draft,
    }
}

/// Says with which command a person opens the item at an address.
fn edit_command(address: &Address) -> Option<Prose> {
    let place = ScopedPath::from_address(address)?;
    let is_edited = !matches!(place.kind, ItemType::Memory | ItemType::Lockfile);
    let words = format!("`mere edit {}` opens it for a person.", command_words(&place));
    is_edited.then(|| Prose::with_names(&words, &[item_name(&place)]))
}

fn ambiguous_item_reply(kind: ItemType, item: &ItemRef, candidates: &[ScopedPath]) -> Draft {
    let count = candidates.len();
    let message = prose_with_item("The id `", item).and(format!("` matches {count} items."));
    candidates_reply(codes::ITEM_AMBIGUOUS, message, (kind, candidates))
        .hint("Name one of them as `category/id`, and a lockfile with its `@version`.")
}

fn clashing_items_reply(kind: ItemType, item: &ItemRef, candidates: &[ScopedPath]) -> Draft {
    let message = prose_with_item(format!("Two items claim to be the {} `", kind.noun()), item);
    let message = message.and("`, so neither is used.");
    candidates_reply(codes::ITEM_CLASH, message, (kind, candidates))
        .hint("Remove or rename one of them.")
}

fn invalid_schema_reply(address: Option<&Address>, error: &SchemaError) -> Draft {
    let message = match address {
        Some(address) => Prose::words("A JSON Schema of ").address(address.clone()),
        None => Prose::words("A JSON Schema of the item"),
    };
    let why = Content::mention(error.to_string());
    Draft::invalid(codes::RUN_SCHEMA, message.and(" cannot be used: ").content(why).and("."))
        .hint("It must be JSON Schema 2020-12, without references to other documents.")
}

fn missing_item_reply(
    (kind, item): (ItemType, &ItemRef),
    scopes: &[Scope],
    suggestions: &[String],
) -> Draft {
    let scopes = scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(" or ");
    let message = prose_with_item(format!("There is no {} `", kind.noun()), item);
    let draft =
        Draft::invalid(codes::ITEM_MISSING, message.and(format!("` in the {scopes} space.")));
    if suggestions.is_empty() {
        return draft.hint(
            "Ids must match exactly; with a category, write `category/id`. Where there is no space yet, a \
             person makes one with `mere init`.",
        );
    }
    with_suggestions(draft, suggestions)
}

/// Answers for a name or a pattern that matches no item of any type.
fn no_match_reply(wanted: &str, suggestions: &[String]) -> Draft {
    let message = Prose::words("No item matches `").content(Content::mention(wanted)).and("`.");
    let draft = Draft::invalid(codes::ITEM_MISSING, message);
    if suggestions.is_empty() {
        return draft.hint("`mere list` lists the items; with a category, write `category/id`.");
    }
    with_suggestions(draft, suggestions)
}

fn with_suggestions(draft: Draft, suggestions: &[String]) -> Draft {
    let suggestion = format!("Did you mean `{}`?", suggestions.join("`, `"));
    let similar = suggestions.iter().map(|name| Data::Words(name.clone().into())).collect::<Data>();
    draft.hint(Prose::words(suggestion)).data(Fields::default().with("similar", similar))
}

/// Answers for a tool that does not exist, although there is a script of its name.
fn bare_script_reply(item: &ItemRef, script: &BareScript) -> Draft {
    let message = prose_with_item("There is no tool `", item)
        .and("`: the script ")
        .address(script.address.clone())
        .and(" has no manifest, so it is not a tool.");
    let hint = match (script.command(), &script.tool) {
        (Some(command), Some(place)) => {
            let words = format!("Ask a person to run `{command}`, which writes one for it.");
            Prose::with_names(&words, &[item_name(place)])
        }
        _ => Prose::words(format!("To make it a tool, {}.", script.fix())),
    };
    let data = Fields::default().with("script", script.address.clone());
    Draft::invalid(codes::ITEM_MISSING, message).hint(hint).data(data)
}

fn frontmatter_error_reply(address: Option<&Address>, problems: &[Problem]) -> Draft {
    let message = match address {
        Some(address) => Prose::words("The frontmatter of ").address(address.clone()),
        None => Prose::words("The frontmatter"),
    };
    let message = message.and(" does not match its schema: ");
    let message = message.content(Content::mention(end_sentence(&first_problem(problems))));
    let data = Fields::default().with("problems", problems_data(problems));
    let hint = Prose::words("Correct the keys that `problems` names.");
    let hint = match address.and_then(edit_command) {
        Some(command) => hint.and(" ").append(&command),
        None => hint,
    };
    Draft::invalid(codes::RUN_FRONTMATTER, message).hint(hint).data(data)
}

pub(super) fn wrong_inputs_reply(wrong: &WrongInputs) -> Draft {
    let count = wrong.problems.len();
    let words = if count == 1 { "problem" } else { "problems" };
    let message = Prose::words(format!("The inputs have {count} {words}: "));
    let message = message.content(Content::mention(end_sentence(&first_problem(&wrong.problems))));
    let text = &mut |text: &str| Content::mention(text);
    let data = Fields::default()
        .with("address", wrong.address.clone())
        .with("problems", problems_data(&wrong.problems))
        .with("input_schema", Data::from_foreign(&wrong.schema, text))
        .with("example", Data::from_foreign(&wrong.example, text));
    Draft::invalid(codes::RUN_INPUTS, message)
        .hint("Pass `parameters` like those in `example`; `input_schema` describes what is valid.")
        .data(data)
}

/// Names an item as it was asked for. It is content, because a leading slash, which stands for no
/// category, looks like a path's.
fn prose_with_item(before: impl Into<Cow<'static, str>>, item: &ItemRef) -> Prose {
    Prose::words(before).content(Content::mention(item.to_string()))
}

/// Answers for a file that is not valid, and says where.
pub(super) fn parse_error_reply(
    code: Code<Invalid>,
    message: Prose,
    (address, fault): (&Address, &ItemFault),
) -> Draft {
    Draft::invalid(code, message).hint(fault.fix.clone()).data(parse_error_fields(address, fault))
}

/// Says where a file is not valid.
pub(super) fn parse_error_fields(address: &Address, fault: &ItemFault) -> Fields {
    Fields::default()
        .with("address", address.clone())
        .with("line", fault.line as u64)
        .with("column", fault.column as u64)
}

/// Returns the first of several problems, as part of a sentence.
fn first_problem(problems: &[Problem]) -> String {
    problems.first().map_or(String::new(), |one| {
        let what = &one.message;
        if one.pointer.is_empty() {
            what.clone()
        } else {
            format!("`{}` {what}", &one.pointer[1..])
        }
    })
}

pub(super) fn problems_data(problems: &[Problem]) -> Data {
    let rows = problems.iter().map(|one| {
        let (at, what) = (Content::mention(&*one.pointer), Content::mention(&*one.message));
        Data::from(Fields::default().with("at", at).with("what", what))
    });
    rows.collect()
}

fn candidates_reply(
    code: Code<Invalid>,
    message: Prose,
    (kind, candidates): (ItemType, &[ScopedPath]),
) -> Draft {
    let candidates = candidates.iter().map(|place| {
        let address = place.address().map_or(Data::Null, Data::from);
        let item = ItemRef {
            category: Some(place.category.clone()),
            id: place.id.clone(),
            version: place.version.clone(),
        };
        Fields::default()
            .with("item_type", kind.name())
            .with("id", Content::mention(item.to_string()))
            .with("scope", place.scope.name())
            .with("address", address)
    });
    let candidates = candidates.map(Data::from).collect::<Data>();
    Draft::invalid(code, message).data(Fields::default().with("candidates", candidates))
}
