//! A file of an item as it is now, for a change that is bound to it.

use mere_core::address::{Address, Spoken};
use mere_core::digest::{Fidelity, Sha256, ShownDigest};
use mere_core::item::integrity::FileDigest;
use mere_core::item::{self, ScopedPath};
use mere_core::request::Reader;

use super::item_fidelity::{combine, examine_others};
use super::item_files::{hash_other_files, item_digest, read_item_digest};
use super::{ItemError, ItemReader};
use crate::files::fidelity::ExaminedFile;
use crate::files::read::open_visible_file;
use crate::files::redaction::{RedactedText, RedactionConflict};
use crate::files::view::View;
use crate::space::ItemChangeError;
use crate::trust::digest_key::DigestKeyError;
use crate::world::VisibilityRef;
use mere_host::read_at_most;

/// A file of an item as it is now. It need not be valid, so that a broken item can be repaired.
pub(super) struct CurrentFile {
    pub(super) address: Address,
    file: VisibilityRef,
    /// The file's content, or `None` if it is larger than an item may be.
    bytes: Option<Vec<u8>>,
    examined: ExaminedFile,
}

impl CurrentFile {
    pub(super) fn read_main(items: &ItemReader<'_>, place: &ScopedPath) -> Result<Self, ItemError> {
        Self::read(items, place.address().ok_or(ItemChangeError::InvalidPlace)?)
    }

    pub(super) fn read(items: &ItemReader<'_>, address: Address) -> Result<Self, ItemError> {
        let file = items.view.resolve(&Spoken::Rooted(address.clone()))?;
        let unreadable = |cause| ItemError::unreadable(&address, cause);
        let bytes = read_at_most(open_visible_file(&file)?, item::MAX_ITEM_BYTES as u64)
            .map_err(unreadable)?;
        let examined = match &bytes {
            Some(bytes) => items.view.examine(&address, &bytes[..]),
            None => items.view.examine(&address, open_visible_file(&file)?),
        };
        let examined = examined.map_err(unreadable)?;
        Ok(Self { address, file, bytes, examined })
    }

    /// Returns one digest of the whole item whose main file this is.
    pub(super) fn item_digest(&self, place: &ScopedPath) -> Result<Sha256, ItemError> {
        let unreadable = |cause| ItemError::unreadable(&self.address, cause);
        match self.file.parent_folder() {
            Some(folder) => {
                read_item_digest(self.examined.sha256, folder, place).map_err(unreadable)
            }
            None => Ok(item_digest(self.examined.sha256, &[])),
        }
    }

    /// Returns the other files of the item whose main file this is, or none if they cannot be
    /// hashed.
    pub(super) fn other_files(&self, place: &ScopedPath) -> Vec<FileDigest> {
        let others = self.file.parent_folder().map(|folder| hash_other_files(folder, place));
        others.and_then(Result::ok).unwrap_or_default()
    }

    /// Checks that this is the file that the caller saw, by the digest that it was shown.
    pub(super) fn check_expected(
        &self,
        view: &View<'_>,
        expect: Option<ShownDigest>,
    ) -> Result<(), ItemChangeError> {
        let Some(expected) = expect else { return Ok(()) };
        let ExaminedFile { sha256, fidelity } = self.examined;
        let current = view.shown_digest(sha256, fidelity);
        let current =
            current.map_err(|DigestKeyError| ItemChangeError::DigestKey(self.address.clone()))?;
        if current == expected {
            return Ok(());
        }
        Err(ItemChangeError::Stale { address: self.address.clone(), current: Some(current) })
    }

    /// Returns how the caller sees the whole item whose main file this is.
    pub(super) fn item_fidelity(&self, view: &View<'_>, place: &ScopedPath) -> Fidelity {
        let others = self.file.parent_folder().map(|folder| hash_other_files(folder, place));
        match others {
            Some(Ok(others)) => {
                let others = examine_others(view, &self.address, &others);
                combine(self.examined.fidelity, &others)
            }
            _ => Fidelity::Altered,
        }
    }

    /// Restores the masked and rewritten parts of new content, for a caller who saw this file only
    /// in that form.
    pub(super) fn restore_masked_text(
        &self,
        items: &ItemReader<'_>,
        content: &str,
    ) -> Result<String, ItemError> {
        let text = self.bytes.as_deref().map(str::from_utf8);
        let Some(Ok(text)) = text else { return Ok(content.to_owned()) };
        let secrets = items.view.secret_display_at(&self.address);
        let conflict = |RedactionConflict| ItemChangeError::TouchesMasked(self.address.clone());
        if items.reader == Reader::Person {
            return Ok(content.to_owned());
        }
        let seen = RedactedText::new(text, secrets, items.view.gate, items.view.agent)
            .map_err(conflict)?;
        Ok(seen.rewrite(content).map_err(conflict)?)
    }
}
