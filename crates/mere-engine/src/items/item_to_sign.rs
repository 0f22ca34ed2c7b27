//! An item as a person signs it where it lies.
//!
//! A file that was moved or renamed by hand may still state its old category or id. It cannot be
//! signed so; what is signed is the same text with its own location, and that text is written with
//! the signature. Signatures that the item left behind are found with it, so that a person sees
//! what has changed since, and nothing is left of them afterwards.

use mere_core::digest::Sha256;
use mere_core::item::ScopedPath;
use mere_core::trust::SidecarFile;

use super::displaced_signature::{DisplacedSignature, find_displaced};
use super::{ItemError, ItemReader, LoadedItem, RawItem};

/// An item that can be signed.
pub(crate) struct ItemToSign {
    /// The item as it will be.
    pub(crate) loaded: LoadedItem,
    /// The digest of the whole item on disk, if its file states another location.
    pub(crate) misstated: Option<Sha256>,
    /// Its signatures that lie elsewhere.
    pub(crate) displaced: Vec<DisplacedSignature>,
}

impl ItemToSign {
    /// Reads the item at a place.
    pub(crate) fn read(items: &ItemReader<'_>, place: ScopedPath) -> Result<Self, ItemError> {
        let raw = RawItem::read(items.view, place)?;
        let displaced = match (&raw.sidecar, raw.files()) {
            (SidecarFile::None, Some(files)) => find_displaced(items, &raw.place, &files)?,
            _ => Vec::new(),
        };
        let (raw, misstated) = raw.restate_location();
        Ok(Self { loaded: raw.parse()?, misstated, displaced })
    }

    /// Wraps an item that is signed as it was read.
    pub(crate) fn unchanged(loaded: LoadedItem) -> Self {
        Self { loaded, misstated: None, displaced: Vec::new() }
    }
}
