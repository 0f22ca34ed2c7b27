//! An item that was read and understood: its bytes once, and what follows from exactly these.

use mere_core::address::Address;
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{self, Item, ScopedPath};
use mere_core::spoken::Spoken;

use super::ItemError;
use super::belongings::{BelongingsError, belongings, whole_of};
use super::tell::masked_fault;
use crate::host::read_at_most;
use crate::read::open;
use crate::tool_error::ToolError;
use crate::view::View;
use crate::world::ResolveError;

/// An item as it lies on disk.
pub(crate) struct Loaded {
    pub(crate) place: ScopedPath,
    pub(crate) address: Address,
    pub(crate) text: String,
    /// Of the main file.
    pub(crate) sha256: Sha256,
    pub(crate) item: Item,
    /// Every other file.
    pub(crate) files: Vec<FileDigest>,
    pub(crate) integrity: Option<Sha256>,
}

impl Loaded {
    /// Reads the item at a place.
    pub(crate) fn read(view: &View<'_>, place: ScopedPath) -> Result<Self, ToolError> {
        let address = place.address().ok_or(ResolveError::NotVisible)?;
        let main = view.resolve(&Spoken::Rooted(address.clone()))?;
        let file = open(&main)?;
        let unreadable = |cause| ToolError::unreadable(&address, cause);
        let faulty = |fault| ItemError::Faulty {
            address: address.clone(),
            fault: Box::new(masked_fault(fault)),
        };
        let bytes = read_at_most(file, item::MAX_BYTES as u64).map_err(unreadable)?;
        // One byte more than there may be says as much as all of them.
        let bytes = bytes.unwrap_or_else(|| vec![b' '; item::MAX_BYTES + 1]);
        let text = item::decode(&bytes).map_err(faulty)?;
        let item = Item::parse(text, &place).map_err(faulty)?;
        let files = main.folder().map_or(Ok(Vec::new()), |folder| belongings(folder, &place));
        let files = files.map_err(|error| match error {
            BelongingsError::Fault(fault) => ToolError::from(faulty(fault)),
            BelongingsError::Io(cause) => unreadable(cause),
        })?;
        let integrity = item.integrity(text, &place, &files);
        let (sha256, text) = (Sha256::of(&bytes), text.to_owned());
        Ok(Self { place, address, text, sha256, item, files, integrity })
    }

    /// One digest of all that it is.
    pub(crate) fn whole(&self) -> Sha256 {
        whole_of(self.sha256, &self.files)
    }

    /// The name of its main file.
    pub(crate) fn main_name(&self) -> &str {
        self.address.path().names().next_back().unwrap_or_default()
    }
}
