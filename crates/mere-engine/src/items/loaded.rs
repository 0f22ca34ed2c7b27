//! An item's bytes, read once, and everything derived from exactly these bytes.
//!
//! A [`RawItem`] is what lies on disk; it is verified before it is parsed. A [`LoadedItem`] was
//! parsed; [`super::checked_item`] decides whether it may be used.

use cap_std::fs::Dir;
use mere_core::address::{Address, Spoken};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{self, Item, ItemType, Lockfile, ScopedPath, restate_location};
use mere_core::trust::{
    self, FoundItem, ItemClaims, MAX_SIDECAR_BYTES, SidecarFile, Verification, VerificationFailure,
};

use super::displaced_signature::check_displaced;
use super::item_files::{ItemFilesError, hash_other_files, item_digest};
use super::{ItemError, ItemReader};
use crate::files::error::FileError;
use crate::files::masking::{ItemText, mask_fault};
use crate::files::read::open_visible_file;
use crate::files::view::View;
use crate::world::ResolveError;
use mere_host::{none_if_missing, open_regular_file, read_at_most};

/// An item as it lies on disk, not yet parsed.
pub(crate) struct RawItem {
    pub(crate) place: ScopedPath,
    pub(crate) address: Address,
    bytes: Vec<u8>,
    sha256: Sha256,
    /// Every file except the main one.
    other_files: Result<Vec<FileDigest>, ItemFilesError>,
    pub(crate) sidecar: SidecarFile,
}

/// Reads the sidecar beside an item's main file.
pub(crate) fn read_sidecar(folder: &Dir, place: &ScopedPath) -> std::io::Result<SidecarFile> {
    let name = place.sidecar_name().unwrap_or_default();
    if none_if_missing(folder.symlink_metadata(&name))?.is_none() {
        return Ok(SidecarFile::None);
    }
    let Ok(Some(file)) = open_regular_file(folder, &name) else {
        return Ok(SidecarFile::Unreadable);
    };
    let bytes = read_at_most(file, MAX_SIDECAR_BYTES)?;
    Ok(bytes.map_or(SidecarFile::Unreadable, SidecarFile::Bytes))
}

/// An item that was parsed.
pub(crate) struct LoadedItem {
    pub(crate) place: ScopedPath,
    pub(crate) address: Address,
    pub(crate) text: String,
    /// The digest of the main file.
    pub(crate) sha256: Sha256,
    pub(crate) item: Item,
    /// Every file except the main one.
    pub(crate) files: Vec<FileDigest>,
    pub(crate) integrity: Option<Sha256>,
    /// The sidecar beside it, whoever signed it.
    pub(crate) sidecar: SidecarFile,
}

impl RawItem {
    /// Reads the item at a place.
    pub(crate) fn read(view: &View<'_>, place: ScopedPath) -> Result<Self, ItemError> {
        let address = place.address().ok_or(ResolveError::NotVisible)?;
        let main = view.resolve(&Spoken::Rooted(address.clone()))?;
        let file = open_visible_file(&main)?;
        let unreadable = |cause| ItemError::unreadable(&address, cause);
        let bytes = read_at_most(file, item::MAX_ITEM_BYTES as u64).map_err(unreadable)?;
        // A file that is too large is replaced by filler of one byte over the limit, which fails
        // the same check.
        let bytes = bytes.unwrap_or_else(|| vec![b' '; item::MAX_ITEM_BYTES + 1]);
        let sha256 = Sha256::digest(&bytes);
        let folder = main.parent_folder().ok_or(ResolveError::NotVisible)?;
        let sidecar = read_sidecar(folder, &place).map_err(unreadable)?;
        let others = hash_other_files(folder, &place);
        Ok(Self { place, address, bytes, sha256, other_files: others, sidecar })
    }

    /// Returns whether an item has no sidecar.
    pub(crate) fn has_no_sidecar(view: &View<'_>, place: &ScopedPath) -> Result<bool, ItemError> {
        let address = place.address().ok_or(ResolveError::NotVisible)?;
        let main = view.resolve(&Spoken::Rooted(address.clone()))?;
        let folder = main.parent_folder().ok_or(ResolveError::NotVisible)?;
        let name = place.sidecar_name().unwrap_or_default();
        let beside = none_if_missing(folder.symlink_metadata(&name));
        Ok(beside.map_err(|cause| ItemError::unreadable(&address, cause))?.is_none())
    }

    /// Returns every file of the item, unless one of them cannot be read.
    pub(crate) fn files(&self) -> Option<Vec<FileDigest>> {
        let others = self.other_files.as_ref().ok()?;
        Some(with_main_file(&self.place, (self.sha256, self.bytes.len() as u64), others))
    }

    /// Returns whether its main file would be a valid item at another place.
    pub(crate) fn would_parse_at(&self, place: &ScopedPath) -> bool {
        let text = item::decode_text(&self.bytes);
        text.is_ok_and(|text| Item::parse(text, place).is_ok())
    }

    /// Returns the item with its own location in its text, where the text is valid but for the
    /// category or the id that it states, and the digest of the whole item as it was. A lockfile
    /// pins a tool by its name, so it is never changed.
    pub(crate) fn restate_location(self) -> (Self, Option<Sha256>) {
        let restated = match item::decode_text(&self.bytes) {
            Ok(text) if self.place.kind != ItemType::Lockfile => {
                let is_valid = Item::parse(text, &self.place).is_ok();
                restate_location(text, &self.place).ok().filter(|_| !is_valid)
            }
            _ => None,
        };
        match (restated.map(String::into_bytes), &self.other_files) {
            (Some(bytes), Ok(others)) => {
                let digest = item_digest(self.sha256, others);
                (Self { sha256: Sha256::digest(&bytes), bytes, ..self }, Some(digest))
            }
            _ => (self, None),
        }
    }

    /// Returns whether it is a lockfile of the older format.
    pub(crate) fn is_older_lockfile(&self) -> bool {
        self.place.kind == ItemType::Lockfile && Lockfile::is_older_format(&self.bytes)
    }

    /// Verifies the item; this is the only verification there is. A broken item is not parsed and
    /// has no body.
    pub(crate) fn verify(
        self,
        items: &ItemReader<'_>,
    ) -> Result<Verification<LoadedItem>, ItemError> {
        let trust_policy = items.trust_policy;
        let others = match (&self.other_files, &self.sidecar) {
            (Ok(others), _) => others,
            // The signed item had no such file.
            (Err(ItemFilesError::Fault(_, extra_file)), sidecar)
                if !matches!(sidecar, SidecarFile::None) =>
            {
                let extra = extra_file.iter().cloned().collect();
                let missing = Vec::new();
                return Ok(Err(VerificationFailure::WrongFiles { extra, missing }));
            }
            (Err(_), _) => return Err(self.parse().err().unwrap_or(FileError::Cancelled.into())),
        };
        let files = with_main_file(&self.place, (self.sha256, self.bytes.len() as u64), others);
        let sidecar = self.sidecar.clone();
        let place = self.place.clone();
        let found_item = FoundItem {
            path: &place,
            space_id: trust_policy.space_id(place.scope),
            files: &files,
            sidecar: &sidecar,
            is_draft: trust_policy.is_draft(&place),
            now: crate::trust::now(),
        };
        if sidecar == SidecarFile::None
            && let Err(failure) = check_displaced(items, &found_item)?
        {
            return Ok(Err(failure));
        }
        trust::verify(&found_item, trust_policy.keyring(place.scope), || {
            let loaded = self.parse()?;
            let claims = loaded.claims();
            Ok((loaded, claims))
        })
    }

    /// Parses the item, whoever vouches for it.
    pub(crate) fn parse(self) -> Result<LoadedItem, ItemError> {
        let Self { place, address, bytes, sha256, other_files: others, sidecar } = self;
        let faulty = |fault| ItemError::Faulty {
            address: address.clone(),
            fault: Box::new(mask_fault(fault)),
        };
        let text = item::decode_text(&bytes).map_err(faulty)?;
        let item = Item::parse(text, &place).map_err(faulty)?;
        let files = others.map_err(|error| match error {
            ItemFilesError::Fault(fault, _) => faulty(fault),
            ItemFilesError::Io(cause) => ItemError::unreadable(&address, cause),
        })?;
        let integrity = item.integrity(text, &place, &files);
        let text = text.to_owned();
        Ok(LoadedItem { place, address, text, sha256, item, files, integrity, sidecar })
    }
}

/// Returns every file of an item, sorted by path.
pub(crate) fn with_main_file(
    place: &ScopedPath,
    (sha256, size): (Sha256, u64),
    others: &[FileDigest],
) -> Vec<FileDigest> {
    let path = place.folder_and_file().map(|(_, name)| name).unwrap_or_default();
    let main = FileDigest { path, sha256, size };
    let mut files = others.iter().cloned().chain([main]).collect::<Vec<_>>();
    files.sort_by(|left, right| left.path.cmp(&right.path));
    files
}

impl ItemText for LoadedItem {
    fn address(&self) -> &Address {
        &self.address
    }

    fn text(&self) -> &str {
        &self.text
    }
}

impl LoadedItem {
    /// Reads the item at a place, whoever vouches for it.
    pub(crate) fn read(view: &View<'_>, place: ScopedPath) -> Result<Self, ItemError> {
        RawItem::read(view, place)?.parse()
    }

    /// Returns what the item claims about itself and its signature covers.
    pub(crate) fn claims(&self) -> ItemClaims {
        let executor = match &self.item {
            Item::Tool(tool) => tool.executor.clone(),
            _ => None,
        };
        ItemClaims { version: self.item.version().cloned(), integrity: self.integrity, executor }
    }

    /// Returns every file of the item, sorted by path.
    pub(crate) fn all_files(&self) -> Vec<FileDigest> {
        with_main_file(&self.place, (self.sha256, self.text.len() as u64), &self.files)
    }

    /// Returns one digest of the whole item.
    pub(crate) fn item_digest(&self) -> Sha256 {
        item_digest(self.sha256, &self.files)
    }

    /// Returns the name of its main file.
    pub(crate) fn main_file_name(&self) -> &str {
        self.address.path().names().next_back().unwrap_or_default()
    }
}
