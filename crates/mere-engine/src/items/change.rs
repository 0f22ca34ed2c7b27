//! Creating, updating and deleting an item: checked, permitted, and then applied or proposed. This
//! file also defines [`ItemCall`], which carries what such a call needs.

use mere_core::address::{Address, RelPath};
use mere_core::digest::{Sha256, ShownDigest};
use mere_core::item::{CategoryBase, ItemForm, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::Draft;
use mere_core::request::{Execute, ItemAction, ItemContent, LookupScope, Reader, Secret};

use super::apply_permit::{WriteContext, apply_permit};
use super::change_report::{ChangeOutcome, ChangeReport};
use super::current_file::CurrentFile;
use super::find::{NamedItem, is_visible};
use super::item_fidelity::shown_integrity;
use super::new_item::{NewItem, choose_form, place_in_space};
use super::signature_state::detect_signature_state;
use super::tool_check::{check_new_tool, files_beside};
use super::tool_lockfiles::{delete_lockfiles, find_lockfiles};
use super::{ItemError, ItemReader, proposal};
use crate::config::AgentsConfig;
use crate::files::error::FileError;
use crate::memory::ItemRules;
use crate::policy::{self, CategoryPermit, ChangeRoute, Denied, ItemChange};
use crate::space::ItemChangeError;
use crate::world::Context;

/// One call that may change items: what it sees, and the rules that apply to it.
pub(crate) struct ItemCall<'a> {
    pub(crate) items: ItemReader<'a>,
    pub(crate) context: &'a Context,
    pub(crate) agents: &'a AgentsConfig,
    /// The rules for the categories of items.
    pub(crate) item_rules: &'a ItemRules,
    /// The passphrase of the user's key, if a person entered one.
    pub(crate) passphrase: Option<&'a Secret>,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

impl ItemCall<'_> {
    /// Returns the scope that is meant. In the home folder the project's space is the user's own.
    pub(crate) fn effective_scope(&self, scope: Scope) -> Scope {
        if scope == Scope::Project && self.context.is_home() { Scope::User } else { scope }
    }

    /// Applies [`Self::effective_scope`] to the scope in which an item is searched for.
    pub(crate) fn effective_source(&self, scope: LookupScope) -> LookupScope {
        match scope {
            LookupScope::Only(scope) => LookupScope::Only(self.effective_scope(scope)),
            wide => wide,
        }
    }
}

/// Whether a call takes effect or only reports what it would do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExecutionMode {
    Real,
    DryRun,
}

impl From<&Execute> for ExecutionMode {
    fn from(request: &Execute) -> Self {
        if request.dry_run { Self::DryRun } else { Self::Real }
    }
}

/// Creates, updates or deletes an item.
pub(crate) fn change_item(call: &ItemCall<'_>, request: &Execute) -> Result<Draft, ItemError> {
    let is_authored =
        matches!(request.kind, ItemType::Directive | ItemType::Tool | ItemType::Knowledge);
    let deletes =
        call.items.reader == Reader::Person && matches!(request.action, ItemAction::Delete { .. });
    if !is_authored && !deletes {
        return Err(ItemChangeError::UnsupportedType(request.kind).into());
    }
    match &request.action {
        ItemAction::Run(_) | ItemAction::Publish { .. } => {
            Err(ItemError::NotRunnable(request.kind))
        }
        ItemAction::Create(text) => create(call, request, text),
        ItemAction::Update { content: text, expect } => update(call, request, text, *expect),
        ItemAction::Delete { expect } => delete(call, request, *expect),
    }
}

/// Creates a new item.
fn create(call: &ItemCall<'_>, request: &Execute, text: &ItemContent) -> Result<Draft, ItemError> {
    call.context.project().map_err(ItemChangeError::from)?;
    let form = choose_form(request.kind, request.item.id.as_str(), text);
    let place =
        place_in_space(call.effective_scope(Scope::Project), request.kind, &request.item, form);
    let destination = permit_destination(call, place)?;
    let place = destination.place().clone();
    let beside = files_beside(&call.items, &place);
    let mut new_item = NewItem::new((call.items.sources, call.items.view), place, text)?;
    check_new_tool(&call.items, &new_item.place, text, &beside)?;
    if !beside.is_empty() {
        new_item = new_item.with_restored_text(text, &beside)?;
    }
    create_item(call, destination, new_item, request.into())
}

/// Finds the item that a change is about.
fn find_requested(call: &ItemCall<'_>, request: &Execute) -> Result<ScopedPath, ItemError> {
    let source = call.effective_source(request.source);
    let named = NamedItem { kind: request.kind, item: &request.item, source };
    let run = &call.items.view.run;
    let found = call.items.find(named).map_err(|error| {
        // Whether there is such an item is not told to a run that may not change it.
        let scope = call.effective_scope(Scope::Project);
        let nominal = place_in_space(scope, request.kind, &request.item, ItemForm::Flat).address();
        match nominal.map(|nominal| run.permit_write(&nominal)) {
            Some(Err(refusal)) => ItemChangeError::from(Denied::from(refusal)).into(),
            Some(Ok(())) | None => error,
        }
    })?;
    let address = found.place.address().ok_or(ItemChangeError::InvalidPlace)?;
    run.permit_write(&address).map_err(|refusal| ItemChangeError::from(Denied::from(refusal)))?;
    Ok(found.place)
}

fn update(
    call: &ItemCall<'_>,
    request: &Execute,
    text: &ItemContent,
    expect: Option<ShownDigest>,
) -> Result<Draft, ItemError> {
    let place = find_requested(call, request)?;
    let current = CurrentFile::read_main(&call.items, &place)?;
    current.check_expected(call.items.view, expect)?;
    let digest = current.item_digest(&place)?;
    let kept = current.other_files(&place);
    let new_item = NewItem::new((call.items.sources, call.items.view), place, text)?;
    check_new_tool(&call.items, &new_item.place, text, &kept)?;
    let content = current.restore_masked_text(&call.items, &text.main_file)?;
    let restored = ItemContent {
        main_file: content,
        files: restore_masked_files(&call.items, &current.address, &text.files)?,
    };
    let new_item = new_item.with_restored_text(&restored, &kept)?;
    replace_item(call, new_item, digest, request.into())
}

/// Restores masked and rewritten parts in the other files of an item, for a caller who saw them
/// only in that form.
fn restore_masked_files(
    items: &ItemReader<'_>,
    main: &Address,
    files: &[(RelPath, String)],
) -> Result<Vec<(RelPath, String)>, ItemError> {
    let folder = main.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    let restored = files.iter().map(|(path, content)| {
        let address = Address::file(main.root().clone(), folder.join_path(path));
        if !items.view.world.may_show(&address) {
            return Err(
                ItemChangeError::InvalidFiles("only files whose names are not sensitive").into()
            );
        }
        let content = match CurrentFile::read(items, address) {
            Ok(current) => current.restore_masked_text(items, content)?,
            // The file is new, so nobody saw a masked version of it.
            Err(ItemError::File(FileError::Path(_))) => content.clone(),
            Err(error) => return Err(error),
        };
        Ok((path.clone(), content))
    });
    restored.collect()
}

fn delete(
    call: &ItemCall<'_>,
    request: &Execute,
    expect: Option<ShownDigest>,
) -> Result<Draft, ItemError> {
    let place = find_requested(call, request)?;
    let current = CurrentFile::read_main(&call.items, &place)?;
    current.check_expected(call.items.view, expect)?;
    let address = current.address.clone();
    let digest = current.item_digest(&place)?;
    let has_lockfiles = place.kind == ItemType::Tool && call.items.reader == Reader::Person;
    let lockfiles = if has_lockfiles { find_lockfiles(&call.items, &place)? } else { Vec::new() };
    let change = ItemChange::remove(place, digest);
    let (integrity, warnings) = (None, Vec::new());
    let report = ChangeReport { address, integrity, warnings, verb: "deleted", lockfiles };
    apply_or_propose(call, change, report, request.into())
}

/// Creates an item where a permit allows it.
pub(crate) fn create_item(
    call: &ItemCall<'_>,
    destination: CategoryPermit,
    new_item: NewItem,
    mode: ExecutionMode,
) -> Result<Draft, ItemError> {
    let integrity = shown_integrity(call.items.view, &new_item);
    let NewItem { address, files, warnings, .. } = new_item;
    let lockfiles = Vec::new();
    let report = ChangeReport { address, integrity, warnings, verb: "created", lockfiles };
    apply_or_propose(call, ItemChange::create(destination, files), report, mode)
}

/// Replaces the item whose whole digest is given.
fn replace_item(
    call: &ItemCall<'_>,
    new_item: NewItem,
    digest: Sha256,
    mode: ExecutionMode,
) -> Result<Draft, ItemError> {
    let integrity = shown_integrity(call.items.view, &new_item);
    let NewItem { place, address, files, warnings, .. } = new_item;
    let lockfiles = Vec::new();
    let report = ChangeReport { address, integrity, warnings, verb: "changed", lockfiles };
    apply_or_propose(call, ItemChange::replace(place, files, digest), report, mode)
}

/// Asks policy about a change and applies it or proposes it. In a dry run it only reports what
/// would happen.
fn apply_or_propose(
    call: &ItemCall<'_>,
    change: ItemChange,
    report: ChangeReport,
    mode: ExecutionMode,
) -> Result<Draft, ItemError> {
    permit_files(call, &change, &report.address)?;
    let signature_state = detect_signature_state(&call.items, change.place());
    let permit = policy::permit_item(call.items.reader, call.agents, change, signature_state);
    let outcome = match (mode, permit.route()) {
        (ExecutionMode::DryRun, route) => ChangeOutcome::WouldBe(route),
        (ExecutionMode::Real, ChangeRoute::Direct) => {
            let (context, is_cancelled) = (call.context, call.is_cancelled);
            apply_permit(permit, &WriteContext { context, is_cancelled })?;
            ChangeOutcome::Applied
        }
        (ExecutionMode::Real, ChangeRoute::Propose) => {
            ChangeOutcome::Proposed(proposal::save_proposal(call, permit)?)
        }
    };
    let lockfiles = delete_lockfiles(call, &report.lockfiles, mode);
    Ok(report.draft(&outcome, &lockfiles))
}

/// Allows the files of a change to be written, as far as the run of a directive permits it.
fn permit_files(call: &ItemCall<'_>, change: &ItemChange, main: &Address) -> Result<(), ItemError> {
    let folder = main.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    for path in change.file_paths() {
        let address = Address::file(main.root().clone(), folder.join_path(path));
        let permitted = call.items.view.run.permit_write(&address);
        permitted.map_err(|refusal| ItemChangeError::from(Denied::from(refusal)))?;
    }
    Ok(())
}

/// Allows an item to be created at a place: its category is allowed, and its name is not taken by
/// an item of either form or by any other file.
pub(crate) fn permit_destination(
    call: &ItemCall<'_>,
    place: ScopedPath,
) -> Result<CategoryPermit, ItemError> {
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let permitted = call.items.view.run.permit_write(&address);
    permitted.map_err(|refusal| ItemChangeError::from(Denied::from(refusal)))?;
    let inside = call.items.sources.space(place.scope).map(|space| space.is_inside_an_item(&place));
    let inside = inside.transpose().map_err(ItemError::Unsearchable)?.unwrap_or_default();
    if inside || !is_visible(call.items.view, &place) {
        return Err(ItemChangeError::InvalidPlace.into());
    }
    let permit = permit_category(call, place)?;
    let place = permit.place();
    let item = ItemRef {
        category: Some(place.category.clone()),
        id: place.id.clone(),
        version: place.version.clone(),
    };
    let there = call.items.sources.candidates(place.scope, place.kind, &item);
    match there.map_err(ItemError::Unsearchable)?.first() {
        None => Ok(permit),
        Some(there) => {
            Err(ItemChangeError::AlreadyExists(there.address().unwrap_or(address)).into())
        }
    }
}

/// Allows an item of this type to have this category.
fn permit_category(call: &ItemCall<'_>, place: ScopedPath) -> Result<CategoryPermit, ItemError> {
    let space = call.items.sources.space(place.scope).filter(|_| place.base == CategoryBase::Space);
    let space = space.and_then(|space| space.folder());
    let folder = space.map(|space| space.subfolder(place.kind.folder())).transpose();
    let folder = folder.map_err(ItemError::Unsearchable)?.flatten();
    let folder = folder.as_ref().map(|folder| &**folder.dir());
    Ok(call.item_rules.permit_category(place, folder)?)
}
