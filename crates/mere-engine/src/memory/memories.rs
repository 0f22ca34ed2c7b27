//! Creating, reading, updating, moving and removing a memory.
//!
//! An agent sees memories with secrets masked. When it sends such a text back, the masked parts are
//! restored before the file is written.

use std::borrow::Cow;

use jiff::Timestamp;
use mere_core::address::{Address, Spoken};
use mere_core::category::{Force, StoreChange};
use mere_core::digest::{Sha256, ShownDigest};
use mere_core::item::{
    self, CategoryBase, ItemForm, ItemRef, ItemType, MemoryExpiry, MemoryPath, MemoryRevision,
    MemoryText, NewMemory, ScopedPath,
};
use mere_core::reply::{Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{ExpiredMemories, Reader};

use super::locked_store::{LockedStore, StoredMemory};
use super::memory_source::MemorySource;
use super::reply::MemoryReply;
use super::{Store, StoreCall, StoreError};
use crate::files::error::FileError;
use crate::files::masking::mask_secrets;
use crate::files::read::open_visible_file;
use crate::files::redaction::{MASK, RedactedText, RedactionConflict};
use crate::space::ItemChangeError;
use crate::trust::digest_key::DigestKeyError;
use crate::trust::now;
use crate::world::ResolveError;
use mere_host::{FileStamp, read_at_most};

/// The most memories elsewhere that are suggested for one that is missing.
const MAX_SUGGESTIONS: usize = 5;

impl Store {
    /// Returns the location of a memory as an item.
    pub(crate) fn scoped_path(&self, path: &MemoryPath) -> ScopedPath {
        ScopedPath {
            scope: self.scope,
            kind: ItemType::Memory,
            base: CategoryBase::Store(self.address.clone()),
            category: path.category.clone(),
            id: path.slug.clone(),
            version: None,
            form: ItemForm::Flat,
        }
    }

    /// Returns the address of a memory's file.
    pub(super) fn memory_address(&self, path: &MemoryPath) -> Result<Address, ItemChangeError> {
        self.scoped_path(path)
            .address()
            .filter(Address::is_within_length_limit)
            .ok_or(ItemChangeError::InvalidPlace)
    }
}

/// Creates a new memory.
pub(super) fn create(
    call: &StoreCall<'_>,
    path: &MemoryPath,
    new_memory: &NewMemory,
) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let address = visible_address(call, store, path)?;
    let now = now();
    let latest = store.rules.policy_for(&path.category).latest_expiry(now);
    let new_memory =
        NewMemory { expires_at: new_memory.expires_at.or(latest), ..new_memory.clone() };
    let note = MemoryText::compose(&path.slug, &new_memory, now);
    let note = note.map_err(|fault| invalid_note(&address, fault))?;
    let change = StoreChange::CreateMemory { path: path.clone(), memory: note.clone() };
    let locked = LockedStore::open_or_create(store, call.access(), &change, Force::No)?;
    let permit = locked.permit(change, Force::No)?;
    if !locked.apply(permit)? {
        return Err(StoreError::MemoryExists(path.clone()));
    }
    drop(locked);
    let reply = MemoryReply { call, store, path, address };
    let message =
        Prose::with_names(&format!("The memory '{path}' was created."), &[ParsedName::from(path)]);
    let sha256 = Sha256::digest(note.text().as_bytes());
    Ok(Draft::success(codes::MEMORY_CREATED, message).data(reply.summary_fields(&note, sha256)))
}

/// Reads a memory.
pub(super) fn get(
    call: &StoreCall<'_>,
    path: &MemoryPath,
    expired: ExpiredMemories,
) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let address = visible_address_or_missing(call, store, path)?;
    let missing = || missing_memory(call, store, path);
    let found = call.view.world.resolve(&Spoken::Rooted(address.clone()), &call.view.home);
    // A link is not a memory, wherever it leads.
    let found = found.map_err(StoreError::from).and_then(|file| {
        if file.is_linked() { Err(missing()) } else { Ok(open_visible_file(&file)?) }
    });
    let file = match found {
        Err(StoreError::File(FileError::Path(ResolveError::NotVisible))) => return Err(missing()),
        found => found?,
    };
    let unreadable = |cause| StoreError::unreadable(&address, cause);
    let modified = FileStamp::from_metadata(&file.metadata().map_err(unreadable)?).modified;
    let modified = Timestamp::from_nanosecond(i128::from(modified)).ok();
    let bytes = read_at_most(file, item::MAX_ITEM_BYTES as u64).map_err(unreadable)?;
    let bytes = bytes.unwrap_or_else(|| vec![b' '; item::MAX_ITEM_BYTES + 1]);
    let stored = StoredMemory { sha256: Sha256::digest(&bytes), bytes };
    let note = parse_note(&address, path, &stored)?;
    let expires_at = note.memory().expires_at.filter(|at| *at <= now());
    if let Some(at) = expires_at.filter(|_| expired == ExpiredMemories::Hidden) {
        return Err(StoreError::Expired { path: path.clone(), at });
    }
    let message = Prose::with_names(&format!("The memory '{path}'."), &[ParsedName::from(path)]);
    let reply = MemoryReply { call, store, path, address };
    let data = reply.full_fields(&note, stored.sha256, modified);
    Ok(Draft::success(codes::MEMORY, message).data(data))
}

/// Updates a memory.
pub(super) fn update(
    call: &StoreCall<'_>,
    path: &MemoryPath,
    (revision, expect): (&MemoryRevision, Option<ShownDigest>),
) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let address = visible_address_or_missing(call, store, path)?;
    let (locked, stored) = lock_and_read(call, store, path)?;
    let stale = |current| ItemChangeError::Stale { address: address.clone(), current };
    if let Some(expected) = expect {
        let current = shown_digest(call, &address, &stored)?;
        if current != expected {
            return Err(stale(Some(current)).into());
        }
    }
    let old = parse_note(&address, path, &stored)?;
    let now = now();
    let content = revision
        .content
        .as_deref()
        .map(|content| restore_masked_content(call, &address, &old, content));
    let restore = |texts: Option<&[String]>, old: &[String]| {
        texts.map(|texts| restore_masked_texts(call, &address, (old, texts))).transpose()
    };
    let mut revision = MemoryRevision {
        content: content.transpose()?,
        tags: restore(revision.tags.as_deref(), &old.memory().tags)?,
        citations: restore(revision.citations.as_deref(), &old.memory().citations)?,
        expires_at: revision.expires_at,
    };
    let latest = store.rules.policy_for(&path.category).latest_expiry(now);
    // An expiry that the caller left out gets the policy's default. An explicit "never" is checked
    // like any other time.
    if let (Some(latest), None, None) = (latest, revision.expires_at, old.memory().expires_at) {
        revision.expires_at = Some(MemoryExpiry::At(latest));
    }
    let note = old.revise(&path.slug, &revision, now);
    let note = note.map_err(|fault| invalid_note(&address, fault))?;
    let (path, before) = (path.clone(), stored.sha256);
    let change = StoreChange::UpdateMemory { path: path.clone(), memory: note.clone(), before };
    if !locked.apply(locked.permit(change, Force::No)?)? {
        let current = locked.read(&path)?;
        let current = current.map(|stored| shown_digest(call, &address, &stored)).transpose()?;
        return Err(stale(current).into());
    }
    drop(locked);
    let reply = MemoryReply { call, store, path: &path, address: address.clone() };
    let message =
        Prose::with_names(&format!("The memory '{path}' was updated."), &[ParsedName::from(&path)]);
    let sha256 = Sha256::digest(note.text().as_bytes());
    Ok(Draft::success(codes::MEMORY_UPDATED, message).data(reply.summary_fields(&note, sha256)))
}

/// Moves a memory to another path.
pub(super) fn move_memory(
    call: &StoreCall<'_>,
    from: &MemoryPath,
    to: &MemoryPath,
) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let (old, new) =
        (visible_address_or_missing(call, store, from)?, visible_address(call, store, to)?);
    let (locked, stored) = lock_and_read(call, store, from)?;
    parse_note(&old, from, &stored)?;
    let note = parse_note(&old, to, &stored)?;
    let before = stored.sha256;
    let change = StoreChange::MoveMemory {
        from: from.clone(),
        to: to.clone(),
        memory: note.clone(),
        before,
    };
    let permit = locked.permit(change, Force::No)?;
    if locked.read(to)?.is_some() || !locked.apply(permit)? {
        return Err(StoreError::MemoryExists(to.clone()));
    }
    drop(locked);
    let reply = MemoryReply { call, store, path: to, address: new };
    let message = Prose::with_names(
        &format!("The memory '{from}' was moved to '{to}'."),
        &[from.into(), to.into()],
    );
    Ok(Draft::success(codes::MEMORY_MOVED, message).data(reply.summary_fields(&note, before)))
}

/// Removes a memory.
pub(super) fn remove(call: &StoreCall<'_>, path: &MemoryPath) -> Result<Draft, StoreError> {
    let store = call.served_store()?;
    let address = visible_address_or_missing(call, store, path)?;
    let (locked, stored) = lock_and_read(call, store, path)?;
    let change = StoreChange::RemoveMemory { path: path.clone(), before: stored.sha256 };
    if !locked.apply(locked.permit(change, Force::No)?)? {
        let current = locked.read(path)?;
        let current = current.map(|stored| shown_digest(call, &address, &stored)).transpose()?;
        return Err(ItemChangeError::Stale { address, current }.into());
    }
    let data = store.identifying_fields(path).with("address", address).with("removed", true);
    let message =
        Prose::with_names(&format!("The memory '{path}' was removed."), &[ParsedName::from(path)]);
    Ok(Draft::success(codes::MEMORY_REMOVED, message).data(data))
}

/// Makes the digest of a memory that the caller is shown.
fn shown_digest(
    call: &StoreCall<'_>,
    address: &Address,
    stored: &StoredMemory,
) -> Result<ShownDigest, ItemChangeError> {
    let fidelity = call.view.fidelity_of(address, &stored.bytes);
    let shown = call.view.shown_digest(stored.sha256, fidelity);
    shown.map_err(|DigestKeyError| ItemChangeError::DigestKey(address.clone()))
}

impl Store {
    /// Returns the fields that say which memory of which store a reply is about.
    pub(super) fn identifying_fields(&self, path: &MemoryPath) -> Fields {
        let path = ParsedName::from(path);
        Fields::default().with("store", self.name_data()).with("path", path)
    }
}

/// Locks the store and reads a memory that must exist.
fn lock_and_read<'a>(
    call: &'a StoreCall<'a>,
    store: &'a Store,
    path: &MemoryPath,
) -> Result<(LockedStore<'a>, StoredMemory), StoreError> {
    let locked = LockedStore::open(store, call.access())?;
    let locked = locked.ok_or_else(|| missing_memory(call, store, path))?;
    let stored = locked.read(path)?.ok_or_else(|| missing_memory(call, store, path))?;
    Ok((locked, stored))
}

/// Returns the address of a memory. One that the caller may not see is reported as missing.
fn visible_address_or_missing(
    call: &StoreCall<'_>,
    store: &Store,
    path: &MemoryPath,
) -> Result<Address, StoreError> {
    visible_address(call, store, path).map_err(|_| missing_memory(call, store, path))
}

/// Makes the error that there is no memory at a path, with those of its slug in other categories
/// that the caller may see.
fn missing_memory(call: &StoreCall<'_>, store: &Store, path: &MemoryPath) -> StoreError {
    let source = MemorySource { store, context: call.context, tables: call.tables };
    let bare = ItemRef { category: None, id: path.slug.clone(), version: None };
    // Where the store cannot be read, nothing is suggested.
    let found = source.candidates(&bare).unwrap_or_default().into_iter();
    let is_visible = |place: &ScopedPath| {
        place.address().is_some_and(|address| call.view.world.may_show(&address))
    };
    let elsewhere = found.filter(is_visible).take(MAX_SUGGESTIONS);
    let elsewhere = elsewhere.map(|place| MemoryPath { category: place.category, slug: place.id });
    StoreError::Missing { path: path.clone(), elsewhere: elsewhere.collect() }
}

/// Returns the address of a memory that the caller may see.
fn visible_address(
    call: &StoreCall<'_>,
    store: &Store,
    path: &MemoryPath,
) -> Result<Address, StoreError> {
    let address = store.memory_address(path)?;
    if call.view.world.may_show(&address) {
        Ok(address)
    } else {
        Err(ItemChangeError::InvalidPlace.into())
    }
}

/// Parses the bytes of a memory.
fn parse_note(
    address: &Address,
    path: &MemoryPath,
    stored: &StoredMemory,
) -> Result<MemoryText, StoreError> {
    let text = item::decode_text(&stored.bytes).map(str::to_owned);
    text.and_then(|text| MemoryText::parse(text, &path.slug)).map_err(|fault| {
        let fault = Box::new(crate::files::masking::mask_fault(fault));
        StoreError::Faulty { address: address.clone(), fault }
    })
}

fn invalid_note(address: &Address, fault: item::ItemFault) -> StoreError {
    ItemChangeError::Invalid { address: address.clone(), fault: Box::new(fault) }.into()
}

/// Restores what was masked or rewritten in the content that the caller saw, given the text they
/// sent back. A person's text is taken as it is.
fn restore_masked_content(
    call: &StoreCall<'_>,
    address: &Address,
    old: &MemoryText,
    content: &str,
) -> Result<String, StoreError> {
    if call.reader == Reader::Person {
        return Ok(content.to_owned());
    }
    let secrets = call.view.secret_display_at(address);
    let conflict = |RedactionConflict| ItemChangeError::TouchesMasked(address.clone());
    let seen = RedactedText::new(old.content(), secrets, call.view.gate, call.view.agent);
    Ok(seen.map_err(conflict)?.rewrite(content).map_err(conflict)?)
}

/// Does the same for lists of short texts. A text that equals what the caller saw of an old one
/// stands for that old one.
fn restore_masked_texts(
    call: &StoreCall<'_>,
    address: &Address,
    (old, texts): (&[String], &[String]),
) -> Result<Vec<String>, StoreError> {
    if call.reader == Reader::Person {
        return Ok(texts.to_vec());
    }
    let preview = |text: &str| {
        let masked = mask_secrets(text);
        call.view.gate.preview(&masked, call.view.agent).map(Cow::into_owned)
    };
    let restored = texts.iter().map(|text| {
        let known = old.iter().find(|old| *old == text || preview(old).as_ref() == Some(text));
        match known {
            Some(old) => Ok(old.clone()),
            None if text.contains(MASK) => {
                Err(ItemChangeError::TouchesMasked(address.clone()).into())
            }
            None => Ok(text.clone()),
        }
    });
    restored.collect()
}
