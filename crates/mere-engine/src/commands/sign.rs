//! `mere sign`: signs exactly what was shown.
//!
//! Each item is bound to the digest that was shown; one that has changed since is not signed.

use std::collections::HashMap;

use mere_core::address::{Address, RelPath, Root};
use mere_core::digest::{Sha256, ShownDigest};
use mere_core::item::{Item, ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{AfterSigning, GitStaging, Relocking, ShownItem};
use mere_core::trust::Sidecar;

use super::CommandCall;
use super::difference::{cache_signed_texts, check_conflicts};
use super::secret_warning::secret_warning;
use super::select::{all_items, is_file_of, sidecar_path, unstaged_paths};
use super::sign_plan::join_warnings;
use super::stale_locks::LocksAfter;
use crate::error::tool_error::ToolError;
use crate::files::view::count_phrase;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::item_to_sign::ItemToSign;
use crate::items::new_item::main_file_name;
use crate::items::relocation::add_signature;
use crate::items::reply_fields::own_text;
use crate::items::tool_check::tool_warnings;
use crate::items::validation::check_own_schema;
use crate::items::version_check::remember_versions;
use crate::items::{ItemCall, ItemError, LoadedItem, item_name};
use crate::policy::{self, ItemChange, SignatureState, SigningReason};
use crate::space::ItemChangeError;
use crate::trust::{forget_drafts, now};
use crate::world::Context;
use mere_host::GitRepository;

/// Signs items, each exactly as it was shown.
pub(super) fn sign_chosen(
    call: &CommandCall<'_>,
    chosen: &[ShownItem],
    after: AfterSigning,
) -> Result<Draft, ToolError> {
    let stage = after.staging;
    let signing = SigningRun::begin(call.change, stage)?;
    let (mut signed, mut left, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let (mut signed_addresses, mut removed) = (Vec::new(), Vec::new());
    for (number, one) in chosen.iter().enumerate() {
        match signing.sign(one) {
            Ok(done) => {
                files.extend(done.written);
                removed.extend(done.removed);
                signed_addresses.push(&one.address);
                signed.push(done.fields);
            }
            Err(error) => left.push(refusal_fields(&one.address, &error)),
        }
        (call.progress)(number as u64 + 1, chosen.len() as u64);
    }
    end_drafts(call.change.context, &signed_addresses);
    // Where all that was chosen is refused, nothing follows.
    let is_refused = signed.is_empty() && !chosen.is_empty();
    let relocking = if is_refused { Relocking::Leave } else { after.relocking };
    let locks = LocksAfter::follow(call.change, &signing, (&signed_addresses, relocking))?;
    files.extend(locks.written());
    if stage == GitStaging::Add && !files.is_empty() {
        let git = GitRepository::discover(call.change.context.project()?)
            .ok_or(ItemChangeError::NoGitRepository)?;
        git.stage_files(&files).map_err(ItemChangeError::GitFailed)?;
        git.stage_removal(&removed).map_err(ItemChangeError::GitFailed)?;
    }
    left.extend(locks.left);
    Ok(signing_reply(&signing.signer, signed, left, locks.fields))
}

/// The state of signing several items.
pub(super) struct SigningRun<'a> {
    call: &'a ItemCall<'a>,
    signer: ItemSigner,
    places: HashMap<String, ScopedPath>,
    /// Files whose staged version differs from the one on disk.
    unstaged: Vec<RelPath>,
}

impl<'a> SigningRun<'a> {
    /// Returns whether there is a tool among these items.
    pub(super) fn has_tool(&self, addresses: &[&Address]) -> bool {
        let mut places = addresses.iter().filter_map(|one| self.places.get(&one.to_string()));
        places.any(|place| place.kind == ItemType::Tool)
    }

    fn begin(call: &'a ItemCall<'a>, stage: GitStaging) -> Result<Self, ToolError> {
        let signer = ItemSigner::unlock(call, SigningReason::Requested)?;
        let places = all_items(call, None)?.into_iter();
        let places = places.filter_map(|place| Some((place.address()?.to_string(), place)));
        let unstaged = match stage {
            GitStaging::Add => unstaged_paths(call)?,
            GitStaging::Leave => Vec::new(),
        };
        Ok(Self { call, signer, places: places.collect(), unstaged })
    }

    /// Signs one item, exactly as it was shown.
    fn sign(&self, one: &ShownItem) -> Result<SignedItem, ToolError> {
        let stale = || ItemChangeError::Stale { address: one.address.clone(), current: None };
        let place = self.places.get(&one.address.to_string()).ok_or_else(stale)?;
        let sidecar = sidecar_path(&one.address, place);
        let mut unstaged = self.unstaged.iter().filter(|path| is_file_of(place, path));
        if let Some(path) = unstaged.find(|path| Some(*path) != sidecar.as_ref()) {
            return Err(ItemChangeError::NotStaged(path.clone()).into());
        }
        let to_sign = ItemToSign::read(&self.call.items, place.clone())?;
        let loaded = &to_sign.loaded;
        if loaded.item_digest() != one.digest {
            let (address, current) =
                (loaded.address.clone(), Some(ShownDigest::for_people(loaded.sha256)));
            return Err(ItemChangeError::Stale { address, current }.into());
        }
        sign_item(self.call, &self.signer, &to_sign)?;
        let removed = remove_displaced(self.call, &self.signer, &to_sign);
        let main = to_sign.misstated.map(|_| one.address.path().clone());
        let fields = signed_item_fields(self.call, &self.signer, (&to_sign, &removed));
        let removed = removed.into_iter().filter(|address| *address.root() == Root::Project);
        let removed = removed.map(|address| address.path().clone()).collect();
        Ok(SignedItem { fields, written: sidecar.into_iter().chain(main).collect(), removed })
    }
}

/// An item that was signed.
struct SignedItem {
    /// What the reply reports about it.
    fields: Data,
    /// The files that were written, relative to the project.
    written: Vec<RelPath>,
    /// The signatures that were removed, relative to the project.
    removed: Vec<RelPath>,
}

/// Removes the signatures that an item left behind, now that it has one where it lies. One that
/// cannot be removed stays a finding of `mere verify`.
fn remove_displaced(
    call: &ItemCall<'_>,
    signer: &ItemSigner,
    to_sign: &ItemToSign,
) -> Vec<Address> {
    let removed = to_sign.displaced.iter().filter(|signature| {
        let removed = signature.remove(signer.permit(), call.is_cancelled);
        removed.unwrap_or_else(|error| {
            tracing::warn!(%error, "a signature that was left behind could not be removed");
            false
        })
    });
    removed.filter_map(|signature| signature.address.clone()).collect()
}

fn signing_reply(signer: &ItemSigner, signed: Vec<Data>, left: Vec<Data>, locks: Fields) -> Draft {
    let message = count_phrase(signed.len() as u64, "item was signed", "items were signed");
    let is_whole = left.is_empty();
    let data = Fields::default()
        .with("key", Content::mention(signer.fingerprint().to_string()))
        .with("signed", Data::List(signed))
        .with("left", Data::List(left))
        .with_all(locks);
    if is_whole {
        return Draft::success(codes::SIGN_DONE, message.and(".")).data(data);
    }
    Draft::invalid(codes::SIGN_LEFT, message.and("; some were not."))
        .hint("The reason is given for each; what was signed stays signed.")
        .data(data)
}

pub(super) fn refusal_fields(address: &Address, error: &ToolError) -> Data {
    let fields = Fields::default().with("address", address.clone());
    fields.with("why", reason_of(error)).into()
}

/// Returns why an item is not signed, and what to do where its own text is at fault.
pub(super) fn reason_of(error: &ToolError) -> Content {
    let reply = crate::error::tool_error_reply(error);
    let reason = reply.message().render_for_person();
    let fix = match error {
        ToolError::Item(
            ItemError::InvalidFrontmatter { .. }
            | ItemError::InvalidSchema { .. }
            | ItemError::Change(ItemChangeError::ConflictMarkers { .. }),
        ) => reply.hint_prose().map(Prose::render_for_person),
        _ => None,
    };
    Content::mention(match fix {
        Some(fix) => format!("{reason} {fix}"),
        None => reason,
    })
}

/// Returns what the reply reports about an item that was signed, and about the signatures of it
/// that were removed.
fn signed_item_fields(
    call: &ItemCall<'_>,
    signer: &ItemSigner,
    (to_sign, removed): (&ItemToSign, &[Address]),
) -> Data {
    let (loaded, place) = (&to_sign.loaded, &to_sign.loaded.place);
    let untrusted = (!counts(call, signer, place)).then_some(Content::mention(
        "your key is not trusted here: the team or the project lets others sign",
    ));
    let restated = to_sign.misstated.map(|_| {
        Content::mention(format!("its file now states the location of `{}`", item_name(place)))
    });
    let settled = removed.iter().map(|address| {
        Content::mention(format!(
            "its old signature {address} was removed, as this one replaces it"
        ))
    });
    let notes = untrusted.into_iter().chain(restated).chain(settled);
    let notes = notes.chain(secret_warning(&call.items, loaded));
    let notes = notes.chain(tool_warnings(&call.items, loaded));
    let removed = removed.iter().cloned().map(Data::from).collect::<Vec<_>>();
    let fields = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", own_text(&place.id))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
        .with("address", loaded.address.clone())
        .with_some("removed", (!removed.is_empty()).then_some(Data::List(removed)))
        .with_some("note", join_warnings(notes));
    fields.into()
}

/// Signs an item, and writes its sidecar, and its file where that states another location. A
/// knowledge entry that does not match its own schema is not signed.
pub(super) fn sign_item(
    call: &ItemCall<'_>,
    signer: &ItemSigner,
    to_sign: &ItemToSign,
) -> Result<(), ToolError> {
    let loaded = &to_sign.loaded;
    check_conflicts(&call.items, loaded)?;
    check_own_schema(call.items.view, loaded)?;
    let space_id = ensure_space_id(call, &loaded.place)?;
    check_lockfile_space(loaded, Some(&space_id))?;
    let sidecar = if let Some(on_disk) = to_sign.misstated {
        let name = main_file_name(&loaded.place).ok_or(ItemChangeError::InvalidPlace)?;
        let main = vec![(name, loaded.text.clone().into_bytes())];
        let files = add_signature(signer, loaded, &space_id, main)?;
        let sidecar = files.first().map(|(_, bytes)| bytes.clone()).unwrap_or_default();
        write_change(call, ItemChange::replace(loaded.place.clone(), files, on_disk))?;
        sidecar
    } else {
        let sidecar = signer.sign_item(loaded, &space_id)?;
        write_sidecar(call, loaded, sidecar.clone())?;
        sidecar
    };
    let statement = Sidecar::parse(&sidecar).ok().map(|sidecar| sidecar.placement.statement);
    cache_signed_texts(call, loaded);
    if counts(call, signer, &loaded.place) {
        note_signed_version(call, signer, loaded, statement);
    }
    Ok(())
}

/// Returns whether the signer's key counts for an item.
fn counts(call: &ItemCall<'_>, signer: &ItemSigner, place: &ScopedPath) -> bool {
    let keyring = call.items.trust_policy.keyring(place.scope);
    keyring.is_trusted(signer.fingerprint(), place, now())
}

/// Remembers the version of an item that was signed. Whoever signs an older version than the one
/// that was seen means it, so the statement is accepted.
fn note_signed_version(
    call: &ItemCall<'_>,
    signer: &ItemSigner,
    loaded: &LoadedItem,
    statement: Option<Sha256>,
) {
    let (trust_policy, place) = (call.items.trust_policy, &loaded.place);
    let Some(version) = loaded.item.version() else { return };
    let seen = trust_policy.seen_version(place).ok().flatten();
    let is_older = seen.is_some_and(|seen| version.is_older_than(&seen.newest));
    match statement.filter(|_| is_older) {
        Some(statement) => {
            let accepted = trust_policy.accept_version(place, statement, signer.permit());
            if let Err(error) = accepted {
                tracing::warn!(%error, "a version that was signed could not be remembered");
            }
        }
        None => remember_versions(trust_policy, &[(place, version)]),
    }
}

/// Refuses to sign a lockfile that was made for another space. It pins what lies there, and signing
/// it would not make it one of this space.
pub(super) fn check_lockfile_space(
    loaded: &LoadedItem,
    space_id: Option<&str>,
) -> Result<(), ItemChangeError> {
    match &loaded.item {
        Item::Lockfile(lockfile) if Some(lockfile.space_id.as_str()) != space_id => {
            let (address, tool) = (loaded.address.clone(), loaded.place.id.clone());
            Err(ItemChangeError::LockfileOfOtherSpace { address, tool })
        }
        _ => Ok(()),
    }
}

/// Writes a sidecar beside an item, provided that the item is unchanged.
pub(super) fn write_sidecar(
    call: &ItemCall<'_>,
    loaded: &LoadedItem,
    sidecar: Vec<u8>,
) -> Result<(), ToolError> {
    let place = loaded.place.clone();
    write_change(call, ItemChange::add_sidecar(place, sidecar, loaded.item_digest()))
}

fn write_change(call: &ItemCall<'_>, change: ItemChange) -> Result<(), ToolError> {
    let permit =
        policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned);
    apply_permit(permit, &WriteContext { context: call.context, is_cancelled: call.is_cancelled })?;
    Ok(())
}

/// Ends the drafts of signed items. A draft record that stays behind by mistake grants little, and
/// expires by itself.
pub(super) fn end_drafts(context: &Context, addresses: &[&Address]) {
    for scope in [mere_core::item::Scope::Project, mere_core::item::Scope::User] {
        let Ok(Some(key)) = context.approval_key(scope) else { continue };
        if let Err(error) = forget_drafts(&context.environment, &key, addresses) {
            tracing::warn!(%error, "the end of a draft could not be kept");
        }
    }
}
