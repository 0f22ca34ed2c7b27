//! `mere lock`: pins the chain of a tool as it is now, and checks all lockfiles.

use mere_core::address::Address;
use mere_core::chain::lock;
use mere_core::digest::Sha256;
use mere_core::item::{ItemRef, ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{LockCommand, Reader, UnsignedPolicy};

use super::sign_plan::JOIN_HINT;
use super::stale_locks::{list_stale_locks, renew_stale_locks};
use crate::error::tool_error::ToolError;
use crate::error::tool_error_reply;
use crate::files::view::count_phrase;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::new_item::main_file_name;
use crate::items::relocation::{add_signature, load_from_files};
use crate::items::tool_lockfiles::lockfile_digest;
use crate::items::{ItemCall, ItemError, ItemReader, RawItem};
use crate::policy::{self, Denied, InstallPermit, ItemChange, SignatureState, SigningReason};
use crate::run::Linked;
use crate::run::lock::{check_chain, read_lockfile};
use crate::run::show::link_list;
use crate::space::ItemChangeError;
use crate::trust::Membership;

/// Executes `mere lock`.
pub(crate) fn lock(call: &ItemCall<'_>, command: &LockCommand) -> Result<Draft, ToolError> {
    match command {
        LockCommand::Make { item, scope } => {
            Ok(make_lockfile(call, item, call.effective_scope(*scope))?.reply)
        }
        LockCommand::Check => check_all(&call.items),
        LockCommand::ListStale => list_stale_locks(&call.items),
        LockCommand::Renew => renew_stale_locks(call),
    }
}

/// A lockfile that was made.
pub(super) struct MadeLockfile {
    pub(super) address: Address,
    pub(super) reply: Draft,
}

/// Pins the chain of a tool as it is now.
pub(super) fn make_lockfile(
    call: &ItemCall<'_>,
    item: &ItemRef,
    scope: Scope,
) -> Result<MadeLockfile, ToolError> {
    write_lockfile(call, item, scope, LockReason::Requested)
}

/// Pins the chain of a tool that was just installed. An agent never replaces a pin.
pub(super) fn pin_installed(
    call: &ItemCall<'_>,
    item: &ItemRef,
    scope: Scope,
) -> Result<MadeLockfile, ToolError> {
    let reason = match call.items.reader {
        Reader::Person => LockReason::Requested,
        Reader::Agent => {
            let permit = policy::permit_install(call.items.reader, call.agents);
            LockReason::Installed(permit.map_err(ItemChangeError::from)?)
        }
    };
    write_lockfile(call, item, scope, reason)
}

/// Why a chain is pinned.
enum LockReason {
    /// A person asked for it.
    Requested,
    /// An agent that may install has installed the tool.
    Installed(InstallPermit),
}

fn write_lockfile(
    call: &ItemCall<'_>,
    item: &ItemRef,
    scope: Scope,
    reason: LockReason,
) -> Result<MadeLockfile, ToolError> {
    let linked = Linked::follow(&call.items, item, UnsignedPolicy::Refuse)?;
    let leaf = &linked.chain().leaf().pin;
    let destination = policy::permit_lockfile_category(leaf, scope);
    let place = destination.place().clone();
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let permitted = call.items.view.run.permit_write(&address);
    permitted.map_err(|refusal| ItemChangeError::from(Denied::from(refusal)))?;
    let signer = ItemSigner::unlock(
        call,
        match &reason {
            LockReason::Requested => SigningReason::Requested,
            LockReason::Installed(permit) => SigningReason::Install(permit),
        },
    )?;
    let space_id = ensure_space_id(call, &place)?;
    let text = format!("{:#}\n", lock::build_lockfile(linked.chain(), &place, &space_id));
    let files =
        vec![(main_file_name(&place).ok_or(ItemChangeError::InvalidPlace)?, text.into_bytes())];
    let loaded = load_from_files(&files, &[], &place)?;
    let before = current_digest(&call.items, &place)?;
    let files = add_signature(&signer, &loaded, &space_id, files)?;
    let permit = match (before, reason) {
        (None, LockReason::Installed(install)) => install.spend(destination, files),
        (Some(_), LockReason::Installed(_)) => {
            return Err(ItemChangeError::AlreadyExists(address).into());
        }
        (None, LockReason::Requested) => {
            let change = ItemChange::create(destination, files);
            policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned)
        }
        (Some(digest), LockReason::Requested) => {
            let change = ItemChange::replace(place, files, digest);
            policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned)
        }
    };
    apply_permit(permit, &WriteContext { context: call.context, is_cancelled: call.is_cancelled })?;
    let superseded = match call.items.reader {
        Reader::Person => remove_older_lockfiles(call, &loaded.place)?,
        Reader::Agent => Vec::new(),
    };
    Ok(lockfile_reply(&linked, address, before, superseded))
}

/// Drafts the reply about a lockfile that was written.
fn lockfile_reply(
    linked: &Linked,
    address: Address,
    before: Option<Sha256>,
    superseded: Vec<Address>,
) -> MadeLockfile {
    let leaf = &linked.chain().leaf().pin;
    let links = linked.chain().pins().count() as u64;
    let data = Fields::default()
        .with("address", address.clone())
        .with("tool_id", Data::Words(leaf.id.to_string().into()))
        .with("version", Data::Words(leaf.version.to_string().into()))
        .with("links", links)
        .with("removed", superseded.iter().cloned().map(Data::from).collect::<Data>())
        .with("chain", link_list(linked.listed()));
    let done = if before.is_none() { " was created" } else { " was replaced" };
    let message = Prose::words("").address(address.clone()).and(done).and(" and signed; it pins ");
    let message = message.append(&count_phrase(links, "link", "links")).and(".");
    let message = superseded.into_iter().fold(message, |message, address| {
        message.and(" It takes the place of ").address(address).and(", which was removed.")
    });
    MadeLockfile { address, reply: Draft::success(codes::LOCK_MADE, message).data(data) }
}

/// Removes lockfiles of the older format for the same tool and version that lie elsewhere. Such a
/// file counts for nothing and does not say where it belongs, so if several tools have this id,
/// nobody knows whose it is, and it stays.
fn remove_older_lockfiles(
    call: &ItemCall<'_>,
    own: &ScopedPath,
) -> Result<Vec<Address>, ToolError> {
    let named = |version| ItemRef { category: None, id: own.id.clone(), version };
    let find = |kind, item: &ItemRef| {
        call.items.sources.candidates(own.scope, kind, item).map_err(ItemError::Unsearchable)
    };
    if find(ItemType::Tool, &named(None))?.len() > 1 {
        return Ok(Vec::new());
    }
    let mut removed = Vec::new();
    for place in find(ItemType::Lockfile, &named(own.version.clone()))? {
        let raw = RawItem::read(call.items.view, place.clone());
        if place == *own || !raw.is_ok_and(|raw| raw.is_older_lockfile()) {
            continue;
        }
        let digest = lockfile_digest(&call.items, &place)?;
        let change = ItemChange::remove(place.clone(), digest);
        let permit =
            policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned);
        let context = WriteContext { context: call.context, is_cancelled: call.is_cancelled };
        apply_permit(permit, &context)?;
        removed.extend(place.address());
    }
    Ok(removed)
}

/// Returns the digest of the lockfile that exists now, if there is one.
fn current_digest(items: &ItemReader<'_>, place: &ScopedPath) -> Result<Option<Sha256>, ToolError> {
    let (category, version) = (Some(place.category.clone()), place.version.clone());
    let item = ItemRef { category, id: place.id.clone(), version };
    let there = items.sources.candidates(place.scope, ItemType::Lockfile, &item);
    if there.map_err(ItemError::Unsearchable)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(lockfile_digest(items, place)?))
}

/// Compares every lockfile with the current chain of its tool.
fn check_all(items: &ItemReader<'_>) -> Result<Draft, ToolError> {
    let (mut checked, mut old) = (0, 0);
    let mut findings = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        let entries = items.sources.indexed_items(scope).map_err(ItemError::Unsearchable)?;
        let places = entries.into_iter().map(|entry| entry.place);
        for place in places.filter(|place| place.kind == ItemType::Lockfile) {
            checked += 1;
            match check_lockfile(items, &place) {
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
    let message = count_phrase(wrong, "lockfile does not match", "lockfiles do not match");
    let hint = match items.trust_policy.membership(Scope::Project) {
        Membership::NotJoined => JOIN_HINT,
        _ => {
            "`mere lock TOOL` pins a tool as it is now, `mere lock --stale` all that were changed \
             and signed since; `mere delete lockfile ID` removes a pin."
        }
    };
    Ok(Draft::fault(codes::LOCK_FINDINGS, message.and(".")).hint(hint).data(data))
}

/// The version of a tool that a lockfile pins.
pub(super) enum PinnedVersion {
    /// The tool's current version.
    Current,
    /// Another version of the tool.
    Other,
}

/// Compares a lockfile with the current chain of its tool.
pub(super) fn check_lockfile(
    items: &ItemReader<'_>,
    place: &ScopedPath,
) -> Result<PinnedVersion, ToolError> {
    // A lockfile that was moved would otherwise be blamed on a tool that was never there.
    let lockfile = read_lockfile(items, place.clone())?;
    let (category, id) = (Some(place.category.clone()), place.id.clone());
    let item = ItemRef { category, id, version: None };
    let linked = Linked::follow(items, &item, UnsignedPolicy::Refuse)?;
    if place.version.as_ref() != Some(&linked.chain().leaf().pin.version) {
        return Ok(PinnedVersion::Other);
    }
    check_chain(items, &lockfile, &linked)?;
    Ok(PinnedVersion::Current)
}

fn lockfile_finding(place: &ScopedPath, error: &ToolError) -> Data {
    let reason = tool_error_reply(error).message().render_for_person();
    Fields::default()
        .with("id", Data::Words(place.id.to_string().into()))
        .with("category", ParsedName::from(&place.category))
        .with("version", place.version.as_ref().map(|one| Data::Words(one.to_string().into())))
        .with("scope", place.scope.name())
        .with_some("address", place.address())
        .with("why", Content::mention(reason))
        .into()
}
