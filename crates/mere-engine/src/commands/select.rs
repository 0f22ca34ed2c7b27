//! Selects the items that a person's command is about.
//!
//! Selecting does not verify anything.

use mere_core::address::{Address, RelPath, Root};
use mere_core::item::{ItemForm, ItemType, Scope, ScopedPath};
use mere_core::request::{ItemMatcher, ItemSelection, LookupScope, SelectedItems};

use crate::error::tool_error::ToolError;
use crate::items::find::NamedItem;
use crate::items::load::item_name;
use crate::items::suggestions::suggest_matches;
use crate::items::{ItemCall, ItemError};
use crate::space::ItemChangeError;
use crate::world::Context;
use mere_host::{GitRepository, SPACE_FOLDER};

/// Returns the places of the selected items, in order.
pub(super) fn select(
    call: &ItemCall<'_>,
    selection: &ItemSelection,
) -> Result<Vec<ScopedPath>, ToolError> {
    let ItemSelection { kind, scope, which } = selection;
    // Items that agents may not see are included, so that a project cannot hide its items from
    // `verify`.
    let wants = |place: &ScopedPath| kind.is_none_or(|kind| kind == place.kind);
    let mut places = match which {
        SelectedItems::Named(names) => return named_items(call, selection, names),
        SelectedItems::Staged => staged_items(call)?,
        SelectedItems::All
        | SelectedItems::Unfinished
        | SelectedItems::Unsigned
        | SelectedItems::Reviewable
        | SelectedItems::SignedByStrangers => all_items(call, *scope)?,
    };
    places.retain(wants);
    Ok(places)
}

/// Returns every item that can be signed.
pub(super) fn all_items(
    call: &ItemCall<'_>,
    scope: Option<Scope>,
) -> Result<Vec<ScopedPath>, ToolError> {
    let scope = scope.map(|scope| call.effective_scope(scope));
    let mut places = Vec::new();
    for one in [Scope::Project, Scope::User] {
        if scope.is_none_or(|scope| scope == one) {
            let entries = call.items.sources.indexed_items(one).map_err(ItemError::Unsearchable)?;
            places.extend(entries.into_iter().map(|entry| entry.place));
        }
    }
    Ok(places)
}

fn named_items(
    call: &ItemCall<'_>,
    selection: &ItemSelection,
    names: &[ItemMatcher],
) -> Result<Vec<ScopedPath>, ToolError> {
    let source = selection
        .scope
        .map_or(LookupScope::Local, |scope| LookupScope::Only(call.effective_scope(scope)));
    let all = || all_items(call, selection.scope);
    let mut places = Vec::new();
    for wanted in names {
        match (wanted, selection.kind) {
            (ItemMatcher::Item(item), Some(kind)) => {
                if kind == ItemType::Memory {
                    return Err(ItemChangeError::MemoryNotSigned.into());
                }
                places.push(call.items.find(NamedItem { kind, item, source })?.place);
            }
            (ItemMatcher::Item(item), None) => {
                let is_called = |place: &ScopedPath| {
                    let category = item.category.as_ref();
                    place.id == item.id && category.is_none_or(|one| *one == place.category)
                };
                places.extend(matching(all()?, wanted, is_called)?);
            }
            (ItemMatcher::Matching(pattern), kind) => {
                let mut of_kind = all()?;
                of_kind.retain(|place| kind.is_none_or(|kind| kind == place.kind));
                let is_like = |place: &ScopedPath| pattern.matches(item_name(place).as_str());
                places.extend(matching(of_kind, wanted, is_like)?);
            }
        }
    }
    places.sort();
    places.dedup();
    Ok(places)
}

/// Returns the items that were meant. A name that means none is an error: a check of nothing would
/// look like one that passed.
fn matching(
    all: Vec<ScopedPath>,
    wanted: &ItemMatcher,
    is_meant: impl Fn(&ScopedPath) -> bool,
) -> Result<Vec<ScopedPath>, ItemError> {
    let (found, others) = all.into_iter().partition::<Vec<_>, _>(is_meant);
    if !found.is_empty() {
        return Ok(found);
    }
    let suggestions = suggest_matches(&others, wanted);
    let wanted = match wanted {
        ItemMatcher::Item(item) => item.to_string(),
        ItemMatcher::Matching(pattern) => pattern.as_str().to_owned(),
    };
    Err(ItemError::NoMatch { wanted, suggestions })
}

/// Returns the project's items whose files or signatures differ between the last commit and the
/// next one.
fn staged_items(call: &ItemCall<'_>) -> Result<Vec<ScopedPath>, ToolError> {
    let paths = staged_paths(call)?;
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let mut places = all_items(call, Some(Scope::Project))?;
    places.retain(|place| paths.iter().any(|path| is_file_of(place, path)));
    Ok(places)
}

/// Returns the paths of the project that differ between the last commit and the next one.
pub(super) fn staged_paths(call: &ItemCall<'_>) -> Result<Vec<RelPath>, ToolError> {
    let git =
        GitRepository::discover(call.context.project()?).ok_or(ItemChangeError::NoGitRepository)?;
    Ok(git.staged_paths().map_err(ItemChangeError::GitFailed)?)
}

/// Returns whether a path of the project is a file of an item, or its sidecar.
pub(super) fn is_file_of(place: &ScopedPath, path: &RelPath) -> bool {
    let address = place.address().filter(|address| *address.root() == Root::Project);
    let Some((folder, main)) = address.and_then(|address| address.path().split_last()) else {
        return false;
    };
    let Some((above, file)) = path.split_last() else { return false };
    let is_sibling =
        || place.kind == ItemType::Tool && file.as_str().starts_with(&format!("{}.", place.id));
    match place.form {
        ItemForm::Folder => path.as_str().starts_with(&format!("{folder}/")),
        ItemForm::Flat => {
            let own = file == main || place.sidecar_name().as_deref() == Some(file.as_str());
            above == folder && (own || is_sibling())
        }
    }
}

/// Returns the path of an item's sidecar, relative to the project.
pub(super) fn sidecar_path(address: &Address, place: &ScopedPath) -> Option<RelPath> {
    let (folder, _) = address.path().split_last()?;
    folder.child(&place.sidecar_name()?)
}

/// Returns the paths of items whose files differ from the staged versions.
pub(super) fn unstaged_paths(call: &ItemCall<'_>) -> Result<Vec<RelPath>, ToolError> {
    let git =
        GitRepository::discover(call.context.project()?).ok_or(ItemChangeError::NoGitRepository)?;
    let folders = call
        .items
        .sources
        .in_place_folders()
        .into_iter()
        .chain([SPACE_FOLDER.to_owned()])
        .collect::<Vec<_>>();
    Ok(git.unstaged_paths(&folders).map_err(ItemChangeError::GitFailed)?)
}

/// Returns main files of items that are staged but missing from disk, so that nobody could verify
/// what is committed.
pub(super) fn staged_but_missing(
    context: &Context,
    unstaged: &[RelPath],
) -> Result<Vec<RelPath>, ToolError> {
    let project = context.project()?;
    let git = GitRepository::discover(project).ok_or(ItemChangeError::NoGitRepository)?;
    let staged = git.staged_paths().map_err(ItemChangeError::GitFailed)?;
    let is_item = |path: &RelPath| {
        let below =
            path.as_str().strip_prefix(SPACE_FOLDER).and_then(|path| path.strip_prefix('/'));
        let below = below.and_then(|path| path.parse().ok());
        below.is_some_and(|path| ScopedPath::from_space_path(Scope::Project, &path).is_some())
    };
    let is_there = |path: &RelPath| project.dir().exists(path.as_str());
    let items = unstaged.iter().filter(|path| staged.contains(path) && is_item(path));
    Ok(items.filter(|path| !is_there(path)).cloned().collect())
}
