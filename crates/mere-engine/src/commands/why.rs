//! `mere why`: shows everything that a name could mean, which item wins, and why.
//!
//! It also lists skills in the folders of other clients, which are not used as items, and says which
//! copy a client reads by itself.

use mere_core::item::{Category, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::LookupScope;

use super::adopt::compare_client_copies;
use super::adopt::survey::SKILL_FOLDERS;
use super::list::{broken_trust_fields, fault_data};
use crate::error::tool_error::ToolError;
use crate::error::{failure_hint, item_error_reply};
use crate::items::find::NamedItem;
use crate::items::reply_fields::own_text;
use crate::items::version_check::item_trust_fields;
use crate::items::{ItemCall, ItemError, ItemReader, item_advice, read_and_verify};

/// Lists every candidate.
pub(super) fn explain_choice(
    call: &ItemCall<'_>,
    kind: ItemType,
    item: &ItemRef,
) -> Result<Draft, ToolError> {
    let found = call.items.find_for_use(NamedItem { kind, item, source: LookupScope::Local });
    let winner = match &found {
        Ok(found) => Some(&found.place),
        // The project's item keeps its place, because its signature was taken away.
        Err(ItemError::Broken(broken)) => Some(&broken.place),
        Err(ItemError::Missing { .. } | ItemError::Ambiguous { .. } | ItemError::Clash { .. }) => {
            None
        }
        Err(_) => return found.map(|_| Draft::success(codes::WHY, "")).map_err(ToolError::from),
    };
    let mut rows = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        let candidates = call.items.sources.candidates(scope, kind, item);
        for place in candidates.map_err(ItemError::Unsearchable)? {
            rows.push(candidate_fields(&call.items, &place, winner, &found));
        }
    }
    let elsewhere =
        if kind == ItemType::Directive { skills_elsewhere(call, item) } else { Vec::new() };
    if rows.is_empty() && elsewhere.is_empty() {
        return Err(missing_error(found, (kind, item)).into());
    }
    let message = match (winner.and_then(ScopedPath::address), rows.len(), elsewhere.len()) {
        (Some(address), ..) => Prose::words("").address(address).and(" wins."),
        (None, 0, _) => Prose::words("It exists only in folders that are not used in place."),
        (None, ..) => Prose::words("None wins: the name is ambiguous."),
    };
    let data = Fields::default()
        .with("winner", winner.and_then(ScopedPath::address))
        .with("candidates", Data::List(rows))
        .with("elsewhere", Data::List(elsewhere))
        .with_all(client_fields(call, kind, item));
    let draft = Draft::success(codes::WHY, message).data(data);
    Ok(match found {
        Err(ItemError::Ambiguous { .. }) => draft.hint("Name it as `category/id`."),
        Err(ItemError::Clash { .. }) => draft.hint("Remove or rename one of the two."),
        _ => draft,
    })
}

/// Returns the error for a name that matches nothing anywhere.
pub(crate) fn missing_error(
    found: Result<crate::items::find::ResolvedItem, ItemError>,
    (kind, item): (ItemType, &ItemRef),
) -> ItemError {
    let (item, scopes) = (Box::new(item.clone()), vec![Scope::Project, Scope::User]);
    let suggestions = Vec::new();
    found.err().unwrap_or(ItemError::Missing { kind, item, scopes, suggestions, script: None })
}

fn candidate_fields(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    winner: Option<&ScopedPath>,
    found: &Result<crate::items::find::ResolvedItem, ItemError>,
) -> Data {
    let reason = match (winner, found) {
        (Some(winner), _) if winner == place => match place.scope {
            Scope::Project => "the project's item wins",
            _ if found.as_ref().is_ok_and(|found| !found.beside.is_empty()) => {
                "somebody vouches for it, and nobody for the project's"
            }
            _ => "the project has none, so the user's wins",
        },
        (Some(winner), _) if winner.scope < place.scope => {
            "shadowed by a scope of higher precedence"
        }
        (Some(winner), _) if winner.scope > place.scope => {
            "nobody vouches for it, so it does not hide the user's"
        }
        (_, Err(ItemError::Clash { .. })) => "another item has exactly this name",
        (_, Err(ItemError::Ambiguous { .. })) => "several items of this scope have this id",
        _ => "not reached",
    };
    let fields = Fields::default()
        .with("scope", place.scope.name())
        .with("category", ParsedName::from(&place.category))
        .with("address", place.address())
        .with("wins", winner == Some(place))
        .with("why", reason);
    match read_and_verify(items, place.clone()) {
        Ok(checked) => fields
            .with("trust", item_trust_fields(&checked))
            .with("version", checked.item().item.version().map(own_text))
            .with_some(
                "fix",
                item_advice(&checked, items.trust_policy)
                    .map(|fix| Content::mention(fix.render_for_person())),
            )
            .into(),
        Err(error) => fields
            .with_some("trust", broken_trust_fields(&error))
            .with("fault", fault_data(&error))
            .with_some("fix", remedy(&error).map(Content::mention))
            .into(),
    }
}

/// Returns what to do about an item that cannot be used.
pub(super) fn remedy(error: &ItemError) -> Option<String> {
    match error {
        ItemError::Broken(broken) => {
            Some(failure_hint(&broken.place, &broken.failure).render_for_person())
        }
        ItemError::Faulty { .. } | ItemError::InvalidFrontmatter { .. } => {
            item_error_reply(error).hint_prose().map(Prose::render_for_person)
        }
        _ => None,
    }
}

/// Returns which copy of a skill each client reads by itself, without this program, and whether
/// these copies differ.
fn client_fields(call: &ItemCall<'_>, kind: ItemType, item: &ItemRef) -> Fields {
    if kind != ItemType::Directive {
        return Fields::default();
    }
    let Ok(copies) = compare_client_copies(call.context, item.id.as_str()) else {
        return Fields::default();
    };
    let used = copies.used.into_iter().map(|(client, path)| {
        Fields::default().with("client", client).with("path", Content::mention(path)).into()
    });
    let used = used.collect::<Vec<_>>();
    if used.is_empty() {
        return Fields::default();
    }
    Fields::default().with("client_use", Data::List(used)).with("copies_differ", copies.has_drifted)
}

/// Returns the skills of this name in the clients' own folders, in the project and in the home
/// folder.
fn skills_elsewhere(call: &ItemCall<'_>, item: &ItemRef) -> Vec<Data> {
    let category = item.category.as_ref().map_or("", Category::as_str);
    let below = |folder: &str| {
        let parts = [folder, category, item.id.as_str()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    };
    let folders = SKILL_FOLDERS.iter().map(|folder| below(folder)).collect::<Vec<_>>();
    let in_place_folders = call.items.sources.in_place_folders();
    let folders = folders.iter().filter(|folder| {
        !in_place_folders.iter().any(|base| folder.starts_with(&format!("{base}/")))
    });
    let folders = folders.map(String::as_str).collect::<Vec<_>>();
    let found = call.context.skills_in(&folders);
    found.into_iter().map(|path| Content::mention(path).into()).collect()
}
