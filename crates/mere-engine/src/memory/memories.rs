//! Creating, reading, updating, moving and removing a memory.
//!
//! An agent sees memories with secrets masked. When it sends such a text back, the masked parts are
//! restored before the file is written.

use std::borrow::Cow;

use jiff::Timestamp;
use mere_core::address::{Address, Spoken};
use mere_core::category::{Force, StoreChange};
use mere_core::digest::Sha256;
use mere_core::item::{
    self, CategoryBase, ItemForm, ItemType, MemoryExpiry, MemoryPath, MemoryRevision, MemoryText,
    NewMemory, ScopedPath,
};
use mere_core::reply::{Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{ExpiredMemories, Reader};

use super::locked_store::{LockedStore, StoredMemory};
use super::reply::MemoryReply;
use super::{Store, StoreCall, StoreError};
use crate::files::error::FileError;
use crate::files::masking::mask_secrets;
use crate::files::read::open_visible_file;
use crate::files::redaction::{MASK, RedactedText, RedactionConflict, SecretDisplay};
use crate::space::ItemChangeError;
use crate::trust::now;
use crate::world::ResolveError;
use mere_host::{FileStamp, read_at_most};

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
    clerk: &StoreCall<'_>,
    path: &MemoryPath,
    said: &NewMemory,
) -> Result<Draft, StoreError> {
    let store = clerk.served_store()?;
    let address = visible_address(clerk, store, path)?;
    let now = now();
    let latest = store.rules.policy_for(&path.category).latest_expiry(now);
    let said = NewMemory { expires_at: said.expires_at.or(latest), ..said.clone() };
    let note = MemoryText::compose(&path.slug, &said, now);
    let note = note.map_err(|fault| invalid_note(&address, fault))?;
    let change = StoreChange::CreateMemory { path: path.clone(), memory: note.clone() };
    let shelf = LockedStore::open_or_create(store, clerk.access(), &change, Force::No)?;
    let permit = shelf.permit(change, Force::No)?;
    if !shelf.apply(permit)? {
        return Err(StoreError::MemoryExists(path.clone()));
    }
    drop(shelf);
    let telling = MemoryReply { call: clerk, store, path, address };
    let message =
        Prose::with_names(&format!("The memory '{path}' was created."), &[ParsedName::from(path)]);
    let sha256 = Sha256::digest(note.text().as_bytes());
    Ok(Draft::success(codes::MEMORY_CREATED, message).data(telling.summary_fields(&note, sha256)))
}

/// Reads a memory.
pub(super) fn get(
    clerk: &StoreCall<'_>,
    path: &MemoryPath,
    expired: ExpiredMemories,
) -> Result<Draft, StoreError> {
    let store = clerk.served_store()?;
    let address = visible_address_or_missing(clerk, store, path)?;
    let missing = || StoreError::Missing(path.clone());
    let found = clerk.view.world.resolve(&Spoken::Rooted(address.clone()), &clerk.view.home);
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
    let lying = StoredMemory { sha256: Sha256::digest(&bytes), bytes };
    let note = parse_note(&address, path, &lying)?;
    let expires_at = note.memory().expires_at.filter(|at| *at <= now());
    if let Some(at) = expires_at.filter(|_| expired == ExpiredMemories::Hidden) {
        return Err(StoreError::Expired { path: path.clone(), at });
    }
    let message = Prose::with_names(&format!("The memory '{path}'."), &[ParsedName::from(path)]);
    let telling = MemoryReply { call: clerk, store, path, address };
    let data = telling.full_fields(&note, lying.sha256, modified);
    Ok(Draft::success(codes::MEMORY, message).data(data))
}

/// Updates a memory.
pub(super) fn update(
    clerk: &StoreCall<'_>,
    path: &MemoryPath,
    (said, expect): (&MemoryRevision, Option<Sha256>),
) -> Result<Draft, StoreError> {
    let store = clerk.served_store()?;
    let address = visible_address_or_missing(clerk, store, path)?;
    let (shelf, lying) = lock_and_read(clerk, store, path)?;
    let stale = |current| ItemChangeError::Stale { address: address.clone(), current };
    if expect.is_some_and(|expected| expected != lying.sha256) {
        return Err(stale(Some(lying.sha256)).into());
    }
    let old = parse_note(&address, path, &lying)?;
    let now = now();
    let content = said
        .content
        .as_deref()
        .map(|content| restore_masked_content(clerk, &address, &old, content));
    let each = |said: Option<&[String]>, old: &[String]| {
        said.map(|said| restore_masked_texts(clerk, &address, (old, said))).transpose()
    };
    let mut said = MemoryRevision {
        content: content.transpose()?,
        tags: each(said.tags.as_deref(), &old.memory().tags)?,
        citations: each(said.citations.as_deref(), &old.memory().citations)?,
        expires_at: said.expires_at,
    };
    let latest = store.rules.policy_for(&path.category).latest_expiry(now);
    // An expiry that the caller left out gets the policy's default. An explicit "never" is checked
    // like any other time.
    if let (Some(latest), None, None) = (latest, said.expires_at, old.memory().expires_at) {
        said.expires_at = Some(MemoryExpiry::At(latest));
    }
    let note = old.revise(&path.slug, &said, now);
    let note = note.map_err(|fault| invalid_note(&address, fault))?;
    let (path, before) = (path.clone(), lying.sha256);
    let change = StoreChange::UpdateMemory { path: path.clone(), memory: note.clone(), before };
    if !shelf.apply(shelf.permit(change, Force::No)?)? {
        return Err(stale(shelf.read(&path)?.map(|lying| lying.sha256)).into());
    }
    drop(shelf);
    let telling = MemoryReply { call: clerk, store, path: &path, address: address.clone() };
    let message =
        Prose::with_names(&format!("The memory '{path}' was updated."), &[ParsedName::from(&path)]);
    let sha256 = Sha256::digest(note.text().as_bytes());
    Ok(Draft::success(codes::MEMORY_UPDATED, message).data(telling.summary_fields(&note, sha256)))
}

/// Moves a memory to another path.
pub(super) fn move_memory(
    clerk: &StoreCall<'_>,
    from: &MemoryPath,
    to: &MemoryPath,
) -> Result<Draft, StoreError> {
    let store = clerk.served_store()?;
    let (old, new) =
        (visible_address_or_missing(clerk, store, from)?, visible_address(clerk, store, to)?);
    let (shelf, lying) = lock_and_read(clerk, store, from)?;
    parse_note(&old, from, &lying)?;
    let note = parse_note(&old, to, &lying)?;
    let before = lying.sha256;
    let change = StoreChange::MoveMemory {
        from: from.clone(),
        to: to.clone(),
        memory: note.clone(),
        before,
    };
    let permit = shelf.permit(change, Force::No)?;
    if shelf.read(to)?.is_some() || !shelf.apply(permit)? {
        return Err(StoreError::MemoryExists(to.clone()));
    }
    drop(shelf);
    let telling = MemoryReply { call: clerk, store, path: to, address: new };
    let message = Prose::with_names(
        &format!("The memory '{from}' was moved to '{to}'."),
        &[from.into(), to.into()],
    );
    Ok(Draft::success(codes::MEMORY_MOVED, message).data(telling.summary_fields(&note, before)))
}

/// Removes a memory.
pub(super) fn remove(clerk: &StoreCall<'_>, path: &MemoryPath) -> Result<Draft, StoreError> {
    let store = clerk.served_store()?;
    let address = visible_address_or_missing(clerk, store, path)?;
    let (shelf, lying) = lock_and_read(clerk, store, path)?;
    let change = StoreChange::RemoveMemory { path: path.clone(), before: lying.sha256 };
    if !shelf.apply(shelf.permit(change, Force::No)?)? {
        let current = shelf.read(path)?.map(|lying| lying.sha256);
        return Err(ItemChangeError::Stale { address, current }.into());
    }
    let data = store.identifying_fields(path).with("address", address).with("removed", true);
    let message =
        Prose::with_names(&format!("The memory '{path}' was removed."), &[ParsedName::from(path)]);
    Ok(Draft::success(codes::MEMORY_REMOVED, message).data(data))
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
    clerk: &'a StoreCall<'a>,
    store: &'a Store,
    path: &MemoryPath,
) -> Result<(LockedStore<'a>, StoredMemory), StoreError> {
    let shelf = LockedStore::open(store, clerk.access())?;
    let shelf = shelf.ok_or_else(|| StoreError::Missing(path.clone()))?;
    let lying = shelf.read(path)?.ok_or_else(|| StoreError::Missing(path.clone()))?;
    Ok((shelf, lying))
}

/// Returns the address of a memory. One that the caller may not see is reported as missing.
fn visible_address_or_missing(
    clerk: &StoreCall<'_>,
    store: &Store,
    path: &MemoryPath,
) -> Result<Address, StoreError> {
    let missing = |_| StoreError::Missing(path.clone());
    visible_address(clerk, store, path).map_err(missing)
}

/// Returns the address of a memory that the caller may see.
fn visible_address(
    clerk: &StoreCall<'_>,
    store: &Store,
    path: &MemoryPath,
) -> Result<Address, StoreError> {
    let address = store.memory_address(path)?;
    if clerk.view.world.may_show(&address) {
        Ok(address)
    } else {
        Err(ItemChangeError::InvalidPlace.into())
    }
}

/// Parses the bytes of a memory.
fn parse_note(
    address: &Address,
    path: &MemoryPath,
    lying: &StoredMemory,
) -> Result<MemoryText, StoreError> {
    let text = item::decode_text(&lying.bytes).map(str::to_owned);
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
    clerk: &StoreCall<'_>,
    address: &Address,
    old: &MemoryText,
    content: &str,
) -> Result<String, StoreError> {
    if clerk.reader == Reader::Person {
        return Ok(content.to_owned());
    }
    let confirmed = clerk.view.world.is_confirmed_at(address);
    let secrets = if confirmed { SecretDisplay::Shown } else { SecretDisplay::Masked };
    let obscured = |RedactionConflict| ItemChangeError::TouchesMasked(address.clone());
    let seen = RedactedText::new(old.content(), secrets, clerk.view.gate, clerk.view.agent);
    Ok(seen.map_err(obscured)?.rewrite(content).map_err(obscured)?)
}

/// Does the same for lists of short texts. A text that equals what the caller saw of an old one
/// stands for that old one.
fn restore_masked_texts(
    clerk: &StoreCall<'_>,
    address: &Address,
    (old, said): (&[String], &[String]),
) -> Result<Vec<String>, StoreError> {
    if clerk.reader == Reader::Person {
        return Ok(said.to_vec());
    }
    let seen = |text: &str| {
        let masked = mask_secrets(text);
        clerk.view.gate.preview(&masked, clerk.view.agent).map(Cow::into_owned)
    };
    let meant = said.iter().map(|said| {
        let known = old.iter().find(|old| *old == said || seen(old).as_ref() == Some(said));
        match known {
            Some(old) => Ok(old.clone()),
            None if said.contains(MASK) => {
                Err(ItemChangeError::TouchesMasked(address.clone()).into())
            }
            None => Ok(said.clone()),
        }
    });
    meant.collect()
}
