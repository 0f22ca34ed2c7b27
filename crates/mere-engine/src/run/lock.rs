//! Lockfiles: they pin a chain, are made by a person, and are checked before each run.
//!
//! A lockfile counts only with a trusted signature, and only in the space that it was made for.

use mere_core::address::{Address, Spoken};
use mere_core::chain::lock;
use mere_core::digest::Sha256;
use mere_core::item::{Item, ItemId, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{LockCommand, LockfilePolicy, UnsignedPolicy};
use mere_core::trust::VerificationFailure;

use super::RunError;
use super::links::Linked;
use crate::commands::{add_signature, load_from_files};
use crate::error::tool_error::ToolError;
use crate::files::read::open_visible_file;
use crate::files::view::count_phrase;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::item_files::item_digest;
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::new_item::main_file_name;
use crate::items::{
    CheckedItem, ItemCall, ItemChangeError, ItemError, LoadedItem, UntrustedItem, read_and_verify,
};
use crate::policy::{self, CountedLockfile, ItemChange, SignatureState, SigningReason};
use mere_host::digest_file;

/// A chain that matches its lockfile, or that has none.
pub struct Locked {
    linked: Linked,
    /// The lockfile that applies.
    lockfile: Option<Address>,
}

impl Locked {
    /// Compares a chain with its lockfile. The project's lockfile comes before the user's.
    pub(super) fn check(
        desk: &ItemCall<'_>,
        linked: Linked,
        locking: LockfilePolicy,
    ) -> Result<Self, ToolError> {
        let Some(place) = find_lockfile(desk, &linked)? else {
            let pin = &linked.chain().leaf().pin;
            if locking == LockfilePolicy::Required || desk.run_config.require_lock {
                let (tool, version) = (pin.id.clone(), pin.version.clone());
                return Err(RunError::NoLockfile { tool, version }.into());
            }
            return Ok(Self { linked, lockfile: None });
        };
        let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
        check_chain(desk, &read_lockfile(desk, place)?, &linked)?;
        Ok(Self { linked, lockfile: Some(address) })
    }

    /// Returns the chain.
    pub(super) fn linked(&self) -> &Linked {
        &self.linked
    }

    /// Returns the address of the lockfile that applies.
    pub(super) fn lockfile(&self) -> Option<&Address> {
        self.lockfile.as_ref()
    }
}

/// Returns the place of the lockfile that applies to a chain.
fn find_lockfile(desk: &ItemCall<'_>, linked: &Linked) -> Result<Option<ScopedPath>, ToolError> {
    let pin = &linked.chain().leaf().pin;
    let (category, version) = (Some(pin.category.clone()), Some(pin.version.clone()));
    let item = ItemRef { category, id: pin.id.clone(), version };
    for scope in [Scope::Project, Scope::User] {
        let found = desk.sources.candidates(scope, ItemType::Lockfile, &item);
        let found = found.map_err(ItemError::Unsearchable)?;
        if let Some(place) = found.into_iter().next() {
            return Ok(Some(place));
        }
    }
    check_moved_lockfiles(desk, &pin.id)?;
    Ok(None)
}

/// Refuses to run a tool unpinned if a lockfile of its name was moved or renamed by hand. Such a
/// lockfile pinned something, and it is no longer known what.
fn check_moved_lockfiles(desk: &ItemCall<'_>, tool: &ItemId) -> Result<(), ToolError> {
    let item = ItemRef { category: None, id: tool.clone(), version: None };
    for scope in [Scope::Project, Scope::User] {
        let found = desk.sources.candidates(scope, ItemType::Lockfile, &item);
        for place in found.map_err(ItemError::Unsearchable)? {
            if let Err(error) = read_and_verify(desk.view, desk.trust_policy, place)
                && let ToolError::Item(ItemError::Broken(broken)) = &error
                && let VerificationFailure::WrongLocation(_)
                | VerificationFailure::WrongVersion { .. } = broken.failure
            {
                return Err(error);
            }
        }
    }
    Ok(())
}

/// Reads a lockfile that counts.
fn read_lockfile(
    desk: &ItemCall<'_>,
    place: ScopedPath,
) -> Result<CountedLockfile<LoadedItem>, ToolError> {
    match read_and_verify(desk.view, desk.trust_policy, place) {
        Err(ToolError::Item(ItemError::Faulty { address, fault })) => {
            Err(RunError::LockInvalid { address, fault }.into())
        }
        checked => Ok(permit_lockfile(desk, checked?)?),
    }
}

fn permit_lockfile(
    desk: &ItemCall<'_>,
    checked: CheckedItem,
) -> Result<CountedLockfile<LoadedItem>, RunError> {
    let counted = policy::permit_lockfile(checked);
    counted.map_err(|item| RunError::LockUnsigned(UntrustedItem::new(&item, desk.trust_policy)))
}

/// Compares a chain with a lockfile, link by link.
fn check_chain(
    desk: &ItemCall<'_>,
    counted: &CountedLockfile<LoadedItem>,
    linked: &Linked,
) -> Result<(), ToolError> {
    let loaded = counted.item();
    let Item::Lockfile(lockfile) = &loaded.item else {
        return Err(ItemError::NotRunnable(loaded.place.kind).into());
    };
    let here = desk.trust_policy.space_id(loaded.place.scope);
    if here != Some(lockfile.space_id.as_str()) {
        return Err(RunError::LockOfOtherSpace(loaded.address.clone()).into());
    }
    lock::check_lockfile(lockfile, linked.chain()).map_err(|drift| {
        let tool = linked.chain().leaf().pin.id.clone();
        let lockfile = loaded.address.clone();
        RunError::Drift { tool, lockfile, drift: Box::new(drift) }.into()
    })
}

/// Executes `mere lock`.
pub(crate) fn lock(desk: &ItemCall<'_>, asked: &LockCommand) -> Result<Draft, ToolError> {
    match asked {
        LockCommand::Make { item, scope } => {
            make_lockfile(desk, item, desk.effective_scope(*scope))
        }
        LockCommand::Check => check_all(desk),
    }
}

/// Pins the chain of a tool as it is now.
fn make_lockfile(desk: &ItemCall<'_>, item: &ItemRef, scope: Scope) -> Result<Draft, ToolError> {
    let linked = Linked::follow(desk, item, UnsignedPolicy::Refuse)?;
    let leaf = &linked.chain().leaf().pin;
    let destination = policy::permit_lockfile_category(leaf, scope);
    let place = destination.place().clone();
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let sealer = ItemSigner::unlock(desk, SigningReason::Requested)?;
    let space_id = ensure_space_id(desk, &place)?;
    let text = format!("{:#}\n", lock::build_lockfile(linked.chain(), &place, &space_id));
    let files =
        vec![(main_file_name(&place).ok_or(ItemChangeError::InvalidPlace)?, text.into_bytes())];
    let arrived = load_from_files(&files, &[], &place)?;
    let before = current_digest(desk, &place)?;
    let files = add_signature(&sealer, &arrived, &space_id, files)?;
    let change = match before {
        None => ItemChange::create(destination, files),
        Some(whole) => ItemChange::replace(place, files, whole),
    };
    let permit = policy::permit_item(desk.reader, desk.agents, change, SignatureState::Unsigned);
    apply_permit(permit, &WriteContext { context: desk.context, is_cancelled: desk.is_cancelled })?;
    let links = linked.chain().pins().count() as u64;
    let data = Fields::default()
        .with("address", address.clone())
        .with("tool_id", Data::Words(leaf.id.to_string().into()))
        .with("version", Data::Words(leaf.version.to_string().into()))
        .with("links", links)
        .with("chain", super::show::link_list(linked.chain()));
    let done = if before.is_none() { " was made" } else { " was replaced" };
    let message = Prose::words("").address(address).and(done).and(" and signed; it pins ");
    let message = message.append(&count_phrase(links, "link", "links")).and(".");
    Ok(Draft::success(codes::LOCK_MADE, message).data(data))
}

/// Returns the digest of the lockfile that exists now, if there is one.
fn current_digest(desk: &ItemCall<'_>, place: &ScopedPath) -> Result<Option<Sha256>, ToolError> {
    let (category, version) = (Some(place.category.clone()), place.version.clone());
    let item = ItemRef { category, id: place.id.clone(), version };
    let there = desk.sources.candidates(place.scope, ItemType::Lockfile, &item);
    if there.map_err(ItemError::Unsearchable)?.is_empty() {
        return Ok(None);
    }
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let main = desk.view.resolve(&Spoken::Rooted(address.clone()))?;
    let unreadable = |cause| ToolError::unreadable(&address, cause);
    let digest = digest_file(open_visible_file(&main)?).map_err(unreadable)?;
    Ok(Some(item_digest(digest, &[])))
}

/// Compares every lockfile with the current chain of its tool.
fn check_all(desk: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let (mut checked, mut old) = (0, 0);
    let mut findings = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        let entries = desk.sources.indexed_items(scope).map_err(ItemError::Unsearchable)?;
        let places = entries.into_iter().map(|entry| entry.place);
        for place in places.filter(|place| place.kind == ItemType::Lockfile) {
            checked += 1;
            match check_lockfile(desk, &place) {
                Ok(PinnedVersion::Current) => {}
                Ok(PinnedVersion::Other) => old += 1,
                Err(error) => findings.push(lockfile_finding(&place, &error)),
            }
        }
    }
    let wrong = findings.len() as u64;
    let data = Fields::default()
        .with("checked", checked)
        .with("old", old)
        .with("findings", wrong)
        .with("lockfiles", Data::List(findings));
    if wrong == 0 {
        let message = count_phrase(checked, "lockfile matches", "lockfiles match");
        let message = match old {
            0 => message.and("."),
            1 => message.and("; 1 of them is for a version that no longer exists."),
            _ => message.and(format!("; {old} of them are for versions that no longer exist.")),
        };
        return Ok(Draft::success(codes::LOCK_CHECKED, message).data(data));
    }
    let message = count_phrase(wrong, "lockfile does not hold", "lockfiles do not hold");
    Ok(Draft::fault(codes::LOCK_FINDINGS, message.and("."))
        .hint("`mere lock TOOL` pins a tool as it is now; `mere delete lockfile ID` removes a pin.")
        .data(data))
}

/// The version of a tool that a lockfile pins.
enum PinnedVersion {
    /// The tool's current version.
    Current,
    /// Another version of the tool.
    Other,
}

fn check_lockfile(desk: &ItemCall<'_>, place: &ScopedPath) -> Result<PinnedVersion, ToolError> {
    let (category, id) = (Some(place.category.clone()), place.id.clone());
    let item = ItemRef { category, id, version: None };
    let linked = Linked::follow(desk, &item, UnsignedPolicy::Refuse)?;
    if place.version.as_ref() != Some(&linked.chain().leaf().pin.version) {
        permit_lockfile(desk, read_and_verify(desk.view, desk.trust_policy, place.clone())?)?;
        return Ok(PinnedVersion::Other);
    }
    check_chain(desk, &read_lockfile(desk, place.clone())?, &linked)?;
    Ok(PinnedVersion::Current)
}

fn lockfile_finding(place: &ScopedPath, error: &ToolError) -> Data {
    let why = crate::error::tool_error_reply(error).message().render_for_person();
    Fields::default()
        .with("id", Data::Words(place.id.to_string().into()))
        .with("category", ParsedName::from(&place.category))
        .with("version", place.version.as_ref().map(|one| Data::Words(one.to_string().into())))
        .with("scope", place.scope.name())
        .with_some("address", place.address())
        .with("why", Content::mention(why))
        .into()
}
